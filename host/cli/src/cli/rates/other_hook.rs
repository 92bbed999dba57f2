//! Another program that speaks Claude Code's hook protocol, asked about the same calls.

use std::process::Command;

use serde_json::{Value, json};

use guard_contract::Outcome;
use guard_harness::Reply;
use guard_setup::process::talk_to;
use guard_state::environment::Environment;

/// The exit code of a hook with which Claude Code blocks a call.
const BLOCKS: u8 = 2;

/// Another hook.
pub(super) struct OtherHook<'a> {
    /// The command of a shell that starts it.
    pub(super) command: &'a str,
    pub(super) environment: &'a Environment,
}

impl OtherHook<'_> {
    /// Its answer to a call, as Claude Code takes it: a hook that says nothing objects to nothing.
    ///
    /// # Errors
    ///
    /// Why it gave no answer. Claude Code runs the call then.
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
        outcome(&talk_to(&mut shell, payload.to_string())?)
    }
}

fn outcome(reply: &Reply) -> Result<Outcome, String> {
    match reply.exit {
        0 => {}
        BLOCKS => return Ok(Outcome::Deny),
        code => return Err(format!("it ended with exit code {code}")),
    }
    let Ok(said) = serde_json::from_str::<Value>(&reply.stdout) else {
        // Other text is for the transcript.
        return Ok(Outcome::Abstain);
    };
    let decision = said.pointer("/hookSpecificOutput/permissionDecision").or_else(|| said.get("decision"));
    match decision.and_then(Value::as_str) {
        None => Ok(Outcome::Abstain),
        Some("deny" | "block") => Ok(Outcome::Deny),
        Some("ask" | "defer") => Ok(Outcome::Ask),
        Some("allow" | "approve") => Ok(Outcome::Allow),
        Some(other) => Err(format!("it decided `{other}`, which is no decision")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_means_what_claude_code_makes_of_it() {
        let said = |exit, stdout: &str| outcome(&Reply { stdout: stdout.to_owned(), stderr: String::new(), exit });
        let specific = |decision| format!(r#"{{"hookSpecificOutput": {{"permissionDecision": "{decision}"}}}}"#);
        for (exit, stdout, expected) in [
            (0, String::new(), Ok(Outcome::Abstain)),
            (0, "fine".to_owned(), Ok(Outcome::Abstain)),
            (0, "{}".to_owned(), Ok(Outcome::Abstain)),
            (0, specific("deny"), Ok(Outcome::Deny)),
            (0, specific("ask"), Ok(Outcome::Ask)),
            (0, specific("allow"), Ok(Outcome::Allow)),
            (0, r#"{"decision": "block"}"#.to_owned(), Ok(Outcome::Deny)),
            (2, String::new(), Ok(Outcome::Deny)),
        ] {
            assert_eq!(said(exit, &stdout), expected, "{exit} {stdout}");
        }
        assert!(said(1, "").is_err());
        assert!(said(0, &specific("maybe")).is_err());
    }
}
