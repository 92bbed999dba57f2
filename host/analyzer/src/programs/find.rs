//! `find`: what it deletes or writes by itself, and where it starts.

use std::borrow::Cow;

use guard_sdk::syntax::Word;

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::{Run, here};

pub(super) const TABLE: &[Program] = &[Program::new(&["find", "gfind"], Options::NONE, find)];

/// Tests that leave most files alone. `-type` and the depth are not among them.
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

/// Where it starts; the working directory if nothing is named.
pub(crate) fn starts(words: &[Word]) -> impl Iterator<Item = &Word> {
    let is_option = |word: &&Word| matches!(word.text.as_str(), "-H" | "-L" | "-P") || word.text.starts_with("-O");
    let ends = |word: &Word| word.text.starts_with('-') || matches!(word.text.as_str(), "(" | "!" | "\\(");
    words.iter().skip_while(is_option).take_while(move |word| !ends(word))
}

/// Whether tests leave most files alone.
pub(crate) fn is_filtered(words: &[Word]) -> bool {
    words.iter().any(|word| FILTERS.contains(&word.text.to_ascii_lowercase().as_str()))
}

/// The common properties of everything that a search finds or acts on.
pub(crate) struct SoleName<'a> {
    /// The tag for [`SoleName::name`]: `every`, or another one if letters may be small or capital.
    pub(crate) tag: &'static str,
    /// The name, as a pattern.
    pub(crate) name: Cow<'a, str>,
    /// The letter of the only kind that it finds, or nothing.
    pub(crate) kind: &'a str,
}

/// The names of which everything has one. Empty if the search may find more, or follows links.
pub(super) fn sole_names(words: &[Word]) -> Vec<SoleName<'_>> {
    if words.iter().any(|word| word.dynamic) || starts(words).any(|start| start.glob) {
        return Vec::new();
    }
    let tests: Vec<&str> = words.iter().map(|word| word.text.as_str()).skip(starts(words).count()).collect();
    let is_bracket = |word: &&str| matches!(*word, "(" | ")" | "\\(" | "\\)");
    // Each alternative needs a name of its own, whatever brackets are around it.
    let alternatives = tests.split(|word| matches!(*word, "-o" | "-or"));
    let names = alternatives.map(|tests| sole_name(tests.iter().copied().filter(|word| !is_bracket(word))));
    let names: Option<Vec<SoleName<'_>>> = names.collect();
    let mut names = names.unwrap_or_default();
    // A kind that only one alternative asks for may be asked of all: it is before a bracket.
    if names.len() > 1 {
        names.iter_mut().for_each(|name| name.kind = "");
    }
    names
}

/// The name that one alternative asks for.
fn sole_name<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<SoleName<'a>> {
    let (mut name, mut kind, mut tag) = (None, "", "every");
    while let Some(word) = words.next() {
        match word {
            "-name" if name.is_none() => name = words.next(),
            "-iname" if name.is_none() => (name, tag) = (words.next(), "every-ignore-case"),
            "-type" => kind = words.next()?,
            "-maxdepth" | "-mindepth" | "-mtime" | "-mmin" | "-ctime" | "-atime" | "-newer" | "-size" | "-user" => {
                words.next()?;
            }
            "-xdev" | "-mount" | "-depth" | "-empty" => {}
            "-print" | "-print0" | "-delete" | "-prune" if name.is_some() => {}
            _ => return None,
        }
    }
    name.map(|name| SoleName { tag, name: name.into(), kind })
}

/// The names that tests ask for, as patterns, and whether each is a whole path.
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

/// The last component that a regular expression spells, as a pattern for names.
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

/// Whether `find` rejects its words before it looks at any file: `-type -d` names no kind.
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
        // As `rmdir` does.
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

/// Whether a deletion is of folders alone. `find` deletes those in which nothing is, and fails on the others.
fn takes_empty_folders(words: &[Word]) -> bool {
    let is = |word: &Word, text: &str| word.text == text;
    // What stands behind the first deletion comes too late.
    let end = words.iter().position(|word| is(word, "-delete")).unwrap_or(words.len());
    let words = words.get(..end).unwrap_or_default();
    let folders = words.windows(2).any(|pair| matches!(pair, [test, kind] if is(test, "-type") && is(kind, "d")));
    let other = |word: &Word| matches!(word.text.as_str(), "-o" | "-or" | "!" | "-not" | "," | "(" | ")");
    folders && !words.iter().any(other)
}
