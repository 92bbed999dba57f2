//! Users' files: bounded reads, and atomic writes below a folder's handle that never overwrite what a user wrote.
//!
//! A link can't lead out of the folder, and a link at the end of a path isn't followed.

use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use guard_platform::{dir, fs::read_exact_at};

use crate::folder::temporary_name;

/// The maximum number of backups beside one file.
const COPIES: u32 = 1000;

/// The result of writing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteResult {
    /// The file was created.
    New,
    /// The file existed with the same bytes.
    Same,
    /// The file existed with other bytes, and was left unchanged.
    Kept,
    /// Something that isn't a file exists there, as described. Nothing was written.
    Blocked(&'static str),
    /// The file existed with other bytes, which are now in this backup beside it.
    Replaced(PathBuf),
}

/// Reads a regular file as text. Follows links, because a person who names a link means its target.
///
/// # Errors
///
/// Any error of the file system, or if it isn't a regular file, isn't UTF-8, or is larger than `cap` bytes.
pub fn read_text(path: &Path, cap: u64) -> io::Result<String> {
    // Opening a pipe would block.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    std::fs::File::open(path)?.take(cap + 1).read_to_string(&mut text)?;
    if text.len() as u64 > cap {
        return Err(io::Error::other(format!("larger than {} MiB", cap >> 20)));
    }
    Ok(text)
}

/// Appends a line and a line feed to a file that is open for reading and appending. If an earlier writer left an
/// unfinished line, for example because the disk was full, it is terminated first, so that it doesn't corrupt this one.
///
/// # Errors
///
/// Any error of the file system. Part of the line may have been written.
pub fn append_line(file: &mut std::fs::File, line: &str) -> io::Result<()> {
    let mut last = [0];
    let is_read = match file.metadata()?.len().checked_sub(1) {
        Some(at) => read_exact_at(file, &mut last, at).is_ok(),
        None => false,
    };
    let start = if is_read && last != *b"\n" { "\n" } else { "" };
    // One write, so that lines of other processes don't interleave.
    file.write_all(format!("{start}{line}\n").as_bytes())
}

/// The result of reading a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The whole line.
    Whole,
    /// The file ends before the line does.
    Unfinished,
}

/// Appends to `line` up to the next line feed, which is dropped. A line of more than `cap` bytes is skipped: `line` is
/// then empty, and `overlong` is set.
///
/// # Errors
///
/// Those of the file system.
pub fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>, overlong: &mut bool, cap: usize) -> io::Result<Line> {
    loop {
        let seen = match file.fill_buf() {
            Ok(seen) => seen,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if seen.is_empty() {
            return Ok(Line::Unfinished);
        }
        let end = seen.iter().position(|byte| *byte == b'\n');
        let part = seen.get(..end.unwrap_or(seen.len())).unwrap_or_default();
        *overlong |= line.len() + part.len() > cap;
        if *overlong {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        file.consume(used);
        if end.is_some() {
            return Ok(Line::Whole);
        }
    }
}

/// Writes the file at `path`, relative to `folder`. Creates missing folders.
///
/// # Errors
///
/// Those of the file system.
pub fn write_in_folder(folder: &Path, path: &Path, bytes: &[u8], replace: bool) -> io::Result<WriteResult> {
    std::fs::create_dir_all(folder)?;
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    let name = path.file_name().map(Path::new).ok_or(io::ErrorKind::InvalidInput)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let dir = match parent {
        Some(parent) => {
            dir.create_dir_all(parent)?;
            dir.open_dir(parent)?
        }
        None => dir,
    };
    match dir.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(data) if !data.is_file() => {
            let target = std::fs::metadata(folder.join(path));
            return Ok(match (data.is_symlink(), target) {
                // A link to a file counts as a file that the user has.
                (true, Ok(target)) if target.is_file() && !replace => WriteResult::Kept,
                (true, Ok(_)) => WriteResult::Blocked("a link"),
                (true, Err(_)) => WriteResult::Blocked("a link that leads nowhere"),
                _ if data.is_dir() => WriteResult::Blocked("a folder"),
                _ => WriteResult::Blocked("no regular file"),
            });
        }
        Ok(data) if data.len() == bytes.len() as u64 && has(&dir, name, bytes)? => return Ok(WriteResult::Same),
        Ok(_) if !replace => return Ok(WriteResult::Kept),
        Ok(data) => {
            let copy = link_backup(&dir, name)?;
            overwrite(&dir, name, bytes, dir::mode(&data.permissions()))?;
            return Ok(WriteResult::Replaced(folder.join(parent.unwrap_or(Path::new(""))).join(copy)));
        }
    }
    let temporary = temporary(&dir, name, bytes, 0o666)?;
    // Unlike a rename, a hard link never replaces a file that was created in the meantime.
    let linked = dir.hard_link(&temporary, &dir, name);
    let _ = dir.remove_file(&temporary);
    match linked {
        Ok(()) => Ok(WriteResult::New),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(WriteResult::Kept),
        Err(error) => Err(error),
    }
}

/// Writes a temporary file and renames it, so that readers see either the old file or the whole new one.
///
/// # Errors
///
/// Any error of the file system. The old file is then unchanged.
pub fn overwrite(dir: &Dir, name: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let temporary = temporary(dir, name, bytes, mode)?;
    // The umask applies to new files, but an existing file's mode must not change.
    let renamed = dir::set_mode(dir, &temporary, mode & 0o7777).and_then(|()| dir.rename(&temporary, dir, name));
    if renamed.is_err() {
        let _ = dir.remove_file(&temporary);
    }
    renamed
}

/// Creates a uniquely named file with the bytes.
fn temporary(dir: &Dir, name: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    let path = PathBuf::from(temporary_name(&name.to_string_lossy())?);
    let mut file = dir.open_with(&path, dir::with_mode(OpenOptions::new().write(true).create_new(true), mode))?;
    if let Err(error) = file.write_all(bytes) {
        let _ = dir.remove_file(&path);
        return Err(error);
    }
    Ok(path)
}

/// Returns whether the file's contents are these bytes.
fn has(dir: &Dir, name: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut found = Vec::with_capacity(bytes.len() + 1);
    dir.open(name)?.take(bytes.len() as u64 + 1).read_to_end(&mut found)?;
    Ok(found == bytes)
}

/// Hard-links the file under a backup name, so that its bytes survive being replaced. Returns the backup's path.
fn link_backup(dir: &Dir, name: &Path) -> io::Result<PathBuf> {
    for number in 1..=COPIES {
        let copy = PathBuf::from(format!("{}.{number}.bak", name.display()));
        match dir.hard_link(name, dir, &copy) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked.map(|()| copy),
        }
    }
    Err(io::Error::other("too many copies of it stand beside it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: PathBuf) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_line_that_was_cut_spoils_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let add = |line: &str| {
            let mut file = std::fs::OpenOptions::new().read(true).append(true).create(true).open(&path).unwrap();
            append_line(&mut file, line).unwrap();
        };
        add("one");
        add("two");
        std::fs::write(&path, read(path.clone()) + "cut").unwrap();
        add("three");
        assert_eq!(read(path.clone()), "one\ntwo\ncut\nthree\n");
    }

    #[test]
    fn a_file_is_written_once_and_a_users_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (root, path) = (folder.path(), Path::new("a/b.json"));
        assert_eq!(write_in_folder(root, path, b"1", false).unwrap(), WriteResult::New);
        assert_eq!(write_in_folder(root, path, b"1", false).unwrap(), WriteResult::Same);
        assert_eq!(write_in_folder(root, path, b"2", false).unwrap(), WriteResult::Kept);
        assert_eq!(read(root.join(path)), "1");
        for (bytes, copy) in [("2", "a/b.json.1.bak"), ("3", "a/b.json.2.bak")] {
            assert_eq!(
                write_in_folder(root, path, bytes.as_bytes(), true).unwrap(),
                WriteResult::Replaced(root.join(copy))
            );
        }
        assert_eq!((read(root.join("a/b.json.1.bak")), read(root.join("a/b.json.2.bak"))), ("1".into(), "2".into()));
        assert_eq!(std::fs::read_dir(root.join("a")).unwrap().count(), 3, "a temporary file is left");
    }

    #[test]
    fn no_link_is_written_through() {
        use std::os::unix::fs::symlink;

        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = outside.path().join("target");
        std::fs::write(&target, "theirs").unwrap();
        symlink(&target, folder.path().join("link")).unwrap();
        symlink(outside.path(), folder.path().join("out")).unwrap();
        assert_eq!(write_in_folder(folder.path(), Path::new("link"), b"x", false).unwrap(), WriteResult::Kept);
        assert_eq!(
            write_in_folder(folder.path(), Path::new("link"), b"x", true).unwrap(),
            WriteResult::Blocked("a link")
        );
        symlink("gone", folder.path().join("dangling")).unwrap();
        for (name, what) in [("dangling", "a link that leads nowhere"), ("out", "a link")] {
            for replace in [false, true] {
                let written = write_in_folder(folder.path(), Path::new(name), b"x", replace).unwrap();
                assert_eq!(written, WriteResult::Blocked(what), "{name}");
            }
        }
        assert!(!folder.path().join("gone").exists());
        assert!(write_in_folder(folder.path(), Path::new("out/new"), b"x", false).is_err());
        assert_eq!(read(target), "theirs");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "1").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        write_in_folder(folder.path(), Path::new("f"), b"2", true).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
