//! The files of a registration on the machine. They are found through links that stay within the user's files, and
//! written atomically.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::InstallError;
use super::json::Malformed;
use guard_platform::access::is_own;
use guard_platform::account::user_of_home;
use guard_platform::fs::MetadataExt;
use guard_state::write_lasting;

/// The maximum size of a file, in bytes. The largest is this program, which is copied into plugins.
const FILE_BYTES: u64 = 512 << 20;

/// The maximum size of a settings file, in bytes.
const TEXT_BYTES: usize = 4 << 20;

/// The current state of a file.
pub(super) struct ExistingFile {
    /// The path, with links resolved.
    pub(super) target: PathBuf,
    /// The content. `None` if the file doesn't exist.
    pub(super) bytes: Option<Vec<u8>>,
    /// The file's mode, or the one for a new file.
    pub(super) mode: u32,
}

impl ExistingFile {
    /// Returns the content as text.
    ///
    /// # Errors
    ///
    /// The file isn't text, or is too large for settings.
    pub(super) fn text(&self, path: &Path) -> Result<Option<String>, InstallError> {
        let Some(bytes) = &self.bytes else { return Ok(None) };
        if bytes.len() > TEXT_BYTES {
            return Err(InstallError::Refused(path.to_path_buf(), "is larger than 4 MiB"));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(error) => {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let malformed = Malformed::no_text(&String::from_utf8_lossy(before));
                Err(InstallError::Malformed(path.to_path_buf(), malformed))
            }
        }
    }

    /// Returns whether the file is at this path itself, without a link.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.target == path
    }
}

/// Finds a file. A link is followed if it leads to a file of this user, and not out of `within`.
///
/// # Errors
///
/// The file may not be written.
pub(super) fn find(path: &Path, within: Option<&Path>, mode: u32) -> Result<ExistingFile, InstallError> {
    let refuse = |why| Err(InstallError::Refused(path.to_path_buf(), why));
    let fail = |error| InstallError::Io(path.to_path_buf(), error);
    let named = match fs::symlink_metadata(path) {
        Ok(named) => Some(named),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(fail(error)),
    };
    let Some(named) = named else {
        if escapes(path, within) {
            return refuse("is reached through a link that leads out of its folder");
        }
        if user_of_home(path).is_some() {
            return refuse("would belong to root, in the home of another user; run the command as that user");
        }
        return Ok(ExistingFile { target: path.to_path_buf(), bytes: None, mode });
    };
    let target = match named.is_symlink() {
        true => match fs::canonicalize(path) {
            Ok(target) => target,
            Err(_) => return refuse("is a link that leads nowhere"),
        },
        false => path.to_path_buf(),
    };
    let data = fs::metadata(&target).map_err(fail)?;
    if !data.is_file() {
        return refuse("is not a file");
    }
    if !is_own(&data) {
        return refuse("belongs to another user");
    }
    if named.is_symlink() {
        let folder = target.parent().and_then(|folder| fs::metadata(folder).ok());
        if data.mode() & 0o002 != 0 || folder.is_none_or(|folder| !is_own(&folder)) {
            return refuse("is a link to a file that others can change");
        }
    }
    if escapes(&target, within) {
        return refuse("is reached through a link that leads out of its folder");
    }
    Ok(ExistingFile { bytes: read(&target).map_err(fail)?, target, mode: data.mode() & 0o7777 })
}

/// Returns whether the path is outside of `within` after resolving all links.
fn escapes(path: &Path, within: Option<&Path>) -> bool {
    let Some(within) = within else { return false };
    // A path that doesn't exist yet can't be a link.
    let real = |path: &Path| path.ancestors().find_map(|path| fs::canonicalize(path).ok());
    match (real(path), fs::canonicalize(within)) {
        (Some(path), Ok(within)) => !path.starts_with(within),
        _ => false,
    }
}

/// Reads a file. `None` if it doesn't exist.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(Some(bytes))
}

/// Writes a temporary file and renames it. Returns the folders that had to be created, outermost first. If others may
/// read the file, they may enter these folders, regardless of the umask.
pub(super) fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<Vec<PathBuf>> {
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let mut missing: Vec<PathBuf> = folder.ancestors().take_while(|dir| !dir.exists()).map(Path::to_path_buf).collect();
    missing.reverse();
    fs::create_dir_all(folder)?;
    if mode & 0o044 == 0o044 {
        missing.iter().try_for_each(|folder| guard_platform::fs::set_mode(folder, 0o755))?;
    }
    write_lasting(path, bytes, mode)?;
    Ok(missing)
}

pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    if fs::metadata(path)?.mode() & 0o7777 == mode {
        return Ok(());
    }
    guard_platform::fs::set_mode(path, mode)
}

/// Removes the empty folders among these, innermost first.
pub(super) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // A folder that isn't empty stays.
        let _ = fs::remove_dir(folder);
    }
}
