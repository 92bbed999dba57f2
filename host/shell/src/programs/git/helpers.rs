//! Programs that git starts because its command line says so.

use crate::effects::run::Run;
use crate::programs::options::Parsed;

/// Settings whose value is a program.
const PROGRAMS: &[&str] = &[
    "core.sshcommand",
    "core.pager",
    "core.editor",
    "core.fsmonitor",
    "core.askpass",
    "diff.external",
    "sequence.editor",
];

/// Programs that git starts because a setting for this one command, an option or an address says so.
pub(super) fn find<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for setting in parsed.values("c", "") {
        let Some((key, program)) = setting.text.split_once('=') else { continue };
        let key = key.to_ascii_lowercase();
        let is_program = PROGRAMS.contains(&key.as_str())
            || key.starts_with("filter.") && !key.ends_with(".required")
            || key.starts_with("pager.") && !matches!(program, "true" | "false");
        if is_program && !is_harmless(program) {
            run.starts_helper(program);
        }
    }
    for word in run.arguments() {
        let option =
            ["--upload-pack=", "--receive-pack=", "--exec="].iter().find_map(|name| word.text.strip_prefix(name));
        let program = option.or_else(|| word.text.strip_prefix("ext::"));
        if let Some(program) = program.filter(|program| !is_harmless(program)) {
            run.starts_helper(program);
        }
    }
}

/// Programs that git is ordinarily told to use.
const ORDINARY: &[&str] = &[
    "",
    "0",
    "1",
    ":",
    "bat",
    "cat",
    "code",
    "delta",
    "diff-so-fancy",
    "difft",
    "emacs",
    "false",
    "git-lfs",
    "head",
    "less",
    "more",
    "nano",
    "nvim",
    "ssh",
    "tee",
    "true",
    "vi",
    "vim",
];

/// Whether a program that git is told to start is one that it is ordinarily told to.
pub(super) fn is_harmless(program: &str) -> bool {
    let name = program.split_whitespace().next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let plain =
        !program.contains([';', '|', '&', '`', '$', '\n', '>']) && !program.to_ascii_lowercase().contains("command");
    plain && (ORDINARY.contains(&name) || name.starts_with("git-"))
}

pub(super) fn difftool<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for program in parsed.values("x", "extcmd") {
        if !is_harmless(&program.text) {
            run.starts_helper(&program.text);
        }
    }
}
