//! The texts of a call that `deny-patterns` are matched against: commands as they run, without words that are data.
//!
//! If a program runs a word, the analysis lists it as a separate command. So a word that its program treats as text can
//! be omitted here.

mod data;
mod names;
mod raw;
mod spellings;

use guard_sdk::syntax::{Analysis, Command};

pub(crate) use names::words_without_names;
pub(crate) use raw::raw_without_data;
pub(crate) use spellings::{operands_first, script_run_spellings, without_leading_options};

/// The maximum number of commands and words that are examined.
const MOST: usize = 256;

/// Returns the words of a command without data.
pub(crate) fn words_without_data<'c>(command: &'c Command, analysis: &'c Analysis) -> Vec<&'c str> {
    let data = data::command_data(command, analysis);
    let words = command.argv.iter().enumerate().filter(|(at, _)| !data.words.contains(at));
    words.map(|(_, word)| word.text.as_str()).collect()
}
