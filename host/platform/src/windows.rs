//! Windows.

pub mod access;
pub mod crash;
pub mod fs;
pub mod process;

/// Files relative to a folder's handle. They have no mode, and get the access list of the folder.
pub mod dir {
    use std::io;
    use std::path::Path;

    use cap_std::fs::{Dir, OpenOptions, Permissions};

    /// Changes nothing.
    pub fn with_mode(options: &mut OpenOptions, _: u32) -> &mut OpenOptions {
        options
    }

    /// Changes nothing: a pipe has no name in a folder.
    ///
    /// # Errors
    ///
    /// Never fails.
    pub fn at_once(options: &mut OpenOptions) -> io::Result<&mut OpenOptions> {
        Ok(options)
    }

    /// Does nothing.
    ///
    /// # Errors
    ///
    /// Never fails.
    pub fn set_mode(_: &Dir, _: &Path, _: u32) -> io::Result<()> {
        Ok(())
    }

    /// Returns `0o700`, or `0o500` for a read-only file.
    #[must_use]
    pub fn mode(permissions: &Permissions) -> u32 {
        if permissions.readonly() { 0o500 } else { 0o700 }
    }
}

/// Sends messages to local programs.
pub mod datagram {
    use std::io;
    use std::path::Path;

    /// Always fails, because Windows has no journal.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn send(_: &Path, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Always fails.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn check(path: &Path) -> io::Result<()> {
        send(path, &[])
    }
}

/// This user's account.
pub mod account {
    use known_folders::{KnownFolder, get_known_folder_path};

    /// Returns this user's profile folder from the system, regardless of variables.
    #[must_use]
    pub fn home() -> Option<String> {
        get_known_folder_path(KnownFolder::Profile).and_then(crate::paths::judged)
    }

    /// Returns the folder of machine-wide settings, to which only administrators should be able to write.
    #[must_use]
    pub fn settings_of_machine() -> std::path::PathBuf {
        get_known_folder_path(KnownFolder::ProgramData).unwrap_or_else(|| "C:\\ProgramData".into())
    }

    /// Returns `None`: owners aren't read for this.
    #[must_use]
    pub fn other_owner(_: &std::path::Path) -> Option<String> {
        None
    }

    /// Returns `None`: an administrator keeps their own home.
    #[must_use]
    pub fn user_of_home(_: &std::path::Path) -> Option<String> {
        None
    }

    /// The variable with a user's home.
    pub const HOME: &str = "USERPROFILE";

    /// Returns the name of this machine.
    #[expect(clippy::disallowed_methods, reason = "the system itself sets the variable")]
    #[must_use]
    pub fn machine() -> String {
        std::env::var_os("COMPUTERNAME").unwrap_or_default().to_string_lossy().into_owned()
    }
}
