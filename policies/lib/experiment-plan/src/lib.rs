//! The commands of an `experiment_plan.yaml`, and the programs that they start.
//!
//! One reader for two users: plan-enforcer holds commands against a plan, and `guard-host settings` allows what it names.
//! Whatever the text is, reading it ends soon and takes little room: size, nodes, height, visits, commands and names
//! have bounds. Judges nothing.
//!
//! ```
//! use policy_experiment_plan::Plan;
//!
//! let plan = Plan::read("arms: [{conditions: [{command: ./blis run}]}]").unwrap();
//! assert!(plan.has_program("blis"));
//! ```

mod heads;
mod plan;

pub use heads::Program;
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
