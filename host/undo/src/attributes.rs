//! Extended attributes of files and folders: user attributes and access lists.

#[cfg(not(unix))]
use std::io;
use std::path::Path;

/// Names and values. Values are hexadecimal.
pub(crate) type Attributes = Vec<(String, String)>;

#[cfg(unix)]
pub(crate) use unix::{read, write};

/// Reads the attributes of a file or folder. Always empty on Windows, where such data is in streams, which aren't
/// copied.
///
/// # Errors
///
/// Never fails.
#[cfg(not(unix))]
pub(crate) fn read(_: &Path) -> io::Result<Attributes> {
    Ok(Attributes::new())
}

/// Sets the attributes of a file or folder.
///
/// # Errors
///
/// There are attributes, which come from another system.
#[cfg(not(unix))]
pub(crate) fn write(_: &Path, attributes: &Attributes) -> io::Result<()> {
    attributes.is_empty().then_some(()).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// Returns whether a file or folder has all of these attributes.
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

    /// The maximum size of a list of names or of a value, in bytes. Linux has the same limit.
    const MOST: usize = 64 << 10;

    /// The prefixes of the names that a backup contains on Linux. Labels of security modules belong to the system,
    /// which sets them on new files.
    const KEPT: [&str; 3] = ["user.", "system.posix_acl_", "security.capability"];

    /// Reads the attributes of a file or folder. Empty if the file system doesn't support them.
    ///
    /// # Errors
    ///
    /// There are attributes that can't be read.
    pub(crate) fn read(path: &Path) -> io::Result<Attributes> {
        // Most files have no attributes, which takes one system call to find out.
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
                // The attribute was removed in the meantime.
                Err(Errno::NODATA) => {}
                Err(error) => return Err(error.into()),
            }
        }
        found.sort();
        Ok(found)
    }

    /// Sets the attributes of a file or folder, which must be writable.
    ///
    /// # Errors
    ///
    /// The first one that the file system rejects. The others are still set.
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
