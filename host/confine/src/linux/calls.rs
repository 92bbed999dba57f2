//! System calls for the broker, read once from the calling process.

use std::ffi::OsString;
use std::fs::File;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;

use libc::c_long;

use super::listener::Notification;

/// The maximum length of a path in the kernel, in bytes.
const PATH_BYTES: usize = libc::PATH_MAX as usize;

/// The size of a read. The next page may not be mapped.
const PAGE: usize = 4096;

/// The calls that create, rename and delete.
#[cfg(target_arch = "x86_64")]
pub(super) const PATHS: &[c_long] = &[
    libc::SYS_creat,
    libc::SYS_unlink,
    libc::SYS_rmdir,
    libc::SYS_mkdir,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const PATHS: &[c_long] =
    &[libc::SYS_unlinkat, libc::SYS_mkdirat, libc::SYS_renameat2, libc::SYS_linkat, libc::SYS_symlinkat];

/// The calls that open a file, with the index of the argument with the flags.
#[cfg(target_arch = "x86_64")]
pub(super) const OPENS: &[(c_long, u8)] = &[(libc::SYS_open, 1), (libc::SYS_openat, 2)];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OPENS: &[(c_long, u8)] = &[(libc::SYS_openat, 2)];

/// The socket calls, which are only needed for reports.
pub(super) const SOCKETS: &[c_long] = &[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind];

/// A path, and the descriptor of the folder to which it is relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct At {
    pub(super) folder: i32,
    pub(super) path: OsString,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Call {
    Open {
        at: At,
        flags: i32,
        mode: u32,
    },
    Unlink {
        at: At,
        is_folder: bool,
    },
    MakeFolder {
        at: At,
        mode: u32,
    },
    Rename {
        from: At,
        to: At,
        flags: u32,
    },
    Link {
        from: At,
        to: At,
        follows: bool,
    },
    Symlink {
        text: OsString,
        at: At,
    },
    Socket {
        family: i32,
        kind: i32,
        protocol: i32,
    },
    /// Connecting or listening.
    Address(String),
}

pub(super) struct Memory(File);

impl Memory {
    pub(super) fn open(process: u32) -> Option<Self> {
        File::open(format!("/proc/{process}/mem")).ok().map(Memory)
    }

    /// Reads a text that ends with a zero byte.
    fn text(&self, start: u64) -> Option<OsString> {
        let mut bytes = Vec::new();
        while bytes.len() < PATH_BYTES {
            let at = start.checked_add(u64::try_from(bytes.len()).ok()?)?;
            let to_page_end = PAGE - usize::try_from(at % PAGE as u64).ok()?;
            let mut page = vec![0; to_page_end.min(PATH_BYTES)];
            let read = self.0.read_at(&mut page, at).ok().filter(|read| *read > 0)?;
            page.truncate(read);
            if let Some(end) = page.iter().position(|byte| *byte == 0) {
                page.truncate(end);
                bytes.extend(page);
                return Some(OsString::from_vec(bytes));
            }
            bytes.extend(page);
        }
        None
    }

    /// Reads a socket address as text.
    fn address(&self, start: u64, length: u64) -> Option<String> {
        let mut bytes = vec![0; usize::try_from(length).ok()?.min(128)];
        let read = self.0.read_at(&mut bytes, start).ok()?;
        bytes.truncate(read);
        let family = i32::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        let port = || Some(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?));
        match family {
            libc::AF_INET => {
                let address: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
                Some(format!("{}:{}", Ipv4Addr::from(address), port()?))
            }
            libc::AF_INET6 => {
                let address: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
                Some(format!("[{}]:{}", Ipv6Addr::from(address), port()?))
            }
            _ => None,
        }
    }
}

/// Reads the call with its arguments. `None` for a call that the broker doesn't handle.
pub(super) fn read(notification: &Notification, memory: &Memory) -> Option<Call> {
    let argument = |index: usize| notification.data.args.get(index).copied().unwrap_or_default();
    // The kernel only reads the lower half.
    let number = |index: usize| argument(index) as i32;
    let bits = |index: usize| argument(index) as u32;
    let at = |folder: usize, path: usize| Some(At { folder: number(folder), path: memory.text(argument(path))? });
    let here = |path: usize| Some(At { folder: libc::AT_FDCWD, path: memory.text(argument(path))? });
    let new = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
    Some(match c_long::from(notification.data.nr) {
        libc::SYS_openat => Call::Open { at: at(0, 1)?, flags: number(2), mode: bits(3) },
        libc::SYS_unlinkat => Call::Unlink { at: at(0, 1)?, is_folder: number(2) & libc::AT_REMOVEDIR != 0 },
        libc::SYS_mkdirat => Call::MakeFolder { at: at(0, 1)?, mode: bits(2) },
        libc::SYS_renameat2 => Call::Rename { from: at(0, 1)?, to: at(2, 3)?, flags: bits(4) },
        libc::SYS_linkat => {
            Call::Link { from: at(0, 1)?, to: at(2, 3)?, follows: number(4) & libc::AT_SYMLINK_FOLLOW != 0 }
        }
        libc::SYS_symlinkat => Call::Symlink { text: memory.text(argument(0))?, at: at(1, 2)? },
        libc::SYS_socket => Call::Socket { family: number(0), kind: number(1), protocol: number(2) },
        libc::SYS_connect | libc::SYS_bind => Call::Address(memory.address(argument(1), argument(2))?),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => Call::Open { at: here(0)?, flags: number(1), mode: bits(2) },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => Call::Open { at: here(0)?, flags: new, mode: bits(1) },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_unlink => Call::Unlink { at: here(0)?, is_folder: false },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rmdir => Call::Unlink { at: here(0)?, is_folder: true },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir => Call::MakeFolder { at: here(0)?, mode: bits(1) },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename => Call::Rename { from: here(0)?, to: here(1)?, flags: 0 },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_renameat => Call::Rename { from: at(0, 1)?, to: at(2, 3)?, flags: 0 },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_link => Call::Link { from: here(0)?, to: here(1)?, follows: false },
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink => Call::Symlink { text: memory.text(argument(0))?, at: here(1)? },
        _ => return None,
    })
}
