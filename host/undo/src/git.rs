//! [`Repository`]: a repository's location, and git commands in it without programs from its settings.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use guard_facts::git;

/// The maximum size of git's output, in bytes.
const OUTPUT_BYTES: usize = 64 << 20;

/// The prefix of references that protect commits from being pruned.
pub(crate) const PINS: &str = "refs/guard-host/undo";

/// The prefix of a symbolic reference's value, as in git's own files.
pub(crate) const SYMBOLIC: &str = "ref: ";

/// A repository with a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The work tree.
    pub root: PathBuf,
    /// The folder with its index and `HEAD`.
    pub git_dir: PathBuf,
    /// The folder with its objects.
    pub common_dir: PathBuf,
}

impl Repository {
    /// Returns the repository that contains a folder.
    #[must_use]
    pub fn find(folder: &Path) -> Option<Self> {
        let root = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?;
        let dot = root.join(".git");
        let git_dir = if dot.is_dir() {
            dot
        } else {
            let text = std::fs::read_to_string(&dot).ok()?;
            root.join(text.strip_prefix("gitdir:")?.trim())
        };
        if !git_dir.join("HEAD").exists() {
            return None;
        }
        let common = std::fs::read_to_string(git_dir.join("commondir")).ok();
        let common_dir = common.map_or_else(|| git_dir.clone(), |text| git_dir.join(text.trim()));
        Some(Repository { root: root.to_path_buf(), git_dir, common_dir })
    }

    /// Returns the number of entries in the log of `HEAD`.
    #[must_use]
    pub fn moves(&self) -> usize {
        let log = std::fs::read(self.git_dir.join("logs/HEAD")).unwrap_or_default();
        log.iter().filter(|byte| **byte == b'\n').count()
    }

    /// Returns the path of its index.
    #[must_use]
    pub fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }
}

/// Runs git in a repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Git<'a> {
    pub(crate) root: &'a Path,
    pub(crate) env: &'a BTreeMap<String, String>,
}

impl Git<'_> {
    fn command(&self) -> io::Result<Command> {
        let root = self.root.to_str().ok_or_else(|| io::Error::other("the path of the repository isn't UTF-8 text"))?;
        let command = git::command(root, &[root.to_owned()], self.env);
        command.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no `git`"))
    }

    /// Returns the output of a git command that succeeds.
    pub(crate) fn output(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.output_with_input(arguments, Vec::new())
    }

    /// Same as [`Git::output`], as text.
    pub(crate) fn text(&self, arguments: &[&str]) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.output(arguments)?).trim_end_matches('\n').to_owned())
    }

    /// Returns the output of a git command with this standard input.
    pub(crate) fn output_with_input(&self, arguments: &[&str], input: Vec<u8>) -> io::Result<Vec<u8>> {
        self.run(arguments, input, false)
    }

    /// Same as [`Git::output`], for a command that writes files of the work tree: filters may need programs on the
    /// `PATH`.
    pub(crate) fn output_with_filters(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.run(arguments, Vec::new(), true)
    }

    fn run(&self, arguments: &[&str], input: Vec<u8>, is_given_path: bool) -> io::Result<Vec<u8>> {
        let mut command = self.command()?;
        if let Some(path) = self.env.get("PATH").filter(|_| is_given_path) {
            command.env("PATH", path);
        }
        let input = Some(input).filter(|input| !input.is_empty());
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn()?;
        let output = match (child.stdin.take(), input) {
            (Some(mut to), Some(input)) => thread::scope(|scope| {
                scope.spawn(move || to.write_all(&input));
                child.wait_with_output()
            }),
            _ => child.wait_with_output(),
        }?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let line = message.lines().next().unwrap_or("it failed").to_owned();
            return Err(io::Error::other(format!("git {}: {line}", arguments.first().unwrap_or(&""))));
        }
        if output.stdout.len() > OUTPUT_BYTES {
            return Err(io::Error::other("git printed too much"));
        }
        Ok(output.stdout)
    }
}
