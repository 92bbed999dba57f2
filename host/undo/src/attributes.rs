//! Extended attributes of files and folders: those of users, and access lists.

#[cfg(not(unix))]
use std::io;
use std::path::Path;

/// Names and values, in hexadecimal digits.
pub(crate) type Attributes = Vec<(String, String)>;

#[cfg(unix)]
pub(crate) use unix::{read, write};

/// The attributes of a file or folder. Windows has none: what a file holds beside its content is in streams, which a copy
/// is without.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub(crate) fn read(_: &Path) -> io::Result<Attributes> {
    Ok(Attributes::new())
}

/// Returns a file or folder its attributes.
///
/// # Errors
///
/// There are some, of another system.
#[cfg(not(unix))]
pub(crate) fn write(_: &Path, attributes: &Attributes) -> io::Result<()> {
    attributes.is_empty().then_some(()).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// A file or folder has all of these.
pub(crate) fn has(path: &Path, attributes: &Attributes) -> bool {
    attributes.is_empty() || read(path).is_ok_and(|now| attributes.iter().all(|one| now.contains(one)))
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::path::Path;

    use guard_state::hex;
    use rustix::fs::{XattrFlags, lgetxattr, llistxattr, lsetxattr};
    use rustix::io::Errno;

    use super::Attributes;

    /// The longest list of names, and the longest value, in bytes. Linux has no longer ones.
    const MOST: usize = 64 << 10;

    /// Names that a copy holds on Linux. Labels of security modules are the system's own, and come with a new file.
    const KEPT: [&str; 3] = ["user.", "system.posix_acl_", "security.capability"];

    /// The attributes of a file or folder. None where the file system has no such thing.
    ///
    /// # Errors
    ///
    /// There are some that can't be read.
    pub(crate) fn read(path: &Path) -> io::Result<Attributes> {
        // Most files have none, which costs one call of the system.
        let mut few = [0_u8; 1 << 10];
        let names = match llistxattr(path, &mut few) {
            Ok(length) => few.get(..length).unwrap_or_default().to_vec(),
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
            Err(Errno::RANGE) => {
                let mut many = vec![0_u8; MOST];
                let length = llistxattr(path, &mut many)?;
                many.truncate(length);
                many
            }
            Err(error) => return Err(error.into()),
        };
        let mut found = Vec::new();
        for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let Ok(name) = std::str::from_utf8(name) else { return Err(io::ErrorKind::InvalidData.into()) };
            if cfg!(all(target_os = "linux", not(portable))) && !KEPT.iter().any(|kept| name.starts_with(kept)) {
                continue;
            }
            let mut value = vec![0_u8; MOST];
            match lgetxattr(path, name, &mut value) {
                Ok(length) => found.push((name.to_owned(), hex(value.get(..length).unwrap_or_default()))),
                // It was removed in the meantime.
                Err(Errno::NODATA) => {}
                Err(error) => return Err(error.into()),
            }
        }
        found.sort();
        Ok(found)
    }

    /// Returns a file or folder its attributes. It has to be writable by now.
    ///
    /// # Errors
    ///
    /// The first one that the file system refuses. The others are set all the same.
    pub(crate) fn write(path: &Path, attributes: &Attributes) -> io::Result<()> {
        let mut done = Ok(());
        for (name, value) in attributes {
            let set = match bytes(value) {
                Some(value) => lsetxattr(path, name.as_str(), &value, XattrFlags::empty()).map_err(io::Error::from),
                None => Err(io::ErrorKind::InvalidData.into()),
            };
            done = done.and(set);
        }
        done
    }

    fn bytes(digits: &str) -> Option<Vec<u8>> {
        let pairs = digits.as_bytes().chunks(2);
        pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}
