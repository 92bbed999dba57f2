//! Editors of property lists, in which macOS stores settings and the descriptions of its services.

use super::program::Program;
use crate::options::{Options, Parsed};
use crate::run::Run;

/// Their long options have one dash.
const WORDS: Options = Options { single: true, ..Options::new("", "") };

pub(super) const TABLE: &[Program] = &[
    Program::new(&["plutil"], Options { long: "o e convert extract", ..WORDS }, plutil),
    Program::new(&["plistbuddy"], Options { long: "c", ..WORDS }, buddy),
];

/// Adds the effect of `plutil -replace KEY -string VALUE FILE`, a change in place. The file is the last word. Other
/// calls read it.
fn plutil<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let output = parsed.value("", "o");
    let changes = ["convert", "insert", "replace", "remove", "create"].iter().any(|name| parsed.is("", name));
    for file in parsed.operands.iter().rev().take(1) {
        match changes && output.is_none() {
            true => run.write(file),
            false => run.read(file),
        }
    }
    if let Some(file) = output.filter(|file| file.text != "-") {
        run.write(&file);
    }
}

/// `PlistBuddy -c 'Set :KEY VALUE' FILE`
fn buddy<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    const CHANGES: &[&str] = &["set", "add", "delete", "copy", "merge", "import", "clear", "save"];
    let changes = |line: &str| {
        let verb = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        CHANGES.contains(&verb.as_str())
    };
    if parsed.values("", "c").any(|line| changes(&line.text)) {
        parsed.operands.iter().rev().take(1).for_each(|file| run.write(file));
    }
}
