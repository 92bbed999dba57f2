//! Calls of libraries: the effect of each, by its full name.

pub(super) mod node;
pub(super) mod python;

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

/// The effect of a call by this full name, if it has one that is recorded.
pub(super) fn effect_of(name: &str) -> Option<CallEffect> {
    match name.strip_prefix("node.") {
        Some(name) => node::effect_of(name),
        None => python::effect_of(name),
    }
}

/// The value of a name that the code has not set.
pub(super) fn global(language: Language, name: &str) -> Option<Value> {
    match language {
        Language::Python => python::global(name),
        Language::JavaScript => node::global(name),
    }
}
