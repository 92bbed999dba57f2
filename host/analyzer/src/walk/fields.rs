//! The parts of a [`Walker`](super::Walker), in groups.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use guard_sdk::syntax::{Command, Coverage, Via};

use super::running;
use super::shell::Value;
use crate::limits;

/// The result of the walk.
pub(crate) struct Found {
    pub(crate) commands: Vec<Command>,
    /// How completely the text was understood.
    pub(crate) coverage: Coverage,
    /// The reasons why `coverage` isn't complete.
    pub(crate) reasons: Vec<String>,
    /// Commands that read unknown text from a pipe: the pipeline, and their position in it.
    pub(crate) feeds: BTreeMap<u32, (u32, u32)>,
    /// Whether the script that a command runs uses its arguments, by the command's id.
    pub(crate) uses_arguments: BTreeMap<u32, bool>,
    /// Every name in a command's position, before wrappers were removed.
    pub(super) names: BTreeSet<String>,
    /// Whether a limit on the list is reached, so that nothing more is analyzed.
    pub(super) full: bool,
}

impl Found {
    pub(super) fn new() -> Self {
        Found {
            commands: Vec::new(),
            coverage: Coverage::Complete,
            reasons: Vec::new(),
            feeds: BTreeMap::new(),
            uses_arguments: BTreeMap::new(),
            names: BTreeSet::new(),
            full: false,
        }
    }
}

/// The context of the current command.
pub(super) struct Scope {
    /// The command that starts the current one, or 0 for the text itself.
    pub(super) parent: u32,
    /// The enclosing compound commands and functions.
    pub(super) within: Vec<&'static str>,
    /// The enclosing wrappers and texts.
    pub(super) via: Vec<Via>,
    /// The number of `via` elements around the current text. The ones after it belong to the command.
    pub(super) texts_via: usize,
    /// Placeholders that a program such as `xargs` replaces in the text it runs.
    pub(super) marks: Vec<String>,
    /// Whether the command runs as analyzed.
    pub(super) certain: bool,
    /// Functions and aliases that are being expanded.
    pub(super) expanding: Vec<String>,
    /// Names with their original meaning, regardless of the text's definitions.
    pub(super) as_written: Vec<String>,
    /// The machine's file with the current text.
    pub(super) file: Option<Rc<running::File>>,
    /// The command's position in `file`.
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
    /// Words of the listed commands.
    pub(super) words: usize,
    /// Bytes of the listed commands.
    pub(super) bytes: usize,
    /// Parsed bytes.
    pub(super) parsed: usize,
    /// The number of enclosing compound commands.
    pub(super) depth: usize,
    /// The number of enclosing texts.
    pub(super) texts: usize,
    /// Remaining bytes of loop bodies whose rounds are walked one by one.
    pub(super) loops_left: usize,
    /// Remaining function calls to follow.
    pub(super) calls_left: usize,
    /// Remaining substitutions whose output is determined.
    pub(super) outputs_left: usize,
    /// Remaining programs without a description to examine.
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

/// Texts that run after their position: function bodies, and texts of `trap`.
#[derive(Default)]
pub(super) struct Deferred {
    /// The values of variables with which such texts were analyzed.
    pub(super) kept: Vec<(Rc<str>, Value)>,
    /// The directories in which the texts of `trap` were analyzed.
    pub(super) kept_in: BTreeSet<String>,
    /// Whether such texts are analyzed without variables and without a directory.
    pub(super) without_kept: bool,
    /// The names that occur once in the outermost text. `None` until they are needed.
    pub(super) lasting: Option<Rc<BTreeSet<String>>>,
    /// Whether a function's body is being walked. Calls in it are followed when the function runs.
    pub(super) defining: bool,
}
