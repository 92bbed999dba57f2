//! The commands of an `experiment_plan.yaml`, and the programs that they start.
//!
//! One reader for two users: plan-enforcer holds commands against a plan, and `guard-host settings` allows what it names.
//! Whatever the text is, reading it ends soon and takes little room: size, nodes, height, visits, commands and names
//! have bounds. Judges nothing.
//!
//! ```
//! use guard_experiment_plan::{Plan, Started};
//!
//! // The analyzer stands here.
//! let mut analyze = |text: &str| {
//!     let words = text.split(' ').map(str::to_owned).collect();
//!     Ok(vec![Started { words, via: Vec::new(), start: 0 }])
//! };
//! let plan = Plan::read("arms: [{conditions: [{command: ./blis run}]}]", &mut analyze).unwrap();
//! assert!(plan.has_program("blis"));
//! ```

mod heads;
mod plan;

pub use heads::{Analyze, Program, Started};
pub use plan::Plan;

/// The first `most` bytes of a text, with a mark if it goes on.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most.min(text.len()));
    match text.get(..end) {
        Some(start) if end < text.len() => format!("{start}…"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
fn natively(text: &str) -> Result<Vec<Started>, String> {
    let commands = guard_shell::analyze(text, "bash", "", "", |_, _| None, |_| guard_shell::Source::None).commands;
    let started = |command: &guard_sdk::syntax::Command| Started {
        words: command.argv.iter().map(|word| word.text.clone()).collect(),
        via: command.via.iter().map(|via| via.kind.clone()).collect(),
        start: command.span.start,
    };
    Ok(commands.iter().map(started).collect())
}
