//! Unix: each function is the call that it names.

/// Whether other users can change a file.
pub mod access {
    use std::fs::Metadata;
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// The users that can change a folder.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Access {
        /// This user, and the system.
        Private,
        /// It belongs to another user.
        Foreign,
        /// Others can write to it.
        Open,
    }

    /// The users that can change this folder.
    ///
    /// # Errors
    ///
    /// None on Unix, where the metadata say it.
    #[inline]
    pub fn of_folder(_: &Path, data: &Metadata) -> io::Result<Access> {
        Ok(match data {
            _ if !is_own(data) => Access::Foreign,
            _ if data.mode() & 0o022 != 0 => Access::Open,
            _ => Access::Private,
        })
    }

    /// The users that can change a file which is meant for the whole machine. The remedy is included.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum MachineAccess {
        /// Administrators.
        Closed,
        /// It belongs to another user.
        Foreign(String),
        /// Others can write to it.
        Open(String),
    }

    /// The users that can change this file or folder. The owner of the folder of the machine's settings is an
    /// administrator.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn of_machine(path: &Path, settings: &Path) -> io::Result<MachineAccess> {
        let (data, owner) = (std::fs::metadata(path)?, std::fs::metadata(settings)?.uid());
        let shown = path.display();
        if data.uid() != owner && data.uid() != 0 {
            return Ok(MachineAccess::Foreign(format!("run `sudo chown root {shown}`")));
        }
        // A sticky folder keeps a file from all but its owner, and still takes new ones.
        let by_group = data.mode() & 0o020 != 0 && data.gid() != 0;
        if data.mode() & 0o002 != 0 || by_group {
            return Ok(MachineAccess::Open(format!("run `sudo chmod go-w {shown}`")));
        }
        Ok(MachineAccess::Closed)
    }

    /// The file belongs to this user.
    #[inline]
    #[must_use]
    pub fn is_own(data: &Metadata) -> bool {
        data.uid() == rustix::process::geteuid().as_raw()
    }
}

/// The account of this user.
pub mod account {
    /// The home directory that `/etc/passwd` has for this user.
    #[cfg(not(any(target_os = "macos", portable)))]
    #[must_use]
    pub fn home() -> Option<String> {
        let uid = rustix::process::geteuid().as_raw().to_string();
        let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
        let user = passwd.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?;
        user.split(':').nth(5).filter(|home| home.starts_with('/')).map(str::to_owned)
    }

    /// The home directory that the directory service has for this user. No file lists the users of macOS.
    #[cfg(any(target_os = "macos", portable))]
    #[must_use]
    pub fn home() -> Option<String> {
        let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok()??;
        user.dir.into_os_string().into_string().ok().filter(|home| home.starts_with('/'))
    }

    /// The variable that says where a user's home is.
    pub const HOME: &str = "HOME";

    /// The folder of the settings of the whole machine.
    #[inline]
    #[must_use]
    pub fn settings_of_machine() -> std::path::PathBuf {
        "/etc".into()
    }

    /// The name of this machine.
    #[must_use]
    pub fn machine() -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }
}

/// Files below the handle of a folder.
pub mod dir {
    use std::io;
    use std::path::Path;

    use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt};

    /// New files get this mode, as far as the process's mask leaves it.
    #[inline]
    pub fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
        options.mode(mode)
    }

    /// A pipe in the file's place opens, or fails, at once: nobody waits for its other end.
    ///
    /// # Errors
    ///
    /// None, unless the system has flags of another size.
    #[inline]
    pub fn at_once(options: &mut OpenOptions) -> io::Result<&mut OpenOptions> {
        Ok(options.custom_flags(super::fs::at_once()?))
    }

    /// Returns a file just this mode.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    #[inline]
    pub fn set_mode(dir: &Dir, name: &Path, mode: u32) -> io::Result<()> {
        dir.set_permissions(name, Permissions::from_mode(mode))
    }

    /// The mode of a file.
    #[inline]
    #[must_use]
    pub fn mode(permissions: &Permissions) -> u32 {
        permissions.mode()
    }
}

/// Files.
pub mod fs {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::path::Path;

    use rustix::fs::{Access, AtFlags, CWD, OFlags, Timespec, Timestamps, accessat, statvfs};

    pub use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};

    use crate::{Identity, Space};

    #[inline]
    pub(super) fn at_once() -> io::Result<i32> {
        i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)
    }

    /// Opens a file that should be a regular one. A pipe in its place opens, or fails, at once: nobody waits for its
    /// other end.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    #[inline]
    pub fn open_at_once(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.custom_flags(at_once()?).open(path)
    }

    /// As [`open_at_once`], and fails if the path is a link.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    #[inline]
    pub fn open_unlinked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).map_err(io::Error::other)?;
        options.custom_flags(flags).open(path)
    }

    /// The identity of the file that a path leads to. `data` is its metadata.
    ///
    /// # Errors
    ///
    /// None on Unix, where the metadata say it.
    #[inline]
    pub fn identity(_: &Path, data: &Metadata) -> io::Result<Identity> {
        Ok(identity_of(data))
    }

    /// The same, of an open file.
    ///
    /// # Errors
    ///
    /// None on Unix, where the metadata say it.
    #[inline]
    pub fn file_identity(_: &File, data: &Metadata) -> io::Result<Identity> {
        Ok(identity_of(data))
    }

    #[inline]
    fn identity_of(data: &Metadata) -> Identity {
        Identity { dev: data.dev(), ino: data.ino(), names: data.nlink(), changed: (data.ctime(), data.ctime_nsec()) }
    }

    /// Reads at a place of a file.
    ///
    /// # Errors
    ///
    /// Those of the file system, and the file ends before.
    #[inline]
    pub fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
    }

    /// Writes at a place of a file.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    #[inline]
    pub fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
    }

    /// Returns an open file just this mode, whatever the process masks.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    #[inline]
    pub fn set_file_mode(file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// Returns a file or folder just this mode.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    #[inline]
    pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        std::fs::set_permissions(path, Permissions::from_mode(mode))
    }

    /// Returns a path its times. Of a link they are the link's own.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn set_times(path: &Path, (seconds, nanos): (i64, i64)) -> io::Result<()> {
        let time = Timespec { tv_sec: seconds, tv_nsec: nanos };
        let times = Timestamps { last_access: time, last_modification: time };
        Ok(rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// This user may write to a file.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn check_write(path: &Path) -> io::Result<()> {
        Ok(accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?)
    }

    /// This user may make files in a folder.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn check_entry(folder: &Path) -> io::Result<()> {
        Ok(accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
    }

    /// The error of a disk that is full.
    #[must_use]
    pub fn full_disk() -> io::Error {
        rustix::io::Errno::NOSPC.into()
    }

    impl Space {
        /// That of the disk with this folder.
        #[must_use]
        pub fn new(folder: &Path) -> Option<Self> {
            let disk = statvfs(folder).ok()?;
            let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
            let (size, left) = (bytes(disk.f_blocks), bytes(disk.f_bavail));
            Some(Space { size, left, files: disk.f_files, files_left: disk.f_favail })
        }
    }

    /// A file with this mode may be run.
    #[inline]
    #[must_use]
    pub fn is_executable(data: &Metadata) -> bool {
        data.permissions().mode() & 0o111 != 0
    }
}

/// Processes and threads.
pub mod process {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::time::Duration;

    use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};
    use rustix::time::{ClockId, clock_gettime};

    /// The size beyond which a write to a file is answered with a signal.
    #[inline]
    #[must_use]
    pub fn file_limit() -> Option<u64> {
        getrlimit(Resource::Fsize).current
    }

    /// The size of the main thread's stack. `None`: unlimited.
    #[inline]
    #[must_use]
    pub fn stack_limit() -> Option<u64> {
        getrlimit(Resource::Stack).current
    }

    /// The processor time of this thread.
    #[inline]
    #[must_use]
    pub fn thread_time() -> Duration {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
    }

    /// Replaces this process. Returns only with an error.
    #[inline]
    pub fn replace(command: &mut Command) -> io::Error {
        command.exec()
    }

    /// Sets the name that the process sees as its own.
    #[inline]
    pub fn set_name<S: AsRef<std::ffi::OsStr>>(command: &mut Command, name: S) -> &mut Command {
        command.arg0(name)
    }

    /// Makes the process the first one of a group.
    #[inline]
    pub fn own_group(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// Ends a child that was started with [`own_group`], and its group.
    pub fn end_group(child: &mut Child) {
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// The process that started this one.
    #[inline]
    #[must_use]
    pub fn parent() -> u32 {
        std::os::unix::process::parent_id()
    }

    /// Standard input, without a buffer.
    ///
    /// # Errors
    ///
    /// It is closed.
    #[inline]
    pub fn input() -> io::Result<File> {
        rustix::stdio::stdin().try_clone_to_owned().map(File::from)
    }

    /// Standard output, without a buffer.
    ///
    /// # Errors
    ///
    /// It is closed, or the standard library has opened the null device because it was.
    pub fn output() -> io::Result<File> {
        let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let device = out.metadata()?;
        let null = std::fs::metadata("/dev/null");
        if device.file_type().is_char_device() && null.is_ok_and(|null| null.rdev() == device.rdev()) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(out)
    }
}
