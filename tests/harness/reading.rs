//! How each harness reads a reply, written from what is known of its protocol and without a look at the encoders.

use guard_harness::Reply;
use serde_json::Value;

/// What becomes of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
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

use Means::{Asked, Blocked, Broken, Granted, Passes};

/// What the harness makes of these bytes and this exit code.
pub(crate) fn reads(harness: &str, event: &str, reply: &Reply) -> Means {
    let json: Option<Value> = serde_json::from_str(reply.stdout.trim()).ok();
    let object = json.as_ref().filter(|value| value.is_object());
    let at = |pointer: &str| object.and_then(|value| value.pointer(pointer)).and_then(Value::as_str);
    let silent = reply.stdout.trim().is_empty();
    let exit_blocks = reply.exit == 2 && !reply.stderr.trim().is_empty();
    let nested = || match at("/hookSpecificOutput/permissionDecision") {
        Some("allow") => Granted,
        Some("ask") => Asked,
        Some("deny") => Blocked,
        _ => Passes,
    };
    match (harness, event) {
        ("claude", "PreToolUse") if exit_blocks => Blocked,
        // Any JSON counts; what does not begin with a brace is no JSON.
        ("claude", _) if silent || !reply.stdout.starts_with('{') => Passes,
        ("claude", _) => match at("/decision") {
            Some("approve") => Granted,
            Some("block") => Blocked,
            _ => nested(),
        },
        ("codex", "PreToolUse") if exit_blocks => Blocked,
        ("codex", "PreToolUse") => codex(object),
        ("codex", _) => match at("/hookSpecificOutput/decision/behavior") {
            _ if exit_blocks => Blocked,
            Some("allow") => Granted,
            Some("deny") => Blocked,
            _ => Passes,
        },
        // JSON counts at any exit code; any other text blocks from 2 on.
        ("gemini", _) => match at("/decision") {
            Some("deny" | "block") => Blocked,
            None if object.is_none() && reply.exit >= 2 && !(silent && reply.stderr.is_empty()) => Blocked,
            // An ask is taken before the deny rules: it is worse than nothing.
            Some("ask") => Granted,
            _ => Passes,
        },
        ("antigravity", _) => match at("/decision") {
            Some("allow") => Passes,
            Some("auto_approve") => Granted,
            Some("ask" | "force_ask") => Asked,
            Some("deny") => Blocked,
            _ => Broken,
        },
        ("cursor", _) => match at("/permission") {
            _ if reply.exit == 2 => Blocked,
            Some("deny") => Blocked,
            Some("allow" | "ask") => Passes,
            None if event == "other" && object.is_some() => Passes,
            _ => Broken,
        },
        ("copilot", _) if reply.exit != 0 => Blocked,
        ("copilot", _) => copilot(&reply.stdout),
        ("vscode" | "droid", _) if exit_blocks => Blocked,
        ("vscode" | "droid", _) => nested(),
        ("qwen", _) if exit_blocks => Blocked,
        // A decision without its reason is none.
        ("qwen", _) if at("/hookSpecificOutput/permissionDecisionReason").is_none() => Passes,
        ("qwen", _) => nested(),
        // An allow only declines to deny.
        ("grok", _) => match at("/hookSpecificOutput/permissionDecision").or(at("/decision")) {
            _ if reply.exit == 2 => Blocked,
            Some("ask") => Asked,
            Some("deny") => Blocked,
            _ => Passes,
        },
        ("kimi", _) if at("/hookSpecificOutput/permissionDecision") == Some("deny") => Blocked,
        ("kimi" | "kiro" | "windsurf", _) if exit_blocks => Blocked,
        ("kimi" | "kiro" | "windsurf", _) => Passes,
        // A shell hook's exit code says nothing, and no other action than `block` is taken from it.
        ("hermes", _) if at("/action") == Some("block") || at("/decision") == Some("block") => Blocked,
        ("hermes", _) => Passes,
        ("crush", _) => match at("/decision") {
            _ if matches!(reply.exit, 2 | 49) => Blocked,
            Some("deny") => Blocked,
            Some("allow") => Granted,
            _ => Passes,
        },
        ("devin", _) if exit_blocks || at("/decision") == Some("block") => Blocked,
        ("devin", _) => Passes,
        // Our plugins: anything but an exit of 0 and a decision holds the call.
        ("opencode" | "kilo", _) | ("pi", "pi.tool_call print") => {
            if reply.exit == 0 && at("/decision") == Some("allow") { Passes } else { Blocked }
        }
        ("amp" | "pi" | "openclaw", _) => match at("/decision") {
            Some("allow") if reply.exit == 0 => Passes,
            Some("ask") if reply.exit == 0 => Asked,
            _ => Blocked,
        },
        // Strict: an exit of 0 with nothing or an object, or else it counts as a deny.
        ("vibe", _) => match at("/decision") {
            _ if reply.exit != 0 || !(silent || object.is_some()) => Blocked,
            Some("deny") => Blocked,
            _ => Passes,
        },
        ("generic", _) => match at("/decision") {
            Some("allow") => Passes,
            Some("block") => Blocked,
            _ => Broken,
        },
        ("cline", _) => match object.and_then(|value| value.get("cancel")) {
            Some(Value::Bool(true)) => Blocked,
            _ if event == "tool_call run_commands" && at("/overrideInput/commands/0").is_some_and(only_fails) => {
                Blocked
            }
            // Below what is no folder nothing can be read or made, and who names a line makes no file.
            _ if event == "tool_call read_files" && at("/overrideInput/files/0/path").is_some_and(is_nowhere) => {
                Blocked
            }
            _ if event == "tool_call editor"
                && at("/overrideInput/path").is_some_and(is_nowhere)
                && object.is_some_and(|reply| reply["overrideInput"]["insert_line"] == 1) =>
            {
                Blocked
            }
            _ => Passes,
        },
        (other, _) => panic!("nobody has said how `{other}` reads a reply"),
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
fn codex(reply: Option<&Value>) -> Means {
    let Some(reply) = reply.and_then(Value::as_object) else { return Passes };
    if reply.keys().any(|key| !matches!(key.as_str(), "systemMessage" | "hookSpecificOutput")) {
        return Passes;
    }
    let Some(output) = reply.get("hookSpecificOutput").and_then(Value::as_object) else { return Passes };
    let known = ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"];
    let text = |key: &str| output.get(key).and_then(Value::as_str).unwrap_or_default();
    let fits = output.keys().all(|key| known.contains(&key.as_str())) && text("hookEventName") == "PreToolUse";
    let reasoned = !text("permissionDecisionReason").trim().is_empty();
    if fits && reasoned && text("permissionDecision") == "deny" { Blocked } else { Passes }
}

/// Copilot: lines of progress, then at most one reply.
fn copilot(stdout: &str) -> Means {
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
