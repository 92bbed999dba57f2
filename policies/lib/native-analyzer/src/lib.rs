//! The analyzer with its reader of scripts, as a call has them, in a native test.

use guard_sdk::syntax::Analysis;

/// Analyses one text, as `guard_shell::analyze` does with the reader.
#[must_use]
pub fn analyze(source: &str, dialect: &str, cwd: &str, home: &str) -> Analysis {
    guard_shell::analyze(source, dialect, cwd, home, policy_script_effects::read)
}
