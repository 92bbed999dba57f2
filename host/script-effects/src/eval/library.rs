//! Calls of libraries: the effect of each, by its full name.

pub(super) mod node;
pub(super) mod python;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::Language;
use super::value::Value;

/// The effect of a call by this full name, by its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// Reads or writes, as the mode says, which is the second argument.
    Open,
    /// The same, if no mode is given: `r`; of archives and the like.
    OpenPacked,
    OpenByFlags,
    Read,
    ListFolder,
    Write,
    /// Writes what was computed; where, is no reason to ask.
    Save,
    MakeFolder,
    Delete,
    DeleteTree,
    Move,
    CopyFile,
    CopyTree,
    /// Fills the folder of its second argument from an archive.
    Unpack,
    Change,
    Link,
    ChangeFolder,
    Shell,
    Popen,
    Exec,
    Spawn,
    Program,
    /// Sends a signal to a process.
    Kill,
    /// Deletes, and all below if the options say so.
    Remove,
    /// Starts a program, whose arguments are a row behind it.
    Start,
    Code,
    Connect,
    Send,
    Fetch,
    /// Loads a module by its name.
    Import,
    /// Machine code, or a way past all names.
    Hide,
}

type Effects = BTreeMap<&'static str, CallEffect>;

static OF_PYTHON: LazyLock<Effects> = LazyLock::new(|| effects(python::CALLS));
static OF_NODE: LazyLock<Effects> = LazyLock::new(|| effects(node::CALLS));

/// The effects by name of a table with several names in a row.
fn effects(table: &[(CallEffect, &'static str)]) -> Effects {
    table.iter().flat_map(|(effect, names)| names.split(' ').map(|name| (name, *effect))).collect()
}

/// Names that need no import.
static GLOBALS_OF_PYTHON: LazyLock<BTreeSet<&str>> = LazyLock::new(|| python::BUILTINS.split(' ').collect());
static GLOBALS_OF_NODE: LazyLock<BTreeSet<&str>> = LazyLock::new(|| node::GLOBALS.split(' ').collect());

/// Returns whether a name is one of several in a row.
pub(super) fn is_word(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// The effect of a call by this full name, if it has one that is recorded.
pub(super) fn call_effect(name: &str) -> Option<CallEffect> {
    match name.strip_prefix("node.") {
        // A call that waits has the effect of the other one.
        Some(name) => OF_NODE.get(name.strip_suffix("Sync").unwrap_or(name)),
        None => OF_PYTHON.get(name),
    }
    .copied()
}

/// The value of a name that the code has not set.
pub(super) fn global(language: Language, name: &str) -> Option<Value> {
    match language {
        Language::Python => python::global(name),
        Language::JavaScript => node::global(name),
    }
}
