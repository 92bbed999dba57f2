//! [`RealFacts`]: facts from the machine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::ignored::{KEPT, Room};
use crate::{Disk, Entry, Facts, GitAsked, git};
use guard_contract::paths;
use guard_contract::{Event, FactFault};
use guard_platform::fs::open_at_once;
use guard_platform::paths::{judged, judged_text, native};
use guard_sdk::globs::Glob;
#[cfg(not(windows))]
use guard_sdk::resolve::command_files;

/// The machine that this program runs on, with the variables of its environment.
#[derive(Debug, Clone)]
pub struct RealFacts {
    env: Arc<BTreeMap<String, String>>,
}

impl RealFacts {
    /// Creates facts of the machine with these variables.
    #[must_use]
    pub fn new(env: impl Into<Arc<BTreeMap<String, String>>>) -> Self {
        RealFacts { env: env.into() }
    }
}

/// The names of the two programs, which are in one folder.
const PROGRAMS: [&str; 2] = ["guard-host", "guard-host-tools"];

/// The number of bytes that are compared at once.
const CHUNK: usize = 64 << 10;

/// Returns whether a file is one of guard-host's programs, or has the same content.
fn is_own_program(file: &Path) -> bool {
    let Ok(own) = std::env::current_exe() else { return false };
    let beside = PROGRAMS.map(|name| own.with_file_name(format!("{name}{EXE_SUFFIX}")));
    // Sizes are compared first, so that other programs needn't be read.
    let Ok(size) = fs::metadata(file).map(|data| data.len()) else { return false };
    let mut alike =
        std::iter::once(own).chain(beside).filter(|own| fs::metadata(own).is_ok_and(|own| own.len() == size));
    alike.any(|own| {
        fs::canonicalize(file).ok() == fs::canonicalize(&own).ok() || has_same_content(file, &own) == Some(true)
    })
}

/// Returns whether two files of the same size have the same content.
fn has_same_content(file: &Path, other: &Path) -> Option<bool> {
    let (mut file, mut other) = (File::open(file).ok()?, File::open(other).ok()?);
    let (mut here, mut there) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let count = file.read(&mut here).ok()?;
        let (here, there) = (here.get(..count)?, there.get_mut(..count)?);
        if count == 0 {
            return Some(true);
        }
        other.read_exact(there).ok()?;
        if here != there {
            return Some(false);
        }
    }
}

/// Returns the files that a command may run.
#[cfg(not(windows))]
fn candidate_files<'a>(command: &'a str, search: &'a str) -> impl Iterator<Item = PathBuf> + use<'a> {
    command_files(command, search).map(PathBuf::from)
}

/// Returns the files that a command may run. A program's name ends with `.exe`, which a command may omit.
#[cfg(windows)]
fn candidate_files(command: &str, search: &str) -> impl Iterator<Item = PathBuf> {
    let named = native(command).into_owned();
    let folders = if command.contains(['/', '\\']) { Vec::new() } else { std::env::split_paths(search).collect() };
    let paths = match folders.is_empty() {
        true => vec![named],
        false => folders.into_iter().map(|folder| folder.join(&named)).collect(),
    };
    paths.into_iter().flat_map(|path| {
        let mut with_end = path.clone().into_os_string();
        with_end.push(EXE_SUFFIX);
        [path, with_end.into()]
    })
}

/// How deep folders are followed to see how large they are.
const DEPTH: usize = 128;

/// The room that a file, or a folder with everything in it, leaves; `None` if it doesn't fit.
#[must_use]
pub fn remaining_room(path: &Path, data: &Metadata, room: Room) -> Option<Room> {
    remaining_room_at(path, data, room, 0)
}

fn remaining_room_at(path: &Path, data: &Metadata, room: Room, depth: usize) -> Option<Room> {
    let left = room.without(if data.is_file() { data.len() } else { 0 })?;
    if !data.is_dir() {
        return Some(left);
    }
    let mut children = fs::read_dir(path).into_iter().flatten().flatten();
    let child_left =
        |left, child: fs::DirEntry| remaining_room_at(&child.path(), &child.metadata().ok()?, left, depth + 1);
    if depth < DEPTH { children.try_fold(left, child_left) } else { None }
}

impl Disk for RealFacts {
    fn entry(&self, path: &str) -> Entry {
        let path = native(path);
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() => Entry::Dir,
            Ok(data) if data.is_file() => Entry::File,
            Ok(data) if data.is_symlink() => {
                fs::read_link(&path).ok().and_then(judged).map_or(Entry::Unknown, Entry::Link)
            }
            Ok(_) => Entry::Other,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Entry::Absent,
            Err(_) => Entry::Unknown,
        }
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        // Opening a pipe would block.
        let path = native(path);
        if !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        let limit = u64::try_from(cap).unwrap_or(u64::MAX);
        File::open(path).ok()?.take(limit).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn names(&self, folder: &str, most: usize) -> Option<Vec<String>> {
        let listed = fs::read_dir(native(folder)).ok()?.flatten().take(most);
        let name = |entry: fs::DirEntry| {
            let ends = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            entry.file_name().into_string().ok().map(|name| name + ends)
        };
        let mut names: Vec<String> = listed.filter_map(name).collect();
        names.sort();
        Some(names)
    }

    fn runs_own_program(&self, command: &str) -> bool {
        let search = self.env.get("PATH").map(String::as_str).unwrap_or_default();
        let mut files =
            candidate_files(command, search).filter(|file| fs::metadata(file).is_ok_and(|data| data.is_file()));
        files.next().is_some_and(|file| is_own_program(&file))
    }

    fn judged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        judged_text(path)
    }

    #[cfg(windows)]
    fn spelled(&self, path: String) -> String {
        // There is no link in the path. Only short names and the case change.
        let parents = std::iter::successors(Some(path.as_str()), |path| paths::parent(path));
        let mut known = parents.filter_map(|start| Some((start, judged(fs::canonicalize(native(start)).ok()?)?)));
        known.next().and_then(|(start, known)| Some(known + path.strip_prefix(start)?)).unwrap_or(path)
    }
}

impl Facts for RealFacts {
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault> {
        let fault = |error: std::io::Error| match error.kind() {
            // A dangling link exists.
            ErrorKind::NotFound | ErrorKind::NotADirectory if fs::symlink_metadata(native(path)).is_err() => {
                FactFault::Absent
            }
            _ => FactFault::Failed,
        };
        // A granted file is opened relative to its folder, and a granted folder is opened itself, so that links can't
        // lead out.
        let is_folder = fs::metadata(native(root)).map_err(fault)?.is_dir();
        let folder = if is_folder { root } else { paths::parent(root).unwrap_or("/") };
        let relative = paths::below(path, folder).ok_or(FactFault::Denied)?;
        let dir = Dir::open_ambient_dir(native(folder), ambient_authority()).map_err(fault)?;
        if !dir.metadata(relative).map_err(fault)?.is_file() {
            return Err(FactFault::Failed);
        }
        let mut bytes = Vec::new();
        let limit = u64::try_from(cap).unwrap_or(u64::MAX).saturating_add(1);
        dir.open(relative).map_err(fault)?.take(limit).read_to_end(&mut bytes).map_err(fault)?;
        if bytes.len() > cap {
            return Err(FactFault::TooLarge);
        }
        String::from_utf8(bytes).map_err(|_| FactFault::NotText)
    }

    fn read_source(&self, path: &str, cap: usize) -> Result<String, FactFault> {
        let fault = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => FactFault::Absent,
            _ => FactFault::Failed,
        };
        // Opening must not block if the file has since become a pipe.
        let file = open_at_once(File::options().read(true), &native(path)).map_err(fault)?;
        if !file.metadata().map_err(fault)?.is_file() {
            return Err(FactFault::Absent);
        }
        let mut bytes = Vec::new();
        let limit = u64::try_from(cap).unwrap_or(u64::MAX).saturating_add(1);
        file.take(limit).read_to_end(&mut bytes).map_err(fault)?;
        let is_text = !bytes.starts_with(b"\x7fELF");
        if bytes.len() > cap && is_text {
            return Err(FactFault::TooLarge);
        }
        bytes.truncate(cap);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn history(&self, _: &str) -> Result<Vec<Event>, FactFault> {
        // A session isn't part of the machine. Code that has one wraps these facts.
        Err(FactFault::Absent)
    }

    fn is_small(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let file = native(path);
        if let Ok(data) = fs::symlink_metadata(&file) {
            return remaining_room(&file, &data, KEPT).is_some();
        }
        let Some(pattern) =
            Some(name).filter(|name| name.contains(['*', '?', '['])).and_then(|name| Glob::new(name).ok())
        else {
            return true;
        };
        let found = fs::read_dir(native(&format!("{folder}/"))).into_iter().flatten().flatten();
        let mut found = found.filter(|found| pattern.matches(&found.file_name().to_string_lossy()));
        let left = found.try_fold(KEPT, |left, found| remaining_room(&found.path(), &found.metadata().ok()?, left));
        left.is_some()
    }

    fn git(&self, query: GitAsked<'_>, wait: Duration) -> Option<String> {
        git::ask(query, wait, &self.env)
    }
}
