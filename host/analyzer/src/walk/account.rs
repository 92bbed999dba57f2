//! Checks that every byte of a text belongs to something visited, or is an operator, a reserved word, a comment or a
//! blank. Leftover text may be a missed command.

use super::{Unit, Walker};
use crate::parse::tree::Range;
use crate::word::zsh;

/// Words of the grammar that don't belong to a command.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "for", "in", "case", "esac", "select",
    "function", "time", "-p", "coproc", "[[", "]]", "repeat", "foreach", "end", "always", "((", "))",
];

/// Words before a name that belongs to the grammar as well.
const NAMING: &[&str] = &["for", "select", "foreach", "coproc", "function"];

impl Walker {
    /// Records that a range was visited.
    pub(super) fn account(&mut self, range: Range) {
        if range.end > range.start {
            self.accounted.push(range);
        }
    }

    /// Checks the parts of a walked text that weren't visited.
    pub(super) fn settle(&mut self, unit: Unit<'_>) {
        let mut ranges = std::mem::take(&mut self.accounted);
        if self.found.full {
            return;
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut names = false;
        let mut from = 0;
        for range in ranges.into_iter().chain([Range { start: unit.text.len(), end: unit.text.len() }]) {
            let gap = unit.slice(Range { start: from, end: range.start });
            // The elements of an array are words. A parenthesis directly after `=` has no other meaning.
            let opens_array = gap.starts_with('(') && unit.slice(Range { start: 0, end: from }).ends_with('=');
            let qualifies = from > 0 && gap.starts_with('(') && runs_qualifiers(unit, from + 1);
            if range.start > from && (opens_array || qualifies || !is_grammar(gap, &mut names)) {
                return self.partial("a piece of the text is not accounted for");
            }
            if range.end > from {
                from = range.end;
                names = false;
            }
        }
    }
}

/// Returns whether a parenthesis directly after a word contains a zsh pattern's qualifiers with code.
fn runs_qualifiers(unit: Unit<'_>, at: usize) -> bool {
    let line = unit.text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.rsplit_once(')').is_some_and(|(inner, _)| zsh::code_of_qualifiers(inner).is_some())
}

/// Returns whether the text between commands is only grammar. `names`: whether a name may follow.
fn is_grammar(gap: &str, names: &mut bool) -> bool {
    let mut rest = gap;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_ascii_whitespace() || ";&|(){}!\\".contains(char));
        if rest.is_empty() {
            return true;
        }
        if rest.starts_with('#') {
            rest = rest.find('\n').and_then(|at| rest.get(at..)).unwrap_or_default();
            continue;
        }
        let end = rest.find(|char: char| char.is_ascii_whitespace() || ";&|(){}".contains(char)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at_checked(end.max(1)).unwrap_or((rest, ""));
        let reserved = RESERVED.contains(&word);
        if !reserved && !*names {
            return false;
        }
        *names = reserved && NAMING.contains(&word);
        rest = tail;
    }
}
