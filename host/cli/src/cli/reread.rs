//! Has the system read the hook's file anew, in large pages if it can.
//!
//! The hook asks for them itself (`src/large_pages.rs`), and gets them for what the system reads after that. What was just
//! written, or read by others, the system holds in small pages, and keeps them.

use std::io;
use std::path::Path;

/// More bytes than a file of ours has: another file is left alone.
#[cfg(target_os = "linux")]
const MOST: u64 = 64 << 20;

/// Has the system forget what it holds of a file and read it again. A part that a running process uses stays in small pages,
/// and so does one for which there is no large page.
///
/// # Errors
///
/// It is no file of this program, or the system cannot read a file in such a way; then nothing is forgotten.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a file is mapped, and nothing is read through the mapping; the contract stands within")]
pub(super) fn reread(program: &Path) -> io::Result<()> {
    use rustix::fs::{Advice as Reading, fadvise};
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

    let found = std::fs::metadata(program)?;
    if !found.is_file() || found.len() > MOST {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = std::fs::File::open(program)?;
    let bytes = usize::try_from(found.len()).map_err(io::Error::other)?;
    // SAFETY: a new mapping, at an address that the system chooses. No reference into it is ever made, so it does not
    // matter whether somebody writes to the file.
    let start = unsafe { mmap(std::ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::PRIVATE, &file, 0) }?;
    // SAFETY: the range lies in this mapping, and both change none of its bytes.
    let large = |bytes| unsafe {
        madvise(start, bytes, Advice::LinuxHugepage)?;
        madvise(start, bytes, Advice::LinuxPopulateRead)
    };
    // For zero bytes first: a system that lacks one of the two requests says so before anything is forgotten.
    let read = large(0).and_then(|()| {
        // What is not on the disk yet would be kept; a file system that cannot be written to has nothing to sync.
        let _ = file.sync_data();
        fadvise(&file, 0, None, Reading::DontNeed)?;
        large(bytes)
    });
    // SAFETY: the whole of this mapping, which nobody knows.
    unsafe { munmap(start, bytes) }?;
    Ok(read?)
}

/// Other systems have no such request.
#[cfg(not(target_os = "linux"))]
pub(super) fn reread(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        for bytes in [&[7; 3 << 20][..], b"x"] {
            let file = folder.path().join("program");
            std::fs::write(&file, bytes).unwrap();
            match reread(&file).map_err(|error| error.raw_os_error()) {
                Err(Some(22)) => eprintln!("skipped, because this system lacks a request (EINVAL)"),
                read => assert_eq!(read, Ok(())),
            }
            assert!(std::fs::read(&file).unwrap() == bytes);
        }
    }

    #[test]
    fn what_is_no_file_of_ours_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        assert!(reread(&file).is_err());
        std::fs::write(&file, "").unwrap();
        assert!(reread(&file).is_err());
        std::fs::File::create(&file).unwrap().set_len(MOST + 1).unwrap();
        assert!(reread(&file).is_err());
        assert!(reread(folder.path()).is_err());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(reread(&pipe).is_err());
    }
}
