//! Wrappers that give a program a terminal, or a window.

use super::{PLAIN, Wrapper, takes};

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper { name: "rlwrap", takes: takes("CDfHsS", ""), ..PLAIN },
    Wrapper {
        name: "script",
        takes: takes("cEIoOBTm", "command echo log-in log-out log-io log-timing logging-format"),
        text: &["c", "command"],
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper {
        name: "tmux",
        takes: takes("ceFfLnSstTxy", ""),
        verbs: &[
            "new-session",
            "new",
            "new-window",
            "neww",
            "split-window",
            "splitw",
            "run-shell",
            "run",
            "respawn-pane",
            "respawn-window",
            "display-popup",
            "popup",
            "send-keys",
            "send",
            "if-shell",
            "pipe-pane",
        ],
        directory: &["c"],
        joins: true,
        ..PLAIN
    },
    Wrapper { name: "screen", after: &["stuff"], joins: true, ..PLAIN },
    Wrapper {
        name: "screen",
        takes: takes("cehpSstT", ""),
        inert: &["r", "x", "ls", "list", "X", "R", "wipe", "v"],
        ..PLAIN
    },
    Wrapper { name: "dtach", takes: takes("acnNAer", ""), ..PLAIN },
    Wrapper { name: "abduco", takes: takes("cnaAe", ""), ..PLAIN },
    Wrapper { name: "zellij", verbs: &["run", "r"], takes: takes("dn", "direction name cwd"), ..PLAIN },
    Wrapper { name: "wezterm", verbs: &["start"], takes: takes("", "cwd class workspace domain"), ..PLAIN },
    Wrapper { name: "xterm", after: &["-e"], ..PLAIN },
    Wrapper { name: "konsole", takes: takes("p", "workdir"), after: &["-e"], ..PLAIN },
    Wrapper { name: "alacritty", takes: takes("T", "working-directory"), after: &["-e", "--command"], ..PLAIN },
    Wrapper { name: "gnome-terminal", takes: takes("t", "working-directory"), after: &["--", "-x"], ..PLAIN },
    Wrapper { name: "kitty", takes: takes("cdoT", "config directory override title"), directory: &["d"], ..PLAIN },
];
