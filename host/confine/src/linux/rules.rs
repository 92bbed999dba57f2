//! The Landlock rules.
//!
//! A rule allows an operation in a folder and everything below it, and no rule can revoke that. To allow reading
//! everything except some files, each sibling of these files, and of each folder above them, needs a rule. Such a
//! folder is *split*.

use std::collections::BTreeSet;
use std::fs;
use std::io::{stderr, stdout};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fs::{FileType, fstat};

use super::setup;
use crate::command_dirs::canonical;
use crate::{ConfineError, Job};

/// The maximum number of siblings with a rule. Further ones can't be read.
const NEIGHBOURS: usize = 20_000;

/// Devices that every command may write to.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// The folder of shared memory and semaphores.
const SHARED_MEMORY: &str = "/dev/shm";

/// Checks that the kernel has the required version of Landlock.
pub(crate) fn check_support() -> Result<(), ConfineError> {
    let ruleset = || -> Result<_, RulesetError> {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        ruleset.handle_access(AccessFs::from_all(ABI::V5))?.scope(Scope::from_all(ABI::V6))?.create()
    };
    ruleset().map(|_| ()).map_err(|error| unsupported_error(&error))
}

/// The files that a command may use according to the kernel's rules. The broker opens other files.
#[derive(Debug)]
pub(super) struct Rules {
    /// Readable paths, except split folders.
    readable: Vec<PathBuf>,
    /// Existing folders in which everything may be written.
    pub(super) trees: Vec<PathBuf>,
    /// Existing single files that may be written.
    pub(super) files: Vec<PathBuf>,
    /// Single paths that may be created, written, renamed and deleted.
    pub(super) exact: BTreeSet<PathBuf>,
    /// Folders with patterns for names that are treated like single paths.
    pub(super) patterns: Vec<(PathBuf, String)>,
    /// Folders that don't exist yet and in which everything may be written.
    pub(super) missing: Vec<PathBuf>,
    /// Guarded paths, which can't be read.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Folders that contain something hidden.
    pub(super) split: BTreeSet<PathBuf>,
    net: bool,
}

impl Rules {
    pub(super) fn new(job: &Job<'_>, temporary: &Path) -> Self {
        let read: Vec<PathBuf> = job.profile.read.iter().map(|path| canonical(&job.places.absolute(path))).collect();
        let is_hidden = |path: &&PathBuf| !read.iter().any(|allowed| path.starts_with(allowed));
        let hidden: BTreeSet<PathBuf> = job.hidden.iter().filter(is_hidden).cloned().collect();
        let split = hidden.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
        let mut rules = Rules {
            readable: Vec::new(),
            trees: vec![temporary.to_owned(), SHARED_MEMORY.into()],
            files: Vec::new(),
            exact: BTreeSet::new(),
            patterns: Vec::new(),
            missing: Vec::new(),
            hidden,
            split,
            net: job.profile.net,
        };
        // Files first, because a path can be both.
        let (folders, files): (Vec<_>, Vec<_>) = job.profile.write.iter().partition(|path| path.ends_with('/'));
        for path in files.into_iter().chain(folders) {
            rules.add_written(canonical(&job.places.absolute(path)), path.ends_with('/'));
        }
        for pattern in &job.profile.patterns {
            let path = job.places.absolute(pattern);
            if let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) {
                rules.patterns.push((canonical(folder), name.to_owned()));
            }
        }
        for link in &job.profile.links {
            let link = job.places.absolute(link);
            if let (Some(folder), Some(name)) = (link.parent(), link.file_name()) {
                rules.exact.insert(canonical(folder).join(name));
            }
        }
        let mut left = NEIGHBOURS;
        rules.add_readable(Path::new("/"), &mut left);
        rules
    }

    fn add_written(&mut self, path: PathBuf, is_tree: bool) {
        let kind = fs::metadata(&path).map(|data| data.is_dir());
        match (is_tree, kind) {
            (true, Ok(true)) => self.trees.push(path),
            // A new folder in a split one couldn't be read, so it is created before the rules. If the path may also be
            // a file, this is left to the command.
            (true, Err(_))
                if !self.exact.contains(&path) && path.parent().is_some_and(|parent| self.split.contains(parent)) =>
            {
                match fs::create_dir(&path) {
                    Ok(()) => self.trees.push(path),
                    Err(_) => self.missing.push(path),
                }
            }
            (true, Err(_)) => self.missing.push(path),
            (false, Ok(true)) | (_, Err(_)) => {
                self.exact.insert(path);
            }
            (_, Ok(false)) => {
                self.files.push(path.clone());
                self.exact.insert(path);
            }
        }
    }

    fn add_readable(&mut self, folder: &Path, left: &mut usize) {
        if !self.split.contains(folder) {
            self.readable.push(folder.to_owned());
            return;
        }
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            // The target of a link has its own rule, or is hidden.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_link || self.hidden.contains(&path) || *left == 0 {
                continue;
            }
            *left -= 1;
            self.add_readable(&path, left);
        }
    }

    /// Returns whether files may be created in a split folder, where no rule allows reading them.
    pub(super) fn has_split_folders(&self) -> bool {
        let is_split = |path: &PathBuf| path.parent().is_some_and(|parent| self.split.contains(parent));
        self.exact.iter().chain(&self.missing).any(is_split)
            || self.patterns.iter().any(|(folder, _)| self.split.contains(folder))
    }

    /// Confines this thread and its child processes permanently.
    pub(super) fn enforce(&self) -> Result<(), ConfineError> {
        let ruleset = self.ruleset().map_err(|error| unsupported_error(&error))?;
        let status = ruleset.restrict_self().map_err(|error| unsupported_error(&error))?;
        if status.ruleset != landlock::RulesetStatus::FullyEnforced || !status.no_new_privs {
            return Err(ConfineError::Unsupported("the kernel enforces only a part of the rules".to_owned()));
        }
        Ok(())
    }

    fn ruleset(&self) -> Result<RulesetCreated, RulesetError> {
        let handled = AccessFs::from_all(ABI::V5) & !BitFlags::from(AccessFs::ReadDir);
        let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(handled)?;
        if !self.net {
            ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
        }
        let mut ruleset = ruleset.scope(Scope::from_all(ABI::V6))?.create()?;
        let read = AccessFs::ReadFile | AccessFs::Execute;
        let content = AccessFs::WriteFile | AccessFs::Truncate;
        let devices = AccessFs::from_file(ABI::V5) & !BitFlags::from(AccessFs::Execute);
        let tree = (handled & !read) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
        let hidden = |path: &&PathBuf| !self.hidden.contains(*path);
        let groups: [(Vec<&Path>, BitFlags<AccessFs>); 4] = [
            (self.readable.iter().map(PathBuf::as_path).collect(), read),
            (self.trees.iter().map(PathBuf::as_path).collect(), tree),
            (self.files.iter().filter(hidden).map(PathBuf::as_path).collect(), content),
            (DEVICES.iter().map(Path::new).collect(), devices),
        ];
        for (paths, access) in groups {
            for path in paths {
                // A path that can't be opened gets no rule, and can't be used.
                let Ok(fd) = PathFd::new(path) else { continue };
                ruleset = add(ruleset, fd.as_fd(), access)?;
            }
        }
        // A program may open `/dev/stdout` again.
        for stream in [stdout().as_fd(), stderr().as_fd()] {
            let is_file =
                fstat(stream).is_ok_and(|data| FileType::from_raw_mode(data.st_mode) == FileType::RegularFile);
            if is_file {
                ruleset = add(ruleset, stream, content)?;
            }
        }
        Ok(ruleset)
    }
}

/// Adds a rule. Access rights that only folders have are omitted for a file.
fn add(
    ruleset: RulesetCreated,
    fd: BorrowedFd<'_>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let of_files = AccessFs::from_file(ABI::V5);
    let is_folder = || fstat(fd).is_ok_and(|data| FileType::from_raw_mode(data.st_mode) == FileType::Directory);
    let access = if of_files.contains(access) || is_folder() { access } else { access & of_files };
    ruleset.add_rule(PathBeneath::new(fd, access))
}

fn unsupported_error(error: &RulesetError) -> ConfineError {
    match error {
        RulesetError::HandleAccesses(_) | RulesetError::CreateRuleset(_) | RulesetError::Scope(_) => {
            ConfineError::Unsupported(format!("it needs Landlock with scopes (Linux 6.12), and {error}"))
        }
        other => setup("Landlock", std::io::Error::other(other.to_string())),
    }
}
