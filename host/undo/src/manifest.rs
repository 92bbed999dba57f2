//! [`Manifest`]: what a backup holds, and why it was made.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::copy::changed;

/// How much of what a call destroys is in its backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupCoverage {
    /// All of it.
    Whole,
    /// A part of it.
    Partly,
    /// None of it.
    Nothing,
}

/// The kind of a path's loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossKind {
    /// The call deletes it.
    Deleted,
    /// The call replaces its content.
    Replaced,
}

/// The content of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A folder.
    Folder,
    /// A file, of which the backup has a copy with this number.
    Copy(u32),
    /// A file that git holds under this object id, in the repository of this root.
    Git {
        /// The object.
        oid: String,
        /// The work tree.
        root: String,
    },
    /// A symbolic link to this.
    Link(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A path of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Entry {
    /// The absolute path.
    pub path: String,
    /// Its content.
    pub content: Content,
    /// Its size, in bytes.
    pub size: u64,
    /// Its mode.
    pub mode: u32,
    /// When it was changed, in seconds and nanoseconds.
    pub time: (i64, i64),
    /// The effect of the call on it.
    pub why: LossKind,
    /// The path that the call names: this one, or a folder above.
    pub top: String,
    /// Its extended attributes, the values in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
    /// The SHA-256 of its copy, in hexadecimal digits. Empty: there is no copy, or the copies were too large to read again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// How many names the file had. 0: one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub names: u64,
}

/// The state of a repository before a command of git.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GitState {
    /// The work tree.
    pub root: String,
    /// The operation of the command, such as `git.reset.hard`.
    pub operation: String,
    /// The branch that was checked out. Empty: none.
    pub branch: String,
    /// The commit that was checked out. Empty: none.
    pub head: String,
    /// References that the command deletes or moves, with their object ids.
    pub refs: Vec<(String, String)>,
    /// Stashes, the newest first: object id and message.
    pub stashes: Vec<(String, String)>,
    /// How often `HEAD` had moved, as its log tells.
    pub moves: usize,
    /// The number of the copy of the index.
    pub index: Option<u32>,
    /// The command changes files of the work tree that git holds.
    pub moves_files: bool,
}

impl GitState {
    /// The command may change the index, or moves the branch that is checked out.
    pub(crate) fn has_index(&self) -> bool {
        !matches!(
            self.operation.as_str(),
            "git.branch.delete"
                | "git.branch.move"
                | "git.history.rewrite"
                | "git.notes.remove"
                | "git.ref.delete"
                | "git.ref.move"
                | "git.reflog.expire"
                | "git.refs"
                | "git.remote"
                | "git.stash.drop"
                | "git.tag.delete"
                | "git.tag.move"
                | "git.worktree.prune"
        )
    }
}

/// A file or folder that is not copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LostPath {
    /// The absolute path.
    pub path: String,
    /// Its size, in bytes.
    pub size: u64,
    /// When it was changed, in seconds and nanoseconds.
    pub time: (i64, i64),
}

impl LostPath {
    /// That of a path that is there.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let data = path.symlink_metadata().ok()?;
        Some(LostPath { path: path.to_string_lossy().into_owned(), size: data.len(), time: changed(&data) })
    }

    /// It is as it was.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        LostPath::read(Path::new(&self.path)).as_ref() == Some(self)
    }
}

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Manifest {
    /// Its name.
    pub id: String,
    /// When it was made, RFC 3339 in UTC.
    pub time: String,
    /// The tool that was called.
    pub tool: String,
    /// The call, without secrets.
    pub call: String,
    /// The session's id.
    pub session: String,
    /// The project's root.
    pub project: String,
    /// How much of what the call destroys is kept.
    pub kept: BackupCoverage,
    /// Files that are not kept, and why.
    pub left_out: Vec<String>,
    /// Files and folders of which nothing is kept, as they were before the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostPath>,
    /// The bytes of all copies.
    pub bytes: u64,
    /// Files, links and folders, each folder before what is in it.
    pub entries: Vec<Entry>,
    /// Repositories.
    pub git: Vec<GitState>,
}
