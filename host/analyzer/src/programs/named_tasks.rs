//! Tasks and scripts of a project whose name suggests a deployment or a publication, or that they empty a database.
//!
//! Their commands are in a file. The name counts even if that file can't be read: `npm run deploy` is equivalent to
//! `make deploy`.

use guard_sdk::syntax::{Command, Word};
use guard_sdk::task_runners::{PACKAGE_MANAGERS, TaskRunner, operands, task_runner};

use super::plain;
use crate::draft::Draft;
use crate::run::Run;

/// Words in the name of a task that only reads, or that is a helper.
const HARMLESS: &[&str] = &[
    "build",
    "changelog",
    "check",
    "common",
    "config",
    "coverage",
    "dev",
    "diff",
    "docs",
    "dry",
    "env",
    "help",
    "helper",
    "helpers",
    "key",
    "keys",
    "kind",
    "lib",
    "lint",
    "list",
    "local",
    "log",
    "logs",
    "minikube",
    "notes",
    "plan",
    "pre",
    "preview",
    "simulate",
    "snapshot",
    "spec",
    "status",
    "test",
    "tests",
    "types",
    "util",
    "utils",
    "validate",
    "verify",
];

/// Words after `release` in the name of a task that publishes one. `release` is also a kind of build.
const RELEASES: &[&str] = &["all", "ci", "latest", "major", "minor", "npm", "patch", "prod", "production", "publish"];

/// Verbs of a task that empties a database.
const EMPTIES: &[&str] = &["drop", "fresh", "nuke", "purge", "reset", "truncate", "wipe"];

/// Folders in which the system and package managers install programs.
const INSTALLED: &[&str] = &["/bin/", "/opt/", "/usr/", "/sbin/", "node_modules/", "./node_modules/"];

/// Adds the effect that the name of the command's task suggests.
pub(super) fn find(run: &mut Run<'_>) {
    if !is_rehearsed(run.command) {
        find_unrehearsed(run);
    }
}

/// Returns whether an option that reaches the command's task asks for a dry run.
pub(crate) fn is_rehearsed(command: &Command) -> bool {
    let words = command.argv.get(1..).unwrap_or_default();
    words.iter().any(|word| is_rehearsal(&word.text)) && {
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        script_arguments(command.program(), &words).iter().any(|word| is_rehearsal(word))
    }
}

/// Returns whether the word is an option of a dry run.
pub(crate) fn is_rehearsal(word: &str) -> bool {
    plain::REHEARSES.contains(&word)
}

/// Like [`find`], regardless of an option of a dry run.
pub(crate) fn find_unrehearsed(run: &mut Run<'_>) {
    let Some(draft) = tasks(run).into_iter().find_map(|name| draft_of(run, name)) else { return };
    let by = run.name.clone();
    run.emit(draft.certain(false).tag("manager", &by));
}

/// Returns the words that a package manager passes to the script that it runs. npm keeps the options before `--`, with
/// their values.
pub(crate) fn script_arguments<'w>(manager: &str, words: &[&'w str]) -> Vec<&'w str> {
    if manager != "npm" {
        return words.iter().copied().filter(|word| *word != "--").collect();
    }
    let dashes = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let values = task_runner(manager).map_or(&[][..], TaskRunner::value_options);
    let before = operands(words, values).into_iter().map(|(_, word)| word);
    before.chain(words.iter().skip(dashes + 1).copied()).collect()
}

/// Returns the effect of a task with this name.
fn draft_of(run: &Run<'_>, name: &str) -> Option<Draft> {
    let name = apart(name);
    let words: Vec<&str> =
        name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // `build-and-push` ends with its last verb.
    if words.iter().any(|word| HARMLESS.contains(word)) && !words.contains(&"and") {
        return None;
    }
    let ends = |verb: &str| words.first() == Some(&verb) || words.last() == Some(&verb);
    // The tables of these two describe database tasks.
    let is_told = matches!(run.name.as_str(), "rake" | "mix");
    let is_store = |word: &&str| matches!(*word, "db" | "dbs" | "database" | "databases" | "schema");
    let is_database = !is_told && words.iter().any(is_store);
    // `db:drop`, or `drop-db`.
    let empties =
        |verb: &&str| words.last() == Some(verb) || words.first() == Some(verb) && words.last().is_some_and(is_store);
    let releases = match words.as_slice() {
        ["release"] => true,
        ["release", last] => RELEASES.contains(last),
        _ => false,
    };
    let pushes = (ends("push") || ends("upload")) && words.len() > 1 && !words.iter().any(is_store);
    let is_task = !is_told && !INTERPRETERS.contains(&run.name.as_str()) && task_runner(&run.name).is_some();
    if is_task && (releases || pushes || ends("publish")) {
        Some(Draft::notable("package", "package.publish"))
    } else if ends("deploy") {
        Some(Draft::notable("cloud", "cloud.deploy"))
    } else if is_database && EMPTIES.iter().any(empties) {
        Some(Draft::destructive("database", "database.reset").tag("loses", "all that the database holds"))
    } else {
        None
    }
}

/// Runners whose targets are defined in a file.
pub(super) const RUNNERS: &[&str] =
    &["doit", "gmake", "go-task", "inv", "invoke", "just", "mage", "make", "poe", "task"];

/// Converts a name to lower case with separated words: `dropDatabase` becomes `drop-database`.
fn apart(name: &str) -> String {
    let mut apart = String::with_capacity(name.len());
    let mut before = '-';
    for char in name.chars() {
        if char.is_ascii_uppercase() && before.is_ascii_lowercase() {
            apart.push('-');
        }
        apart.push(char.to_ascii_lowercase());
        before = char;
    }
    apart
}

/// Returns the names of the tasks or scripts that the command runs.
fn tasks<'a>(run: &'a Run<'_>) -> Vec<&'a str> {
    let Some(runner) = task_runner(&run.name) else { return script(run).into_iter().collect() };
    let words: Vec<&str> = run.arguments().iter().map(|word| word.text.as_str()).collect();
    if runner.only_looks(&words) {
        return Vec::new();
    }
    let found: Vec<&str> = runner.tasks(&words).into_iter().map(|(_, task)| task).collect();
    if found.is_empty() { script(run).into_iter().collect() } else { found }
}

/// Tools that run a program, or a project script by its name, in an environment.
const ENVIRONMENTS: &[&str] = &["hatch", "pdm", "pipenv", "pixi", "rye"];

/// Programs whose first operand is a script.
const INTERPRETERS: &[&str] =
    &["bash", "dash", "ksh", "node", "perl", "php", "python", "python3", "ruby", "sh", "ts-node", "tsx", "zsh"];

/// Returns the name of the script file, or of the project script, that the command runs.
fn script<'a>(run: &'a Run<'_>) -> Option<&'a str> {
    let mut operands = run.arguments().iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    let path = run.command.word(0);
    // `hatch run deploy` runs a script of the project or a program. `npm:deploy` is a command of `concurrently`.
    let via = run.command.via.last().map_or("", |via| via.kind.as_str());
    let is_interpreter = INTERPRETERS.contains(&run.name.as_str());
    if ENVIRONMENTS.contains(&via) && !is_interpreter
        || PACKAGE_MANAGERS.iter().any(|manager| path.strip_prefix(manager).is_some_and(|rest| rest.starts_with(':')))
    {
        return Some(path);
    }
    match run.name.as_str() {
        "source" | "." => stem(operands.next()?),
        _ if is_interpreter => {
            // With these letters, the first operand isn't a script, or the script isn't run.
            let is_shell = crate::wrappers::shells::is_shell(&run.name);
            let other = |word: &&Word| {
                // `node -e` takes code, and `bash -e` a script.
                let is_code = !is_shell && word.text.contains('e');
                word.text.starts_with('-') && (is_code || word.text.contains(['c', 'm', 'n', 'r', 's', 'o']))
            };
            let leading = run.arguments().iter().take_while(|word| word.text.starts_with('-'));
            if leading.clone().any(|word| other(&word)) {
                return None;
            }
            let redirected = || run.command.redirections.iter().find(|from| from.operator == "<");
            stem(operands.next().or_else(|| Some(redirected()?.target.text.as_str()))?)
        }
        _ if path.contains('/') && !INSTALLED.iter().any(|folder| path.starts_with(folder)) => stem(path),
        _ => None,
    }
}

/// Returns the name of a script without its folder and extension.
fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    matches!(ending, "" | "bash" | "js" | "mjs" | "php" | "pl" | "py" | "rb" | "sh" | "ts" | "zsh").then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_keeps_its_options_with_their_values() {
        for (manager, words, expected) in [
            ("npm", "-w a", ""),
            ("npm", "--workspace a --loglevel error x", "x"),
            ("npm", "x -w a -- --fix -w b", "x --fix -w b"),
            ("pnpm", "--fix a", "--fix a"),
            ("yarn", "-- a", "a"),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(script_arguments(manager, &words).join(" "), expected, "{manager} {words:?}");
        }
    }
}
