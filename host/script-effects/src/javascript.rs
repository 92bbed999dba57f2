//! JavaScript and TypeScript: parses the text, and lowers the tree to the [intermediate representation](crate::ir).

mod bounds;
mod lower;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use crate::ir::Script;

/// Lowers a text, unless it has errors.
pub(crate) fn parse(code: &str) -> Script {
    if let Err(reason) = bounds::check(code) {
        return Script { reason: Some(reason), ..Script::default() };
    }
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    // Most scripts are modules or could be; some use what only others may, and some have types.
    for kind in [SourceType::mjs(), SourceType::cjs(), SourceType::ts()] {
        let parsed = Parser::new(&allocator, code, kind).with_options(options).parse();
        if !parsed.panicked && parsed.diagnostics.is_empty() {
            return lower::Lowering::default().script(&parsed.program.body);
        }
    }
    Script { reason: Some("the code does not parse"), ..Script::default() }
}
