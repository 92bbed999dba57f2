//! Runs one case against a chain and reports the differences.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use super::report::{Difference, Report, highest_usage, limits, policy_log};
use super::world::{machine, world_context};
use super::{Case, Suite, WorldFacts, rego};
use guard_config::problem::nearest;
use guard_contract::Finding;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::outcome_name;
use guard_contract::paths::lexical;
use guard_contract::syntax::Coverage;
use guard_contract::verdict::{CALLED, FAULT, Verdict, merge};
use guard_facts::Facts;
use guard_harness::capabilities::Surface;
use guard_harness::{Event, Harness, Payload, Reply};
use guard_hook::cache::Readiness;
use guard_hook::chain::{AskOptions, Chain, Trace};
use guard_hook::hook::{self, Refusal};

struct CaseResults {
    harness: &'static dyn Harness,
    surface: &'static Surface,
    verdict: Verdict,
    traces: Vec<Trace>,
    /// The error reply to an invalid payload, which replaces the verdict's reply.
    reply: Option<Reply>,
}

/// Runs one case in its own world, with the chain's settings. The caller must apply the suite's settings.
#[must_use]
pub fn run(chain: &Chain, suite: &Suite, case: &Case) -> Report {
    let started = Instant::now();
    let course = course(chain, suite, case);
    let time = started.elapsed();
    let CaseResults { harness, surface, verdict, traces, reply } = match course {
        Ok(course) => course,
        Err((expected, got)) => {
            let differences = vec![Difference { what: "case", expected, got }];
            return Report { differences, time, ..Report::empty() };
        }
    };
    let mut differences = Vec::new();
    compare_report(case, reply.as_ref(), &mut differences);
    compare_faults(chain, case, &traces, &mut differences);
    compare_outcome(case, &verdict, &mut differences);
    compare_rule(chain, case, &verdict, &mut differences);
    compare_near(chain, case, &verdict, &mut differences);
    compare_texts(case, &verdict, &mut differences);
    compare_reply(case, &reply.unwrap_or_else(|| harness.encode(&verdict, surface)), &mut differences);
    compare_rest(case, &traces, &mut differences);
    let spent = highest_usage(chain, &traces);
    let lines = traces.iter().flat_map(rego::lines).collect();
    let rules = traces.iter().flat_map(rego::rules).collect();
    let log = policy_log(&traces);
    let analyses = traces.into_iter().filter_map(|trace| trace.analysis).collect();
    Report { differences, verdict, analyses, time, spent, log, lines, rules, is_skipped: false }
}

/// Why a case can't be run: the expectation, and the actual value.
type Unfit = (String, String);

/// The input of a case: its payload as the hook would parse it, or a tool's input.
struct CaseInput {
    harness: &'static dyn Harness,
    surface: &'static Surface,
    /// `None` if there is nothing to judge.
    asked: Result<Option<ChainQuery>, Refusal>,
}

/// The input for a chain: calls, their context, and the machine.
struct ChainQuery {
    calls: Vec<ToolCall>,
    at: CallContext,
    facts: Arc<dyn Facts>,
}

fn read(suite: &Suite, case: &Case) -> Result<CaseInput, Unfit> {
    let world = suite.facts.with(&case.facts);
    let facts: Arc<dyn Facts> = Arc::new(machine(&world));
    let Some(payload) = &case.payload else {
        let unfit = || ("an object or a command as `input`".to_owned(), format!("`{}`", case.input));
        let calls = vec![ToolCall::new(case.tool(), case.input().ok_or_else(unfit)?)];
        let harness = guard_harness::default();
        let query = Ok(Some(ChainQuery { calls, at: world_context(&world), facts }));
        return Ok(CaseInput { harness, surface: harness.capabilities().usual_surface(), asked: query });
    };
    let name = case.harness.as_deref().unwrap_or("claude");
    let Some(named) = guard_harness::find_harness(name) else {
        let names: Vec<&str> = guard_harness::ALL.iter().map(|harness| harness.name()).collect();
        return Err((format!("one of the harnesses {}", names.join(", ")), format!("`{name}`")));
    };
    let text = payload.as_str().map_or_else(|| payload.to_string(), str::to_owned);
    let (mut harness, mut surface) = (named, named.capabilities().usual_surface());
    let decoded = hook::parse(text.into_bytes()).and_then(|object| {
        harness = guard_harness::detect(&object, named);
        surface = harness.surface(&object);
        harness.decode(&object).map_err(Refusal::from)
    });
    let query = decoded.map(|payload| {
        let at = payload_context(&world, harness, &payload, &*facts);
        match payload.event {
            Event::Calls(calls) if !calls.is_empty() => Some(ChainQuery { calls, at, facts }),
            Event::Calls(_)
            | Event::CallsEnded(..)
            | Event::SessionStart
            | Event::SessionEnd
            | Event::SettingsChange(_)
            | Event::Other => None,
        }
    });
    Ok(CaseInput { harness, surface, asked: query })
}

/// Returns the calls of a case, with their context and machine. Empty if the case can't be run, or has nothing to
/// judge.
#[must_use]
pub fn scenes(suite: &Suite, case: &Case) -> Vec<(ToolCall, CallContext, Arc<dyn Facts>)> {
    let Ok(CaseInput { asked: Ok(Some(ChainQuery { calls, at, facts })), .. }) = read(suite, case) else {
        return Vec::new();
    };
    calls.into_iter().map(|call| (call, at.clone(), facts.clone())).collect()
}

/// Evaluates a case as the hook would, without its process and files.
fn course(chain: &Chain, suite: &Suite, case: &Case) -> Result<CaseResults, Unfit> {
    let CaseInput { harness, surface, asked } = read(suite, case)?;
    let config = &chain.prepared.config;
    let nothing = |verdict, reply| Ok(CaseResults { harness, surface, verdict, traces: Vec::new(), reply });
    let ChainQuery { calls, at, facts } = match asked {
        Ok(Some(asked)) => asked,
        Ok(None) => return nothing(merge([]), None),
        Err(refusal) => {
            return match hook::refused(&refusal, config, harness.capabilities()) {
                Some(verdict) => nothing(verdict, None),
                None => nothing(merge([]), Some(hook::report(refusal.text()))),
            };
        }
    };
    let traces: Vec<Trace> = calls.iter().map(|call| chain.decide(call, &at, &facts, AskOptions::default())).collect();
    let verdict = Verdict::all(traces.iter().map(|trace| trace.verdict.clone()));
    // A tool's input has no harness, so there are no prompts to skip.
    let skips = case.payload.is_some() && harness.skips_prompts(&at.permission_mode);
    let verdict = if skips { hook::bypass(verdict, config.bypass_ask) } else { verdict };
    Ok(CaseResults { harness, surface, verdict, traces, reply: None })
}

/// Returns the context of a payload's call. The payload takes precedence over the world.
fn payload_context(world: &WorldFacts, harness: &dyn Harness, payload: &Payload, facts: &dyn Facts) -> CallContext {
    let mut at = world_context(world);
    let override_with = |value: &mut String, declared: &str| {
        if !declared.is_empty() {
            declared.clone_into(value);
        }
    };
    override_with(&mut at.session, &payload.session);
    override_with(&mut at.permission_mode, &payload.permission_mode);
    harness.name().clone_into(&mut at.harness);
    if payload.cwd.starts_with('/') {
        at.cwd.clone_from(&payload.cwd);
        if world.project_root.is_none() {
            at.project_root = guard_facts::git_root(facts, &at.cwd, &at.home).unwrap_or_else(|| at.cwd.clone());
        }
    }
    if !payload.directory.is_empty() {
        at.cwd = lexical(&payload.directory, &at.cwd, &at.home);
    }
    at
}

/// Adds a difference for an error reply. It has no outcome, because the harness then treats the hook as failed, so it
/// is only expected if the case has an exit code.
fn compare_report(case: &Case, reply: Option<&Reply>, differences: &mut Vec<Difference>) {
    if let (Some(reply), None) = (reply, case.expect_exit) {
        let expected = if case.expect.0.is_empty() { "an answer".to_owned() } else { case.expect.0.join(" or ") };
        let got = format!("none, but exit code {}: {}", reply.exit, reply.stderr.trim_end());
        differences.push(Difference { what: "outcome", expected, got });
    }
}

/// Adds a difference for each policy that failed, so that its `on-error` isn't mistaken for an answer.
fn compare_faults(chain: &Chain, case: &Case, traces: &[Trace], differences: &mut Vec<Difference>) {
    if case.rule.as_deref() == Some(FAULT) {
        return;
    }
    for step in traces.iter().flat_map(|trace| &trace.steps) {
        if let Err(fault) = &step.answer.decision {
            let got = format!("none of `{}`: {}", step.policy, fault.under(limits(chain, &step.policy)));
            differences.push(Difference { what: "fault", expected: "an answer".to_owned(), got });
        }
    }
}

fn compare_outcome(case: &Case, verdict: &Verdict, differences: &mut Vec<Difference>) {
    let got = outcome_name(verdict.outcome);
    let expected = &case.expect.0;
    if !expected.is_empty() && !expected.iter().any(|name| name == got) {
        let because = verdict.deciding().map_or_else(String::new, |deciding| {
            format!(" by `{}`: {}", deciding.finding.rule, deciding.finding.message)
        });
        let (expected, got) = (expected.join(" or "), format!("{got}{because}"));
        differences.push(Difference { what: "outcome", expected, got });
    }
}

fn compare_texts(case: &Case, verdict: &Verdict, differences: &mut Vec<Difference>) {
    let deciding = verdict.deciding().map(|deciding| &deciding.finding);
    let parts = [
        ("message", &case.message, deciding.map_or("", |finding| finding.message.as_str())),
        ("remedy", &case.remedy, deciding.map_or("", |finding| finding.remedy.as_str())),
    ];
    for (what, expected, got) in parts {
        if let Some(expected) = expected
            && !got.contains(expected.as_str())
        {
            let (expected, got) = (format!("`{expected}` in it"), format!("`{got}`"));
            differences.push(Difference { what, expected, got });
        }
    }
}

/// Compares the rule and tags of the deciding finding.
fn compare_rule(chain: &Chain, case: &Case, verdict: &Verdict, differences: &mut Vec<Difference>) {
    let deciding = verdict.deciding().map(|deciding| &deciding.finding);
    let rule = deciding.map_or("", |finding| finding.rule.as_str());
    let own = deciding.and_then(own_rule);
    if let Some(expected) = case.rule.as_deref()
        && expected != rule
        && Some(expected) != own
    {
        let got = own.map_or_else(|| format!("`{rule}`"), |own| format!("`{own}`, by `{rule}`"));
        let hint =
            suggest_rule(chain, expected).map_or_else(String::new, |hint| format!(", which no policy declares{hint}"));
        differences.push(Difference { what: "rule", expected: format!("`{expected}`{hint}"), got });
    }
    for (name, expected) in &case.tags {
        let mut values = deciding.iter().flat_map(|finding| &finding.tags).filter(|(tag, _)| tag == name);
        if !values.any(|(_, value)| value == expected) {
            let got: Vec<_> = deciding
                .iter()
                .flat_map(|finding| &finding.tags)
                .filter(|(tag, _)| tag != CALLED)
                .map(|(tag, value)| format!("{tag}={value}"))
                .collect();
            let got = if got.is_empty() { "no tags".to_owned() } else { got.join(", ") };
            differences.push(Difference { what: "tag", expected: format!("{name}={expected}"), got });
        }
    }
}

/// Checks that the rules in `near` are declared and have no finding.
fn compare_near(chain: &Chain, case: &Case, verdict: &Verdict, differences: &mut Vec<Difference>) {
    for near in &case.near.0 {
        let mut findings = verdict.findings.iter().chain(&verdict.lifted);
        if let Some(hit) = findings.find(|found| found.finding.rule == *near) {
            let got = format!("{} by `{}`", outcome_name(hit.finding.outcome), hit.finding.rule);
            differences.push(Difference { what: "near", expected: format!("no finding of `{near}`"), got });
        } else if let Some(hint) = suggest_rule(chain, near) {
            let got = format!("`{near}`, which no policy declares{hint}");
            differences.push(Difference { what: "near", expected: "a rule".to_owned(), got });
        }
    }
}

/// Returns the author's name for the rule. Policies with rules in a text add it as a tag to their findings.
pub(super) fn own_rule(finding: &Finding) -> Option<&str> {
    finding.tags.iter().find(|(name, _)| name == "rule").map(|(_, rule)| rule.as_str())
}

/// Returns a hint with the most similar rule for a rule that no manifest declares, or an empty text. `None` if it is
/// declared.
fn suggest_rule(chain: &Chain, rule: &str) -> Option<String> {
    let declared = chain.prepared.members.iter().filter_map(|member| match &member.readiness {
        Readiness::Ready { manifest, .. } => Some(&manifest.rules),
        Readiness::Broken(_) => None,
    });
    let names: Vec<&str> = declared.flatten().map(|rule| rule.id.as_str()).collect();
    if rule == FAULT || names.contains(&rule) {
        return None;
    }
    Some(nearest(rule, &names).map_or_else(String::new, |name| format!("; did you mean `{name}`?")))
}

fn compare_reply(case: &Case, reply: &Reply, differences: &mut Vec<Difference>) {
    if let Some(expected) = case.expect_exit
        && expected != reply.exit
    {
        let (expected, got) = (expected.to_string(), reply.exit.to_string());
        differences.push(Difference { what: "exit code", expected, got });
    }
    for (what, expected, got) in [
        ("standard output", &case.expect_stdout, &reply.stdout),
        ("standard error", &case.expect_stderr, &reply.stderr),
    ] {
        let got = got.trim_end_matches('\n');
        if let Some(expected) = expected.as_deref().map(|expected| expected.trim_end_matches('\n'))
            && expected != got
        {
            differences.push(Difference { what, expected: format!("`{expected}`"), got: format!("`{got}`") });
        }
    }
}

fn compare_rest(case: &Case, traces: &[Trace], differences: &mut Vec<Difference>) {
    if let Some(expected) = &case.coverage {
        let got = traces.last().and_then(|trace| trace.analysis.as_ref()).map_or("none", |analysis| {
            match analysis.coverage {
                Coverage::Complete => "complete",
                Coverage::Partial => "partial",
                Coverage::Unparsed => "unparsed",
            }
        });
        if expected != got {
            differences.push(Difference { what: "coverage", expected: expected.clone(), got: got.to_owned() });
        }
    }
    if let Some(expected) = &case.journal {
        let lines = traces.iter().flat_map(Trace::journal);
        let got: Vec<Value> = lines.filter_map(|(_, line)| serde_json::from_str(&line.object).ok()).collect();
        if *expected != got {
            let text = |lines: &[Value]| Value::from(lines).to_string();
            differences.push(Difference { what: "journal", expected: text(expected), got: text(&got) });
        }
    }
}
