//! How each harness reads a reply, written from what is known of its protocol and without a look at the encoders.

use guard_harness::Reply;
use serde_json::Value;

/// The fate of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallFate {
    /// It runs, whatever the harness's own rules say.
    Granted,
    /// It goes on as if no hook had been asked.
    Passes,
    /// A person is asked, or it does not run.
    Asked,
    /// It does not run.
    Blocked,
    /// The reply is none; what follows differs.
    Broken,
}

use CallFate::{Asked, Blocked, Broken, Granted, Passes};

/// A reply as a harness gets it.
struct Received<'a> {
    reply: &'a Reply,
    /// The JSON object that it is.
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

    /// The exit code that blocks counts with a reason alone.
    fn exit_blocks(&self) -> bool {
        self.reply.exit == 2 && !self.reply.stderr.trim().is_empty()
    }

    /// The meaning of Claude Code's keys.
    fn nested(&self) -> CallFate {
        match self.text("/hookSpecificOutput/permissionDecision") {
            Some("allow") => Granted,
            Some("ask") => Asked,
            Some("deny") => Blocked,
            _ => Passes,
        }
    }
}

/// The harness's reading of these bytes and this exit code.
pub(crate) fn reads(harness: &str, event: &str, reply: &Reply) -> CallFate {
    let json: Option<Value> = serde_json::from_str(reply.stdout.trim()).ok();
    let received = Received { reply, object: json.filter(Value::is_object) };
    match harness {
        "claude" => claude(event, &received),
        "codex" => codex(event, &received),
        "copilot" if reply.exit != 0 => Blocked,
        "copilot" => copilot(&reply.stdout),
        "vscode" | "droid" | "qwen" | "kimi" | "kiro" | "windsurf" | "devin" if received.exit_blocks() => Blocked,
        // A decision without its reason is none.
        "qwen" if received.text("/hookSpecificOutput/permissionDecisionReason").is_none() => Passes,
        "vscode" | "droid" | "qwen" => received.nested(),
        "kimi" if received.nested() == Blocked => Blocked,
        "kimi" | "kiro" | "windsurf" => Passes,
        "devin" | "hermes" if received.decision() == Some("block") => Blocked,
        // A shell hook's exit code says nothing, and no other action than `block` is taken from it.
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
        // Any JSON counts; what does not begin with a brace is no JSON.
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

/// Our plugins.
fn plugin(harness: &str, event: &str, received: &Received<'_>) -> CallFate {
    // Anything but an exit of 0 and a decision holds the call.
    let can_ask = !matches!((harness, event), ("opencode" | "kilo", _) | ("pi", "pi.tool_call print"));
    match received.decision() {
        Some("allow") if received.reply.exit == 0 => Passes,
        Some("ask") if received.reply.exit == 0 && can_ask => Asked,
        _ => Blocked,
    }
}

/// The harnesses whose replies have a `decision`, or a `permission`, at their top.
fn by_decision(harness: &str, event: &str, received: &Received<'_>) -> CallFate {
    let Received { reply, object } = received;
    match (harness, received.decision()) {
        // JSON counts at any exit code; any other text blocks from 2 on.
        ("gemini", Some("deny" | "block")) => Blocked,
        ("gemini", None)
            if object.is_none() && reply.exit >= 2 && !(received.is_silent() && reply.stderr.is_empty()) =>
        {
            Blocked
        }
        // An ask is taken before the deny rules: it is worse than nothing.
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
        // An allow only declines to deny.
        ("grok", decision) => match received.text("/hookSpecificOutput/permissionDecision").or(decision) {
            _ if reply.exit == 2 => Blocked,
            Some("ask") => Asked,
            Some("deny") => Blocked,
            _ => Passes,
        },
        ("crush", _) if matches!(reply.exit, 2 | 49) => Blocked,
        // Strict: an exit of 0 with nothing or an object, or else it counts as a deny.
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
        // Below what is no folder nothing can be read or made, and who names a line makes no file.
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

/// The path lies below a device.
fn is_nowhere(path: &str) -> bool {
    path.strip_prefix("/dev/null/").is_some_and(|rest| !rest.contains("..") && !rest.contains('/'))
}

/// The command prints one quoted word and fails, whatever the word holds.
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

/// Codex before a tool: strict, and what does not fit counts for nothing.
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

/// Copilot: lines of progress, then at most one reply.
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
