//! [`Unit`]: a text that is being walked.

use guard_sdk::syntax::Span;

use crate::parse::tree::Range;
use crate::prescan::Prepared;

/// A text that is being walked, and its position in the outermost one.
#[derive(Clone, Copy)]
pub(super) struct Unit<'t> {
    pub(super) text: &'t str,
    pub(super) origin: Origin<'t>,
}

#[derive(Clone, Copy)]
pub(super) enum Origin<'t> {
    /// A piece of the outermost text, from this offset.
    Outermost(&'t Prepared, usize),
    /// A separate text. The span contains it.
    Inside(Span),
    /// A piece of a file, from this offset. The span runs it.
    File(&'t Prepared, usize, Span),
}

impl Unit<'_> {
    pub(super) fn span(&self, range: Range) -> Span {
        match self.origin {
            Origin::Inside(span) | Origin::File(_, _, span) => span,
            Origin::Outermost(prepared, base) => Span {
                start: offset(prepared.original(base + range.start)),
                end: offset(prepared.original(base + range.end)),
            },
        }
    }

    pub(super) fn slice(&self, range: Range) -> &str {
        self.text.get(range.start..range.end).unwrap_or_default()
    }
}

pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
