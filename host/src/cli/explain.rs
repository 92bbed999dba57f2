//! `guard-host explain`: the whole way from a call to its verdict.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::args::{ExplainArgs, Format};
use super::check::{Record, coverage_name};
use super::print;
use super::subject::{Bench, calls, circumstances};
use crate::chain::{Step, Trace};
use crate::config::Places;
use crate::contract::syntax::{Analysis, Command, Effect, Severity};
use crate::contract::{Finding, outcome_name};
use crate::environment::Environment;
use crate::exit::Exit;
use crate::harness::text;
use crate::redact::{plain, redact};

pub(super) fn run(args: &ExplainArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let cwd = args.call.cwd.as_deref().map(Path::to_string_lossy);
    let at = circumstances(environment, cwd.as_deref());
    let calls = calls(&args.call)?;
    let bench = Bench::open(places, environment, &at.projects())?;
    let Some(trace) = bench.decide(&calls, &at) else {
        print::line("nothing to decide: the input holds no command and no file")?;
        return Ok(Exit::Success);
    };
    if args.format == Format::Json {
        let value = json!({
            "verdict": Record::of(Some(&trace)),
            "analysis": trace.analysis.as_deref().map(analysis_json),
            "analysis-us": trace.analysis_time.as_micros(),
            "steps": trace.steps.iter().map(step_json).collect::<Vec<_>>(),
        });
        print::line(&serde_json::to_string_pretty(&value)?)?;
        return Ok(Exit::Success);
    }
    human(&trace)?;
    Ok(Exit::Success)
}

fn told(text: &str) -> String {
    plain(&redact(text))
}

fn human(trace: &Trace) -> anyhow::Result<()> {
    if let Some(analysis) = &trace.analysis {
        let micros = trace.analysis_time.as_micros();
        print::line(&format!("coverage  {} ({micros} us)", coverage_name(analysis.coverage)))?;
        for reason in &analysis.reasons {
            print::line(&format!("          because {}", told(reason)))?;
        }
        for command in &analysis.commands {
            print::line(&format!("command   {}{}", "  ".repeat(depth(analysis, command)), command_text(command)))?;
            for effect in analysis.effects.iter().filter(|effect| effect.command_id == command.id) {
                print::line(&format!("effect      {}", effect_text(effect)))?;
            }
        }
        for effect in analysis.effects.iter().filter(|effect| effect.command_id == 0) {
            print::line(&format!("effect    {}", effect_text(effect)))?;
        }
    }
    for step in &trace.steps {
        let micros = step.time.as_micros();
        let outcome = match &step.answer.decision {
            Ok(decision) => outcome_name(decision.outcome).to_owned(),
            Err(fault) => format!("no answer: {fault}"),
        };
        print::line(&format!("policy    {}: {outcome} ({micros} us)", step.policy))?;
        for finding in step.answer.decision.iter().flat_map(|decision| &decision.findings) {
            let outcome = outcome_name(finding.outcome);
            print::line(&format!("            {} {outcome}: {}", finding.rule, told(&finding.message)))?;
        }
        for line in &step.answer.log {
            print::line(&format!("            log: {}", told(&line.message)))?;
        }
    }
    let outcome = outcome_name(trace.verdict.outcome);
    let reason = text::reason(&trace.verdict);
    let reason = if reason.is_empty() { "no policy objects".to_owned() } else { reason };
    print::line(&format!("verdict   {}: {}", print::coloured(outcome, outcome), reason.replace('\n', "\n          ")))
}

/// How many commands stand above it.
fn depth(analysis: &Analysis, command: &Command) -> usize {
    let mut depth = 0;
    let mut parent = command.parent;
    while parent != 0 && depth < 8 {
        depth += 1;
        parent = analysis.commands.iter().find(|other| other.id == parent).map_or(0, |other| other.parent);
    }
    depth
}

fn command_text(command: &Command) -> String {
    let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
    let via: Vec<String> = command.via.iter().map(|via| via.kind.clone()).collect();
    let mut text = if words.is_empty() { "(no program)".to_owned() } else { told(&words.join(" ")) };
    if !via.is_empty() {
        text.push_str(&format!("  via {}", via.join(", ")));
    }
    if !command.certain {
        text.push_str("  (uncertain)");
    }
    text
}

fn effect_text(effect: &Effect) -> String {
    let target = if effect.path.canonical.is_empty() { &effect.target } else { &effect.path.canonical };
    let uncertain = if effect.certain { "" } else { " (uncertain)" };
    format!("{} {} {}{uncertain}", effect.operation, told(target), severity_name(effect.severity))
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Routine => "routine",
        Severity::Notable => "notable",
        Severity::Destructive => "destructive",
        Severity::Catastrophic => "catastrophic",
    }
}

fn analysis_json(analysis: &Analysis) -> Value {
    let command = |command: &Command| {
        json!({
            "id": command.id, "parent": command.parent,
            "argv": command.argv.iter().map(|word| told(&word.text)).collect::<Vec<_>>(),
            "via": command.via.iter().map(|via| &via.kind).collect::<Vec<_>>(),
            "cwd": told(&command.cwd), "certain": command.certain, "span": [command.span.start, command.span.end],
        })
    };
    let effect = |effect: &Effect| {
        json!({
            "kind": effect.kind, "operation": effect.operation, "severity": severity_name(effect.severity),
            "target": told(&effect.target), "canonical": told(&effect.path.canonical), "command": effect.command_id,
            "certain": effect.certain, "tags": tags_json(&effect.tags),
        })
    };
    json!({
        "coverage": coverage_name(analysis.coverage), "reasons": analysis.reasons.iter().map(|reason| told(reason)).collect::<Vec<_>>(),
        "commands": analysis.commands.iter().map(command).collect::<Vec<_>>(),
        "effects": analysis.effects.iter().map(effect).collect::<Vec<_>>(),
        "scripts": analysis.scripts.iter().map(|script| json!({
            "language": script.language, "text": told(&script.text), "command": script.command_id,
        })).collect::<Vec<_>>(),
    })
}

fn tags_json(tags: &[(String, String)]) -> Value {
    tags.iter().map(|(name, value)| (told(name), Value::String(told(value)))).collect::<Map<_, _>>().into()
}

fn step_json(step: &Step) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "rule": finding.rule, "outcome": outcome_name(finding.outcome), "message": told(&finding.message),
            "remedy": told(&finding.remedy), "tags": tags_json(&finding.tags),
        })
    };
    json!({
        "policy": step.policy,
        "outcome": step.answer.decision.as_ref().map_or("fault", |decision| outcome_name(decision.outcome)),
        "fault": step.answer.decision.as_ref().err().map(ToString::to_string),
        "findings": step.answer.decision.iter().flat_map(|decision| &decision.findings).map(finding).collect::<Vec<_>>(),
        "asked": step.answer.asked,
        "log": step.answer.log.iter().map(|line| told(&line.message)).collect::<Vec<_>>(),
        "us": step.time.as_micros(),
    })
}
