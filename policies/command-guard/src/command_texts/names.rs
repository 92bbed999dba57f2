//! Words that only name something that a command reads: a file, a test, a branch, a package.

use guard_sdk::git;
use guard_sdk::syntax::Command;
use guard_sdk::task_runners::{operands, task_runner};

use super::MOST;
use super::data::{READERS, TESTERS, runs_option_value};
use super::spellings::value_options;

/// Builtins, editors and programs for files whose words are names or text.
const TAKERS: &[&str] = &[
    ":", "[", "[[", "cd", "chmod", "chown", "code", "command", "cp", "false", "hash", "ln", "mkdir", "mv", "nano",
    "pushd", "read", "rm", "rmdir", "subl", "touch", "true", "unset",
];

/// Readers that also have subcommands with changes.
const CLIENTS: &[&str] = &["gh", "glab"];

/// Version control programs, which share git's read-only subcommands.
const VERSIONING: &[&str] = &["git", "hg", "jj"];

/// Subcommands after which a program's words are names: it shows, tests or switches.
const VERBS: &[(&[&str], &[&str])] = &[
    (VERSIONING, &["add", "branch", "checkout", "commit", "reflog", "switch", "tag"]),
    (&["cargo"], &["bench", "doc", "info", "nextest", "search", "t", "test", "tree"]),
    (&["go"], &["doc", "list", "test", "vet"]),
    (&["dotnet"], &["test"]),
    // Any of its words may be a phase that deploys.
    (&["mvn"], &[]),
    (
        &["bun", "npm", "pnpm", "yarn"],
        &["docs", "explain", "info", "list", "ls", "outdated", "repo", "search", "show", "test", "view", "why"],
    ),
    (&["pip", "pip3"], &["freeze", "list", "show"]),
    (&["docker", "nerdctl", "podman"], &["images", "inspect", "logs", "ps", "stats", "top"]),
    (&["kubectl", "oc"], &["describe", "explain", "get", "logs", "top"]),
    (&["systemctl"], &["cat", "list-units", "show", "status"]),
];

/// Returns the index from which all words of a command are names or text.
pub(super) fn first_name(command: &Command) -> Option<usize> {
    let program = command.program();
    let words: Vec<&str> = command.argv.iter().skip(1).take(MOST).map(|word| word.text.as_str()).collect();
    let verbs = VERBS.iter().find(|(programs, _)| programs.contains(&program)).map(|(_, verbs)| *verbs);
    let looks = task_runner(program).is_some_and(|runner| runner.only_looks(&words));
    let reads = [READERS, TAKERS, TESTERS].iter().any(|list| list.contains(&program));
    let first = if looks {
        Some(1)
    } else if let Some(verbs) = verbs {
        // The address of another machine isn't just a name.
        let reads = |verb: &str| VERSIONING.contains(&program) && git::READING.contains(&verb) && verb != "ls-remote";
        let verb = operands(&words, value_options(program)).first().copied();
        verb.filter(|(_, verb)| verbs.contains(verb) || reads(verb)).map(|(at, _)| at + 2)
    } else {
        (reads && !CLIENTS.contains(&program)).then_some(1)
    };
    first.filter(|_| !runs_option_value(command))
}

/// Returns the words of a command without names: the program, the subcommand, and the options without values. `None` if
/// the command may affect the named things.
pub(crate) fn words_without_names(command: &Command) -> Option<Vec<&str>> {
    let first = first_name(command)?;
    let words = command.argv.iter().enumerate().take(MOST).map(|(at, word)| (at, word.text.as_str()));
    let kept = words.filter(|(at, word)| *at < first || word.starts_with('-') || assigns_program(word));
    let is_option = |word: &str| word.starts_with('-');
    Some(kept.map(|(_, word)| word.split('=').next().filter(|_| is_option(word)).unwrap_or(word)).collect())
}

/// Returns whether a word assigns a program to a variable that other programs run: `EDITOR=vi`.
pub(super) fn assigns_program(word: &str) -> bool {
    const VARIABLES: &[&str] =
        &["ASKPASS", "BROWSER", "COMMAND", "DIFF", "EDITOR", "PAGER", "RUNNER", "SHELL", "SSH", "WRAPPER"];
    word.split_once('=').is_some_and(|(name, _)| VARIABLES.iter().any(|variable| name.contains(variable)))
}

/// Returns whether a command only prints its help: the last word is `--help`, or Go's `-help`, and isn't the value of
/// the option before it.
pub(super) fn asks_for_help(command: &Command) -> bool {
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    let is_last = matches!(words.next_back(), Some("--help" | "-help"));
    let is_value = words.clone().next_back().is_some_and(|word| word.starts_with('-'));
    is_last && !is_value && !words.take(MOST).any(|word| word == "--")
}
