//! The limits of an analysis.
//!
//! An analysis that exceeds one is reported as partial or unparsed.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static REACHED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Records that a limit was reached where no reason can be added. It becomes a reason of the current analysis.
pub(crate) fn reached(reason: &'static str) {
    REACHED.with_borrow_mut(|reached| reached.insert(reason));
}

/// Returns and clears the limits recorded since the last call.
pub(crate) fn take_reached() -> BTreeSet<&'static str> {
    REACHED.take()
}

/// The maximum length of a parsed text, in bytes.
pub(crate) const SOURCE: usize = 128 * 1024;
/// Commands in one analysis.
pub(crate) const COMMANDS: usize = 4_096;
/// Words in one analysis.
pub(crate) const WORDS: usize = 32_768;
/// The number of words kept from a command with too many words.
pub(crate) const FIRST_WORDS: usize = 64;
/// Bytes of text in one analysis.
pub(crate) const RESULT: usize = 1024 * 1024;
/// Bytes parsed in one analysis, including nested texts.
pub(crate) const PARSED: usize = 1024 * 1024;
/// Nesting of substitutions and parentheses.
pub(crate) const NESTED_COMMANDS: usize = 16;
/// Nesting of quotes, braces and arithmetic in total.
pub(crate) const NESTED: usize = 64;
/// Openers of extended patterns, such as `@(`.
pub(crate) const PATTERN_OPENERS: usize = 8;
/// Unclosed `[`.
pub(crate) const OPEN_BRACKETS: usize = 64;
/// Unclosed `{`.
pub(crate) const OPEN_BRACES: usize = 64;
/// Nesting of compound commands, counted by reserved words.
pub(crate) const COMPOUNDS: usize = 30;
/// Consecutive `time`, `!` or `coproc`.
pub(crate) const PREFIX_RUN: usize = 8;
/// Expansions in one word.
pub(crate) const EXPANSIONS: usize = 256;
/// Operands of one command that a tag lists.
pub(crate) const LISTED: usize = 16;
/// Mounts of one container or sandbox.
pub(crate) const MOUNTS: usize = 64;
/// Depth of the parser's tree.
pub(crate) const PARSER_DEPTH: usize = 30;
/// Nesting of compound commands through all nested texts.
pub(crate) const WALK_DEPTH: usize = 48;
/// Nesting of texts that become shell, as in `bash -c`.
pub(crate) const TEXT_DEPTH: usize = 5;
/// Words from one brace expansion.
pub(crate) const VARIANTS: usize = 256;
/// Nesting of braces in one word.
pub(crate) const BRACE_DEPTH: usize = 8;
/// Wrappers around one command.
pub(crate) const WRAPPERS: usize = 24;
/// Variables whose value is followed.
pub(crate) const VARIABLES: usize = 1_024;
/// Texts of one alias that are followed.
pub(crate) const ALIASES: usize = 4;
/// The maximum length of a variable's followed value, in bytes.
pub(crate) const VALUE: usize = 32 * 1024;
/// Followed elements of an array, or parameters.
pub(crate) const ELEMENTS: usize = 256;
/// Parts of a followed value.
pub(crate) const PARTS: usize = 256;
/// Nesting of followed function calls.
pub(crate) const CALL_DEPTH: usize = 8;
/// Followed function calls in one analysis.
pub(crate) const CALLS: usize = 1_024;
/// Substitutions whose output is determined in one analysis.
pub(crate) const OUTPUTS: usize = 1_024;
/// Examined programs without a description in one analysis.
pub(crate) const UNKNOWN: usize = 1_024;
/// Requested files in one analysis.
pub(crate) const SOURCES: usize = 4_096;
/// Files with followed text, and copies of programs.
pub(crate) const FILES: usize = 1_024;
/// Links created by the text that later paths are resolved through.
pub(crate) const LINKS: usize = 64;
/// Lines of a known input that are followed through a loop or a program.
pub(crate) const LINES: usize = 64;
/// Bytes of loop bodies that are followed round by round in one analysis, summed over all rounds.
pub(crate) const LOOPS: usize = 256 * 1024;
/// Analyzed Python scripts in one text.
pub(crate) const SCRIPTS: usize = 32;
/// Commands that are followed from one piece of code, or one text for another program.
pub(crate) const STARTS: usize = 64;
/// Effects in one analysis.
pub(crate) const EFFECTS: usize = 16_384;
/// Reported reasons.
pub(crate) const REASONS: usize = 16;
/// The maximum text length for the witness, in bytes.
pub(crate) const WITNESS: usize = 16 * 1024;
