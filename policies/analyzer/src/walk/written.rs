//! What a text writes first and runs later: code in a file, rules for `make`, scripts of a package, a copy of a program.
//!
//! Shell that is written and run is followed in [`super::plain`], for it may run in this very shell.

use std::collections::BTreeSet;

use guard_sdk::syntax::{Command, Redirection, Via, Word};

use super::layers::Pending;
use super::output::Input;
use super::{Place, Walker};
use crate::limits;
use crate::word::expand::literal;
use crate::wrappers;
use crate::wrappers::layer::program;

/// Programs that run the scripts of a package.
const PACKAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// Files that `make` and `just` read by themselves.
const RULES: &[&str] = &["Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile"];

/// The most rules of a makefile, and goals that they reach.
const MOST: usize = 256;

/// Where programs of the system lie.
const SYSTEM: &[&str] = &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/"];

impl Walker {
    /// Keeps what a command that was listed writes for later, other than by its output.
    pub(super) fn keep_copies(&mut self, command: &Command) {
        let words = command.argv.get(1..).unwrap_or_default();
        let operands: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
        match (command.program(), operands.as_slice()) {
            ("cp" | "ln" | "install" | "mv", [from, to]) => {
                let from = self.path_of(from).unwrap_or_default();
                if SYSTEM.iter().any(|folder| from.starts_with(folder))
                    && let Some(to) = self.path_of(to)
                    && self.copies.len() < limits::FILES
                {
                    let name = from.rsplit('/').next().unwrap_or_default().to_owned();
                    self.copies.insert(to, name);
                }
            }
            (name, [pkg, set, settings @ ..])
                if PACKAGERS.contains(&name) && pkg.text == "pkg" && set.text == "set" =>
            {
                for setting in settings {
                    let Some((name, text)) = setting.text.split_once('=') else { continue };
                    let Some(script) = name.strip_prefix("scripts.") else { continue };
                    self.keep_script(script, text);
                }
            }
            (name, [set, script, text]) if PACKAGERS.contains(&name) && set.text == "set-script" => {
                self.keep_script(&script.text, &text.text);
            }
            _ => {}
        }
    }

    fn keep_script(&mut self, name: &str, text: &str) {
        if self.files.len() < limits::FILES && text.len() <= limits::SOURCE {
            self.files.insert(format!("{SCRIPT}{name}"), text.to_owned());
        }
    }

    /// Puts the program in the place of a copy or a link of it. Whether it did.
    pub(super) fn name_is_copied(&self, argv: &mut [Word]) -> bool {
        let Some(first) = argv.first_mut().filter(|first| !self.copies.is_empty() && first.text.contains('/')) else {
            return false;
        };
        let Some(known) = self.path_of(first).and_then(|path| self.copies.get(&path)) else { return false };
        *first = literal(known);
        true
    }

    /// Runs the code that a command takes from a file that this text wrote.
    pub(super) fn run_written(&mut self, command: &Command, place: Place<'_>) {
        let nested = self.expanding.len() >= limits::CALL_DEPTH;
        if self.files.is_empty() || nested {
            return;
        }
        let Some((name, argv, text)) = self.written_code(command) else { return };
        if self.expanding.contains(&name) {
            return;
        }
        self.calls_left -= 1;
        let certain = self.certain;
        // Rules and scripts of a package may be others than those that are known.
        self.certain &= wrappers::code_file(&command.argv).is_some();
        let parent = std::mem::replace(&mut self.parent, command.id);
        self.via.push(Via { kind: "script".to_owned(), detail: name.clone() });
        self.expanding.push(name);
        let word = literal(&text);
        if argv.is_empty() {
            self.apart(|walker| walker.run_text(&word, command.span));
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
        self.parent = parent;
        self.certain = certain;
    }

    /// A name for what runs, the program and its words that read it as their input, and the text. No words for shell.
    fn written_code(&self, command: &Command) -> Option<(String, Vec<String>, String)> {
        if self.calls_left == 0 {
            return None;
        }
        let name = program(&command.argv)?;
        let words = command.argv.get(1..)?;
        let reader = |program: &str| vec![program.to_owned(), "-".to_owned()];
        if PACKAGERS.contains(&name) {
            let mut operands = words.iter().map(|word| word.text.as_str()).filter(|text| !text.starts_with('-'));
            let script = operands.find(|text| !matches!(*text, "run" | "run-script"))?;
            let key = format!("{SCRIPT}{script}");
            let text = self.files.get(&key)?.clone();
            return Some((key, Vec::new(), text));
        }
        if matches!(name, "make" | "gmake" | "just") {
            let given = words.windows(2).find_map(|pair| match pair {
                [option, file] if matches!(option.text.as_str(), "-f" | "--file" | "--justfile" | "--makefile") => {
                    Some(file.clone())
                }
                _ => None,
            });
            let mut names = given.is_none().then_some(RULES).into_iter().flatten().map(|name| literal(name));
            let (path, text) = given
                .iter()
                .cloned()
                .chain(&mut names)
                .filter_map(|file| self.path_of(&file))
                .find_map(|path| self.files.get(&path).map(|text| (path.clone(), text)))?;
            let goals = words.iter().filter(|word| !word.text.starts_with('-') && !word.text.contains('='));
            let goals: Vec<&str> = goals
                .map(|word| word.text.as_str())
                .filter(|goal| given.iter().all(|file| file.text != *goal))
                .collect();
            let reader = ["make", "-f", "-"].map(str::to_owned).to_vec();
            return Some((path, reader, reached(text, &goals)));
        }
        if let Some(file) = wrappers::code_file(&command.argv) {
            let path = self.path_of(file)?;
            let text = self.files.get(&path)?.clone();
            return Some((path, reader(name), text));
        }
        // A path as the name: the first line says who reads it.
        let first = command.argv.first().filter(|first| first.text.contains('/'))?;
        let path = self.path_of(first)?;
        let text = self.files.get(&path)?;
        let line = text.strip_prefix("#!")?.lines().next()?;
        let mut interpreter = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let interpreter = interpreter.find(|word| *word != "env" && !word.starts_with('-'))?;
        wrappers::reads_code(interpreter).then(|| (path, reader(interpreter), text.clone()))
    }
}

/// What stands before the name of a script of a package, among the files.
const SCRIPT: &str = "script of the package: ";

/// The rules of a makefile that these goals reach, or the first goal; with what stands outside of rules. Recipes
/// begin with a tab, as `make` has it, whatever they began with.
fn reached(text: &str, goals: &[&str]) -> String {
    let indented = |line: &str| line.starts_with([' ', '\t']);
    let header = |line: &str| {
        let (targets, rest) = line.split_once(':').filter(|_| !indented(line) && !line.starts_with(['#', '.']))?;
        (!rest.starts_with('=')).then(|| (targets.to_owned(), rest.to_owned()))
    };
    let rules: Vec<(String, String)> = text.lines().filter_map(header).take(MOST).collect();
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
