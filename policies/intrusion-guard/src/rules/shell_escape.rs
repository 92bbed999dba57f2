//! `shell-escape`: an interpreter, an editor or a search that starts a shell without giving it anything to do.
//!
//! ## Why
//! An agent has no terminal to type into such a shell. It is the second step of an intruder, and the
//! escape from a restricted program. ATT&CK T1059, T1548.
//!
//! ## Examples
//! - asked: `python3 -c "import pty; pty.spawn('/bin/sh')"`
//! - asked: `vim -c ':!/bin/sh'`
//! - asked: `find . -exec /bin/sh \; -quit`
//! - passes: `bash -c 'echo hi'`
//! - passes: `docker run -it alpine sh`
//! - passes: `python3 -c "import subprocess; subprocess.run(['sh', '-c', 'ls'])"`
//!
//! ## Instead
//! Run the commands themselves.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHELLS, has_any, is_any};
use crate::view::{View, is_bare_shell, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "shell-escape",
    summary: "starts a shell out of another program",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// What may stand before a shell that the user, or what follows, is to have.
const HONEST: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "run0",
    "container",
    "ssh",
    "function",
    "script",
    "line",
    "given",
    "pipe",
    "group",
    "exec",
    "command",
    "builtin",
    "login",
    "shell-c",
    "tmux",
    "screen",
    "zellij",
    "nix",
    "nix-shell",
    "direnv",
    "conda",
    "mamba",
    "poetry",
    "pipenv",
    "uv",
    "hatch",
    "ttyd",
    "gotty",
    "xterm",
    "gnome-terminal",
    "konsole",
    "alacritty",
    "kitty",
    "wezterm",
    "coproc",
    "source",
    "unknown",
    "env-s",
    "toolbox",
    "distrobox",
    "nsenter",
    "nsenter-host",
    "bwrap",
    "firejail",
    "abduco",
    "dtach",
    "railway",
    "newgrp",
    "sg",
    "systemd-run",
];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| escapes(command))?;
    Some(Hit::new(
        format!("Starts a shell out of another program: `{}`", shorten(&command.text())),
        "run the commands themselves",
    ))
}

fn escapes(command: &Command) -> bool {
    let opens = command.certain && command.via.iter().any(|via| !is_any(&via.kind, HONEST));
    if is_bare_shell(command) && opens && !command.is_fed() {
        return true;
    }
    // What the analysis doesn't follow: the word names the shell.
    let shell = |text: &str| {
        let text = text.trim().trim_start_matches([':', '!', ' ']).trim_end_matches(['&', ' ', ';']);
        is_any(text.rsplit('/').next().unwrap_or_default(), SHELLS)
    };
    match &*name(command) {
        "less" | "more" | "man" | "most" => texts(command)
            .any(|text| text.trim_start_matches("+").starts_with('!') && shell(text.trim_start_matches('+'))),
        "emacs" | "emacsclient" => {
            texts(command).any(|text| has_any(text, &["(term \"", "(ansi-term", "(shell)", "(eshell)", "(make-term"]))
        }
        "nmap" => texts(command).any(|text| text == "--interactive"),
        "ftp" | "gdb" | "tclsh" | "expect" => texts(command).any(|text| text.starts_with('!') && shell(text)),
        "ssh" => texts(command).any(|text| {
            text.to_ascii_lowercase().contains("proxycommand=;")
                || text.to_ascii_lowercase().contains("permitlocalcommand=yes")
        }),
        _ => false,
    }
}
