//! The settings from the host: the paths of this guard-host's files.
//!
//! The host fills in `places`, so users needn't write it. The usual places are always protected.

use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The paths of this guard-host's files. Set by the host.
    #[serde(deserialize_with = "guard_sdk::tables::table")]
    pub places: ProtectedPaths,
}

/// Absolute paths. Empty ones are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProtectedPaths {
    /// The user's configuration file.
    pub config: String,
    /// The managed configuration file.
    pub managed: String,
    /// The folder with the key and the sessions.
    pub state: String,
    /// The folder with the compiled policies.
    pub cache: String,
    /// The audit log.
    pub audit: String,
    /// The session file, if it isn't in the state folder.
    pub sessions: String,
    /// The program.
    pub program: String,
    /// Components and settings of policies, in any place.
    pub policies: Vec<String>,
    /// Files and folders outside of `.guard` that the project's configuration uses.
    pub project: Vec<String>,
    /// Files that register this guard-host with a harness, in any place.
    pub registrations: Vec<String>,
}
