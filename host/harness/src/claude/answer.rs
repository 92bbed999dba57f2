//! Claude Code's reaction to a hook's reply before a tool call. Only this module reads the protocol as the harness
//! does.

use serde_json::Value;

use crate::Reply;
use crate::response::BLOCK;
use guard_contract::Outcome;

/// A decision with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The decision. Abstain if the reply contains none.
    pub outcome: Outcome,
    /// The reason. May be empty.
    pub reason: String,
}

impl Answer {
    /// Parses a whole reply. An exit code takes precedence over the output.
    ///
    /// # Errors
    ///
    /// The reply isn't valid, so Claude Code runs the call.
    pub fn from_reply(reply: &Reply) -> Result<Self, String> {
        match reply.exit {
            0 => Answer::from_text(&reply.stdout),
            BLOCK => Ok(Answer { outcome: Outcome::Deny, reason: reply.stderr.trim_end().to_owned() }),
            code => Err(format!("it ended with exit code {code}")),
        }
    }

    /// Parses printed text, or the body of a server's reply. Text that isn't JSON goes to the transcript.
    ///
    /// # Errors
    ///
    /// The decision isn't valid.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let found = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        let (word, reason, outcome) = match found("/hookSpecificOutput/permissionDecision") {
            Some(word) => {
                let outcome = match word {
                    "deny" => Some(Outcome::Deny),
                    "ask" | "defer" => Some(Outcome::Ask),
                    "allow" => Some(Outcome::Allow),
                    _ => None,
                };
                (word, "/hookSpecificOutput/permissionDecisionReason", outcome)
            }
            // The older form.
            None => match found("/decision") {
                Some(word @ "block") => (word, "/reason", Some(Outcome::Deny)),
                Some(word @ "approve") => (word, "/reason", Some(Outcome::Allow)),
                Some(word) => (word, "/reason", None),
                None => ("", "/reason", Some(Outcome::Abstain)),
            },
        };
        match outcome {
            Some(outcome) => Ok(Answer { outcome, reason: found(reason).unwrap_or_default().to_owned() }),
            None => Err(format!("it decided `{word}`, which isn't a decision")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_means_what_claude_code_makes_of_it() {
        let said = |exit, stdout: &str| {
            Answer::from_reply(&Reply { stdout: stdout.to_owned(), stderr: "no\n".to_owned(), exit })
        };
        let specific = |decision| {
            format!(
                r#"{{"hookSpecificOutput": {{"permissionDecision": "{decision}", "permissionDecisionReason": "why"}}}}"#
            )
        };
        for (exit, stdout, outcome, reason) in [
            (0, String::new(), Outcome::Abstain, ""),
            (0, "fine".to_owned(), Outcome::Abstain, ""),
            (0, "{}".to_owned(), Outcome::Abstain, ""),
            (0, "[]".to_owned(), Outcome::Abstain, ""),
            (0, specific("deny"), Outcome::Deny, "why"),
            (0, specific("ask"), Outcome::Ask, "why"),
            (0, specific("defer"), Outcome::Ask, "why"),
            (0, specific("allow"), Outcome::Allow, "why"),
            (0, r#"{"decision": "block", "reason": "old"}"#.to_owned(), Outcome::Deny, "old"),
            (0, r#"{"decision": "approve"}"#.to_owned(), Outcome::Allow, ""),
            (2, String::new(), Outcome::Deny, "no"),
            (2, specific("allow"), Outcome::Deny, "no"),
        ] {
            assert_eq!(said(exit, &stdout), Ok(Answer { outcome, reason: reason.to_owned() }), "{exit} {stdout}");
        }
        for (exit, stdout) in [(1, ""), (0, &*specific("maybe")), (0, r#"{"decision": "deny"}"#)] {
            assert!(said(exit, stdout).is_err(), "{exit} {stdout}");
        }
    }
}
