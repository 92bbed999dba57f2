//! `custom`: a command that matches a pattern in `deny-patterns`.
//! The rule matches both the command's text and each command that runs, so other quoting doesn't bypass a pattern.
//! Case is ignored.
//!
//! - A match begins and ends at a word boundary: `npm run deploy` doesn't match `npm run deploy-docs`.
//! - A script matches in other spellings too: `npm run deploy` also matches `pnpm deploy` and `yarn run deploy`.
//! - A pattern of one word matches programs, verbs and options, but not files, tests or branches: `deploy` matches
//!   `make deploy`, but not `ls deploy`.
//! - Comments, code that guard-host analyzes, and quoted text that a command only prints, searches for or uses as a
//!   message are skipped.
//! - A call for help passes.
//! - Look-around is supported.
//!
//! ## Why
//! The user has forbidden the command.
//!
//! ## Examples
//! - denied: `rm -rf /tmp/test`, with `deny-patterns = ["rm -rf /"]`
//! - denied: `deploy web --env=prod`, with `deny-patterns = ['^deploy .*--env[ =]prod\b']`
//! - denied: `yarn deploy`, with `deny-patterns = ["npm run deploy"]`
//! - passes: `git commit -m 'npm run deploy works'`, with `deny-patterns = ["npm run deploy"]`
//! - passes: `git push --help`, with `deny-patterns = ["git push"]`
//! - passes: `ls -la`
//!
//! ## Instead
//! Find another way, or ask the user to change `deny-patterns`.
//!
//! ## Settings
//! - `deny-patterns`: regular expressions.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::Check;
use crate::call_view::{CallView, Hit, join_lines};
use crate::settings::Pattern;
use crate::command_texts::{
    operands_first, raw_without_data, script_run_spellings, without_leading_options, words_without_data,
    words_without_names,
};

pub(crate) const RULE: Rule =
    Rule { id: "custom", summary: "a text that the settings forbid", default: Outcome::Deny, ceiling: Outcome::Deny };

pub(crate) const CHECK: Check = Check::Call(check);

fn check(view: &CallView<'_>) -> Option<Hit> {
    let patterns = &view.settings.deny_patterns;
    if patterns.is_empty() {
        return None;
    }
    // As written, with each run of white space replaced by a space, and each command as it runs, so that other quoting
    // can't bypass a pattern.
    let of_text = |names: bool| {
        let mut patterns = patterns.iter().filter(|pattern| pattern.is_name() != names).peekable();
        patterns.peek()?;
        let written = raw_without_data(view.raw_text(), view.analysis, names);
        let texts = [join_lines(&written), written];
        patterns.find(|pattern| texts.iter().any(|text| pattern.matches(text)))
    };
    let of_command = |command| matching_pattern(command, view, patterns);
    let in_commands = || view.analysis.commands.iter().find_map(of_command);
    let pattern = of_text(true).or_else(|| of_text(false)).or_else(in_commands)?;
    let why = format!("the settings forbid commands that match `{}`", pattern.text());
    let hit = Hit::for_command(RULE.default, 0, why, "do it another way, or ask the user to change `deny-patterns`");
    Some(hit.without_summary().tag("pattern", pattern.text()).tag("called", pattern.text()))
}

/// Returns the first pattern that matches one of the command's spellings.
fn matching_pattern<'p>(command: &Command, view: &CallView<'_>, patterns: &'p [Pattern]) -> Option<&'p Pattern> {
    let words = words_without_data(command, view.analysis);
    // A pattern that is a plain name isn't meant for files, tests or branches with that name.
    let plain = words_without_names(command).map(|plain| plain.join(" "));
    let matches = |pattern: &Pattern, text: &str| {
        let plain = plain.as_deref().filter(|_| pattern.is_name());
        !words.is_empty() && pattern.matches(plain.unwrap_or(text))
    };
    let mut texts = vec![words.join(" ")];
    texts.extend(without_leading_options(&words));
    texts.extend(script_run_spellings(command, &words));
    let found = texts.iter().find_map(|text| patterns.iter().find(|pattern| matches(pattern, text)));
    // An expression with look-around or an end may depend on options that another order moves.
    let is_ordered = |pattern: &&Pattern| pattern.text().contains("(?") || pattern.text().ends_with('$');
    let reordered = || {
        let text = operands_first(&words)?;
        patterns.iter().find(|pattern| !is_ordered(pattern) && matches(pattern, &text))
    };
    found.or_else(reordered)
}
