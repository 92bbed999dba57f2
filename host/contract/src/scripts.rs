//! [`Scripts`]: the setting for files that a call runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the files that a call runs are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scripts {
    /// No file is read.
    Off,
    /// Like [`Scripts::All`], except for files that match the last commit: an ask passes, and a deny becomes an ask.
    Changed,
    /// As part of the call.
    All,
}
