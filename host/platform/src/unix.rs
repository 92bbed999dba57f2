//! Unix: each function is a thin wrapper of the system call.

/// Checks whether other users can change a file.
pub mod access {
    use std::fs::Metadata;
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// The users who can change a folder.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Access {
        /// This user, and the system.
        Private,
        /// It belongs to another user.
        Foreign,
        /// Others can write to it.
        Open,
    }

    /// Returns the users who can change this folder.
    ///
    /// # Errors
    ///
    /// Never fails on Unix, where the metadata are sufficient.
    #[inline]
    pub fn of_folder(_: &Path, data: &Metadata) -> io::Result<Access> {
        Ok(match data {
            _ if !is_own(data) => Access::Foreign,
            _ if data.mode() & 0o022 != 0 => Access::Open,
            _ => Access::Private,
        })
    }

    /// The users who can change a machine-wide file. The text is the fix.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum MachineAccess {
        /// Only administrators.
        Closed,
        /// It belongs to another user.
        Foreign(String),
        /// Others can write to it.
        Open(String),
    }

    /// Returns the users who can change this file or folder. The owner of the machine's settings folder counts as an
    /// administrator.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn of_machine(path: &Path, settings: &Path) -> io::Result<MachineAccess> {
        let (data, owner) = (std::fs::metadata(path)?, std::fs::metadata(settings)?.uid());
        let shown = path.display();
        if data.uid() != owner && data.uid() != 0 {
            return Ok(MachineAccess::Foreign(format!("run `sudo chown root {shown}`")));
        }
        // A sticky folder is no exception: others can't change its files, but can create new ones.
        let by_group = data.mode() & 0o020 != 0 && data.gid() != 0;
        if data.mode() & 0o002 != 0 || by_group {
            return Ok(MachineAccess::Open(format!("run `sudo chmod go-w {shown}`")));
        }
        Ok(MachineAccess::Closed)
    }

    /// Returns whether users who can write to this folder can't rename or remove other users' files in it.
    #[inline]
    #[must_use]
    pub fn protects_entries(data: &Metadata) -> bool {
        data.mode() & 0o1000 != 0
    }

    /// Returns whether users who don't own the file have these permissions of `rwx`. Members of a group count, unless
    /// it is the administrator's.
    #[inline]
    #[must_use]
    pub fn gives_others(data: &Metadata, bits: u32) -> bool {
        let mode = data.mode();
        mode & bits == bits || data.gid() != 0 && mode >> 3 & bits == bits
    }

    /// Returns whether this user is the administrator.
    #[inline]
    #[must_use]
    pub fn is_administrator() -> bool {
        rustix::process::geteuid().is_root()
    }

    /// Returns whether the file belongs to this user.
    #[inline]
    #[must_use]
    pub fn is_own(data: &Metadata) -> bool {
        data.uid() == rustix::process::geteuid().as_raw()
    }
}

pub mod account;

/// Sends messages to local programs.
pub mod datagram {
    use std::io;
    use std::os::unix::net::UnixDatagram;
    use std::path::Path;

    /// Sends a datagram to a local socket without blocking.
    ///
    /// # Errors
    ///
    /// There is no such socket, this user may not write to it, or its buffer is full.
    pub fn send(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.send_to(bytes, path).map(drop)
    }

    /// Checks whether a program receives datagrams at this path.
    ///
    /// # Errors
    ///
    /// There is no such socket, or this user may not write to it.
    pub fn check(path: &Path) -> io::Result<()> {
        UnixDatagram::unbound()?.connect(path)
    }
}

/// Files relative to a folder's handle.
pub mod dir {
    use std::io;
    use std::path::Path;

    use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt};

    /// Sets the mode of new files, limited by the process's umask.
    #[inline]
    pub fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
        options.mode(mode)
    }

    /// Makes opening a pipe succeed or fail at once instead of waiting for its other end.
    ///
    /// # Errors
    ///
    /// Only fails if the system's flags have another size.
    #[inline]
    pub fn at_once(options: &mut OpenOptions) -> io::Result<&mut OpenOptions> {
        Ok(options.custom_flags(super::fs::at_once()?))
    }

    /// Sets exactly this mode on a file.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    #[inline]
    pub fn set_mode(dir: &Dir, name: &Path, mode: u32) -> io::Result<()> {
        dir.set_permissions(name, Permissions::from_mode(mode))
    }

    /// Returns the mode of a file.
    #[inline]
    #[must_use]
    pub fn mode(permissions: &Permissions) -> u32 {
        permissions.mode()
    }
}

/// File operations.
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

    /// Opens a file that should be a regular one. Opening a pipe succeeds or fails at once instead of waiting for its
    /// other end.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    #[inline]
    pub fn open_at_once(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.custom_flags(at_once()?).open(path)
    }

    /// Like [`open_at_once`], but fails if the path is a link.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    #[inline]
    pub fn open_unlinked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).map_err(io::Error::other)?;
        options.custom_flags(flags).open(path)
    }

    /// Returns the identity of the file at a path, following links. `data` is its metadata.
    ///
    /// # Errors
    ///
    /// Never fails on Unix, where the metadata are sufficient.
    #[inline]
    pub fn identity(_: &Path, data: &Metadata) -> io::Result<Identity> {
        Ok(identity_of(data))
    }

    /// Returns the identity of an open file.
    ///
    /// # Errors
    ///
    /// Never fails on Unix, where the metadata are sufficient.
    #[inline]
    pub fn file_identity(_: &File, data: &Metadata) -> io::Result<Identity> {
        Ok(identity_of(data))
    }

    #[inline]
    fn identity_of(data: &Metadata) -> Identity {
        Identity { dev: data.dev(), ino: data.ino(), names: data.nlink(), changed: (data.ctime(), data.ctime_nsec()) }
    }

    /// Reads at an offset of a file.
    ///
    /// # Errors
    ///
    /// Any error of the file system, and the end of the file.
    #[inline]
    pub fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
    }

    /// Writes at an offset of a file.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    #[inline]
    pub fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
    }

    /// Sets exactly this mode on an open file, regardless of the umask.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    #[inline]
    pub fn set_file_mode(file: &File, mode: u32) -> io::Result<()> {
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// Sets exactly this mode on a file or folder.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    #[inline]
    pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        std::fs::set_permissions(path, Permissions::from_mode(mode))
    }

    /// Sets the times of a path. For a link, sets its own times.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn set_times(path: &Path, (seconds, nanos): (i64, i64)) -> io::Result<()> {
        let time = Timespec { tv_sec: seconds, tv_nsec: nanos };
        let times = Timestamps { last_access: time, last_modification: time };
        Ok(rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Checks that this user can write to a file.
    ///
    /// # Errors
    ///
    /// The reason why not.
    pub fn check_write(path: &Path) -> io::Result<()> {
        Ok(accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?)
    }

    /// Checks that this user can create files in a folder.
    ///
    /// # Errors
    ///
    /// The reason why not.
    pub fn check_entry(folder: &Path) -> io::Result<()> {
        Ok(accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
    }

    /// Returns the error for a full disk.
    #[must_use]
    pub fn full_disk() -> io::Error {
        rustix::io::Errno::NOSPC.into()
    }

    impl Space {
        /// Returns the space of the folder's disk.
        #[must_use]
        pub fn new(folder: &Path) -> Option<Self> {
            let disk = statvfs(folder).ok()?;
            let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
            let (size, left) = (bytes(disk.f_blocks), bytes(disk.f_bavail));
            Some(Space { size, left, files: disk.f_files, files_left: disk.f_favail })
        }
    }

    /// Returns whether a file's mode lets it run.
    #[inline]
    #[must_use]
    pub fn is_executable(data: &Metadata) -> bool {
        data.permissions().mode() & 0o111 != 0
    }
}

/// Processes and threads.
pub mod process {
    use std::convert::Infallible;
    use std::ffi::{CString, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command};
    use std::time::Duration;

    use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};
    use rustix::time::{ClockId, clock_gettime};

    /// Returns the maximum file size. A write beyond it raises a signal.
    #[inline]
    #[must_use]
    pub fn file_limit() -> Option<u64> {
        getrlimit(Resource::Fsize).current
    }

    /// Returns the size of the main thread's stack. `None` if unlimited.
    #[inline]
    #[must_use]
    pub fn stack_limit() -> Option<u64> {
        getrlimit(Resource::Stack).current
    }

    /// Returns the processor time of this thread.
    #[inline]
    #[must_use]
    pub fn thread_time() -> Duration {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
    }

    /// Replaces this process with a program that gets these arguments, the first of which is its name, and the
    /// variables except `without`. Only returns if that fails.
    ///
    /// Not with `execvp`, as the standard library does it: that runs an empty or damaged program as a shell script.
    pub fn replace(program: &Path, arguments: &[OsString], without: Option<&str>) -> io::Error {
        let text = |word: OsString| CString::new(word.into_vec());
        let variable = |(mut variable, value): (OsString, OsString)| {
            variable.push("=");
            variable.push(value);
            text(variable)
        };
        #[expect(clippy::disallowed_methods, reason = "the next program gets them unchanged")]
        let variables = std::env::vars_os().filter(|(name, _)| without.is_none_or(|without| name != without));
        let replaced = || -> io::Result<Infallible> {
            let arguments = arguments.iter().cloned().map(text).collect::<Result<Vec<_>, _>>()?;
            let variables = variables.map(variable).collect::<Result<Vec<_>, _>>()?;
            Ok(nix::unistd::execve(&text(program.into())?, &arguments, &variables)?)
        };
        match replaced() {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    /// Returns whether a program can't start because its file isn't a program of this system.
    #[must_use]
    pub fn is_damaged(error: &io::Error) -> bool {
        error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
    }

    /// Sets the name that the process sees as its own.
    #[inline]
    pub fn set_name<S: AsRef<std::ffi::OsStr>>(command: &mut Command, name: S) -> &mut Command {
        command.arg0(name)
    }

    /// Makes the process the leader of a new group.
    #[inline]
    pub fn own_group(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// Kills a child started with [`own_group`], and its group.
    pub fn end_group(child: &mut Child) {
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Returns the id of the parent process.
    #[inline]
    #[must_use]
    pub fn parent() -> u32 {
        std::os::unix::process::parent_id()
    }

    /// Returns unbuffered standard input.
    ///
    /// # Errors
    ///
    /// Standard input is closed.
    #[inline]
    pub fn input() -> io::Result<File> {
        rustix::stdio::stdin().try_clone_to_owned().map(File::from)
    }

    /// Returns unbuffered standard output.
    ///
    /// # Errors
    ///
    /// Standard output is closed, or was closed and replaced with the null device by the standard library.
    pub fn output() -> io::Result<File> {
        let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let device = out.metadata()?;
        let null = std::fs::metadata("/dev/null");
        if device.file_type().is_char_device() && null.is_ok_and(|null| null.rdev() == device.rdev()) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(out)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// In a shell script, the words would be valid.
        #[test]
        fn a_damaged_program_is_not_run_as_a_shell_script() {
            let folder = tempfile::tempdir().unwrap();
            let program = folder.path().join("program");
            for text in ["", "exit 0"] {
                std::fs::write(&program, text).unwrap();
                std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
                let error = replace(&program, &["name".into()], None);
                assert!(is_damaged(&error), "{error:?}");
            }
            let missing = replace(&folder.path().join("missing"), &["name".into()], None);
            assert_eq!((missing.kind(), is_damaged(&missing)), (io::ErrorKind::NotFound, false));
        }
    }
}
