//! Every case of every built-in policy through the real component: by itself, and in the chain of the preset `standard`
//! if it includes the policy.
//!
//! By itself, a case must have its expected verdict, and the same verdict when it is replayed from a log at the level
//! `facts`. In the chain, another policy may be more severe, but never less. With a secret planted in its call, each
//! harness's reply has the same words of the rule, and no trace of the secret.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at a surprise")]

#[path = "cases/planted.rs"]
mod planted;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use guard_contract::Wasi;
use guard_contract::{outcome_named, rank};
use guard_facts::Facts;
use guard_facts::recorded::Recording;
use guard_hook::audit::Decision;
use guard_hook::chain::{AskOptions, Chain};
use guard_kit::suite::{self, Subject, Suite};
use guard_redact::Secrets;
use guard_state::AppDirs;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let (root, dirs) = (root(), dirs());
    let standard = Subject::chain(&dirs, Path::new(env!("CARGO_BIN_EXE_guard-host")), &[]);
    let standard = standard.unwrap_or_else(|error| panic!("{error}"));
    let is_standard = |name: &str| standard.manifests().any(|(other, _)| other == name);
    let chain = Arc::new(standard.chain_for_suite(&Suite::default()).unwrap_or_else(|error| panic!("{error}")));
    // They own the clocks of their chains.
    let mut subjects = Vec::new();
    let mut trials = Vec::new();
    for builtin in guard_builtins::all() {
        let name = builtin.name;
        let subject = Subject::policy(name, Wasi::Absent, &root, &dirs).unwrap_or_else(|error| panic!("{error}"));
        let cases = root.join("policies").join(name).join("cases");
        for file in suite::find(&cases).unwrap_or_else(|error| panic!("{error}")) {
            let suite = Arc::new(suite::read(&file).unwrap_or_else(|error| panic!("{error}")));
            let alone = Arc::new(subject.chain_for_suite(&suite).unwrap_or_else(|error| panic!("{error}")));
            let group = format!("{name}::{}", file.file_stem().unwrap().to_string_lossy());
            for index in 0..suite.cases.len() {
                let title = suite.cases[index].title().replace('\n', "\\n");
                trials.push(trial(format!("{group}::alone::{title}"), &alone, &suite, index, false));
                let (of, own) = (suite.clone(), alone.clone());
                let again = move || decided_again(&own, &of, index).map_err(Failed::from);
                trials.push(Trial::test(format!("{group}::again::{title}"), again));
                let (of, own) = (suite.clone(), alone.clone());
                let planted = move || planted::hold(&own, &of, index).map_err(Failed::from);
                trials.push(Trial::test(format!("{group}::planted::{title}"), planted));
                let history = !suite.facts.history.is_empty() || suite.facts.history_is_damaged;
                // The other policies' verdicts don't depend on the history, and their own cases cover them.
                if suite.settings.is_empty() && !history && is_standard(name) {
                    trials.push(trial(format!("{group}::standard::{title}"), &chain, &suite, index, true));
                }
            }
        }
        subjects.push(subject);
    }
    assert!(trials.len() > 100, "only {} cases were found", trials.len());
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(name: String, chain: &Arc<Chain>, suite: &Arc<Suite>, index: usize, at_least: bool) -> Trial {
    let (chain, suite) = (chain.clone(), suite.clone());
    Trial::test(name, move || {
        let case = &suite.cases[index];
        let report = suite::run(&chain, &suite, case);
        if report.passes() || (at_least && (is_more_severe(&report, case) || is_said_second(&report, case))) {
            return Ok(());
        }
        let effects = report.analyses.iter().flat_map(|analysis| &analysis.effects);
        let effects: Vec<_> = effects.map(|effect| format!("{} {}", effect.operation, effect.target)).collect();
        let differences: Vec<String> = report.differences.iter().map(ToString::to_string).collect();
        Err(Failed::from(format!("{}\neffects: {effects:?}", differences.join("\n"))))
    })
}

/// Checks that a decision gives exactly the same verdict after it was written and parsed, without the machine.
fn decided_again(chain: &Chain, suite: &Suite, index: usize) -> Result<(), String> {
    for (call, at, facts) in suite::scenes(suite, &suite.cases[index]) {
        let recording = Arc::new(Recording::new(facts.clone()));
        let verdict = chain.decide(&call, &at, &(recording.clone() as Arc<dyn Facts>), AskOptions::default()).verdict;
        if verdict != chain.decide(&call, &at, &facts, AskOptions::default()).verdict {
            return Err("noting the facts changes the verdict".to_owned());
        }
        let kept = Decision::new(&call, &at, recording.record(), &verdict, &Secrets::default());
        let text = serde_json::to_string(&kept).map_err(|error| error.to_string())?;
        let kept: Decision = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let again = kept.repeat(chain, AskOptions::default());
        if !kept.redacted && (again.lacks || again.trace.verdict != verdict) {
            return Err(format!("lacks facts: {}\nthen: {verdict:?}\nagain: {:?}", again.lacks, again.trace.verdict));
        }
    }
    Ok(())
}

/// Returns whether the verdict is more severe than the case's, because of another policy in the chain.
fn is_more_severe(report: &suite::Report, case: &suite::Case) -> bool {
    let highest = case.expect.0.iter().filter_map(|name| outcome_named(name)).map(rank).max();
    let faults = report.differences.iter().any(|difference| difference.what == "fault");
    !faults && highest.is_some_and(|highest| rank(report.verdict.outcome) > highest && highest > 0)
}

/// Returns whether another policy of the chain reports first, and the case's rule reports as well.
fn is_said_second(report: &suite::Report, case: &suite::Case) -> bool {
    let is_words = report.differences.iter().all(|difference| matches!(difference.what, "rule" | "message" | "remedy"));
    is_words && report.verdict.findings.iter().any(|said| Some(&said.finding.rule) == case.rule.as_ref())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|dir| dir.join("wit").exists()).unwrap().to_path_buf()
}

/// Returns a home with the preset `standard`, and with artifacts that all tests share.
fn dirs() -> AppDirs {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("warm-home");
    for folder in [".cache/guard-host", ".local/state/guard-host"] {
        guard_state::make_private(&home.join(folder)).unwrap();
    }
    let config = home.join("standard.toml");
    std::fs::write(&config, "preset = \"standard\"\n").unwrap();
    AppDirs { managed: home.join("none"), config, ..AppDirs::under_home(home.to_str().unwrap()) }
}
