//! Checks access lists for other users who can change a file.

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

/// Returns whether users who don't own the file have these permissions. Access lists aren't read for this.
#[must_use]
pub fn gives_others(_: &Metadata, _: u32) -> bool {
    true
}

/// Returns whether this user is the administrator, who could change other users' files. Access lists decide that here.
#[must_use]
pub fn is_administrator() -> bool {
    false
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

/// Returns the users who can change this file or folder. This user counts as another user.
///
/// # Errors
///
/// The owner and the access list can't be read.
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

/// Returns true, because creating files in a folder and renaming those in it are different permissions.
#[must_use]
pub fn protects_entries(_: &Metadata) -> bool {
    true
}

/// Returns true, because the metadata don't contain the owner. The folder is checked instead: see [`of_folder`].
#[must_use]
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// Returns the users who can change this folder.
///
/// # Errors
///
/// The owner and the access list can't be read.
pub fn of_folder(path: &Path, _: &Metadata) -> io::Result<Access> {
    let security = Security::read(path)?;
    let user = User::of_process()?;
    // A file created by an administrator may belong to the group of administrators.
    if !user.is_or_system(security.owner) {
        return Ok(Access::Foreign);
    }
    Ok(if security.lets_others_write(|id| user.is_or_system(id)) { Access::Open } else { Access::Private })
}

/// A file's owner and access list. Both point into the descriptor.
struct Security {
    owner: PSID,
    list: *mut ACL,
    descriptor: PSECURITY_DESCRIPTOR,
}

impl Drop for Security {
    #[expect(unsafe_code, reason = "the contract stands beside the block")]
    fn drop(&mut self) {
        // SAFETY: the system allocated it, and no pointers into it remain.
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
            // Without a list, everyone has full access.
            return true;
        }
        // SAFETY: it points into the descriptor, which lives as long as `self`.
        let count = unsafe { (*self.list).AceCount };
        (0..u32::from(count)).any(|index| {
            let mut entry = null_mut();
            // SAFETY: the list is valid, and the pointer is written.
            if unsafe { GetAce(self.list, index, from_mut(&mut entry)) } == 0 {
                return true;
            }
            // SAFETY: each entry begins with this header.
            let header = unsafe { entry.cast::<ACE_HEADER>().read_unaligned() };
            if u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0
                || u32::from(header.AceType) != ACCESS_ALLOWED_ACE_TYPE
            {
                // Other kinds of entries deny access, or are for services and don't occur in users' folders.
                return false;
            }
            let allowed = entry.cast::<ACCESS_ALLOWED_ACE>();
            // SAFETY: the header identifies the entry's type.
            let mask = unsafe { (*allowed).Mask };
            // SAFETY: the id starts in the last field, and is completely inside the entry.
            let sid = unsafe { &raw mut (*allowed).SidStart };
            mask & WRITES != 0 && !is_trusted(sid.cast())
        })
    }
}

/// This user's id, stored in the bytes.
struct User {
    bytes: Vec<u64>,
}

impl User {
    #[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
    fn of_process() -> io::Result<Self> {
        // SAFETY: it always succeeds, and the handle needn't be closed.
        let process = unsafe { GetCurrentProcess() };
        let mut token = null_mut();
        // SAFETY: the handle is this process's, and the pointer is written.
        if unsafe { OpenProcessToken(process, TOKEN_QUERY, from_mut(&mut token)) } == 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and nothing else closes it.
        let token = unsafe { OwnedHandle::from_raw_handle(token) };
        // In units of eight bytes, so that the structure is aligned. Far larger than the longest id.
        let mut bytes = vec![0_u64; 64];
        let (to, mut length) = (bytes.as_mut_ptr().cast(), 0);
        // SAFETY: 512 bytes may be written.
        if unsafe { GetTokenInformation(token.as_raw_handle(), TokenUser, to, 512, from_mut(&mut length)) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(User { bytes })
    }

    /// Returns whether the id is this user's, or that of an account with full access.
    #[expect(unsafe_code, reason = "the contracts stand beside the blocks")]
    fn is_or_system(&self, sid: PSID) -> bool {
        // SAFETY: the system wrote such a structure there.
        let own = unsafe { (*self.bytes.as_ptr().cast::<TOKEN_USER>()).User.Sid };
        // SAFETY: both ids are valid.
        let is_own = unsafe { EqualSid(own, sid) } != 0;
        is_own || is_system(sid)
    }
}

/// Returns whether the id is that of an account with full access, or of a file's owner.
#[expect(unsafe_code, reason = "the contract stands beside the block")]
fn is_system(id: PSID) -> bool {
    let known = [WinLocalSystemSid, WinBuiltinAdministratorsSid, WinCreatorOwnerSid, WinCreatorOwnerRightsSid];
    // SAFETY: the id is valid.
    known.into_iter().any(|kind| unsafe { IsWellKnownSid(id, kind) } != 0)
}
