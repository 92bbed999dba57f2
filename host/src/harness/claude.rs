//! Claude Code: `PreToolUse` on stdin; JSON on stdout, and exit code 2 with standard error for a deny.
//!
//! A deny is said in both forms, which agree, so that every version understands one of them.

mod plugin;
mod registration;
mod settings;
mod survey;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Event, Harness, Malformed, Payload, Reply, patch, text};
use crate::call::{Dialect, ToolCall};
use crate::contract::Outcome;
use crate::install::Registration;
use crate::verdict::Verdict;

pub(super) struct Claude;

/// The exit code that blocks a call and shows standard error to the model.
const BLOCK: u8 = 2;

/// The whole reply, with the keys that Claude Code knows and no other.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    hook_specific_output: Output<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

impl Harness for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn detects(&self, payload: &Map<String, Value>) -> bool {
        payload.contains_key("tool_input") || payload.contains_key("hook_event_name")
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Malformed> {
        let event = match name_field(payload, "hook_event_name")? {
            None | Some("PreToolUse") => Event::Calls(calls(payload)?),
            Some("SessionEnd") => Event::SessionEnd,
            Some(_) => Event::Other,
        };
        // What only informs must not keep a call from being decided.
        let told = |key| payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Payload { event, cwd: told("cwd"), session: told("session_id"), permission_mode: told("permission_mode") })
    }

    fn encode(&self, verdict: &Verdict) -> Reply {
        let reason = text::reason(verdict);
        match verdict.outcome {
            Outcome::Abstain => Reply::default(),
            Outcome::Deny => {
                let blocked = format!("BLOCKED: {reason}");
                Reply { stdout: decision("deny", &blocked), stderr: format!("{blocked}\n"), exit: BLOCK }
            }
            Outcome::Ask => Reply { stdout: decision("ask", &reason), ..Reply::default() },
            Outcome::Allow if verdict.grants => {
                let output = Output {
                    hook_event_name: "PreToolUse",
                    permission_decision: Some("allow"),
                    permission_decision_reason: Some(&reason),
                    additional_context: Some(&reason),
                };
                Reply { stdout: line(&Wire { system_message: None, hook_specific_output: output }), ..Reply::default() }
            }
            Outcome::Allow | Outcome::Warn if reason.is_empty() => Reply::default(),
            Outcome::Allow | Outcome::Warn => {
                let output = Output {
                    hook_event_name: "PreToolUse",
                    permission_decision: None,
                    permission_decision_reason: None,
                    additional_context: Some(&reason),
                };
                let wire = Wire { system_message: Some(&reason), hook_specific_output: output };
                Reply { stdout: line(&wire), ..Reply::default() }
            }
        }
    }

    fn skips_prompts(&self, permission_mode: &str) -> bool {
        permission_mode == "bypassPermissions"
    }

    fn prompts(&self, permission_mode: &str) -> bool {
        matches!(permission_mode, "default" | "plan" | "acceptEdits" | "auto")
    }

    fn registration(&self) -> Option<&'static dyn Registration> {
        Some(&registration::ClaudeCode)
    }
}

fn decision(decision: &'static str, reason: &str) -> String {
    let output = Output {
        hook_event_name: "PreToolUse",
        permission_decision: Some(decision),
        permission_decision_reason: Some(reason),
        additional_context: None,
    };
    line(&Wire { system_message: None, hook_specific_output: output })
}

fn line(wire: &Wire<'_>) -> String {
    // Text and fixed keys only: this cannot fail, and if it did, exit code and standard error still speak.
    serde_json::to_string(wire).map(|json| json + "\n").unwrap_or_default()
}

/// The text under `key`; none if it is missing or null.
fn name_field<'a>(object: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Malformed> {
    if object.get(key).is_some_and(Value::is_null) { Ok(None) } else { text_field(object, key) }
}

/// The text under `key`; none if it is missing.
fn text_field<'a>(object: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Malformed> {
    match object.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Malformed(format!("`{key}` is not a string"))),
    }
}

fn calls(payload: &Map<String, Value>) -> Result<Vec<ToolCall>, Malformed> {
    let input = match payload.get("tool_input") {
        None => return Ok(Vec::new()),
        Some(Value::Object(input)) => input.clone(),
        Some(_) => return Err(Malformed("`tool_input` is not an object".to_owned())),
    };
    let has_path = input.contains_key("file_path") || input.contains_key("path");
    let name = match name_field(payload, "tool_name")? {
        Some(name) => name,
        None if input.contains_key("command") => "Bash",
        None if has_path => "Write",
        None => return Ok(Vec::new()),
    };
    match name {
        "Bash" | "Monitor" => command(name, "command", Dialect::Bash, input),
        // The shells of harnesses that load this one's hooks.
        "run_shell_command" | "Execute" | "Shell" | "shell" | "bash" | "local_shell" => {
            command(name, "command", Dialect::Bash, input)
        }
        "PowerShell" => command(name, "command", Dialect::PowerShell, input),
        "REPL" => command(name, "code", Dialect::Unknown, input),
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "Read" => {
            let mut named = false;
            for key in ["file_path", "path", "notebook_path"] {
                named |= text_field(&input, key)?.is_some();
            }
            Ok(if named { vec![ToolCall::new(name, input)] } else { Vec::new() })
        }
        "apply_patch" => {
            let patch = text_field(&input, "command")?.or(text_field(&input, "input")?);
            Ok(patch.map(patch::calls).unwrap_or_default())
        }
        // The same tool under its old and its new name.
        "Task" => Ok(vec![ToolCall { original_tool: name.to_owned(), ..ToolCall::new("Agent", input) }]),
        _ => Ok(vec![ToolCall::new(name, input)]),
    }
}

/// A call that runs what stands under `key`. PowerShell keeps its name, the others are `Bash` to policies.
fn command(name: &str, key: &str, dialect: Dialect, mut input: Map<String, Value>) -> Result<Vec<ToolCall>, Malformed> {
    let Some(text) = text_field(&input, key)?.map(str::to_owned) else {
        // A Monitor may watch a socket instead, and then runs no command.
        return Ok(Vec::new());
    };
    input.insert("command".to_owned(), Value::String(text));
    let tool = if dialect == Dialect::PowerShell { name } else { "Bash" };
    Ok(vec![ToolCall { tool: tool.to_owned(), original_tool: name.to_owned(), input, dialect: Some(dialect) }])
}
