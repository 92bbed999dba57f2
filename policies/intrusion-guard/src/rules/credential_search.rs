//! `credential-search`: a search for files with credentials outside of the project, by name or by content.
//!
//! ## Why
//! A project's own settings are in the project. A search of the whole machine finds other people's credentials. ATT&CK
//! T1552.001, T1083.
//!
//! ## Examples
//! - asked: `find / -name id_rsa`
//! - asked: `grep -rn AKIA /home /root`
//! - passes: `find . -name '*.pem'`
//! - passes: `find / -name libfoo.so`
//! - passes: `grep -rn password src`
//!
//! ## Instead
//! Search in the project, or ask the user where the file is.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, is_any, places};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "credential-search",
    summary: "searches the machine for credentials",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Parts of the names of files with credentials, besides the lists of secret files.
const NAMES: &[&str] = &[
    "passw",
    "credential",
    "secret",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "wallet",
    "keychain",
    "kdbx",
    "htpasswd",
    "shadow",
    "authorized_keys",
    "known_hosts",
    "msal_token",
    "accesstokens",
    "access_tokens",
    "token_cache",
    "private_key",
    "privkey",
    "wp-config",
    ".pgpass",
    ".netrc",
    "keystore",
    "bash_history",
    "zsh_history",
    "_history",
    "git-credentials",
    "kubeconfig",
    "filezilla",
    "sitemanager.xml",
    "ultravnc",
    "unattend.xml",
    "web.config",
    "cookies",
    "login data",
    "logins.json",
    "key4.db",
    ".ovpn",
    ".rdp",
    ".kdb",
    ".ppk",
    ".p12",
    ".pfx",
    ".asc",
];

/// Words that occur next to credentials in files.
const WORDS: &[&str] = &[
    "passw",
    "pass=",
    "pwd=",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "akia",
    "private key",
    "private.key",
    "begin rsa",
    "begin openssh",
    "ghp_",
    "xox",
    "credential",
    "aws_access",
    "bearer",
    "-p ",
];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let Some(command) = view.commands().find(|command| searches(command, view)) else {
        let script = view.scripts().find(|script| walks(&script.text))?;
        return Some(Hit::new(
            format!("Searches the machine for credentials in {} code", script.language),
            "search in the project, or ask the user where the file is",
        ));
    };
    Some(Hit::new(
        format!("Searches the machine for credentials: `{}`", shorten(&command.text())),
        "search in the project, or ask the user where the file is",
    ))
}

/// Returns whether code searches the machine or its homes for files with such names.
fn walks(text: &str) -> bool {
    let starts = [
        "os.walk('/",
        "os.walk(\"/",
        "os.walk(os.path.expanduser",
        "glob('/",
        "glob(\"/",
        "Path('/",
        "Path(\"/",
        "Path.home()",
    ];
    let goes = has_any(text, &["os.walk(", "rglob(", "**/"]) || has_any(text, &["glob('/home", "glob(\"/home"]);
    let literals = text.split(['"', '\'']).skip(1).step_by(2);
    let is_key = |name: &str| {
        has_any(
            name,
            &[
                "id_rsa",
                "id_ed25519",
                "id_ecdsa",
                ".kdbx",
                "wallet",
                ".git-credentials",
                "_history",
                "credentials",
                ".netrc",
                ".pgpass",
                "passwords",
            ],
        )
    };
    goes && has_any(text, &starts) && literals.take(256).any(is_key)
}

fn searches(command: &Command, view: &View<'_>) -> bool {
    let program = name(command);
    match &*program {
        "find" | "gfind" | "fd" | "fdfind" | "bfs" => searches_by_name(command, &program, view),
        "locate" | "mlocate" | "plocate" | "slocate" | "mdfind" => {
            texts(command).any(|text| !text.starts_with('-') && is_credential(text, view))
        }
        "rsync" | "robocopy" => copies_by_filter(command, view),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "ripgrep" | "zgrep" => {
            searches_by_content(command, &program, view)
        }
        _ => false,
    }
}

fn searches_by_name(command: &Command, program: &str, view: &View<'_>) -> bool {
    let words: Vec<&str> = texts(command).collect();
    let is_find = program.ends_with("find") && !program.starts_with("fd") || program == "bfs";
    let roots: Vec<&&str> = if is_find {
        words
            .iter()
            .take_while(|word| !word.starts_with(['-', '(', '!', '\\']) || matches!(**word, "-L" | "-H" | "-P"))
            .collect()
    } else {
        words.iter().filter(|word| !word.starts_with('-')).skip(1).collect()
    };
    let is_away = |root: &str| {
        let root = root.replace("//", "/");
        let of_programs = has_any(
            &root,
            &[
                "/.mozilla",
                "/.thunderbird",
                "/google-chrome",
                "/chromium",
                "/BraveSoftware",
                "/Google/Chrome",
                "/Firefox",
            ],
        );
        of_programs
            || places::is_broad(&root, view)
            || view.settings.files.secret(&format!("{}/x", root.trim_end_matches('/'))).is_some()
    };
    let tests = ["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-lname"];
    let by_test = words.windows(2).any(|pair| match pair {
        [test, value] => tests.contains(test) && is_credential(value, view),
        _ => false,
    });
    let by_pattern =
        !is_find && words.iter().find(|word| !word.starts_with('-')).is_some_and(|word| is_credential(word, view));
    roots.iter().any(|root| is_away(root)) && (by_test || by_pattern)
}

/// Returns whether a copy of the whole machine, or of its homes, selects only files with such names:
/// `--include=id_rsa`.
fn copies_by_filter(command: &Command, view: &View<'_>) -> bool {
    let words: Vec<&str> = texts(command).collect();
    let joined = words.iter().filter_map(|word| word.strip_prefix("--include="));
    let apart = words.windows(2).filter_map(|pair| match pair {
        ["--include", name] => Some(*name),
        _ => None,
    });
    let takes = joined.chain(apart).any(|name| is_credential(name, view));
    takes && words.iter().any(|word| word.starts_with(['/', '~', '$']) && places::is_broad(word, view))
}

fn is_credential(name: &str, view: &View<'_>) -> bool {
    // `id_(rsa|dsa)`
    let lower = name.to_ascii_lowercase().replace(['(', '\\'], "");
    let is_plain =
        lower.len() > 3 && lower != "passwd" && !has_any(&lower, &[".example", ".sample", ".html", ".css", ".md"]);
    is_plain
        && (has_any(&lower, NAMES)
            || view.settings.files.secret(name.trim_start_matches(['*', '/'])).is_some()
            || view.settings.files.secret(name).is_some())
}

fn searches_by_content(command: &Command, program: &str, view: &View<'_>) -> bool {
    let goes_deep = !program.ends_with("grep") || has_option(command, "rR", &["recursive", "dereference-recursive"]);
    let words: Vec<&str> = texts(command).filter(|text| !text.starts_with('-')).collect();
    let Some((_, roots)) = words.split_first() else { return false };
    let wanted = |text: &str| has_any(&text.to_ascii_lowercase(), WORDS);
    // A history file is searched for typed text.
    let of_history = roots.iter().any(|root| has_any(root, &["_history", "/.history"]));
    // With `-e` there are several patterns, and options may follow them.
    let is_path = |word: &str| word.starts_with(['/', '~', '$']) && !word.contains(' ');
    let patterns = words.iter().any(|word| !is_path(word) && wanted(word))
        || texts(command).any(|text| text.starts_with("--regexp=") && wanted(text));
    patterns
        && (of_history
            || goes_deep
                && roots.iter().any(|root| {
                    is_any(root, &["/etc", "/etc/"]) && view.settings.strict || places::is_broad(root, view)
                }))
}
