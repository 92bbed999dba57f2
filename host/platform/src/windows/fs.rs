//! Files.

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

/// Seconds from the epoch of Windows to that of Unix.
const EPOCHS: i64 = 11_644_473_600;

/// Steps of a time of Windows in a second.
const STEPS: i64 = 10_000_000;

/// The mode of everything that is not read-only.
const MODE: u32 = 0o700;

/// Seconds and nanoseconds since the epoch of Unix.
fn unix_time(steps: i64) -> (i64, i64) {
    (steps.div_euclid(STEPS) - EPOCHS, steps.rem_euclid(STEPS) * 100)
}

/// The metadata that Unix has as well.
pub trait MetadataExt {
    /// `0o700`, or `0o500` of a read-only file: the access list of the folder says who may do what.
    fn mode(&self) -> u32;
    /// The seconds of the time at which it was written to.
    fn mtime(&self) -> i64;
    /// The nanoseconds of the same.
    fn mtime_nsec(&self) -> i64;
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

/// The permissions that Unix has as well.
pub trait PermissionsExt {
    /// As [`MetadataExt::mode`].
    fn mode(&self) -> u32;
}

impl PermissionsExt for Permissions {
    fn mode(&self) -> u32 {
        if self.readonly() { MODE & 0o555 } else { MODE }
    }
}

/// A mode for new files. Files have none: they get the access list of their folder.
pub trait OpenOptionsExt {
    /// Does nothing.
    fn mode(&mut self, mode: u32) -> &mut Self;
}

impl OpenOptionsExt for OpenOptions {
    fn mode(&mut self, _: u32) -> &mut Self {
        self
    }
}

/// A mode for new folders. Folders have none: they get the access list of the one above.
pub trait DirBuilderExt {
    /// Does nothing.
    fn mode(&mut self, mode: u32) -> &mut Self;
}

impl DirBuilderExt for DirBuilder {
    fn mode(&mut self, _: u32) -> &mut Self {
        self
    }
}

/// Makes a link to a file, or to a folder that is there.
///
/// # Errors
///
/// Those of the file system; the user may not make links.
pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) -> io::Result<()> {
    let (target, link) = (target.as_ref(), link.as_ref());
    let from = link.parent().unwrap_or(Path::new(""));
    if from.join(target).is_dir() {
        return std::os::windows::fs::symlink_dir(target, link);
    }
    std::os::windows::fs::symlink_file(target, link)
}

/// Opens a file that should be a regular one. A pipe has no name in a folder, so nothing is waited for.
///
/// # Errors
///
/// Those of the file system.
pub fn open_at_once(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

/// As [`open_at_once`], and fails if the path is a link or another reparse point.
///
/// # Errors
///
/// Those of the file system.
pub fn open_unlinked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)?;
    if file.metadata()?.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return Err(io::Error::other("it is a link"));
    }
    Ok(file)
}

/// The identity of the file that a path leads to.
///
/// # Errors
///
/// Those of the file system.
pub fn identity(path: &Path, data: &Metadata) -> io::Result<Identity> {
    // Folders open with this flag alone.
    let mut options = OpenOptions::new();
    let file = options.access_mode(FILE_READ_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
    file_identity(&file, data)
}

/// The same, of an open file.
///
/// # Errors
///
/// Those of the file system.
#[expect(unsafe_code, reason = "the standard library has these of an open file, but not in a stable release")]
pub fn file_identity(file: &File, _: &Metadata) -> io::Result<Identity> {
    let handle = file.as_raw_handle();
    let mut of_file = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open for as long as `file` is borrowed, and the system writes one such structure.
    if unsafe { GetFileInformationByHandle(handle, from_mut(&mut of_file)) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut basic = FILE_BASIC_INFO::default();
    let size = u32::try_from(size_of::<FILE_BASIC_INFO>()).map_err(io::Error::other)?;
    // SAFETY: as above, and `size` is that of the structure.
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

/// Reads at a place of a file. Moves where the file is read next.
///
/// # Errors
///
/// Those of the file system, and the file ends before.
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

/// Writes at a place of a file. Moves where the file is written next.
///
/// # Errors
///
/// Those of the file system.
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
/// None.
pub fn set_file_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Does nothing: files have no mode.
///
/// # Errors
///
/// None.
pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Returns a path its times. Of a link they are the link's own.
///
/// # Errors
///
/// Those of the file system, and times before 1970.
pub fn set_times(path: &Path, (seconds, nanos): (i64, i64)) -> io::Result<()> {
    let early = |_| io::Error::from(ErrorKind::InvalidInput);
    let since = Duration::new(u64::try_from(seconds).map_err(early)?, u32::try_from(nanos).map_err(early)?);
    let time = SystemTime::UNIX_EPOCH + since;
    let mut options = OpenOptions::new();
    options.access_mode(FILE_WRITE_ATTRIBUTES);
    let file = options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT).open(path)?;
    file.set_times(FileTimes::new().set_accessed(time).set_modified(time))
}

/// This user may write to a file.
///
/// # Errors
///
/// Why not.
pub fn check_write(path: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).open(path).map(drop)
}

/// This user may make files in a folder.
///
/// # Errors
///
/// Why not.
pub fn check_entry(folder: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.access_mode(FILE_ADD_FILE).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(folder).map(drop)
}

/// The error of a disk that is full.
#[must_use]
pub fn full_disk() -> io::Error {
    io::Error::from_raw_os_error(ERROR_DISK_FULL.cast_signed())
}

impl Space {
    /// That of the disk with this folder. There is no limit of files.
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

/// Any file may be run, if its name says so.
#[must_use]
pub fn is_executable(_: &Metadata) -> bool {
    true
}
