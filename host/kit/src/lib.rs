//! What authors of policies use: suites of cases, mutants, conformance, scaffolds, schemas.

pub mod compile;
pub mod conformance;
pub mod scaffold;
pub mod schema;
pub mod suite;
