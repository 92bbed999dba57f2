//! File operations.

use std::fs::{DirBuilder, File, FileTimes, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::ptr::{from_mut, null_mut};
use std::time::{Duration, SystemTime};

use windows_sys::Win32::Foundation::ERROR_DISK_FULL;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ADD_FILE, FILE_ATTRIBUTE_REPARSE_POINT, FILE_BASIC_INFO,
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES,
    FileBasicInfo, GetDiskFreeSpaceExW, GetFileInformationByHandle, GetFileInformationByHandleEx,
};

use crate::{Identity, Space};

/// Seconds from the Windows epoch to the Unix epoch.
const EPOCHS: i64 = 11_644_473_600;

/// Windows time units in a second.
const STEPS: i64 = 10_000_000;

/// The mode of everything that isn't read-only.
const MODE: u32 = 0o700;

/// Converts a Windows time to seconds and nanoseconds since the Unix epoch.
fn unix_time(steps: i64) -> (i64, i64) {
    (steps.div_euclid(STEPS) - EPOCHS, steps.rem_euclid(STEPS) * 100)
}

/// The metadata that also exist on Unix.
pub trait MetadataExt {
    /// Returns `0o700`, or `0o500` for a read-only file. The folder's access list determines the permissions.
    fn mode(&self) -> u32;
    /// Returns the seconds of the modification time.
    fn mtime(&self) -> i64;
    /// Returns the nanoseconds of the modification time.
    fn mtime_nsec(&self) -> i64;
    /// Returns the seconds of the modification time, because Windows reports no status time.
    fn ctime(&self) -> i64 {
        self.mtime()
    }
    /// Returns the nanoseconds of the modification time.
    fn ctime_nsec(&self) -> i64 {
        self.mtime_nsec()
    }
}

impl MetadataExt for Metadata {
    fn mode(&self) -> u32 {
        self.permissions().mode()
    }

    fn mtime(&self) -> i64 {
        unix_time(self.last_write_time().cast_signed()).0
    }

    fn mtime_nsec(&self) -> i64 {
        unix_time(self.last_write_time().cast_signed()).1
    }
}

/// The permissions that also exist on Unix.
pub trait PermissionsExt {
    /// Like [`MetadataExt::mode`].
    fn mode(&self) -> u32;
}

impl PermissionsExt for Permissions {
    fn mode(&self) -> u32 {
        if self.readonly() { MODE & 0o555 } else { MODE }
    }
}

/// The mode of new files. Files have none: they get the access list of their folder.
pub trait OpenOptionsExt {
    /// Does nothing.
    fn mode(&mut self, mode: u32) -> &mut Self;
}

impl OpenOptionsExt for OpenOptions {
    fn mode(&mut self, _: u32) -> &mut Self {
        self
    }
}

/// The mode of new folders. Folders have none: they get the access list of the parent folder.
pub trait DirBuilderExt {
    /// Does nothing.
    fn mode(&mut self, mode: u32) -> &mut Self;
}

impl DirBuilderExt for DirBuilder {
    fn mode(&mut self, _: u32) -> &mut Self {
        self
    }
}

/// Creates a link to a file, or to an existing folder.
///
/// # Errors
///
/// Any error of the file system, and missing permission to create links.
pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let (target, link) = (target.as_ref(), link.as_ref());
    let from = link.parent().unwrap_or(Path::new(""));
    if from.join(target).is_dir() {
        return std::os::windows::fs::symlink_dir(target, link);
    }
    std::os::windows::fs::symlink_file(target, link)
}

/// Opens a file that should be a regular one. A pipe has no name in a folder, so opening never blocks.
///
/// # Errors
///
/// Any error of the file system.
pub fn open_at_once(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

/// Like [`open_at_once`], but fails if the path is a link or another reparse point.
///
/// # Errors
///
/// Any error of the file system.
pub fn open_unlinked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)?;
    if file.metadata()?.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return Err(io::Error::other("it is a link"));
    }
    Ok(file)
}

/// Returns the identity of the file at a path, following links.
///
/// # Errors
///
/// Any error of the file system.
pub fn identity(path: &Path, data: &Metadata) -> io::Result<Identity> {
    // Folders only open with this flag.
    let mut options = OpenOptions::new();
    let file = options.access_mode(FILE_READ_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    file_identity(&file, data)
}

/// Returns the identity of an open file.
///
/// # Errors
///
/// Any error of the file system.
#[expect(unsafe_code, reason = "the standard library has these of an open file, but not in a stable release")]
pub fn file_identity(file: &File, _: &Metadata) -> io::Result<Identity> {
    let handle = file.as_raw_handle();
    let mut of_file = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open while `file` is borrowed, and the system writes one such structure.
    if unsafe { GetFileInformationByHandle(handle, from_mut(&mut of_file)) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut basic = FILE_BASIC_INFO::default();
    let size = u32::try_from(size_of::<FILE_BASIC_INFO>()).map_err(io::Error::other)?;
    // SAFETY: as above, and `size` is the structure's size.
    if unsafe { GetFileInformationByHandleEx(handle, FileBasicInfo, from_mut(&mut basic).cast(), size) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Identity {
        dev: of_file.dwVolumeSerialNumber.into(),
        ino: u64::from(of_file.nFileIndexHigh) << 32 | u64::from(of_file.nFileIndexLow),
        names: of_file.nNumberOfLinks.into(),
        changed: unix_time(basic.ChangeTime),
    })
}

/// Reads at an offset of a file. Moves the position for the next read.
///
/// # Errors
///
/// Any error of the file system, and the end of the file.
pub fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = file.seek_read(bytes, offset)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes = bytes.get_mut(count..).unwrap_or_default();
        offset += count as u64;
    }
    Ok(())
}

/// Writes at an offset of a file. Moves the position for the next write.
///
/// # Errors
///
/// Any error of the file system.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = file.seek_write(bytes, offset)?;
        if count == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(count..).unwrap_or_default();
        offset += count as u64;
    }
    Ok(())
}

/// Does nothing: files have no mode.
///
/// # Errors
///
/// Never fails.
pub fn set_file_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Does nothing: files have no mode.
///
/// # Errors
///
/// Never fails.
pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Sets the times of a path. For a link, sets its own times.
///
/// # Errors
///
/// Any error of the file system, and times before 1970.
pub fn set_times(path: &Path, (seconds, nanos): (i64, i64)) -> io::Result<()> {
    let early = |_| io::Error::from(ErrorKind::InvalidInput);
    let since = Duration::new(u64::try_from(seconds).map_err(early)?, u32::try_from(nanos).map_err(early)?);
    let time = SystemTime::UNIX_EPOCH + since;
    let mut options = OpenOptions::new();
    options.access_mode(FILE_WRITE_ATTRIBUTES);
    let file = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT).open(path)?;
    file.set_times(FileTimes::new().set_accessed(time).set_modified(time))
}

/// Checks that this user can write to a file.
///
/// # Errors
///
/// The reason why not.
pub fn check_write(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).open(path).map(drop)
}

/// Checks that this user can create files in a folder.
///
/// # Errors
///
/// The reason why not.
pub fn check_entry(folder: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.access_mode(FILE_ADD_FILE).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(folder).map(drop)
}

/// Returns the error for a full disk.
#[must_use]
pub fn full_disk() -> io::Error {
    io::Error::from_raw_os_error(ERROR_DISK_FULL.cast_signed())
}

impl Space {
    /// Returns the space of the folder's disk. The number of files isn't limited.
    #[expect(unsafe_code, reason = "the standard library does not have it")]
    #[must_use]
    pub fn new(folder: &Path) -> Option<Self> {
        let name: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
        let (mut left, mut size) = (0, 0);
        let (to_left, to_size) = (from_mut(&mut left), from_mut(&mut size));
        // SAFETY: the name ends with a zero, and two numbers are written.
        let done = unsafe { GetDiskFreeSpaceExW(name.as_ptr(), to_left, to_size, null_mut()) };
        (done != 0).then_some(Space { size, left, files: 0, files_left: 0 })
    }
}

/// Returns true, because a file's name determines whether it can run.
#[must_use]
pub fn is_executable(_: &Metadata) -> bool {
    true
}
