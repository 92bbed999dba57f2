//! Effects of code in a general language on files, programs and servers, found by a real parser.
//!
//! [`read`] is the whole interface. It is pure and total: whatever the text, it answers, with bounded work and depth.
//! It runs nothing and decides nothing. What it does not understand is a reason, and [`Unknown`] says whether something
//! that deletes, writes or executes has a target that it cannot name.

mod eval;
mod ir;
mod javascript;
mod python;
mod words;

use eval::Language;

pub use guard_script_summary::{Action, ActionKind, Piece, Summary, Text, Unknown};

/// Reads code; none if this language has no reader.
#[must_use]
pub fn read(language: &str, code: &str) -> Option<Summary> {
    match language {
        "python" => Some(eval::summarize(Language::Python, python::parse, code)),
        "javascript" => Some(eval::summarize(Language::JavaScript, javascript::parse, code)),
        _ => None,
    }
}
