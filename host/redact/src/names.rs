//! Names whose value is a secret.

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
