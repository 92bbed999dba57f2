//! `apply_patch`: from the text of a patch to one file call per file.
//!
//! Format: lines `*** Add File: P`, `*** Update File: P`, `*** Delete File: P`, `*** Move to: P` between
//! `*** Begin Patch` and `*** End Patch`.

use serde_json::{Map, Value};

use crate::call::ToolCall;

/// The calls that a patch amounts to, in its order.
pub(super) fn calls(patch: &str) -> Vec<ToolCall> {
    let verbs = [
        ("*** Add File: ", "Write"),
        ("*** Update File: ", "Edit"),
        ("*** Delete File: ", "Edit"),
        ("*** Move to: ", "Write"),
    ];
    let mut calls = Vec::new();
    for line in patch.lines() {
        let named = verbs.iter().find_map(|(verb, tool)| Some((line.trim_start().strip_prefix(verb)?.trim(), *tool)));
        if let Some((path, tool)) = named {
            let mut input = Map::new();
            input.insert("file_path".to_owned(), Value::String(path.to_owned()));
            calls.push(ToolCall { original_tool: "apply_patch".to_owned(), ..ToolCall::new(tool, input) });
        }
    }
    calls
}
