//! [`Adjustments`]: the settings `raise`, `lower` and `silence`, which change the outcome of rules by name.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};

use crate::{Decision, Error, Outcome, Rule};

/// The names in `raise`, `lower` and `silence`.
///
/// Policies with [`ADJUSTABLE`](crate::Policy::ADJUSTABLE) support them without code of their own: the names are then
/// ids of their rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adjustments {
    /// Makes the outcome one step more severe: ask becomes deny.
    pub raise: Vec<String>,
    /// Makes the outcome one step less severe: deny becomes ask, ask becomes warn.
    pub lower: Vec<String>,
    /// Drops the finding. Overrides `raise` and `lower`.
    pub silence: Vec<String>,
}

impl Adjustments {
    /// All names, in the order of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.raise.iter().chain(&self.lower).chain(&self.silence).map(String::as_str)
    }

    /// Returns the outcome after the adjustments whose name `applies`. `None` if it is silenced.
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

    /// Rejects names that aren't rules.
    pub(crate) fn check(&self, rules: &[Rule]) -> Result<(), Error> {
        match self.names().find(|name| rules.iter().all(|rule| rule.id != *name)) {
            None => Ok(()),
            Some(unknown) => {
                let known: Vec<&str> = rules.iter().map(|rule| rule.id).collect();
                // The host finds the most similar name in a message of this form, which is serde's.
                Err(format!("unknown name `{unknown}`, expected one of `{}`", known.join("`, `")).into())
            }
        }
    }

    /// Adjusts the outcome of each finding by its rule. Findings that only have tags are kept.
    pub(crate) fn apply(&self, decision: Decision) -> Decision {
        let adjusted = decision.findings.into_iter().filter_map(|mut finding| {
            if finding.outcome != Outcome::Abstain {
                let outcome = self.outcome(|name| name == finding.rule, finding.outcome)?;
                if outcome != finding.outcome {
                    finding.message = strip_question(&finding.message);
                }
                finding.outcome = outcome;
            }
            Some(finding)
        });
        adjusted.collect()
    }
}

/// Removes the question from a finding that is no longer an ask.
fn strip_question(message: &str) -> String {
    message.replacen(" needs confirmation: ", ": ", 1).replacen(" need confirmation: ", ": ", 1)
}

/// Parses settings of a type without the three keys, and the three keys next to it.
///
/// # Errors
///
/// The type's own errors, with the three keys added to the expected ones.
pub(crate) fn read<S: DeserializeOwned>(settings: &str) -> Result<(S, Adjustments), String> {
    let mut adjustments = Adjustments::default();
    let mut text = serde_json::Deserializer::from_str(settings);
    let read = S::deserialize(Without { inner: &mut text, adjustments: &mut adjustments });
    let read =
        read.and_then(|settings| text.end().map(|()| settings)).map_err(|error| add_expected_keys(&error.to_string()));
    Ok((read?, adjustments))
}

/// Adds the three keys to the expected ones in an error about an unknown field.
fn add_expected_keys(error: &str) -> String {
    if !error.starts_with("unknown field") {
        return error.to_owned();
    }
    let keys = "expected one of `raise`, `lower`, `silence`";
    let error = error.replacen("there are no fields", keys, 1).replacen("expected one of `", "expected `", 1);
    match error.contains(keys) {
        true => error,
        false => error.replacen("expected `", &format!("{keys}, `"), 1).replacen("` or `", "`, `", 1),
    }
}

/// A map of settings without the three keys, whose values go to the adjustments. Implements the deserializer, its
/// visitor and its map.
struct Without<'a, T> {
    inner: T,
    adjustments: &'a mut Adjustments,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Without<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Without { inner: visitor, adjustments: self.adjustments })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Without<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Without { inner: map, adjustments: self.adjustments })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Without<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.inner.next_key::<String>()? {
            let list = match key.as_str() {
                "raise" => &mut self.adjustments.raise,
                "lower" => &mut self.adjustments.lower,
                "silence" => &mut self.adjustments.silence,
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            };
            *list = self.inner.next_value()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
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
            Ok([Finding::new(&RULE, "`x` needs confirmation: it is loud"), noted].into_iter().collect())
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
            let asks = decision.findings.iter().any(|found| found.message == "`x` needs confirmation: it is loud");
            assert_eq!(asks, outcome == Outcome::Ask, "{settings}");
        }
    }

    #[test]
    fn a_name_that_no_rule_has_is_an_error() {
        for (settings, word) in [
            (r#"{"lower": ["lod"]}"#, "unknown name `lod`, expected one of `loud`"),
            (r#"{"lower": "loud"}"#, "invalid settings"),
            (r#"{"lower": [], "x": 1}"#, "unknown field `x`, expected one of `raise`, `lower`, `silence`"),
            (r#"{"lower": [5]}"#, "at line 1 column"),
        ] {
            let error = World::default().decide::<Loud>(settings, "Bash", "{}").unwrap_err();
            assert!(error.contains(word), "{settings}: {error}");
        }
    }
}
