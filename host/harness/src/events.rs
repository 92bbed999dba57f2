//! Events that no adapter knows. An event with a command in it is judged, because a harness may rename the event before
//! a call.

use serde_json::{Map, Value};

/// Events with a call or a prompt that decide nothing for policies. A permission request comes after the call was
/// judged, and a person answers it.
const INFORMING: [&str; 9] = [
    "Notification",
    "PermissionRequest",
    "PreCompact",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
    "beforeSubmitPrompt",
];

/// Words in the names of events after a call.
const OVER: [&str; 12] = [
    "after",
    "completed",
    "denied",
    "end",
    "ended",
    "failed",
    "failure",
    "finished",
    "post",
    "refused",
    "result",
    "results",
];

/// Keys for a tool or its input in payloads.
const CALLS: [&str; 8] =
    ["tool_name", "toolName", "tool_input", "toolInput", "toolArgs", "toolCall", "tool_call", "preToolUse"];

/// Keys for a command in a tool's input.
const COMMANDS: [&str; 6] = ["command", "commands", "command_line", "commandLine", "CommandLine", "cmd"];

/// Returns whether an event with this name decides nothing.
pub(super) fn is_informative(event: &str) -> bool {
    INFORMING.contains(&event) || split_words(event).iter().any(|word| OVER.contains(&word.as_str()))
}

/// Returns whether the payload contains a call.
pub(super) fn contains_call(payload: &Map<String, Value>) -> bool {
    let has = |object: &Map<String, Value>, keys: &[&str]| {
        keys.iter().any(|key| object.get(*key).is_some_and(|value| !value.is_null()))
    };
    has(payload, &CALLS)
        || has(payload, &COMMANDS)
        || payload.values().filter_map(Value::as_object).any(|inner| has(inner, &COMMANDS))
}

/// Splits a name such as `PostToolUse`, `post_tool_use` or `tool.execute.after` into lower-case words.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || was_small && letter.is_uppercase() {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_after_a_call_informs_and_one_before_it_does_not() {
        for event in [
            "PostToolUse",
            "post_tool_call",
            "tool.execute.after",
            "afterShellExecution",
            "AfterTool",
            "PermissionDenied",
            "tool_result",
            "PermissionRequest",
        ] {
            assert!(is_informative(event), "{event}");
        }
        for event in
            ["pre_tool_call", "tool_call", "BeforeExec", "PreSkillShellCommand", "toolStart", "postpone", "Posting", ""]
        {
            assert!(!is_informative(event), "{event}");
        }
    }
}
