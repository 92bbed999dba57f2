//! What the policy lets its user set.

use policy_sensitive_paths::Lists;

/// The lists `blocked`, `confirm` and `exempt`. One that is given replaces the default one.
///
/// An entry is a file's name, a name below a folder (`.git/config`) or a folder (`.ssh/`), with the patterns of
/// `policies/PATTERNS.md`; upper and lower case are equal.
///
/// ```toml
/// [policy.settings]
/// confirm = ["Makefile", ".github/"]
/// ```
pub type Settings = Lists;
