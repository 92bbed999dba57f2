//! [`Problem`]: what is wrong with a configuration file, and what to do about it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Layer, Outcome};

/// A problem of one layer, which drops the layer whole and makes every call at least an ask; or an oddity, which
/// changes no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The layer.
    pub layer: Layer,
    /// The file, with line and column where they are known.
    pub place: String,
    /// The description of the problem.
    pub text: String,
    /// The remedy; empty if none is known.
    pub hint: String,
}

impl Problem {
    /// Returns the minimum outcome of a call while the layer is broken.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.layer == Layer::Managed { Outcome::Deny } else { Outcome::Ask }
    }

    /// The place, what is wrong, and what to do, in one line.
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
