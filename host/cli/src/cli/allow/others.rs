//! [`Others`]: other stopped calls, to show which of them a choice affects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{LOGGED, SHOWN_BYTES, Setting, asks, lifts, logged, recorded_calls, recorded_input};
use crate::cli::past_questions::with_settings;
use crate::cli::subject::{Evaluators, call_context, tool_calls};
use guard_config::load;
use guard_contract::allow::Allow;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::{Outcome, rank};
use guard_hook::audit::Record;
use guard_hook::cache::{Readiness, prepare};
use guard_hook::chain::Trace;
use guard_redact::{plain, redact, shorten};
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// Other calls that are stopped.
pub(super) struct Others<'a> {
    dirs: &'a AppDirs,
    environment: &'a Environment,
    looked_at: usize,
    asked: Vec<Other>,
    pub(super) denied: Vec<Other>,
    /// The rule, tool and operation of asks for tools other than the shell.
    of_tools: BTreeSet<(String, String, String)>,
    /// The same asks as calls, with the text to show.
    calls_of_tools: BTreeMap<String, (Vec<ToolCall>, CallContext)>,
}

pub(super) struct Other {
    command: String,
    call: ToolCall,
    there: CallContext,
    trace: Trace,
}

impl<'a> Others<'a> {
    /// Reads the other asks and denials in the log, and the policies' examples.
    pub(super) fn read(
        itself: &(String, String),
        dirs: &'a AppDirs,
        environment: &'a Environment,
    ) -> anyhow::Result<Self> {
        let (own, cwd) = itself;
        let at = call_context(environment, Some(cwd.as_str()));
        let config = load(dirs, &at.projects());
        let asked = asks(&config.audit.path)?;
        // A setting may also lift denials.
        let denied = logged(&config.audit.path, "block")?;
        let commands = |calls: &[Record]| -> BTreeSet<(String, String)> {
            let of_shell = calls.iter().rev().filter(|call| call.tool == "Bash");
            of_shell.take(LOGGED).map(|call| (call.operation.clone(), call.cwd.clone())).collect()
        };
        let of_log = &commands(&asked) | &commands(&denied);
        let of_policies: BTreeSet<(String, String)> =
            examples(dirs, environment, &at).into_iter().map(|command| (command, cwd.clone())).collect();
        let mut evaluators = Evaluators::new(dirs, environment);
        let of_tools = asked.iter().filter(|ask| ask.tool != "Bash" && ask.operation != *own);
        let calls_of_tools = of_tools.clone().filter_map(|ask| {
            let there = call_context(environment, Some(ask.cwd.as_str()).filter(|cwd| !cwd.is_empty()));
            Some((shown_of_tool(&ask.tool, &ask.operation), (recorded_calls(ask, &there)?, there)))
        });
        let calls_of_tools = calls_of_tools.collect();
        let of_tools: BTreeSet<(String, String, String)> = of_tools
            .flat_map(|ask| ask.rules.iter().map(|rule| (rule.clone(), ask.tool.clone(), ask.operation.clone())))
            .collect();
        let (asked, denied) = (Vec::new(), Vec::new());
        let mut others = Others { dirs, environment, looked_at: 0, asked, denied, of_tools, calls_of_tools };
        for (command, cwd) in of_log.union(&of_policies).filter(|other| *other != itself) {
            let there = call_context(environment, Some(cwd));
            let Ok(calls) = tool_calls("Bash", Value::String(command.clone())) else { continue };
            if command == own && *cwd == at.cwd {
                continue;
            }
            others.looked_at += 1;
            let (Some(trace), Some(call)) = (evaluators.decide(&calls, &there)?, calls.into_iter().next()) else {
                continue;
            };
            let outcome = trace.verdict.outcome;
            let other = Other { command: command.clone(), call, there, trace };
            match outcome {
                Outcome::Ask => others.asked.push(other),
                Outcome::Deny => others.denied.push(other),
                _ => {}
            }
        }
        Ok(others)
    }

    pub(super) fn count(&self) -> usize {
        let of_tools: BTreeSet<_> = self.of_tools.iter().map(|(_, tool, operation)| (tool, operation)).collect();
        self.looked_at + of_tools.len()
    }

    /// Returns the calls that the allows would let run.
    pub(super) fn passing(&self, allows: &[Allow], evaluators: &mut Evaluators<'_>) -> anyhow::Result<Vec<String>> {
        let mut passing = Vec::new();
        for other in &self.asked {
            if lifts(evaluators.evaluator_at(&other.there)?, allows, &other.trace, (&other.call, &other.there)) {
                passing.push(other.shown());
            }
        }
        passing.extend(self.of_tools_passing(allows));
        Ok(passing)
    }

    /// Returns the calls of tools other than the shell that the allows would let run.
    fn of_tools_passing(&self, allows: &[Allow]) -> BTreeSet<String> {
        let mut by_call: BTreeMap<(&str, &str), Vec<&String>> = BTreeMap::new();
        for (rule, tool, operation) in &self.of_tools {
            by_call.entry((tool, operation)).or_default().push(rule);
        }
        let passes = |tool: &str, operation: &str, rules: &[&String]| {
            let record = Record { tool: tool.to_owned(), operation: operation.to_owned(), ..Record::default() };
            let Some(call) = recorded_input(&record).map(|input| ToolCall::new(tool, input)) else { return false };
            allows.iter().any(|allow| allow.is_for(&call) && rules.iter().all(|rule| allow.rules.contains(*rule)))
        };
        let passing = by_call.iter().filter(|((tool, operation), rules)| passes(tool, operation, rules));
        passing.map(|((tool, operation), _)| shown_of_tool(tool, operation)).collect()
    }

    /// Returns the calls that would run with a warning, because a backup restores everything that they destroy.
    pub(super) fn recoverable(&self, evaluators: &mut Evaluators<'_>) -> anyhow::Result<Vec<String>> {
        let mut passing = Vec::new();
        for other in &self.asked {
            if evaluators.evaluator_at(&other.there)?.would_skip_prompt(&other.call, &other.trace, &other.there) {
                passing.push(other.shown());
            }
        }
        Ok(passing)
    }

    /// Returns the calls that no policy asks about with these settings, and those that none denies.
    pub(super) fn loosened_by(&self, settings: &[Setting]) -> anyhow::Result<(Vec<String>, Vec<String>)> {
        let scratch = tempfile::tempdir()?;
        let Some(dirs) = with_settings(settings, scratch.path(), self.dirs)? else { return Ok(Default::default()) };
        let mut evaluators = Evaluators::new(&dirs, self.environment);
        let mut is_below = |outcome: Outcome, calls: &[ToolCall], there: &CallContext| -> anyhow::Result<bool> {
            let verdict = evaluators.decide(calls, there)?.map(|trace| trace.verdict);
            Ok(verdict.is_some_and(|verdict| rank(verdict.outcome) < rank(outcome)))
        };
        let (mut passing, mut loosened) = (Vec::new(), Vec::new());
        for (outcome, others, found) in
            [(Outcome::Ask, &self.asked, &mut passing), (Outcome::Deny, &self.denied, &mut loosened)]
        {
            for other in others {
                if is_below(outcome, std::slice::from_ref(&other.call), &other.there)? {
                    found.push(other.shown());
                }
            }
        }
        for (shown, (calls, there)) in &self.calls_of_tools {
            if is_below(Outcome::Ask, calls, there)? {
                passing.push(shown.clone());
            }
        }
        Ok((passing, loosened))
    }

    /// Returns the calls that only these rules deny.
    pub(super) fn denied_by(&self, rules: &[String]) -> Vec<String> {
        let is_only = |other: &&Other| {
            let findings = other.trace.verdict.findings.iter();
            findings.filter(|found| found.finding.outcome == Outcome::Deny).all(|found| rules.contains(&found.rule()))
        };
        self.denied.iter().filter(is_only).map(Other::shown).collect()
    }

    /// Returns the calls for which only these rules ask.
    pub(super) fn asked_by(&self, rules: &[String]) -> Vec<String> {
        let is_only = |other: &&Other| other.trace.verdict.asks().all(|asked| rules.contains(&asked.rule()));
        let of_tools = self.of_tools.iter().filter(|(own, ..)| rules.contains(own));
        let of_tools: BTreeSet<String> = of_tools.map(|(_, tool, operation)| shown_of_tool(tool, operation)).collect();
        self.asked.iter().filter(is_only).map(Other::shown).chain(of_tools).collect()
    }
}

fn shown_of_tool(tool: &str, operation: &str) -> String {
    format!("{} {}", plain(tool), shorten(&plain(operation), SHOWN_BYTES))
}

impl Other {
    fn shown(&self) -> String {
        format!("{} in {}", shorten(&plain(&redact(&self.command)), SHOWN_BYTES), plain(&self.there.cwd))
    }
}

/// Returns the shell commands in the examples of the chain's policies.
fn examples(dirs: &AppDirs, environment: &Environment, at: &CallContext) -> Vec<String> {
    // A prepared chain has no examples.
    let prepared = prepare(dirs, &environment.program, &at.projects(), None);
    let manifests = prepared.members.iter().filter_map(|member| match &member.readiness {
        Readiness::Ready { manifest, .. } => Some(manifest),
        Readiness::Broken(_) => None,
    });
    let examples = manifests.flat_map(|manifest| &manifest.examples).filter(|example| example.tool == "Bash");
    let input = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    examples.filter_map(|example| input(&example.input)?.get("command")?.as_str().map(str::to_owned)).collect()
}
