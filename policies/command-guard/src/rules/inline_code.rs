//! `inline-code`: code of another language on the command line, with calls that delete files or start programs; and
//! PowerShell that cannot be read.
//!
//! ## Why
//! The analysis ends where another language begins.
//! ## Example
//! `python3 -c 'import shutil; shutil.rmtree(p)'` · `node -e 'fs.rmSync(p)'`
//! ## Settings
//! none

use guard_sdk::syntax::{Command, Script};
use guard_sdk::{Outcome, Rule};

use super::{Check, is_program};
use crate::scene::{Hit, Scene};

pub(crate) const RULE: Rule = Rule {
    id: "inline-code",
    summary: "inline code that deletes or starts programs",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(scene: &Scene<'_>) -> Option<Hit> {
    let analysis = scene.analysis;
    if let Some(command) = analysis.commands.iter().find(|command| is_hidden(command)) {
        let why = "what PowerShell is given cannot be read here";
        return Some(Hit::of_command(RULE.default, command.id, why, "write the commands out"));
    }
    let mut scripts = analysis.scripts.iter();
    let script = scripts.find(|script| {
        deletes_unknown(script, scene) || starts_unknown(script, scene)
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
fn deletes_unknown(script: &Script, scene: &Scene<'_>) -> bool {
    let text = &script.text;
    // Two names that end at the same place are one call, as `os.unlink` and `.unlink(`.
    let ends = |call: &&'static str| {
        let width = call.trim_end_matches('(').len();
        text.match_indices(*call).take(MOST).map(move |(at, _)| at + width).collect::<Vec<_>>()
    };
    let mut calls: Vec<usize> = deletions_of(&script.language).iter().flat_map(ends).collect();
    calls.sort_unstable();
    calls.dedup();
    if calls.is_empty() {
        return false;
    }
    // A move deletes as well, and stands for no call that deletes.
    let moves: usize = MOVES.iter().map(|call| text.matches(call).take(MOST).count()).sum();
    let effects = scene.analysis.effects.iter();
    let named = effects.filter(|effect| effect.command_id == script.command_id && effect.operation.starts_with("fs.delete"));
    calls.len() > named.count().saturating_sub(moves) + own_folders(text)
}

/// Calls that move a file, whose first place the analysis counts as deleted.
const MOVES: &[&str] = &["shutil.move(", "os.rename(", "os.replace(", "renameSync("];

/// How many calls delete the very folder that the code made for a while: `d = tempfile.mkdtemp()`.
fn own_folders(text: &str) -> usize {
    let is_own = |at: usize| {
        let argument = text.get(at..).and_then(|rest| rest.split([',', ')']).next()).unwrap_or_default().trim();
        let is_name = !argument.is_empty() && argument.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let assigned = |value: &str| text.matches(&format!("{argument} = {value}")).take(2).count();
        is_name && assigned("tempfile.mkdtemp(") == 1 && assigned("") == 1 && !text.contains(&format!("{argument}="))
    };
    text.match_indices("shutil.rmtree(").take(MOST).filter(|(at, call)| is_own(at + call.len())).count()
}

/// Whether the code starts a program that the analysis could not name.
fn starts_unknown(script: &Script, scene: &Scene<'_>) -> bool {
    let starts = starts_of(&script.language);
    let count = |names: &[&str]| -> usize { names.iter().map(|call| script.text.matches(call).take(MOST).count()).sum() };
    let mut calls = count(starts);
    // The names of these calls are those of harmless ones, too, where the module is not named.
    if matches!(script.language.as_str(), "javascript" | "typescript") && script.text.contains("child_process") {
        calls += count(CHILD_PROCESS).max(1);
    }
    if calls == 0 {
        return false;
    }
    let named = |command: &&Command| {
        let by_code = command.parent == script.command_id && command.via.iter().any(|via| via.kind == "code");
        by_code && command.argv.iter().all(|word| !word.dynamic)
    };
    calls > count(TELLING_NOTHING) + scene.analysis.commands.iter().filter(named).count()
}

/// Calls that are counted, at most.
const MOST: usize = 64;

/// Names that begin like a call that starts a program, and are none.
const TELLING_NOTHING: &[&str] = &[
    "subprocess.PIPE",
    "subprocess.DEVNULL",
    "subprocess.STDOUT",
    "subprocess.CalledProcessError",
    "subprocess.TimeoutExpired",
];

/// Calls of the module of JavaScript that starts programs.
const CHILD_PROCESS: &[&str] = &["execSync(", "spawnSync(", "execFile", ".exec(", ".spawn(", ".fork("];

/// Calls that start a program, or code.
fn starts_of(language: &str) -> &'static [&'static str] {
    match language {
        "python" => &[
            "os.system",
            "os.popen",
            "os.exec",
            "os.spawn",
            "subprocess.",
            "subprocess import",
            "pty.spawn",
            "exec(",
            "eval(",
            "__import__",
        ],
        "javascript" | "typescript" => {
            &["Deno.run", "Deno.Command", "Bun.spawn", "eval("]
        }
        "perl" => &["system(", "system \"", "system '", "exec(", "exec \"", "exec '", "qx", "`", "eval"],
        "ruby" => &["system", "exec", "spawn", "`", "%x", "eval"],
        "php" => &["system", "exec", "passthru", "popen", "proc_open", "`", "eval"],
        "lua" => &["os.execute", "io.popen"],
        "awk" => &["system(", "| \"sh\"", "|\"sh\"", "| \"bash\""],
        _ => &[],
    }
}

/// Calls that delete files or overwrite a disk.
fn deletions_of(language: &str) -> &'static [&'static str] {
    match language {
        "python" => &[
            "rmtree",
            "os.remove",
            "os.unlink",
            "os.rmdir",
            "removedirs",
            ".unlink(",
            ".rmdir(",
            "os.truncate",
            "socket.",
        ],
        "javascript" | "typescript" => {
            &["rmSync", "rmdirSync", "unlinkSync", ".rm(", ".rmdir(", ".unlink(", "Deno.remove"]
        }
        "perl" => &["unlink", "rmtree", "remove_tree", "rmdir"],
        "ruby" => &["rm_rf", "rm_r", "FileUtils.rm", "File.delete", "Dir.delete", "remove_entry", "unlink"],
        "php" => &["unlink", "rmdir"],
        "lua" => &["os.remove"],
        _ => &[],
    }
}
