//! [`Allow`]: what a person lets run for good. It lifts asks of calls of which it covers every command and every effect.

mod offer;
mod tool;

use std::collections::BTreeMap;

use guard_sdk::globs::{Glob, relative};
use guard_sdk::syntax::operations;
use serde::{Deserialize, Serialize};

use crate::call::{Dialect, ToolCall};
use crate::paths::{below, is_below, lexical};
use crate::policy::SELF_PROTECT;
use crate::syntax::{Analysis, Command, Coverage, Effect, Script, Word};
use crate::verdict::{ALLOWED, Attributed, CALLED, Opinion, Verdict, merge};
use crate::{Layer, Outcome, worse};
use offer::{can_be_covered, is_plain_word, stays_in_script};
pub use offer::{narrowest, obstacle, wider};
pub use tool::for_tool;

/// The word for the project of the call.
const PROJECT: &str = "project";

/// The way to a command in a script of the project.
const SCRIPT: &str = "script";

/// The parts of that way: a script, a line of it, its arguments, and a recipe or another text in it.
const IN_SCRIPT: [&str; 4] = [SCRIPT, "line", "given", "code"];

/// How many scripts may run one another.
const SCRIPTS: usize = 8;

/// The kind of an effect that deletes.
const DELETE: &str = "delete";

/// The kind of git's effects.
const GIT: &str = "vcs";

/// Words that make of commands more than a row of them.
const KEYWORDS: [&str; 16] = [
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "until", "while",
];

/// Where a call happens, with links followed.
#[derive(Debug, Clone, Copy)]
pub struct Here<'a> {
    /// The working directory as it is written.
    pub cwd: &'a str,
    /// Where it leads to; empty if that is not known.
    pub canonical: &'a str,
    /// Where the project's root leads to; empty if that is not known.
    pub root: &'a str,
}

/// One `[[allow]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allow {
    /// Whose file it stands in.
    pub layer: Layer,
    /// The rules whose asks it lifts, as `policy:rule`; empty: all of them.
    pub rules: Vec<String>,
    /// The first words of the command. Empty: it is for a tool.
    pub command: Vec<String>,
    /// The tool, as the harness names it. Empty: it is for a command.
    pub tool: String,
    /// The arguments that a call of the tool must have, and their values.
    pub arguments: BTreeMap<String, String>,
    /// Patterns of what the command may be given, relative to the folder; empty: the words are all that it has.
    pub targets: Vec<String>,
    /// The operations that the command may have, such as `git.push`; then its other words are free, and `targets` are
    /// patterns of what the operations are done to. Empty: `targets` says what its other words are.
    pub effects: Vec<String>,
    /// The folder in which all effects lie, absolute; empty: the project of the call.
    pub within: String,
    /// Why the person lets it run.
    pub why: String,
    /// The last day on which it counts, as `2027-01-31`; empty: it has no end.
    pub until: String,
}

impl Allow {
    /// Returns an allow for exactly these words in the call's project, without expiry.
    #[must_use]
    pub fn for_command(layer: Layer, command: Vec<String>) -> Self {
        Allow {
            layer,
            rules: Vec::new(),
            command,
            tool: String::new(),
            arguments: BTreeMap::new(),
            targets: Vec::new(),
            effects: Vec::new(),
            within: String::new(),
            why: String::new(),
            until: String::new(),
        }
    }

    /// Checks what the person wrote, and puts `project` and `within` in their form. `home` is the user's.
    ///
    /// # Errors
    ///
    /// It says nothing, or too much: what is wrong, and what to do about it.
    pub fn checked(mut self, home: &str) -> Result<Self, (String, String)> {
        let refuse = |text: String, hint: &str| Err((format!("{text} in an `[[allow]]`"), hint.to_owned()));
        if !self.tool.is_empty() {
            self.check_tool().or_else(|(text, hint)| refuse(text, hint).map(drop))?;
        } else if !self.arguments.is_empty() {
            return refuse("`arguments` without a `tool`".to_owned(), "name the tool, or remove `arguments`");
        } else if self.command.is_empty() || self.command.iter().any(String::is_empty) {
            return refuse("`command` is empty".to_owned(), "give the first words, such as `[\"rm\", \"-rf\"]`");
        }
        for rule in &self.rules {
            match rule.split_once(':') {
                Some((SELF_PROTECT, _)) => {
                    let hint = "remove it: guard-host protects itself";
                    return refuse(format!("`{rule}` in `rules` cannot be lifted"), hint);
                }
                Some((policy, name)) if !policy.is_empty() && !name.is_empty() => {}
                _ => {
                    let hint = "write it as in `command-guard:rm-glob`; a message ends with both names";
                    return refuse(format!("`{rule}` in `rules` does not name a policy and a rule"), hint);
                }
            }
        }
        if let Some(effect) = self.effects.iter().find(|effect| !operations().any(|known| known == **effect)) {
            return refuse(format!("`{effect}` in `effects` isn't an operation"), "write it as in `git.push`");
        }
        for target in &self.targets {
            let leads_out = target.starts_with(['/', '~']) || target.split('/').any(|part| part == "..");
            if leads_out {
                let hint = "write it relative to the folder of `within`";
                return refuse(format!("`{target}` in `targets` leads out of the folder"), hint);
            }
            // With `effects`, it may match a name that isn't a path.
            let checked =
                if self.effects.is_empty() { relative(target).map(drop) } else { Glob::new(target).map(drop) };
            if let Err(error) = checked {
                return refuse(error.to_string(), "write a path, or a pattern such as `dist/**`");
            }
            if !target.contains(char::is_alphanumeric) {
                return refuse(format!("`{target}` in `targets` matches everything"), "name what may go");
            }
        }
        let climbs = self.within.split('/').any(|part| part == "..");
        self.within = match self.within.trim_end_matches('/') {
            "" if !self.within.starts_with('/') => String::new(),
            PROJECT => String::new(),
            folder if climbs || !folder.starts_with(['/', '~']) || folder == "~" => {
                let hint = "write `project`, or the folder of one project, from `/` or `~/`";
                return refuse(format!("`within` is `{}`", self.within), hint);
            }
            folder => match folder.strip_prefix("~/") {
                Some(rest) => format!("{}/{rest}", home.trim_end_matches('/')),
                None => folder.to_owned(),
            },
        };
        if !self.until.is_empty() && !is_date(&self.until) {
            return refuse(format!("`until` is `{}`, which isn't a date", self.until), "write it as in `2027-01-31`");
        }
        Ok(self)
    }

    /// How people know it: why it is there, or its command.
    #[must_use]
    pub fn name(&self) -> String {
        if self.why.is_empty() { self.subject() } else { self.why.clone() }
    }

    /// The words of the command, or the tool and its arguments.
    #[must_use]
    pub fn subject(&self) -> String {
        let arguments = self.arguments.iter().map(|(name, value)| format!("{name}={value}"));
        match self.tool.is_empty() {
            true => self.command.join(" "),
            false => std::iter::once(self.tool.clone()).chain(arguments).collect::<Vec<_>>().join(" "),
        }
    }

    /// Returns whether it has expired; `today` as `2027-01-31`.
    #[must_use]
    pub fn is_over(&self, today: &str) -> bool {
        !self.until.is_empty() && self.until.as_str() < today
    }

    fn applies_to_rule(&self, ask: &Attributed) -> bool {
        self.rules.is_empty() || self.rules.contains(&ask.rule())
    }

    /// Returns whether the command is this one, and all its effects are where they may be. Anything known only at run
    /// time is not covered.
    fn covers(&self, command: &Command, (effects, scripts): (&[&Effect], &[&Script]), here: Here<'_>) -> bool {
        if self.command.is_empty() || !can_be_covered(command) || command.argv.len() < self.command.len() {
            return false;
        }
        let (head, rest) = command.argv.split_at(self.command.len());
        if head.iter().zip(&self.command).any(|(word, own)| word.text != *own || word.dynamic || word.glob) {
            return false;
        }
        // A script in the words of the allow is the same each time.
        let is_fixed = |script: &&Script| head.iter().any(|word| word.text.contains(&script.text));
        if !scripts.iter().all(is_fixed) {
            return false;
        }
        match self.targets.is_empty() {
            _ if !self.effects.is_empty() => {
                rest.iter().all(|word| is_plain_word(word, self.command.first().map_or("", String::as_str)))
                    && command.cwd == here.cwd
                    && self.is_at(here)
                    && !effects.is_empty()
                    && effects.iter().all(|effect| self.is_within(effect, here) && self.matches_effect(effect, here))
            }
            true => {
                rest.is_empty()
                    && command.cwd == here.cwd
                    && self.is_at(here)
                    && effects.iter().all(|effect| self.is_within(effect, here))
            }
            false => {
                // Most programs follow a link that a pattern finds.
                let is_deleted = effects.iter().all(|effect| effect.kind == DELETE);
                let is_known = |word: &Word| {
                    is_operand(word)
                        && (!word.glob || is_deleted)
                        && effects.iter().any(|effect| effect.target == word.text)
                };
                rest.iter().all(is_known) && effects.iter().all(|effect| self.has_target(effect))
            }
        }
    }

    /// The folder of `within`. Empty if it isn't known.
    fn folder<'f>(&'f self, here: Here<'f>) -> &'f str {
        if self.within.is_empty() { here.root } else { &self.within }
    }

    /// The call happens in the folder of `within`.
    fn is_at(&self, here: Here<'_>) -> bool {
        let folder = self.folder(here);
        !folder.is_empty() && (here.canonical == folder || is_below(here.canonical, folder))
    }

    /// The effect is on no file, or on one in the folder.
    fn is_within(&self, effect: &Effect, here: Here<'_>) -> bool {
        effect.certain
            && (is_without_file(effect)
                || is_of_git(effect, here.cwd, self.folder(here))
                || self.relative_path(effect).is_some())
    }

    /// The effect is one of those that are named, on something that a pattern names if there are any.
    fn matches_effect(&self, effect: &Effect, here: Here<'_>) -> bool {
        let of_git = lexical(&effect.path.raw, "", "");
        let of_git = Some(&of_git).filter(|_| !is_without_file(effect));
        let place = self.relative_path(effect).or_else(|| below(of_git?, self.folder(here)));
        let matches = |target: &String| match place {
            Some(place) => covers_path(target, place),
            None => Glob::new(target).is_ok_and(|glob| glob.matches(&effect.target)),
        };
        // To another remote, or to more than one branch, is more than such a command mostly does.
        let is_wide =
            ["all", "mirror", "prune", "tags"].iter().any(|tag| effect.tags.iter().any(|(name, _)| name == tag));
        let is_elsewhere = effect.tags.iter().any(|(name, value)| name == "remote" && value != "origin");
        !is_wide
            && !is_elsewhere
            && self.effects.contains(&effect.operation)
            && (self.targets.is_empty() || self.targets.iter().any(matches))
    }

    /// The effect is on a file that a pattern names.
    fn has_target(&self, effect: &Effect) -> bool {
        let place = self.relative_path(effect).filter(|_| effect.certain);
        place.is_some_and(|place| self.targets.iter().any(|target| covers_path(target, place)))
    }

    /// Where the effect's file lies in the folder, by the machine's word; `None` if it lies elsewhere, or is the folder.
    fn relative_path<'e>(&self, effect: &'e Effect) -> Option<&'e str> {
        let path = &effect.path;
        let place = match self.within.as_str() {
            "" => path.project_relative.as_str(),
            folder if is_below(&path.canonical, folder) => path.canonical.strip_prefix(folder)?.trim_start_matches('/'),
            _ => return None,
        };
        let is_here = effect.tags.iter().all(|(name, _)| name != "where");
        Some(place)
            .filter(|place| is_here && !place.is_empty() && *place != "." && !place.split('/').any(|part| part == ".."))
    }
}

/// Returns whether the pattern matches the path, or a folder that contains it. Unlike `cache/**`, `cache/` also matches
/// the folder itself.
fn covers_path(pattern: &str, path: &str) -> bool {
    relative(pattern.trim_end_matches('/')).and_then(|plain| Glob::new(&plain)).is_ok_and(|glob| glob.covers(path))
}

fn is_without_file(effect: &Effect) -> bool {
    effect.path.canonical.is_empty() && effect.path.raw.is_empty()
}

/// Returns whether git's effect is on a path below the working directory or the folder. The host only follows links for
/// effects on files.
fn is_of_git(effect: &Effect, cwd: &str, folder: &str) -> bool {
    let is_here = effect.tags.iter().all(|(name, _)| name != "where");
    let path = lexical(&effect.path.raw, "", "");
    let is_inside = is_below(&path, cwd) || !folder.is_empty() && is_below(&path, folder);
    effect.kind == GIT && is_here && effect.path.canonical.is_empty() && is_inside
}

/// Returns whether an operand is known. A pattern may match names in one folder that don't begin with a dot: `.?` finds
/// `..`.
fn is_operand(word: &Word) -> bool {
    let (folder, name) = word.text.rsplit_once('/').unwrap_or(("", &word.text));
    let is_plain = !folder.contains(['*', '?', '[']) && !name.contains("**");
    let is_name = name.starts_with(|first: char| first == '*' || first.is_alphanumeric() || first == '_');
    !word.dynamic && !word.text.starts_with('-') && (!word.glob || is_plain && is_name)
}

/// The text is commands in a row. A loop, a test, a group, arithmetic or an expansion may change a variable, or run what is
/// no command of the analysis.
fn is_row_of_commands(text: &str) -> bool {
    let is_keyword = |word: &str| KEYWORDS.contains(&word);
    let between = |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '"' | '\'');
    !text.contains(['(', ')', '{', '}', '$', '`', '[', ']']) && !text.split(between).any(is_keyword)
}

/// `2027-01-31`. Whether the month is that long does not matter: days are compared as texts.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number =
        |text: &str, length: usize| text.parse::<u32>().ok().filter(|_| text.len() == length && !text.starts_with('+'));
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The verdict after the asks that allows lift. Nothing but asks of policies is ever lifted, and none of self-protection.
///
/// `allows` are those that count today. `may` says whether an allow of that layer may lift what the policy of that name
/// asks.
#[must_use]
pub fn lift(
    verdict: Verdict,
    allows: &[&Allow],
    may: impl Fn(Layer, &str) -> bool,
    (call, here): (&ToolCall, Here<'_>),
    analysis: Option<&Analysis>,
) -> Verdict {
    let is_shell = call.command().is_some_and(|(text, dialect)| dialect == Dialect::Bash && is_row_of_commands(text));
    let of_shell =
        analysis.filter(|found| is_shell && found.coverage == Coverage::Complete && !found.commands.is_empty());
    if verdict.outcome != Outcome::Ask || of_shell.is_none() && call.command().is_some() {
        return verdict;
    }
    let mut spoke: Vec<&Allow> = Vec::new();
    let mut is_lifted = |asked: &Attributed| {
        if asked.of_host || asked.finding.outcome != Outcome::Ask || asked.policy == SELF_PROTECT {
            return false;
        }
        let speaking =
            allows.iter().copied().filter(|allow| allow.applies_to_rule(asked) && may(allow.layer, &asked.policy));
        let found = match of_shell {
            Some(analysis) => covering_allows(&speaking.collect::<Vec<_>>(), analysis, here),
            None => speaking.into_iter().find(|allow| allow.covers_tool(call, analysis, here)).map(|found| vec![found]),
        };
        spoke.extend(found.iter().flatten());
        found.is_some()
    };
    let (lifted, rest): (Vec<_>, Vec<_>) = verdict.findings.iter().cloned().partition(|asked| is_lifted(asked));
    if lifted.is_empty() || rest.iter().any(|found| found.finding.outcome == Outcome::Ask) {
        return verdict;
    }
    let mut names: Vec<String> = spoke.iter().map(|allow| allow.name()).collect();
    names.sort();
    names.dedup();
    let text = "allowed by an `[[allow]]` entry".to_owned();
    // It is no opinion: the harness's own rules hold.
    let mut after = merge([Opinion::from_host("config", ALLOWED, Outcome::Abstain, text, String::new())]);
    after.findings.iter_mut().for_each(|said| said.finding.tags.push((CALLED.to_owned(), names.join("; "))));
    after.outcome = rest.iter().fold(after.outcome, |outcome, found| worse(outcome, found.finding.outcome));
    after.findings.extend(rest);
    Verdict { skips_prompt: false, lifted, ..after }
}

/// For each command that the text has an allow that covers it, with the commands of its script; `None` if one has none, or
/// if something is done by no command.
fn covering_allows<'a>(allows: &[&'a Allow], analysis: &Analysis, here: Here<'_>) -> Option<Vec<&'a Allow>> {
    let roots: BTreeMap<u32, u32> =
        analysis.commands.iter().map(|command| (command.id, root_command(command, analysis))).collect();
    let is_of_one = |effect: &Effect| roots.contains_key(&effect.command_id);
    let is_script_of_one = |script: &Script| roots.contains_key(&script.command_id);
    if allows.is_empty() || !analysis.effects.iter().all(is_of_one) || !analysis.scripts.iter().all(is_script_of_one) {
        return None;
    }
    let cover = |command: &Command| {
        let is_of = |id: &u32| roots.get(id) == Some(&command.id);
        let run: Vec<&Command> =
            analysis.commands.iter().filter(|other| other.id != command.id && is_of(&other.id)).collect();
        let scripts: Vec<&Script> = analysis.scripts.iter().filter(|script| is_of(&script.command_id)).collect();
        allows.iter().copied().find(|allow| {
            // Only the operations bound what a script may do tomorrow.
            let is_bounded =
                run.is_empty() || !allow.effects.is_empty() && run.iter().all(|command| is_of_script(command));
            // The script itself says more than a guess by its name.
            let is_guess = |effect: &Effect| {
                let is_named = effect.path.raw.is_empty() && run.iter().any(|other| other.parent == effect.command_id);
                is_named && !effect.certain && allow.effects.contains(&effect.operation)
            };
            let effects = analysis.effects.iter().filter(|effect| is_of(&effect.command_id) && !is_guess(effect));
            is_bounded && allow.covers(command, (&effects.collect::<Vec<_>>(), &scripts), here)
        })
    };
    analysis.commands.iter().filter(|command| roots.get(&command.id) == Some(&command.id)).map(cover).collect()
}

/// The command of the text that runs this one in a script of the project, or itself.
fn root_command(command: &Command, analysis: &Analysis) -> u32 {
    let parent = |id: u32| analysis.commands.iter().find(|other| other.id == id);
    let mut root = command;
    for _ in 0..SCRIPTS {
        match parent(root.parent).filter(|_| is_of_script(root)) {
            Some(above) => root = above,
            None => break,
        }
    }
    root.id
}

/// The command is part of a script that a command of the text runs, such as one of `package.json`.
fn is_of_script(command: &Command) -> bool {
    command.certain
        && is_from_script(command)
        && command.via.iter().all(|via| IN_SCRIPT.contains(&via.kind.as_str()))
        && command.assignments.is_empty()
        && command.redirections.iter().all(stays_in_script)
}

/// Returns whether the way to the command begins with a script.
fn is_from_script(command: &Command) -> bool {
    command.via.first().is_some_and(|via| via.kind == SCRIPT)
}

#[cfg(test)]
mod tests;
