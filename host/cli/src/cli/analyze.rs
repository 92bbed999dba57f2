//! `guard-host analyze`: the analyses of a suite's calls as JSON, for native tests of policies.
//!
//! `guard_sdk::testing::Program` runs it. The suite is on standard input, and each case is analyzed in its own world, as
//! `guard-host test` does.

use guard_contract::exit::Exit;
use guard_contract::syntax::Analysis;
use guard_engine::clock::Clock;
use guard_engine::{Engine, SharedInstance};
use guard_hook::{embedded, scene};
use guard_kit::suite::{Suite, scenes};

use super::check::input_text;
use super::print;
use super::subject::exit_error;

pub(super) fn run() -> anyhow::Result<Exit> {
    let suite: Suite = serde_json::from_str(&input_text("-")?)
        .map_err(|error| exit_error(Exit::Data, format!("standard input isn't a suite of cases: {error}"), ""))?;
    let engine = Engine::new()?;
    let _clock = Clock::start(engine.clone());
    let analyses = suite.cases.iter().map(|case| {
        let (call, at, facts) = scenes(&suite, case).into_iter().next()?;
        let mut shared = SharedInstance::default();
        let scene = scene::analyzed(&call, &at, facts, || embedded::analyzer(&engine), &mut shared);
        Some(Analysis::clone(&scene.analysis))
    });
    print::line(&serde_json::to_string(&analyses.collect::<Vec<_>>())?)?;
    Ok(Exit::Success)
}
