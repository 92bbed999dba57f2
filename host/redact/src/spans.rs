//! [`Spans`]: the secrets in a text, recorded while the text is read from start to end.

use std::ops::Range;

use super::MARK;

/// The part of a text that was read so far, and its secrets.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// The offset up to which the text was read.
    at: usize,
    /// Sorted and disjoint.
    hidden: Vec<Range<usize>>,
}

impl Spans {
    /// Reads a piece that isn't a secret.
    pub(super) fn keep(&mut self, piece: &str) {
        self.at += piece.len();
    }

    /// Reads a piece that is a secret.
    pub(super) fn hide(&mut self, piece: &str) {
        let start = self.at;
        self.at += piece.len();
        match self.hidden.last_mut() {
            _ if piece.is_empty() => {}
            Some(last) if last.end == start => last.end = self.at,
            _ => self.hidden.push(start..self.at),
        }
    }

    pub(super) fn into_ranges(self) -> Vec<Range<usize>> {
        self.hidden
    }
}

/// Returns the ranges in order. Adjacent and overlapping ones are merged.
pub(super) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the text with each range replaced by a mark.
pub(super) fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(MARK);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
