//! `custom`: a command or a path that a pattern of the settings matches. The rule compares the pattern with each
//! command as it runs, and with the whole text only if the text is not fully understood.
//!
//! ## Why
//! The user forbids it, or wants to confirm it.
//!
//! ## Examples
//! - denied: `terraform apply`, with a pattern of the settings
//! - asked: `npm publish`, with a pattern of the settings
//! - passes: `echo 'terraform apply'; grep -n 'npm publish' f`, with the same patterns
//!
//! ## Instead
//! Do it in another way, or ask the user to change the pattern.
//!
//! ## Settings
//! - `rules`: the patterns of `bash`, `write` and `edit`, each with an action.

use std::cell::OnceCell;

use guard_sdk::syntax::{Command, Coverage};
use guard_sdk::{Outcome, Rule};
use policy_text_patterns::Pattern;

use crate::call_view::{CallView, Verdicts};
use crate::place::Place;
use crate::settings::{BashRule, Matter};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a pattern of the settings matches", default: Outcome::Ask, ceiling: Outcome::Deny };

/// Looks at the text of each command as it runs, so that data stays data. The text as it is written counts only if it
/// was not understood as a whole.
pub(crate) fn check(view: &CallView<'_>, verdicts: &mut Verdicts) {
    let commands = OnceCell::new();
    for rule in &view.settings.bash {
        let Matter::Custom(pattern) = &rule.matter else { continue };
        let commands: &Vec<(&Command, String)> = commands.get_or_init(|| {
            let commands = view.analysis.commands.iter().filter(|command| !command.argv.is_empty());
            commands.map(|command| (command, text(command))).collect()
        });
        // Of one that holds anywhere the first will do.
        let mut matching = commands.iter().filter(|(_, text)| pattern.matches(text)).map(|(command, text)| {
            let place = view.place_of_command(command);
            (text, place)
        });
        if let Some((text, place)) = matching.find(|(_, place)| !rule.outside || *place != Place::Safe) {
            add(verdicts, rule, pattern, text, Some(place));
        } else if view.analysis.coverage != Coverage::Complete && pattern.matches(view.raw_text()) {
            add(verdicts, rule, pattern, view.raw_text(), None);
        }
    }
}

/// The words of a command, joined by single spaces, without those that are plainly data: what is printed, what is
/// searched for, and messages.
fn text(command: &Command) -> String {
    let is_data: fn(&str) -> bool = match command.program() {
        "echo" | "printf" | ":" | "true" | "false" | "[" | "test" => |_| true,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "git" => |word| word.contains(char::is_whitespace),
        _ => |_| false,
    };
    let words = command.argv.iter().enumerate().filter(|(at, word)| *at == 0 || !is_data(&word.text));
    words.map(|(_, word)| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn add(verdicts: &mut Verdicts, rule: &BashRule, pattern: &Pattern, target: &str, place: Option<Place>) {
    let what = "a pattern of the settings matches";
    verdicts.add_named(&RULE, Some(pattern.text()), rule.outcome, what, target, place);
}
