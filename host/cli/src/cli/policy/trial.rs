//! [`Trial`]: calls one policy in the world of examples, and measures the cost.

use std::time::{Duration, Instant};

use serde_json::{Map, json};

use guard_contract::FaultKind;
use guard_contract::Manifest;
use guard_contract::call::ToolCall;
use guard_contract::policy::{Entry, covers};
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_hook::cache::{Artifact, Member, Prepared, Readiness};
use guard_hook::chain::{AskOptions, Chain};
use guard_hook::examples;

/// The time limit for repeated calls.
const PATIENCE: Duration = Duration::from_secs(1);

/// The results of a repeated call.
pub(super) struct Trial {
    pub(super) call: ToolCall,
    /// The number of runs, without the first one, in which nothing is cached yet.
    pub(super) runs: usize,
    /// The policy's median time.
    pub(super) time: Duration,
    /// The analysis's median time, which all policies share. `None` if this policy doesn't use it.
    pub(super) analysis: Option<Duration>,
    /// Why there was no answer.
    pub(super) fault: Option<FaultKind>,
}

/// Calls a policy, which need not be in the chain. `None` if it covers no tool.
pub(super) fn try_out(
    prepared: &Prepared,
    entry: &Entry,
    (artifact, manifest): (&Artifact, &Manifest),
    runs: usize,
) -> anyhow::Result<Option<Trial>> {
    let Some(call) = call(manifest) else { return Ok(None) };
    let readiness = Readiness::Ready { artifact: artifact.clone(), snapshot: None, manifest: manifest.clone() };
    let member = Member { entry: Entry { tools: None, ..entry.clone() }, readiness };
    let engine = Engine::new()?;
    let _clock = Clock::start(engine.clone());
    let chain = Chain::new(engine, prepared.only(member));
    let (at, facts) = (examples::call_context(), examples::facts());
    let (mut times, mut analyses, mut fault) = (Vec::new(), Vec::new(), None);
    let end = Instant::now() + PATIENCE;
    for run in 0..=runs {
        if run > 1 && Instant::now() > end {
            break;
        }
        let ask = AskOptions { grant_all: true, ..AskOptions::default() };
        let trace = chain.decide(&call, &at, &facts, ask);
        let Some(step) = trace.steps.into_iter().next() else { return Ok(None) };
        if run > 0 || runs == 0 {
            times.push(step.time);
            analyses.extend(trace.analysis.is_some().then_some(trace.analysis_time));
        }
        fault = step.answer.decision.err();
    }
    let (runs, time) = (times.len(), median(times).unwrap_or_default());
    Ok(Some(Trial { call, runs, time, analysis: median(analyses), fault }))
}

/// Returns a call that the policy covers: its first example, or else a harmless one.
fn call(manifest: &Manifest) -> Option<ToolCall> {
    let covered = |tool: &str| covers(manifest, None, tool);
    let example = manifest.examples.iter().find(|example| covered(&example.tool));
    if let Some(example) = example
        && let Ok(input) = serde_json::from_str(&example.input)
    {
        return Some(ToolCall::new(&example.tool, input));
    }
    let usual = [
        ("Bash", json!({ "command": "ls -la" })),
        ("Write", json!({ "file_path": "/repo/notes.txt", "content": "text" })),
        ("Read", json!({ "file_path": "/repo/notes.txt" })),
    ];
    let usual = usual.into_iter().find(|(tool, _)| covered(tool));
    let any = || manifest.tools.iter().find(|tool| covered(tool)).map(|tool| ToolCall::new(tool, Map::new()));
    usual.and_then(|(tool, input)| Some(ToolCall::new(tool, input.as_object()?.clone()))).or_else(any)
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}
