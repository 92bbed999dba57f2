//! Code that a text writes and then runs: code in a file, rules for `make`, package scripts, a copy of a program.
//!
//! Shell that is written and run is followed in [`super::plain`], because it may run in the current shell.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::syntax::{Command, Redirection, Span, Via, Word};

use super::content::Content;
use super::layers::Pending;
use super::output::Input;
use super::plain::NOT_KNOWN;
use super::readers::is_foreign;
use super::running::RunArguments;
use super::started::{PACKAGERS, Started};
use super::{Place, Walker};
use crate::limits;
use crate::word::expand::literal;

/// The default files of `make`. The first existing one is used.
pub(super) const MAKE: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// The default files of `just`.
pub(super) const JUST: &[&str] = &["justfile", "Justfile", ".justfile"];

/// The maximum number of rules in a makefile, and of goals that they reach.
const MOST: usize = 256;

impl Walker {
    /// Records the scripts that a command sets in a package manifest.
    pub(super) fn keep_settings(&mut self, command: &Command) {
        if !PACKAGERS.contains(&command.program()) {
            return;
        }
        let words = command.argv.get(1..).unwrap_or_default();
        let operands: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
        match operands.as_slice() {
            [pkg, set, settings @ ..] if pkg.text == "pkg" && set.text == "set" => {
                for setting in settings {
                    let Some((name, text)) = setting.text.split_once('=') else { continue };
                    let Some(script) = name.strip_prefix("scripts.") else { continue };
                    self.files.insert(&format!("{SCRIPT}{script}"), Content::known(literal(text)));
                }
            }
            [set, script, text] if set.text == "set-script" => {
                self.files.insert(&format!("{SCRIPT}{}", script.text), Content::known(literal(&text.text)));
            }
            _ => {}
        }
    }

    /// Replaces a copy of or link to a program with the program. Returns whether it did.
    pub(super) fn name_is_copied(&self, argv: &mut [Word]) -> bool {
        let Some(first) = argv.first_mut().filter(|_| !self.files.copies.is_empty()) else { return false };
        let known = if first.text.contains('/') {
            let own = self.place_of(first).and_then(|path| self.files.copies.get(&path));
            own.or_else(|| self.files.copies.get(&self.path_of(first)?))
        } else {
            self.files.copies.iter().find(|(path, _)| self.is_found(path, &first.text)).map(|(_, name)| name)
        };
        let Some(known) = known else { return false };
        *first = literal(known);
        true
    }

    /// Runs the code that a command reads from files.
    pub(super) fn run_written(&mut self, command: &Command, input: &Input, place: Place<'_>) {
        if self.deferred.defining {
            return;
        }
        for started in self.started(command, input) {
            let is_set = !command.assignments.is_empty();
            self.run_started(started, (command.id, command.span), is_set, place);
        }
    }

    pub(super) fn run_started(&mut self, started: Started, (id, span): (u32, Span), is_set: bool, place: Place<'_>) {
        let Started { name, argv, content, sure, is_given } = started;
        if self.scope.expanding.contains(&name) {
            return;
        }
        if !content.complete {
            self.partial(NOT_KNOWN);
        }
        if self.budget.calls_left == 0 || self.scope.expanding.len() >= limits::CALL_DEPTH {
            return self.partial("too many files run to follow all of them");
        }
        self.budget.calls_left -= 1;
        let certain = self.scope.certain;
        // The rules or package scripts that run may differ from the known ones.
        self.scope.certain &= sure;
        let parent = std::mem::replace(&mut self.scope.parent, id);
        let path = name.split_once(GOAL).map_or(name.as_str(), |(path, _)| path);
        // A file in another language may use its arguments anywhere.
        let is_set = is_set || !self.shell.names().is_empty();
        let given = RunArguments { everywhere: is_given || is_set || self.files.stirred, ..RunArguments::default() };
        let outer = self.enter_file(path, &content, given);
        self.scope.via.push(Via { kind: "script".to_owned(), detail: path.to_owned() });
        self.scope.expanding.push(name);
        let word = content.text;
        let shell = argv.first().filter(|name| is_foreign(name)).map_or("", String::as_str);
        if argv.is_empty() || !shell.is_empty() {
            self.apart(|walker| {
                walker.shell.enter_process();
                walker.as_process(&word.text, |walker| walker.run_text_of(shell, &word, span));
            });
        } else {
            let target = Redirection {
                fd: 0,
                operator: "<<<".to_owned(),
                target: word,
                body: String::new(),
                body_quoted: false,
            };
            let pending = Pending {
                argv: argv.iter().map(|word| literal(word)).collect(),
                assignments: Vec::new(),
                redirections: vec![target],
                span,
                certain: true,
                input: Input::Outer,
                children: None,
                level: 0,
            };
            self.dispatch(pending, place);
        }
        self.scope.expanding.pop();
        self.scope.via.pop();
        (self.scope.file, self.scope.spot) = outer;
        self.scope.parent = parent;
        self.scope.certain = certain;
    }
}

/// The separator between a file's path and its goals.
pub(super) const GOAL: &str = "\n";

/// The prefix of package script names, among the files.
pub(super) const SCRIPT: &str = "script of the package: ";

/// Returns whether a `just` recipe has parameters.
pub(super) fn has_parameters(text: &str, recipe: &str) -> bool {
    let header = |line: &str| line.split_once(':').is_some_and(|(header, _)| header.split_whitespace().count() > 1);
    text.lines().any(|line| line.split([' ', ':']).next() == Some(recipe) && header(line))
}

/// Expands the plain variables of a makefile. Other variables are only known at run time.
pub(super) fn expanded(text: &str, words: &[Word]) -> String {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let set = text.lines().filter(|line| !line.starts_with(['\t', ' ', '#'])).filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim_end_matches([':', '?', ' ']);
        (is_name(name) && !value.contains('$')).then(|| (name, value.trim()))
    });
    // The command line's values take precedence.
    let given = words.iter().filter_map(|word| word.text.split_once('=')).filter(|(name, _)| is_name(name));
    let values: BTreeMap<&str, &str> = set.take(MOST).chain(given).collect();
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("$(").into_iter().chain(rest.find("${")).min() {
        let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
        result.push_str(before);
        let name = found.get(2..).and_then(|found| found.split([')', '}']).next()).unwrap_or_default();
        let is_plain = !before.ends_with('$') && is_name(name);
        let value = values.get(name).copied().or((name == "MAKE").then_some("make"));
        match value.filter(|_| is_plain) {
            Some(value) => result.push_str(value),
            None if is_plain => result.extend(["${", name, "}"]),
            None => result.push_str(found.get(..2).unwrap_or_default()),
        }
        rest = found.get(if is_plain { name.len() + 3 } else { 2 }..).unwrap_or_default();
    }
    result.push_str(rest);
    result
}

/// Returns the rules of a makefile that these goals, or the first goal, reach, and the text outside rules. Recipes get
/// a leading tab, as in `make`, regardless of their original prefix.
pub(super) fn reached(text: &str, goals: &[&str]) -> String {
    let indented = |line: &str| line.starts_with([' ', '\t']);
    let header = |line: &str| {
        let (targets, rest) = line.split_once(':').filter(|_| !indented(line) && !line.starts_with(['#', '.']))?;
        (!rest.starts_with('=')).then(|| (targets.to_owned(), rest.to_owned()))
    };
    let rules: Vec<(String, String)> = text.lines().filter_map(header).take(MOST).collect();
    if rules.len() >= MOST {
        limits::reached("too many rules to follow");
    }
    let mut wanted: Vec<String> = goals.iter().map(|goal| (*goal).to_owned()).collect();
    if wanted.is_empty() {
        let first = rules.first().map(|(targets, _)| targets.split_whitespace().next().unwrap_or_default());
        wanted.extend(first.map(str::to_owned));
    }
    let mut seen = BTreeSet::new();
    while let Some(goal) = wanted.pop() {
        if seen.len() >= MOST || !seen.insert(goal.clone()) {
            continue;
        }
        for (_, needs) in rules.iter().filter(|(targets, _)| targets.split_whitespace().any(|target| target == goal)) {
            let needs = needs.split(';').next().unwrap_or_default();
            wanted.extend(needs.split_whitespace().map(str::to_owned));
        }
    }
    let mut result = String::new();
    let mut inside = true;
    for line in text.lines() {
        if let Some((targets, _)) = header(line) {
            inside = targets.split_whitespace().any(|target| seen.contains(target) || target.contains(['%', '$']));
        }
        if inside {
            if indented(line) {
                result.push('\t');
            }
            result.push_str(line.trim_start());
            result.push('\n');
        }
    }
    result
}
