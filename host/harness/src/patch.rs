//! `apply_patch`: converts a patch to file calls.
//!
//! The format has lines `*** Add File: P`, `*** Update File: P`, `*** Delete File: P`, `*** Move to: P` between `***
//! Begin Patch` and `*** End Patch`. Some parsers don't require the space after the colon.

use serde_json::{Map, Value};

use super::Unreadable;
use super::payload::unclear_call;
use guard_contract::call::ToolCall;

/// Headers without a file.
const OTHERS: [&str; 4] = ["Begin Patch", "End Patch", "End of File", "Environment ID:"];

/// Returns whether the text is a patch.
pub(super) fn is_one(text: &str) -> bool {
    text.trim_start().starts_with("*** Begin Patch")
}

/// Returns the calls of a patch, in order.
///
/// # Errors
///
/// An unknown file header, or one without a path.
pub(super) fn calls(patch: &str) -> Result<Vec<ToolCall>, Unreadable> {
    let verbs = [
        ("*** Add File:", "Write"),
        ("*** Update File:", "Edit"),
        ("*** Delete File:", "Edit"),
        ("*** Move to:", "Write"),
    ];
    // Each file has a tool, a path and the patch's lines, which distinguish patches of the same file.
    let mut files: Vec<(&str, &str, String)> = Vec::new();
    for line in patch.lines() {
        let named = verbs.iter().find_map(|(verb, tool)| Some((line.trim_start().strip_prefix(verb)?.trim(), *tool)));
        // A file's line starts with a space, `+` or `-`.
        let header = line.strip_prefix("***").map(str::trim_start).filter(|_| named.is_none());
        if header.is_some_and(|header| !OTHERS.iter().any(|other| header.starts_with(other))) {
            return Err(unclear_call("the patch has a header that is not known"));
        }
        match (named, files.last_mut()) {
            (Some((path, tool)), _) => files.push((tool, path, format!("{line}\n"))),
            (None, Some((_, _, lines))) => {
                lines.push_str(line);
                lines.push('\n');
            }
            (None, None) => {}
        }
    }
    let call = |(tool, path, lines): (&str, &str, String)| {
        let input = [("file_path", path.to_owned()), ("patch", lines)];
        let input: Map<String, Value> =
            input.into_iter().map(|(key, text)| (key.to_owned(), Value::String(text))).collect();
        ToolCall { original_tool: "apply_patch".to_owned(), ..ToolCall::new(tool, input) }
    };
    if files.is_empty() {
        return Err(unclear_call("the patch names no file"));
    }
    Ok(files.into_iter().map(call).collect())
}
