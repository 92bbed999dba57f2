//! Has the system hold the hook's file in large pages from now on.
//!
//! The hook asks for them itself (`src/large_pages.rs`), and gets them for what the system has to read anew. What was just
//! written, or read by others, the system has in small pages, and keeps.

use std::io;
use std::path::Path;

/// Gives back what the system holds of a file, and has it read the file into large pages, where it knows any. What runs of
/// the file meanwhile stays in small ones.
///
/// # Errors
///
/// The file cannot be read, or the system refuses.
#[cfg(target_os = "linux")]
pub(super) fn hold(program: &Path) -> io::Result<()> {
    use rustix::fs::{Advice, fadvise};
    let file = std::fs::File::open(program)?;
    let bytes = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    // What is not on the disk yet is not given back.
    file.sync_data()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    read(&file, bytes)
}

/// Only Linux has a word for it.
#[cfg(not(target_os = "linux"))]
pub(super) fn hold(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a file is mapped, and nothing is read through the mapping; the contract stands within")]
fn read(file: &std::fs::File, bytes: usize) -> io::Result<()> {
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
    // SAFETY: a new mapping, at an address that the system chooses. No reference into it is ever made, so it does not
    // matter whether somebody writes to the file.
    let start = unsafe { mmap(std::ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::PRIVATE, file, 0) }?;
    // SAFETY: the range is this mapping, and both change none of its bytes.
    let read = unsafe {
        madvise(start, bytes, Advice::LinuxHugepage).and_then(|()| madvise(start, bytes, Advice::LinuxPopulateRead))
    };
    // SAFETY: the whole of this mapping, which nobody knows.
    unsafe { munmap(start, bytes) }?;
    Ok(read?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_anew_and_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [&[7; 3 << 20][..], b"x"] {
            let file = folder.path().join("program");
            std::fs::write(&file, bytes).unwrap();
            hold(&file).unwrap();
            assert!(std::fs::read(&file).unwrap() == bytes);
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        assert!(hold(&file).is_err());
        std::fs::write(&file, "").unwrap();
        assert!(hold(&file).is_err());
        assert!(hold(folder.path()).is_err());
    }
}
