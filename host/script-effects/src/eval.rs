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

use evaluator::{Codes, Evaluator, LONGEST};

use crate::{Summary, Unknown};

/// Summarizes code of Python.
pub(crate) fn read(code: &str) -> Summary {
    let codes = Codes::default();
    let mut eval = Evaluator::new(&codes);
    eval.run(code);
    eval.uncalled();
    eval.finish()
}

/// Summarizes code of JavaScript or TypeScript.
pub(crate) fn read_javascript(code: &str) -> Summary {
    let codes = Codes::default();
    let mut eval = Evaluator::new(&codes);
    if code.len() > LONGEST {
        eval.may(code);
        eval.lose("the code is too long", Unknown::ALL);
    } else {
        eval.code_of_javascript(code);
    }
    eval.uncalled();
    eval.finish()
}
