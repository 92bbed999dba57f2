//! `inline-code`: code of another language on the command line that deletes files or starts programs that the code does
//! not name, and PowerShell text that cannot be read.
//!
//! ## Why
//! The analysis cannot follow such code.
//!
//! ## Examples
//! - asked: `python3 -c 'import shutil; shutil.rmtree(p)'`
//! - asked: `perl -e 'unlink @ARGV'`
//! - asked: `powershell -enc QQBCAA==`
//! - passes: `python3 -c 'print(1)'`
//! - passes: `python3 x.py`
//!
//! ## Instead
//! Do it with a shell command, or in a script file that the user can read.

use guard_sdk::syntax::{Command, Script};
use guard_sdk::{Outcome, Rule};

use super::{Check, SHELLS, is_program};
use crate::calls::{CHILD_PROCESS, MOST, MOVES, TELLING_NOTHING, count, deletions_of, places, starts_of};
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
        let why = "what PowerShell is given cannot be read here";
        return Some(Hit::of_command(RULE.default, command.id, why, "write the commands out"));
    }
    let mut scripts = analysis.scripts.iter();
    let script = scripts.find(|script| {
        let code = code::of(&script.text, &script.language);
        deletes_unknown(script, &code, view) || starts_unknown(script, &code, view) || hands_out_shell(&script.text)
    })?;
    let why = format!("the {} code can delete or start what it likes, and it is not followed", script.language);
    Some(Hit::of_command(
        RULE.default,
        script.command_id,
        why,
        "do it with a shell command, or in a script file that the user can read",
    ))
}

/// Whether PowerShell is given an encoded text, or one from a pipe.
fn is_hidden(command: &Command) -> bool {
    if !is_program(command.word(0), &["powershell", "pwsh", "powershell.exe", "pwsh.exe"]) {
        return false;
    }
    let encoded = |word: &str| {
        let option = word.trim_start_matches(['-', '/']).to_ascii_lowercase();
        option.len() < word.len() && (option == "ec" || option.len() > 1 && "encodedcommand".starts_with(&option))
    };
    let mut options = command.argv.iter().skip(1).map(|word| word.text.as_str());
    command.position.index > 0 && command.argv.len() <= 2 || options.any(encoded)
}

/// Whether the code deletes what the analysis could not name. What it could name, other rules judge as they do for `rm`.
fn deletes_unknown(script: &Script, code: &str, view: &CallView<'_>) -> bool {
    // Two names that end at the same place are one call, as `os.unlink` and `.unlink(`.
    let mut calls: Vec<usize> = deletions_of(&script.language).iter().flat_map(|call| places(code, call)).collect();
    calls.sort_unstable();
    calls.dedup();
    if calls.is_empty() {
        return false;
    }
    // A move deletes as well, and stands for no call that deletes.
    let moves = count(code, MOVES);
    let effects = view.analysis.effects.iter();
    let named = effects.filter(|effect| effect.command_id == script.command_id && effect.operation.starts_with("fs.delete"));
    let own = calls.iter().filter(|at| deletes_own(code, **at)).count();
    calls.len() > named.count().saturating_sub(moves) + own
}

/// Whether the call deletes a file or a folder that the code itself made for a while: `d = tempfile.mkdtemp()`; or one
/// file whose name is known at its beginning: `f"part_{n}"`.
fn deletes_own(code: &str, call_ends: usize) -> bool {
    let (before, arguments) = code.split_at_checked(call_ends).unwrap_or_default();
    let arguments = arguments.trim_start_matches('(');
    let argument = arguments.split([',', ')']).next().unwrap_or_default().trim();
    let is_tree = ["tree", "rmdir", "removedirs"].iter().any(|name| before.ends_with(name));
    if begins_known(arguments) && !is_tree {
        return true;
    }
    if !is_name(argument.strip_suffix(".name").unwrap_or(argument)) {
        return false;
    }
    if let Some(file) = argument.strip_suffix(".name") {
        return is_temporary_file(code, file);
    }
    let assigned = |value: &str| code.matches(&format!("{argument} = {value}")).take(MOST).count();
    if code.contains(&format!("{argument}=")) {
        return false;
    }
    if assigned("tempfile.mk") == 1 && assigned("") == 1 {
        return true;
    }
    // `with NamedTemporaryFile(...) as f: path = f.name`, as often as it is set.
    let value = code.split_once(&format!("{argument} = ")).map(|(_, value)| value).unwrap_or_default();
    let value = value.split(['\n', ';']).next().unwrap_or_default().trim();
    let file = value.strip_suffix(".name").unwrap_or_default();
    is_name(file) && assigned(value) == assigned("") && assigned("") < MOST && is_temporary_file(code, file)
}

/// Whether the text is a name that is known at its beginning, and leads down from where the code runs.
fn begins_known(arguments: &str) -> bool {
    let text = arguments.strip_prefix(['f', 'F']).unwrap_or_default();
    let inside = text.strip_prefix(['"', '\'']).unwrap_or_default();
    let path = inside.split(['"', '\'']).next().unwrap_or_default();
    path.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && path.contains('{') && !path.contains("..")
}

/// Whether every file that the code calls by this name is one of `tempfile`.
fn is_temporary_file(code: &str, file: &str) -> bool {
    let opener = format!(" as {file}:");
    let mut opened = code.match_indices(&opener).take(MOST).peekable();
    let is_own = |at: usize| {
        let line = code.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        // Of several files on one line each would have to be looked at.
        line.contains("NamedTemporaryFile(") && !line.contains(" as ")
    };
    let set_elsewhere = [format!("{file} ="), format!("{file}="), format!("for {file} ")].iter().any(|set| code.contains(set));
    is_name(file) && opened.peek().is_some() && opened.all(|(at, _)| is_own(at)) && !set_elsewhere
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether the code starts a program that the analysis could not name.
fn starts_unknown(script: &Script, code: &str, view: &CallView<'_>) -> bool {
    let mut calls = count(code, starts_of(&script.language));
    // The names of these calls are those of harmless ones, too, where the module is not named.
    if matches!(script.language.as_str(), "javascript" | "typescript") && script.text.contains("child_process") {
        calls += count(code, CHILD_PROCESS).max(1);
    }
    if script.language == "perl" {
        calls += opened(&script.text);
    }
    if calls == 0 {
        return false;
    }
    let named = |command: &&Command| {
        let by_code = command.parent == script.command_id && command.via.iter().any(|via| via.kind == "code");
        // What a program that deletes is given decides what is lost.
        let deletes = is_program(command.word(0), DELETING) || is_program(command.word(0), SHELLS);
        let known = command.argv.first().is_some_and(|name| !name.dynamic)
            && !(deletes && command.argv.iter().any(|word| word.dynamic));
        // A shell that is printed to runs what nobody knows.
        let fed = script.language == "awk" && is_program(command.word(0), SHELLS) && command.argv.len() < 2;
        by_code && known && !fed
    };
    calls > count(code, TELLING_NOTHING) + view.analysis.commands.iter().filter(named).count()
}

/// How many files of perl's `open` are commands: `open(F, "|command")`.
fn opened(text: &str) -> usize {
    let calls = text.match_indices("open(").take(MOST);
    calls.filter(|(at, call)| {
        let arguments = text.get(at + call.len()..).unwrap_or_default();
        let (_, file) = arguments.split_once(',').unwrap_or_default();
        let literal = guard_sdk::code::literal(file.trim_start());
        literal.is_some_and(|(name, _)| name.starts_with('|') || name.ends_with('|') || name.starts_with('-'))
    })
    .count()
}

/// Whether the code connects a shell to a socket.
fn hands_out_shell(text: &str) -> bool {
    const SHELL: &[&str] = &["/bin/sh", "/bin/bash", "/bin/zsh", "cmd.exe", "dup2(", "popen("];
    let connects = ["socket", "Socket", "/inet/tcp/", "net.connect"].iter().any(|name| text.contains(name));
    connects && (SHELL.iter().any(|name| text.contains(name)) || text.contains("/inet/tcp/") && text.contains("getline"))
}

/// Programs of which a word that nobody knows may be all that counts.
const DELETING: &[&str] =
    &["rm", "rmdir", "unlink", "shred", "dd", "find", "git", "sudo", "doas", "env", "xargs", "docker", "kubectl", "psql", "mysql"];
