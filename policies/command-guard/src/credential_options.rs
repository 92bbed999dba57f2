//! Options that give a program its own key, account or settings, and options that make it read any file.

/// Returns whether a program takes the file as its own key, account or settings. `option` is the word before the file,
/// or the option that contains it.
pub(crate) fn takes_credential(program: &str, option: &str, entry: &str, file: &str) -> bool {
    let is_own = program.len() > 2 && file.to_ascii_lowercase().contains(&program.to_ascii_lowercase());
    if !is_key(entry) {
        return entry.starts_with('~') && is_own;
    }
    let name = option_name(option);
    // Keys that a project creates have these endings, and programs take them by many options.
    if entry.starts_with('*') || entry == "kubeconfig" {
        return name != "in" && !READS.iter().any(|word| name.starts_with(word));
    }
    is_own || names_any(&name, CREDENTIALS) || takes_by_letter(option, entry)
}

/// Returns whether an option names something for the program's own use: its key, its account, its variables.
pub(crate) fn is_own_setting(option: &str) -> bool {
    const WORDS: &[&str] = &["var", "include", "filter", "glob", "output", "name", "message", "delete", "remove"];
    let name = option_name(option);
    names_any(&name, CREDENTIALS) || names_any(&name.replace("filename", "file"), WORDS)
}

/// Returns whether an entry is for keys and settings, which programs routinely get.
pub(crate) fn is_key(entry: &str) -> bool {
    let first = entry.bytes().next();
    !matches!(first, Some(b'~' | b'/')) && !entry.contains("env") && !entry.starts_with("secret")
}

/// Words in the names of options for a program's own key, account, variables and settings.
const CREDENTIALS: &[&str] = &[
    "env", "key", "cert", "cred", "secret", "pass", "token", "identity", "auth", "ssl", "tls", "account", "config",
    "defaults", "exclude", "ignore", "kube", "netrc", "cookie", "vault",
];

/// Beginnings of the names of options for a file that the program reads.
const READS: &[&str] =
    &["attach", "body", "data", "file", "infile", "input", "load", "read", "source", "text", "upload"];

/// Returns whether a short option usually takes such a file: `-i` an identity of SSH, `-c` settings.
fn takes_by_letter(option: &str, entry: &str) -> bool {
    let is_identity = || entry.starts_with(".ssh/") || entry.starts_with("id_");
    match option {
        "-c" | "-C" | "-k" | "-K" => true,
        "-i" | "-I" => is_identity(),
        _ => false,
    }
}

/// Returns the name of a long option. Empty for a short one.
fn option_name(option: &str) -> String {
    let name = option.strip_prefix('-').unwrap_or_default().trim_start_matches('-');
    let name = name.split('=').next().unwrap_or_default().to_ascii_lowercase();
    if name.len() > 1 { name } else { String::new() }
}

fn names_any(name: &str, words: &[&str]) -> bool {
    words.iter().any(|word| name.contains(word))
}
