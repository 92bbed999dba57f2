//! Task and script runners of projects: their options with values, and the words of a call that name tasks.
//!
//! Reads only the words of a call, no files.

mod table;

use table::RUNNERS;

/// The position of tasks in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// The first operand that isn't a `NAME=VALUE`.
    First,
    /// Every operand that isn't a `NAME=VALUE`.
    Each,
    /// The operand after one of these subcommands.
    Behind(&'static [&'static str]),
    /// The first operand after an optional subcommand of these.
    FirstBehind(&'static [&'static str]),
    /// Every operand after an optional subcommand of these.
    EachBehind(&'static [&'static str]),
    /// The operand after `run`, or the first one: npm and similar programs.
    Scripts,
    /// Returns the value of one of these options.
    Option(&'static [&'static str]),
    /// `run PROJECT:TASK`, `TASK PROJECT`, or the value of `-t`.
    Nx,
}

/// A program that runs a project's tasks by name.
#[derive(Debug)]
pub struct TaskRunner {
    names: &'static [&'static str],
    values: &'static [&'static str],
    looks: &'static [&'static str],
    form: Names,
    is_of_package: bool,
}

/// Programs that run the scripts of a package.
pub const PACKAGE_MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Subcommands that run a script.
const RUN: &[&str] = &["run", "run-script", "rum", "urn"];

/// Subcommands of package managers that aren't script names.
const OWN: &[&str] = &[
    "add", "audit", "ci", "config", "create", "dedupe", "dlx", "exec", "i", "info", "init", "install", "link", "list",
    "login", "logout", "ls", "outdated", "pack", "patch", "publish", "remove", "up", "update", "upgrade", "version",
    "why", "x",
];

/// Subcommands of npm that run the script with that name.
const NPM_SCRIPTS: &[&str] = &["restart", "start", "stop", "test"];

/// The maximum number of words that are examined.
const WORDS: usize = 256;

/// Returns whether `n` is one of make's letters after a single dash, and not part of another letter's value.
fn is_rehearsal(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    let before = letters.split_once('n').map(|(before, _)| before);
    before.is_some_and(|before| before.chars().all(|char| char.is_ascii_alphanumeric() && !"CEfIloW".contains(char)))
}

/// Returns the runner with this name.
#[must_use]
pub fn task_runner(program: &str) -> Option<&'static TaskRunner> {
    RUNNERS.iter().find(|runner| runner.names.contains(&program))
}

impl TaskRunner {
    /// The options that take the next word as their value.
    #[must_use]
    pub fn value_options(&self) -> &'static [&'static str] {
        self.values
    }

    /// Returns whether its tasks are the scripts of a `package.json`.
    #[must_use]
    pub fn is_of_package(&self) -> bool {
        self.is_of_package
    }

    /// Returns whether an option makes the runner only show its tasks.
    #[must_use]
    pub fn only_looks(&self, words: &[&str]) -> bool {
        let before_dashes = || words.iter().take_while(|word| **word != "--").take(WORDS);
        let is_make = self.names.contains(&"make");
        before_dashes().any(|word| self.looks.contains(word) || is_make && is_rehearsal(word))
    }

    fn reads_behind_dashes(&self) -> bool {
        self.names.contains(&"make") || self.names.contains(&"just")
    }

    /// Returns the tasks among the words after the program, with their indexes.
    #[must_use]
    pub fn tasks<'w>(&self, words: &[&'w str]) -> Vec<(usize, &'w str)> {
        let mut operands = operands(words, self.values);
        // After `--`, these two read further targets, not arguments of one.
        if let Some(dashes) = words.iter().position(|word| *word == "--").filter(|_| self.reads_behind_dashes()) {
            let behind = self::operands(words.get(dashes + 1..).unwrap_or_default(), self.values);
            operands.extend(behind.into_iter().map(|(at, word)| (dashes + 1 + at, word)));
        }
        let mut rest = operands.iter().copied().peekable();
        match self.form {
            Names::First => rest.find(|(_, word)| !word.contains('=')).into_iter().collect(),
            Names::Each => rest.filter(|(_, word)| !word.contains('=')).map(script_of_command).collect(),
            Names::Behind(verbs) => {
                rest.next().filter(|(_, verb)| verbs.contains(verb)).and_then(|_| rest.next()).into_iter().collect()
            }
            Names::FirstBehind(verbs) => {
                rest.next_if(|(_, verb)| verbs.contains(verb));
                rest.next().into_iter().collect()
            }
            Names::EachBehind(verbs) => {
                rest.next_if(|(_, verb)| verbs.contains(verb));
                rest.collect()
            }
            Names::Option(options) => option_value(words, options).into_iter().collect(),
            Names::Scripts => self.scripts(&mut rest).into_iter().collect(),
            Names::Nx => nx(words, &mut rest).into_iter().collect(),
        }
    }

    /// Returns the script that a package manager runs.
    fn scripts<'w>(
        &self,
        rest: &mut std::iter::Peekable<impl Iterator<Item = (usize, &'w str)>>,
    ) -> Option<(usize, &'w str)> {
        let is_npm = self.names.contains(&"npm");
        let is_yarn = self.names.contains(&"yarn");
        if is_yarn && rest.next_if(|(_, word)| *word == "workspace").is_some() {
            rest.next();
        }
        if is_yarn && rest.next_if(|(_, word)| *word == "workspaces").is_some() {
            rest.next_if(|(_, word)| *word == "foreach");
        }
        rest.next_if(|(_, word)| !is_npm && matches!(*word, "recursive" | "multi" | "m"));
        let (at, verb) = rest.next()?;
        match verb {
            verb if RUN.contains(&verb) => rest.next(),
            verb if is_npm && !NPM_SCRIPTS.contains(&verb) || OWN.contains(&verb) => None,
            verb => Some((at, verb)),
        }
    }
}

/// Returns the value of one of these options.
fn option_value<'w>(words: &[&'w str], options: &[&str]) -> Option<(usize, &'w str)> {
    words.iter().enumerate().take(WORDS).find_map(|(at, word)| {
        if options.contains(word) {
            return words.get(at + 1).map(|value| (at + 1, *value));
        }
        word.split_once('=').filter(|(option, _)| options.contains(option)).map(|(_, value)| (at, value))
    })
}

/// Returns the task that an `nx` call runs.
fn nx<'w>(words: &[&'w str], rest: &mut impl Iterator<Item = (usize, &'w str)>) -> Option<(usize, &'w str)> {
    let (at, first) = rest.next()?;
    if !matches!(first, "run" | "run-many" | "affected") {
        return Some((at, first));
    }
    let (at, target) = option_value(words, &["-t", "--target", "--targets"]).or_else(|| rest.next())?;
    Some((at, target.split(':').nth(1).unwrap_or(target)))
}

/// Converts `npm:deploy` of `concurrently` to the script `deploy`.
fn script_of_command((at, word): (usize, &str)) -> (usize, &str) {
    let script = word.split_once(':').filter(|(manager, _)| PACKAGE_MANAGERS.contains(manager));
    (at, script.map_or(word, |(_, script)| script))
}

/// Returns the operands among the words, without options and the values of `value_options`. Words after `--` are
/// excluded, because only the runner's tasks read them.
#[must_use]
pub fn operands<'w>(words: &[&'w str], value_options: &[&str]) -> Vec<(usize, &'w str)> {
    let mut found = Vec::new();
    let mut is_value = false;
    for (at, word) in words.iter().enumerate().take(WORDS) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if *word == "--" {
            break;
        }
        if word.starts_with('-') {
            is_value = value_options.contains(word);
        } else {
            found.push((at, *word));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(call: &str, expected: &[&str]) {
        let words: Vec<&str> = call.split_whitespace().collect();
        let runner = task_runner(words[0]).unwrap();
        let found: Vec<&str> = runner.tasks(&words[1..]).into_iter().map(|(_, task)| task).collect();
        assert_eq!(found, expected, "{call}");
    }

    #[test]
    fn options_before_a_task_do_not_hide_it() {
        for (call, expected) in [
            ("npm --loglevel error run ship", &["ship"][..]),
            ("npm run -w api ship", &["ship"]),
            ("npm test -- ship", &["test"]),
            ("npm install ship", &[]),
            ("pnpm --reporter silent -r --filter api run ship", &["ship"]),
            ("pnpm recursive run ship", &["ship"]),
            ("yarn workspace api ship", &["ship"]),
            ("yarn workspaces foreach -A --include api run ship", &["ship"]),
            ("run-s build ship", &["build", "ship"]),
            ("concurrently -n a,b npm:watch npm:ship", &["watch", "ship"]),
            ("node --run ship", &["ship"]),
            ("node --run=ship", &["ship"]),
            ("lerna run --scope api ship", &["ship"]),
            ("nx run app:ship:prod", &["ship"]),
            ("nx run-many -t ship", &["ship"]),
            ("turbo run test ship --filter api", &["test", "ship"]),
            ("make -C dir -f x.mk V=1 ship", &["ship"]),
            ("just --justfile f ship now", &["ship"]),
            ("task --dir x ship", &["ship"]),
            ("mise run ship", &["ship"]),
            ("mise install ship", &[]),
            ("hatch -e prod run ship", &["ship"]),
            ("deno task --cwd x ship", &["ship"]),
            ("gradle -p api ship", &["ship"]),
            ("make -j2 -- build ship", &["build", "ship"]),
            ("just -- ship now", &["ship"]),
            ("task -- ship", &[]),
            ("composer ship", &["ship"]),
            ("composer run ship", &["ship"]),
            ("composer require a/ship", &["require"]),
            ("cargo make --profile prod ship", &["ship"]),
            ("cargo run ship", &[]),
            ("makers ship", &["ship"]),
        ] {
            check(call, expected);
        }
    }

    #[test]
    fn runners_are_in_one_row_each() {
        let mut names: Vec<&str> = RUNNERS.iter().flat_map(|runner| runner.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
