//! `inline-code`: code in another language on the command line that deletes files, or starts programs that the code
//! doesn't name.
//! The rule also covers PowerShell text that can't be read.
//!
//! ## Why
//! The analysis can't follow such code.
//!
//! ## Examples
//! - asked: `python3 -c 'import shutil; shutil.rmtree(p)'`
//! - asked: `perl -e 'unlink @ARGV'`
//! - asked: `powershell -enc QQBCAA==`
//! - passes: `python3 -c 'print(1)'`
//! - passes: `python3 x.py`
//!
//! ## Instead
//! Use a shell command, or a script file that the user can read.

use guard_sdk::syntax::{Command, Coverage, Script};
use guard_sdk::{Outcome, Rule};

use super::{Check, SHELLS, is_program};
use crate::calls::{MOST, count, deletion_calls, call_ends, start_calls};
use crate::code;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule = Rule {
    id: "inline-code",
    summary: "inline code that deletes or starts programs",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let analysis = view.analysis;
    if let Some(command) = analysis.commands.iter().find(|command| is_hidden(command)) {
        let why = "runs PowerShell code that can't be read here";
        return Some(Hit::for_command(RULE.default, command.id, why, "write the commands out"));
    }
    if let Some(command) = analysis.commands.iter().find(|command| deletes_by_block(command, view)) {
        let why = "it holds a command that deletes or starts something, in a block that is not followed";
        return Some(Hit::for_command(RULE.default, command.id, why, "write the commands out"));
    }
    let mut scripts = analysis.scripts.iter();
    let script = scripts.find(|script| {
        let code = code::without_literals(&script.text, &script.language);
        let unknown = match script.language.as_str() {
            // A script analyzer reports on these.
            "python" | "javascript" => !is_loaded(script, view) && is_unknown(script, view),
            _ => reports_unknown(script, view) || deletes_unknown(script, &code, view) || starts_unknown(script, &code, view),
        };
        unknown || runs_input(&script.text) || hands_out_shell(&script.text) || types_for_user(&script.text)
    })?;
    let reason = format!("{}: ", script.language);
    let reason = view.analysis.reasons.iter().find_map(|description| description.strip_prefix(&reason));
    let why = match reason {
        Some(reason) => format!("the code could delete or start anything, because {reason}"),
        None if script.language == "run-code" => "the code isn't analysed and could delete or start anything".to_owned(),
        None => format!("the {} code isn't analysed and could delete or start anything", script.language),
    };
    Some(Hit::for_command(
        RULE.default,
        script.command_id,
        why,
        "use a shell command, or a script file that the user can read",
    ))
}

/// Returns whether code runs its input.
fn runs_input(text: &str) -> bool {
    const LOADS: &[&str] = &["load(", "loadstring(", "eval(", "eval "];
    const INPUTS: &[&str] = &["$stdin.read", "<STDIN>", "ARGF.read", "STDIN.read", "io.lines(", "io.read(", "io.stdin", "php://stdin"];
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    has(LOADS) && has(INPUTS)
}

/// Returns whether PowerShell gets an encoded text, or one from a pipe.
fn is_hidden(command: &Command) -> bool {
    if !is_program(command.word(0), &["powershell", "pwsh", "powershell.exe", "pwsh.exe"]) {
        return false;
    }
    let encoded = |word: &str| {
        let option = word.trim_start_matches(['-', '/']).to_ascii_lowercase();
        option.len() < word.len() && (option == "ec" || option.len() > 1 && "encodedcommand".starts_with(&option))
    };
    let mut options = command.argv.iter().skip(1).map(|word| word.text.as_str());
    let reads = command.argv.len() <= 2 || command.argv.last().is_some_and(|last| last.text == "-");
    command.position.index > 0 && reads || options.any(encoded)
}

/// Returns whether a PowerShell or nu text contains a command that deletes, and no effect of the call describes it.
fn deletes_by_block(command: &Command, view: &CallView<'_>) -> bool {
    let is_nu = is_program(command.word(0), &["nu"]);
    // A completely analyzed text has its own effects.
    let is_powershell = view.analysis.coverage != Coverage::Complete
        && is_program(command.word(0), &["powershell", "pwsh", "powershell.exe", "pwsh.exe"]);
    if !is_nu && !is_powershell || view.analysis.effects.iter().any(|effect| effect.operation.starts_with("fs.delete")) {
        return false;
    }
    let names: &[&str] = if is_nu { &["rm", "run-external"] } else { CMDLETS };
    let words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    let parts = words.flat_map(|text| text.split(|char: char| char.is_whitespace() || "{}()[];|&\"'".contains(char)));
    parts.take(WORDS).any(|part| is_program(part, names)) && command.argv.len() > 2
}

/// The maximum number of words of a text that are examined.
const WORDS: usize = 4096;

/// PowerShell commands that delete or start something.
const CMDLETS: &[&str] = &[
    "remove-item", "ri", "rm", "rmdir", "rd", "del", "erase", "clear-content", "clc", "start-process", "saps", "clear-disk",
    "format-volume", "remove-itemproperty", "stop-computer",
];

/// Returns whether a tool loads the code, such as tests, and may run little of it. Then only effects with a known
/// target are judged.
fn is_loaded(script: &Script, view: &CallView<'_>) -> bool {
    let mut commands = view.analysis.commands.iter();
    commands.any(|command| command.id == script.command_id && command.word(0) == "pyloaded")
}

/// Returns whether the script analyzer found a deletion or a start with an unknown target.
fn is_unknown(script: &Script, view: &CallView<'_>) -> bool {
    let mut started = view.analysis.commands.iter().filter(|command| is_started_by(command, script));
    reports_unknown(script, view) || started.any(is_given_unknown)
}

/// Returns whether the analysis reports that the code deletes or starts something unknown.
fn reports_unknown(script: &Script, view: &CallView<'_>) -> bool {
    let mut effects = view.analysis.effects.iter();
    effects.any(|effect| effect.command_id == script.command_id && effect.operation == "code.unknown")
}

/// Returns whether the code starts this command.
fn is_started_by(command: &Command, script: &Script) -> bool {
    command.parent == script.command_id && command.via.iter().any(|via| via.kind == "code")
}

/// Returns whether unknown words decide what a program loses: any word of a shell or of a program that deletes, and the
/// first word, or the statement, of a program with subcommands.
fn is_given_unknown(command: &Command) -> bool {
    let name = command.word(0);
    let words = command.argv.get(1..).unwrap_or_default();
    let file = name.rsplit('/').next().unwrap_or(name);
    if command.argv.first().is_some_and(|first| first.dynamic) && file.contains('$') {
        return true;
    }
    if is_program(name, DELETING) || is_program(name, SHELLS) {
        return words.iter().any(|word| word.dynamic);
    }
    let looks = |text: &str| {
        let verb = text.trim_start().to_ascii_lowercase();
        ["select ", "show ", "explain ", "describe ", "\\"].iter().any(|start| verb.starts_with(start))
    };
    match is_program(name, DATABASES) {
        true => words.iter().any(|word| word.dynamic && word.text.contains(' ') && !looks(&word.text)),
        false => is_program(name, WITH_COMMANDS) && words.first().is_some_and(|word| word.dynamic),
    }
}

/// Returns whether the code deletes files that the analysis couldn't name. Other rules judge named ones as they do for
/// `rm`.
fn deletes_unknown(script: &Script, code: &str, view: &CallView<'_>) -> bool {
    // Two names that end at the same position are one call, such as `os.unlink` and `.unlink(`.
    let mut calls: Vec<usize> = deletion_calls(&script.language).iter().flat_map(|call| call_ends(code, call)).collect();
    calls.sort_unstable();
    calls.dedup();
    if calls.is_empty() {
        return false;
    }
    let effects = view.analysis.effects.iter();
    let named = effects.filter(|effect| effect.command_id == script.command_id && effect.operation.starts_with("fs.delete"));
    calls.len() > named.count()
}

/// Returns whether the code starts a program that the analysis couldn't name.
fn starts_unknown(script: &Script, code: &str, view: &CallView<'_>) -> bool {
    let mut calls = count(code, start_calls(&script.language));
    if script.language == "perl" {
        calls += count_command_opens(&script.text);
    }
    if calls == 0 {
        return false;
    }
    let named = |command: &&Command| {
        let known = command.argv.first().is_some_and(|name| !name.dynamic) && !is_given_unknown(command);
        // A shell that reads printed text runs unknown commands.
        let fed = script.language == "awk" && is_program(command.word(0), SHELLS) && command.argv.len() < 2;
        is_started_by(command, script) && known && !fed
    };
    calls > view.analysis.commands.iter().filter(named).count()
}

/// Counts the uses of Perl's `open` that run a command: `open(F, "|command")`.
fn count_command_opens(text: &str) -> usize {
    let calls = text.match_indices("open(").take(MOST);
    calls.filter(|(at, call)| {
        let arguments = text.get(at + call.len()..).unwrap_or_default();
        let (_, file) = arguments.split_once(',').unwrap_or_default();
        let literal = guard_sdk::code::literal(file.trim_start());
        literal.is_some_and(|(name, _)| name.starts_with('|') || name.ends_with('|') || name.starts_with('-'))
    })
    .count()
}

/// Returns whether the code connects a shell to a socket.
fn hands_out_shell(text: &str) -> bool {
    const SHELL: &[&str] = &["/bin/sh", "['sh'", "[\"sh\"", "['bash'", "[\"bash\"", "/bin/bash", "/bin/zsh", "cmd.exe", "dup2(", "popen("];
    let connects = ["socket", "Socket", "/inet/tcp/", "net.connect"].iter().any(|name| text.contains(name));
    connects && (SHELL.iter().any(|name| text.contains(name)) || text.contains("/inet/tcp/") && text.contains("getline"))
}

/// Returns whether code inserts characters into a terminal's input, as if the user typed them.
fn types_for_user(text: &str) -> bool {
    text.contains("ioctl") && ["TIOCSTI", "0x5412", "21522"].iter().any(|request| text.contains(request))
}

/// Programs for which a single unknown word may be decisive.
const DELETING: &[&str] = &["rm", "rmdir", "unlink", "shred", "dd", "find", "xargs"];

/// Programs that run statements.
const DATABASES: &[&str] = &["psql", "mysql", "mariadb", "sqlite3"];

/// Programs with subcommands.
const WITH_COMMANDS: &[&str] = &["git", "sudo", "doas", "env", "docker", "kubectl"];
