//! [`Allow`]: what a person lets run for good. It lifts asks of calls of which it covers every command and every effect.

mod offer;

use guard_sdk::globs::Glob;
use guard_sdk::syntax::operations;
use serde::{Deserialize, Serialize};

use crate::call::{Dialect, ToolCall};
use crate::paths::is_below;
use crate::policy::SELF_PROTECT;
use crate::syntax::{Analysis, Command, Coverage, Effect, Word};
use crate::verdict::{ALLOWED, Attributed, CALLED, Opinion, Verdict, merge};
use crate::{Layer, Outcome, worse};
use offer::{can_be_covered, is_plain_word};
pub use offer::{narrowest, obstacle, wider};

/// The word for the project of the call.
const PROJECT: &str = "project";

/// The kind of an effect that deletes.
const DELETE: &str = "delete";

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
    /// The first words of the command.
    pub command: Vec<String>,
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
    /// An allow of these words alone, in the project of the call and without an end.
    #[must_use]
    pub fn for_command(layer: Layer, command: Vec<String>) -> Self {
        Allow {
            layer,
            rules: Vec::new(),
            command,
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
        if self.command.is_empty() || self.command.iter().any(String::is_empty) {
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
            if let Err(error) = Glob::new(target) {
                return refuse(error.to_string(), "write a path, or a pattern such as `dist/**`");
            }
            let leads_out = target.starts_with(['/', '~']) || target.split('/').any(|part| part == "..");
            if leads_out {
                let hint = "write it relative to the folder of `within`";
                return refuse(format!("`{target}` in `targets` leads out of the folder"), hint);
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
        if self.why.is_empty() { self.command.join(" ") } else { self.why.clone() }
    }

    /// Whether it has expired; `today` as `2027-01-31`.
    #[must_use]
    pub fn is_over(&self, today: &str) -> bool {
        !self.until.is_empty() && self.until.as_str() < today
    }

    fn names(&self, asked: &Attributed) -> bool {
        self.rules.is_empty() || self.rules.contains(&asked.rule())
    }

    /// Returns whether the command is this one, and all its effects are where they may be. Anything known only at run
    /// time is not covered.
    fn covers(&self, command: &Command, effects: &[&Effect], here: Here<'_>) -> bool {
        if !can_be_covered(command) || command.argv.len() < self.command.len() {
            return false;
        }
        let (head, rest) = command.argv.split_at(self.command.len());
        if head.iter().zip(&self.command).any(|(word, own)| word.text != *own || word.dynamic || word.glob) {
            return false;
        }
        match self.targets.is_empty() {
            _ if !self.effects.is_empty() => {
                rest.iter().all(|word| is_plain_word(word, self.command.first().map_or("", String::as_str)))
                    && command.cwd == here.cwd
                    && self.is_at(here)
                    && !effects.is_empty()
                    && effects.iter().all(|effect| self.holds(effect) && self.names_effect(effect))
            }
            true => {
                rest.is_empty()
                    && command.cwd == here.cwd
                    && self.is_at(here)
                    && effects.iter().all(|effect| self.holds(effect))
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

    /// The call happens in the folder of `within`.
    fn is_at(&self, here: Here<'_>) -> bool {
        let folder = if self.within.is_empty() { here.root } else { &self.within };
        !folder.is_empty() && (here.canonical == folder || is_below(here.canonical, folder))
    }

    /// The effect is on no file, or on one in the folder.
    fn holds(&self, effect: &Effect) -> bool {
        effect.certain
            && (effect.path.canonical.is_empty() && effect.path.raw.is_empty() || self.place(effect).is_some())
    }

    /// The effect is one of those that are named, on something that a pattern names if there are any.
    fn names_effect(&self, effect: &Effect) -> bool {
        let place = self.place(effect).unwrap_or(&effect.target);
        let matches = |target: &String| Glob::new(target).is_ok_and(|glob| glob.matches(place));
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
        let place = self.place(effect).filter(|_| effect.certain);
        let matches =
            |place: &str| self.targets.iter().any(|target| Glob::new(target).is_ok_and(|glob| glob.matches(place)));
        place.is_some_and(matches)
    }

    /// Where the effect's file lies in the folder, by the machine's word; `None` if it lies elsewhere, or is the folder.
    fn place<'e>(&self, effect: &'e Effect) -> Option<&'e str> {
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

/// Whether an operand is known. A pattern may match names in one folder that don't begin with a dot: `.?` finds `..`.
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
    let analysis = analysis.filter(|found| {
        is_shell && found.coverage == Coverage::Complete && found.scripts.is_empty() && !found.commands.is_empty()
    });
    let Some(analysis) = analysis.filter(|_| verdict.outcome == Outcome::Ask) else { return verdict };
    let mut spoke: Vec<&Allow> = Vec::new();
    let mut is_lifted = |asked: &Attributed| {
        if asked.of_host || asked.finding.outcome != Outcome::Ask || asked.policy == SELF_PROTECT {
            return false;
        }
        let speaking = allows.iter().copied().filter(|allow| allow.names(asked) && may(allow.layer, &asked.policy));
        let found = covering(&speaking.collect::<Vec<_>>(), analysis, here);
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

/// For each command an allow that covers it; `None` if one has none, or if something is done by no command.
fn covering<'a>(allows: &[&'a Allow], analysis: &Analysis, here: Here<'_>) -> Option<Vec<&'a Allow>> {
    let is_of_one = |effect: &Effect| analysis.commands.iter().any(|command| command.id == effect.command_id);
    if allows.is_empty() || !analysis.effects.iter().all(is_of_one) {
        return None;
    }
    let cover = |command: &Command| {
        let effects: Vec<&Effect> = analysis.effects.iter().filter(|effect| effect.command_id == command.id).collect();
        allows.iter().copied().find(|allow| allow.covers(command, &effects, here))
    };
    analysis.commands.iter().map(cover).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Map;

    use super::*;
    use crate::call::ToolCall;
    use crate::syntax::{Position, Severity, Span, Via};
    use crate::{Presence, ResolvedPath};

    fn word(text: &str) -> Word {
        Word { text: text.to_owned(), dynamic: text.contains('$'), quoted: false, glob: false, parts: Vec::new() }
    }

    fn command(id: u32, text: &str, sudo: bool) -> Command {
        let position = Position {
            pipeline: id,
            index: 0,
            length: 1,
            operator: String::new(),
            background: false,
            within: Vec::new(),
        };
        let via = Via { kind: "sudo".to_owned(), detail: String::new() };
        Command {
            id,
            parent: 0,
            argv: text.split(' ').map(word).collect(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            position,
            via: if sudo { vec![via] } else { Vec::new() },
            span: Span { start: 0, end: 0 },
            cwd: "/p".to_owned(),
            certain: true,
        }
    }

    /// A deletion of a file in the project, or outside of it.
    fn effect(command_id: u32, place: &str, certain: bool) -> Effect {
        let inside = !place.starts_with('/');
        let canonical = if inside { format!("/p/{place}") } else { place.to_owned() };
        Effect {
            kind: "delete".to_owned(),
            operation: "fs.delete".to_owned(),
            severity: Severity::Notable,
            target: place.to_owned(),
            path: ResolvedPath {
                raw: canonical.clone(),
                lexical: canonical.clone(),
                canonical,
                project_relative: if inside { place.to_owned() } else { String::new() },
                git_root: String::new(),
                exists: Presence::Unknown,
                kind: String::new(),
            },
            command_id,
            certain,
            tags: Vec::new(),
        }
    }

    const HERE: Here<'static> = Here { cwd: "/p", canonical: "/p", root: "/p" };
    const PLACES: [&str; 4] = ["a", "b/c", "b", "/etc/a"];
    const POLICIES: [&str; 3] = ["p", "q", SELF_PROTECT];
    const RULES: [&str; 2] = ["r", "s"];

    fn opinions() -> impl Strategy<Value = Vec<Opinion>> {
        let outcome =
            prop::sample::select(vec![Outcome::Abstain, Outcome::Allow, Outcome::Warn, Outcome::Ask, Outcome::Deny]);
        let drawn = (prop::sample::select(&POLICIES[..]), prop::sample::select(&RULES[..]), outcome, any::<bool>());
        let opinion = |(policy, rule, outcome, of_host): (&str, &str, Outcome, bool)| {
            let said = Opinion::from_host(policy, rule, outcome, String::new(), String::new());
            Opinion { of_host, may_allow: true, ..said }
        };
        prop::collection::vec(drawn.prop_map(opinion), 0..5)
    }

    fn allows() -> impl Strategy<Value = Vec<Allow>> {
        let targets = prop::collection::vec(prop::sample::select(vec!["a", "b/**", "b/c"]), 0..3);
        let rules = prop::collection::vec(prop::sample::select(vec!["p:r", "p:s", "q:r"]), 0..3);
        let drawn =
            (prop::sample::select(vec!["rm", "rm a"]), targets, rules).prop_map(|(command, targets, rules)| Allow {
                layer: Layer::User,
                rules: rules.into_iter().map(str::to_owned).collect(),
                command: command.split(' ').map(str::to_owned).collect(),
                targets: targets.into_iter().map(str::to_owned).collect(),
                effects: Vec::new(),
                within: String::new(),
                why: String::new(),
                until: String::new(),
            });
        prop::collection::vec(drawn, 0..4)
    }

    type Drawn = (Vec<(&'static str, bool, bool)>, bool, bool);

    /// Commands that delete a place each: the place, whether that is certain, and whether another user runs it. Whether
    /// all was understood, and whether one effect more is of no command.
    fn calls() -> impl Strategy<Value = Drawn> {
        let one = (prop::sample::select(&PLACES[..]), prop::bool::weighted(0.9), prop::bool::weighted(0.1));
        (prop::collection::vec(one, 0..3), prop::bool::weighted(0.9), prop::bool::weighted(0.1))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn an_allow_lifts_asks_that_it_names_of_calls_that_it_covers_and_nothing_else(
            opinions in opinions(),
            allows in allows(),
            (commands, complete, more) in calls(),
        ) {
            let before = merge(opinions);
            let numbered = || (1..).zip(&commands);
            let mut effects: Vec<Effect> = numbered().map(|(id, (place, certain, _))| effect(id, place, *certain)).collect();
            effects.extend(more.then(|| effect(9, "a", true)));
            let analysis = Analysis {
                coverage: if complete { Coverage::Complete } else { Coverage::Partial },
                reasons: Vec::new(),
                commands: numbered().map(|(id, (place, _, sudo))| command(id, &format!("rm {place}"), *sudo)).collect(),
                effects,
                scripts: Vec::new(),
            };
            let call = ToolCall::new("Bash", Map::from_iter([("command".to_owned(), "rm".into())]));
            let listed: Vec<&Allow> = allows.iter().collect();
            let after = lift(before.clone(), &listed, |_, _| true, (&call, HERE), Some(&analysis));
            if after == before {
                return Ok(());
            }
            // Only asks went, and all of them.
            prop_assert_eq!(before.outcome, Outcome::Ask);
            prop_assert!(after.outcome != Outcome::Ask && after.outcome != Outcome::Deny && !after.skips_prompt);
            prop_assert!(after.is_allowed() && after.lifted.len() == before.asks().count());
            prop_assert!(after.lifted.iter().all(|lifted| lifted.policy != SELF_PROTECT && !lifted.of_host));
            let others = |verdict: &Verdict| {
                let is_other = |found: &&Attributed| found.finding.outcome != Outcome::Ask && found.finding.rule != ALLOWED;
                verdict.findings.iter().filter(is_other).cloned().collect::<Vec<_>>()
            };
            prop_assert_eq!(others(&after), others(&before));
            // Each command is one that an allow for the rule spells out, with all that it does.
            prop_assert!(complete && !more && !commands.is_empty());
            for lifted in &after.lifted {
                for (place, certain, sudo) in &commands {
                    prop_assert!(*certain && !sudo);
                    let spelled = allows.iter().filter(|allow| allow.rules.is_empty() || allow.rules.contains(&lifted.rule()));
                    let fits = |allow: &Allow| match (allow.command.len(), allow.targets.is_empty()) {
                        (2, true) => *place == "a",
                        (2, false) => *place == "a" && allow.targets.contains(&"a".to_owned()),
                        (_, true) => false,
                        (_, false) => match *place {
                            "a" => allow.targets.contains(&"a".to_owned()),
                            "b/c" => allow.targets.iter().any(|target| target != "a"),
                            _ => false,
                        },
                    };
                    prop_assert!(spelled.into_iter().any(fits), "{place}");
                }
            }
        }
    }
}
