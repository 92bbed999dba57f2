//! The formats of lines in transcripts, logs and lists of calls.
//!
//! Based on transcripts that the agents wrote in tests, and on this program's own log.

use serde_json::{Map, Value, json};

use guard_harness::{DetectionConfidence, Harness};
use guard_hook::audit::{Decision, OPERATION_BYTES, is_of_call};
use guard_redact::MARK;

/// The content of one line.
#[derive(Debug, PartialEq)]
pub(super) enum LineContents {
    /// Calls, as payloads of a harness.
    Calls(Vec<Call>),
    /// A decision with everything that it depends on.
    Decision(Box<Decision>),
    /// Nothing to decide, such as the model's answer.
    Nothing,
    /// Why the line can't be used.
    Unusable(&'static str),
}

/// A call as its harness would send it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) harness: &'static str,
    /// The payload: the tool, its input and the working directory.
    pub(super) payload: Map<String, Value>,
}

/// What is known of a file from its earlier lines.
#[derive(Debug, Default)]
pub(super) struct Context {
    /// The working directory. Empty if unknown.
    cwd: String,
}

/// Returns the text of this key. Empty if the key is missing.
fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

impl Context {
    /// Parses a value: a line or a whole file.
    pub(super) fn read(&mut self, value: Value) -> LineContents {
        match value {
            Value::Object(object) => self.object(object),
            Value::Array(list) => self.list(list),
            _ => LineContents::Unusable("no object"),
        }
    }

    fn list(&mut self, list: Vec<Value>) -> LineContents {
        if list.is_empty() {
            return LineContents::Unusable("an empty list");
        }
        let mut calls = Vec::new();
        for value in list {
            match self.read(value) {
                LineContents::Calls(more) => calls.extend(more),
                LineContents::Nothing => {}
                other => return other,
            }
        }
        if calls.is_empty() { LineContents::Nothing } else { LineContents::Calls(calls) }
    }

    fn object(&mut self, mut object: Map<String, Value>) -> LineContents {
        if object.contains_key("ts") && object.contains_key("action") {
            return audit_line(&mut object);
        }
        let kind = text(&object, "type").to_owned();
        match object.get("payload") {
            // Codex: each line has a type and a payload.
            Some(Value::Object(payload)) if !kind.is_empty() && object.contains_key("timestamp") => {
                return self.codex_line(&kind, payload);
            }
            _ => {}
        }
        if let Some(Value::Object(data)) = object.get("data")
            && kind.contains('.')
        {
            return self.copilot_line(&kind, data);
        }
        if object.contains_key("sessionID") && object.contains_key("messageID") {
            return self.gemini_messages(&[json!({ "parts": [object] })]);
        }
        // Gemini: a chat is a list of messages, or a line for each message and each of its changes.
        if let Some(Value::Object(change)) = object.get("$set") {
            return self.gemini_messages(change.get("messages").and_then(Value::as_array).map_or(&[], Vec::as_slice));
        }
        if let Some(Value::Array(messages)) = object.get("messages") {
            if let Some(folder) = object.get("info").and_then(|info| info.get("directory")).and_then(Value::as_str) {
                folder.clone_into(&mut self.cwd);
            }
            return self.gemini_messages(messages);
        }
        if ["toolCalls", "parts"].iter().any(|key| object.contains_key(*key)) {
            return self.gemini_messages(&[Value::Object(object)]);
        }
        if let Some(Value::Object(message)) = object.get("message")
            && !kind.is_empty()
        {
            // What was sent to the model repeats all earlier calls.
            return if kind == "assistant" { self.claude_line(&object, message) } else { LineContents::Nothing };
        }
        self.parse_plain(object)
    }

    /// Parses a call in the format of the other commands, or a payload.
    fn parse_plain(&mut self, object: Map<String, Value>) -> LineContents {
        let cwd = text(&object, "cwd").to_owned();
        if let Some(command) = object.get("command").filter(|_| !object.contains_key("tool_input")) {
            let input = Value::Object(Map::from_iter([("command".to_owned(), command.clone())]));
            return self.call("claude", "Bash", input, &cwd);
        }
        if let (Some(Value::String(tool)), Some(input)) = (object.get("tool"), object.get("input")) {
            let input = match input {
                Value::String(command) => json!({ "command": command }),
                other => other.clone(),
            };
            return self.call("claude", tool, input, &cwd);
        }
        let default = guard_harness::default();
        let harness: &dyn Harness = guard_harness::detect(&object, default);
        match harness.confidence_in(&object) {
            DetectionConfidence::None if is_of_a_transcript(&object) => LineContents::Nothing,
            DetectionConfidence::None => LineContents::Unusable("of no format that is known"),
            _ => LineContents::Calls(vec![Call { harness: harness.name(), payload: object }]),
        }
    }

    fn call(&self, harness: &'static str, tool: &str, input: Value, cwd: &str) -> LineContents {
        let cwd = if cwd.is_empty() { self.cwd.as_str() } else { cwd };
        let mut payload = Map::from_iter([
            ("tool_name".to_owned(), Value::String(tool.to_owned())),
            ("tool_input".to_owned(), input),
        ]);
        if !cwd.is_empty() {
            payload.insert("cwd".to_owned(), Value::String(cwd.to_owned()));
        }
        LineContents::Calls(vec![Call { harness, payload }])
    }

    fn claude_line(&mut self, line: &Map<String, Value>, message: &Map<String, Value>) -> LineContents {
        let Some(Value::Array(content)) = message.get("content") else { return LineContents::Nothing };
        let cwd = text(line, "cwd");
        let uses = content.iter().filter_map(Value::as_object).filter(|part| text(part, "type") == "tool_use");
        self.merge_calls(uses.map(|part| {
            let input = part.get("input").cloned().unwrap_or_else(|| json!({}));
            self.call("claude", text(part, "name"), input, cwd)
        }))
    }

    fn codex_line(&mut self, kind: &str, payload: &Map<String, Value>) -> LineContents {
        if let Some(Value::String(cwd)) = payload.get("cwd") {
            self.cwd.clone_from(cwd);
        }
        if kind != "response_item" {
            return LineContents::Nothing;
        }
        match text(payload, "type") {
            "function_call" => {
                let Ok(input) = serde_json::from_str::<Value>(text(payload, "arguments")) else {
                    return LineContents::Unusable("a call whose arguments are no JSON");
                };
                self.call("codex", text(payload, "name"), input, "")
            }
            "custom_tool_call" => {
                self.call("codex", text(payload, "name"), json!({ "command": text(payload, "input") }), "")
            }
            "local_shell_call" => {
                let action = payload.get("action").and_then(Value::as_object);
                let Some(command) = action.and_then(|action| action.get("command")) else {
                    return LineContents::Nothing;
                };
                let cwd = action.map_or("", |action| text(action, "working_directory"));
                self.call("codex", "local_shell", json!({ "command": command }), cwd)
            }
            _ => LineContents::Nothing,
        }
    }

    fn copilot_line(&mut self, kind: &str, data: &Map<String, Value>) -> LineContents {
        let folder = data.get("context").and_then(Value::as_object).map_or("", |context| text(context, "cwd"));
        if !folder.is_empty() {
            folder.clone_into(&mut self.cwd);
        }
        if kind != "assistant.message" {
            return LineContents::Nothing;
        }
        let Some(Value::Array(requests)) = data.get("toolRequests") else { return LineContents::Nothing };
        self.merge_calls(requests.iter().filter_map(Value::as_object).map(|request| {
            let input = request.get("arguments").cloned().unwrap_or_else(|| json!({}));
            self.call("copilot", text(request, "name"), input, "")
        }))
    }

    /// Parses messages of Gemini, which list their calls or have parts that are calls, and of OpenCode, whose parts are
    /// tools.
    fn gemini_messages(&mut self, messages: &[Value]) -> LineContents {
        let listed =
            |message: &Value, key: &str| message.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let calls = messages.iter().flat_map(|message| listed(message, "toolCalls"));
        let parts: Vec<Value> = messages.iter().flat_map(|message| listed(message, "parts")).collect();
        let in_parts = parts.iter().filter_map(|part| part.get("functionCall").cloned());
        let input = |of: &Map<String, Value>, key: &str| of.get(key).cloned().unwrap_or_else(|| json!({}));
        let of_gemini: Vec<Value> = calls.chain(in_parts).collect();
        let of_gemini = of_gemini.iter().filter_map(Value::as_object);
        let of_gemini = of_gemini.map(|call| self.call("gemini", text(call, "name"), input(call, "args"), ""));
        let tools = parts.iter().filter_map(Value::as_object).filter(|part| text(part, "type") == "tool");
        let of_opencode = tools.filter_map(|part| {
            let state = part.get("state")?.as_object()?;
            Some(self.call("opencode", text(part, "tool"), input(state, "input"), ""))
        });
        self.merge_calls(of_gemini.chain(of_opencode))
    }

    fn merge_calls(&self, found: impl Iterator<Item = LineContents>) -> LineContents {
        let calls: Vec<Call> = found
            .filter_map(|found| match found {
                LineContents::Calls(calls) => Some(calls),
                _ => None,
            })
            .flatten()
            .collect();
        if calls.is_empty() { LineContents::Nothing } else { LineContents::Calls(calls) }
    }
}

/// Returns whether it is a transcript's line without a call. Such lines have one of these keys.
fn is_of_a_transcript(object: &Map<String, Value>) -> bool {
    ["type", "record_type", "timestamp", "sessionId", "sessionID"].iter().any(|key| object.contains_key(*key))
}

/// Parses a line of the audit log.
fn audit_line(line: &mut Map<String, Value>) -> LineContents {
    if let Some(decision) = line.remove("decision") {
        return match serde_json::from_value(decision) {
            Ok(decision) => LineContents::Decision(Box::new(decision)),
            Err(_) => LineContents::Unusable("a decision that cannot be read"),
        };
    }
    let (tool, operation) = (text(line, "tool"), text(line, "operation"));
    if !is_of_call(text(line, "action")) || tool.is_empty() {
        return LineContents::Nothing;
    }
    let is_shortened = operation.ends_with("...") && operation.len() + 3 >= OPERATION_BYTES;
    if is_shortened || operation.contains(MARK) {
        return LineContents::Unusable("a line of the log without the whole call");
    }
    let input = match tool {
        "Bash" | "PowerShell" | "Monitor" => json!({ "command": operation }),
        "Read" | "LS" => json!({ "file_path": operation }),
        _ => match serde_json::from_str::<Map<String, Value>>(operation) {
            Ok(input) => Value::Object(input),
            // The log doesn't have the content that was written.
            Err(_) => return LineContents::Unusable("a line of the log without the whole call"),
        },
    };
    let cwd = text(line, "cwd").to_owned();
    Context::default().call("claude", tool, input, &cwd)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(lines: &[Value]) -> Vec<(String, String, String)> {
        let mut context = Context::default();
        let mut found = Vec::new();
        for line in lines {
            if let LineContents::Calls(calls) = context.read(line.clone()) {
                let told = |call: &Call, key: &str| {
                    call.payload.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                };
                found.extend(calls.iter().map(|call| {
                    let tool = told(call, "tool_name").unwrap_or_default();
                    (
                        format!("{} {tool}", call.harness),
                        told(call, "tool_input").unwrap_or_default(),
                        told(call, "cwd").unwrap_or_default(),
                    )
                }));
            }
        }
        found
    }

    fn one(lines: &[Value], tool: &str, input: Value, cwd: &str) {
        assert_eq!(calls(lines), [(tool.to_owned(), input.to_string(), cwd.to_owned())], "{lines:?}");
    }

    #[test]
    fn each_transcript_has_its_calls() {
        let ls = json!({ "command": "ls" });
        one(
            &[
                json!({ "type": "user", "message": { "role": "user", "content": "hi" }, "cwd": "/p" }),
                json!({ "type": "assistant", "cwd": "/p", "message": { "content": [
                    { "type": "text", "text": "x" }, { "type": "tool_use", "id": "1", "name": "Bash", "input": ls }] } }),
            ],
            "claude Bash",
            ls.clone(),
            "/p",
        );
        one(
            &[
                json!({ "timestamp": "t", "type": "session_meta", "payload": { "id": "1", "cwd": "/p" } }),
                json!({ "timestamp": "t", "type": "response_item", "payload":
                    { "type": "function_call", "name": "shell", "arguments": "{\"command\":\"ls\"}", "call_id": "c" } }),
                json!({ "timestamp": "t", "type": "response_item", "payload": { "type": "message", "content": [] } }),
            ],
            "codex shell",
            ls.clone(),
            "/p",
        );
        one(
            &[
                json!({ "type": "session.start", "data": { "context": { "cwd": "/p" } } }),
                json!({ "type": "assistant.message", "data": { "content": "", "toolRequests":
                    [{ "toolCallId": "1", "name": "bash", "arguments": ls }] } }),
            ],
            "copilot bash",
            ls.clone(),
            "/p",
        );
        one(
            &[json!({ "sessionId": "s", "messages": [{ "type": "user", "content": "x" },
                { "type": "gemini", "toolCalls": [{ "id": "1", "name": "run_shell_command", "args": ls }] }] })],
            "gemini run_shell_command",
            ls.clone(),
            "",
        );
        one(
            &[
                json!({ "sessionId": "s", "projectHash": "h", "kind": "main" }),
                json!({ "$set": { "lastUpdated": "t" } }),
                json!({ "id": "1", "type": "gemini", "content": "", "toolCalls":
                    [{ "id": "1", "name": "run_shell_command", "args": ls }] }),
            ],
            "gemini run_shell_command",
            ls.clone(),
            "",
        );
        one(
            &[
                json!({ "info": { "directory": "/p" }, "messages": [{ "info": {}, "parts": [{ "type": "text", "text": "x" },
                { "type": "tool", "tool": "bash", "state": { "input": ls } }] }] }),
            ],
            "opencode bash",
            ls.clone(),
            "/p",
        );
        one(
            &[json!({ "id": "p", "sessionID": "s", "messageID": "m", "type": "tool", "tool": "bash",
                "state": { "status": "completed", "input": ls } })],
            "opencode bash",
            ls,
            "",
        );
    }

    #[test]
    fn what_is_no_call_is_told_apart_from_what_is_not_known() {
        let read = |value: Value| Context::default().read(value);
        assert_eq!(read(json!({ "type": "summary", "summary": "x" })), LineContents::Nothing);
        let sent = json!({ "type": "api-request-blob", "message": { "content": [
            { "type": "tool_use", "name": "Bash", "input": { "command": "ls" } }] } });
        assert_eq!(read(sent), LineContents::Nothing);
        assert_eq!(
            read(json!({ "ts": "t", "action": "ran", "tool": "Bash", "operation": "ls" })),
            LineContents::Nothing
        );
        assert_eq!(read(json!({ "colour": "red" })), LineContents::Unusable("of no format that is known"));
        assert_eq!(read(json!("x")), LineContents::Unusable("no object"));
        let short = json!({ "ts": "t", "action": "allow", "tool": "Bash", "operation": "curl -H [redacted] x" });
        assert_eq!(read(short), LineContents::Unusable("a line of the log without the whole call"));
    }
}
