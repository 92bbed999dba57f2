//! Wrappers that give a program a terminal, or a window.

use super::{PLAIN, Wrapper, takes};
use crate::options::Options;

/// Methods of a KDE terminal that type or run a text.
const TYPED: &[&str] =
    &["sendText", "runCommand", "org.kde.konsole.Session.sendText", "org.kde.konsole.Session.runCommand"];

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "rlwrap",
        takes: takes("CDfHsSlbgOPqt", "history-filename logfile file"),
        writes: &["l", "logfile", "H", "history-filename"],
        ..PLAIN
    },
    Wrapper {
        name: "script",
        takes: takes("cEIoOBTm", "command echo log-in log-out log-io log-timing logging-format"),
        text: &["c", "command"],
        writes: &["B", "I", "O", "T", "log-in", "log-io", "log-out", "log-timing"],
        skip: usize::MAX,
        opens: true,
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
            "respawnp",
            "respawn-window",
            "respawnw",
            "display-popup",
            "popup",
            "send-keys",
            "send",
            "if-shell",
            "if",
            "pipe-pane",
            "pipep",
            "set-buffer",
            "setb",
        ],
        directory: &["c"],
        joins: true,
        ..PLAIN
    },
    Wrapper { name: "byobu", takes: takes("tN", ""), verbs: &["send-keys", "send"], joins: true, ..PLAIN },
    Wrapper { name: "xdotool", takes: takes("", "delay window args file"), verbs: &["type"], joins: true, ..PLAIN },
    Wrapper {
        name: "ydotool",
        takes: takes("dHN", "key-delay key-hold next-delay file"),
        verbs: &["type"],
        joins: true,
        ..PLAIN
    },
    Wrapper { name: "wtype", takes: takes("MmPpks", ""), joins: true, ..PLAIN },
    Wrapper { name: "dotool", after: &["type"], joins: true, ..PLAIN },
    Wrapper { name: "tmux", takes: takes("cfLST", ""), text: &["c"], skip: usize::MAX, ..PLAIN },
    Wrapper {
        name: "asciinema",
        takes: takes("citf", "command idle-time-limit title output-format window-size cols rows env"),
        verbs: &["rec", "record", "session", "stream"],
        text: &["c", "command"],
        skip: usize::MAX,
        ..PLAIN
    },
    Wrapper {
        name: "ttyd",
        takes: takes(
            "pUicHugswtTmIbPfCKAd",
            "port socket-owner interface credential auth-header uid gid signal cwd client-option terminal-type \
             max-clients index base-path ping-interval srv-buf-size ssl-cert ssl-key ssl-ca debug",
        ),
        directory: &["w"],
        ..PLAIN
    },
    Wrapper {
        name: "luit",
        takes: Options {
            single: true,
            ..takes("", "alias encoding argv0 ilog olog g0 g1 g2 g3 gl gr kg0 kg1 kg2 kg3")
        },
        ..PLAIN
    },
    Wrapper { name: "empty", takes: takes("iopLt", ""), inert: &["s", "w", "k", "l", "r"], ..PLAIN },
    Wrapper { name: "zpty", inert: &["d", "w", "r", "t", "L"], skip: 1, joins: true, ..PLAIN },
    Wrapper { name: "screen", after: &["stuff"], joins: true, ..PLAIN },
    Wrapper {
        name: "screen",
        takes: takes("cehpSstT", ""),
        inert: &["r", "x", "ls", "list", "X", "R", "wipe", "v"],
        ..PLAIN
    },
    Wrapper { name: "dtach", takes: takes("acnNAer", ""), ..PLAIN },
    Wrapper { name: "abduco", takes: takes("cnaAe", ""), ..PLAIN },
    Wrapper { name: "zellij", after: &["write-chars"], joins: true, ..PLAIN },
    Wrapper { name: "zellij", verbs: &["run", "r"], takes: takes("dn", "direction name cwd"), ..PLAIN },
    Wrapper { name: "wezterm", verbs: &["cli"], ..PLAIN },
    // Subcommands of `wezterm cli` and `kitty @`.
    Wrapper { name: "send-text", takes: takes("m", "pane-id match"), joins: true, ..PLAIN },
    Wrapper { name: "wezterm", verbs: &["start"], takes: takes("", "cwd class workspace domain"), ..PLAIN },
    Wrapper { name: "qdbus", after: TYPED, joins: true, ..PLAIN },
    Wrapper { name: "qdbus6", after: TYPED, joins: true, ..PLAIN },
    Wrapper { name: "qdbus-qt5", after: TYPED, joins: true, ..PLAIN },
    Wrapper { name: "xterm", after: &["-e"], ..PLAIN },
    Wrapper { name: "konsole", takes: takes("p", "workdir"), after: &["-e"], ..PLAIN },
    Wrapper { name: "alacritty", takes: takes("T", "working-directory"), after: &["-e", "--command"], ..PLAIN },
    Wrapper { name: "gnome-terminal", takes: takes("t", "working-directory"), after: &["--", "-x"], ..PLAIN },
    Wrapper { name: "kitty", after: &["@"], ..PLAIN },
    Wrapper { name: "kitten", after: &["@"], ..PLAIN },
    Wrapper { name: "kitty", takes: takes("cdoT", "config directory override title"), directory: &["d"], ..PLAIN },
];
