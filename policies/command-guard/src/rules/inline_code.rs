//! `inline-code`: code of another language on the command line, with calls that delete files or start programs; and
//! PowerShell that cannot be read.
//!
//! ## Why
//! The analysis ends where another language begins.
//! ## Example
//! `python3 -c 'import shutil; shutil.rmtree(p)'` · `node -e 'fs.rmSync(p)'`
//! ## Settings
//! none

use guard_sdk::syntax::Command;
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
    let script = analysis
        .scripts
        .iter()
        .find(|script| calls_of(&script.language).iter().any(|call| script.text.contains(call)))?;
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

/// Names of calls that delete files, overwrite a disk or start programs.
fn calls_of(language: &str) -> &'static [&'static str] {
    match language {
        "python" => &[
            "rmtree",
            "os.remove",
            "os.unlink",
            "os.rmdir",
            "removedirs",
            ".unlink(",
            ".rmdir(",
            "os.system",
            "os.popen",
            "os.exec",
            "os.spawn",
            "subprocess",
            "pty.spawn",
            "os.truncate",
            "exec(",
            "eval(",
            "__import__",
            "socket.",
        ],
        "javascript" | "typescript" => &[
            "child_process",
            "rmSync",
            "rmdirSync",
            "unlinkSync",
            ".rm(",
            ".rmdir(",
            ".unlink(",
            "execSync",
            "spawnSync",
            "Deno.remove",
            "Deno.run",
            "Deno.Command",
            "Bun.spawn",
            "eval(",
        ],
        "perl" => &["unlink", "rmtree", "remove_tree", "rmdir", "system", "exec", "qx", "`", "eval"],
        "ruby" => &[
            "rm_rf",
            "rm_r",
            "FileUtils.rm",
            "File.delete",
            "Dir.delete",
            "remove_entry",
            "unlink",
            "system",
            "exec",
            "spawn",
            "`",
            "%x",
            "eval",
        ],
        "php" => &["unlink", "rmdir", "system", "exec", "passthru", "popen", "proc_open", "`", "eval"],
        "awk" => &["system(", "| \"sh\"", "|\"sh\"", "| \"bash\""],
        _ => &[],
    }
}
