//! Wrappers of sessions and desktops: graphical prompts for another user, scheduling, logging, separate displays, and
//! confinement.

use super::{PLAIN, Wrapper, takes};

pub(super) static WRAPPERS: &[Wrapper] = &[
    Wrapper { name: "choom", takes: takes("np", "adjust pid"), inert: &["p", "pid"], ..PLAIN },
    Wrapper { name: "uclampset", takes: takes("mMp", "pid"), inert: &["p", "pid"], ..PLAIN },
    Wrapper { name: "runcon", takes: takes("turl", "type user role range"), ..PLAIN },
    Wrapper { name: "logsave", skip: 1, ..PLAIN },
    Wrapper { name: "aa-exec", takes: takes("pn", "profile namespace"), ..PLAIN },
    Wrapper { name: "distcc", ..PLAIN },
    Wrapper { name: "genie", takes: takes("uc", "user command"), after: &["-c", "--command"], ..PLAIN },
    Wrapper { name: "pexec", takes: takes("nmpeoijs", ""), ..PLAIN },
    Wrapper { name: "xdotool", verbs: &["exec"], takes: takes("", "args terminator"), ..PLAIN },
    Wrapper { name: "task", verbs: &["execute"], ..PLAIN },
    Wrapper { name: "grc", takes: takes("", "config colour"), ..PLAIN },
    Wrapper { name: "setuid", skip: 1, ..PLAIN },
    Wrapper { name: "gksu", takes: takes("uml", "user message"), ..PLAIN },
    Wrapper { name: "gksudo", takes: takes("uml", "user message"), ..PLAIN },
    Wrapper { name: "kdesu", takes: takes("ucfp", "user"), text: &["c"], ..PLAIN },
    Wrapper { name: "kdesudo", takes: takes("uc", "user"), text: &["c"], ..PLAIN },
    Wrapper { name: "beesu", takes: takes("lPmc", ""), ..PLAIN },
    Wrapper { name: "lxqt-sudo", takes: takes("", ""), ..PLAIN },
    Wrapper { name: "dvtm", takes: takes("cdhmMst", ""), each: true, ..PLAIN },
    Wrapper { name: "xinit", ..PLAIN },
    Wrapper { name: "startx", ..PLAIN },
    Wrapper { name: "kde-inhibit", ..PLAIN },
    Wrapper { name: "wayland-run", ..PLAIN },
    Wrapper { name: "nq", ..PLAIN },
    Wrapper {
        name: "pueue",
        verbs: &["add"],
        takes: takes("gwdlo", "group working-directory delay label priority after"),
        ..PLAIN
    },
    Wrapper { name: "samply", verbs: &["record"], takes: takes("ord", "output rate duration"), ..PLAIN },
    // A command that `guard-host run` confines is judged as if it weren't confined.
    Wrapper {
        name: "guard-host",
        verbs: &["run"],
        takes: takes("", "config state cache color profile write"),
        inert: &["n", "dry-run", "h", "help"],
        stays: true,
        ..PLAIN
    },
    Wrapper { name: "salt-ssh", after: &["cmd.run", "cmd.shell", "cmd.run_all"], joins: true, kind: "ssh", ..PLAIN },
];
