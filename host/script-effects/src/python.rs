//! Python: parses the text, and follows its values as far as they are constant.

mod bounds;
mod calls;
mod expressions;
mod flow;
mod fold;
mod functions;
mod launch;
mod members;
mod methods;
mod names;
mod node;
mod objects;
mod plain;
mod reader;
mod requests;
mod rows;
mod sites;
mod special;
mod state;
mod statements;
mod value;
mod widen;

use ruff_python_ast::ModModule;
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};

use crate::{Summary, Unknown};
use reader::{Codes, Reader};

/// The longest text that is read, in bytes.
const LONGEST: usize = 128 * 1024;

/// Summarizes code of Python.
pub(crate) fn read(code: &str) -> Summary {
    let codes = Codes::default();
    let mut reader = Reader::new(&codes);
    reader.run(code);
    reader.uncalled();
    reader.finish()
}

/// Summarizes code of JavaScript or TypeScript.
pub(crate) fn read_javascript(code: &str) -> Summary {
    let codes = Codes::default();
    let mut reader = Reader::new(&codes);
    if code.len() > LONGEST {
        reader.may(code);
        reader.lose("the code is too long", Unknown::ALL);
    } else {
        reader.code_of_javascript(code);
    }
    reader.uncalled();
    reader.finish()
}

/// The tree of a text.
fn parsed(reader: &mut Reader<'_>, code: &str) -> Option<Parsed<ModModule>> {
    reader.may(code);
    if code.len() > LONGEST {
        reader.lose("the code is too long", Unknown::ALL);
        return None;
    }
    if let Err(reason) = bounds::check(code) {
        reader.lose(reason, Unknown::ALL);
        return None;
    }
    let parsed = parse_unchecked(code, ParseOptions::from(Mode::Module));
    if !parsed.errors().is_empty() {
        reader.lose("the code does not parse", Unknown::ALL);
    }
    parsed.try_into_module()
}
