//! Things that the same text creates before it deletes them: databases, branches, volumes and clusters.

use guard_sdk::syntax::Command;

use crate::draft::Draft;
use crate::options::{Options, parse};

/// The maximum number of commands between the creation and the deletion.
const MOST: usize = 64;

/// Returns whether an earlier command creates the lost thing, and the deletion only runs if that succeeded: most
/// programs fail if a thing with the name exists.
pub(super) fn applies(command: &Command, commands: &[Command], draft: &Draft) -> bool {
    let creates: fn(&Command, &Command, &str) -> bool = match draft.operation {
        "sql.drop-database" => |other, _, name| creates_database(other, name),
        "git.branch.delete" => |other, _, name| creates_branch(other, name),
        "container.volume.remove" => |other, by, name| creates_named(other, by, &["volume", "create"], name),
        "cluster.delete" => |other, by, name| creates_named(other, by, &["create"], name),
        _ => return false,
    };
    let name = draft.target.as_str();
    if name.is_empty() || name == "cluster" || !is_plain(command) || command.position.operator != "&&" {
        return false;
    }
    let place = commands.partition_point(|other| other.id < command.id);
    for other in commands.get(..place).unwrap_or_default().iter().rev().take(MOST) {
        if is_plain(other) && other.certain && other.cwd == command.cwd && creates(other, command, name) {
            return true;
        }
        if is_plain(other) && other.position.operator != "&&" {
            return false;
        }
    }
    false
}

/// Returns whether the command is a direct part of the text.
fn is_plain(command: &Command) -> bool {
    command.parent == 0 && command.position.within.is_empty()
}

const CREATEDB: Options = Options::new(
    "DEhlOpTU",
    "tablespace encoding host locale owner port template username maintenance-db strategy lc-collate lc-ctype icu-locale",
);

/// Returns whether the command creates a database with this name.
pub(super) fn creates_database(command: &Command, name: &str) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    match command.program() {
        "createdb" => {
            let parsed = parse(command.argv.get(1..).unwrap_or_default(), CREATEDB, false);
            parsed.operands.first().is_some_and(|database| database.text == name)
        }
        "mysqladmin" | "mariadb-admin" => words().zip(words().skip(1)).any(|pair| pair == ("create", name)),
        _ => {
            let texts = words().chain(command.redirections.iter().map(|from| from.body.as_str()));
            texts.into_iter().any(|text| states_creation(text, name))
        }
    }
}

/// Returns whether a text contains `CREATE DATABASE` for this name.
fn states_creation(text: &str, name: &str) -> bool {
    let words = text.split(|char: char| char.is_whitespace() || ";\"'`".contains(char)).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let name = name.to_ascii_lowercase();
    words.windows(2).enumerate().any(|(at, pair)| {
        let rest = words.get(at.saturating_add(2)..).unwrap_or_default();
        let skipped = if rest.starts_with(&["if".to_owned(), "not".to_owned(), "exists".to_owned()]) { 3 } else { 0 };
        pair == ["create", "database"] && rest.get(skipped).is_some_and(|word| *word == name)
    })
}

/// Returns whether git creates a branch with this name, and fails if there is one.
fn creates_branch(command: &Command, name: &str) -> bool {
    let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["git", "branch", branch, rest @ ..] => {
            !branch.starts_with('-') && *branch == name && !rest.iter().any(|word| word.starts_with('-'))
        }
        ["git", "checkout", "-b", branch, ..] | ["git", "switch", "-c" | "--create", branch, ..] => *branch == name,
        _ => false,
    }
}

/// Returns whether the deleting program also creates the thing with this name.
fn creates_named(command: &Command, by: &Command, verbs: &[&str], name: &str) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let says = |word: &str| words().any(|given| given == word);
    // The value of another option, such as a driver, isn't the name.
    let is_other =
        |before: &str| before.starts_with('-') && !matches!(before, "--name" | "-n" | "--cluster" | "-p" | "--profile");
    let mut pairs = words().zip(words().skip(1));
    let is_named = pairs.any(|(before, word)| word == name && !is_other(before))
        || words().any(|word| word.strip_prefix("--name=") == Some(name));
    command.program() == by.program() && verbs.iter().all(|verb| says(verb)) && is_named
}

#[cfg(test)]
mod tests {
    use super::states_creation;

    #[test]
    fn a_created_database_is_found_by_its_whole_name() {
        for text in
            ["create database a_test", "CREATE DATABASE IF NOT EXISTS \"a_test\";", "x; create database a_test;"]
        {
            assert!(states_creation(text, "a_test"), "{text}");
        }
        for text in ["create database a_test2", "create table a_test", "drop database a_test", ""] {
            assert!(!states_creation(text, "a_test"), "{text}");
        }
    }
}
