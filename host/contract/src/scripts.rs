//! [`Scripts`]: how the files that a call runs are judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the files that a call runs are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scripts {
    /// They are not read.
    Off,
    /// As if their text stood in the call. What is as the last commit has it weighs less: an ask passes, and a deny asks.
    Changed,
    /// As if their text stood in the call.
    All,
}
