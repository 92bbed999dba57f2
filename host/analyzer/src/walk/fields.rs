//! The parts of a [`Walker`](super::Walker) that belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use guard_sdk::syntax::{Command, Coverage, Via};

use super::running;
use super::shell::Value;
use crate::limits;

/// The findings of the walk, which are the result.
pub(crate) struct Found {
    pub(crate) commands: Vec<Command>,
    /// How far the text was understood.
    pub(crate) coverage: Coverage,
    /// Why `coverage` is not complete.
    pub(crate) reasons: Vec<String>,
    /// Commands that read from a pipe what is not known: the pipeline, and their place in it.
    pub(crate) feeds: BTreeMap<u32, (u32, u32)>,
    /// Every name that stood where a command's name stands, before wrappers were peeled.
    pub(super) names: BTreeSet<String>,
    /// Nothing more can be listed, so nothing more is read.
    pub(super) full: bool,
}

impl Found {
    pub(super) fn new() -> Self {
        Found {
            commands: Vec::new(),
            coverage: Coverage::Complete,
            reasons: Vec::new(),
            feeds: BTreeMap::new(),
            names: BTreeSet::new(),
            full: false,
        }
    }
}

/// The context of the command that is walked.
pub(super) struct Scope {
    /// The command that starts it; 0 if the text does.
    pub(super) parent: u32,
    /// Compound commands and functions.
    pub(super) within: Vec<&'static str>,
    /// Wrappers and texts.
    pub(super) via: Vec<Via>,
    /// How many of `via` are around the text that is walked, so that a command in it counts its own only.
    pub(super) texts_via: usize,
    /// Placeholders that a program such as `xargs` replaces in the text that it runs.
    pub(super) marks: Vec<String>,
    /// Whether it runs as it is read.
    pub(super) certain: bool,
    /// Functions and aliases whose text is being walked.
    pub(super) expanding: Vec<String>,
    /// Names that are read as they are written, whatever the text has them mean.
    pub(super) as_written: Vec<String>,
    /// The file of the machine whose text is walked.
    pub(super) file: Option<Rc<running::File>>,
    /// Where in `file` the command stands.
    pub(super) spot: running::SourceLine,
}

impl Scope {
    pub(super) fn new() -> Self {
        Scope {
            parent: 0,
            within: Vec::new(),
            via: Vec::new(),
            texts_via: 0,
            marks: Vec::new(),
            certain: true,
            expanding: Vec::new(),
            as_written: Vec::new(),
            file: None,
            spot: running::SourceLine::default(),
        }
    }
}

/// The used and remaining amounts of the [`limits`].
pub(super) struct Budget {
    /// Words of the commands that are listed.
    pub(super) words: usize,
    /// Bytes of the commands that are listed.
    pub(super) bytes: usize,
    /// Bytes handed to the parser.
    pub(super) parsed: usize,
    /// Compound commands around the one that is walked.
    pub(super) depth: usize,
    /// Texts around the one that is walked.
    pub(super) texts: usize,
    /// Bytes of bodies of loops whose rounds may still be walked one by one.
    pub(super) loops_left: usize,
    /// Calls of functions that may still be followed.
    pub(super) calls_left: usize,
    /// Outputs of substitutions that may still be worked out.
    pub(super) outputs_left: usize,
    /// Programs without a description that may still be looked into.
    pub(super) unknown_left: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Budget {
            words: 0,
            bytes: 0,
            parsed: 0,
            depth: 0,
            texts: 0,
            loops_left: limits::LOOPS,
            calls_left: limits::CALLS,
            outputs_left: limits::OUTPUTS,
            unknown_left: limits::UNKNOWN,
        }
    }
}

/// Texts that run later than their position: bodies of functions, and texts of `trap`.
#[derive(Default)]
pub(super) struct Deferred {
    /// The variables that such texts were read with.
    pub(super) kept: Vec<(Rc<str>, Value)>,
    /// The directories that the texts of `trap` were read in.
    pub(super) kept_in: BTreeSet<String>,
    /// Such texts are read without variables and without a directory.
    pub(super) without_kept: bool,
    /// The names that stand once in the outermost text; none before they are wanted.
    pub(super) lasting: Option<Rc<BTreeSet<String>>>,
    /// The body of a function is walked: what it calls is followed when it runs.
    pub(super) defining: bool,
}
