//! The harness that has its hooks in a YAML file of the user.

use serde_json::json;

use super::{FailClosed, Layout, RegistrationSpec, TimeoutUnit};
use crate::entries::Item;
use crate::matcher::Matching;
use guard_harness::capabilities;

pub(super) static HERMES: RegistrationSpec = RegistrationSpec {
    capabilities: &capabilities::HERMES,
    called: "hermes",
    user: &["~/.hermes/config.yaml"],
    project: &[],
    moved: Some(("HERMES_HOME", "~/.hermes")),
    layout: Layout::List(["hooks", "pre_tool_call"], |hook| {
        let mut item = vec![("command", Item::text(&hook.line)), ("timeout", Item::Number(hook.timeout))];
        if !hook.matcher.is_empty() {
            item.insert(0, ("matcher", Item::text(&hook.matcher)));
        }
        item
    }),
    matching: Matching::Whole,
    all: "",
    unit: TimeoutUnit::Seconds,
    closing: FailClosed::Reply,
    tools: &[
        ("terminal", "pre_tool_call"),
        ("execute_code", "pre_tool_call"),
        ("process", "pre_tool_call"),
        ("write_file", "pre_tool_call"),
        ("patch", "pre_tool_call"),
    ],
    payload: |command, cwd| {
        json!({
            "hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": { "command": command },
            "session_id": "guard-host-doctor", "cwd": cwd, "extra": { "tool_call_id": "1" },
        })
    },
    denial: ("/action", |action| action == "block", "/message"),
    switches: &[],
    gates: &[
        "start `hermes` in a terminal and consent to the hook: until then, a run without a terminal skips it with only a line in its log",
        "know that `hermes hooks list` shows whether the hook is allowed",
        "know that Hermes Agent doesn't run hooks with `--safe-mode` or `HERMES_SAFE_MODE=1`, and may leave them out with `--ignore-user-config`",
        "know that Hermes Agent ignores a shell hook's exit code, and its `approve`, which only a Python plugin can use to prompt",
    ],
};
