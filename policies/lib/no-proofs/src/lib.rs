//! Replaces the crate `vstd`, the library of the verifier Verus, in the Rego engine.
//!
//! Without the verifier, that library's macros remove the specifications, too.

#![no_std]

/// The items that the engine imports.
pub mod prelude {
    pub use policy_no_proof_macros::{proof, verus_spec, verus_verify};
}
