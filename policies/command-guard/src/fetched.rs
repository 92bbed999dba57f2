//! Variables with content that the call itself downloads, and the places where they become code.

use guard_sdk::syntax::{Command, Part, Word};

use crate::call_view::CallView;
use crate::rules::is_program;

/// The maximum number of commands and names that are examined.
const MOST: usize = 128;

/// Programs that print what they download.
const FETCHING: &[&str] = &["curl", "wget", "http", "https", "xh", "aria2c", "fetch", "lynx", "nc", "ncat"];

/// Options whose value is code.
const CODE: &[&str] =
    &["-c", "-e", "-E", "-r", "-p", "-pe", "-ne", "-x", "-q", "--eval", "--command", "--execute", "--query", "--run"];

/// Programs with an operand that is code.
const BY_OPERAND: &[&str] = &["awk", "gawk", "mawk", "sqlite3", "duckdb"];

/// Ways of evaluating text that the rule judges by itself, because the output of many tools is meant to be evaluated
/// there.
const JUDGED: &[&str] = &["eval", "shell-c", "pipe", "heredoc", "script", "xargs", "parallel", "find-exec"];

/// Tools, and the words before a script that starts programs.
const SCRIPTS: &[(&[&str], &[&str])] = &[
    (&["vim", "nvim", "vi", "ex", "gvim", "view"], &["-S", "-u", "-s", "-l"]),
    (&["emacs", "emacsclient"], &["-l", "--load", "--script", "-x"]),
    (&["cmake"], &["-P", "-C"]),
    (&["gradle", "gradlew"], &["-I", "--init-script"]),
    (&["ssh", "scp", "sftp"], &["-F"]),
    (&["tmux"], &["-f", "source-file", "source"]),
    (&["screen"], &["-c"]),
    (&["sqlite3"], &["-init", "--init"]),
    (&["gdb", "lldb"], &["-x", "--command", "-s", "--source"]),
    (&["lint-staged"], &["-c", "--config"]),
    (&["gnuplot", "m4", "dc", "expect"], &[""]),
    (&["less", "lesskey"], &["-k"]),
];

/// Returns whether a tool gets a script that another program prints.
fn is_script(command: &Command, pair: &[Word]) -> bool {
    let [before, script] = pair else { return false };
    script.parts.iter().any(|part| part.kind == "process")
        && SCRIPTS
            .iter()
            .any(|(tools, options)| is_program(command.word(0), tools) && options.contains(&before.text.as_str()))
}

/// Returns the names of variables with downloaded content.
pub(crate) fn downloaded_variables<'a>(view: &'a CallView<'_>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for command in view.analysis.commands.iter().take(MOST) {
        let assigned = command.assignments.iter().filter(|assignment| is_download(&assignment.value, &found));
        let mut names: Vec<&str> = assigned.map(|assignment| assignment.name.as_str()).collect();
        if is_program(command.word(0), &["read", "mapfile", "readarray"]) {
            let redirected = command.redirections.iter().any(|from| from.target.parts.iter().any(fetches));
            let words = command.argv.iter().skip(1).map(|word| word.text.as_str());
            names.extend(words.filter(|word| redirected && !word.starts_with('-')));
        }
        found.append(&mut names);
        found.truncate(MOST);
    }
    found
}

/// Returns whether the command runs the content of such a variable.
pub(crate) fn runs_download(command: &Command, names: &[&str], view: &CallView<'_>) -> bool {
    let Some((name, words)) = command.argv.split_first() else { return false };
    let evaluates = || {
        let mut before = view.analysis.commands.iter().take_while(|other| other.id < command.id);
        command.via.last().is_some_and(|via| !JUDGED.contains(&via.kind.as_str()))
            && before.any(|other| is_program(other.word(0), FETCHING))
    };
    // A script that is passed to a tool.
    if words.windows(2).any(|pair| is_script(command, pair)) {
        return true;
    }
    // The placeholder for a substitution in text that became shell.
    if is_download(name, names) || name.text == "$_" && evaluates() {
        return true;
    }
    let by_option = words
        .windows(2)
        .any(|pair| matches!(pair, [option, code] if CODE.contains(&option.text.as_str()) && is_download(code, names)));
    by_option || is_program(command.word(0), BY_OPERAND) && words.iter().any(|word| is_download(word, names))
}

/// Returns whether the word consists only of such a variable, or of a download's output.
fn is_download(word: &Word, names: &[&str]) -> bool {
    let mut parts = word.parts.iter().filter(|part| !part.text.is_empty());
    let (Some(part), None) = (parts.next(), parts.next()) else { return false };
    if part.kind == "command" {
        return fetches(part);
    }
    let inner = part.text.trim_start_matches(['$', '{']);
    let end = inner.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(inner.len());
    word.dynamic && part.kind != "literal" && inner.get(..end).is_some_and(|name| names.contains(&name))
}

/// Returns whether a substitution begins with a download.
fn fetches(part: &Part) -> bool {
    let text = part.text.trim_start_matches(['$', '<', '(', '`', ' ']);
    matches!(part.kind.as_str(), "command" | "process")
        && text.split_whitespace().next().is_some_and(|name| is_program(name, FETCHING))
}
