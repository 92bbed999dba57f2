//! [`Problem`]: a problem with a configuration file, and its fix.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Layer, Outcome};

/// An error in one layer, which discards the whole layer and makes every call at least an ask, or a warning, which
/// doesn't change verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The layer.
    pub layer: Layer,
    /// The file, with line and column if they are known.
    pub place: String,
    /// The description of the problem.
    pub text: String,
    /// The fix, or empty.
    pub hint: String,
}

impl Problem {
    /// Returns the minimum outcome of a call while the layer is broken.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.layer == Layer::Managed { Outcome::Deny } else { Outcome::Ask }
    }

    /// Formats the location, the problem and the fix on one line.
    #[must_use]
    pub fn with_hint(&self) -> String {
        if self.hint.is_empty() { self.to_string() } else { format!("{self}; {}", self.hint) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}
