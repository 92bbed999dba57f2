//! `git-config-code`: a git setting whose value is a program that git runs, or a user-wide setting that redirects git
//! to another host.
//! Common editors, pagers and credential helpers pass, and so does the removal of a setting.
//!
//! ## Why
//! The next harmless git command would run that program.
//!
//! ## Examples
//! - asked: `git config core.hooksPath /tmp/h`
//! - asked: `git config --global alias.st '!sh x'`
//! - asked: `git clone -c core.sshCommand=./connect https://example.org/r.git`
//! - asked: `git config --global http.proxy http://h:8080`
//! - passes: `git config --global core.editor 'code --wait'`
//! - passes: `git config alias.st status`
//!
//! ## Instead
//! Set it for a single command with `git -c`, or ask the user to set it.

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, shorten};

pub(crate) const RULE: Rule = Rule {
    id: "git-config-code",
    summary: "a git setting that decides which programs run",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) const CHECK: Check = Check::Effect(check);

fn check(effect: &Effect, view: &CallView<'_>) -> Option<Hit> {
    if effect.operation != "git.config" {
        return None;
    }
    let key = effect.target.to_ascii_lowercase();
    if let Some(why) = view.command(effect).and_then(|command| global_setting_reason(&key, command)) {
        return Some(Hit::new(RULE.default, effect, why, SET));
    }
    let value = effect.tag("runs")?;
    (!is_ordinary(value)).then(|| {
        let (why, remedy) = match key.as_str() {
            "core.hookspath" if matches!(value, "" | "/dev/null" | "/dev/null/") => (
                "turns off the repository's hooks, including checks before commits and pushes"
                    .to_owned(),
                HOOKS,
            ),
            "core.hookspath" => {
                ("makes git run hooks from another folder instead of the repository's own".to_owned(), HOOKS)
            }
            "include.path" => ("makes git read settings from that file, which can decide what runs".to_owned(), SET),
            "init.templatedir" => ("makes git copy that folder's hooks into each new repository".to_owned(), SET),
            _ => (format!("makes git run the value of `{}` as a program", shorten(&effect.target)), SET),
        };
        Hit::new(RULE.default, effect, why, remedy)
    })
}

/// Returns the reason why a setting for all repositories of the user, or of the machine, could benefit an attacker.
fn global_setting_reason(key: &str, command: &Command) -> Option<&'static str> {
    let words = || command.argv.iter().map(|word| word.text.as_str());
    let for_all = words().any(|word| matches!(word, "--global" | "--system"));
    let unset = words().any(|word| matches!(word, "--unset" | "--unset-all" | "unset" | "--get" | "--get-all" | "get"));
    let signs = matches!(key, "commit.gpgsign" | "tag.gpgsign" | "transfer.fsckobjects" | "receive.fsckobjects");
    if for_all && unset && signs && !words().any(|word| word.contains("get")) {
        return Some("takes back a check of commits, in every repository");
    }
    if !for_all || unset {
        return None;
    }
    let value = words().next_back().unwrap_or_default().to_ascii_lowercase();
    let family = |start: &str, end: &str| key.starts_with(start) && key.ends_with(end);
    if value.is_empty() || value == key {
        None
    } else if family("http", "proxy") || key == "core.gitproxy" || family("remote.", ".proxy") {
        Some("sends all git traffic through another host, in every repository")
    } else if family("http", ".sslverify") && matches!(value.as_str(), "false" | "0" | "no" | "off") {
        Some("turns off git's certificate checks, in every repository")
    } else if key == "credential.helper" && value.split(' ').next() == Some("store") {
        Some("keeps passwords in a file as plain text, in every repository")
    } else if key == "safe.directory" && value == "*" {
        Some("makes git trust repositories that other users own, with their hooks and settings")
    } else if signs && matches!(value.as_str(), "false" | "0" | "no" | "off") {
        Some("turns off a check of commits, in every repository")
    } else if family("http", ".sslcainfo") || family("http", ".sslcapath") {
        Some("makes git trust other certificates, in every repository")
    } else if key == "core.attributesfile" && ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|open| value.starts_with(open)) {
        Some("makes git read attributes from a folder that everybody may write to, in every repository")
    } else if family("http", ".extraheader") {
        Some("makes git send the value with every request")
    } else if family("url.", "insteadof") && !is_same_host(key, &value) {
        Some("redirects git to another host, in every repository")
    } else {
        None
    }
}

/// Returns whether an address is rewritten to another spelling of the same host.
fn is_same_host(key: &str, value: &str) -> bool {
    let host = |text: &str| {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
        rest.split(['/', ':']).next().unwrap_or_default().to_owned()
    };
    let to = key.trim_start_matches("url.");
    let to = to.rsplit_once('.').map_or(to, |(to, _)| to);
    // A name before the host is a token.
    host(to) == host(value) && !to.split_once("://").is_some_and(|(_, rest)| rest.contains('@'))
}

const SET: &str = "set it for one command with `git -c`, or ask the user to set it";
const HOOKS: &str = "leave the hooks as they are, or ask the user to set it";

/// Returns whether the setting's program is a usual one, with only options.
fn is_ordinary(value: &str) -> bool {
    let mut words = value.split_whitespace();
    !value.contains([';', '|', '&', '`', '$', '\n', '>', '<', '(', '\\'])
        && words.next().is_none_or(|name| ORDINARY.contains(&name))
        && words.all(|word| word.starts_with('-') && !word.contains(['=', ':', '+']) || is_timeout(word))
}

/// Returns whether the word is a password cache's timeout.
fn is_timeout(word: &str) -> bool {
    word.strip_prefix("--timeout=").is_some_and(|time| time.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Usual programs in git's settings.
const ORDINARY: &[&str] = &[
    "bat",
    "cache",
    "cat",
    "code",
    "cursor",
    "delta",
    "diff-so-fancy",
    "difft",
    "emacs",
    "false",
    "gpg",
    "gpg2",
    "hx",
    "less",
    "manager",
    "micro",
    "more",
    "nano",
    "nvim",
    "osxkeychain",
    "store",
    "subl",
    "true",
    "vi",
    "vim",
    "zed",
];
