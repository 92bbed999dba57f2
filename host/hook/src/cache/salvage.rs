//! Finds the part of a settings file that its policy accepts.
//!
//! Built-in policies read files that users wrote for other programs, such as `guardrails.json`. One error in it must
//! not disable all other rules. Only the policy knows its settings, so the file is reassembled from the parts that its
//! `configure` accepts.

use std::path::Path;

use guard_config::{line_and_column, refused_settings};
use guard_contract::policy::Entry;
use guard_contract::{FaultKind, Limits};
use guard_engine::Engine;
use guard_state::files::read_text;
use serde_json::{Map, Value};

use super::artifact::{Artifact, with_clock};

/// The maximum number of `configure` calls. A list of 500 rules with five bad ones needs fewer.
const TRIES: usize = 120;

/// The maximum size of a settings file in bytes.
const FILE_BYTES: u64 = 1 << 20;

/// The key that is never dropped, because in a file of another version the same keys may have other meanings.
const VERSION: &str = "version";

/// Reduces the settings of an entry with a default settings file to the part that its policy accepts, and records the
/// rest. If there is no such part, the defaults apply.
pub(super) fn usual_settings(entry: &mut Entry, artifact: &Artifact) {
    if !entry.settings_source.is_usual || entry.settings == "{}" {
        return;
    }
    let Ok(engine) = Engine::new() else { return };
    let Ok(policy) = artifact.policy(&engine) else { return };
    let configure = |settings: &str| match policy.configure(Limits::PREPARE, settings) {
        Err(FaultKind::Refused { text, .. }) => Err(text),
        _ => Ok(()),
    };
    with_clock(&engine, || {
        let Err(refusal) = configure(&entry.settings) else { return };
        let Ok(value) = serde_json::from_str(&entry.settings) else { return };
        let mut salvage = Salvage { configure: &configure, left: TRIES, refused: Vec::new() };
        let part = salvage.part("", &value, &|value| value, refusal.clone());
        let is_usable = |part: &Value| part.as_object().is_some_and(|part| !part.is_empty());
        let problem = |settings: String, refusal: &str| refused_settings(&Entry { settings, ..entry.clone() }, refusal);
        let is_of_version = |refused: &RejectedEntry| refused.place == VERSION;
        match part.filter(is_usable) {
            Some(part) if !salvage.refused.iter().any(is_of_version) => {
                let ignored = salvage.refused.iter().map(|refused| {
                    let mut problem = problem(refused.tried.clone(), &refused.why);
                    problem.place = place_of(&problem.text, &entry.settings_source.file);
                    problem.text = format!("ignoring `{}`: {}", refused.place, problem.text);
                    problem
                });
                entry.settings_source.ignored = ignored.collect();
                entry.settings = part.to_string();
            }
            _ => {
                entry.settings_source.problem = Some(problem(entry.settings.clone(), &refusal));
                entry.settings = "{}".to_owned();
            }
        }
    });
}

/// A part of the file that is dropped.
#[derive(Debug, PartialEq)]
struct RejectedEntry {
    /// Its location, such as `rules.bash[2]`.
    place: String,
    /// The settings that were rejected because of it.
    tried: String,
    /// The policy's message.
    why: String,
}

struct Salvage<'a> {
    configure: &'a dyn Fn(&str) -> Result<(), String>,
    left: usize,
    refused: Vec<RejectedEntry>,
}

impl Salvage<'_> {
    fn accept(&mut self, settings: &Value) -> Result<(), String> {
        let Some(left) = self.left.checked_sub(1) else { return Err("too many other entries are refused".to_owned()) };
        self.left = left;
        (self.configure)(&settings.to_string())
    }

    fn refuse(&mut self, place: &str, tried: &Value, why: String) {
        self.refused.push(RejectedEntry { place: place.to_owned(), tried: tried.to_string(), why });
    }

    /// Returns the part of a rejected value that is accepted. `frame` turns a value into whole settings. `None` if the
    /// value has to be dropped.
    fn part(&mut self, place: &str, value: &Value, frame: &dyn Fn(Value) -> Value, why: String) -> Option<Value> {
        match value {
            Value::Object(members) if self.accept(&frame(Value::Object(Map::new()))).is_ok() => {
                let kept = self.members(place, members, frame);
                (place.is_empty() || !kept.is_empty()).then_some(Value::Object(kept))
            }
            Value::Object(members) => self.without_member(place, members, frame, why),
            Value::Array(elements) if !elements.is_empty() => {
                let mut kept = Vec::new();
                let numbered: Vec<(usize, &Value)> = elements.iter().enumerate().collect();
                self.elements(place, &numbered, &mut kept, frame);
                // An empty list would switch off what the defaults protect.
                (!kept.is_empty()).then_some(Value::Array(kept))
            }
            _ => {
                self.refuse(place, &frame(value.clone()), why);
                None
            }
        }
    }

    /// Reduces an object in which every member is optional.
    fn members(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
        frame: &dyn Fn(Value) -> Value,
    ) -> Map<String, Value> {
        let mut kept = Map::new();
        for (key, value) in members {
            let with = |value: Value| {
                let mut members = kept.clone();
                members.insert(key.clone(), value);
                frame(Value::Object(members))
            };
            let part = match self.accept(&with(value.clone())) {
                Ok(()) => Some(value.clone()),
                Err(why) => self.part(&member_path(place, key), value, &with, why),
            };
            kept.extend(part.map(|part| (key.clone(), part)));
        }
        kept
    }

    /// Reduces an object with required members, by reducing a list or dropping another member.
    fn without_member(
        &mut self,
        place: &str,
        members: &Map<String, Value>,
        frame: &dyn Fn(Value) -> Value,
        why: String,
    ) -> Option<Value> {
        for (key, value) in members.iter().filter(|(_, value)| value.is_array()) {
            let with = |value: Value| {
                let mut members = members.clone();
                members.insert(key.clone(), value);
                Value::Object(members)
            };
            let before = self.refused.len();
            if let Some(part) = self.part(&member_path(place, key), value, &|value| frame(with(value)), why.clone()) {
                return Some(with(part));
            }
            self.refused.truncate(before);
        }
        for key in members.keys() {
            let mut rest = members.clone();
            rest.remove(key);
            let rest = Value::Object(rest);
            if self.accept(&frame(rest.clone())).is_ok() {
                self.refuse(&member_path(place, key), &frame(Value::Object(members.clone())), why);
                return Some(rest);
            }
        }
        self.refuse(place, &frame(Value::Object(members.clone())), why);
        None
    }

    /// Adds the elements of a list that are accepted together with those kept so far.
    fn elements(
        &mut self,
        place: &str,
        elements: &[(usize, &Value)],
        kept: &mut Vec<Value>,
        frame: &dyn Fn(Value) -> Value,
    ) {
        let values = elements.iter().map(|(_, value)| (*value).clone());
        let all: Vec<Value> = kept.iter().cloned().chain(values).collect();
        match (self.accept(&frame(Value::Array(all.clone()))), elements) {
            (Ok(()), _) => *kept = all,
            (Err(why), [(number, value)]) => {
                let with = |value: Value| frame(kept.iter().cloned().chain([value]).collect());
                let part = self.part(&format!("{place}[{number}]"), value, &with, why);
                kept.extend(part);
            }
            (Err(_), _) => {
                let (first, second) = elements.split_at(elements.len() / 2);
                self.elements(place, first, kept, frame);
                self.elements(place, second, kept, frame);
            }
        }
    }
}

/// Returns the file, with line and column if a word of the message occurs in it exactly once.
fn place_of(complaint: &str, file: &Path) -> String {
    let name = file.to_string_lossy();
    let text = read_text(file, FILE_BYTES).unwrap_or_default();
    let mut words = complaint.split('`').skip(1).step_by(2).filter(|word| !word.is_empty());
    let at = words.find_map(|word| {
        let quoted = Value::from(word).to_string();
        let mut places = text.match_indices(&quoted).map(|(at, _)| at);
        places.next().filter(|_| places.next().is_none())
    });
    at.map_or_else(|| name.clone().into_owned(), |at| format!("{name}:{}", line_and_column(&text, at)))
}

/// Returns the location of a member.
fn member_path(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A `configure` for tests: `version`, a list of even numbers `even`, and `rules` with a list of tables, each with
    /// `text`, an optional `flag`, and a non-empty list `paths` of strings without `!`.
    fn configure(settings: &str) -> Result<(), String> {
        let value: Value = serde_json::from_str(settings).unwrap();
        let is_path = |path: &Value| path.as_str().is_some_and(|path| !path.contains('!'));
        let rule = |rule: &Value| {
            let rule = rule.as_object().ok_or("no table")?;
            rule.get("text").filter(|text| text.is_string()).ok_or("missing `text`")?;
            let paths = rule.get("paths").map_or(Some(true), |paths| {
                let paths = paths.as_array()?;
                Some(!paths.is_empty() && paths.iter().all(is_path))
            });
            paths.filter(|is_sound| *is_sound).ok_or("bad `paths`")?;
            let known = |key: &String| matches!(key.as_str(), "text" | "flag" | "paths");
            if rule.keys().all(known) { Ok(()) } else { Err("unknown field of a rule".to_owned()) }
        };
        for (key, value) in value.as_object().unwrap() {
            match key.as_str() {
                "version" if *value == 1 => {}
                "even" => {
                    let list = value.as_array().ok_or("no list")?;
                    let is_even = |value: &Value| value.as_u64().is_some_and(|number| number % 2 == 0);
                    list.iter().find(|value| !is_even(value)).map_or(Ok(()), |odd| Err(format!("{odd} is odd")))?;
                }
                "rules" => {
                    for (key, value) in value.as_object().ok_or("no table")? {
                        if key != "bash" {
                            return Err(format!("unknown field `{key}`"));
                        }
                        value.as_array().ok_or("no list")?.iter().try_for_each(rule)?;
                    }
                }
                _ => return Err(format!("unknown field `{key}`")),
            }
        }
        Ok(())
    }

    fn salvaged(value: &Value) -> (Value, Vec<String>) {
        let mut salvage = Salvage { configure: &configure, left: TRIES, refused: Vec::new() };
        let part = salvage.part("", value, &|value| value, String::new()).unwrap_or_default();
        (part, salvage.refused.into_iter().map(|refused| refused.place).collect())
    }

    #[test]
    fn only_the_refused_entry_is_left_out() {
        let rule = |text: &str| json!({ "text": text });
        for (written, expected, places) in [
            (json!({ "even": [2, 3, 4] }), json!({ "even": [2, 4] }), &["even[1]"][..]),
            (json!({ "_comment": "x", "even": [2] }), json!({ "even": [2] }), &["_comment"]),
            (json!({ "even": [3], "version": 1 }), json!({ "version": 1 }), &["even[0]"]),
            (json!({ "even": "2", "version": 1 }), json!({ "version": 1 }), &["even"]),
            (
                json!({ "rules": { "bash": [rule("a"), { "txt": "b" }, rule("c")], "bahs": [] } }),
                json!({ "rules": { "bash": [rule("a"), rule("c")] } }),
                &["rules.bash[1]", "rules.bahs"],
            ),
            (
                json!({ "rules": { "bash": [{ "text": "a", "why": "b" }] } }),
                json!({ "rules": { "bash": [rule("a")] } }),
                &["rules.bash[0].why"],
            ),
            (
                json!({ "rules": { "bash": [{ "text": "a", "paths": ["b", "!", "c"] }] } }),
                json!({ "rules": { "bash": [{ "text": "a", "paths": ["b", "c"] }] } }),
                &["rules.bash[0].paths[1]"],
            ),
            (json!({ "rules": { "bash": [{ "text": 1 }] } }), json!({}), &["rules.bash[0]"]),
            (json!({ "x": { "y": 1 } }), json!({}), &["x"]),
        ] {
            let mut places: Vec<&str> = places.to_vec();
            let (part, mut refused) = salvaged(&written);
            places.sort_unstable();
            refused.sort_unstable();
            assert_eq!((part, refused.iter().map(String::as_str).collect()), (expected, places), "{written}");
        }
    }

    #[test]
    fn the_number_of_tries_is_bounded() {
        let (part, refused) = salvaged(&json!({ "even": (0..5000).collect::<Vec<u32>>(), "version": 1 }));
        assert!(part["even"].as_array().is_some_and(|kept| kept.contains(&json!(0))), "{part}");
        assert!(refused.len() > 10);
        let many: Vec<u32> = (0..500).map(|number| if number % 100 == 7 { 1 } else { 2 }).collect();
        let (part, refused) = salvaged(&json!({ "even": many }));
        assert_eq!((part["even"].as_array().map(Vec::len), refused.len()), (Some(495), 5));
    }
}
