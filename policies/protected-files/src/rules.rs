//! The rules, most severe first, so that a deny has precedence over an ask.

mod secret_file;
pub(crate) mod secret_read;
mod sensitive_file;

use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Finding, NameList, Outcome, Rule};

use crate::Settings;

/// Checks one effect on a file.
type Check = fn(&Effect, &Call<'_>, &Settings) -> Option<Hit>;

/// Every rule.
pub(crate) const RULES: &[Rule] = &[secret_file::RULE, sensitive_file::RULE, secret_read::RULE];

/// Formats the message for files. The second argument is the entry in brackets if a link leads to it, and the third one
/// says that only the settings list the files.
type Message = fn(&NameList, &str, Option<&str>) -> String;

/// The remedy for a read of a file that only the settings list.
const ASK_USER: &str = "ask the user for what you need";

/// The checks and messages of the rules for changes, in the order of the rules, and of the rule for reads by a shell
/// command.
pub(crate) const OF_CHANGES: &[(Check, Message)] = &[
    (secret_file::check, secret_file::message),
    (sensitive_file::check, sensitive_file::message),
    (secret_read::check_of_shell, secret_read::message),
];

/// The check and message of the rule for reads.
pub(crate) const OF_READS: &[(Check, Message)] = &[(secret_read::check, secret_read::message)];

/// One file, or several files with the same finding.
pub(crate) struct Hit {
    rule: &'static Rule,
    outcome: Outcome,
    names: NameList,
    /// The entry that a link leads to, in brackets.
    through: String,
    path: String,
    paths: NameList,
    remedy: &'static str,
    /// What to say about a file that only the settings list, and for changes also why a file is protected.
    listing: Option<&'static str>,
}

impl Hit {
    /// If a link leads to a listed entry, the name alone doesn't explain the finding, so the entry is added.
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
        Hit { rule, outcome: rule.default, names, through, path, paths, remedy, listing: None }
    }

    /// Returns the hit with the words for a file that only the settings list, if it is one.
    pub(crate) fn listed(self, listing: Option<&'static str>) -> Hit {
        let remedy = if listing.is_some() && self.remedy == secret_read::READ_EXAMPLE { ASK_USER } else { self.remedy };
        Hit { remedy, listing, ..self }
    }

    /// Returns the hit with another outcome.
    pub(crate) fn at(self, outcome: Outcome) -> Hit {
        Hit { outcome, ..self }
    }

    /// Adds the files of another hit if its finding is the same.
    pub(crate) fn join(&mut self, other: &Hit) -> bool {
        let texts = |hit: &Hit| (hit.remedy, hit.listing, hit.through.clone(), hit.outcome);
        let is_same = texts(self) == texts(other);
        if is_same {
            self.names.extend(&other.names);
            self.paths.extend(&other.paths);
        }
        is_same
    }

    pub(crate) fn into_finding(self, message: Message) -> Finding {
        let message = message(&self.names, &self.through, self.listing);
        let finding = Finding::new(self.rule, message).at(self.outcome).remedy(self.remedy);
        finding.tag("path", self.path).tag("subject", self.paths.to_string())
    }
}

/// Returns whether the effect changes a file of this machine.
fn is_change(effect: &Effect) -> bool {
    matches!(effect.kind.as_str(), "write" | "delete") && effect.tag("where").is_none()
}

/// Returns whether the effect reveals the content of a file of this machine.
fn is_read(effect: &Effect) -> bool {
    effect.kind == "read" && effect.tag("where").is_none()
}
