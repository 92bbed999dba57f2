//! The accounts of users, and their homes.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::access::is_administrator;

/// Returns this user's home directory from `/etc/passwd`.
#[cfg(not(any(target_os = "macos", portable)))]
#[must_use]
pub fn home() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw().to_string();
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let user = passwd.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?;
    user.split(':').nth(5).filter(|home| home.starts_with('/')).map(str::to_owned)
}

/// Returns this user's home directory from the directory service. On macOS, users aren't listed in a file.
#[cfg(any(target_os = "macos", portable))]
#[must_use]
pub fn home() -> Option<String> {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok()??;
    user.dir.into_os_string().into_string().ok().filter(|home| home.starts_with('/'))
}

/// Returns the name of another user who owns the file. A user without a name has a number.
#[must_use]
pub fn other_owner(path: &Path) -> Option<String> {
    let uid = std::fs::symlink_metadata(path).ok()?.uid();
    let is_other = uid != rustix::process::geteuid().as_raw();
    is_other.then(|| entry(uid).map_or_else(|| format!("#{uid}"), |(name, _)| name))
}

/// Returns the user in whose home the path is, if this user is the administrator and that one isn't.
#[must_use]
pub fn user_of_home(path: &Path) -> Option<String> {
    if !is_administrator() {
        return None;
    }
    home_owner(path, entry)
}

/// Returns the user in whose home the path is. `entry` returns the name and home of a user.
fn home_owner(path: &Path, entry: impl Fn(u32) -> Option<(String, String)>) -> Option<String> {
    path.ancestors().find_map(|folder| {
        let uid = std::fs::metadata(folder).ok()?.uid();
        let (name, home) = Some(uid).filter(|uid| *uid != 0).and_then(&entry)?;
        (Path::new(&home) == folder).then_some(name)
    })
}

/// Returns the name and home of a user from `/etc/passwd`.
#[cfg(not(any(target_os = "macos", portable)))]
fn entry(uid: u32) -> Option<(String, String)> {
    let (uid, passwd) = (uid.to_string(), std::fs::read_to_string("/etc/passwd").ok()?);
    let mut fields = passwd.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?.split(':');
    Some((fields.next()?.to_owned(), fields.nth(4)?.trim_end_matches('/').to_owned()))
}

/// Returns the name and home of a user from the directory service.
#[cfg(any(target_os = "macos", portable))]
fn entry(uid: u32) -> Option<(String, String)> {
    let user = nix::unistd::User::from_uid(uid.into()).ok()??;
    Some((user.name, user.dir.into_os_string().into_string().ok()?))
}

/// The variable with a user's home.
pub const HOME: &str = "HOME";

/// Returns the folder of machine-wide settings.
#[inline]
#[must_use]
pub fn settings_of_machine() -> PathBuf {
    "/etc".into()
}

/// Returns the name of this machine.
#[must_use]
pub fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_home_belongs_to_its_user() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home/bob");
        std::fs::create_dir_all(home.join("repo")).unwrap();
        let uid = std::fs::metadata(&home).unwrap().uid();
        let entry = |found: u32| (found == uid).then(|| ("bob".to_owned(), home.to_string_lossy().into_owned()));
        for below in ["", "repo", "repo/new/file", ".local/state/guard-host"] {
            // Root's own home isn't another user's.
            let expected = (uid != 0).then(|| "bob".to_owned());
            assert_eq!(home_owner(&home.join(below), entry), expected, "{below}");
        }
        for outside in ["home/bobby/x", "home", "other"] {
            assert_eq!(home_owner(&folder.path().join(outside), entry), None, "{outside}");
        }
        if uid == 0 {
            std::os::unix::fs::chown(&home, Some(12345), None).unwrap();
            let entry = |found: u32| (found == 12345).then(|| ("bob".to_owned(), home.to_string_lossy().into_owned()));
            assert_eq!(home_owner(&home.join("a/b"), entry), Some("bob".to_owned()));
            assert_eq!(other_owner(&home), Some("#12345".to_owned()));
        }
    }
}
