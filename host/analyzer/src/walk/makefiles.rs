//! Makefiles: the recipes that some goals reach, with included files and with plain variables expanded.

mod functions;
mod just;

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::syntax::Word;
use guard_sdk::task_runners::task_runner;

use super::Walker;
use super::content::Content;
use crate::limits;
use crate::word::expand::literal;
use crate::wrappers::layer::quoted;
use crate::wrappers::shells::is_shell;

use functions::expanded;
pub(super) use just::{recipes_of_just, with_plain_settings};

/// The maximum number of rules in a makefile, and of goals that they reach.
const MOST: usize = 256;

/// A shell variable that no text sets. It replaces automatic variables, whose values are only known at run time.
const AUTOMATIC: &str = "${_}";

/// The recipes that some goals reach.
pub(super) struct Recipes {
    pub(super) text: String,
    /// Whether `make` runs exactly these commands. Otherwise a variable or the shell may differ.
    pub(super) is_certain: bool,
    /// Whether they name the folder in which `make` was started. With `-C`, that isn't the one in which it runs.
    pub(super) names_start: bool,
}

/// The maximum number of files that a makefile includes.
const INCLUDED: usize = 16;

impl Walker {
    /// Puts the files that a makefile or justfile includes behind the lines that name them. `within` gives a file's path
    /// in the folder where `make` runs.
    pub(super) fn with_included(&mut self, mut content: Content, within: impl Fn(&Word) -> Word) -> Content {
        let mut left = INCLUDED;
        let mut lines: Vec<String> = content.text.text.lines().rev().map(str::to_owned).collect();
        if lines.iter().all(|line| included(line).is_empty()) {
            return content;
        }
        let mut text = String::with_capacity(content.text.text.len());
        while let Some(line) = lines.pop() {
            for names in included(&line) {
                if left == 0 {
                    limits::reached("too many included makefiles to read");
                    break;
                }
                left -= 1;
                let mut names = names.iter().filter(|name| !name.contains(['$', '*']));
                let file = names.find_map(|name| self.running_file(&within(&literal(name))));
                let Some((_, file)) = file else { continue };
                content.complete &= file.complete;
                content.is_preexisting &= file.is_preexisting;
                // Without a name, a makefile's first rule runs. A module of `just` has no part in that.
                let at = if line.starts_with("mod") { 0 } else { lines.len() };
                lines.splice(at..at, file.text.text.lines().rev().map(str::to_owned));
            }
            text.push_str(&line);
            text.push('\n');
        }
        content.text = literal(&text);
        content
    }
}

/// Returns the files that a line of a makefile or justfile includes, each with the names that are looked for.
fn included(line: &str) -> Vec<Vec<String>> {
    let mut words = line.split_whitespace().map(|name| name.trim_matches(['"', '\'']));
    match words.next().filter(|_| !line.starts_with([' ', '\t'])) {
        Some("include" | "-include" | "sinclude" | "import" | "import?") => {
            words.map(|name| vec![name.to_owned()]).collect()
        }
        // A module of `just`: `mod NAME` or `mod NAME 'FILE'`.
        Some("mod" | "mod?") => {
            let Some(name) = words.next().filter(|name| !name.contains(['=', ':'])) else { return Vec::new() };
            let plain = ["{}.just", "{}/mod.just", "{}/justfile"].map(|path| path.replace("{}", name));
            vec![words.next().map_or_else(|| plain.to_vec(), |file| vec![file.to_owned()])]
        }
        _ => Vec::new(),
    }
}

/// Returns the recipes of a makefile that these goals reach.
pub(super) fn recipes(text: &str, words: &[Word], goals: &[&str]) -> Recipes {
    let text = with_tabs(&joined_lines(text));
    let plain = reached(&text, goals);
    let variables = Variables::read(&text, words);
    let is_certain = !changes_shell(&text) && !recipe_lines(&plain).any(|line| variables.is_doubtful_in(line));
    let names_start = ["$(PWD)", "${PWD}"].iter().any(|start| plain.contains(start));
    let text = with_automatic(&reached(&expanded(&text, words), goals));
    Recipes { text: with_interpreter(text), is_certain, names_start }
}

/// Puts the program in `SHELL` before each line of the recipes, if it isn't a shell.
fn with_interpreter(text: String) -> String {
    let set = |name: &str| text.lines().rev().filter_map(assignment).find(|set| set.name == name);
    let Some(shell) = set("SHELL").map(|set| set.value).filter(|shell| !is_shell_path(shell)) else { return text };
    let flags = set(".SHELLFLAGS").map_or("-c", |set| set.value);
    let lines = text.lines().map(|line| match line.strip_prefix('\t') {
        Some(code) => format!("\t{shell} {flags} {}\n", quoted(code.trim_start_matches(['@', '-', '+', ' ']))),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// Returns whether a value of `SHELL` is a shell.
fn is_shell_path(shell: &str) -> bool {
    let path = shell.split_whitespace().last().unwrap_or_default();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    is_shell(name) && SHELLS.contains(&folder)
}

/// Returns whether an option makes `make` or `just` only print its recipes.
pub(super) fn prints_recipes(program: &str, words: &[Word]) -> bool {
    // After the name of a recipe, `just` passes options to it.
    let is_own = |word: &&str| program != "just" || word.starts_with('-');
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).take_while(is_own).collect();
    task_runner(program).is_some_and(|runner| runner.only_looks(&texts))
}

/// Commands in variables of a makefile that only look.
const LOOKING: &[&str] =
    &["basename", "cat", "date", "dirname", "echo", "hostname", "id", "ls", "nproc", "pwd", "uname", "which", "whoami"];

/// Returns the part of a makefile or a justfile that also runs in a dry run: all of it if it calls the shell outside of
/// recipes, or otherwise without the recipe lines that are only printed.
pub(super) fn run_by_dry_run(text: &str) -> String {
    let text = with_tabs(&joined_lines(text));
    let looks = |call: &str| {
        let mut words = call.split_whitespace();
        let plain = call.split(')').next().is_some_and(|call| !call.contains(['$', ';', '|', '&', '>', '`']));
        plain
            && match words.next().unwrap_or_default() {
                "git" => words.next().is_some_and(|verb| matches!(verb, "describe" | "log" | "rev-parse")),
                name => LOOKING.contains(&name.trim_end_matches(')')),
            }
    };
    let is_recipe = |line: &str| line.starts_with(['\t', ' ']);
    let calls = |line: &str| {
        let mut shells = ["$(shell ", "${shell "].iter().flat_map(|call| line.split(call).skip(1));
        shells.any(|call| !looks(call)) || !is_recipe(line) && (line.contains("!=") || line.contains('`'))
    };
    let is_run = |line: &&str| {
        let prefix = line.trim_start().trim_start_matches(['@', '-']);
        !is_recipe(line) || prefix.starts_with('+') || line.contains("$(MAKE") || line.contains("${MAKE")
    };
    match text.lines().any(|line| calls(line) || line.contains("$(eval") || line.starts_with("include")) {
        true => text,
        false => text.lines().filter(is_run).map(|line| line.to_owned() + "\n").collect(),
    }
}

/// Joins the lines that end with a backslash with the next one.
fn joined_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut is_recipe = false;
    let mut is_continued = false;
    for line in text.lines() {
        if is_continued {
            // The shell joins a recipe's lines, without the tab. `make` joins others with a space.
            let rest = if is_recipe { line.strip_prefix('\t').unwrap_or(line) } else { line.trim_start() };
            joined.push_str(rest);
        } else {
            is_recipe = line.starts_with('\t');
            joined.push_str(line);
        }
        is_continued = joined.ends_with('\\');
        if is_continued {
            joined.pop();
            joined.push_str(if is_recipe { "" } else { " " });
        } else {
            joined.push('\n');
        }
    }
    joined
}

/// Replaces the character that begins recipe lines with a tab.
fn with_tabs(text: &str) -> String {
    let set = text.lines().find_map(|line| assignment(line.trim()).filter(|set| set.name == ".RECIPEPREFIX"));
    let Some(prefix) = set.and_then(|set| set.value.chars().next()) else { return text.to_owned() };
    let line = |line: &str| line.strip_prefix(prefix).map_or_else(|| line.to_owned(), |rest| format!("\t{rest}"));
    text.lines().map(|it| line(it) + "\n").collect()
}

/// Replaces automatic variables such as `$@` and `$<`.
fn with_automatic(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
        result.push_str(before);
        let next = found.chars().nth(1).unwrap_or_default();
        let width = 1 + next.len_utf8();
        let taken = match next {
            '<' | '^' | '+' | '|' | '%' | '?' | '*' | '@' => {
                result.push_str(AUTOMATIC);
                width
            }
            '$' => {
                result.push_str("$$");
                width
            }
            _ => {
                result.push('$');
                1
            }
        };
        rest = found.get(taken..).unwrap_or_default();
    }
    result.push_str(rest);
    result
}

/// A line that sets a variable.
struct Assignment<'t> {
    name: &'t str,
    value: &'t str,
    /// Whether the line only sets this value: `NAME = VALUE` or `NAME := VALUE`.
    is_plain: bool,
}

fn assignment(line: &str) -> Option<Assignment<'_>> {
    let (left, value) = line.split_once('=')?;
    let words = left.trim_end_matches([':', '?', '+', '!', ' ', '\t']);
    let name = words.rsplit([' ', '\t', ':', '(']).next().unwrap_or(words);
    let is_plain = words == name && !left.contains(['?', '+', '!']) && !value.contains(['#', '$']);
    (!name.is_empty()).then_some(Assignment { name, value: value.trim(), is_plain })
}

/// The variables of a makefile whose values are doubtful, because several lines, conditions, other files or the
/// environment may set them.
struct Variables<'t> {
    doubtful: BTreeSet<&'t str>,
    plain: BTreeSet<&'t str>,
    /// Whether any variable may have another value.
    are_all_doubtful: bool,
    /// Names set on the command line, which take precedence.
    given: BTreeSet<&'t str>,
}

impl<'t> Variables<'t> {
    fn read(text: &'t str, words: &'t [Word]) -> Self {
        let given = words.iter().filter_map(|word| Some(word.text.split_once('=')?.0.trim_end_matches(':')));
        let given: BTreeSet<&str> = given.filter(|_| !text.contains("override")).collect();
        let is_environment = |word: &Word| {
            matches!(word.text.as_str(), "-e" | "--environment-overrides") || word.text.starts_with("--eval")
        };
        let mut found = Variables {
            doubtful: BTreeSet::new(),
            plain: BTreeSet::new(),
            are_all_doubtful: text.contains("$(eval") || words.iter().any(is_environment),
            given,
        };
        let mut depth = 0_usize;
        for line in text.lines().filter(|line| !line.starts_with(['\t', '#'])).map(str::trim) {
            let first = line.split_whitespace().next().unwrap_or_default();
            match first {
                "ifeq" | "ifneq" | "ifdef" | "ifndef" => depth += 1,
                "endif" => depth = depth.saturating_sub(1),
                "define" | "undefine" => found.doubtful.extend(line.split_whitespace().nth(1)),
                "include" | "-include" | "sinclude" => found.are_all_doubtful = true,
                _ => found.add(assignment(line), depth > 0),
            }
        }
        found
    }

    fn add(&mut self, set: Option<Assignment<'t>>, is_conditional: bool) {
        let Some(set) = set else { return };
        if !set.is_plain || is_conditional || !self.plain.insert(set.name) {
            self.doubtful.insert(set.name);
        }
    }

    /// Returns whether a recipe's line uses a doubtful value.
    fn is_doubtful_in(&self, line: &str) -> bool {
        line.match_indices('$').any(|(at, _)| {
            let rest = line.get(at + 1..).unwrap_or_default();
            let braced = rest.strip_prefix(['(', '{']);
            let end = braced.and_then(|inner| inner.find([')', '}', ':', ' ']));
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let name = match (braced, end) {
                (Some(inner), Some(end)) => inner.get(..end),
                _ => rest.get(..first),
            };
            let name = name.unwrap_or_default();
            let is_set = self.plain.contains(name) || self.doubtful.contains(name);
            is_set && !self.given.contains(name) && (self.are_all_doubtful || self.doubtful.contains(name))
        })
    }
}

/// Returns the lines of a makefile with commands.
fn recipe_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix('\t').or_else(|| Some(line.split_once(':')?.1.split_once(';')?.1)))
}

/// The folders of shells.
const SHELLS: &[&str] = &["", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// Returns whether the recipes run in another kind of shell or with other programs, or all lines of a recipe in one
/// shell.
fn changes_shell(text: &str) -> bool {
    let changes = |set: Assignment<'_>| match set.name {
        "SHELL" => !is_shell_path(set.value),
        "BASH_ENV" | "ENV" | "PATH" => true,
        // An option of the shell, such as `-O dotglob`.
        ".SHELLFLAGS" => set.value.contains(['O', 'B']),
        _ => false,
    };
    let lines = || text.lines().map(str::trim);
    lines().any(|line| line.starts_with(".ONESHELL")) || lines().filter_map(assignment).any(changes)
}

/// Returns the rules of a makefile that these goals, or the first goal, reach, and the text outside rules. Recipes get
/// a leading tab, as in `make`, regardless of their original prefix.
fn reached(text: &str, goals: &[&str]) -> String {
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
    let default = || text.lines().filter_map(assignment).find(|set| set.name == ".DEFAULT_GOAL" && set.is_plain);
    if wanted.is_empty() {
        wanted.extend(default().map(|set| set.value.to_owned()));
    }
    if wanted.is_empty() {
        let first = rules.first().map(|(targets, _)| targets.split_whitespace().next().unwrap_or_default());
        wanted.extend(first.map(str::to_owned));
    }
    // `make` first remakes the makefiles that have rules.
    let files = text.lines().flat_map(included).flatten();
    let files: Vec<String> = files.chain(MAKEFILES.iter().map(|name| (*name).to_owned())).collect();
    let order = ordered(&rules, files.into_iter().chain(wanted));
    // The lines before the first rule, and then each rule's lines.
    let mut parts: Vec<(usize, String)> = vec![(0, String::new())];
    let mut inside = true;
    for line in text.lines() {
        if let Some((targets, _)) = header(line) {
            let place = |target: &str| match order.get(target) {
                None if target.contains(['%', '$']) => Some(0),
                place => place.copied(),
            };
            let first = targets.split_whitespace().filter_map(place).min();
            inside = first.is_some();
            parts.extend(first.map(|place| (place, String::new())));
        }
        let is_outside = !indented(line) && header(line).is_none();
        let part = if inside { parts.last_mut() } else { parts.first_mut().filter(|_| is_outside) };
        if let Some((_, part)) = part {
            if indented(line) {
                part.push('\t');
            }
            part.push_str(line.trim_start());
            part.push('\n');
        }
    }
    parts.sort_by_key(|(place, _)| *place);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// The names of the file that `make` reads.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Returns the goals and everything that they need, each with its place in the order in which `make` makes them: a
/// target comes after what it needs.
fn ordered(rules: &[(String, String)], goals: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut order = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(String, bool)> = goals.map(|goal| (goal, false)).collect();
    open.reverse();
    while let Some((goal, is_done)) = open.pop() {
        if is_done {
            let place = order.len() + 1;
            order.entry(goal).or_insert(place);
            continue;
        }
        if seen.len() >= MOST || !seen.insert(goal.clone()) {
            continue;
        }
        let own = rules.iter().filter(|(targets, _)| targets.split_whitespace().any(|target| target == goal));
        let needs = own.flat_map(|(_, needs)| needs.split(';').next().unwrap_or_default().split_whitespace());
        let mut needs: Vec<(String, bool)> = needs.map(|need| (need.to_owned(), false)).collect();
        needs.reverse();
        open.push((goal, true));
        open.append(&mut needs);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_comes_after_what_it_needs() {
        let text =
            "-include c.mk\nall: b a\n\tone\na: c\n\ttwo\nb:\n\tthree\nc:\n\tfour\nother:\n\tfive\nc.mk: in\n\tsix\n";
        let lines = |goals: &[&str]| {
            let text = reached(text, goals);
            text.lines().filter_map(|line| line.strip_prefix('\t').map(str::to_owned)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(lines(&[]), "six three four two one");
        assert_eq!(lines(&["other"]), "six five");
        assert_eq!(lines(&["c", "b"]), "six four three");
    }

    #[test]
    fn other_shells_and_programs_make_recipes_doubtful() {
        let is_certain = |head: &str| recipes(&format!("{head}\nclean:\n\trm -rf out\n"), &[], &["clean"]).is_certain;
        for head in [
            "SHELL = ./sh",
            "SHELL := bin/bash",
            "SHELL=$(CURDIR)/sh",
            "export PATH := $(CURDIR)/bin:$(PATH)",
            "PATH = x",
        ] {
            assert!(!is_certain(head), "{head}");
        }
        for head in ["SHELL = /bin/bash", "SHELL := bash", "SHELL := /usr/bin/env bash", "export OUT = x", "MYPATH = x"]
        {
            assert!(is_certain(head), "{head}");
        }
    }
}
