//! Names whose value is a secret, and options of programs that take a password.

/// Whether a value of this name may be a secret, which is enough to hide it.
#[must_use]
pub fn is_telling(name: &str) -> bool {
    policy_secret_names::likelihood(name).is_some()
}

/// Whether a value under a telling name cannot be a secret after all.
pub(super) fn is_harmless(name: &str, value: &str) -> bool {
    // `PWD` is a password in a connection string, and a folder in a shell.
    let folder = name.eq_ignore_ascii_case("pwd") && value.starts_with(['/', '.', '~']);
    folder || matches!(value, "true" | "false" | "null" | "none" | "nil")
}

/// Programs whose password stands behind an option, and that option.
const OPTIONS: &[(&str, &str)] = &[
    ("mariadb", "-p"),
    ("mariadb-dump", "-p"),
    ("mysql", "-p"),
    ("mysqladmin", "-p"),
    ("mysqldump", "-p"),
    ("mysqlimport", "-p"),
    ("sshpass", "-p"),
    ("7z", "-p"),
];

/// Programs whose password is the word after an option.
const NEXT: &[(&str, &str)] = &[
    ("ldapsearch", "-w"),
    ("mongo", "-p"),
    ("mongosh", "-p"),
    ("redis-cli", "-a"),
    ("sshpass", "-p"),
    ("curl", "-u"),
    ("curl", "--user"),
    ("curl", "-U"),
    ("curl", "--proxy-user"),
    ("http", "-a"),
];

/// The option of `program` that `word` begins with and that its password is attached to.
pub(super) fn attached_option(program: &str, word: &str) -> Option<&'static str> {
    let found =
        OPTIONS.iter().find(|(name, option)| *name == program && word.len() > option.len() && word.starts_with(option));
    found.map(|(_, option)| *option)
}

/// Whether the word after this one is a password of `program`.
pub(super) fn announces_next(program: &str, word: &str) -> bool {
    NEXT.contains(&(program, word))
}

/// A program that is in one of the tables.
pub(super) fn known_program(word: &str) -> Option<&'static str> {
    let name = word.rsplit('/').next().unwrap_or(word);
    OPTIONS.iter().chain(NEXT).map(|(program, _)| *program).find(|program| *program == name)
}
