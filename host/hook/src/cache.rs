//! Files that are created once and used by every call: compiled artifacts and prepared chains.
//!
//! All of them can be rebuilt. A file isn't trusted because of its name: it must be private, and its record must be
//! sealed with the state folder's key.
//!
//! The seal detects damage, stale files and files from elsewhere. It doesn't protect against processes of the same
//! user, which can read the key.

mod artifact;
mod component;
pub(crate) mod folders;
mod prepared;
mod prune;
mod salvage;
mod snapshot;
mod stored;

pub use artifact::{Artifact, ArtifactLocation, Artifacts, BuildOptions, BuiltArtifact, discard};
pub use component::{Component, Unpack};
pub use prepared::{Member, Prepared, Readiness, effective, forget, prepare, prepare_for, run_examples, warm};
pub use prune::prune;
pub use snapshot::Snapshot;
pub use stored::{CachedFile, RemovedFiles, clear, stored};
