//! What a text writes first and runs later: code in a file, rules for `make`, scripts of a package, a copy of a program.
//!
//! Shell that is written and run is followed in [`super::plain`], for it may run in this very shell.

use std::collections::BTreeSet;

use guard_sdk::syntax::{Command, Redirection, Via, Word};

use super::held::Held;
use super::layers::Pending;
use super::output::Input;
use super::plain::NOT_KNOWN;
use super::running::Given;
use super::started::{PACKAGERS, Started};
use super::{Place, Walker};
use crate::limits;
use crate::word::expand::literal;

/// Files that `make` and `just` read by themselves.
pub(super) const RULES: &[&str] = &["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile"];

/// The most rules of a makefile, and goals that they reach.
const MOST: usize = 256;

impl Walker {
    /// Keeps the scripts that a command sets in the manifest of a package.
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
                    self.files.insert(&format!("{SCRIPT}{script}"), Held::known(literal(text)));
                }
            }
            [set, script, text] if set.text == "set-script" => {
                self.files.insert(&format!("{SCRIPT}{}", script.text), Held::known(literal(&text.text)));
            }
            _ => {}
        }
    }

    /// Puts the program in the place of a copy or a link of it. Whether it did.
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

    /// Runs the code that a command takes from files.
    pub(super) fn run_written(&mut self, command: &Command, input: &Input, place: Place<'_>) {
        if self.defining {
            return;
        }
        for started in self.started(command, input) {
            self.run_started(started, command, place);
        }
    }

    fn run_started(&mut self, started: Started, command: &Command, place: Place<'_>) {
        let Started { name, argv, held, sure, is_given } = started;
        if self.expanding.contains(&name) {
            return;
        }
        if !held.whole {
            self.partial(NOT_KNOWN);
        }
        if self.calls_left == 0 || self.expanding.len() >= limits::CALL_DEPTH {
            return self.partial("too many files run to follow all of them");
        }
        self.calls_left -= 1;
        let certain = self.certain;
        // Rules and scripts of a package may be others than those that are known.
        self.certain &= sure;
        let parent = std::mem::replace(&mut self.parent, command.id);
        let path = name.split_once(GOAL).map_or(name.as_str(), |(path, _)| path);
        // A file of another language takes its arguments in ways of its own.
        let given = Given { everywhere: is_given, ..Given::default() };
        let outer = self.enter_file(path, &held, given);
        self.via.push(Via { kind: "script".to_owned(), detail: path.to_owned() });
        self.expanding.push(name);
        let word = held.text;
        if argv.is_empty() {
            self.apart(|walker| {
                walker.shell.enter_process();
                walker.as_process(&word.text, |walker| walker.run_text(&word, command.span));
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
                span: command.span,
                certain: true,
                input: Input::Outer,
                children: None,
                level: 0,
            };
            self.dispatch(pending, place);
        }
        self.expanding.pop();
        self.via.pop();
        (self.file, self.spot) = outer;
        self.parent = parent;
        self.certain = certain;
    }
}

/// What stands between the path of a file and which of its rules run.
pub(super) const GOAL: &str = "\n";

/// What stands before the name of a script of a package, among the files.
pub(super) const SCRIPT: &str = "script of the package: ";

/// The rules of a makefile that these goals reach, or the first goal; with what stands outside of rules. Recipes
/// begin with a tab, as `make` has it, whatever they began with.
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
