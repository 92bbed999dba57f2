//! Stands for the crate `vstd`, the library of the verifier Verus, in the engine of Rego.
//!
//! Without the verifier the macros of that library leave out what is written for it, too.

#![no_std]

/// The imports of the engine.
pub mod prelude {
    pub use policy_no_proof_macros::{proof, verus_spec, verus_verify};
}
