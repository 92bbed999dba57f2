//! `guard-host check`: prints the hook's verdict without writing to the audit log or adding a pending call. Like all
//! commands that evaluate policies, it compiles missing artifacts.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::args::{CheckArgs, Format};
use super::explain::Parts;
use super::print;
use super::subject::{
    Evaluator, Evaluators, call_context, calls, exit_error, payload_calls, policy_and_input, tool_calls,
};
use guard_contract::exit::Exit;
use guard_contract::syntax::Coverage;
use guard_contract::{Outcome, outcome_name};
use guard_harness::text;
use guard_hook::chain::Trace;
use guard_redact::{hide_shapes, plain};
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The maximum length of a line in a batch, in bytes.
const LINE_BYTES: usize = 16 << 20;

/// A verdict in JSON. Keys are only ever added.
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
    /// Creates the record of a trace. `None` means that there was nothing to decide.
    pub(super) fn from_trace(trace: Option<&Trace>) -> Self {
        let deciding = trace.and_then(|trace| trace.verdict.deciding());
        let analysis = trace.and_then(|trace| trace.analysis.as_ref());
        Record {
            outcome: outcome_name(outcome(trace)),
            policy: deciding.map(|deciding| deciding.policy.clone()).unwrap_or_default(),
            rule: deciding.map(|deciding| deciding.finding.rule.clone()).unwrap_or_default(),
            message: deciding.map(|deciding| hide_shapes(&plain(&deciding.finding.message))).unwrap_or_default(),
            remedy: deciding.map(|deciding| hide_shapes(&plain(&deciding.finding.remedy))).unwrap_or_default(),
            coverage: analysis.map_or("", |analysis| coverage_name(analysis.coverage)),
        }
    }
}

/// Returns the name of a coverage for users.
pub(super) fn coverage_name(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Complete => "complete",
        Coverage::Partial => "partial",
        Coverage::Unparsed => "unparsed",
    }
}

fn outcome(trace: Option<&Trace>) -> Outcome {
    trace.map_or(Outcome::Abstain, |trace| trace.verdict.outcome)
}

/// Formats an outcome and its reason for people.
pub(super) fn headline(outcome: Outcome, reason: &str) -> String {
    let name = outcome_name(outcome);
    // "Abstain" means little to people.
    let (word, after) = if outcome == Outcome::Abstain { ("ok", " (verdict: abstain)") } else { (name, "") };
    format!("{}: {}{after}", print::color_by_outcome(word, name), reason.replace('\n', "\n  "))
}

/// Returns the exit code of an outcome.
fn exit(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::Abstain | Outcome::Allow | Outcome::Warn => Exit::Success,
        Outcome::Ask => Exit::Ask,
        Outcome::Deny => Exit::Deny,
    }
}

pub(super) fn run(args: &CheckArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    if args.batch {
        return batch(dirs, environment);
    }
    let cwd = args.call.cwd.as_deref().map(Path::to_string_lossy);
    let at = call_context(environment, cwd.as_deref());
    let (policy, input) = policy_and_input(&args.input);
    let calls = calls(&args.call, &input_text(&input)?)?;
    let evaluator = Evaluator::open_policy(policy, dirs, environment, &at.projects())?;
    let trace = evaluator.decide(&calls, &at);
    match args.format {
        Format::Human if print::is_quiet() => {}
        Format::Json => print::line(&serde_json::to_string(&Record::from_trace(trace.as_ref()))?)?,
        Format::Human => {
            let told = trace.as_ref().map(|trace| text::reason(&trace.verdict)).unwrap_or_default();
            let told = if told.is_empty() { "no objection".to_owned() } else { told };
            print::line(&headline(outcome(trace.as_ref()), &told))?;
        }
    }
    for line in trace.iter().flat_map(|trace| Parts::new(trace).policies) {
        print::detail(&line);
    }
    for warning in &evaluator.chain.prepared.config.warnings {
        print::note(&format!("warning: {}", warning.with_hint()));
    }
    Ok(exit(outcome(trace.as_ref())))
}

/// Returns the input. `-` means standard input, without the line break at its end.
pub(super) fn input_text(input: &str) -> anyhow::Result<Cow<'_, str>> {
    if input != "-" {
        return Ok(Cow::Borrowed(input));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LINE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LINE_BYTES {
        return Err(exit_error(Exit::Data, "standard input has more than 16 MiB", ""));
    }
    let text = String::from_utf8(bytes).map_err(|_| exit_error(Exit::Data, "standard input is not UTF-8 text", ""))?;
    Ok(Cow::Owned(text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// A line of a batch that isn't a hook payload.
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

fn batch(dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let mut evaluators = Evaluators::new(dirs, environment);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut input = BufReader::new(std::io::stdin().lock());
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
        match decide_line(&bytes, &mut evaluators, environment) {
            Ok(record) => serde_json::to_writer(&mut out, &record)?,
            Err(error) => {
                result = Exit::Data;
                serde_json::to_writer(&mut out, &BadLine { line: number, error: error.to_string() })?;
            }
        }
        out.write_all(b"\n")?;
        // A program that writes one line and waits gets its verdict.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    out.flush()?;
    Ok(result)
}

fn decide_line(bytes: &[u8], evaluators: &mut Evaluators<'_>, environment: &Environment) -> anyhow::Result<Record> {
    if bytes.len() > LINE_BYTES {
        return Err(exit_error(Exit::Data, "the line is longer than 16 MiB", ""));
    }
    let object: Map<String, Value> = serde_json::from_slice(bytes)?;
    let (calls, cwd) = if object.contains_key("tool") {
        let line: Line = serde_json::from_value(Value::Object(object))?;
        (tool_calls(&line.tool, line.input)?, line.cwd.unwrap_or_default())
    } else if let (Some(Value::String(command)), false) = (object.get("command"), object.contains_key("tool_input")) {
        let cwd = object.get("cwd").and_then(Value::as_str).unwrap_or_default();
        (tool_calls("Bash", Value::String(command.clone()))?, cwd.to_owned())
    } else {
        payload_calls(&object)?
    };
    let at = call_context(environment, Some(cwd.as_str()).filter(|cwd| !cwd.is_empty()));
    Ok(Record::from_trace(evaluators.decide(&calls, &at)?.as_ref()))
}
