//! The effects of texts in languages other than shell: SQL, and code in general languages.
//!
//! Each language turns a text into a list of [`Found`], without knowing the command or its options. The caller adds the
//! list as effects of the command that contains the text.

pub(crate) mod awk;
pub(crate) mod code;
pub(crate) mod ex;
pub(crate) mod pieces;
pub(crate) mod sed;
pub(crate) mod sql;
pub(crate) mod with_options;

use crate::draft::Draft;

/// One effect of a text, or a reason why it may have more. A path is a literal's text.
#[derive(Debug)]
pub(crate) enum Found {
    /// An effect that is not on a file.
    Effect(Draft),
    /// A read of a file.
    Read(String),
    /// A write of a file.
    Write(String),
    /// A write of a file, with the draft's details.
    WriteAs(String, Draft),
    /// The draft's effect on a file or directory.
    On(String, Draft),
    /// A deletion of a file.
    Delete(String),
    /// A recursive deletion of a directory.
    DeleteTree(String),
    /// A reason why the list may be incomplete.
    Unseen(String),
}
