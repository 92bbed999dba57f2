//! `files-encrypted`: a call that encrypts files outside of the project with a passphrase or key that the call itself
//! contains.
//!
//! ## Why
//! The person with the passphrase can demand a ransom. ATT&CK T1486.
//!
//! ## Examples
//! - asked: `7z a -psecret /tmp/x.7z ~/notes.txt`
//! - asked: `openssl enc -aes-256-cbc -k x -in ~/notes.txt -out ~/notes.enc`
//! - passes: `7z a x.7z ~/notes.txt`
//! - passes: `openssl enc -aes-256-cbc -k x -in data.bin -out data.enc`
//! - passes: `gpg --verify ~/notes.txt.asc`
//!
//! ## Instead
//! Ask the user to encrypt the files with their own key.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, places};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "files-encrypted",
    summary: "encrypts files outside of the project",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    view.commands().filter(|command| encrypts(command)).find_map(|command| {
        let listed = || search_root(command, view);
        let file = texts(command).find(|text| is_outside(text, view)).map(str::to_owned).or_else(listed)?;
        Some(Hit::new(
            format!("Encrypts `{}` with a passphrase on the command line", shorten(&file)),
            "ask the user to encrypt the files with a key of their own",
        ))
    })
}

fn encrypts(command: &Command) -> bool {
    let any = |starts: &[&str]| texts(command).any(|text| starts.iter().any(|start| text.starts_with(start)));
    match &*name(command) {
        "gpg" | "gpg2" => has_option(command, "c", &["symmetric"]) && any(&["--passphrase", "--batch"]),
        "openssl" => {
            let verb = texts(command).next().unwrap_or_default();
            let symmetric = verb == "enc" || has_any(verb, &["aes", "des", "chacha20", "camellia"]);
            symmetric && any(&["-k", "-pass", "-K"]) && !texts(command).any(|text| text == "-d")
                || matches!(verb, "rsautl" | "pkeyutl" | "smime" | "cms") && any(&["-encrypt"])
        }
        "7z" | "7za" | "7zz" | "rar" => matches!(texts(command).next(), Some("a" | "u" | "m")) && any(&["-p", "-hp"]),
        "zip" => any(&["-P", "--password"]),
        "ccencrypt" | "ccrypt" | "mcrypt" | "bcrypt" => any(&["-K", "-k", "-e", "-T"]) || command.argv.len() > 1,
        _ => false,
    }
}

/// Returns where a search or a loop finds the files, if it is outside of the project.
fn search_root(command: &Command, view: &View<'_>) -> Option<String> {
    let by_search = command.via.iter().any(|via| via.kind.starts_with("find"));
    let search = || {
        view.commands().find(|other| {
            name(other) == "find" && is_outside(other.word(1), view) || matches!(other.word(1), "~" | "/")
        })
    };
    search().filter(|_| by_search).map(|search| search.word(1).to_owned())
}

/// Returns whether a word is a file of the system or of the user's home outside of the project.
fn is_outside(text: &str, view: &View<'_>) -> bool {
    let home = text.starts_with("~/") || text.starts_with("$HOME/");
    let facts = view.facts();
    let own = |folder: &String| folder.len() > 1 && places::is_inside(text, folder);
    let is_own = own(&facts.cwd) || own(&facts.project_root);
    let in_home = !facts.home.is_empty() && places::is_inside(text, &facts.home);
    home || !is_own && (in_home || places::is_system_path(text, view))
}
