//! Python: parses the text, and lowers the tree to the [intermediate representation](crate::ir).

mod bounds;
mod lower;

use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use crate::ir::Script;

/// Lowers a text. One with errors is lowered as far as it parses.
pub(crate) fn parse(code: &str) -> Script {
    if let Err(reason) = bounds::check(code) {
        return Script { reason: Some(reason), ..Script::default() };
    }
    let parsed = parse_unchecked(code, ParseOptions::from(Mode::Module));
    let reason = (!parsed.errors().is_empty()).then_some("the code does not parse");
    let body = parsed.try_into_module().map(|module| lower::Lowering::default().block(&module.syntax().body));
    Script { body, reason, ..Script::default() }
}
