//! Each harness's reading of a reply, written from its protocol's documentation, independently of the encoders.

use guard_harness::Reply;
use serde_json::Value;

/// The fate of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallFate {
    /// It runs, regardless of the harness's own rules.
    Granted,
    /// It continues as if there were no hook.
    Passes,
    /// A person is prompted, or it doesn't run.
    Asked,
    /// It doesn't run.
    Blocked,
    /// The reply is invalid. The consequences vary.
    Broken,
}

use CallFate::{Asked, Blocked, Broken, Granted, Passes};

/// A reply as a harness receives it.
struct Received<'a> {
    reply: &'a Reply,
    /// The JSON object, if the reply is one.
    object: Option<Value>,
}

impl Received<'_> {
    fn text(&self, pointer: &str) -> Option<&str> {
        self.object.as_ref()?.pointer(pointer)?.as_str()
    }

    fn decision(&self) -> Option<&str> {
        self.text("/decision")
    }

    fn is_silent(&self) -> bool {
        self.reply.stdout.trim().is_empty()
    }

    /// Returns whether the exit code blocks, which requires a reason.
    fn exit_blocks(&self) -> bool {
        self.reply.exit == 2 && !self.reply.stderr.trim().is_empty()
    }

    /// Reads Claude Code's keys.
    fn nested(&self) -> CallFate {
        match self.text("/hookSpecificOutput/permissionDecision") {
            Some("allow") => Granted,
            Some("ask") => Asked,
            Some("deny") => Blocked,
            _ => Passes,
        }
    }
}

/// Returns the harness's reading of these bytes and this exit code.
pub(crate) fn reads(harness: &str, event: &str, reply: &Reply) -> CallFate {
    let json: Option<Value> = serde_json::from_str(reply.stdout.trim()).ok();
    let received = Received { reply, object: json.filter(Value::is_object) };
    match harness {
        "claude" => claude(event, &received),
        "codex" => codex(event, &received),
        "copilot" if reply.exit != 0 => Blocked,
        "copilot" => copilot(&reply.stdout),
        "vscode" | "droid" | "qwen" | "kimi" | "kiro" | "windsurf" | "devin" if received.exit_blocks() => Blocked,
        // A decision without its reason is ignored.
        "qwen" if received.text("/hookSpecificOutput/permissionDecisionReason").is_none() => Passes,
        "vscode" | "droid" | "qwen" => received.nested(),
        "kimi" if received.nested() == Blocked => Blocked,
        "kimi" | "kiro" | "windsurf" => Passes,
        "devin" | "hermes" if received.decision() == Some("block") => Blocked,
        // A shell hook's exit code is ignored, and `block` is its only action.
        "hermes" if received.text("/action") == Some("block") => Blocked,
        "devin" | "hermes" => Passes,
        "opencode" | "kilo" | "pi" | "amp" | "openclaw" => plugin(harness, event, &received),
        "cline" => cline(event, &received),
        _ => by_decision(harness, event, &received),
    }
}

fn claude(event: &str, received: &Received<'_>) -> CallFate {
    match received.decision() {
        _ if event == "PreToolUse" && received.exit_blocks() => Blocked,
        // Any JSON is accepted, and text without a leading brace isn't JSON.
        _ if received.is_silent() || !received.reply.stdout.starts_with('{') => Passes,
        Some("approve") => Granted,
        Some("block") => Blocked,
        _ => received.nested(),
    }
}

fn codex(event: &str, received: &Received<'_>) -> CallFate {
    match received.text("/hookSpecificOutput/decision/behavior") {
        _ if received.exit_blocks() => Blocked,
        _ if event == "PreToolUse" => codex_before_tool(received.object.as_ref()),
        Some("allow") => Granted,
        Some("deny") => Blocked,
        _ => Passes,
    }
}

/// Reads a reply to our plugins.
fn plugin(harness: &str, event: &str, received: &Received<'_>) -> CallFate {
    // Only an exit code of 0 with a decision lets the call continue.
    let can_ask = !matches!((harness, event), ("opencode" | "kilo", _) | ("pi", "pi.tool_call print"));
    match received.decision() {
        Some("allow") if received.reply.exit == 0 => Passes,
        Some("ask") if received.reply.exit == 0 && can_ask => Asked,
        _ => Blocked,
    }
}

/// Reads the replies of harnesses with a `decision` or a `permission` at the top level.
fn by_decision(harness: &str, event: &str, received: &Received<'_>) -> CallFate {
    let Received { reply, object } = received;
    match (harness, received.decision()) {
        // JSON is read with any exit code. Any other text blocks from exit code 2 on.
        ("gemini", Some("deny" | "block")) => Blocked,
        ("gemini", None)
            if object.is_none() && reply.exit >= 2 && !(received.is_silent() && reply.stderr.is_empty()) =>
        {
            Blocked
        }
        // An ask overrides the deny rules, so it is worse than no reply.
        ("gemini", Some("ask")) => Granted,
        ("gemini", _) => Passes,
        ("antigravity" | "generic", Some("allow")) => Passes,
        ("antigravity", Some("auto_approve")) => Granted,
        ("antigravity", Some("ask" | "force_ask")) => Asked,
        ("antigravity", Some("deny")) | ("generic", Some("block")) => Blocked,
        ("antigravity" | "generic", _) => Broken,
        ("cursor", _) => match received.text("/permission") {
            _ if reply.exit == 2 => Blocked,
            Some("deny") => Blocked,
            Some("allow" | "ask") => Passes,
            None if event == "other" && object.is_some() => Passes,
            _ => Broken,
        },
        // An allow only means no denial.
        ("grok", decision) => match received.text("/hookSpecificOutput/permissionDecision").or(decision) {
            _ if reply.exit == 2 => Blocked,
            Some("ask") => Asked,
            Some("deny") => Blocked,
            _ => Passes,
        },
        ("crush", _) if matches!(reply.exit, 2 | 49) => Blocked,
        // Strict: anything but an exit code of 0 with no output or an object is a deny.
        ("vibe", _) if reply.exit != 0 || !(received.is_silent() || object.is_some()) => Blocked,
        ("crush" | "vibe", Some("deny")) => Blocked,
        ("crush", Some("allow")) => Granted,
        ("crush" | "vibe", _) => Passes,
        (other, _) => panic!("nobody has said how `{other}` reads a reply"),
    }
}

fn cline(event: &str, received: &Received<'_>) -> CallFate {
    let at = |pointer: &str| received.text(pointer);
    match received.object.as_ref().and_then(|value| value.get("cancel")) {
        Some(Value::Bool(true)) => Blocked,
        _ if event == "tool_call run_commands" && at("/overrideInput/commands/0").is_some_and(only_fails) => Blocked,
        // Below a path that isn't a folder, nothing can be read or created.
        _ if event == "tool_call read_files" && at("/overrideInput/files/0/path").is_some_and(is_nowhere) => Blocked,
        _ if event == "tool_call editor"
            && at("/overrideInput/path").is_some_and(is_nowhere)
            && received.object.as_ref().is_some_and(|reply| reply["overrideInput"]["insert_line"] == 1) =>
        {
            Blocked
        }
        _ => Passes,
    }
}

/// Returns whether the path is below a device.
fn is_nowhere(path: &str) -> bool {
    path.strip_prefix("/dev/null/").is_some_and(|rest| !rest.contains("..") && !rest.contains('/'))
}

/// Returns whether the command only prints one quoted word and fails, for any word.
fn only_fails(command: &str) -> bool {
    let word = command.strip_prefix("printf '%s\\n' ").and_then(|rest| rest.strip_suffix(" >&2; exit 1"));
    let Some(mut rest) = word.filter(|word| !word.is_empty()) else { return false };
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('\'').and_then(|inner| inner.split_once('\''));
        let Some(after) = quoted.map(|(_, after)| after).or_else(|| rest.strip_prefix("\\'")) else { return false };
        rest = after;
    }
    true
}

/// Reads Codex's reply before a tool: strict, and invalid replies are ignored.
fn codex_before_tool(reply: Option<&Value>) -> CallFate {
    let Some(reply) = reply.and_then(Value::as_object) else { return Passes };
    if reply.keys().any(|key| !matches!(key.as_str(), "systemMessage" | "hookSpecificOutput")) {
        return Passes;
    }
    let Some(output) = reply.get("hookSpecificOutput").and_then(Value::as_object) else { return Passes };
    let known =
        ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext", "updatedInput"];
    let text = |key: &str| output.get(key).and_then(Value::as_str).unwrap_or_default();
    let fits = output.keys().all(|key| known.contains(&key.as_str())) && text("hookEventName") == "PreToolUse";
    let reasoned = !text("permissionDecisionReason").trim().is_empty();
    if fits && reasoned && text("permissionDecision") == "deny" { Blocked } else { Passes }
}

/// Reads Copilot's reply: lines of progress, then at most one reply.
fn copilot(stdout: &str) -> CallFate {
    let values: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let replies: Vec<&Value> = values.iter().filter(|value| value["type"] != "progress").collect();
    let [reply] = replies.as_slice() else { return Passes };
    match reply["permissionDecision"].as_str() {
        Some("allow") => Granted,
        Some("ask") => Asked,
        Some("deny") if reply["permissionDecisionReason"].is_string() => Blocked,
        _ => Passes,
    }
}
