//! [`Operation`]: a call's operation as approvals record it. Pure: accesses no files.
//!
//! Two operations are equal if their digests are. The text is for people, and secrets are removed from it.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::hex;
use guard_contract::call::ToolCall;
use guard_redact::{plain, redact, shorten};

/// The maximum length of a recorded text.
const TEXT_BYTES: usize = 2 << 10;

/// The maximum length of a text that a person is asked to copy.
const COPIED_BYTES: usize = 200;

/// The maximum length and number of lines that a person can be expected to read.
const READ_BYTES: usize = 1000;
const READ_LINES: usize = 20;

/// Keys beside a command that don't change what it does.
const DESCRIPTIVE: [&str; 3] = ["description", "timeout", "run_in_background"];

/// The operation of one event's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The tool: its common name for a single call, or the harness's name for several at once.
    pub tool: String,
    /// The command, the files, or the input, without secrets.
    pub text: String,
    /// The digest of the tool and its relevant input, in hexadecimal.
    pub sha256: String,
    /// Whether the text is complete: nothing was removed, and there is no other input.
    pub whole: bool,
}

impl Operation {
    /// Returns the operation of an event with at least one call. `places` are the targets of its paths, so that the
    /// same words are another operation if a link's target changes.
    #[must_use]
    pub fn from_calls<'a>(calls: &[ToolCall], places: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let (first, others) = calls.split_first()?;
        let tool = if others.is_empty() { &first.tool } else { &first.original_tool };
        let exact = match others {
            [] => first.operation(),
            _ => calls.iter().map(ToolCall::operation).collect::<Vec<_>>().join(", "),
        };
        let text = recorded_text(&exact);
        let command = first.command().filter(|_| others.is_empty()).is_some();
        let whole = command && text == exact && other_inputs(first).next().is_none();
        Some(Operation { tool: recorded_text(tool), text, sha256: digest(calls, places), whole })
    }

    /// Returns whether the text can be copied into a command line as one word.
    #[must_use]
    pub fn can_be_copied(&self) -> bool {
        self.whole && can_be_copied(&self.text)
    }
}

/// Returns the text as it is recorded.
#[must_use]
pub fn recorded_text(text: &str) -> String {
    shorten(&plain(&redact(text)), TEXT_BYTES)
}

/// Returns whether a person can be expected to read all of the text.
#[must_use]
pub fn is_readable(text: &str) -> bool {
    text.len() <= READ_BYTES && text.lines().count() <= READ_LINES
}

/// Returns whether a text is short and on one line, so that a person sees what they copy.
#[must_use]
fn can_be_copied(text: &str) -> bool {
    let fits = !text.is_empty() && text.len() <= COPIED_BYTES && text.trim() == text;
    fits && !text.starts_with('-') && !text.contains(|c: char| c.is_control() || c == '\u{fffd}')
}

/// The inputs besides the command itself, without those that only describe it.
fn other_inputs(call: &ToolCall) -> impl Iterator<Item = (&String, &Value)> {
    let command = call.command().map(|(text, _)| text);
    let repeats = move |value: &Value| command.is_some() && value.as_str() == command;
    call.input.iter().filter(move |(key, value)| !DESCRIPTIVE.contains(&key.as_str()) && !repeats(value))
}

fn digest<'a>(calls: &[ToolCall], places: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Sha256::new();
    // Each part is prefixed with its length, so that different lists of parts never give the same bytes.
    let mut part = |text: &str| {
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text.as_bytes());
    };
    for call in calls {
        part(&call.tool);
        part(&call.original_tool);
        match call.command() {
            Some((command, dialect)) => {
                part(dialect.name());
                part(command);
                for (key, value) in other_inputs(call) {
                    part(key);
                    part(&value.to_string());
                }
            }
            None => part(&Value::Object(call.input.clone()).to_string()),
        }
        part("");
    }
    places.into_iter().for_each(&mut part);
    hex(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn operation(tool: &str, input: Value) -> Operation {
        Operation::from_calls(&[ToolCall::new(tool, input.as_object().unwrap().clone())], []).unwrap()
    }

    #[test]
    fn s2_57_operations_are_the_same_to_the_character() {
        let same = operation("Bash", json!({ "command": "rm -rf x" }));
        assert_eq!((same.tool.as_str(), same.text.as_str(), same.whole), ("Bash", "rm -rf x", true));
        let described =
            json!({ "command": "rm -rf x", "description": "Tidy", "timeout": 5, "run_in_background": true });
        assert_eq!(operation("Bash", described), same);
        for (tool, input) in [
            ("Bash", json!({ "command": "rm -rf  x" })),
            ("Bash", json!({ "command": "rm -rf x " })),
            ("Bash", json!({ "command": "rm -rf x", "dangerouslyDisableSandbox": true })),
            ("PowerShell", json!({ "command": "rm -rf x" })),
            ("Write", json!({ "file_path": "rm -rf x" })),
        ] {
            assert_ne!(operation(tool, input.clone()).sha256, same.sha256, "{tool} {input}");
        }
    }

    #[test]
    fn where_paths_lead_belongs_to_the_operation() {
        let calls = [ToolCall::new("Bash", json!({ "command": "rm -rf b/x" }).as_object().unwrap().clone())];
        let to = |place| Operation::from_calls(&calls, [place]).unwrap();
        assert_eq!(to("/repo/b/x"), to("/repo/b/x"));
        assert_ne!(to("/repo/b/x").sha256, to("/home/u/x").sha256);
        assert_eq!(to("/repo/b/x").text, to("/home/u/x").text);
    }

    #[test]
    fn the_content_of_a_file_belongs_to_the_operation() {
        let write = |content: &str| operation("Write", json!({ "file_path": "/a", "content": content }));
        assert_eq!((write("x").text.as_str(), write("x").whole), ("/a", false));
        assert_eq!(write("x"), write("x"));
        assert_ne!(write("x").sha256, write("y").sha256);
    }

    #[test]
    fn c_18_a_secret_is_not_remembered_and_still_counts() {
        let push = |token: &str| operation("Bash", json!({ "command": format!("TOKEN={token} git push") }));
        let (one, other) = (push("abcdefgh12345678"), push("abcdefgh12345679"));
        assert!(!one.text.contains("abcdefgh") && !one.whole && !one.can_be_copied(), "{}", one.text);
        assert_eq!(one.text, other.text);
        assert_ne!(one.sha256, other.sha256);
    }

    #[test]
    fn several_calls_are_one_operation() {
        let call = |path: &str| {
            let call = ToolCall::new("Write", json!({ "file_path": path }).as_object().unwrap().clone());
            ToolCall { original_tool: "apply_patch".to_owned(), ..call }
        };
        let both = Operation::from_calls(&[call("a"), call("b")], []).unwrap();
        assert_eq!((both.tool.as_str(), both.text.as_str(), both.whole), ("apply_patch", "a, b", false));
        assert_ne!(both.sha256, Operation::from_calls(&[call("b"), call("a")], []).unwrap().sha256);
        assert_ne!(both.sha256, Operation::from_calls(&[call("a, b")], []).unwrap().sha256);
        assert_eq!(Operation::from_calls(&[], []), None);
    }

    #[test]
    fn only_what_a_person_can_see_whole_is_copied() {
        for (command, copied) in [
            ("rm -rf ~/Downloads/old-project", true),
            ("echo 'a' \"b\" $(c)", true),
            ("a\nb", false),
            ("-x", false),
            (" a", false),
            ("a\u{202e}b", false),
            ("", false),
        ] {
            assert_eq!(operation("Bash", json!({ "command": command })).can_be_copied(), copied, "{command}");
        }
        assert!(!operation("Bash", json!({ "command": "x".repeat(201) })).can_be_copied());
    }
}
