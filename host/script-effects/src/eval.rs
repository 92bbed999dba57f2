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

use ruff_python_ast::ModModule;
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};

use crate::{Summary, Unknown};

/// The longest text that is read, in bytes.
const LONGEST: usize = 128 * 1024;

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

/// The tree of a text.
fn parsed(eval: &mut Evaluator<'_>, code: &str) -> Option<Parsed<ModModule>> {
    eval.may(code);
    if code.len() > LONGEST {
        eval.lose("the code is too long", Unknown::ALL);
        return None;
    }
    if let Err(reason) = crate::python::bounds::check(code) {
        eval.lose(reason, Unknown::ALL);
        return None;
    }
    let parsed = parse_unchecked(code, ParseOptions::from(Mode::Module));
    if !parsed.errors().is_empty() {
        eval.lose("the code does not parse", Unknown::ALL);
    }
    parsed.try_into_module()
}
