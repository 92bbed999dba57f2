//! `guard-host test`: its findings in every report format, and the inputs that it rejects.

mod choice;
mod forms;
mod native;
mod payload;
mod refused;
mod report;
mod rego;
mod rules;
mod runs;
mod watch;

use crate::support::guests::place;
use crate::support::world::{ProcessOutput, World};
use serde_json::Value;

/// Two cases that pass and one that doesn't, for the guest `denies`.
const CASES: &str = r#"
[[cases]]
id = "D-1"
input = "rm -rf /"
expect = "deny"
rule = "known"

[[cases]]
name = "harmless"
input = { command = "ls -la" }
expect = ["abstain", "allow"]

[[cases]]
name = "a wrong, hopeful case"
input = "sudo rm -rf x"
expect = "ask"
rule = "other"
message = "50% <gone>"
"#;

/// Runs `guard-host test` on a guest and files below the project.
fn test(world: &World, guest: &str, arguments: &[&str]) -> ProcessOutput {
    let component = place(world, guest);
    world.run(&[&["test", component.to_str().unwrap()][..], arguments].concat(), "")
}

/// Returns the machine-readable report.
fn json(ended: &ProcessOutput) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

/// Returns a suite with one case that the guest `denies` denies.
fn denied(more: &str) -> String {
    format!("[[cases]]\ninput = 'rm -rf /'\nexpect = 'deny'\n{more}\n")
}
