//! `languages/same.toml` has a policy's expected answers in any language. Here, it is written in Rego and in CEL.

use std::path::{Path, PathBuf};

use guard_contract::Wasi;
use guard_kit::suite::{self, OneOrMore, Report, Subject, Suite};
use guard_state::AppDirs;
use serde_json::{Map, Value};

use crate::support::world::World;

fn languages() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|dir| dir.join("wit").exists()).unwrap();
    root.join("tests/languages")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(languages().join(name)).unwrap()
}

/// Runs the shared cases with the settings of one language. `policy` names the built-in.
///
/// A rule of the text is reported under the single declared rule, so the case's name is compared with the tag. With
/// `exactly`, messages and remedies must also match the case.
fn hold(policy: &str, settings: Map<String, Value>, exactly: bool) {
    let world = World::new();
    let shared = suite::read(&languages().join("same.toml")).unwrap();
    assert!(shared.cases.len() >= 50, "{} cases", shared.cases.len());
    let dirs = AppDirs::under_home(world.home.path().to_str().unwrap());
    let subject = Subject::policy(policy, Wasi::Absent, world.home.path(), &dirs).unwrap();
    let suite = Suite { settings, ..shared };
    let bench = subject.chain_for_suite(&suite).unwrap();
    let mut failures = Vec::new();
    for case in &suite.cases {
        let mut stripped = case.clone();
        stripped.rule = case.rule.as_ref().map(|_| "policy".to_owned());
        if !exactly {
            (stripped.message, stripped.remedy) = (None, None);
        }
        let report = suite::run(&bench, &suite, &stripped);
        let (rule, expected) = (rule(&report), case.rule.clone().unwrap_or_default());
        let OneOrMore(outcomes) = &case.expect;
        if !report.passes() || rule != expected {
            let differences: Vec<String> = report.differences.iter().map(ToString::to_string).collect();
            failures.push(format!("{}: {outcomes:?} of `{expected}`, got `{rule}`: {differences:?}", case.title()));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), suite.cases.len(), failures.join("\n"));
}

/// Returns the text's rule that determines the verdict.
fn rule(report: &Report) -> String {
    let findings = report.verdict.findings.iter().map(|one| &one.finding);
    let deciding = findings.into_iter().find(|finding| finding.outcome == report.verdict.outcome);
    let tags = deciding.into_iter().flat_map(|finding| &finding.tags);
    tags.filter(|(name, _)| name == "rule").map(|(_, value)| value.clone()).collect()
}

fn data() -> Value {
    Value::Object(suite::read(&languages().join("same.toml")).unwrap().settings)
}

#[test]
fn in_rego_every_case_has_its_outcome_rule_message_and_remedy() {
    let text = Value::from(read("same.rego"));
    hold("rego", Map::from_iter([("text".to_owned(), text), ("data".to_owned(), data())]), true);
}

#[test]
fn in_cel_every_case_has_its_outcome_and_rule() {
    let table: toml::Table = toml::from_str(&read("same.cel.toml")).unwrap();
    let Value::Object(mut settings) = serde_json::to_value(table).unwrap() else { panic!("no table") };
    settings.insert("data".to_owned(), data());
    hold("cel", settings, false);
}
