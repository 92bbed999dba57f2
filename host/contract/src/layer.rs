//! [`Layer`]: the layers of the configuration.

use serde::{Deserialize, Serialize};

/// A layer of the configuration, in the order of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// `/etc/guard-host/guard.toml`, for everyone on the machine.
    Managed,
    /// `~/.config/guard-host/guard.toml`.
    User,
    /// `.guard/guard.toml` of the project. It can tighten, never loosen.
    Project,
}

impl Layer {
    /// The layer's name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Layer::Managed => "managed",
            Layer::User => "user",
            Layer::Project => "project",
        }
    }
}
