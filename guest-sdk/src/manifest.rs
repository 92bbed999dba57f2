//! [`Manifest`]: what a policy says of itself, as a constant.

use serde::Deserialize;

use crate::Outcome;

/// A policy's description of itself. Write it as a constant, with `..Manifest::EMPTY` for omitted fields.
#[derive(Debug, Clone, Copy)]
pub struct Manifest {
    /// The policy's name: `[a-z][a-z0-9-]*`, at most 64 bytes.
    pub id: &'static str,
    /// The policy's own version; `env!("CARGO_PKG_VERSION")` serves.
    pub version: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The tools it wants to be asked about: globs over the tool's name, `*` for all.
    pub tools: &'static [&'static str],
    /// Every rule that it may report.
    pub rules: &'static [Rule],
    /// Grants that the policy requests: `read:PATH`, `env:NAME`, `journal:STREAM`.
    pub grants: &'static [&'static str],
    /// Examples that it must pass before it is ever used.
    pub examples: &'static [Example],
}

impl Manifest {
    /// Nothing but empty fields and the version `0.1.0`.
    pub const EMPTY: Manifest =
        Manifest { id: "", version: "0.1.0", summary: "", tools: &[], rules: &[], grants: &[], examples: &[] };
}

/// One rule that a policy may report.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `[a-z][a-z0-9_-]*`, at most 64 bytes; names the danger, not the remedy.
    pub id: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The outcome when no setting changes it.
    pub default: Outcome,
    /// The most severe outcome that it may ever give.
    pub ceiling: Outcome,
}

/// One example of a policy with its default settings.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The tool's name.
    pub tool: &'static str,
    /// The tool's input: a JSON object.
    pub input: &'static str,
    /// The outcome that must come.
    pub outcome: Outcome,
    /// The rule of the first finding at that outcome; empty: not checked.
    pub rule: &'static str,
}

/// The settings of a policy that has none: any key is an error.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}
