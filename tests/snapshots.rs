//! Every case of every built-in policy with a snapshot of it: the answers are the same as the policy's, byte for byte.

use std::collections::HashMap;

use guard_contract::Wasi;
use guard_kit::suite::{self, Subject};
use guard_state::AppDirs;

use crate::support::pages::root;

#[test]
fn a_snapshot_answers_every_case_as_the_policy_does() {
    let (root, home) = (root(), tempfile::tempdir().unwrap());
    let dirs = AppDirs::under_home(home.path().to_str().unwrap());
    let (mut compared, mut different) = (0, Vec::new());
    for builtin in guard_builtins::all() {
        let subject = Subject::policy(builtin.name, Wasi::Absent, &root, &dirs).unwrap();
        // One snapshot for all suites with the same settings: each is compiled twice.
        let mut taken = HashMap::new();
        for file in suite::find(&root.join("policies").join(builtin.name).join("cases")).unwrap() {
            let suite = suite::read(&file).unwrap();
            let plain = subject.chain_for_suite(&suite).unwrap();
            let settings = serde_json::Value::Object(suite.settings.clone()).to_string();
            let snapshot = taken.entry(settings).or_insert_with(|| subject.chain_of_snapshots(&suite).unwrap());
            for case in &suite.cases {
                let (one, other) = (suite::run(&plain, &suite, case), suite::run(snapshot, &suite, case));
                let told = |report: &suite::Report| format!("{:?} {:?}", report.verdict, report.differences);
                compared += 1;
                if told(&one) != told(&other) {
                    different.push(format!("{}: {}\n{}\n{}", file.display(), case.title(), told(&one), told(&other)));
                }
            }
        }
    }
    assert!(compared > 1000, "only {compared} cases were compared");
    assert!(different.is_empty(), "{} of {compared} differ, the first: {}", different.len(), different[0]);
}
