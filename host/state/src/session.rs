//! Sessions: their pending calls and approvals.
//!
//! An approval belongs to one session, one working directory and one operation, and covers only the rules that the
//! person was shown. This module knows neither harnesses nor policies. `cli/confirm.rs` decides who may approve.

mod operation;
mod choice;
mod record;
mod store;

use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use crate::AppDirs;
use guard_contract::shell_word::quoted;

pub use choice::{Choice, ChoiceMatch, choose};
pub use operation::{Operation, is_readable, recorded_text};
pub use record::{ConfirmationPrompt, Contents, Entry, SessionNote, call_key};
pub use store::Sessions;

/// How long a pending call and an approval are valid.
const LIFE: SignedDuration = SignedDuration::from_hours(24);

/// How long a prompt by the hook counts for the confirmation that it was about.
const QUESTION: SignedDuration = SignedDuration::from_mins(2);

/// Returns the command that a person types to confirm, up to the operation, with flags for paths that aren't the
/// defaults.
#[must_use]
pub fn confirm_command(places: &AppDirs) -> String {
    let usual = AppDirs::under_home(&places.home);
    let mut line = "guard-host".to_owned();
    let mut flag = |name: &str, path: &Path, usual: &Path| {
        if path != usual {
            line.push_str(&format!(" {name} {}", quoted(&path.to_string_lossy())));
        }
    };
    flag("--config", &places.config, &usual.config);
    flag("--state", &places.state, &usual.state);
    line + " confirm"
}

/// Formats a time as in this program's files: in UTC, with milliseconds.
#[must_use]
pub fn stamp(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Returns today's date in UTC, such as `2026-01-31`, as in the `until` of an allow.
#[must_use]
pub fn today() -> String {
    format!("{:.10}", stamp(Timestamp::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s2_43_the_command_is_plain_where_the_places_are_the_usual_ones() {
        let mut places = AppDirs::under_home("/home/u");
        assert_eq!(confirm_command(&places), "guard-host confirm");
        places.state = "/var/it's".into();
        assert_eq!(confirm_command(&places), r"guard-host --state '/var/it'\''s' confirm");
    }
}
