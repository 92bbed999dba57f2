//! `guard-host test`: what it finds, in every form of report, and what it refuses.

mod choice;
mod forms;
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

/// Two cases that hold and one that does not, of the guest `denies`.
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

/// `guard-host test` over a guest and files below the project.
fn test(world: &World, guest: &str, arguments: &[&str]) -> ProcessOutput {
    let component = place(world, guest);
    world.run(&[&["test", component.to_str().unwrap()][..], arguments].concat(), "")
}

/// The report for machines.
fn json(ended: &ProcessOutput) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

/// A suite of one case, which the guest `denies` answers with deny.
fn denied(more: &str) -> String {
    format!("[[cases]]\ninput = 'rm -rf /'\nexpect = 'deny'\n{more}\n")
}
