//! Words that users read, as the snapshots in `tests/texts` have them.

use crate::support::world::{Ended, World};

/// What a command printed, for a snapshot: without the places that differ from run to run.
pub fn told(world: &World, ended: &Ended) -> String {
    let mut text = format!("exit: {}\n", ended.exit);
    for (name, stream) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
        if !stream.is_empty() {
            text += &format!("{name}:\n{stream}");
            text += if stream.ends_with('\n') { "" } else { "\n" };
        }
    }
    lasting(world, &text)
}

/// A text without what differs from run to run: places, times, and how many calls the log and the policies have.
pub fn lasting(world: &World, text: &str) -> String {
    let home = world.home.path().display().to_string();
    let text = text.replace(env!("CARGO_BIN_EXE_guard-host"), "GUARD_HOST").replace(&home, "HOME");
    hidden(&hidden(&text, " until ", "\n", "TIME"), " of ", " other calls", "COUNT")
}

/// The text with a name in place of each number or time between these words.
fn hidden(text: &str, before: &str, after: &str, name: &str) -> String {
    let mut parts = text.split(before);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = |c: char| c.is_ascii_digit() || c == ':' || c == '-';
        let rest = part.trim_start_matches(number);
        // On another day the date stands before the time.
        let rest = rest
            .strip_prefix(' ')
            .map(|time| time.trim_start_matches(number))
            .filter(|rest| rest.starts_with(after))
            .unwrap_or(rest);
        let is_hidden = rest.len() < part.len() && rest.starts_with(after);
        shown += before;
        shown += if is_hidden { name } else { "" };
        shown += if is_hidden { rest } else { part };
    }
    shown
}
