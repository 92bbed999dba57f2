//! The tables in `cases/`, run natively. The host runs the same files through the component.

#![cfg(test)]

#[path = "../../../tests/support/tables.rs"]
mod tables;

#[test]
fn every_case_holds() {
    tables::hold::<policy_intrusion_guard::IntrusionGuard>();
}
