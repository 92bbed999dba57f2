//! What lies in the folders of this program: private files, locks, seals, stamps, sessions.
//!
//! Invariant: nothing here is believed because of its name. A file counts when it belongs to this user alone and, where
//! it is sealed, when the key in the state folder vouches for it. The key catches damage, staleness and files from
//! elsewhere; it does not catch a process of the same user, which can read the key.

pub mod environment;
pub mod files;
mod folder;
mod lock;
mod places;
pub mod registrations;
mod seal;
pub mod session;
mod stamp;

pub use folder::{FolderError, FolderErrorKind, check_private, is_private, make_private, write_new};
pub use lock::FileLock;
pub use places::Places;
pub use seal::Seal;
pub use stamp::{Stamp, hex};
