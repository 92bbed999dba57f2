//! JavaScript and TypeScript: parses the text, and writes it down as code of Python that does the same to the machine.
//! That is read as Python is, so that values are followed by one reader.
//!
//! Names get `js_` in front, so that none is one of Python's. What Python has no word for is a call of a name that only
//! [`crate::eval`] knows: `js_text(a, b)` is the text of both.

mod bounds;
mod expressions;
mod patterns;
mod statements;
mod writer;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use writer::Writer;

/// The code as Python, or why there is none.
pub(crate) fn as_python(code: &str) -> Result<String, &'static str> {
    bounds::check(code)?;
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    // Most scripts are modules or could be; some use what only others may, and some have types.
    for kind in [SourceType::mjs(), SourceType::cjs(), SourceType::ts()] {
        let parsed = Parser::new(&allocator, code, kind).with_options(options).parse();
        if !parsed.panicked && parsed.diagnostics.is_empty() {
            let mut writer = Writer::default();
            writer.block(&parsed.program.body);
            return writer.finish();
        }
    }
    Err("the code does not parse")
}
