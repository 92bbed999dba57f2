//! Files that usually contain secrets without being on a list, and patterns that match all hidden files. Programs that
//! print such a file need confirmation. Other uses are allowed.

use guard_sdk::syntax::{Command, Effect};

use crate::call_view::CallView;
use crate::secret_use::MOST;

/// Programs that print a file's content.
const SHOWING: &[&str] = &[
    "ack", "awk", "base64", "bat", "cat", "cut", "dd", "egrep", "fgrep", "fold", "gawk", "grep", "head", "hexdump",
    "jq", "less", "mawk", "more", "nl", "od", "rg", "sed", "sort", "strings", "tac", "tail", "tr", "xxd", "yq", "zcat",
];

/// Prefixes of interpreters, and builtins that read lines. They can print the file if their code says so.
const READING: &[&str] = &["bun", "deno", "mapfile", "node", "perl", "php", "python", "read", "ruby"];

/// Words that print in a shell or in code.
const PRINTING: &[&str] = &["console.log", "echo ", "node -p", "print", "puts ", "stdout"];

/// Whole names of files, in lower case.
const NAMES: &[&str] =
    &["credentials", "master.key", "appsettings.production.json", "appsettings.staging.json", ".npmrc"];

/// Prefixes of environment files with real values.
const LIVE: &[&str] = &["prod", "production", "staging", "live", "secret", "secrets"];

/// Prefixes of private keys.
const KEYS: &[&str] = &["id_rsa_", "id_ed25519_", "id_ecdsa_", "id_rsa-", "id_ed25519-", "id_ecdsa-"];

/// Returns the likely secret that a program prints: a list's entry that a pattern matches, or the file's kind.
pub(crate) fn printed_secret(effect: &Effect, view: &CallView<'_>) -> Option<&'static str> {
    let program = view.command(effect).map_or("", |command| command.program());
    // A loop's redirection has no program.
    let reads = || program.is_empty() || READING.iter().any(|name| program.starts_with(name));
    let shows = || SHOWING.contains(&program) || reads() && PRINTING.iter().any(|word| view.raw_text().contains(word));
    if effect.kind != "read" || effect.tag("recursive").is_some() || !shows() {
        return None;
    }
    // A copy prints nothing.
    let is_copied = |command: &Command| command.argv.iter().any(|word| word.text.starts_with("of="));
    if program == "dd" && view.command(effect).is_some_and(is_copied) {
        return None;
    }
    let path = effect.target.as_str();
    // A search that is limited to a pattern of names.
    if effect.tag("searched").is_some() && matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ack") {
        return None;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_here = matches!(folder, "" | "." | ".." | "~" | "$HOME") || folder == view.command(effect)?.cwd;
    if is_here && (matches_all_hidden(name) || matches!(name, "*" | "**") && finds_hidden(effect, view)) {
        return Some(".env");
    }
    let name = name.to_ascii_lowercase();
    let named = |list: &[&'static str]| list.iter().copied().find(|known| name == *known);
    let begins = |list: &[&'static str]| list.iter().copied().find(|start| name.starts_with(start));
    named(NAMES)
        .or_else(|| begins(KEYS).filter(|_| !name.contains(['.', '*', '?'])))
        .or_else(|| (name.ends_with(".tfstate") || name.contains(".tfstate.")).then_some("*.tfstate"))
        .or_else(|| begins(LIVE).filter(|_| name.ends_with(".tfvars")).map(|_| "*.tfvars"))
        .or_else(|| secret_shape(folder, &name))
}

/// Whole names of settings files that contain passwords or keys.
const SETTINGS: &[&str] = &[
    "key.properties",
    "keystore.properties",
    "local_settings.py",
    "localsettings.php",
    "parameters.yml",
    "settings_local.py",
    "signing.properties",
    "token.json",
    "token.pickle",
    "wp-config.php",
];

/// Words for secrets in the names of data files.
const SECRETS: &[&str] = &["credential", "credentials", "passwords", "secret", "secrets"];

/// Endings of data files. A name without an ending counts, too.
const DATA: &[&str] =
    &["conf", "credential", "env", "ini", "json", "properties", "secret", "secrets", "toml", "txt", "yaml", "yml"];

/// Names of deployments whose variables are real.
const DEPLOYMENTS: &[&str] = &["dev", "development", "live", "local", "prod", "production", "staging"];

/// Words in the paths of templates, samples, encrypted files, and definitions without values.
const HARMLESS: &[&str] = &[
    "baseline",
    "class",
    "defaults",
    "definition",
    "dist",
    "doc",
    "docs",
    "dummy",
    "empty",
    "enc",
    "encrypted",
    "example",
    "examples",
    "external",
    "externalsecret",
    "fake",
    "fixture",
    "fixtures",
    "ignore",
    "mock",
    "mocks",
    "policy",
    "provider",
    "sample",
    "samples",
    "scan",
    "scanning",
    "schema",
    "sealed",
    "sealedsecret",
    "sops",
    "spec",
    "store",
    "template",
    "templates",
    "test",
    "testdata",
    "tests",
    "testing",
    "types",
];

/// Returns the kind of a file whose name has the shape of a file with secrets: `docker.env`, `env.prod`, `.secrets`,
/// `values.secret.yaml`. Excludes names with wildcards.
fn secret_shape(folder: &str, name: &str) -> Option<&'static str> {
    let words =
        |text: &str| text.split(|char: char| !char.is_ascii_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    let is_harmless = |word: &String| HARMLESS.contains(&word.as_str());
    let in_folder = words(&folder.to_ascii_lowercase());
    if name.contains(['*', '?', '[', '$']) || words(name).iter().chain(&in_folder).any(is_harmless) {
        return None;
    }
    if let Some(known) = SETTINGS.iter().find(|known| **known == name) {
        return Some(known);
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if ending == "env" && !stem.is_empty() || stem == "env" && DEPLOYMENTS.contains(&ending) {
        return Some("*.env");
    }
    if ending == "ovpn" {
        return Some("*.ovpn");
    }
    let is_data = ending.is_empty() || stem.is_empty() || DATA.contains(&ending) || DEPLOYMENTS.contains(&ending);
    let names_secret = words(name).iter().any(|word| SECRETS.contains(&word.as_str()));
    (is_data && names_secret).then_some("*secret*")
}

/// Returns whether an earlier setting lets `*` match hidden files.
fn finds_hidden(effect: &Effect, view: &CallView<'_>) -> bool {
    const SETTINGS: &[&str] = &["dotglob", "globdots", "glob_dots"];
    let sets = |command: &Command| {
        let is_set = match command.program() {
            "shopt" => command.word(1) == "-s",
            "setopt" => true,
            _ => false,
        };
        is_set && command.argv.iter().any(|word| SETTINGS.contains(&word.text.to_ascii_lowercase().as_str()))
            || command.assignments.iter().any(|set| set.name == "GLOBIGNORE" && !set.value.text.is_empty())
    };
    view.analysis.commands.iter().take_while(|earlier| earlier.id < effect.command_id).take(MOST).any(sets)
}

/// Returns whether a shell pattern matches anything after a dot: `.*`, `.??*`, `.[!.]*`.
fn matches_all_hidden(pattern: &str) -> bool {
    let Some(mut rest) = pattern.strip_prefix('.') else { return false };
    let mut is_open = false;
    while let Some(first) = rest.chars().next() {
        let set = rest.strip_prefix('[').and_then(|behind| behind.split_once(']'));
        rest = match (first, set) {
            ('*' | '?', _) => {
                is_open |= first == '*';
                rest.get(1..).unwrap_or_default()
            }
            // A set that excludes a few characters, or has a range.
            (_, Some((letters, behind))) if letters.starts_with(['!', '^']) || letters.contains('-') => behind,
            _ => return false,
        };
    }
    is_open
}

#[cfg(test)]
mod tests {
    use super::{matches_all_hidden, secret_shape};

    #[test]
    fn a_data_file_named_for_secrets_has_their_shape() {
        for path in [
            "docker.env",
            "deploy/web.env",
            "env.prod",
            ".secrets",
            ".kamal/secrets",
            ".kamal/secrets-common",
            "k8s/secret.yaml",
            "values.secret.yaml",
            "k8s/db-credentials.yml",
            "db_password.secret",
            "config/secrets.production",
            "wp-config.php",
            "default.credential",
            "android/key.properties",
            "app/config/parameters.yml",
            "vpn/client.ovpn",
        ] {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            assert!(secret_shape(folder, name).is_some(), "{path}");
        }
        for path in [
            "secrets.test.ts",
            "src/secret.rs",
            "secret_names.py",
            "templates/secret.yaml",
            "k8s/sealed-secret.yaml",
            "external-secret.yaml",
            ".secrets.baseline",
            "docs/secrets.md",
            "env.ts",
            "env.d.ts",
            "env.example",
            "env.py",
            "tests/fixtures/credentials.json",
            "secrets.enc.yaml",
            "secretary.json",
            "tokens.json",
            "auth.json",
            "parameters.json",
            "secret-store.yaml",
            "test.env",
            "secrets.schema.json",
            "secrets.sops.yaml",
            "*.secret",
            "src/token.rs",
            "sample.env",
        ] {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            assert_eq!(secret_shape(folder, name), None, "{path}");
        }
    }

    #[test]
    fn a_pattern_that_spells_no_letter_takes_in_all_hidden_files() {
        for pattern in [".*", ".?*", ".??*", ".[!.]*", ".[^.]*", ".[a-z]*", ".[A-Za-z]*"] {
            assert!(matches_all_hidden(pattern), "{pattern}");
        }
        for pattern in ["*", ".", "..", ".e*", ".g*", "*.md", ".?", ".[xy]*", ".env", ".[", ".[é"] {
            assert!(!matches_all_hidden(pattern), "{pattern}");
        }
    }
}
