//! `guard-host check`: what the hook would say. Writes nothing: no audit line, no pending ask.

use std::collections::HashMap;
use std::io::{BufRead, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::args::{CheckArgs, Format};
use super::print;
use super::subject::{Bench, call, circumstances, refused, tool_call};
use crate::call::ToolCall;
use crate::chain::{Ask, Trace};
use crate::config::Places;
use crate::contract::syntax::Coverage;
use crate::contract::{Outcome, outcome_name};
use crate::environment::Environment;
use crate::exit::Exit;
use crate::harness::{self, Event, text};
use crate::redact::{plain, redact};
use crate::verdict::Verdict;

/// The longest line of a batch.
const LINE_BYTES: usize = 16 << 20;

/// One verdict for machines. Keys are only ever added.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    outcome: &'static str,
    policy: String,
    rule: String,
    message: String,
    remedy: String,
    coverage: &'static str,
}

impl Record {
    pub(super) fn of(trace: &Trace) -> Self {
        let deciding = trace.verdict.deciding();
        let told = |text: &str| plain(&redact(text));
        Record {
            outcome: outcome_name(trace.verdict.outcome),
            policy: deciding.map(|deciding| deciding.policy.clone()).unwrap_or_default(),
            rule: deciding.map(|deciding| deciding.finding.rule.clone()).unwrap_or_default(),
            message: deciding.map(|deciding| told(&deciding.finding.message)).unwrap_or_default(),
            remedy: deciding.map(|deciding| told(&deciding.finding.remedy)).unwrap_or_default(),
            coverage: trace.analysis.as_ref().map_or("", |analysis| coverage_name(analysis.coverage)),
        }
    }
}

/// The name of a coverage as users read it.
pub(super) fn coverage_name(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Complete => "complete",
        Coverage::Partial => "partial",
        Coverage::Unparsed => "unparsed",
    }
}

/// The exit code of a verdict.
fn exit(verdict: &Verdict) -> Exit {
    match verdict.outcome {
        Outcome::Abstain | Outcome::Allow | Outcome::Warn => Exit::Success,
        Outcome::Ask => Exit::Ask,
        Outcome::Deny => Exit::Deny,
    }
}

pub(super) fn run(args: &CheckArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    if args.batch {
        return batch(places, environment);
    }
    let cwd = args.call.cwd.as_deref().map(Path::to_string_lossy);
    let at = circumstances(environment, cwd.as_deref());
    let call = call(&args.call)?;
    let bench = Bench::open(places, environment, &at.project_root)?;
    let trace = bench.chain.decide(&call, &at, &bench.facts, Ask::default());
    match args.format {
        Format::Json => print::line(&serde_json::to_string(&Record::of(&trace))?)?,
        Format::Human => {
            let outcome = outcome_name(trace.verdict.outcome);
            let told = text::reason(&trace.verdict);
            let told = if told.is_empty() { "no policy objects".to_owned() } else { told };
            print::line(&format!("{}: {}", print::coloured(outcome, outcome), told.replace('\n', "\n  ")))?;
        }
    }
    for warning in &bench.chain.prepared.config.warnings {
        print::note(&format!("warning: {warning}"));
    }
    Ok(exit(&trace.verdict))
}

/// One line of a batch that is no hook payload.
#[derive(Debug, Deserialize)]
struct Line {
    tool: String,
    input: Value,
    #[serde(default)]
    cwd: Option<String>,
}

#[derive(Debug, Serialize)]
struct BadLine {
    line: usize,
    error: String,
}

fn batch(places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let mut benches: HashMap<String, Bench> = HashMap::new();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut input = std::io::stdin().lock();
    let mut result = Exit::Success;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match decide_line(&bytes, &mut benches, places, environment) {
            Ok(record) => serde_json::to_writer(&mut out, &record)?,
            Err(error) => {
                result = Exit::Data;
                serde_json::to_writer(&mut out, &BadLine { line: number, error: error.to_string() })?;
            }
        }
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(result)
}

fn decide_line(
    bytes: &[u8],
    benches: &mut HashMap<String, Bench>,
    places: &Places,
    environment: &Environment,
) -> anyhow::Result<Record> {
    if bytes.len() > LINE_BYTES {
        return Err(refused(Exit::Data, "the line is longer than 16 MiB", ""));
    }
    let object: Map<String, Value> = serde_json::from_slice(bytes)?;
    let (calls, cwd) = if object.contains_key("tool") {
        let line: Line = serde_json::from_value(Value::Object(object))?;
        (vec![tool_call(&line.tool, line.input)?], line.cwd)
    } else {
        payload(&object)?
    };
    let at = circumstances(environment, cwd.as_deref().filter(|cwd| !cwd.is_empty()));
    if !benches.contains_key(&at.project_root) {
        benches.insert(at.project_root.clone(), Bench::open(places, environment, &at.project_root)?);
    }
    let bench = benches.get(&at.project_root).ok_or_else(|| anyhow::anyhow!("no chain"))?;
    let traces = calls.iter().map(|call| bench.chain.decide(call, &at, &bench.facts, Ask::default()));
    let worst = traces.max_by_key(|trace| crate::contract::rank(trace.verdict.outcome));
    // A payload without a call is one that nobody has to decide.
    let worst = worst.unwrap_or_else(|| {
        let nothing = ToolCall::new("", Map::new());
        bench.chain.decide(&nothing, &at, &bench.facts, Ask { only: Some(&[]), ..Ask::default() })
    });
    Ok(Record::of(&worst))
}

/// The calls of a hook payload, and its working directory.
fn payload(object: &Map<String, Value>) -> anyhow::Result<(Vec<ToolCall>, Option<String>)> {
    let harness = harness::detect(object, harness::default());
    if !harness.detects(object) {
        return Err(refused(Exit::Data, "the line has neither `tool` and `input` nor a hook's `tool_input`", ""));
    }
    let payload = harness.decode(object)?;
    let calls = match payload.event {
        Event::Calls(calls) => calls,
        Event::SessionEnd | Event::Other => Vec::new(),
    };
    Ok((calls, Some(payload.cwd)))
}
