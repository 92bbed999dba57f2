//! The syntax tree for the walk: commands and the positions of their words, without the words' parts.
//!
//! Every [`Range`] is in bytes of the parsed text.

/// A half-open range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A list of pipelines, in order.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    pub(crate) items: Vec<Item>,
}

/// One pipeline of a list.
#[derive(Debug)]
pub(crate) struct Item {
    /// `&&`, `||`, `;`, `&`, or empty for the first one.
    pub(crate) operator: &'static str,
    pub(crate) background: bool,
    pub(crate) negated: bool,
    pub(crate) elements: Vec<Node>,
}

/// A command with its redirections.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range,
}

/// The kind of a command.
#[derive(Debug)]
pub(crate) enum Kind {
    Simple {
        assignments: Vec<Range>,
        words: Vec<WordAt>,
    },
    Subshell(Sequence),
    Group(Sequence),
    /// `time`, which has no effect here.
    Timed(Sequence),
    If {
        /// Conditions and their bodies, in order.
        arms: Vec<(Sequence, Sequence)>,
        otherwise: Option<Sequence>,
    },
    Loop {
        condition: Option<Sequence>,
        /// The variable of `for` and `select`.
        variable: String,
        /// The words that the variable iterates over, or the expressions of an arithmetic `for`.
        words: Vec<Range>,
        arithmetic: Vec<Range>,
        body: Sequence,
        body_at: Range,
    },
    Case {
        word: Range,
        arms: Vec<(Vec<Range>, Sequence)>,
    },
    Function {
        names: Vec<Range>,
        body: Box<Item>,
        /// zsh runs a function without a name at once.
        runs: Vec<Range>,
    },
    Coprocess(Box<Item>),
    /// The whole of `[[ ... ]]`.
    Test(Range),
    /// The whole of `((...))`.
    Arithmetic(Range),
}

/// A word of a command.
#[derive(Debug, Clone)]
pub(crate) struct WordAt {
    pub(crate) range: Range,
    /// The command and process substitutions found by the parser, for comparison with ours.
    pub(crate) substitutions: Vec<Range>,
}

#[derive(Debug)]
pub(crate) struct Redirect {
    /// Whether the shell chooses the descriptor: `{name}>`.
    pub(crate) named: bool,
    pub(crate) span: Range,
    pub(crate) target: Range,
    pub(crate) heredoc: Option<Heredoc>,
}

/// The body of a here-document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heredoc {
    pub(crate) body: Range,
    pub(crate) tabs: bool,
}
