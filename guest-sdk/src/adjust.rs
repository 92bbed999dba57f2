//! [`Adjustments`]: the settings `raise`, `lower` and `silence`, which change the outcome of rules by name.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Decision, Error, Outcome, Rule};

/// The names in `raise`, `lower` and `silence`.
///
/// A policy with [`ADJUSTABLE`](crate::Policy::ADJUSTABLE) gets them without a line of its own: the names are then ids of
/// its rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Adjustments {
    /// Answer one step more severely: ask becomes deny.
    pub raise: Vec<String>,
    /// Answer one step less severely: deny becomes ask, ask becomes warn.
    pub lower: Vec<String>,
    /// Give no answer. Wins over `raise` and `lower`.
    pub silence: Vec<String>,
}

/// The keys of the settings.
const KEYS: [&str; 3] = ["raise", "lower", "silence"];

impl Adjustments {
    /// Every name, in the order of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.raise.iter().chain(&self.lower).chain(&self.silence).map(String::as_str)
    }

    /// The outcome after the adjustments whose name `applies`. `None` if it is silenced.
    pub fn outcome(&self, applies: impl Fn(&str) -> bool, outcome: Outcome) -> Option<Outcome> {
        let lists = |list: &[String]| list.iter().any(|name| applies(name));
        if lists(&self.silence) {
            return None;
        }
        Some(match (lists(&self.raise), lists(&self.lower), outcome) {
            (true, false, Outcome::Ask) => Outcome::Deny,
            (false, true, Outcome::Deny) => Outcome::Ask,
            (false, true, Outcome::Ask) => Outcome::Warn,
            _ => outcome,
        })
    }

    /// Takes the three keys out of a policy's settings.
    ///
    /// # Errors
    ///
    /// A list isn't a list of texts.
    pub(crate) fn take(settings: &mut Map<String, Value>) -> Result<Self, serde_json::Error> {
        let own: Map<String, Value> = KEYS.into_iter().filter_map(|key| settings.remove_entry(key)).collect();
        serde_json::from_value(own.into())
    }

    /// Refuses a name that is no rule's.
    pub(crate) fn check(&self, rules: &[Rule]) -> Result<(), Error> {
        match self.names().find(|name| rules.iter().all(|rule| rule.id != *name)) {
            None => Ok(()),
            Some(unknown) => {
                let known: Vec<&str> = rules.iter().map(|rule| rule.id).collect();
                // The host finds the nearest one in a message of this form, which is serde's.
                Err(format!("unknown name `{unknown}`, expected one of `{}`", known.join("`, `")).into())
            }
        }
    }

    /// The decision with the outcome of each finding adjusted by its rule. Findings that carry tags only stay.
    pub(crate) fn apply(&self, decision: Decision) -> Decision {
        let adjusted = decision.findings.into_iter().filter_map(|mut finding| {
            if finding.outcome != Outcome::Abstain {
                finding.outcome = self.outcome(|name| name == finding.rule, finding.outcome)?;
            }
            Some(finding)
        });
        adjusted.collect()
    }
}

/// Whether the text of settings may hold one of the keys.
pub(crate) fn mentioned(settings: &str) -> bool {
    KEYS.iter().any(|key| settings.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Finding, Manifest, NoSettings, Policy, testing::World};

    const RULE: Rule = Rule { id: "loud", summary: "", default: Outcome::Ask, ceiling: Outcome::Deny };

    struct Loud;

    impl Policy for Loud {
        type Settings = NoSettings;

        const MANIFEST: Manifest = Manifest { id: "loud", tools: &["*"], rules: &[RULE], ..Manifest::EMPTY };
        const ADJUSTABLE: bool = true;

        fn configure(_: NoSettings) -> Result<Self, Error> {
            Ok(Loud)
        }

        fn decide(&self, _: &Call<'_>) -> Result<Decision, Error> {
            let noted = Finding::new(&RULE, "noted").at(Outcome::Abstain);
            Ok([Finding::new(&RULE, "loud"), noted].into_iter().collect())
        }
    }

    #[test]
    fn names_of_rules_change_their_outcome() {
        for (settings, outcome, findings) in [
            ("{}", Outcome::Ask, 2),
            (r#"{"raise": ["loud"]}"#, Outcome::Deny, 2),
            (r#"{"lower": ["loud"]}"#, Outcome::Warn, 2),
            (r#"{"silence": ["loud"], "raise": ["loud"]}"#, Outcome::Abstain, 1),
            (r#"{"raise": ["loud"], "lower": ["loud"]}"#, Outcome::Ask, 2),
        ] {
            let decision = World::default().decide::<Loud>(settings, "Bash", "{}").unwrap();
            assert_eq!((decision.outcome, decision.findings.len()), (outcome, findings), "{settings}");
        }
    }

    #[test]
    fn a_name_that_no_rule_has_is_an_error() {
        for (settings, word) in [
            (r#"{"lower": ["lod"]}"#, "unknown name `lod`, expected one of `loud`"),
            (r#"{"lower": "loud"}"#, "invalid settings"),
            (r#"{"lower": [], "x": 1}"#, "unknown field `x`"),
        ] {
            let error = World::default().decide::<Loud>(settings, "Bash", "{}").unwrap_err();
            assert!(error.contains(word), "{settings}: {error}");
        }
    }
}
