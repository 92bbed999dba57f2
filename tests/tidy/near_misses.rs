//! Every rule has a case that hits it, and three that name it as a near miss.

use std::collections::{BTreeMap, BTreeSet};

use guard_kit::suite::{self, Case, Suite};
use serde_json::Value;

use super::{fail_with, root};
use crate::docs::rules::rules;
use crate::support::world::World;

/// The minimum number of a rule's near misses.
const NEAR: usize = 3;

/// Returns the errors in the near misses of a policy with these rules.
///
/// Running the case shows that a near miss doesn't hit its rule. Here, it must share something with a hit.
fn complaints(policy: &str, rules: &[String], suites: &[Suite]) -> Vec<String> {
    let cases = || suites.iter().flat_map(|suite| &suite.cases);
    let mut complaints = Vec::new();
    let mut near: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases() {
        for rule in &case.near.0 {
            let hits = || cases().filter(|case| case.rule.as_ref() == Some(rule));
            if !rules.contains(rule) {
                complaints.push(format!("{policy}: `{}` is near `{rule}`, which is no rule", case.title()));
            } else if !hits().any(|hit| !words(hit).is_disjoint(&words(case))) {
                complaints.push(format!("{policy}: `{}` has no word of a hit of `{rule}`", case.title()));
            } else {
                *near.entry(rule).or_default() += 1;
            }
        }
    }
    for rule in rules {
        if !cases().any(|case| case.rule.as_ref() == Some(rule)) {
            complaints.push(format!("{policy}: no case hits `{rule}`"));
        }
        let count = near.get(rule.as_str()).copied().unwrap_or(0);
        if count < NEAR {
            complaints.push(format!("{policy}: {count} of {NEAR} near misses name `{rule}`"));
        }
    }
    complaints
}

/// Returns the words of a call: its tool unless it is Bash, and those of all texts in its input.
fn words(case: &Case) -> BTreeSet<String> {
    let tool = Some(case.tool().to_owned()).filter(|tool| tool != "Bash");
    let mut words: BTreeSet<String> = tool.into_iter().collect();
    let mut open = vec![case.payload.as_ref().unwrap_or(&case.input)];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let found = text.split(|c: char| !c.is_alphanumeric() && c != '_').chain(text.split_whitespace());
                words.extend(found.filter(|word| !word.is_empty()).map(str::to_owned));
            }
            Value::Array(values) => open.extend(values),
            Value::Object(values) => open.extend(values.values()),
            _ => {}
        }
    }
    words
}

#[test]
fn every_rule_has_a_hit_and_three_near_misses_that_name_it() {
    let world = World::new();
    let mut found = Vec::new();
    for builtin in guard_builtins::all() {
        let files = suite::find(&root().join("policies").join(builtin.name).join("cases"));
        let files = files.unwrap_or_else(|error| panic!("{error}"));
        let suites: Vec<Suite> =
            files.iter().map(|file| suite::read(file).unwrap_or_else(|error| panic!("{error}"))).collect();
        let rules: Vec<String> = rules(builtin.name, &world).into_iter().map(|rule| rule.id).collect();
        assert!(!rules.is_empty(), "{} has no rules", builtin.name);
        found.extend(complaints(builtin.name, &rules, &suites));
    }
    fail_with(&found);
}

#[test]
fn a_near_miss_of_no_rule_and_a_rule_without_three_are_found() {
    const HIT: &str = "[[cases]]\ninput = 'rm a'\nexpect = 'ask'\nrule = 'r'\n";
    let near = |names: [&str; 3]| {
        let case = |name: &str| format!("[[cases]]\ninput = 'rm b'\nexpect = 'abstain'\nnear = '{name}'\n");
        names.map(case).concat()
    };
    let found = |text: &str| complaints("p", &["r".to_owned()], &[toml::from_str(text).unwrap()]);
    assert_eq!(found(&format!("{HIT}{}", near(["r", "r", "r"]))), [""; 0]);
    let unnamed = format!("{HIT}{}", near(["r"; 3])).replacen("near = 'r'\n", "", 1);
    assert_eq!(found(&unnamed), ["p: 2 of 3 near misses name `r`"]);
    for (names, told) in
        [(["r", "r", "q"], "near `q`, which is no rule"), (["r", "r", ""], "near ``, which is no rule")]
    {
        let found = found(&format!("{HIT}{}", near(names)));
        assert!(found.len() == 2 && found[0].contains(told), "{found:?}");
    }
    let unlike = format!("{HIT}{}", near(["r"; 3])).replacen("'rm b'", "'ls c'", 1);
    assert_eq!(found(&unlike), ["p: `ls c` has no word of a hit of `r`", "p: 2 of 3 near misses name `r`"]);
    assert!(found(&near(["r"; 3])).contains(&"p: no case hits `r`".to_owned()));
}
