//! `inline-code`: code of another language on the command line, with calls that delete files or start programs.
//!
//! ## Why
//! The analysis ends where another language begins.
//! ## Example
//! `python3 -c 'import shutil; shutil.rmtree(p)'` · `node -e 'fs.rmSync(p)'`
//! ## Settings
//! none

use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::scene::{Hit, Scene};

pub(crate) const RULE: Rule = Rule {
    id: "inline-code",
    summary: "inline code that deletes or starts programs",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Call(check);

fn check(scene: &Scene<'_>) -> Option<Hit> {
    let script = scene
        .analysis
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
