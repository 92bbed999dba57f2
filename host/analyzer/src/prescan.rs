//! Checks before a text is parsed, and the joining of continued lines.
//!
//! On some hostile texts, the parser takes exponential time or overflows its stack. These are rejected here, in one
//! linear pass.

use crate::limits;
use guard_sdk::scan;

/// A text that may be parsed.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The text without the backslashes and newlines that join lines.
    pub(crate) text: String,
    /// The offsets in `text` where lines were joined, in order.
    joins: Vec<usize>,
    /// The nesting depth. Deeply nested texts aren't passed to the witness.
    pub(crate) depth: usize,
}

impl Prepared {
    /// Returns the offset in the original text for an offset in [`Prepared::text`].
    pub(crate) fn original(&self, at: usize) -> usize {
        at + 2 * self.joins.partition_point(|&join| join <= at)
    }
}

/// Checks a text and joins its continued lines.
///
/// # Errors
///
/// Returns the reason if the text must not be parsed.
pub(crate) fn prepare(source: &str) -> Result<Prepared, String> {
    if source.len() > limits::SOURCE {
        return Err(format!("the text is longer than {} bytes", limits::SOURCE));
    }
    if source.as_bytes().contains(&0) {
        return Err("the text holds a NUL byte".to_owned());
    }
    let counts = scan::survey(source);
    let excess = [
        (counts.command_depth, limits::NESTED_COMMANDS, "substitutions are nested too deeply"),
        (counts.depth, limits::NESTED, "quotes and braces are nested too deeply"),
        (counts.pattern_openers, limits::PATTERN_OPENERS, "the text holds too many extended patterns"),
        (counts.brackets, limits::OPEN_BRACKETS, "too many brackets are open"),
        (counts.braces, limits::OPEN_BRACES, "too many braces are open"),
        (counts.compounds, limits::COMPOUNDS, "compound commands are nested too deeply"),
        (counts.prefix_run, limits::PREFIX_RUN, "too many `time`, `!` or `coproc` in a row"),
        (counts.expansions, limits::EXPANSIONS, "one word holds too many expansions"),
        (counts.heredocs, scan::HEREDOCS, "the text holds too many here-documents"),
    ];
    if let Some((_, _, told)) = excess.into_iter().find(|(count, limit, _)| count > limit) {
        return Err(told.to_owned());
    }
    let (text, joins) = join(source, &counts.continuations);
    Ok(Prepared { text, joins, depth: counts.command_depth })
}

fn join(source: &str, continuations: &[usize]) -> (String, Vec<usize>) {
    let mut text = String::with_capacity(source.len());
    let mut joins = Vec::with_capacity(continuations.len());
    let mut from = 0;
    for &at in continuations {
        // The scanner reads each nested text once, so offsets increase. A repeated one is skipped.
        if let Some(piece) = source.get(from..at) {
            text.push_str(piece);
            joins.push(text.len());
            from = at + 2;
        }
    }
    text.push_str(source.get(from..).unwrap_or_default());
    (text, joins)
}
