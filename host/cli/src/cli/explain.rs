//! `guard-host explain`: every step from a call to its verdict.

mod tree;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use maud::html;
use serde_json::{Map, Value, json};

use super::args::{ExplainArgs, Format};
use super::check::{Record, coverage_name, headline, input_text};
use super::html::shell;
use super::print;
use super::subject::{Evaluator, call_context, calls, policy_and_input};
use guard_contract::call::ToolCall;
use guard_contract::exit::Exit;
use guard_contract::syntax::{Analysis, Command, Coverage, Effect, Severity, Via};
use guard_contract::verdict::{Verdict, rule_name};
use guard_contract::{Finding, Outcome, outcome_name, rank};
use guard_harness::text;
use guard_hook::chain::{Softening, Step, Trace};
use guard_hook::redaction::{secrets, without_secrets};
use guard_hook::undo::Copy;
use guard_redact::{hide_shapes, plain, redact, shorten};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_undo::{BackupCoverage, Loss, losses};

/// The maximum number of losses that are listed.
const KEPT: usize = 8;

/// The reason why a finding was softened.
const UNCHANGED: &str = "its file is unchanged since the last commit";

/// The maximum length of a shown script, in bytes.
const SCRIPT_BYTES: usize = 200;

pub(super) fn run(args: &ExplainArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let cwd = args.call.cwd.as_deref().map(Path::to_string_lossy);
    let at = call_context(environment, cwd.as_deref());
    let (policy, input) = policy_and_input(&args.input);
    let calls = calls(&args.call, &input_text(&input)?)?;
    let evaluator = Evaluator::open_policy(policy, dirs, environment, &at.projects())?;
    let Some(mut trace) = evaluator.decide(&calls, &at) else {
        print::line("nothing to decide: the input has no command and no file")?;
        return Ok(Exit::Success);
    };
    // A denied call destroys nothing.
    let is_run = trace.verdict.outcome != Outcome::Deny && args.format == Format::Human && !args.html;
    let copy = calls.first().filter(|_| is_run).map(|call| evaluator.copy(call, &trace, &at));
    for call in &calls {
        let hidden = |analysis: &Analysis| without_secrets(analysis, &secrets(call, &at, Some(analysis)));
        trace.analysis = trace.analysis.as_deref().and_then(hidden).map(Arc::new);
    }
    if args.format == Format::Json {
        let value = json!({
            "verdict": Record::from_trace(Some(&trace)),
            "analysis": trace.analysis.as_deref().map(analysis_json),
            "analysis-us": trace.analysis_time.as_micros(),
            "steps": trace.steps.iter().map(step_json).collect::<Vec<_>>(),
        });
        print::json(&value)?;
        return Ok(Exit::Success);
    }
    let plan = copy.and_then(|copy| backup_plan(&copy, &trace));
    let parts = Parts::new(&trace);
    if args.html {
        let call = calls.first().map(ToolCall::operation).unwrap_or_default();
        print::line(&parts.page(&printable(&call), outcome_name(trace.verdict.outcome)))?;
        return Ok(Exit::Success);
    }
    parts.print(trace.verdict.outcome)?;
    if let Some(analysis) = trace.analysis.as_deref().filter(|_| trace.verdict.outcome != Outcome::Deny) {
        print::line(&super::run::summary(analysis, &at, environment))?;
    }
    plan.iter().try_for_each(|line| print::line(line))?;
    Ok(Exit::Success)
}

/// Describes in one line the backup that is made before the call runs. `None` if the call destroys nothing that a
/// backup restores.
fn backup_plan(copy: &Copy, trace: &Trace) -> Option<String> {
    let (kept, why) = copy.coverage()?;
    let list = trace.analysis.as_deref().map(|analysis| losses(analysis).list).unwrap_or_default();
    let name = |loss: &Loss| match loss {
        Loss::Path(loss) => Some(loss.path.clone()),
        Loss::Git(loss) => Some(format!("{} {}", loss.operation, loss.target).trim().to_owned()),
        Loss::Unkept(_) => None,
    };
    let names: Vec<String> = list.iter().filter_map(name).collect();
    let more = names.len().saturating_sub(KEPT);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names: Vec<String> = names.iter().take(KEPT).map(|name| printable(name)).collect();
    let why = if why.is_empty() { "the call may destroy more than its text tells".to_owned() } else { printable(why) };
    Some(match kept {
        BackupCoverage::Whole => format!("undo: keeps a copy before it runs: {}{more}", names.join(", ")),
        BackupCoverage::Partly => {
            format!("undo: keeps a copy of a part before it runs: {}{more} (not kept: {why})", names.join(", "))
        }
        BackupCoverage::Nothing => format!("undo: keeps no copy: {why}"),
    })
}

fn printable(text: &str) -> String {
    plain(&redact(text))
}

/// The explanation of a call, in lines.
pub(super) struct Parts {
    /// How much of it is understood.
    pub(super) understood: String,
    /// Its commands and effects.
    pub(super) tree: Vec<String>,
    /// Each policy's answer.
    pub(super) policies: Vec<String>,
    /// The reason for the verdict.
    pub(super) reason: String,
    /// Changes that would make the verdict milder.
    pub(super) milder: Vec<String>,
}

impl Parts {
    pub(super) fn new(trace: &Trace) -> Self {
        let analysis = trace.analysis.as_ref();
        let reason = text::reason(&trace.verdict);
        Parts {
            understood: analysis.map_or_else(String::new, |analysis| {
                format!("{} ({})", describe_coverage(analysis), time(trace.analysis_time))
            }),
            tree: analysis.map(|analysis| analysis_lines(analysis)).unwrap_or_default(),
            policies: trace.steps.iter().flat_map(policy).collect(),
            reason: if reason.is_empty() { "no objection".to_owned() } else { reason },
            milder: decisive_findings(&trace.verdict),
        }
    }

    /// Formats the explanation as an HTML page.
    fn page(&self, call: &str, outcome: &str) -> String {
        let body = html! {
            h1 { "guard-host explain" }
            pre { bdi { (plain(call)) } }
            h2 class=(outcome) { (outcome) }
            pre { (plain(&self.reason)) }
            @if !self.milder.is_empty() { pre class="dim" { (plain(&self.milder.join("\n"))) } }
            @if !self.understood.is_empty() {
                h2 { "What it does" }
                p class="dim" { (self.understood) }
                pre { bdi { (plain(&self.tree.join("\n"))) } }
            }
            h2 { "What each policy answers" }
            pre { (plain(&self.policies.join("\n"))) }
        };
        shell("guard-host explain", &body)
    }

    fn print(&self, outcome: Outcome) -> anyhow::Result<()> {
        if !self.understood.is_empty() {
            print::line(&self.understood)?;
        }
        self.tree.iter().try_for_each(|line| print::line(&format!("  {line}")))?;
        self.policies.iter().try_for_each(|line| print::line(line))?;
        print::line("")?;
        print::line(&headline(outcome, &self.reason))?;
        self.milder.iter().try_for_each(|line| print::line(line))
    }
}

/// Describes the coverage of an analysis.
pub(super) fn describe_coverage(analysis: &Analysis) -> &'static str {
    match analysis.coverage {
        Coverage::Complete => "analysis: complete",
        Coverage::Partial => "analysis: partial",
        Coverage::Unparsed => "analysis: incomplete, the effects are guesses",
    }
}

/// Returns the lines for an analysis: why it isn't complete, the tree of commands and effects, and scripts.
pub(super) fn analysis_lines(analysis: &Analysis) -> Vec<String> {
    let mut lines: Vec<String> =
        analysis.reasons.iter().map(|reason| format!("because {}", printable(reason))).collect();
    lines.extend(tree::lines(analysis));
    for script in &analysis.scripts {
        let text = shorten(&printable(&script.text).replace('\n', " "), SCRIPT_BYTES);
        lines.push(format!("{} in command {}: {text}", script.language, script.command_id));
    }
    lines
}

/// Returns the lines for a policy's answer and its requests to the host.
fn policy(step: &Step) -> Vec<String> {
    let outcome = match &step.answer.decision {
        Ok(decision) => outcome_name(decision.outcome).to_owned(),
        Err(fault) => format!("no answer: {fault}"),
    };
    let mut queried = step.answer.asked.clone();
    queried.sort();
    queried.dedup();
    let queried = if queried.is_empty() { String::new() } else { format!(", used {}", queried.join(", ")) };
    let mut lines = vec![format!("{}: {outcome} ({}{queried})", step.policy, time(step.time))];
    let findings = step.answer.decision.iter().flat_map(|decision| &decision.findings);
    lines.extend(findings.map(|finding| format!("  {} {}", outcome_name(finding.outcome), rule_name(finding))));
    lines.extend(step.softened.iter().map(|softening| {
        let change = match softening.to {
            Outcome::Abstain => "was dropped".to_owned(),
            to => format!("became {}", outcome_name(to)),
        };
        let Softening { rule, from, .. } = softening;
        format!("  {} {rule} {change}: {UNCHANGED}", outcome_name(*from))
    }));
    lines.extend(step.answer.log.iter().map(|line| format!("  log: {}", printable(&line.message))));
    lines
}

/// Returns, for each outcome from the verdict down to ask, the findings without which the verdict would be milder.
fn decisive_findings(verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
    for outcome in [Outcome::Deny, Outcome::Ask] {
        let at = verdict.findings.iter().filter(|attributed| attributed.finding.outcome == outcome);
        let mut rules: Vec<String> =
            at.map(|attributed| format!("{}: {}", attributed.policy, attributed.name())).collect();
        rules.dedup();
        if rules.is_empty() {
            continue;
        }
        let below = verdict.findings.iter().map(|attributed| attributed.finding.outcome);
        let below = below.filter(|other| rank(*other) < rank(outcome)).max_by_key(|other| rank(*other));
        let also = if lines.is_empty() { "without" } else { "also without" };
        let then = match below.unwrap_or(Outcome::Abstain) {
            Outcome::Abstain => "no policy would object (verdict: abstain)".to_owned(),
            below => format!("it would be {}", outcome_name(below)),
        };
        lines.push(format!("  {also} [{}] {then}", rules.join("], [")));
    }
    lines
}

fn time(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Routine => "routine",
        Severity::Notable => "notable",
        Severity::Destructive => "destructive",
        Severity::Catastrophic => "catastrophic",
    }
}

pub(super) fn analysis_json(analysis: &Analysis) -> Value {
    let via = |via: &Via| json!({ "kind": via.kind, "detail": printable(&via.detail) });
    let command = |command: &Command| {
        json!({
            "id": command.id, "parent": command.parent,
            "argv": command.argv.iter().map(|word| printable(&word.text)).collect::<Vec<_>>(),
            "via": command.via.iter().map(via).collect::<Vec<_>>(),
            "cwd": printable(&command.cwd), "certain": command.certain, "span": [command.span.start, command.span.end],
        })
    };
    let effect = |effect: &Effect| {
        json!({
            "kind": effect.kind, "operation": effect.operation, "severity": severity_name(effect.severity),
            "target": printable(&effect.target), "canonical": printable(&effect.path.canonical), "command": effect.command_id,
            "certain": effect.certain, "tags": tags_json(&effect.tags),
        })
    };
    json!({
        "coverage": coverage_name(analysis.coverage), "reasons": analysis.reasons.iter().map(|reason| printable(reason)).collect::<Vec<_>>(),
        "commands": analysis.commands.iter().map(command).collect::<Vec<_>>(),
        "effects": analysis.effects.iter().map(effect).collect::<Vec<_>>(),
        "scripts": analysis.scripts.iter().map(|script| json!({
            "language": script.language, "text": printable(&script.text), "command": script.command_id,
        })).collect::<Vec<_>>(),
    })
}

fn tags_json(tags: &[(String, String)]) -> Value {
    tags.iter().map(|(name, value)| (printable(name), Value::String(printable(value)))).collect::<Map<_, _>>().into()
}

pub(super) fn finding_json(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule, "outcome": outcome_name(finding.outcome), "message": hide_shapes(&plain(&finding.message)),
        "remedy": hide_shapes(&plain(&finding.remedy)),
        "tags": finding.tags.iter().map(|(name, value)| (plain(name), Value::String(plain(value)))).collect::<Map<_, _>>(),
    })
}

fn step_json(step: &Step) -> Value {
    json!({
        "policy": step.policy,
        "outcome": step.answer.decision.as_ref().map_or("fault", |decision| outcome_name(decision.outcome)),
        "fault": step.answer.decision.as_ref().err().map(ToString::to_string),
        "findings": step.answer.decision.iter().flat_map(|decision| &decision.findings).map(finding_json).collect::<Vec<_>>(),
        "softened": step.softened.iter().map(softening_json).collect::<Vec<_>>(),
        "asked": step.answer.asked,
        "log": step.answer.log.iter().map(|line| printable(&line.message)).collect::<Vec<_>>(),
        "us": step.time.as_micros(),
    })
}

fn softening_json(softening: &Softening) -> Value {
    json!({
        "rule": softening.rule, "from": outcome_name(softening.from), "to": outcome_name(softening.to),
        "why": UNCHANGED,
    })
}
