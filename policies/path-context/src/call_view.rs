//! [`CallView`]: the call as the rules see it, and [`Verdicts`]: their findings.

use std::cell::OnceCell;

use guard_sdk::NameList;
use guard_sdk::syntax::{Analysis, Command, Effect};
use guard_sdk::{Call, Facts, Finding, Outcome, Rule};

use crate::Settings;
use crate::place::{Map, Place};

/// The maximum number of findings of one rule with one outcome, unless only the target differs.
const FINDINGS_OF_A_RULE: usize = 3;

/// The maximum length of a target in a message, in characters.
const SHOWN: usize = 300;

/// The number of effects that are searched for links.
const FEW: usize = 64;

/// The call as the rules see it.
pub(crate) struct CallView<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) settings: &'a Settings,
    pub(crate) facts: Facts,
    pub(crate) map: Map<'a>,
    call: &'a Call<'a>,
    raw_text: OnceCell<String>,
}

impl<'a> CallView<'a> {
    pub(crate) fn new(call: &'a Call<'a>, analysis: &'a Analysis, settings: &'a Settings) -> Self {
        let facts = call.context();
        let map = Map::new(call, settings, &facts);
        CallView { analysis, settings, facts, map, call, raw_text: OnceCell::new() }
    }

    /// The tool's name.
    pub(crate) fn tool(&self) -> &str {
        self.call.tool()
    }

    /// Returns whether the tool runs a command.
    pub(crate) fn is_shell(&self) -> bool {
        matches!(self.call.tool(), "Bash" | "PowerShell")
    }

    /// The call's command as written.
    pub(crate) fn raw_text(&self) -> &str {
        self.raw_text.get_or_init(|| {
            let input = self.call.input().unwrap_or_default();
            let text = ["command", "code"].iter().find_map(|key| input.get(*key)?.as_str());
            text.unwrap_or_default().to_owned()
        })
    }

    /// Returns the command of an effect. Commands are sorted by id.
    pub(crate) fn command(&self, id: u32) -> Option<&Command> {
        let commands = &self.analysis.commands;
        let place = commands.binary_search_by_key(&id, |command| command.id).ok()?;
        commands.get(place)
    }

    /// Returns the place of an effect's target. `None` if it is on another machine.
    pub(crate) fn place(&self, effect: &Effect) -> Option<Place> {
        if effect.tag("where").is_some() {
            return None;
        }
        if effect.path.raw.is_empty() {
            let found = self.found_files_place(effect).or_else(|| self.piped_names_place(effect));
            return Some(found.unwrap_or(Place::Outside));
        }
        let place =
            if effect.kind == "delete" { self.map.entry_place(effect) } else { self.map.path_place(&effect.path) };
        Some(place.max(self.new_link_place(effect).unwrap_or(place)))
    }

    /// Returns the place of a path behind a link that the call itself creates.
    fn new_link_place(&self, effect: &Effect) -> Option<Place> {
        let made = self.analysis.effects.iter().take(FEW).filter(|made| made.command_id < effect.command_id);
        let behind = made.filter_map(|made| {
            let (link, to) = (made.path.raw.as_str(), made.tag("link-to")?);
            let rest = effect.path.raw.strip_prefix(link).filter(|rest| rest.starts_with('/') && !link.is_empty())?;
            let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
            Some(self.map.text_place(&join(folder, &format!("{to}{rest}"))))
        });
        behind.max()
    }

    /// Returns the worst place where `find` searches for the files that it passes to the command.
    fn found_files_place(&self, effect: &Effect) -> Option<Place> {
        let command = self.command(effect.command_id)?;
        // Otherwise the target has a variable in place of a found path.
        if effect.target.contains(['$', '`']) || command.via.last()?.kind != "find-exec" {
            return None;
        }
        let find = self.command(command.parent)?;
        let is_folder = |word: &str| !word.starts_with(['-', '(', '!']);
        let words = find.argv.iter().skip(1).take_while(|word| is_folder(&word.text));
        let folders: Vec<_> = words.collect();
        if folders.iter().any(|word| word.dynamic) || find.cwd.is_empty() {
            return None;
        }
        if folders.is_empty() {
            return Some(self.map.text_place(&find.cwd));
        }
        folders.iter().map(|word| self.map.text_place(&join(&find.cwd, &word.text))).max()
    }

    /// Returns the worst place of the names that a pipe passes to `xargs`, if they come from a search and filters of
    /// its output.
    fn piped_names_place(&self, effect: &Effect) -> Option<Place> {
        let command = self.command(effect.command_id)?;
        // A suffix after the name may still lead out of the folder.
        let is_name =
            effect.target.starts_with("{}") && !effect.target.contains(['$', '`']) && !effect.target.contains("..");
        if !is_name || command.via.last()?.kind != "xargs" {
            return None;
        }
        let xargs = &command.position;
        let earlier = |command: &&Command| {
            command.position.pipeline == xargs.pipeline
                && command.position.index < xargs.index
                && command.via.is_empty()
        };
        let mut earlier = self.analysis.commands.iter().filter(earlier);
        let source = earlier.next().filter(|source| source.position.index == 0 && !source.cwd.is_empty())?;
        let chooses = |command: &Command| matches!(command.program(), "grep" | "head" | "sort" | "tail" | "uniq");
        let words = source.argv.get(1..).unwrap_or_default();
        let is_search = match source.program() {
            "fd" | "find" | "ls" => true,
            "git" => words.iter().any(|word| matches!(word.text.as_str(), "ls-files" | "--name-only")),
            "grep" | "rg" => words.iter().any(|word| {
                let is_short = word.text.starts_with('-') && !word.text.starts_with("--");
                is_short && word.text.contains('l') || word.text.starts_with("--files")
            }),
            _ => false,
        };
        if !is_search || !earlier.all(chooses) || words.iter().any(|word| word.dynamic) {
            return None;
        }
        let leads_away = |word: &&str| word.starts_with(['/', '~']) || word.contains("..");
        let folders = words.iter().map(|word| word.text.as_str()).filter(leads_away);
        folders
            .map(|word| self.map.text_place(&join(&source.cwd, word)))
            .chain([self.map.text_place(&source.cwd)])
            .max()
    }

    /// Returns the worst place of the files that a command touches, or the place where it runs if it touches none.
    pub(crate) fn command_place(&self, command: &Command) -> Place {
        let effects = self.analysis.effects.iter().filter(|effect| effect.command_id == command.id);
        let places = effects.filter(|effect| is_of_file(effect)).filter_map(|effect| self.place(effect));
        let arguments = || {
            let words =
                command.argv.iter().skip(1).filter(|word| word.text.contains('/') && !word.text.starts_with('-'));
            words.map(|word| self.map.text_place(&join(&command.cwd, &word.text))).max()
        };
        let cwd = if command.cwd.is_empty() { &self.facts.cwd } else { &command.cwd };
        places.max().or_else(arguments).unwrap_or_else(|| self.map.text_place(cwd))
    }
}

/// Returns whether the effect changes a file.
pub(crate) fn is_of_file(effect: &Effect) -> bool {
    matches!(effect.kind.as_str(), "write" | "delete" | "metadata")
}

fn join(folder: &str, text: &str) -> String {
    if text.starts_with(['/', '~']) { text.to_owned() } else { format!("{folder}/{text}") }
}

/// The findings of the rules.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Vec<Verdict>);

/// A rule's verdict on one or several targets.
#[derive(Debug)]
struct Verdict {
    rule: Rule,
    name: Option<String>,
    outcome: Outcome,
    what: String,
    targets: NameList,
    place: &'static str,
}

impl Verdict {
    fn into_finding(self) -> Finding {
        let Verdict { rule, name, outcome, what, targets, place } = self;
        let is_blocked = outcome == Outcome::Deny;
        let word = if is_blocked { "BLOCKED" } else { "CONFIRM" };
        let called = name.as_deref().unwrap_or(rule.id);
        let message = format!("GUARDRAIL {word}: {what}.\nTarget: {targets}\nRule: {called}");
        // The host explains how to confirm, at the end of the message.
        let remedy = if is_blocked { "leave it as it is and tell the user what is needed" } else { "" };
        let finding = Finding::new(&rule, message).at(outcome).remedy(remedy).tag("path-context", place);
        match name {
            Some(name) => finding.tag("pattern", name.as_str()).tag("called", name),
            None => finding,
        }
    }
}

impl Verdicts {
    /// Adds a finding in the wording of the guard's messages. `what` is the action, and `target` its object.
    pub(crate) fn add(&mut self, rule: &Rule, outcome: Outcome, what: &str, target: &str, place: Option<Place>) {
        self.add_named(rule, None, outcome, what, target, place);
    }

    /// Adds a finding of a rule with the user's name for it.
    pub(crate) fn add_named(
        &mut self,
        rule: &Rule,
        name: Option<&str>,
        outcome: Outcome,
        what: &str,
        target: &str,
        place: Option<Place>,
    ) {
        let place = place.map_or("n/a", Place::log_name);
        let name = name.map(shorten);
        let of_rule = |verdict: &&Verdict| verdict.rule.id == rule.id && verdict.outcome == outcome;
        let count = self.0.iter().filter(of_rule).count();
        let alike = self.0.iter_mut().find(|verdict| {
            let texts = (&verdict.name, verdict.what.as_str(), verdict.place);
            verdict.rule.id == rule.id && verdict.outcome == outcome && texts == (&name, what, place)
        });
        let target = shorten(target);
        if let Some(verdict) = alike {
            verdict.targets.add(target);
        } else if count < FINDINGS_OF_A_RULE {
            let targets = [target].into_iter().collect();
            self.0.push(Verdict { rule: *rule, name, outcome, what: what.to_owned(), targets, place });
        }
    }

    /// Returns whether the rule has findings.
    pub(crate) fn has(&self, rule: &Rule) -> bool {
        self.0.iter().any(|verdict| verdict.rule.id == rule.id)
    }

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.0.into_iter().map(Verdict::into_finding).collect()
    }
}

/// Formats a text for a message: one line of limited length.
fn shorten(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(SHOWN) {
        line.truncate(end);
        line.push('…');
    }
    line
}
