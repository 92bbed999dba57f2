//! Git facts about a path, from the machine's `git`.
//!
//! Nothing that a repository's settings name is run, nothing is written, and no network is asked.

#[cfg(not(target_family = "wasm"))]
mod machine;

use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
pub(crate) use machine::ask;
#[cfg(not(target_family = "wasm"))]
pub use machine::command;

/// A question about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitQuestion {
    /// The branch that is checked out; the answer is its name, empty if there is none.
    Branch,
    /// Git keeps it. The answer to this one and those below is `yes` or `no`.
    Tracked,
    /// The next commit changes it.
    Staged,
    /// A rule leaves it out.
    Ignored,
    /// The text of the file in the last commit. No answer if the commit does not contain the file.
    Head,
}

impl GitQuestion {
    /// Its name in a record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GitQuestion::Branch => "branch",
            GitQuestion::Tracked => "tracked",
            GitQuestion::Staged => "staged",
            GitQuestion::Ignored => "ignored",
            GitQuestion::Head => "head",
        }
    }
}

/// The longest that one call waits for git, all questions of all policies together. The hook's deadline is 2 seconds; in a
/// repository of 2,000 files a question took 1.3 to 3 ms.
pub(crate) const WAIT: Duration = Duration::from_millis(300);

/// A question, and where it is asked.
#[derive(Debug, Clone, Copy)]
pub struct GitAsked<'a> {
    /// The work tree.
    pub root: &'a str,
    /// The path that is asked about: the work tree, or something in it.
    pub path: &'a str,
    /// The question.
    pub question: GitQuestion,
    /// The folders of the project and the like: no program in them is run.
    pub own: &'a [String],
}
