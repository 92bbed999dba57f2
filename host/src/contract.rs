//! The contract's types as plain data, for every module that is not the engine. Documented in `wit/`.

pub use crate::engine::bindings::interfaces::context::Facts as CallFacts;
pub use crate::engine::bindings::interfaces::syntax;
pub use crate::engine::bindings::interfaces::types::{
    Decision, Example, Fault as FactFault, Finding, Level, Manifest, Outcome, Presence, ResolvedPath, Rule,
};

/// The name of an outcome as users write and read it.
#[must_use]
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Abstain => "abstain",
        Outcome::Allow => "allow",
        Outcome::Warn => "warn",
        Outcome::Ask => "ask",
        Outcome::Deny => "deny",
    }
}

/// All outcomes, least severe first.
pub(crate) const OUTCOMES: [Outcome; 5] =
    [Outcome::Abstain, Outcome::Allow, Outcome::Warn, Outcome::Ask, Outcome::Deny];

/// The outcome of that name.
#[must_use]
pub fn outcome_named(name: &str) -> Option<Outcome> {
    OUTCOMES.into_iter().find(|outcome| outcome_name(*outcome) == name)
}

/// The severity of an outcome as a number, least first.
#[must_use]
pub fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Abstain => 0,
        Outcome::Allow => 1,
        Outcome::Warn => 2,
        Outcome::Ask => 3,
        Outcome::Deny => 4,
    }
}

/// The more severe of two outcomes.
#[must_use]
pub fn worse(left: Outcome, right: Outcome) -> Outcome {
    if rank(right) > rank(left) { right } else { left }
}

/// A path of which nothing is known but its text.
#[must_use]
pub fn unresolved(raw: &str) -> ResolvedPath {
    ResolvedPath {
        raw: raw.to_owned(),
        lexical: String::new(),
        canonical: String::new(),
        project_relative: String::new(),
        git_root: String::new(),
        exists: Presence::Unknown,
        kind: String::new(),
    }
}
