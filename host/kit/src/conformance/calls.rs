//! The calls and settings with which a policy is checked.

use serde_json::{Map, Value, json};

use guard_contract::Manifest;
use guard_contract::call::ToolCall;
use guard_contract::policy::covers;

/// The size of the longest command, in bytes.
const LONG: usize = 1 << 20;

/// The deepest nesting of an input that the host accepts.
const DEEP: usize = 120;

/// A call and its name in the report.
pub(super) struct Call {
    pub(super) what: String,
    pub(super) call: ToolCall,
    /// The input exactly as the policy gets it.
    pub(super) input: String,
}

impl Call {
    fn new(what: &str, tool: &str, input: String) -> Self {
        // Invalid JSON doesn't affect the call's analysis.
        let parsed: Map<String, Value> = serde_json::from_str(&input).unwrap_or_default();
        Call { what: what.to_owned(), call: ToolCall::new(tool, parsed), input }
    }
}

/// Returns typical calls of the tools that the policy covers, starting with its own examples.
pub(super) fn ordinary(manifest: &Manifest) -> Vec<Call> {
    let examples = manifest
        .examples
        .iter()
        .enumerate()
        .map(|(index, example)| Call::new(&format!("example {}", index + 1), &example.tool, example.input.clone()));
    let usual = [
        ("a harmless command", "Bash", json!({ "command": "ls -la" })),
        ("a harmful command", "Bash", json!({ "command": "sudo rm -rf / --no-preserve-root" })),
        (
            "a command with many parts",
            "Bash",
            json!({ "command": "cd /tmp && (git push -f origin main || true) | tee log; curl x | sh" }),
        ),
        ("a file of the project", "Write", json!({ "file_path": "/repo/src/main.rs", "content": "fn main() {}\n" })),
        ("a file with secrets", "Write", json!({ "file_path": "/home/u/.ssh/authorized_keys", "content": "x" })),
        ("an edit", "Edit", json!({ "file_path": "/repo/.env", "old_string": "a", "new_string": "b" })),
        ("a file that is read", "Read", json!({ "file_path": "/repo/notes.txt" })),
        ("an address", "WebFetch", json!({ "url": "http://127.0.0.1/", "prompt": "read it" })),
        ("a tool of a server", "mcp__files__write", json!({ "path": "/repo/a.txt", "text": "x" })),
    ];
    let usual = usual.into_iter().map(|(what, tool, input)| Call::new(what, tool, input.to_string()));
    examples.chain(usual).filter(|call| covers(manifest, None, &call.call.tool)).collect()
}

/// Returns valid but unusual inputs.
pub(super) fn odd() -> Vec<Call> {
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(DEEP), close.repeat(DEEP));
    let calls = [
        ("an empty object", "Bash", "{}".to_owned()),
        ("an empty command", "Bash", json!({ "command": "" }).to_string()),
        ("a command of 1 MiB", "Bash", json!({ "command": "a".repeat(LONG) }).to_string()),
        (
            "a text of 1 MiB",
            "Write",
            json!({ "file_path": "/repo/a.txt", "content": "a ".repeat(LONG / 2) }).to_string(),
        ),
        ("an unknown tool", "NoSuchTool", json!({ "anything": [1, 2.5, true, null] }).to_string()),
        ("a tool without a name", "", json!({ "command": "ls" }).to_string()),
        ("a number for a command", "Bash", json!({ "command": 5 }).to_string()),
        ("null for a command", "Bash", json!({ "command": null }).to_string()),
        ("a list for a path", "Write", json!({ "file_path": ["/repo/a.txt"], "content": { "a": 1 } }).to_string()),
        ("the input of another tool", "Write", json!({ "command": "ls" }).to_string()),
        ("deep lists", "Bash", format!("{{\"command\":{}}}", nested("[", "]"))),
        ("deep objects", "Bash", format!("{{\"command\":{}}}", nested("{\"a\":", "}"))),
        ("escaped control characters", "Bash", r#"{"command":"echo \u0000\u0007\u001b[31m\u007f\u0085"}"#.to_owned()),
        ("escaped bytes that are no UTF-8", "Bash", r#"{"command":"cat \u00ff\u00fe\u0080\u00c3\u0028"}"#.to_owned()),
        ("escaped pairs and noncharacters", "Bash", r#"{"command":"echo \ud83d\ude00\ufffe\uffff"}"#.to_owned()),
        ("the same key twice", "Bash", r#"{"command":"ls","command":"rm -rf /"}"#.to_owned()),
        (
            "numbers beyond all types",
            "Bash",
            r#"{"command":"ls","timeout":1e400,"n":123456789012345678901234567890}"#.to_owned(),
        ),
    ];
    calls.into_iter().map(|(what, tool, input)| Call::new(what, tool, input)).collect()
}

/// Returns inputs that aren't JSON objects. The host never passes them on, but a policy must fail on them without a
/// trap.
pub(super) fn invalid_inputs() -> Vec<Call> {
    let calls = [
        ("an empty text", ""),
        ("a text that ends early", r#"{"command": "#),
        ("a list", "[]"),
        ("a lone high surrogate", r#"{"command":"echo \ud800"}"#),
        ("two low surrogates", r#"{"command":"echo \udc00\udc00"}"#),
    ];
    calls.into_iter().map(|(what, input)| Call::new(what, "Bash", input.to_owned())).collect()
}

/// Returns invalid settings.
pub(super) fn bad_settings() -> Vec<(&'static str, String)> {
    vec![
        ("an empty text", String::new()),
        ("no JSON", "nonsense".to_owned()),
        ("JSON that ends early", "{\"a\":".to_owned()),
        ("a list", "[]".to_owned()),
        ("a number", "5".to_owned()),
        ("a string", "\"text\"".to_owned()),
        ("null", "null".to_owned()),
        ("an unknown key", r#"{"no-such-key-8f3a":1}"#.to_owned()),
        ("deep lists", format!("{{\"a\":{}{}}}", "[".repeat(DEEP), "]".repeat(DEEP))),
    ]
}
