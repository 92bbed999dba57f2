//! Stands for the crate `vstd`, the library of the verifier Verus, in the engine of Rego.
//!
//! Only the verifier reads what is written for it. A build for anything else leaves it out, with or without that library.

#![no_std]

/// What the engine imports.
pub mod prelude {
    pub use policy_no_proof_macros::{proof, verus_spec, verus_verify};
}
