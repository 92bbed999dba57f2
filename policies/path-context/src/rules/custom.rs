//! `custom`: a command or a path that matches one of your patterns.
//! A pattern in `bash` is matched against the whole command text, including `sudo`, redirections, quotes and data. It
//! is also matched against the words of each command that runs, without wrappers and quotes.
//!
//! ## Why
//! The user has forbidden it, or wants to confirm it.
//!
//! ## Examples
//! - denied: `terraform apply`, with a pattern of the settings
//! - asked: `npm publish`, with a pattern of the settings
//! - asked: `echo 'npm publish'`, with a pattern of the settings
//! - passes: `npm pack`, with the same patterns
//!
//! ## Instead
//! Find another way, or ask the user to change the pattern.
//!
//! ## Settings
//! - `rules`: the patterns in `bash`, `write` and `edit`, each with an action.

use std::cell::OnceCell;

use guard_sdk::syntax::{Command, Coverage};
use guard_sdk::{Outcome, Rule};
use policy_text_patterns::Pattern;

use crate::call_view::{CallView, Verdicts};
use crate::place::Place;
use crate::settings::{BashRule, Condition};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a pattern in the settings matches", default: Outcome::Ask, ceiling: Outcome::Deny };

/// Checks each command as it runs, and the text as written: a user's pattern is literal.
///
/// A rule for places outside judges the text by the worst place of its commands, and only if no single command matches:
/// `mv a b && cat /etc/hosts` moves nothing outside.
pub(crate) fn check(view: &CallView<'_>, verdicts: &mut Verdicts) {
    let commands = OnceCell::new();
    for rule in &view.settings.bash {
        let Condition::Custom(pattern) = &rule.matter else { continue };
        let commands: &Vec<(&Command, String)> = commands.get_or_init(|| {
            let commands = view.analysis.commands.iter().filter(|command| !command.argv.is_empty());
            commands.map(|command| (command, text(command))).collect()
        });
        let mut matching = commands.iter().filter(|(_, text)| pattern.matches(text)).peekable();
        let is_of_command = matching.peek().is_some();
        let mut places = matching.map(|(command, text)| (text, view.command_place(command)));
        // For a rule that applies everywhere, the first match is enough.
        if let Some((text, place)) = places.find(|(_, place)| !rule.outside || *place != Place::Safe) {
            add(verdicts, rule, pattern, text, Some(place));
        } else if pattern.matches(view.raw_text()) {
            let is_understood = view.analysis.coverage == Coverage::Complete;
            let place = match (rule.outside && is_understood, is_of_command) {
                (false, _) => None,
                (true, true) => continue,
                (true, false) => commands.iter().map(|(command, _)| view.command_place(command)).max(),
            };
            if place != Some(Place::Safe) {
                add(verdicts, rule, pattern, view.raw_text(), place);
            }
        }
    }
}

/// The words of a command, joined by spaces, without those that are clearly data: printed text, search patterns and
/// messages.
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
    let what = "a pattern in the settings matches";
    verdicts.add_named(&RULE, Some(pattern.text()), rule.outcome, what, target, place);
}
