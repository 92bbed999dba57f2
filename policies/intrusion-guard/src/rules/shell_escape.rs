//! `shell-escape`: a shell without a command, if an interpreter, an editor or a search starts it, or if it runs as root
//! or with its file owner's permissions.
//!
//! ## Why
//! An agent has no terminal for such a shell. Intruders use it to escape from a restricted program. ATT&CK T1059,
//! T1548.
//!
//! ## Examples
//! - asked: `python3 -c "import pty; pty.spawn('/bin/sh')"`
//! - asked: `vim -c ':!/bin/sh'`
//! - asked: `find . -exec /bin/sh \; -quit`
//! - asked: `sudo bash`
//! - asked: `./bash -p`
//! - passes: `bash -c 'echo hi'`
//! - passes: `docker run -it alpine sh`
//! - passes: `python3 -c "import subprocess; subprocess.run(['sh', '-c', 'ls'])"`
//!
//! ## Instead
//! Run the commands directly.

use guard_sdk::syntax::{Command, Redirection};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHELLS, has_any, is_any};
use crate::view::{View, has_option, is_bare_shell, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "shell-escape",
    summary: "starts a shell from inside another program",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs that may precede a shell for the user, or for a later command.
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
    let command = view.commands().find(|command| escapes(command));
    // The command in the container is a separate one.
    let command = command.or_else(|| view.analysis.commands.iter().find(|command| is_in_production(command, view)))?;
    Some(Hit::new(
        format!("Starts a shell from another program: `{}`", shorten(&command.text())),
        "run the commands themselves",
    ))
}

fn escapes(command: &Command) -> bool {
    if is_typed(command) || is_privileged(command) {
        return true;
    }
    let opens = command.certain && command.via.iter().any(|via| !is_any(&via.kind, HONEST));
    if is_bare_shell(command) && opens && !has_piped_input(command) {
        return true;
    }
    // Cases that the analysis doesn't follow: the word names the shell.
    match &*name(command) {
        "less" | "more" | "man" | "most" => texts(command)
            .any(|text| text.trim_start_matches("+").starts_with('!') && shell(text.trim_start_matches('+'))),
        "emacs" | "emacsclient" => {
            texts(command).any(|text| has_any(text, &["(term \"", "(ansi-term", "(shell)", "(eshell)", "(make-term"]))
        }
        // Without a program, it starts the default shell.
        "chroot" => command.argv.len() == 2 && !command.word(1).starts_with('-') && !command.is_fed(),
        // `--` starts a shell.
        "capsh" => texts(command).any(|text| text == "--"),
        "run-parts" => {
            texts(command).any(|text| is_any(text.trim_end_matches('/'), &["/bin", "/usr/bin", "/sbin", "/usr/sbin"]))
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

/// Returns whether the input is something other than a terminal. `sh < $(tty)` and `sh 0<&2` wait for typed input.
fn has_piped_input(command: &Command) -> bool {
    let is_terminal = |one: &Redirection| {
        let text = one.target.text.as_str();
        let own = one.operator == "<&" && matches!(text, "0" | "1" | "2");
        own || text.ends_with("/tty") || matches!(text, "$(tty)" | "`tty`" | "/dev/null")
    };
    let is_input = |one: &Redirection| one.operator.starts_with('<') && !is_terminal(one);
    command.position.index > 0 || command.redirections.iter().any(is_input)
}

/// Returns whether a word means a shell in an editor or a pager.
fn shell(text: &str) -> bool {
    let text = text.trim().trim_start_matches([':', '!', ' ']).trim_end_matches(['&', ' ', ';']);
    is_any(text.rsplit('/').next().unwrap_or_default(), SHELLS)
}

/// Returns whether it is a line for a program that waits for commands, such as `!/bin/sh` for a pager, or a note of
/// what to type there.
fn is_typed(command: &Command) -> bool {
    const CONSOLES: &[&str] = &["perl:", "python:", "ruby:", "lua:", "irb:", "vi:", "vim:", "gdb:", "mysql:", "nmap:"];
    let word = command.word(0);
    let escapes = word.starts_with(['!', ':']) && word.contains('!');
    let is_note = is_any(word, CONSOLES)
        && texts(command).any(|text| {
            text.split(['\'', '"', '(', ')', ';', ' ', '!']).any(|part| part.contains("bin/") && shell(part))
        });
    escapes && shell(word) || is_note
}

/// Returns whether it is a shell in a production workload.
fn is_in_production(command: &Command, view: &View<'_>) -> bool {
    if !is_bare_shell(command) || command.is_fed() || !command.via.iter().any(|via| via.kind == "container") {
        return false;
    }
    let is_production = |space: &str| {
        space.split(['-', '_', '.', '/']).any(|part| matches!(part, "prod" | "production" | "live"))
            || space == "kube-system"
    };
    // The client is in no command of its own.
    let words: Vec<&str> = view.text().split([' ', '=', '"', '\\']).take(WORDS).collect();
    let named = words.windows(2).any(|pair| match pair {
        [option, space] => matches!(*option, "-n" | "--namespace" | "--context" | "--cluster") && is_production(space),
        _ => false,
    });
    named && words.iter().any(|word| matches!(*word, "kubectl" | "oc")) && words.contains(&"exec")
}

/// The maximum number of a text's words that are examined.
const WORDS: usize = 256;

/// Returns whether it is an interactive shell with more permissions than the caller: as root, or with those of its
/// file's owner.
fn is_privileged(command: &Command) -> bool {
    const RAISING: &[&str] = &["sudo", "doas", "pkexec", "run0"];
    const ELSEWHERE: &[&str] = &["container", "ssh", "script", "function", "line"];
    /// Programs that wait for commands if they get none.
    const WAITING: &[&str] = &[
        "screen", "tmux", "script", "irb", "pry", "ghci", "tclsh", "wish", "python", "python3", "node", "lua", "gdb",
        "ftp", "posh", "expect", "jshell", "iex", "erl",
    ];
    // Numeric users are covered by another rule.
    let is_raised = command.via.iter().any(|via| is_any(&via.kind, RAISING) && !via.detail.starts_with('#'));
    let raises = command.certain && is_raised && !command.via.iter().any(|via| is_any(&via.kind, ELSEWHERE));
    if has_piped_input(command) {
        return false;
    }
    let waits = is_any(&name(command), WAITING) && command.argv.len() == 1;
    // `script FILE` records a shell.
    let records = || name(command) == "script" && !has_option(command, "c", &["command", "help", "version"]);
    if raises && (waits || records()) {
        return true;
    }
    if raises
        && (is_bare_shell(command)
            || name(command) == "su" && texts(command).all(|text| matches!(text, "-" | "-l" | "root"))
            || matches!(&*name(command), "sg" | "newgrp") && command.argv.len() == 2)
    {
        return true;
    }
    let of_itself = command.via.is_empty() && matches!(&*name(command), "sudo" | "doas");
    let opens = || {
        texts(command).all(|text| matches!(text, "-i" | "-s" | "-n" | "-H" | "--login" | "--shell"))
            && command.argv.len() > 1
    };
    let keeps = || is_any(&name(command), SHELLS) && command.argv.len() == 2 && command.word(1) == "-p";
    // A copy of a shell that someone left.
    let is_copy = || {
        let path = command.word(0);
        is_bare_shell(command)
            && (path.starts_with("./")
                || path.starts_with("/tmp/")
                || path.starts_with("/dev/shm/")
                || path.starts_with("/var/tmp/"))
    };
    of_itself && opens() || keeps() || is_copy()
}
