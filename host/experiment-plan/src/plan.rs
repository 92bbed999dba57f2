//! [`Plan`]: the commands of an `experiment_plan.yaml`.
//!
//! Commands stand under `command`, `cmd` or `run`: as a text, as a list of arguments, or as a list of texts. They are
//! looked for in `arms`, in the `conditions` of each, and in `conditions` at the top; each of these is a list or a
//! mapping by name. Other keys mean nothing here.

mod node;

use std::collections::BTreeSet;

use crate::heads::{Analyze, Program, heads};
use node::{Node, Walk};

/// The largest plan that is read. The parser needs a few milliseconds for it.
const BYTES: usize = 256 << 10;

/// The maximum number of commands in a plan.
const COMMANDS: usize = 4_000;

/// The maximum work for reading the commands. Thousands of plain commands need far less.
const WORK: usize = 512 << 10;

/// The longest name of an arm.
const NAME: usize = 200;

/// The commands of a plan.
#[derive(Debug, Default)]
pub struct Plan {
    arms: Vec<Arm>,
    texts: BTreeSet<String>,
    programs: BTreeSet<Program>,
    names: BTreeSet<String>,
    work: usize,
}

#[derive(Debug, Default)]
struct Arm {
    name: Option<String>,
    programs: BTreeSet<String>,
}

impl Plan {
    /// Reads the text of a plan. `analyze` gives the commands of each text in it.
    ///
    /// # Errors
    ///
    /// Why there is no plan in it: it is too large, no YAML, names no command, or is not analysed.
    pub fn read(text: &str, analyze: &mut Analyze<'_>) -> Result<Self, String> {
        let because = |why: &str| why.to_owned();
        if text.len() > BYTES {
            return Err(because("it is larger than 256 KiB"));
        }
        let root = Node::read(text)?;
        let walk = Walk::default();
        let mut plan = Plan::default();
        for (name, arm) in walk.field(&root, "arms").map(|arms| walk.items(arms)).unwrap_or_default() {
            let given = ["id", "name", "arm", "label"].iter().find_map(|key| walk.field(arm, key)?.text());
            plan.add_arm(given.or(name), arm, &walk, analyze)?;
        }
        plan.add_arm(None, &root, &walk, analyze)?;
        if walk.is_spent() || plan.texts.len() > COMMANDS || plan.work > WORK {
            return Err(because("it holds more than can be looked at"));
        }
        if plan.programs.is_empty() {
            return Err(because("it names no command"));
        }
        Ok(plan)
    }

    fn add_arm(
        &mut self,
        name: Option<&str>,
        node: &Node,
        walk: &Walk,
        analyze: &mut Analyze<'_>,
    ) -> Result<(), String> {
        let conditions = walk.field(node, "conditions").map(|node| walk.items(node)).unwrap_or_default();
        let mut programs = BTreeSet::new();
        for node in std::iter::once(node).chain(conditions.iter().map(|(_, condition)| *condition)) {
            for text in texts(node, walk) {
                self.add_text(&mut programs, &text, analyze)?;
            }
        }
        self.arms.push(Arm { name: name.map(|name| crate::cut(name, NAME)), programs });
        Ok(())
    }

    fn add_text(
        &mut self,
        programs: &mut BTreeSet<String>,
        text: &Text,
        analyze: &mut Analyze<'_>,
    ) -> Result<(), String> {
        self.texts.insert(text.plain.trim().to_owned());
        if self.work > WORK {
            return Ok(());
        }
        for program in heads(&text.shell, analyze, &mut self.work)? {
            self.names.insert(program.name.clone());
            programs.insert(program.name.clone());
            self.programs.insert(program);
        }
        Ok(())
    }

    /// Returns whether the plan has this very text.
    #[must_use]
    pub fn has_text(&self, command: &str) -> bool {
        self.texts.contains(command.trim())
    }

    /// Returns whether a planned command starts this program.
    #[must_use]
    pub fn has_program(&self, program: &str) -> bool {
        self.names.contains(program)
    }

    /// The names of the programs that planned commands start.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    /// The programs that planned commands start, in each of their spellings.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter()
    }

    /// The arm that a command most likely belongs to: one that starts one of its programs, one whose name the command
    /// holds, or the only one there is.
    #[must_use]
    pub fn arm_of(&self, command: &str, programs: &[&str]) -> Option<String> {
        let named = || self.arms.iter().filter(|arm| arm.name.is_some());
        let starts = |arm: &&Arm| programs.iter().any(|program| arm.programs.contains(*program));
        let holds = |arm: &&Arm| arm.name.as_deref().is_some_and(|name| holds_word(command, name));
        let only = || named().next().filter(|_| named().count() == 1);
        let arm = named().find(holds).or_else(|| named().find(starts)).or_else(only)?;
        arm.name.clone()
    }
}

/// A command of a plan.
struct Text {
    /// As the plan has it; the words of a list stand behind each other.
    plain: String,
    /// As a shell reads it.
    shell: String,
}

/// The commands of an arm or of a condition.
fn texts(node: &Node, walk: &Walk) -> Vec<Text> {
    let of_text = |text: &str| Text { plain: text.to_owned(), shell: text.to_owned() };
    if let Some(text) = node.text() {
        return vec![of_text(text)];
    }
    let mut found = Vec::new();
    for command in ["command", "cmd", "run"].iter().filter_map(|key| walk.field(node, key)) {
        let items = walk.items(command);
        let words: Vec<&str> = items.iter().filter_map(|(_, word)| word.text()).collect();
        match command.text() {
            Some(text) => found.push(of_text(text)),
            None if words.first().is_some_and(|first| first.contains(char::is_whitespace)) => {
                found.extend(words.iter().map(|text| of_text(text)));
            }
            None => {
                let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                found.push(Text { plain: words.join(" "), shell: quoted.join(" ") });
            }
        }
    }
    found
}

/// A word that a shell reads as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns whether `text` holds `word` with nothing around it that would make it a part of another word.
fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).take(64).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}
