//! [`Manifest`]: a backup's content, and why it was made.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::copy::modification_time;

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
    /// A file that the backup contains as the copy with this number.
    Copy(u32),
    /// A file that git has under this object id, in the repository with this root.
    Git {
        /// The object.
        oid: String,
        /// The work tree.
        root: String,
    },
    /// A symbolic link with this target.
    Link(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A path in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Entry {
    /// The absolute path.
    pub path: String,
    /// Its content.
    pub content: Content,
    /// The size, in bytes.
    pub size: u64,
    /// The mode.
    pub mode: u32,
    /// The modification time, in seconds and nanoseconds.
    pub time: (i64, i64),
    /// The effect of the call on it.
    pub why: LossKind,
    /// The path in the call: this one, or a folder above.
    pub top: String,
    /// The extended attributes. Values are hexadecimal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
    /// The copy's SHA-256 digest in hexadecimal. Empty if there is no copy, or if the copies were too large to read
    /// again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The number of hard links to the file. 0 means one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub names: u64,
}

/// The state of a repository before a git command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GitState {
    /// The work tree.
    pub root: String,
    /// The operation of the command, such as `git.reset.hard`.
    pub operation: String,
    /// The checked-out branch. Empty if there was none.
    pub branch: String,
    /// The checked-out commit. Empty if there was none.
    pub head: String,
    /// References that the command deletes or moves, with their object ids.
    pub refs: Vec<(String, String)>,
    /// The stashes, newest first: object id and message.
    pub stashes: Vec<(String, String)>,
    /// The number of entries in the log of `HEAD`.
    pub moves: usize,
    /// The number of the copy of the index.
    pub index: Option<u32>,
    /// Whether the command changes files of the work tree that git has.
    pub moves_files: bool,
}

impl GitState {
    /// Returns whether the command may change the index, or moves the checked-out branch.
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

/// A file or folder that isn't copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LostPath {
    /// The absolute path.
    pub path: String,
    /// The size, in bytes.
    pub size: u64,
    /// The modification time, in seconds and nanoseconds.
    pub time: (i64, i64),
}

impl LostPath {
    /// Reads an existing path.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let data = path.symlink_metadata().ok()?;
        Some(LostPath { path: path.to_string_lossy().into_owned(), size: data.len(), time: modification_time(&data) })
    }

    /// Returns whether the path hasn't changed since.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        LostPath::read(Path::new(&self.path)).as_ref() == Some(self)
    }
}

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Manifest {
    /// The name.
    pub id: String,
    /// The creation time, in RFC 3339 and UTC.
    pub time: String,
    /// The tool that was called.
    pub tool: String,
    /// The call, with secrets redacted.
    pub call: String,
    /// The session's id.
    pub session: String,
    /// The project's root.
    pub project: String,
    /// How much of what the call destroys is in the backup.
    pub kept: BackupCoverage,
    /// Files that aren't in the backup, with the reasons.
    pub left_out: Vec<String>,
    /// The files and folders that aren't in the backup, in their state before the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostPath>,
    /// The size of all copies, in bytes.
    pub bytes: u64,
    /// Files, links and folders. Each folder is before its content.
    pub entries: Vec<Entry>,
    /// Repositories.
    pub git: Vec<GitState>,
}
