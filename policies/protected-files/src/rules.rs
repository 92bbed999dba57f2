//! The rules, most severe first: what is blocked is never only asked about.

mod secret_file;
pub(crate) mod secret_read;
mod sensitive_file;

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Finding, NameList, Outcome, Rule};

use crate::Settings;

/// Looks at one effect on a file.
type Check = fn(&Effect, &Call<'_>, &Settings) -> Option<Hit>;

/// Every rule.
pub(crate) const RULES: &[Rule] = &[secret_file::RULE, sensitive_file::RULE, secret_read::RULE];

/// The message on files, and on the entry in brackets that a link leads to.
type Message = fn(&NameList, &str) -> String;

/// The check and the message of the rules over changes, in the same order, and of what a shell command reads.
pub(crate) const OF_CHANGES: &[(Check, Message)] = &[
    (secret_file::check, secret_file::message),
    (sensitive_file::check, sensitive_file::message),
    (secret_read::check_of_shell, secret_read::message),
];

/// The same of the rule over what a tool reads.
pub(crate) const OF_READS: &[(Check, Message)] = &[(secret_read::check, secret_read::message)];

/// A file that a rule finds, or several that it says the same of.
pub(crate) struct Hit {
    rule: &'static Rule,
    outcome: Outcome,
    names: NameList,
    /// The entry that a link leads to, in brackets.
    through: String,
    path: String,
    paths: NameList,
    remedy: &'static str,
}

impl Hit {
    /// The name says nothing of the file where only a link leads to an entry of the lists; then the entry is told too.
    fn new(
        rule: &'static Rule,
        effect: &Effect,
        quote: char,
        entry: &str,
        is_listed: bool,
        remedy: &'static str,
    ) -> Hit {
        let path = effect.target.clone();
        let through = if is_listed { String::new() } else { format!(" (`{entry}`)") };
        let (names, paths) =
            ([format!("{quote}{path}{quote}")].into_iter().collect(), [path.as_str()].into_iter().collect());
        Hit { rule, outcome: rule.default, names, through, path, paths, remedy }
    }

    /// The same with another outcome than the rule's own.
    pub(crate) fn at(self, outcome: Outcome) -> Hit {
        Hit { outcome, ..self }
    }

    /// Takes in the files of another hit, if the same is to be said of them.
    pub(crate) fn join(&mut self, other: &Hit) -> bool {
        let is_same = (self.remedy, &self.through, self.outcome) == (other.remedy, &other.through, other.outcome);
        if is_same {
            self.names.extend(&other.names);
            self.paths.extend(&other.paths);
        }
        is_same
    }

    pub(crate) fn into_finding(self, message: Message) -> Finding {
        let finding = Finding::new(self.rule, message(&self.names, &self.through)).at(self.outcome).remedy(self.remedy);
        finding.tag("path", self.path).tag("subject", self.paths.to_string())
    }
}

/// Whether the effect leaves a file of this machine other than it was.
fn is_change(effect: &Effect) -> bool {
    matches!(effect.kind.as_str(), "write" | "delete") && effect.tag("where").is_none()
}

/// Whether the effect gives away what a file of this machine holds.
fn is_read(effect: &Effect) -> bool {
    effect.kind == "read" && effect.tag("where").is_none()
}
