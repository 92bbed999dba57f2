//! Reasons why the analysis isn't complete.

use guard_sdk::syntax::Coverage;

use super::Walker;
use crate::limits;

impl Walker {
    /// Records that something couldn't be followed.
    pub(crate) fn partial(&mut self, reason: &str) {
        if self.found.coverage == Coverage::Complete {
            self.found.coverage = Coverage::Partial;
        }
        self.reason(reason);
    }

    pub(super) fn unparsed(&mut self, reason: &str) {
        self.found.coverage = Coverage::Unparsed;
        self.reason(reason);
    }

    /// Adds a reason unless it is already present.
    fn reason(&mut self, reason: &str) {
        let reason = match &self.scope.file {
            Some(file) => format!("{}: {reason}", file.path),
            None => reason.to_owned(),
        };
        if self.found.reasons.len() > limits::REASONS || self.found.reasons.contains(&reason) {
            return;
        }
        // The last reason represents all further ones.
        let is_last = self.found.reasons.len() == limits::REASONS;
        self.found.reasons.push(if is_last { "more reasons than are kept".to_owned() } else { reason });
    }
}
