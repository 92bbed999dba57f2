//! Evaluates scripts as far as their values are constant, and notes what they do.

mod calls;
mod evaluator;
mod expressions;
mod flow;
mod fold;
mod functions;
mod launch;
mod library;
mod members;
mod methods;
mod objects;
mod plain;
mod requests;
mod rows;
mod sites;
mod special;
mod state;
mod statements;
mod value;
mod widen;

use evaluator::{Codes, Evaluator};

use crate::Summary;
use crate::ir::Script;

/// The language of a script: what its names mean that it doesn't set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
}

/// Summarizes code. `parse` lowers it, and code that is in its texts.
pub(crate) fn summarize(language: Language, parse: fn(&str) -> Script, code: &str) -> Summary {
    let codes = Codes::default();
    let mut eval = Evaluator::new(language, parse, &codes);
    eval.run(code);
    eval.follow_all_uncalled();
    eval.finish()
}
