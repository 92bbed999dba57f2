//! Files that are made once and used by every call: compiled artifacts and prepared chains.
//!
//! Everything here can be lost and is then made anew. Nothing here is believed because of its name: a file counts when
//! it belongs to this user alone and the key in the state folder vouches for it.
//!
//! The key catches damage, staleness and files from elsewhere. It does not catch a process of the same user, which can
//! read the key.

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
