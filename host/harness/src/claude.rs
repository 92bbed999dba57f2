//! Claude Code: `PreToolUse` on stdin, JSON on stdout, and exit code 2 with standard error for a deny.
//!
//! A deny has both forms, which agree, so that every version understands one of them.

pub(crate) mod answer;
mod asks;

use serde_json::{Map, Value};

use super::capabilities::{
    Ask, CLAUDE, Capabilities, Rewrites, Surface, UNASKED, UNASKED_UNREWRITTEN, UNKNOWN_VERSION,
};
use super::nested::{Nested, line};
use super::payload::unclear_call;
use super::read::reports_failure;
use super::response::Response;
use super::text::GUARDRAIL_BLOCKED;
use super::tools::{self, Shape, Tool, tool};
use super::{AskScene, DetectionConfidence, End, Event, Harness, Payload, RAN, Unreadable, Variable, events, patch};
use guard_contract::call::{Dialect, ToolCall};

pub(super) struct Claude;

/// The variable that every version sets, and the one with the version, which those up to 2.1.101 don't set.
const STARTED: &str = "CLAUDE_CODE_ENTRYPOINT";
const VERSION: &str = "AI_AGENT";

/// The prefix of the second variable's value, such as `claude-code_2-1-332_harness`.
const AGENT: &str = "claude-code";

/// The value of the first variable in a session on the terminal's screen. A run without a screen has another value,
/// even if it inherits this one.
const ON_SCREEN: &str = "cli";

/// The event at the start of a session. Its reply is shown to the user.
const SESSION_START: &str = "SessionStart";

/// The event after a change of settings, and the sources that can contain this program's hook. Claude Code applies
/// changes of an administrator's settings regardless of hooks.
const SETTINGS_CHANGE: &str = "ConfigChange";
const SETTINGS: [&str; 3] = ["user_settings", "project_settings", "local_settings"];

/// The event after auto mode's classifier has refused a call, and the name of that mode.
const DENIED: &str = "PermissionDenied";
const AUTO: &str = "auto";

/// Tools that write and read files in harnesses that load Claude Code's hooks and can't be distinguished from it
/// otherwise.
static FOREIGN: &[Tool] = &[
    tool(&["write", "write_file", "create", "Create", "write_to_file", "fs_write", "editor"], Shape::Editor),
    tool(
        &["edit", "edit_file", "replace", "str_replace", "search_replace", "StrReplace", "Delete"],
        Shape::File("Edit"),
    ),
    tool(&["multiedit"], Shape::File("MultiEdit")),
    tool(&["read", "read_file", "view"], Shape::File("Read")),
    tool(&["glob", "find_files"], Shape::Folder("Glob")),
    tool(&["grep", "grep_search", "search_files"], Shape::Folder("Grep")),
    tool(
        &[
            "exec",
            "exec_command",
            "execute_command",
            "shell_command",
            "run_command",
            "run_in_terminal",
            "run_terminal_command",
            "run_terminal_cmd",
            "terminal",
        ],
        Shape::Command(Dialect::Bash, &["command", "cmd", "CommandLine"]),
    ),
    tool(&["run_commands", "runCommands"], Shape::Commands(&["commands", "command", "cmd"])),
];

impl Harness for Claude {
    fn capabilities(&self) -> &'static Capabilities {
        &CLAUDE
    }

    fn confidence_in(&self, payload: &Map<String, Value>) -> DetectionConfidence {
        DetectionConfidence::from_payload(payload, false)
    }

    fn surface_in(&self, payload: &Map<String, Value>, variable: &Variable<'_>) -> &'static Surface {
        match payload.get("hook_event_name").and_then(Value::as_str) {
            None | Some("PreToolUse") => {}
            Some(SESSION_START) => return Surface::session_start(),
            Some(SETTINGS_CHANGE) => return Surface::settings_change(),
            Some(_) => return CLAUDE.usual_surface().for_unknown_event(),
        }
        CLAUDE.surface(match variable(VERSION) {
            Some(agent) if agent.starts_with(AGENT) => "PreToolUse",
            // Versions before 2.1.102 don't set it. Without a screen, those up to 2.1.50 run calls despite an ask.
            None if variable(STARTED).is_some() => UNASKED_UNREWRITTEN,
            // A harness that loads Claude Code's hooks, or a server, which has no variables.
            _ => UNKNOWN_VERSION,
        })
    }

    fn surface_of(&self, surface: &'static Surface, scene: &AskScene<'_>) -> &'static Surface {
        if surface.ask != Ask::Person {
            return surface;
        }
        if !asks::is_shown(scene, (scene.variable)(VERSION).as_deref()) {
            return CLAUDE.surface(if surface.rewrites == Rewrites::Never { UNASKED_UNREWRITTEN } else { UNASKED });
        }
        // In the other modes, the harness may let the call run without a prompt, and that can't be distinguished
        // afterwards.
        let waits = matches!(scene.mode, Some("default" | "acceptEdits"));
        let on_screen = (scene.variable)(STARTED).as_deref() == Some(ON_SCREEN);
        if waits && on_screen && surface.rewrites != Rewrites::Never {
            CLAUDE.surface("PreToolUse screen")
        } else {
            surface
        }
    }

    fn decode(&self, payload: &Map<String, Value>) -> Result<Payload, Unreadable> {
        let name = name_field(payload, "hook_event_name")?;
        let event = match name {
            None | Some("PreToolUse") => Event::Calls(calls(payload)?),
            Some("SessionEnd") => Event::SessionEnd,
            // The event also occurs during a session, after its text was compacted.
            Some(SESSION_START) if payload.get("source").and_then(Value::as_str) != Some("compact") => {
                Event::SessionStart
            }
            Some(SETTINGS_CHANGE) => settings_change(payload).map_or(Event::Other, Event::SettingsChange),
            Some(DENIED) if payload.get("permission_mode").and_then(Value::as_str) == Some(AUTO) => {
                calls(payload).map_or(Event::Other, |calls| Event::CallsEnded(End::RefusedByClassifier, calls))
            }
            // An error in an informative event is ignored.
            Some(event) if RAN.contains(&event) => {
                calls(payload).map_or(Event::Other, |calls| Event::CallsEnded(End::Ran, calls))
            }
            Some(event) if events::is_informative(event) || !events::contains_call(payload) => Event::Other,
            Some(event) => Event::Calls(calls_of_unknown(payload, event)?),
        };
        let unknown_event = matches!(event, Event::Calls(_)) && !matches!(name, None | Some("PreToolUse"));
        // Invalid informative fields must not prevent a decision.
        let text = |key| payload.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Payload {
            event,
            cwd: text("cwd"),
            directory: String::new(),
            session: text("session_id"),
            permission_mode: text("permission_mode"),
            agent: text("agent_type"),
            call: text("tool_use_id"),
            parent: String::new(),
            failed: reports_failure(payload),
            unknown_event,
        })
    }

    fn frame(&self, reason: String) -> String {
        // Some reasons already start with the word.
        if reason.starts_with(GUARDRAIL_BLOCKED) { reason } else { format!("BLOCKED: {reason}") }
    }

    fn write(&self, response: &Response, surface: &'static Surface) -> String {
        match response {
            Response::Deny(reason) if surface.event == SETTINGS_CHANGE => {
                line(&Nested { decision: Some("block"), reason: Some(reason), ..Nested::default() })
            }
            response => line(&Nested::before_tool(response, surface)),
        }
    }
}

/// Returns the changed settings file, if it can contain this program's hook.
fn settings_change(payload: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| payload.get(key).and_then(Value::as_str);
    text("source").filter(|source| SETTINGS.contains(source))?;
    text("file_path").filter(|path| path.starts_with('/')).map(str::to_owned)
}

/// Returns the text under `key`. `None` if it is missing or `null`.
fn name_field<'a>(object: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Unreadable> {
    if object.get(key).is_some_and(Value::is_null) { Ok(None) } else { text_field(object, key) }
}

/// Returns the text under `key`. `None` if it is missing.
fn text_field<'a>(object: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, Unreadable> {
    match object.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Unreadable::Malformed(format!("`{key}` is not a string"))),
    }
}

/// Returns the calls of an event with another name.
fn calls_of_unknown(payload: &Map<String, Value>, event: &str) -> Result<Vec<ToolCall>, Unreadable> {
    let found = match payload.get("command").and_then(Value::as_str) {
        Some(text) if !payload.contains_key("tool_input") => {
            command("Bash", "command", Dialect::Bash, Map::from_iter([("command".to_owned(), text.into())]))?
        }
        _ => calls(payload)?,
    };
    if found.is_empty() {
        Err(unclear_call(&format!("the event `{event}` has a call that can't be read")))
    } else {
        Ok(found)
    }
}

fn calls(payload: &Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let input = match payload.get("tool_input") {
        None => return Ok(Vec::new()),
        Some(Value::Object(input)) => input.clone(),
        Some(_) => return Err(Unreadable::Malformed("`tool_input` is not an object".to_owned())),
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
        // Shell tools of harnesses that load Claude Code's hooks.
        "run_shell_command" | "Execute" | "Shell" | "shell" | "bash" | "local_shell" => {
            command(name, "command", Dialect::Bash, input)
        }
        "PowerShell" => command(name, "command", Dialect::PowerShell, input),
        "REPL" => command(name, "code", Dialect::Unknown, input),
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "Read" => {
            let fields = ["file_path", "path", "notebook_path"].map(|key| text_field(&input, key));
            let named = fields.iter().any(|field| matches!(field, Ok(Some(_))));
            for field in fields {
                // If another key names a file, a wrong type here makes the payload unclear, but not malformed.
                field.map_err(|error| if named { unclear_call(&error.to_string()) } else { error })?;
            }
            Ok(if named { vec![ToolCall::new(name, input)] } else { Vec::new() })
        }
        "apply_patch" => {
            let mut texts = Vec::new();
            texts.extend(text_field(&input, "command")?.or(text_field(&input, "input")?));
            // Keys of other harnesses.
            let others = ["patch", "patchText"].iter().filter_map(|key| input.get(*key)?.as_str());
            texts.extend(others.filter(|text| patch::is_one(text)));
            let mut calls = Vec::new();
            for text in texts {
                calls.extend(patch::calls(text)?);
            }
            Ok(calls)
        }
        // The old and new name of the same tool.
        "Task" => Ok(vec![ToolCall { original_tool: name.to_owned(), ..ToolCall::new("Agent", input) }]),
        _ => tools::calls(FOREIGN, name, name, input),
    }
}

/// Returns a call that runs the text under `key`. PowerShell keeps its name. Other tools are `Bash` for policies.
fn command(
    name: &str,
    key: &str,
    dialect: Dialect,
    mut input: Map<String, Value>,
) -> Result<Vec<ToolCall>, Unreadable> {
    let Some(text) = text_field(&input, key)?.map(str::to_owned) else {
        // A Monitor may watch a socket instead of running a command.
        return Ok(Vec::new());
    };
    input.insert("command".to_owned(), Value::String(text));
    let tool = if dialect == Dialect::PowerShell { name } else { "Bash" };
    Ok(vec![ToolCall { tool: tool.to_owned(), original_tool: name.to_owned(), input, dialect: Some(dialect) }])
}
