//! The effects of a piece of code in a general language on files, programs and servers: a [`Summary`].
//!
//! The guest that reads code gives it, and the analyzer takes it, as JSON.

mod text;

use serde::{Deserialize, Serialize};

pub use text::{Piece, Text};

/// The effects of a piece of code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The actions that are understood, in the order of the text.
    pub actions: Vec<Action>,
    /// Why it may do more; empty: all of it is understood.
    pub reasons: Vec<String>,
    /// Which kinds of actions may be among those that are not listed, or are listed with a target that is not known.
    pub unknown: Unknown,
}

/// Kinds of actions whose target is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// Something is deleted.
    pub deletes: bool,
    /// Something is written.
    pub writes: bool,
    /// A program or code is run.
    pub executes: bool,
}

impl Unknown {
    /// All of them.
    pub const ALL: Unknown = Unknown { deletes: true, writes: true, executes: true };

    /// Whether there is none.
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

/// One thing that the code does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// The action.
    pub what: ActionKind,
    /// Whether it is done whenever the code runs, as far as that can be seen: it stands in no branch.
    pub certain: bool,
}

/// An action. A path is relative to the folder in which the code is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActionKind {
    /// A file, or the names in a folder, are read.
    Read(Text),
    /// A file is written.
    Write {
        /// The file.
        path: Text,
        /// The file keeps its content.
        append: bool,
        /// Nothing comes in its place.
        #[serde(default)]
        empties: bool,
    },
    /// A file or a folder is copied or moved here; below it if it is a folder.
    Put {
        /// Where it comes from.
        from: Text,
        /// Where it goes.
        to: Text,
        /// It is one of many files, each of which is moved here in its turn.
        each: bool,
    },
    /// A folder is filled with files whose names the code doesn't show.
    Fill {
        /// The folder.
        folder: Text,
        /// They come from an archive, not from another folder.
        archive: bool,
    },
    /// A folder is made.
    MakeFolder(Text),
    /// A file or a folder is moved to another place.
    MoveAway(Text),
    /// A file, or an empty folder, is gone afterwards.
    Delete(Text),
    /// A folder and all below it is gone afterwards.
    DeleteTree(Text),
    /// The rights or the owner of a file change.
    Change(Text),
    /// A link is made.
    Link {
        /// Where it lies.
        at: Text,
        /// The target of the link.
        to: Text,
    },
    /// A text becomes shell.
    Shell {
        /// The text.
        text: Text,
        /// Where it runs, if that is said.
        folder: Option<Text>,
        /// Its standard input, if that is given.
        input: Option<Text>,
    },
    /// A program is started, without a shell.
    Program {
        /// Its name and its arguments.
        words: Vec<Text>,
        /// Where it runs, if that is said.
        folder: Option<Text>,
        /// Its standard input, if that is given.
        input: Option<Text>,
    },
    /// A server is asked.
    Connect {
        /// A URL or the name of a host.
        to: Text,
        /// Something is sent with it.
        sends: bool,
        /// It takes something away there.
        deletes: bool,
    },
    /// A statement goes to a database.
    Sql(Text),
}

/// Reads code of a language; none if nobody here can.
pub type Reader = fn(language: &str, code: &str) -> Option<Summary>;

impl Summary {
    /// Of code that nobody could read: it may do anything.
    #[must_use]
    pub fn unread(reason: &str) -> Summary {
        Summary { actions: Vec::new(), reasons: vec![reason.to_owned()], unknown: Unknown::ALL }
    }
}
