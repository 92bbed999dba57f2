//! Finds names of protected files in texts that aren't fully understood.
//!
//! One pass over the text: the protected names are compared at each position where a name can begin. Ignores what is
//! done with them.

use guard_sdk::syntax::Script;

use crate::guarded::{Guard, Guarded, GuardedKind};

/// The maximum size of a text that is searched, in bytes. Other rules ask about such large texts.
const TEXT_BYTES: usize = 256 << 10;

/// Returns the protected file or folder that a text names. The program is only found by its path: a text that runs it
/// doesn't change it.
pub(crate) fn find<'a>(text: &str, guard: &'a Guard) -> Option<Guarded<'a>> {
    let end = text.floor_char_boundary(TEXT_BYTES);
    let text = text.get(..end).unwrap_or_default().replace('\\', "/");
    let bytes = text.as_bytes();
    let guarded: Vec<Guarded<'a>> = guard.all().filter(|guarded| guarded.what != GuardedKind::Program).collect();
    let firsts: Vec<u8> = guarded.iter().filter_map(|guarded| guarded.entry.bytes().next()).collect();
    let mut before = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        if (!is_name(before) || *byte == b'/') && firsts.iter().any(|first| first.eq_ignore_ascii_case(byte)) {
            let found = guarded.iter().find(|guarded| begins_with(bytes, at, guarded.entry));
            if let Some(found) = found {
                return Some(*found);
            }
        }
        before = *byte;
    }
    None
}

/// Returns whether the whole entry is at this position.
fn begins_with(text: &[u8], at: usize, entry: &str) -> bool {
    let entry = entry.trim_end_matches('/').split('*').next().unwrap_or_default().as_bytes();
    let Some(here) = at.checked_add(entry.len()).and_then(|end| text.get(at..end)) else { return false };
    here.eq_ignore_ascii_case(entry)
        && (entry.ends_with(b"/") || text.get(at + entry.len()).is_none_or(|after| !is_name(*after)))
}

/// Returns whether a byte can be part of a name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Words in code that changes a file, starts a program, or evaluates text.
const CHANGES: &[&str] = &[
    "write",
    "'w",
    "\"w",
    "'a",
    "\"a",
    "'r+",
    "\"r+",
    "'x'",
    "\"x\"",
    "dump(",
    "remove",
    "unlink",
    "rename",
    "replace",
    "rmtree",
    "rmdir",
    "truncate",
    "move",
    "copy",
    "chmod",
    "chown",
    "symlink",
    "link(",
    "touch",
    "system",
    "popen",
    "exec",
    "spawn",
    "subprocess",
    "eval",
    "import(",
    "rm(",
    "rmsync",
    "delete",
    "> ",
    ">>",
    "file_put_contents",
    "set-content",
    "out-file",
    "remove-item",
    "move-item",
    "add-content",
    "fputs",
    "sed",
    "-i",
];

/// Names with double underscores that only give information.
const TELLING: &[&str] = &["__name__", "__main__", "__file__", "__doc__", "__version__", "__init__", "__future__"];

/// Returns whether a script may change a file that it names.
pub(crate) fn may_change(script: &Script) -> bool {
    let lower = script.text.to_ascii_lowercase();
    CHANGES.iter().any(|change| lower.contains(change)) || reaches_around(&lower)
}

/// Returns whether code uses one of the members that can reach anything, such as `__import__`.
fn reaches_around(code: &str) -> bool {
    let mut rest = code;
    while let Some(at) = rest.find("__") {
        let from = rest.get(at..).unwrap_or_default();
        let Some(name) = TELLING.iter().find(|name| from.starts_with(**name)) else { return true };
        rest = from.get(name.len()..).unwrap_or_default();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ProtectedPaths;

    fn names(text: &str) -> bool {
        find(text, &Guard::new(&ProtectedPaths { state: "/data/state".to_owned(), ..ProtectedPaths::default() }))
            .is_some()
    }

    #[test]
    fn names_are_found_in_any_text() {
        for text in [
            "rm ~/.claude/settings.json",
            "x='.claude/settings.json'",
            "$HOME/.config/guard-host",
            "Remove-Item C:\\Users\\u\\.claude\\settings.json",
            "cat<.guard/guard.toml",
            "/etc/guard-host/guard.toml",
            "/data/state/mac.key",
            ".github/hooks/a.json",
            ".CODEX/Hooks.json",
        ] {
            assert!(names(text), "{text}");
        }
    }

    #[test]
    fn neighbours_of_names_are_none() {
        for text in [
            "settings.json",
            ".claude/settings.json5x/.claude/settings_json",
            "x.claude/settings.jsonx",
            "my-opencode.json",
            "guard-host check x",
            "/data/state2/x",
            "~/.cargo/bin/guard-host check x",
            "",
        ] {
            assert!(!names(text), "{text}");
        }
    }

    #[test]
    fn a_name_that_only_tells_something_changes_nothing() {
        let script =
            |text: &str| Script { command_id: 0, language: "python".to_owned(), text: text.to_owned(), certain: true };
        assert!(!may_change(&script("print(type(e).__name__)\nif __name__ == '__main__': main()")));
        for text in ["__import__('os')", "x.__class__", "type(e).__name__, ().__class__", "open(p, 'w')", "__"] {
            assert!(may_change(&script(text)), "{text}");
        }
    }

    #[test]
    fn hostile_lengths_stay_cheap() {
        assert!(!names(&".claude/".repeat(100_000)));
    }
}
