//! The settings from the host: the places of this guard-host's files.
//!
//! The host fills `places` in; nobody has to write it. The usual places are guarded whatever it says.

use serde::Deserialize;

/// The settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Where the files of this guard-host lie. Written by the host.
    #[serde(deserialize_with = "guard_sdk::tables::table")]
    pub places: ProtectedPaths,
}

/// Absolute paths; an empty one is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProtectedPaths {
    /// The user's configuration file.
    pub config: String,
    /// The managed configuration file.
    pub managed: String,
    /// The folder of the key and the sessions.
    pub state: String,
    /// The folder of compiled policies.
    pub cache: String,
    /// The audit log.
    pub audit: String,
    /// The file of the sessions, where they are not in the state folder.
    pub sessions: String,
    /// The program.
    pub program: String,
    /// Components and settings of policies, wherever they lie.
    pub policies: Vec<String>,
    /// Files in which this guard-host is registered with a harness, wherever they lie.
    pub registrations: Vec<String>,
}
