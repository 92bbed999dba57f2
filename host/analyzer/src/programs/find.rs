//! `find`: the deletions and writes of its own actions, and its start paths.

use std::borrow::Cow;

use guard_sdk::syntax::Word;

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::{Run, here};

pub(super) const TABLE: &[Program] = &[Program::new(&["find", "gfind"], Options::NONE, find)];

/// Tests that exclude most files. `-type` and the depth don't count.
const FILTERS: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newer",
    "-newermt",
    "-size",
    "-empty",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-inum",
    "-samefile",
    "-nouser",
    "-nogroup",
    "-links",
    "-lname",
];

/// Returns the start paths. None means the working directory.
pub(crate) fn starts(words: &[Word]) -> impl Iterator<Item = &Word> {
    let is_option = |word: &&Word| matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O");
    let ends = |word: &Word| word.text.starts_with('-') || matches!(word.text.as_str(), "(" | "!" | "\\(");
    words.iter().skip_while(is_option).take_while(move |word| !ends(word))
}

pub(crate) fn is_filtered(words: &[Word]) -> bool {
    words.iter().any(|word| FILTERS.contains(&word.text.to_ascii_lowercase().as_str()))
}

/// The common properties of everything that a search finds or acts on.
pub(crate) struct SoleName<'a> {
    /// The tag for [`SoleName::name`]: `every`, or `every-ignore-case`.
    pub(crate) tag: &'static str,
    /// The name, as a pattern.
    pub(crate) name: Cow<'a, str>,
    /// The letter of the only file type that it finds, or empty.
    pub(crate) kind: &'a str,
}

/// Returns the names of which every result has one. Empty if the search may find others, or follows links.
pub(super) fn sole_names(words: &[Word]) -> Vec<SoleName<'_>> {
    if words.iter().any(|word| word.dynamic) || starts(words).any(|start| start.glob) {
        return Vec::new();
    }
    let tests: Vec<&str> = words.iter().map(|word| word.text.as_str()).skip(starts(words).count()).collect();
    let is_bracket = |word: &&str| matches!(*word, "(" | ")" | "\\(" | "\\)");
    // A negated group can contain the only name.
    if tests.windows(2).any(|pair| matches!(pair, [not, next] if is_negation(not) && is_bracket(next))) {
        return Vec::new();
    }
    let has_brackets = tests.iter().any(is_bracket);
    // Each alternative needs its own name, regardless of parentheses. One before others that only prunes acts on nothing.
    let alternatives: Vec<&[&str]> = tests.split(|word| matches!(*word, "-o" | "-or")).collect();
    let last = alternatives.len().saturating_sub(1);
    let only_prunes = |at: usize, tests: &[&str]| {
        at < last && !has_brackets && tests.last() == Some(&"-prune") && !tests.contains(&"-delete")
    };
    let acting = alternatives.iter().enumerate().filter(|(at, tests)| !only_prunes(*at, tests));
    let names = acting.map(|(_, tests)| sole_name(tests.iter().copied().filter(|word| !is_bracket(word))));
    let names: Option<Vec<SoleName<'_>>> = names.collect();
    let mut names = names.unwrap_or_default();
    // A type in one alternative may apply to that one or, before parentheses, to all. It is ignored.
    if names.len() > 1 {
        names.iter_mut().for_each(|name| name.kind = "");
    }
    names
}

fn is_negation(word: &str) -> bool {
    matches!(word, "!" | "-not")
}

/// Tests with one argument. Each makes a search find less.
const TESTS: &[&str] = &[
    "-atime",
    "-ctime",
    "-group",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-newer",
    "-newermt",
    "-path",
    "-perm",
    "-regex",
    "-samefile",
    "-size",
    "-user",
    "-wholename",
];

/// Returns the name that one alternative requires.
fn sole_name<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<SoleName<'a>> {
    let (mut name, mut kind, mut tag) = (None, "", "every");
    while let Some(word) = words.next() {
        match word {
            "-name" if name.is_none() => name = words.next(),
            "-iname" if name.is_none() => (name, tag) = (words.next(), "every-ignore-case"),
            "-type" => kind = words.next()?,
            "!" | "-not" => match words.next()? {
                "-empty" => {}
                "-name" | "-iname" | "-type" => drop(words.next()?),
                test if TESTS.contains(&test) => drop(words.next()?),
                _ => return None,
            },
            test if TESTS.contains(&test) => drop(words.next()?),
            "-a" | "-and" | "-xdev" | "-mount" | "-depth" | "-empty" => {}
            "-print" | "-print0" | "-delete" | "-prune" if name.is_some() => {}
            _ => return None,
        }
    }
    name.map(|name| SoleName { tag, name: name.into(), kind })
}

/// Returns the patterns in name tests, and whether each is for a whole path.
pub(super) fn names(words: &[Word]) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_path = match word.text.as_str() {
            "-name" | "-iname" => false,
            "-path" | "-ipath" | "-wholename" | "-iwholename" | "-regex" | "-iregex" => true,
            _ => continue,
        };
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let is_negated = before.is_some_and(|before| matches!(before.text.as_str(), "!" | "-not"));
        let is_pruned = words.get(at + 2).is_some_and(|behind| behind.text == "-prune");
        let pattern = words.get(at + 1).filter(|pattern| !is_negated && !is_pruned && !pattern.dynamic);
        let Some(pattern) = pattern else { continue };
        found.push(match word.text.ends_with("regex") {
            true => (false, last_name(&pattern.text)),
            false => (is_path, pattern.text.clone()),
        });
    }
    found
}

/// Returns the last component of a regular expression, as a pattern for names.
pub(super) fn last_name(expression: &str) -> String {
    let last = expression.rsplit('/').next().unwrap_or_default().replace(".*", "*");
    last.chars().filter(|letter| !matches!(letter, '^' | '$' | '\\')).collect()
}

fn find<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let words = run.arguments();
    if words.iter().any(|word| word.text.eq_ignore_ascii_case("-delete")) {
        delete(run, words);
    }
    for pair in words.windows(2) {
        let [option, file] = pair else { continue };
        if matches!(option.text.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls") {
            run.write(&Operand::of(file));
        }
    }
}

/// Returns whether `find` rejects its arguments before it examines files: the value of `-type -d` isn't a type.
fn is_rejected(words: &[Word]) -> bool {
    words.windows(2).any(|pair| match pair {
        [test, kind] => test.text == "-type" && kind.text.starts_with('-') && !kind.dynamic,
        _ => false,
    })
}

fn delete<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    if is_rejected(words) {
        return;
    }
    let some = Draft::notable("delete", "fs.delete").tag("by", "find");
    let draft = match (takes_empty_folders(words), is_filtered(words)) {
        // Like `rmdir`.
        (true, _) => Some(some),
        (false, true) => Some(some.flag("glob", true).flag("filtered", true)),
        (false, false) => None,
    };
    let here = here();
    let drafts: Option<Vec<Draft>> = draft.map(|draft| match sole_names(words) {
        names if names.is_empty() => vec![draft],
        names => names.iter().map(|sole| draft.clone().tag(sole.tag, &sole.name).tag("type", sole.kind)).collect(),
    });
    let starts: Vec<Operand<'_>> = starts(words).map(Operand::of).collect();
    let starts = if starts.is_empty() { vec![Operand::of(&here)] } else { starts };
    for start in &starts {
        match &drafts {
            Some(drafts) => drafts.iter().for_each(|draft| run.emit_on(draft.clone(), start)),
            None => run.delete_tree(start, true, "find"),
        }
    }
}

/// Returns whether a deletion is limited to folders. `find` then deletes empty folders, and fails for others.
fn takes_empty_folders(words: &[Word]) -> bool {
    let is = |word: &Word, text: &str| word.text == text;
    // Tests after the first deletion have no influence on it.
    let end = words.iter().position(|word| is(word, "-delete")).unwrap_or(words.len());
    let words = words.get(..end).unwrap_or_default();
    let is_negated =
        |at: usize| at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| is_negation(&word.text));
    let is_folder = |pair: &[Word]| matches!(pair, [test, kind] if is(test, "-type") && is(kind, "d"));
    let folders = words.windows(2).enumerate().any(|(at, pair)| is_folder(pair) && !is_negated(at));
    let other = |word: &Word| matches!(word.text.as_str(), "-o" | "-or" | "," | "(" | ")" | "\\(" | "\\)");
    folders && !words.iter().any(other)
}
