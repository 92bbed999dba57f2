//! Marks calls that step out of a link with `..`, where programs disagree about the folder.
//!
//! A shell's `cd ..` goes back to the folder that the text names. The system, `cd -P` and most programs go to the folder
//! that contains the link's target. So the effects of such a call may be in another folder.

use guard_contract::paths::lexical;
use guard_contract::syntax::{Analysis, Command, Effect};

use crate::losses::has_parent_step;
use crate::{Facts, Resolver, folders};

/// The maximum number of words with `..` of one call that are examined. With more, the effects are marked.
const STEPS: usize = 64;

/// Programs that search the real folders above for their files.
const SEARCHING: [&str; 12] =
    ["bun", "bunx", "cargo", "go", "gradle", "just", "mvn", "npm", "npx", "pnpm", "task", "yarn"];

/// Programs that print the real folder.
const PRINTING: [&str; 4] = ["grealpath", "greadlink", "readlink", "realpath"];

/// Marks the effects of a call whose folders depend on the program.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts, resolver: &Resolver) {
    let disk = Links { facts, resolver };
    if !disk.are_ambiguous(analysis) {
        return;
    }
    let changes = |effect: &&mut Effect| matches!(effect.kind.as_str(), "delete" | "write" | "vcs" | "database");
    analysis.effects.iter_mut().filter(changes).for_each(folders::mark_unsure);
}

struct Links<'a> {
    facts: &'a dyn Facts,
    resolver: &'a Resolver,
}

impl Links<'_> {
    fn are_ambiguous(&self, analysis: &Analysis) -> bool {
        let commands = &analysis.commands;
        let is_physical = commands.iter().any(is_physical);
        let runs_text = |effect: &Effect| analysis.scripts.iter().any(|script| script.command_id == effect.command_id);
        // A script's library may remove `..` before the system resolves links.
        let in_scripts = analysis.effects.iter().filter(|effect| has_parent_step(&effect.target) && runs_text(effect));
        if in_scripts.take(STEPS).any(|effect| self.differs("/", &effect.path.raw)) {
            return true;
        }
        // The folder to which a wrapper changes, as in `env -C link/..`.
        let entered = commands.iter().flat_map(|command| &command.via).map(|via| via.detail.as_str());
        let mut entered = entered.filter(|folder| has_parent_step(folder)).take(STEPS);
        let starts = || commands.iter().filter(|command| command.cwd.starts_with('/')).take(STEPS).flat_map(folders_of);
        if entered.any(|folder| starts().any(|start| self.differs(&start, folder))) {
            return true;
        }
        let mut left = STEPS;
        commands.iter().filter(|command| command.cwd.starts_with('/')).any(|command| {
            let is_shell = matches!(program(command), "cd" | "popd" | "pushd");
            let is_through_link = || self.differs(&command.cwd, "..");
            if SEARCHING.contains(&program(command)) || is_physical && prints_folder(command) {
                return is_through_link();
            }
            let resolved_by_system = |word: &str| {
                let is_target = |effect: &Effect| effect.command_id == command.id && effect.target == word;
                analysis
                    .effects
                    .iter()
                    .any(|effect| is_target(effect) && effect.tags.iter().all(|(name, _)| name != "filtered"))
            };
            let words = || command.argv.iter().skip(1).map(|word| operand(&word.text));
            let steps = words().filter(|word| has_parent_step(word) && !resolved_by_system(word));
            let mut steps = steps.filter(|_| !is_shell || is_physical);
            steps.any(|step| {
                // The value of an option can be the folder in which the program finds its other operands.
                let folders = words().filter(|word| !word.is_empty() && *word != step).take(STEPS);
                let mut starts = folders.map(|word| lexical(word, &command.cwd, "")).chain([command.cwd.clone()]);
                starts.any(|start| {
                    let Some(rest) = left.checked_sub(1) else { return true };
                    left = rest;
                    self.differs(&start, step)
                })
            })
        })
    }

    /// Returns whether a path leads elsewhere if `..` is removed before links are followed.
    fn differs(&self, start: &str, path: &str) -> bool {
        let written = if path.starts_with('/') { path.to_owned() } else { format!("{start}/{path}") };
        let resolve = |path: &str| self.resolver.resolve(self.facts, path).canonical;
        let short = lexical(&written, "/", "");
        self.resolver.has_room() && resolve(&written) != resolve(&short)
    }
}

/// Returns the value of a word such as `--prefix=..` or `-C..`, or the word.
fn operand(word: &str) -> &str {
    match word.strip_prefix('-') {
        Some(option) if !option.starts_with('-') => option.trim_start_matches(|letter: char| letter.is_alphanumeric()),
        Some(option) => option.split_once('=').map_or("", |(_, value)| value),
        None => word,
    }
}

fn program(command: &Command) -> &str {
    let word = command.argv.first().map(|word| word.text.as_str()).unwrap_or_default();
    word.rsplit('/').next().unwrap_or_default()
}

/// Returns whether the command makes a shell follow links before it applies `..`, or starts one that does.
fn is_physical(command: &Command) -> bool {
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    let is_option =
        |word: &str| word == "physical" || word.starts_with('-') && !word.starts_with("--") && word.contains('P');
    let starts_elsewhere = |kind: &str| matches!(kind, "code" | "env" | "script" | "shell-c");
    match program(command) {
        "cd" | "pwd" | "set" | "bash" | "sh" | "zsh" | "dash" | "ksh" => {
            words.any(is_option) || command.via.iter().any(|via| starts_elsewhere(&via.kind))
        }
        program => PRINTING.contains(&program),
    }
}

/// Returns the folder of a command, and the one to which it changes.
fn folders_of(command: &Command) -> impl Iterator<Item = String> {
    let to = command.argv.get(1).filter(|_| matches!(program(command), "cd" | "pushd"));
    let to = to.map(|word| lexical(&word.text, &command.cwd, ""));
    std::iter::once(command.cwd.clone()).chain(to)
}

fn prints_folder(command: &Command) -> bool {
    program(command) == "pwd" || PRINTING.contains(&program(command))
}

#[cfg(test)]
mod tests;
