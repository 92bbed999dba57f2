//! Every case of every built-in policy through the real component: alone, and in the chain of the preset `standard` if that
//! has it.
//!
//! Alone a case must give what it says. In the chain another policy may be more severe, never less.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at a surprise")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use guard_host::cache::{Prepared, Readiness, prepare};
use guard_host::chain::Chain;
use guard_host::clock::Clock;
use guard_host::config::Places;
use guard_host::contract::{outcome_named, rank};
use guard_host::engine::Engine;
use guard_host::suite::{self, Suite};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let engine = Engine::new().unwrap();
    let _clock = Clock::start(engine.clone());
    let prepared = prepared("full");
    let standard = self::prepared("standard");
    let is_standard = |name: &str| standard.members.iter().any(|member| member.entry.name == name);
    let chain = Arc::new(Chain::new(engine.clone(), standard.clone()));
    let mut trials = Vec::new();
    for member in &prepared.members {
        let name = &member.entry.name;
        assert!(matches!(member.readiness, Readiness::Ready { .. }), "{name}: {:?}", member.readiness);
        let cases = root().join("policies").join(name).join("cases");
        for file in suite::find(&cases).unwrap_or_else(|error| panic!("{error}")) {
            let suite = Arc::new(suite::read(&file).unwrap_or_else(|error| panic!("{error}")));
            let settings = serde_json::to_string(&suite.settings).unwrap();
            let alone = Arc::new(Chain::new(engine.clone(), prepared.alone(name, settings).unwrap()));
            let group = format!("{name}::{}", file.file_stem().unwrap().to_string_lossy());
            for index in 0..suite.cases.len() {
                let title = suite.cases[index].title().replace('\n', "\\n");
                trials.push(trial(format!("{group}::alone::{title}"), &alone, &suite, index, false));
                if suite.settings.is_empty() && is_standard(name) {
                    trials.push(trial(format!("{group}::standard::{title}"), &chain, &suite, index, true));
                }
            }
        }
    }
    assert!(trials.len() > 100, "only {} cases were found", trials.len());
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial(name: String, chain: &Arc<Chain>, suite: &Arc<Suite>, index: usize, at_least: bool) -> Trial {
    let (chain, suite) = (chain.clone(), suite.clone());
    Trial::test(name, move || {
        let case = &suite.cases[index];
        let report = suite::run(&chain, &suite, case);
        if report.failures.is_empty() || (at_least && is_more_severe(&report, case)) {
            return Ok(());
        }
        let analysis = report.trace.as_ref().and_then(|trace| trace.analysis.as_ref());
        let effects = analysis.iter().flat_map(|analysis| &analysis.effects);
        let effects: Vec<_> = effects.map(|effect| format!("{} {}", effect.operation, effect.target)).collect();
        Err(Failed::from(format!("{}\neffects: {effects:?}", report.failures.join("\n"))))
    })
}

/// The verdict is beyond what the case says: another policy of the chain has more to say.
fn is_more_severe(report: &suite::Report, case: &suite::Case) -> bool {
    let Some(trace) = &report.trace else { return false };
    let highest = case.expect.0.iter().filter_map(|name| outcome_named(name)).map(rank).max();
    highest.is_some_and(|highest| rank(trace.verdict.outcome) > highest && highest > 0)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|dir| dir.join("wit").exists()).unwrap().to_path_buf()
}

/// The chain of a preset, with the artifacts that all tests share.
fn prepared(preset: &str) -> Prepared {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("warm-home");
    std::fs::create_dir_all(&home).unwrap();
    let config = home.join(format!("{preset}.toml"));
    std::fs::write(&config, format!("preset = \"{preset}\"\n")).unwrap();
    let places = Places { managed: home.join("none"), config, ..Places::below(home.to_str().unwrap()) };
    let deadline = Instant::now() + Duration::from_secs(120);
    prepare(&places, Path::new(env!("CARGO_BIN_EXE_guard-host")), &[], deadline)
}
