//! Remedies must be allowed themselves: an alternative that is stopped doesn't help.

#![cfg(test)]

#[path = "support/judge.rs"]
mod judge;

use std::collections::BTreeMap;
use std::path::Path;

use guard_sdk::Outcome;
use guard_sdk::testing::Suite;

use judge::decide;

/// Returns the commands of all tables.
fn commands() -> Vec<String> {
    let tables = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap();
    let suites = tables.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let cases = suites.flat_map(|text| toml::from_str::<Suite>(&text).unwrap().cases);
    cases.filter_map(|case| Some(case.input.get("command")?.as_str()?.to_owned())).collect()
}

/// Returns the parts of a text in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The general rules know only the analyzer's description of an operation.
#[test]
fn every_general_message_says_what_is_lost() {
    let mut silent = BTreeMap::new();
    for command in commands() {
        for finding in decide(&command).findings {
            if finding.message.contains("loses what cannot be had back") {
                let operation =
                    finding.tags.iter().find(|(name, _)| name == "operation").map(|(_, value)| value.clone());
                silent.insert(operation.unwrap_or_default(), command.clone());
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn every_remedy_of_the_tables_is_let_through() {
    let mut remedies: BTreeMap<String, (String, String)> = BTreeMap::new();
    for command in commands() {
        for finding in decide(&command).findings {
            remedies.entry(finding.remedy).or_insert((finding.rule, command.clone()));
        }
    }
    let mut stopped = Vec::new();
    for (remedy, (rule, command)) in &remedies {
        assert!(!remedy.is_empty(), "{rule} says nothing of what to do instead of {command:?}");
        for instead in quoted(remedy) {
            let decision = decide(instead);
            if matches!(decision.outcome, Outcome::Ask | Outcome::Deny) {
                let by = decision.findings.first().map_or("", |finding| &finding.rule);
                stopped.push(format!("{rule}: `{instead}` is stopped by {by}"));
            }
        }
    }
    assert!(remedies.len() > 20, "only {} remedies were found", remedies.len());
    assert!(stopped.is_empty(), "{}", stopped.join("\n"));
}
