//! Names whose value is a secret, and values that aren't secrets regardless of their name.

/// Returns whether a value with this name may be a secret, which is sufficient to hide it.
#[must_use]
pub fn may_name_secret(name: &str) -> bool {
    guard_sdk::secret_names::likelihood(name).is_some()
}

/// Returns whether the value of a variable with this name is a secret if it looks like one: `STRIPE_KEY`.
pub(super) fn is_key(name: &str) -> bool {
    let last = name.rsplit_once('_').map(|(_, last)| last.trim_end_matches('+')).unwrap_or_default();
    matches!(last, "KEY" | "SALT" | "SEED") && !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Verbs of options about secrets whose value isn't a secret, or only a secret's name.
const ACTS: &[&str] = &[
    "allow", "ask", "check", "create", "delete", "disable", "edit", "enable", "export", "force", "generate", "get",
    "has", "ignore", "import", "list", "no", "only", "print", "prompt", "quick", "read", "remove", "require", "reset",
    "revoke", "rotate", "save", "show", "skip", "store", "use", "validate", "verify", "view", "with", "without",
];

/// Returns whether an option with this name performs an action on secrets: `delete-secret-keys`.
pub(super) fn acts(option: &str) -> bool {
    option.split_once(['-', '_']).is_some_and(|(verb, _)| ACTS.contains(&verb))
}

/// Returns whether the name is for a secret's identifier or location.
pub(super) fn refers(name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let last = name.rsplit(['_', '-']).next().unwrap_or_default();
    last.len() < name.len() && ["id", "url", "arn"].iter().any(|end| last.eq_ignore_ascii_case(end))
}

/// Values that mean that there is no secret, or specify its type.
const NOTHING: &[&str] = &[
    "-",
    "true",
    "false",
    "yes",
    "no",
    "null",
    "none",
    "nil",
    "undefined",
    "string",
    "str",
    "bytes",
    "bool",
    "int",
    "any",
];

/// Returns whether a value can't be a secret despite its name.
pub(super) fn is_harmless(name: &str, value: &str) -> bool {
    // `PWD` is a password in a connection string, and a folder in a shell.
    let folder = name.eq_ignore_ascii_case("pwd") && value.starts_with(['/', '.', '~']);
    let path = ["/", "./", "../", "~/", "@"].iter().any(|start| value.starts_with(start)) && is_name(value);
    folder
        || path
        || is_reference(value)
        || value.starts_with("id=")
        || value.starts_with("file://")
        || NOTHING.iter().any(|word| value.eq_ignore_ascii_case(word))
        || refers(name) && is_name(value)
}

/// Returns whether a value refers to a secret elsewhere: a variable, a field.
pub(super) fn is_reference(value: &str) -> bool {
    let is_field = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'[' | b']');
    if let Some(inside) = ["${{", "${", "{{"].iter().find_map(|start| value.strip_prefix(start)) {
        return inside.trim_end_matches('}').trim().bytes().all(is_field);
    }
    if let Some(command) = value.strip_prefix("$(") {
        return !command.starts_with("echo ") && !command.starts_with("printf ");
    }
    if let Some(name) = value.strip_prefix("$env:").or_else(|| value.strip_prefix('$')) {
        return !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    if let Some(name) = value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')) {
        return name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    // `settings.API_TOKEN`, and `os.environ[` before a quote.
    let (fields, last) = value.rsplit_once('.').unwrap_or_default();
    let last = last.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_code = !fields.is_empty() && fields.bytes().all(is_field);
    is_code && (may_name_secret(last) || value.ends_with('[') && last.bytes().all(is_field))
}

/// Returns whether a value looks like a name or path: words and small numbers between signs.
pub(super) fn is_name(value: &str) -> bool {
    let of_path =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b'@' | b'~');
    value.bytes().all(of_path) && value.split(|c: char| !c.is_ascii_alphanumeric()).all(is_part)
}

/// Returns whether it is a word, possibly with a small number at its end, or a number.
pub(super) fn is_part(run: &str) -> bool {
    let word = run.trim_end_matches(|c: char| c.is_ascii_digit());
    let rest = word.get(1..).unwrap_or_default();
    let cased =
        rest.bytes().all(|byte| byte.is_ascii_lowercase()) || word.bytes().all(|byte| byte.is_ascii_uppercase());
    word.is_empty() && run.len() <= 12
        || run.len() <= 20
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
            && cased
            && run.len() - word.len() <= 4
}

/// Returns whether the word after one such as `token` in a comment is a secret: one run with digits between its
/// letters.
pub(super) fn is_made_up(word: &str) -> bool {
    let has = |of: fn(&u8) -> bool| word.as_bytes().iter().any(of);
    word.len() >= 6
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !word.split(['-', '_', '.', '/', ':']).all(is_part)
        && !word.contains(['/', '=', ':'])
}

/// Returns the length of the secret in a value. If the secret is the name of a folder, the file below it isn't secret.
pub(super) fn secret_length(value: &str) -> usize {
    let Some(folder) = value.find('/').filter(|at| *at > 0) else { return value.len() };
    let below = value.get(folder..).unwrap_or_default();
    let file = below.rsplit('/').next().unwrap_or_default();
    let extension = file.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_extension && is_name(below) { folder } else { value.len() }
}

/// Returns whether the file contains secrets according to its path.
pub(super) fn keeps_secrets(path: &str) -> bool {
    let mut folders = path.rsplit(['/', '\\']);
    let name = folders.next().unwrap_or_default();
    if let Some(rest) = name.strip_prefix(".env") {
        let is_sample = ["example", "sample", "template", "dist"].iter().any(|end| rest.ends_with(end));
        return (rest.is_empty() || rest.starts_with('.')) && !is_sample;
    }
    if folders.next() == Some("secrets") {
        return true;
    }
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default() {
        "pem" | "key" | "env" => true,
        "txt" | "json" | "yaml" | "yml" | "ini" | "conf" | "cfg" | "toml" | "secret" => is_kept(stem),
        _ if name.starts_with('.') || !name.contains('.') => is_kept(stem) || FILES.contains(&name),
        _ => false,
    }
}

fn is_kept(stem: &str) -> bool {
    may_name_secret(stem) || matches!(stem, "secrets" | "credentials" | "passwords" | "tokens")
}

/// Names of files with passwords that `is_kept` doesn't recognize.
const FILES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    "id_rsa",
    "id_ed25519",
];
