//! Another program with Claude Code's hook protocol, for the same calls.

use std::process::Command;

use serde_json::{Value, json};

use guard_contract::Outcome;
use guard_harness::Answer;
use guard_setup::process::run_with_input;
use guard_state::environment::Environment;

pub(super) struct OtherHook<'a> {
    /// The shell command that starts it.
    pub(super) command: &'a str,
    pub(super) environment: &'a Environment,
}

impl OtherHook<'_> {
    /// Returns its answer to a call, as Claude Code interprets it: no output means no objection.
    ///
    /// # Errors
    ///
    /// The hook gave no valid answer, so Claude Code would run the call.
    pub(super) fn ask(&self, tool: &str, input: &Value) -> Result<Outcome, String> {
        let input = if input.is_string() { &json!({ "command": input }) } else { input };
        let cwd = &self.environment.cwd;
        let payload = json!({
            "session_id": "guard-host-rates",
            "transcript_path": format!("{cwd}/transcript.jsonl"),
            "cwd": cwd,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
        });
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", self.command]).current_dir(cwd);
        Answer::from_reply(&run_with_input(&mut shell, payload.to_string())?).map(|answer| answer.outcome)
    }
}
