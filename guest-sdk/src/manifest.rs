//! [`Manifest`]: a policy's description of itself, as a constant.

use serde::Deserialize;

use crate::Outcome;

/// A policy's description of itself. Write it as a constant, with `..Manifest::EMPTY` for omitted fields.
#[derive(Debug, Clone, Copy)]
pub struct Manifest {
    /// The policy's name: `[a-z][a-z0-9-]*`, at most 64 bytes.
    pub id: &'static str,
    /// The policy's own version, e.g. `env!("CARGO_PKG_VERSION")`.
    pub version: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The tools whose calls the policy decides on: globs over the tool's name, `*` for all.
    pub tools: &'static [&'static str],
    /// Every rule that the policy may report.
    pub rules: &'static [Rule],
    /// Grants that the policy requests: `read:PATH`, `env:NAME`, `journal:STREAM`.
    pub grants: &'static [&'static str],
    /// Examples that the policy must pass before it is used.
    pub examples: &'static [Example],
}

impl Manifest {
    /// Empty fields, and the version `0.1.0`.
    pub const EMPTY: Manifest =
        Manifest { id: "", version: "0.1.0", summary: "", tools: &[], rules: &[], grants: &[], examples: &[] };
}

/// A rule that a policy may report.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The rule's name: `[a-z][a-z0-9_-]*`, at most 64 bytes. It names the danger, not the remedy.
    pub id: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// The outcome without adjustments.
    pub default: Outcome,
    /// The most severe outcome that the rule may have.
    pub ceiling: Outcome,
}

/// An example of a policy with its default settings.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The tool's name.
    pub tool: &'static str,
    /// The tool's input: a JSON object.
    pub input: &'static str,
    /// The expected outcome.
    pub outcome: Outcome,
    /// The rule of the first finding with that outcome. Not checked if empty.
    pub rule: &'static str,
}

/// The settings of a policy without settings: any key is an error.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}
