//! Names whose value is a secret.

/// Parts of such a name, upper case, without `_` and `-`.
const PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "APIKEY",
    "ACCESSKEY",
    "ACCOUNTKEY",
    "AUTHKEY",
    "ENCRYPTIONKEY",
    "MASTERKEY",
    "PRIVATEKEY",
    "SIGNINGKEY",
    "CREDENTIAL",
    "AUTHORIZATION",
    "COOKIE",
];

/// Whole names, upper case.
const WHOLE: &[&str] = &["PASS", "PW", "PWD", "SIG", "AUTH", "PGPASS", "MYSQL_PWD"];

/// Ends of a name that make it the name of something else: a file, a number, a program.
const HARMLESS_ENDS: &[&str] = &[
    "FILE", "PATH", "DIR", "STDIN", "HELPER", "NAME", "TYPE", "LENGTH", "POLICY", "MANAGER", "COUNT", "LIMIT",
    "EXPIRY", "TTL", "JAR", "ENV",
];

/// The longest name that is looked at.
const NAME_BYTES: usize = 128;

/// Whether a value of this name is a secret.
pub fn is_telling(name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let name = name.get(name.len().saturating_sub(NAME_BYTES)..).unwrap_or(name);
    let upper = name.to_ascii_uppercase();
    if WHOLE.contains(&upper.as_str()) {
        return true;
    }
    let bare: String = upper.chars().filter(|c| !matches!(c, '_' | '-')).collect();
    let counts = bare.contains("TOKENIZ") || (bare.ends_with("TOKENS") && bare != "TOKENS");
    let part = || PARTS.iter().any(|part| bare.contains(part));
    !counts && part() && !HARMLESS_ENDS.iter().any(|end| bare.ends_with(end))
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
