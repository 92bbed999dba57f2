//! Secrets that the programs of stores and frameworks print: values of keys that are named for secrets, and settings
//! that an application's code prints.

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::Word;

use super::{PASSING, is_redirected, names_variable};
use crate::run::Run;

/// Returns whether the command prints such a secret, and its output isn't redirected.
pub(super) fn prints(run: &Run<'_>) -> bool {
    let (name, words) = program(run);
    let prints = match name.as_str() {
        "consul" => leads(words, &["kv", "get"]) && names_secret(words, 2),
        "etcdctl" => leads(words, &["get"]) && names_secret(words, 1),
        "redis-cli" | "valkey-cli" => {
            let reads = ["get", "hget", "hgetall", "mget", "getdel", "dump"];
            let at = words.iter().position(|word| reads.iter().any(|verb| word.text.eq_ignore_ascii_case(verb)));
            at.is_some_and(|at| names_secret(words, at + 1))
        }
        "op" => leads(words, &["inject"]) && !has(words, &["-o", "--out-file"]),
        "wp" => leads(words, &["config", "get"]) && words.iter().skip(2).any(|word| is_setting(&word.text)),
        "artisan" => {
            let shown = ["app", "broadcasting", "database", "mail", "services"];
            leads(words, &["config:show"])
                && words
                    .iter()
                    .skip(1)
                    .any(|word| shown.contains(&word.text.as_str()) || is_setting(&last_part(&word.text)))
        }
        "psql" | "mysql" | "mariadb" => words.iter().any(|word| selects_passwords(&word.text)),
        _ => false,
    };
    let by_code = || FRAMEWORKS.contains(&name.as_str()) && words.iter().any(|word| prints_settings(&word.text));
    (prints || by_code() || shows_by_editor(run, &name, words)) && !is_redirected(run)
}

/// Frameworks whose programs run code of the application.
const FRAMEWORKS: &[&str] =
    &["artisan", "console", "craft", "django-admin", "drush", "flask", "manage.py", "mix", "rails", "wp"];

/// Returns the program, or the framework's script that an interpreter runs, with its arguments.
pub(super) fn program<'r>(run: &'r Run<'_>) -> (String, &'r [Word]) {
    let words = run.arguments();
    let is_interpreter = matches!(run.name.as_str(), "php" | "python" | "python3" | "ruby" | "node");
    match words.split_first() {
        Some((script, rest)) if is_interpreter && !script.text.starts_with('-') => {
            (script.text.rsplit('/').next().unwrap_or_default().to_owned(), rest)
        }
        _ => (run.name.clone(), words),
    }
}

fn leads(words: &[Word], verbs: &[&str]) -> bool {
    words.len() >= verbs.len() && verbs.iter().zip(words).all(|(verb, word)| word.text == *verb)
}

fn has(words: &[Word], options: &[&str]) -> bool {
    words.iter().any(|word| options.contains(&word.text.split('=').next().unwrap_or_default()))
}

/// Returns whether one of the words from `at` on is a key that is named for a secret.
fn names_secret(words: &[Word], at: usize) -> bool {
    let is_secret = |part: &str| {
        likelihood(part) == Some(Likelihood::Likely)
            || matches!(
                part.to_ascii_lowercase().as_str(),
                "credentials" | "password" | "passwords" | "secret" | "secrets" | "token" | "tokens"
            )
    };
    let mut keys = words.iter().skip(at).filter(|word| !word.text.starts_with('-'));
    keys.any(|word| word.text.split(['/', ':', '.']).any(is_secret))
}

/// Returns whether a setting of an application is a secret: `DB_PASSWORD`, `AUTH_SALT`.
fn is_setting(name: &str) -> bool {
    let is_whole = || matches!(name, "KEY" | "PASSWORD" | "SECRET");
    is_whole()
        || likelihood(name) == Some(Likelihood::Likely)
        || ["_KEY", "_SALT", "_PASSWORD"].iter().any(|end| name.ends_with(end))
}

/// Returns the last part of a dotted name, in capitals.
fn last_part(name: &str) -> String {
    name.rsplit('.').next().unwrap_or_default().to_ascii_uppercase()
}

/// Tables with the password hashes of a database's users.
const PASSWORDS: &[&str] = &["pg_authid", "pg_shadow", "authentication_string"];

fn selects_passwords(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase();
    lower.contains("select") && PASSWORDS.iter().any(|table| lower.contains(table))
}

/// Calls with which an application's code prints.
const PRINTERS: &[&str] =
    &["IO.inspect", "IO.puts", "dd(", "dump(", "echo ", "p ", "pp ", "print", "puts ", "var_dump(", "var_export("];

/// Expressions for settings with secrets.
const SETTINGS: &[&str] = &[
    "$databases",
    "Application.get_all_env",
    "application.secrets",
    "config(\"database",
    "config(\"mail",
    "config(\"services",
    "settings.DATABASES",
    "settings.__dict__",
];

/// Returns whether an application's code prints its settings with secrets.
fn prints_settings(code: &str) -> bool {
    let plain = code.replace('\'', "\"");
    let credentials = || {
        let behind = plain.split_once(".credentials").map(|(_, behind)| behind);
        behind.is_some_and(|behind| ![".keys", ".present", ".blank", ".nil"].iter().any(|end| behind.starts_with(end)))
    };
    let shows = PRINTERS.iter().any(|call| plain.contains(call)) || plain.starts_with("Rails.");
    shows
        && (SETTINGS.iter().any(|setting| plain.contains(setting))
            || credentials()
            || names_variable(&plain, &["settings.", "config[\"", "ENV[\"", "env(\""]))
}

/// Programs that decrypt a file for an editor.
const DECRYPTS: &[&str] = &["ansible-vault", "gopass", "pass", "sops"];

/// Returns whether the editor for a decrypted file is a program that prints it: `EDITOR=cat rails credentials:edit`.
fn shows_by_editor(run: &Run<'_>, name: &str, words: &[Word]) -> bool {
    let editors = ["EDITOR", "VISUAL", "SOPS_EDITOR", "KUBE_EDITOR", "GIT_EDITOR"];
    let prints = |text: &str| {
        let editor = text.split(' ').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        PASSING.contains(&editor) || matches!(editor, "bat" | "less" | "more")
    };
    let mut assignments = run.command.assignments.iter();
    let is_set = assignments.any(|set| editors.contains(&set.name.as_str()) && prints(&set.value.text));
    let is_secret =
        |word: &Word| ["credentials:edit", "secrets:edit", "secret", "secrets"].contains(&word.text.as_str());
    is_set && (DECRYPTS.contains(&name) || words.iter().any(is_secret))
}
