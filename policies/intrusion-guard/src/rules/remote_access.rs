//! `remote-access`: a program with which another person can see or use this machine: a remote desktop, a shared
//! terminal, or a shell in a browser.
//!
//! ## Why
//! Anyone with the address or the code can then act as the user. ATT&CK T1219, T1021.
//!
//! ## Examples
//! - asked: `ttyd -p 8080 bash`
//! - asked: `x11vnc -forever -nopw`
//! - passes: `tmux new -s work`
//! - passes: `anydesk --version`
//! - passes: `which teamviewer`
//!
//! ## Instead
//! Ask the user to start it.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::is_any;
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "remote-access",
    summary: "lets somebody else use this machine",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

const PROGRAMS: &[&str] = &[
    "teamviewer",
    "teamviewerd",
    "anydesk",
    "rustdesk",
    "ultraviewer",
    "splashtop",
    "splashtop-streamer",
    "dwagent",
    "dwservice",
    "meshagent",
    "screenconnect",
    "connectwise",
    "supremo",
    "ammyy",
    "logmein",
    "gotomypc",
    "zohoassist",
    "x11vnc",
    "vncserver",
    "x0vncserver",
    "tigervncserver",
    "tightvncserver",
    "winvnc",
    "wayvnc",
    "krfb",
    "vino-server",
    "xrdp",
    "nxserver",
    "gnome-remote-desktop",
    "grdctl",
    "chrome-remote-desktop",
    "ttyd",
    "gotty",
    "wetty",
    "sshx",
    "tmate",
    "upterm",
    "shellinabox",
    "shellinaboxd",
    "webmin",
    "butterfly.server.py",
    "warpd-share",
    "gsocket",
    "gs-netcat",
    "atera",
    "ateraagent",
    "simplehelp",
    "kickstart",
    "enable-psremoting",
    "quickassist",
    "msra",
    "parsec",
    "telnetd",
    "in.telnetd",
    "rshd",
    "dropbear",
    "sunshine",
];

/// Services for remote logins.
const SERVERS: &[&str] = &["ssh", "sshd", "openssh-server", "telnet", "telnetd", "vsftpd", "rsh", "rlogin", "xinetd"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.commands().find(|command| opens(command))?;
    Some(Hit::new(
        format!("Gives others access to this machine: `{}`", shorten(&command.text())),
        "ask the user to start it",
    ))
}

fn opens(command: &Command) -> bool {
    if command.via.iter().any(|via| is_any(&via.kind, &["ttyd", "gotty", "wetty"])) {
        return true;
    }
    let program = name(command);
    if has_option(command, "", &["version", "help", "kill", "list"]) || texts(command).any(|text| text == "-kill") {
        return false;
    }
    match &*program {
        "systemsetup" => {
            texts(command).any(|text| {
                text.eq_ignore_ascii_case("-setremotelogin") || text.eq_ignore_ascii_case("-setremoteappleevents")
            }) && texts(command).any(|text| text == "on")
        }
        "systemctl" | "service"
            if texts(command).any(|text| text == "start")
                && texts(command).any(|text| is_any(text.trim_end_matches(".service"), SERVERS)) =>
        {
            true
        }
        "systemctl" | "service" => {
            texts(command).any(|text| matches!(text, "start" | "enable" | "restart"))
                && texts(command).any(|text| is_any(text.trim_end_matches(".service"), PROGRAMS))
        }
        "gsettings" | "dconf" => {
            texts(command).any(|text| text.contains("remote-desktop"))
                && texts(command).any(|text| text == "set" || text == "write")
        }
        "grdctl" => texts(command).any(|text| matches!(text, "enable" | "set-credentials")),
        // A check of the settings starts nothing.
        "sshd" => !has_option(command, "tTGVf", &["help"]),
        program => is_any(program, PROGRAMS),
    }
}
