//! The texts of a call that `deny-patterns` are compared with: commands as they run, without the words that are data.
//!
//! A word that a program runs is a command of its own in the analysis. So a word can be left out here if its program
//! treats it as text.

mod data;
mod names;
mod raw;
mod spellings;

use guard_sdk::syntax::{Analysis, Command};

pub(crate) use names::words_without_names;
pub(crate) use raw::raw_without_data;
pub(crate) use spellings::{operands_first, runs_in_other_words, without_leading_options};

/// Commands and words that are looked at, at most.
const MOST: usize = 256;

/// The words of a command but for data.
pub(crate) fn words_without_data<'c>(command: &'c Command, analysis: &'c Analysis) -> Vec<&'c str> {
    let data = data::data_of(command, analysis);
    let words = command.argv.iter().enumerate().filter(|(at, _)| !data.words.contains(at));
    words.map(|(_, word)| word.text.as_str()).collect()
}
