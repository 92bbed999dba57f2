//! Why the analysis is not complete.

use guard_sdk::syntax::Coverage;

use super::Walker;
use crate::limits;

impl Walker {
    /// Notes that something could not be followed.
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

    /// Keeps a reason, once.
    fn reason(&mut self, reason: &str) {
        let reason = match &self.scope.file {
            Some(file) => format!("{}: {reason}", file.path),
            None => reason.to_owned(),
        };
        if self.found.reasons.len() > limits::REASONS || self.found.reasons.contains(&reason) {
            return;
        }
        // The last one stands for all that follow.
        let is_last = self.found.reasons.len() == limits::REASONS;
        self.found.reasons.push(if is_last { "more reasons than are kept".to_owned() } else { reason });
    }
}
