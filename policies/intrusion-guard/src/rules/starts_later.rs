//! `starts-later`: a call that makes something start automatically later, in a way that no other rule covers: a
//! `systemd-run` service, a login item or login hook, a trap that records or starts programs, or a file that every
//! Python process loads.
//!
//! ## Why
//! It runs after the agent has ended, with the user's permissions. ATT&CK T1053, T1546, T1547.
//!
//! ## Examples
//! - asked: `systemd-run --on-calendar='*:0/5' /tmp/x`
//! - asked: `trap 'echo "$BASH_COMMAND" >> /tmp/keys.log' DEBUG`
//! - asked: `defaults write com.apple.loginwindow LoginHook /tmp/x.sh`
//! - passes: `trap 'rm -f "$tmp"' EXIT`
//! - passes: `defaults read com.apple.loginwindow`
//! - passes: `systemd-run --scope make`
//!
//! ## Instead
//! Explain what it is for, and ask the user to set it up.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::has_any;
use crate::view::{View, is_in_a_container, name, path, texts};

pub(crate) const RULE: Rule = Rule {
    id: "starts-later",
    summary: "sets up something that starts automatically",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Parts of the paths of files that start something, besides the lists of files that control the machine.
const PLACES: &[&str] = &[
    "com.apple.loginwindow",
    "loginitems",
    "backgrounditems",
    "/Library/StartupItems/",
    "/Library/Input Methods/",
    "/Library/Application Scripts/",
    "/sitecustomize.py",
    "/usercustomize.py",
    ".git\\hooks",
    "\\Startup\\",
    "\\Start Menu\\Programs",
    "/.config/plasma-workspace/",
    "/.kde/Autostart/",
    "/.config/openbox/autostart",
    "/.config/i3/config",
    "/site-packages/distutils-precedence.pth",
    "/emond.d/",
    "/.ssh/rc",
    "/.pam_environment",
    "/.local/share/dbus-1/services/",
    "/.config/environment.d/",
];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let mut written =
        view.analysis.effects.iter().filter(|effect| effect.kind == "write" && !is_in_a_container(effect));
    let by_file = written.find(|effect| {
        let path = path(effect);
        has_any(path, PLACES)
            || has_any(&effect.target, PLACES)
            || path.ends_with(".pth") && path.contains("/site-packages/")
    });
    let in_code = view.scripts().any(|script| script.text.contains("CronTab(") && script.text.contains(".write("));
    let shown = match by_file {
        Some(effect) => path(effect).to_owned(),
        None if in_code => "CronTab".to_owned(),
        None => view.commands().find(|command| sets_up(command, view))?.text(),
    };
    Some(Hit::new(
        format!("Makes a program start automatically: `{}`", shorten(&shown)),
        "say what it is for, and ask the user to set it up",
    ))
}

fn sets_up(command: &Command, view: &View<'_>) -> bool {
    let any = |parts: &[&str]| texts(command).any(|text| has_any(text, parts));
    // A separate service outlives the session, but a scope doesn't.
    let in_scope = || has_any(view.text(), &["--scope", "--pty", "systemd-run -t", "systemd-run --user -t"]);
    if command.via.iter().any(|via| via.kind == "systemd-run") && !in_scope() {
        return true;
    }
    // The shell runs it before each typed line.
    let on_each = |name: &str, value: &str| {
        name == "PROMPT_COMMAND" && has_any(value, &["tee -a", "logger", "curl", "nc ", "/dev/tcp"])
    };
    let exported = || texts(command).filter_map(|text| text.split_once('=')).any(|(name, value)| on_each(name, value));
    if command.assignments.iter().any(|set| on_each(&set.name, &set.value.text))
        || name(command) == "export" && exported()
    {
        return true;
    }
    match &*name(command) {
        "osascript" => any(&["login item", "System Events\" to make new login"]),
        "defaults" => {
            any(&[
                "LoginHook",
                "Hide500Users",
                "HiddenUsersList",
                "LogoutHook",
                "AutoLaunchedApplicationDictionary",
                "DYLD_INSERT_LIBRARIES",
                "com.apple.loginitems",
            ]) && any(&["write", "add", "-array-add"])
        }
        "kubectl" | "oc" => texts(command).take(2).eq(["create", "cronjob"]),
        "launchctl" => any(&["submit", "setenv"]) && !any(&["getenv"]),
        "trap" => traps(command),
        "systemctl" => view.settings.strict && any(&["--user"]) && any(&["enable", "link", "add-wants"]),
        "python" | "python3" => any(&["usercustomize"]),
        "sc" => texts(command).next().is_some_and(|verb| matches!(verb, "create" | "config")),
        "wmic" => any(&["__EventFilter", "startup"]) && any(&["create", "call"]),
        _ => false,
    }
}

/// Returns whether it is a trap that records every command, or one that starts a program that outlives the shell.
fn traps(command: &Command) -> bool {
    let words: Vec<&str> = texts(command).filter(|text| !matches!(*text, "--" | "-p" | "-l")).collect();
    let Some((action, signals)) = words.split_first() else { return false };
    let on_each = signals.iter().any(|signal| signal.eq_ignore_ascii_case("DEBUG"));
    let records = action.contains("BASH_COMMAND") && action.contains('>');
    let outlives =
        has_any(action, &["nohup ", "setsid ", "disown", "curl ", "wget ", "/dev/tcp", "crontab", "base64 "]);
    let starts_unseen = has_any(action, &["/tmp/", "/dev/shm/", "/var/tmp/"])
        && !has_any(action, &["rm ", "unlink ", "rmdir ", "umount ", "cat ", "mv ", "cp ", "kill "])
        && !action.contains('$');
    on_each && records || outlives || starts_unseen
}
