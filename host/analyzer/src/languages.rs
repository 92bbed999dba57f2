//! Texts in other languages than shell, and what they do: SQL, and code of general languages.
//!
//! A language takes a text and answers with a list of [`Found`]. It knows no command and no program's options; who asked
//! writes the list down as effects of the command that holds the text.

pub(crate) mod awk;
pub(crate) mod code;
pub(crate) mod ex;
pub(crate) mod pieces;
pub(crate) mod sed;
pub(crate) mod sql;
pub(crate) mod with_options;

use crate::draft::Draft;

/// One thing that a text does, or why it may do more. A path is the text of a literal.
#[derive(Debug)]
pub(crate) enum Found {
    /// An effect that is not on a file.
    Effect(Draft),
    /// A file is read.
    Read(String),
    /// A file is written.
    Write(String),
    /// A file is written, as the draft says.
    WriteAs(String, Draft),
    /// An effect on a file or a directory, as the draft says.
    On(String, Draft),
    /// A file is gone afterwards.
    Delete(String),
    /// A directory and all below it is gone afterwards.
    DeleteTree(String),
    /// There may be more than is listed.
    Unseen(String),
}
