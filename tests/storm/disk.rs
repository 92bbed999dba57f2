//! A separate file system for a folder, which can be filled.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{FallocateFlags, fallocate, statvfs};

/// The size in bytes, which is enough for the log of the longest storm.
const SIZE: u64 = 512 << 20;

/// A file system, which is unmounted when this value is dropped.
pub(super) struct Disk(PathBuf);

impl Disk {
    /// Mounts a file system at this folder.
    pub(super) fn mount(at: &Path) -> Self {
        fs::create_dir_all(at).unwrap();
        let size = format!("size={SIZE},mode=700");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "guard-host-storm"]).arg(at).output();
        let mounted = mounted.unwrap();
        assert!(mounted.status.success(), "{mounted:?}");
        Disk(at.to_path_buf())
    }

    /// Fills every free page.
    pub(super) fn fill(&self) {
        let file = File::create(self.filler()).unwrap();
        let (mut at, mut size) = (0, SIZE);
        while size >= 4096 {
            match fallocate(&file, FallocateFlags::empty(), at, size) {
                Ok(()) => at += size,
                Err(_) => size /= 2,
            }
        }
    }

    /// Frees the space of [`Disk::fill`]. A process that another thread just started may keep the file open a moment
    /// longer.
    pub(super) fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
        while statvfs(&self.0).unwrap().f_bavail == 0 {
            sleep(Duration::from_millis(1));
        }
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}
