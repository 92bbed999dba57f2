//! Relative paths after `cd`.

use super::*;
use crate::analysis::{empty, fill_paths};
use crate::disposable::committed;
use crate::fixed::FixedFacts;
use guard_contract::syntax::{Coverage, Severity};
use guard_contract::unresolved;

/// A command `PROGRAM OPERAND` in a folder, after an operator.
fn command(id: u32, operator: &str, cwd: &str, text: &str) -> Command {
    let mut command = committed::tests::command(id, text, cwd);
    command.position.operator = operator.to_owned();
    command
}

/// The effect of `rm`, `mkdir`, `git clone` or `mv`.
fn effect(command: &Command) -> Option<Effect> {
    let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    let (&by, &target) = (words.first()?, words.last()?);
    let kind = match by {
        "rm" | "mv" => "delete",
        "mkdir" | "git" => "write",
        _ => return None,
    };
    let made = if by == "mkdir" { "directory" } else { "tree" };
    let made = (kind == "write").then(|| (made.to_owned(), "yes".to_owned()));
    Some(Effect {
        kind: kind.to_owned(),
        operation: format!("fs.{kind}"),
        severity: Severity::Destructive,
        target: target.to_owned(),
        path: unresolved(&if target.starts_with('/') {
            target.to_owned()
        } else {
            format!("{}/{target}", command.cwd)
        }),
        command_id: command.id,
        certain: true,
        tags: made.into_iter().chain([("by".to_owned(), by.to_owned())]).collect(),
    })
}

/// Returns whether the last effect's path is unsure. `texts` are pairs of a folder and a command, with its operator.
fn is_last_unsure(texts: &[(&str, &str)]) -> bool {
    let machine =
        "dirs = [\"/repo/src/deep\", \"/repo/new\"]\n[files]\n\"/repo/a.txt\" = \"\"\n[links]\n\"/repo/l\" = \"src\"";
    let facts: FixedFacts = toml::from_str(machine).unwrap();
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    let commands: Vec<Command> = (1..)
        .zip(texts)
        .map(|(id, (cwd, text))| {
            let (operator, text) =
                text.split_once(' ').filter(|(word, _)| ["&&", "||"].contains(word)).unwrap_or((";", *text));
            command(id, operator, cwd, text)
        })
        .collect();
    let effects = commands.iter().filter_map(effect).collect();
    let mut analysis = Analysis { commands, effects, ..empty(Coverage::Complete, None) };
    fill_paths(&mut analysis, &facts, &resolver);
    mark(&mut analysis, &facts, &resolver, "/repo");
    analysis.effects.last().is_some_and(is_unsure)
}

#[test]
fn a_folder_that_may_not_be_there_makes_relative_paths_unsure() {
    for texts in [
        &[("/repo/nope", "rm -rf new")][..],
        &[("/repo/a.txt", "rm -rf new")],
        &[("/repo/src/nope", "rm -rf ../new")],
        &[("/repo", "rm -rf src"), ("/repo/src", "rm -rf new")],
        &[("/repo", "mv -n src"), ("/repo/src/deep", "rm -rf new")],
        &[("/repo", "rm -rf s*"), ("/repo/src", "rm -rf new")],
        &[("/repo/src", "rm -rf a"), ("/repo", "rm -rf src"), ("/repo/src", "rm -rf new")],
        &[("/repo", "mkdir x/y"), ("/repo/x/y", "rm -rf new")],
        &[("/repo", "mkdir x/y"), ("/repo/x", "rm -rf new")],
        &[("/repo", "mkdir q"), ("/repo", "rm -rf q"), ("/repo/q", "rm -rf new")],
        &[("/repo", "false"), ("/repo", "&& mkdir q"), ("/repo/q", "rm -rf new")],
        &[("/repo/nope", "mkdir q"), ("/repo/nope/q", "rm -rf new")],
        &[("/repo", "cd nope"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "set -x"), ("/repo", "cd nope"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "set -e"), ("/repo", "set +e"), ("/repo", "cd nope"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "set -e"), ("/repo", "cd nope"), ("/repo/nope", "&& ls"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "set -e"), ("/repo", "cd nope"), ("/repo/nope", "|| true"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "cd nope"), ("/repo/nope", "set -e"), ("/repo/nope", "rm -rf new")],
    ] {
        assert!(is_last_unsure(texts), "{texts:?}");
    }
}

#[test]
fn a_folder_that_is_there_or_that_the_text_creates_is_sure() {
    for texts in [
        &[("/repo", "rm -rf new")][..],
        &[("/repo/src/deep", "rm -rf x")],
        &[("/repo/l", "rm -rf x")],
        &[("/repo/nope", "rm -rf /repo/new")],
        &[("/repo", "mkdir q"), ("/repo/q", "rm -rf x")],
        &[("/repo", "mkdir -p q/r"), ("/repo/q", "rm -rf x")],
        &[("/repo", "mkdir q"), ("/repo", "mkdir q/r"), ("/repo/q/r", "rm -rf x")],
        &[("/repo", "rm -rf src"), ("/repo", "mkdir src"), ("/repo/src", "rm -rf x")],
        &[("/repo", "rm -rf src/*"), ("/repo/src", "rm -rf x")],
        &[("/repo", "rm -rf *.o"), ("/repo/src", "rm -rf x")],
        &[("/repo", "git clone u q"), ("/repo/q", "rm -rf x")],
        &[("/repo", "true"), ("/repo", "&& mkdir q"), ("/repo/q", "&& rm -rf x")],
        &[("/repo", "set -e"), ("/repo", "cd nope"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "set -euo"), ("/repo", "cd nope"), ("/repo/nope", "ls"), ("/repo/nope", "rm -rf new")],
        &[("/repo", "set -e"), ("/repo", "cd a"), ("/repo/a", "ls"), ("/repo/a", "cd b"), ("/repo/a/b", "rm x")],
    ] {
        assert!(!is_last_unsure(texts), "{texts:?}");
    }
}
