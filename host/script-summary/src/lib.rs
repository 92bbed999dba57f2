//! The effects of code in a general language on files, programs and servers: a [`Summary`].
//!
//! The script analyzer returns it to the shell analyzer as JSON.

mod text;

use serde::{Deserialize, Serialize};

pub use text::{Piece, Text};

/// The effects of a piece of code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The recognized actions, in source order.
    pub actions: Vec<Action>,
    /// Reasons why the code may do more. Empty if all of it is understood.
    pub reasons: Vec<String>,
    /// The kinds of actions that may be missing, or are listed with an unknown target.
    pub unknown: Unknown,
}

/// The kinds of actions with an unknown target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// Deletions.
    pub deletes: bool,
    /// Writes.
    pub writes: bool,
    /// Programs or code that run.
    pub executes: bool,
}

impl Unknown {
    /// All kinds.
    pub const ALL: Unknown = Unknown { deletes: true, writes: true, executes: true };

    /// Returns whether no kind is set.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Unknown::default()
    }
}

impl std::ops::BitOrAssign for Unknown {
    fn bitor_assign(&mut self, other: Self) {
        self.deletes |= other.deletes;
        self.writes |= other.writes;
        self.executes |= other.executes;
    }
}

/// One action of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The action.
    pub what: ActionKind,
    /// Whether the action always happens when the code runs: it isn't in a branch, as far as that can be determined.
    pub certain: bool,
}

/// An action. Paths are relative to the folder in which the code is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActionKind {
    /// A file, or the names in a folder, are read.
    Read(Text),
    /// A file is written.
    Write {
        /// The file.
        path: Text,
        /// Whether the file keeps its content.
        append: bool,
        /// Whether the file is empty afterwards.
        #[serde(default)]
        empties: bool,
    },
    /// A file or a folder is copied or moved to this path, or below it if it is a folder.
    Put {
        /// The source.
        from: Text,
        /// The target.
        to: Text,
        /// Whether many files are moved here one after the other.
        each: bool,
    },
    /// Files whose names aren't in the code are added to a folder.
    Fill {
        /// The folder.
        folder: Text,
        /// Whether they come from an archive, and not from another folder.
        archive: bool,
    },
    /// A folder is created.
    MakeFolder(Text),
    /// A file or a folder is moved elsewhere.
    MoveAway(Text),
    /// A file, or an empty folder, is deleted.
    Delete(Text),
    /// A folder and everything below it is deleted.
    DeleteTree(Text),
    /// The permissions or the owner of a file change.
    Change(Text),
    /// A link is created.
    Link {
        /// The path of the link.
        at: Text,
        /// The target of the link.
        to: Text,
        /// Whether the link is a hard link, whose relative target isn't in the link's folder.
        #[serde(default)]
        is_hard: bool,
    },
    /// A text becomes shell.
    Shell {
        /// The text.
        text: Text,
        /// The working directory, if specified.
        folder: Option<Text>,
        /// The standard input, if specified.
        input: Option<Text>,
    },
    /// A program is started without a shell.
    Program {
        /// The name and the arguments.
        words: Vec<Text>,
        /// The working directory, if specified.
        folder: Option<Text>,
        /// The standard input, if specified.
        input: Option<Text>,
    },
    /// A request goes to a server.
    Connect {
        /// A URL or a host name.
        to: Text,
        /// Whether the request sends data.
        sends: bool,
        /// Whether the request deletes something on the server.
        deletes: bool,
    },
    /// A statement goes to a database.
    Sql(Text),
}

/// Analyzes code in a language. Returns `None` if the language isn't supported.
pub type Reader = fn(language: &str, code: &str) -> Option<Summary>;

impl Summary {
    /// Creates the summary of code that couldn't be analyzed, and so may do anything.
    #[must_use]
    pub fn unread(reason: &str) -> Summary {
        Summary { actions: Vec::new(), reasons: vec![reason.to_owned()], unknown: Unknown::ALL }
    }
}
