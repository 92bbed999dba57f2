//! The numbers that bound an analysis, in one place.
//!
//! Beyond one of them the analysis is partial or unparsed, never silent.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static REACHED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes, where no reason can be stated, that a limit was reached. It becomes a reason of the analysis that is under way.
pub(crate) fn reached(reason: &'static str) {
    REACHED.with_borrow_mut(|reached| reached.insert(reason));
}

/// Takes the limits noted since the last call.
pub(crate) fn take_reached() -> BTreeSet<&'static str> {
    REACHED.take()
}

/// The longest text that is parsed, in bytes.
pub(crate) const SOURCE: usize = 128 * 1024;
/// Commands in one analysis.
pub(crate) const COMMANDS: usize = 4_096;
/// Words in one analysis.
pub(crate) const WORDS: usize = 32_768;
/// Words that are kept of a command with too many of them.
pub(crate) const FIRST_WORDS: usize = 64;
/// Bytes of text in one analysis.
pub(crate) const RESULT: usize = 1024 * 1024;
/// Bytes handed to the parser in one analysis, nested texts included.
pub(crate) const PARSED: usize = 1024 * 1024;
/// Substitutions and parentheses inside each other.
pub(crate) const NESTED_COMMANDS: usize = 16;
/// Quotes, braces and arithmetic inside each other, all counted.
pub(crate) const NESTED: usize = 64;
/// Openers of extended patterns, such as `@(`.
pub(crate) const PATTERN_OPENERS: usize = 8;
/// `[` beyond the `]` seen so far.
pub(crate) const OPEN_BRACKETS: usize = 64;
/// `{` beyond the `}` seen so far.
pub(crate) const OPEN_BRACES: usize = 64;
/// Compound commands inside each other, by their reserved words.
pub(crate) const COMPOUNDS: usize = 30;
/// `time`, `!` or `coproc` in a row.
pub(crate) const PREFIX_RUN: usize = 8;
/// Expansions in one word.
pub(crate) const EXPANSIONS: usize = 256;
/// Operands of one command that a tag lists. More say nothing new.
pub(crate) const LISTED: usize = 16;
/// Mounts of one container or sandbox.
pub(crate) const MOUNTS: usize = 64;
/// Here-documents.
pub(crate) const HEREDOCS: usize = 512;
/// Depth of the parser's own tree.
pub(crate) const PARSER_DEPTH: usize = 30;
/// Compound commands inside each other, through all nested texts.
pub(crate) const WALK_DEPTH: usize = 48;
/// Texts inside texts that become shell again, such as `bash -c`.
pub(crate) const TEXT_DEPTH: usize = 5;
/// Words that one word may become by brace expansion.
pub(crate) const VARIANTS: usize = 256;
/// Braces inside each other in one word.
pub(crate) const BRACE_DEPTH: usize = 8;
/// Wrappers around one command.
pub(crate) const WRAPPERS: usize = 24;
/// Variables whose value is followed.
pub(crate) const VARIABLES: usize = 1_024;
/// Texts of one alias that are followed.
pub(crate) const ALIASES: usize = 4;
/// The longest value of a variable that is followed, in bytes.
pub(crate) const VALUE: usize = 32 * 1024;
/// Elements of an array, or parameters, that are followed.
pub(crate) const ELEMENTS: usize = 256;
/// Parts of a value that is followed.
pub(crate) const PARTS: usize = 256;
/// Functions inside functions whose calls are followed.
pub(crate) const CALL_DEPTH: usize = 8;
/// Calls of functions that are followed in one analysis.
pub(crate) const CALLS: usize = 1_024;
/// Substitutions whose output is worked out in one analysis.
pub(crate) const OUTPUTS: usize = 1_024;
/// Programs without a description that are looked into in one analysis.
pub(crate) const UNKNOWN: usize = 1_024;
/// Files of the machine that are asked for in one analysis.
pub(crate) const SOURCES: usize = 4_096;
/// Files whose text is followed, and copies of programs.
pub(crate) const FILES: usize = 1_024;
/// Links that the text makes and that later paths are read through.
pub(crate) const LINKS: usize = 64;
/// Lines of a known input that a loop or a program is followed through.
pub(crate) const LINES: usize = 64;
/// Bytes of the bodies of loops, in all the rounds that are followed one by one in one analysis.
pub(crate) const LOOPS: usize = 256 * 1024;
/// Scripts of Python in one text that are read.
pub(crate) const SCRIPTS: usize = 32;
/// Commands that one piece of code, or one text for another program, is followed to.
pub(crate) const STARTS: usize = 64;
/// Effects in one analysis.
pub(crate) const EFFECTS: usize = 16_384;
/// Reasons that are kept.
pub(crate) const REASONS: usize = 16;
/// The longest text that the witness reads.
pub(crate) const WITNESS: usize = 16 * 1024;
