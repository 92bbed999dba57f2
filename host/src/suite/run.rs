//! Runs one case against a chain and says what differs.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Case, Suite, WorldFacts};
use crate::call::{Circumstances, ToolCall};
use crate::chain::{Ask, Chain, Trace};
use crate::contract::outcome_name;
use crate::contract::syntax::Coverage;
use crate::facts::Facts;
use crate::harness::{self, Event, Harness};
use crate::verdict::Verdict;

/// What became of a case.
#[derive(Debug)]
pub struct Report {
    /// What differs from what the case expects; empty if it passes.
    pub failures: Vec<String>,
    /// The way of the last call; none if the case cannot be run.
    pub trace: Option<Trace>,
}

/// Runs one case. The chain's own settings hold; those of the suite are the caller's to give.
#[must_use]
pub fn run(chain: &Chain, suite: &Suite, case: &Case) -> Report {
    let world = suite.facts.with(&case.facts);
    let facts: Arc<dyn Facts> = Arc::new(world.machine());
    let calls = match &case.payload {
        Some(payload) => from_payload(payload, case),
        None => from_input(case).map(|call| (vec![call], harness::default())),
    };
    let (calls, harness) = match calls {
        Ok(calls) => calls,
        Err(text) => return Report { failures: vec![text], trace: None },
    };
    let at = circumstances(&world);
    let ask = Ask { grant_all: true, ..Ask::default() };
    let mut traces: Vec<Trace> = calls.iter().map(|call| chain.decide(call, &at, &facts, ask)).collect();
    let verdict = Verdict::all(traces.iter().map(|trace| trace.verdict.clone()));
    let mut failures = Vec::new();
    compare_verdict(case, &verdict, &mut failures);
    compare_reply(case, harness, &verdict, &mut failures);
    compare_rest(case, &traces, &mut failures);
    Report { failures, trace: traces.pop() }
}

fn from_input(case: &Case) -> Result<ToolCall, String> {
    let tool = case.tool.as_deref().unwrap_or("Bash");
    let input = match &case.input {
        Value::Object(input) => input.clone(),
        Value::String(command) => Map::from_iter([("command".to_owned(), Value::String(command.clone()))]),
        _ => return Err("`input` is neither an object nor a string".to_owned()),
    };
    Ok(ToolCall::new(tool, input))
}

fn from_payload(payload: &Value, case: &Case) -> Result<(Vec<ToolCall>, &'static dyn Harness), String> {
    let name = case.harness.as_deref().unwrap_or("claude");
    let harness = harness::named(name).ok_or_else(|| format!("there is no harness `{name}`"))?;
    let object = payload.as_object().ok_or("`payload` is no object")?;
    match harness.decode(object).map_err(|error| error.to_string())?.event {
        Event::Calls(calls) => Ok((calls, harness)),
        Event::SessionEnd | Event::Other => Ok((Vec::new(), harness)),
    }
}

fn circumstances(world: &WorldFacts) -> Circumstances {
    let or = |value: &Option<String>, default: &str| value.clone().unwrap_or_else(|| default.to_owned());
    Circumstances {
        cwd: or(&world.cwd, "/repo"),
        project_root: or(&world.project_root, "/repo"),
        repository: String::new(),
        home: or(&world.home, "/home/u"),
        account_home: String::new(),
        session: or(&world.session, "s1"),
        harness: or(&world.harness, "claude"),
        permission_mode: or(&world.permission_mode, "default"),
    }
}

fn compare_verdict(case: &Case, verdict: &Verdict, failures: &mut Vec<String>) {
    let got = outcome_name(verdict.outcome);
    let expected = &case.expect.0;
    if !expected.is_empty() && !expected.iter().any(|name| name == got) {
        let because = verdict.deciding().map_or_else(String::new, |deciding| {
            format!(" by `{}`: {}", deciding.finding.rule, deciding.finding.message)
        });
        failures.push(format!("expected {}, got {got}{because}", expected.join(" or ")));
    }
    let deciding = verdict.deciding().map(|deciding| &deciding.finding);
    let rule = deciding.map_or("", |finding| finding.rule.as_str());
    if let Some(expected) = &case.rule
        && expected != rule
    {
        failures.push(format!("expected the rule `{expected}`, got `{rule}`"));
    }
    let parts = [
        ("message", &case.message, deciding.map_or("", |finding| finding.message.as_str())),
        ("remedy", &case.remedy, deciding.map_or("", |finding| finding.remedy.as_str())),
    ];
    for (what, expected, got) in parts {
        if let Some(expected) = expected
            && !got.contains(expected.as_str())
        {
            failures.push(format!("expected `{expected}` in the {what}, got `{got}`"));
        }
    }
}

fn compare_reply(case: &Case, harness: &dyn Harness, verdict: &Verdict, failures: &mut Vec<String>) {
    let reply = harness.encode(verdict);
    if let Some(expected) = case.expect_exit
        && expected != reply.exit
    {
        failures.push(format!("expected exit code {expected}, got {}", reply.exit));
    }
    for (stream, expected, got) in
        [("output", &case.expect_stdout, &reply.stdout), ("error", &case.expect_stderr, &reply.stderr)]
    {
        if let Some(expected) = expected
            && expected != got
        {
            failures.push(format!("expected `{expected}` on standard {stream}, got `{got}`"));
        }
    }
}

fn compare_rest(case: &Case, traces: &[Trace], failures: &mut Vec<String>) {
    if let Some(expected) = &case.coverage {
        let got = traces.last().and_then(|trace| trace.analysis.as_ref()).map_or("none", |analysis| {
            match analysis.coverage {
                Coverage::Complete => "complete",
                Coverage::Partial => "partial",
                Coverage::Unparsed => "unparsed",
            }
        });
        if expected != got {
            failures.push(format!("expected coverage {expected}, got {got}"));
        }
    }
    if let Some(expected) = &case.journal {
        let lines = traces.iter().flat_map(Trace::journal);
        let got: Vec<Value> = lines.filter_map(|(_, line)| serde_json::from_str(&line.object).ok()).collect();
        if *expected != got {
            failures.push(format!("expected the journal {expected:?}, got {got:?}"));
        }
    }
}
