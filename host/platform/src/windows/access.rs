//! Whether other users can change a file, by its access list.

use std::fs::Metadata;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::{from_mut, null_mut};

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, GENERIC_ALL, GENERIC_WRITE, LocalFree};
use windows_sys::Win32::Security::Authorization::{GetNamedSecurityInfoW, SE_FILE_OBJECT};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, EqualSid, GetAce, GetTokenInformation,
    INHERIT_ONLY_ACE, IsWellKnownSid, OWNER_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, TOKEN_QUERY, TOKEN_USER,
    TokenUser, WinBuiltinAdministratorsSid, WinCreatorOwnerRightsSid, WinCreatorOwnerSid, WinLocalSystemSid,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_APPEND_DATA, FILE_DELETE_CHILD, FILE_WRITE_DATA, WRITE_DAC, WRITE_OWNER,
};
use windows_sys::Win32::System::SystemServices::ACCESS_ALLOWED_ACE_TYPE;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

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

/// Access rights that change a folder or its contents.
const WRITES: u32 = FILE_WRITE_DATA
    | FILE_APPEND_DATA
    | FILE_DELETE_CHILD
    | DELETE
    | WRITE_DAC
    | WRITE_OWNER
    | GENERIC_WRITE
    | GENERIC_ALL;

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

/// The users that can change this file or folder. This user is one of the others.
///
/// # Errors
///
/// Its owner and its access list can't be read.
pub fn of_machine(path: &Path, _: &Path) -> io::Result<MachineAccess> {
    let security = Security::read(path)?;
    let shown = path.display();
    if !is_system(security.owner) {
        let hint = format!("run `icacls \"{shown}\" /setowner Administrators` as an administrator");
        return Ok(MachineAccess::Foreign(hint));
    }
    if security.lets_others_write(is_system) {
        let hint = format!(
            "run `icacls \"{shown}\" /inheritance:r /grant Administrators:F SYSTEM:F Users:RX` as an administrator"
        );
        return Ok(MachineAccess::Open(hint));
    }
    Ok(MachineAccess::Closed)
}

/// Not known of a file by its metadata alone, so the folder counts: see [`of_folder`].
#[must_use]
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// The users that can change this folder.
///
/// # Errors
///
/// Its owner and its access list can't be read.
pub fn of_folder(path: &Path, _: &Metadata) -> io::Result<Access> {
    let security = Security::read(path)?;
    let user = User::of_process()?;
    // What an administrator makes may belong to all of them.
    if !user.is_or_system(security.owner) {
        return Ok(Access::Foreign);
    }
    Ok(if security.lets_others_write(|id| user.is_or_system(id)) { Access::Open } else { Access::Private })
}

/// The owner and the access list of a file. Both are in the descriptor.
struct Security {
    owner: PSID,
    list: *mut ACL,
    descriptor: PSECURITY_DESCRIPTOR,
}

impl Drop for Security {
    #[expect(unsafe_code, reason = "the contract stands beside the block")]
    fn drop(&mut self) {
        // SAFETY: the system allocated it, and nothing points into it any more.
        unsafe { LocalFree(self.descriptor) };
    }
}

impl Security {
    #[expect(unsafe_code, reason = "the contract stands beside the block")]
    fn read(path: &Path) -> io::Result<Self> {
        let name: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
        let mut security = Security { owner: null_mut(), list: null_mut(), descriptor: null_mut() };
        let wanted = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
        let (owner, list) = (from_mut(&mut security.owner), from_mut(&mut security.list));
        let descriptor = from_mut(&mut security.descriptor);
        // SAFETY: the name ends with a zero, and the three pointers are written.
        let error = unsafe {
            GetNamedSecurityInfoW(
                name.as_ptr(),
                SE_FILE_OBJECT,
                wanted,
                owner,
                null_mut(),
                list,
                null_mut(),
                descriptor,
            )
        };
        if error != ERROR_SUCCESS {
            return Err(io::Error::from_raw_os_error(error.cast_signed()));
        }
        Ok(security)
    }

    #[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
    fn lets_others_write(&self, is_trusted: impl Fn(PSID) -> bool) -> bool {
        if self.list.is_null() {
            // No list at all lets everybody do everything.
            return true;
        }
        // SAFETY: the descriptor has it, and lives as long as `self`.
        let count = unsafe { (*self.list).AceCount };
        (0..u32::from(count)).any(|index| {
            let mut entry = null_mut();
            // SAFETY: the list is a valid one, and the pointer is written.
            if unsafe { GetAce(self.list, index, from_mut(&mut entry)) } == 0 {
                return true;
            }
            // SAFETY: each entry begins with this header.
            let header = unsafe { entry.cast::<ACE_HEADER>().read_unaligned() };
            if u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0
                || u32::from(header.AceType) != ACCESS_ALLOWED_ACE_TYPE
            {
                // Entries of other kinds deny, or belong to services that no user's folder has.
                return false;
            }
            let allowed = entry.cast::<ACCESS_ALLOWED_ACE>();
            // SAFETY: the header says that it is such an entry.
            let mask = unsafe { (*allowed).Mask };
            // SAFETY: the id begins in the last field, and is whole inside of the entry.
            let sid = unsafe { &raw mut (*allowed).SidStart };
            mask & WRITES != 0 && !is_trusted(sid.cast())
        })
    }
}

/// This user's id, which is in the bytes.
struct User {
    bytes: Vec<u64>,
}

impl User {
    #[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
    fn of_process() -> io::Result<Self> {
        // SAFETY: it always succeeds, and is no handle that has to be closed.
        let process = unsafe { GetCurrentProcess() };
        let mut token = null_mut();
        // SAFETY: the handle is that of this process, and the pointer is written.
        if unsafe { OpenProcessToken(process, TOKEN_QUERY, from_mut(&mut token)) } == 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and nobody else closes it.
        let token = unsafe { OwnedHandle::from_raw_handle(token) };
        // Of eight bytes each, so that the structure is aligned; far more than the longest id.
        let mut bytes = vec![0_u64; 64];
        let (to, mut length) = (bytes.as_mut_ptr().cast(), 0);
        // SAFETY: 512 bytes may be written.
        if unsafe { GetTokenInformation(token.as_raw_handle(), TokenUser, to, 512, from_mut(&mut length)) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(User { bytes })
    }

    /// The id is this user's, or of those who may do everything anyway.
    #[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
    fn is_or_system(&self, sid: PSID) -> bool {
        // SAFETY: the system wrote such a structure there.
        let own = unsafe { (*self.bytes.as_ptr().cast::<TOKEN_USER>()).User.Sid };
        // SAFETY: both ids are valid.
        let is_own = unsafe { EqualSid(own, sid) } != 0;
        is_own || is_system(sid)
    }
}

/// The id is of those who may do everything anyway, or of whoever owns a file.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
fn is_system(id: PSID) -> bool {
    let known = [WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerSid, WinCreatorOwnerRightsSid];
    // SAFETY: the id is valid.
    known.into_iter().any(|kind| unsafe { IsWellKnownSid(id, kind) } != 0)
}
