//! Finds the `[[tables]]` of a list in TOML, and edits them without changing any other byte.
//!
//! `toml_edit` gives the positions. Its own output isn't used, because it would normalize line endings, add a final
//! newline, and drop the comments above removed tables.
//!
//! Adding an entry and removing it restores the text: an entry at the end has one empty line before it, which is
//! removed with it, and a missing final newline stays missing.

use std::ops::Range;

use toml_edit::{Document, Item, Table};

/// The reason why entries can't be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The list of this name is an array of inline tables.
    #[error("`{0}` is written as an array, not as `[[{0}]]`")]
    Inline(String),
    /// The edit would change something else.
    #[error("the entry can't be separated from the text around it")]
    Unsafe,
}

/// The entries of a list in a text, in order.
#[derive(Debug)]
pub struct Entries<'a> {
    text: &'a str,
    entries: Vec<(String, Vec<Range<usize>>)>,
}

impl<'a> Entries<'a> {
    /// Finds the entries of the list of this name.
    pub fn parse(text: &'a str, list: &str) -> Result<Self, PlacementError> {
        let document = Document::parse(text).map_err(|_| PlacementError::Unsafe)?;
        let root = document.as_table();
        let list = match root.get(list) {
            None => return Ok(Entries { text, entries: Vec::new() }),
            Some(Item::ArrayOfTables(list)) => list,
            Some(_) => return Err(PlacementError::Inline(list.to_owned())),
        };
        let mut all = Vec::new();
        tables(root, &mut all);
        let entries = list.iter().map(|entry| {
            let name = entry.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
            let mut own = Vec::new();
            tables(entry, &mut own);
            (name, runs(text, &mut own, &all))
        });
        Ok(Entries { text, entries: entries.collect() })
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.entries.iter().map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|(other, _)| other == name)
    }

    /// Appends a block of lines to the text. A missing file only gets the block.
    pub fn append(&self, there: Option<&str>, block: &str) -> String {
        let newline = newline(block);
        match there {
            None => block.to_owned(),
            Some(text) if text.is_empty() || text.ends_with('\n') => [text, newline, block].concat(),
            Some(text) => [text, newline, newline, block.trim_end_matches(['\r', '\n'])].concat(),
        }
    }

    /// Replaces an entry with a block of lines.
    pub fn replace(&self, index: usize, block: &str) -> String {
        let Some((first, rest)) = self.runs(index).split_first() else { return self.text.to_owned() };
        let is_open = !self.slice(first).ends_with('\n');
        let block = if is_open { block.trim_end_matches(['\r', '\n']) } else { block };
        let rest: Vec<_> = rest.iter().map(|run| self.with_gap(run)).collect();
        let (head, tail) = (self.slice(&(0..first.start)), without(self.text, first.end, &rest));
        [head, block, &tail].concat()
    }

    /// Removes an entry. `None` if the text began with it and nothing is left.
    pub fn remove(&self, index: usize) -> Option<String> {
        let runs = self.runs(index);
        let cuts: Vec<_> = runs.iter().map(|run| self.with_gap(run)).collect();
        let mut left = without(self.text, 0, &cuts);
        let reached_end = cuts.last().is_some_and(|cut| cut.end == self.text.len());
        if reached_end && !self.text.ends_with('\n') {
            let end = left.strip_suffix('\n').map(|left| left.strip_suffix('\r').unwrap_or(left).len());
            left.truncate(end.unwrap_or(left.len()));
        }
        let began = runs.first().is_some_and(|run| run.start == 0);
        (!(began && left.is_empty())).then_some(left)
    }

    fn runs(&self, index: usize) -> &[Range<usize>] {
        self.entries.get(index).map(|(_, runs)| runs.as_slice()).unwrap_or_default()
    }

    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Extends lines by an empty one before them or, at the start of the text, after them.
    fn with_gap(&self, run: &Range<usize>) -> Range<usize> {
        let (before, after) = (self.slice(&(0..run.start)), self.slice(&(run.end..self.text.len())));
        if run.start == 0 {
            return 0..run.end + ["\r\n", "\n"].iter().find(|gap| after.starts_with(**gap)).map_or(0, |gap| gap.len());
        }
        let gap = ["\r\n", "\n"]
            .into_iter()
            .find(|gap| before.strip_suffix(gap).is_some_and(|above| above.is_empty() || above.ends_with('\n')));
        run.start - gap.map_or(0, str::len)..run.end
    }
}

/// Returns the text from `start` without these parts, which are in order.
fn without(text: &str, start: usize, cuts: &[Range<usize>]) -> String {
    let (mut left, mut at) = (String::new(), start);
    for cut in cuts {
        left.push_str(text.get(at..cut.start).unwrap_or_default());
        at = cut.end.max(at);
    }
    left.push_str(text.get(at..).unwrap_or_default());
    left
}

fn newline(block: &str) -> &'static str {
    if block.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Collects the range of each table with a header, from the header to its last value, outer ones first.
fn tables(table: &Table, found: &mut Vec<Range<usize>>) {
    if let Some(header) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        found.push(header.start..end_of_values(table, header.end));
    }
    for (_, item) in table {
        match item {
            Item::Table(table) => tables(table, found),
            Item::ArrayOfTables(list) => list.iter().for_each(|table| tables(table, found)),
            Item::None | Item::Value(_) => {}
        }
    }
}

/// Returns the end of the last value below a header.
fn end_of_values(table: &Table, start: usize) -> usize {
    table.iter().fold(start, |end, (_, item)| match item {
        Item::Value(value) => value.span().map_or(end, |span| span.end.max(end)),
        Item::Table(table) if table.is_dotted() => end_of_values(table, end),
        Item::Table(_) | Item::ArrayOfTables(_) | Item::None => end,
    })
}

/// Extends ranges to whole lines, and joins adjacent tables with the comments between them.
fn runs(text: &str, own: &mut [Range<usize>], all: &[Range<usize>]) -> Vec<Range<usize>> {
    own.sort_by_key(|table| table.start);
    let mut runs: Vec<Range<usize>> = Vec::new();
    for table in own.iter() {
        let others = |from: usize| all.iter().any(|other| (from..table.start).contains(&other.start));
        match runs.last_mut() {
            Some(run) if !others(run.end) => run.end = table.end,
            _ => runs.push(table.clone()),
        }
    }
    let line_start = |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line_end = |at: usize| text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |end| at + end + 1);
    runs.into_iter().map(|run| line_start(run.start)..line_end(run.end)).collect()
}
