//! The tables in `cases/`, run natively. The host runs the same files through the component.

#![cfg(test)]

#[test]
fn every_case_holds() {
    guard_testing::tables::hold::<policy_self_protect::SelfProtect>();
}
