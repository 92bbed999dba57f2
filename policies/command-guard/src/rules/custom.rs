//! `custom`: a command whose text matches a pattern of the settings. The rule tries the text as it is written, and each
//! command as it runs, so that another quoting doesn't bypass a pattern. A match begins and ends where a word does:
//! `npm run deploy` matches neither `pnpm run deploy` nor `npm run deploy-docs`. `npm run-script x` is tried as
//! `npm run x`, too. Case is ignored.
//!
//! ## Why
//! The user forbids the command.
//!
//! ## Examples
//! - denied: `rm -rf /tmp/test`, with `deny-patterns = ["rm -rf /"]`
//! - denied: `deploy web --env=prod`, with `deny-patterns = ['^deploy .*--env[ =]prod\b']`
//! - passes: `ls -la`
//!
//! ## Instead
//! Do it in another way, or ask the user to change `deny-patterns`.
//!
//! ## Settings
//! - `deny-patterns`: regular expressions.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{Hit, CallView};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a text that the settings forbid", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let patterns = &view.settings.deny_patterns;
    if patterns.is_empty() {
        return None;
    }
    // As it was written, with each run of white space as one space, and each command as it runs: another quoting is no
    // way around a pattern.
    let commands = view.analysis.commands.iter().flat_map(|command| [Some(command.text()), run_spelled_out(command)]);
    let commands = commands.flatten();
    let texts = [view.raw_text().to_owned(), view.text().to_owned()].into_iter().chain(commands);
    let pattern = texts.flat_map(|text| patterns.iter().find(|pattern| pattern.matches(&text))).next()?;
    let why = format!("the settings forbid commands that match `{}`", pattern.text());
    let hit = Hit::of_command(RULE.default, 0, why, "do it another way, or ask the user to change `deny-patterns`");
    Some(hit.plain().tag("pattern", pattern.text()).tag("called", pattern.text()))
}

/// The text of a command that runs a script of a package, with `run` for its other names and without options before it.
fn run_spelled_out(command: &Command) -> Option<String> {
    let (program, words) = command.argv.split_first()?;
    let program = program.text.rsplit('/').next()?;
    let mut words = words.iter().map(|word| word.text.as_str()).skip_while(|word| word.starts_with('-'));
    let is_run = matches!(program, "npm" | "pnpm" | "yarn" | "bun")
        && matches!(words.next(), Some("run" | "run-script" | "rum" | "urn"));
    is_run.then(|| [program, "run"].into_iter().chain(words).collect::<Vec<_>>().join(" "))
}
