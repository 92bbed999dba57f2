//! [`Judge`]: decides one payload, independent of where it comes from and where the reply goes.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::call_context::{call_context, unlinked_path};
use super::confine::Confinement;
use super::consent::{self, Question, Reader};
use super::notes::with_notes;
use super::open_call::OpenCall;
use super::records::{DecisionRecord, EndRecord, RecordKind, Records, RefusedSettings, history_of};
use super::remote_decision::RemoteDecision;
use super::settings_change;
use super::{bypass, greeting, outcome, refused};
use crate::audit::Decision;
use crate::cache::Prepared;
use crate::chain::{AskOptions, Chain, Trace};
use crate::history::{self, SessionFacts};
use crate::remote::RemoteDecider;
use crate::undo::Copy;
use crate::{nested, redaction};
use guard_chain::Sandbox;
use guard_chain::exchange::JournalEntry;
use guard_config::{Audit, AuditLevel, Overrides};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::syntax::{Analysis, Effect};
use guard_contract::verdict::{BypassAsk, Opinion, Verdict, merge};
use guard_contract::{Layer, Outcome};
use guard_facts::Facts;
use guard_facts::recorded::Recording;
use guard_harness::capabilities::{Ask, Surface};
use guard_harness::payload::Refusal;
use guard_harness::{AskScene, Event, Harness, Payload, Variable};
use guard_state::environment::Environment;
use guard_state::history::History;
use guard_state::{AppDirs, Pause};

/// A source of chains.
pub trait Chains {
    /// Returns the chain that applies in this context.
    fn chain(&self, at: &CallContext) -> Arc<Chain>;

    /// Prepares the chain of folders below a project's root.
    fn nested(&self, folders: &[String]) -> Prepared;
}

/// Judges payloads.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The paths of the program's files.
    pub dirs: &'a AppDirs,
    /// The environment, for parts of a call's context that aren't in its payload.
    pub environment: &'a Environment,
    /// The facts about the machine.
    pub facts: &'a Arc<dyn Facts>,
    /// The overrides: the policies to ask, and settings.
    pub overrides: &'a Overrides,
    /// The variables that identify a harness's surface.
    pub variable: &'a Variable<'a>,
    /// A source of chains.
    pub chains: &'a dyn Chains,
    /// The client for a server that decides instead of the chain.
    pub asker: &'a dyn RemoteDecider,
}

impl std::fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("dirs", self.dirs).finish_non_exhaustive()
    }
}

/// The calls of one event, with their chain and context.
#[derive(Clone, Copy)]
pub(super) struct CallBatch<'a> {
    pub(super) call: &'a OpenCall,
    pub(super) chain: &'a Chain,
    pub(super) calls: &'a [ToolCall],
    pub(super) at: &'a CallContext,
    pub(super) pause: Option<&'a Pause>,
    pub(super) history: Option<&'a History>,
}

/// The answers to the calls of one event.
struct Evaluation {
    /// The traces of the local chain, one for each call.
    traces: Vec<Trace>,
    /// The merged verdict, with the server's.
    verdict: Verdict,
    /// Journal entries of the server's policies.
    journal: Vec<JournalEntry>,
    /// Whether a server has decided.
    is_remote: bool,
}

/// The answer to a payload.
#[derive(Debug)]
pub enum PayloadAnswer {
    /// A verdict.
    Verdict(Verdict),
    /// The payload can't be read, with the reason. Nothing is decided.
    Report(String),
}

/// A payload's answer, with the records to write.
#[derive(Debug)]
pub struct Judgement {
    /// The answer.
    pub answer: PayloadAnswer,
    /// Records to write besides the audit line.
    pub records: Records,
}

impl From<PayloadAnswer> for Judgement {
    fn from(answer: PayloadAnswer) -> Self {
        Judgement { answer, records: Records::default() }
    }
}

impl Judge<'_> {
    /// Decides a payload, or an unreadable one. `named` is the harness if the payload doesn't identify it.
    ///
    /// Updates `call` along the way with what an early reply needs.
    #[must_use]
    pub fn judge(
        &self,
        call: &OpenCall,
        named: &'static dyn Harness,
        payload: Result<&Map<String, Value>, &Refusal>,
    ) -> Judgement {
        let object = match payload {
            Ok(object) => object,
            Err(refusal) => {
                let usual = named.capabilities().usual_surface();
                return self.refuse(call, (named, usual), None, refusal);
            }
        };
        let harness = guard_harness::detect(object, named);
        let surface = harness.surface_in(object, self.variable);
        call.set_reply_form(harness, surface);
        match harness.decode(object) {
            Ok(payload) => {
                let input = object.get("tool_input").and_then(Value::as_object);
                self.decide(call, (harness, surface), payload, input)
            }
            Err(unreadable) => {
                let mode = object.get("permission_mode").and_then(Value::as_str).unwrap_or_default();
                self.refuse(call, (harness, surface), Some(mode), &unreadable.into())
            }
        }
    }

    fn decide(
        &self,
        call: &OpenCall,
        (harness, surface): (&'static dyn Harness, &'static Surface),
        mut payload: Payload,
        input: Option<&Map<String, Value>>,
    ) -> Judgement {
        // An event without calls needs no chain.
        let calls = match std::mem::replace(&mut payload.event, Event::Other) {
            Event::Calls(calls) if !calls.is_empty() => calls,
            event => return self.note_event(harness, payload, event),
        };
        let at = call_context(harness, &payload, self.environment, &**self.facts);
        let surface = if payload.unknown_event { surface.for_unknown_event() } else { surface };
        let surface = self.surface_of((harness, surface), &calls, &at);
        call.set_reply_form(harness, surface);
        let chain = self.chains.chain(&at);
        let config = &chain.prepared.config;
        call.set_deadline(Duration::from_millis(config.deadline_ms.into()));
        let is_broken = config.problems.iter().any(|problem| problem.layer == Layer::Managed);
        call.set_fails_closed(is_broken || !config.locked.is_empty());
        let skips = harness.skips_prompts(&at.permission_mode);
        let denies_asks = skips && config.bypass_ask == BypassAsk::Deny;
        if denies_asks {
            call.deny_asks();
        }
        note(call, &config.audit, &calls, &at);
        let pause = Pause::load(&self.dirs.state, Timestamp::now());
        let history = history_of(self.dirs, &payload);
        let batch =
            CallBatch { call, chain: &chain, calls: &calls, at: &at, pause: pause.as_ref(), history: history.as_ref() };

        let Evaluation { traces, verdict, journal, is_remote } = self.evaluate(batch);
        let (verdict, notes) = with_notes(verdict, batch, &traces, self.dirs);
        let verdict = with_history_note(verdict, batch, &traces);
        let verdict = self.confined(verdict, batch, &traces, (surface, input));
        let is_refused = verdict.outcome == Outcome::Deny || verdict.outcome == Outcome::Ask && denies_asks;
        let copy = match is_refused {
            true => Copy::default(),
            false => Copy::make(call, config, (&calls, &traces), &at, self.dirs, self.environment, &verdict),
        };
        call.set_copy(copy.id());
        let verdict = copy.in_place_of_asks(verdict, &chain.prepared);
        let reader = reply_reader(surface, denies_asks, asks_itself(harness, &at));
        let (mut verdict, question) = self.with_question(verdict, batch, &traces, reader, is_remote);
        let is_for_agent = consent::is_for_agent(&verdict, reader);
        copy.tell(&mut verdict, is_for_agent);
        let verdict = if skips { bypass(verdict, config.bypass_ask) } else { verdict };

        let record = DecisionRecord {
            outcome: verdict.outcome,
            by_person: surface.answered_by_person,
            prompted: surface.ask == Ask::Person && harness.prompts(&at.permission_mode),
            key: if question.is_some() { outcome::key(&payload, &calls) } else { String::new() },
            chain,
            calls,
            traces,
            journal,
            question,
            notes,
            at,
            history,
        };
        let records = Records(RecordKind::Decision(Box::new(record)));
        Judgement { answer: PayloadAnswer::Verdict(verdict), records }
    }

    /// Lifts the asks that a person has approved. If any remain, returns the question to record, and ends the verdict
    /// with how to approve the call.
    fn with_question(
        &self,
        verdict: Verdict,
        batch: CallBatch<'_>,
        traces: &[Trace],
        reader: Reader,
        is_remote: bool,
    ) -> (Verdict, Option<Question>) {
        let CallBatch { chain, calls, at, .. } = batch;
        let config = &chain.prepared.config;
        let (mut verdict, question) = consent::answer(verdict, calls, traces, at, config, self.dirs, reader);
        if question.is_none() {
            return (verdict, None);
        }
        verdict.closing = if is_remote {
            consent::with_server_remedy(&verdict, config)
        } else {
            let by_allow = consent::can_allow(&verdict, chain, (calls, traces), at, &**self.facts);
            consent::with_remedy(&verdict, &chain.prepared, self.dirs, by_allow, reader)
        };
        (verdict, question)
    }

    /// Applies the setting `confine`, which a pause switches off.
    fn confined(
        &self,
        verdict: Verdict,
        batch: CallBatch<'_>,
        traces: &[Trace],
        (surface, input): (&Surface, Option<&Map<String, Value>>),
    ) -> Verdict {
        let supported = || guard_confine::check_support().map_err(|error| error.to_string());
        let confinement = Confinement {
            classes: if batch.pause.is_some() { &[] } else { &batch.chain.prepared.config.confine },
            rewrites: surface.rewrites,
            input,
            program: &self.environment.program.to_string_lossy(),
            supported: &supported,
        };
        confinement.applied(verdict, batch.calls, traces)
    }

    /// Handles an event without calls.
    fn note_event(&self, harness: &'static dyn Harness, payload: Payload, event: Event) -> Judgement {
        let kind = match event {
            Event::CallsEnded(end, calls) => {
                let at = call_context(harness, &payload, self.environment, &**self.facts);
                let has_history = history_of(self.dirs, &payload).is_some();
                let analysis = |call| if has_history { self.analyze(call, &at) } else { None };
                let analyses = calls.iter().map(analysis).collect();
                RecordKind::CallsEnded(Box::new(EndRecord { end, harness: harness.name(), payload, calls, analyses }))
            }
            Event::SessionStart => {
                let at = call_context(harness, &payload, self.environment, &**self.facts);
                let prepared = &self.chains.chain(&at).prepared;
                return PayloadAnswer::Verdict(greeting::verdict(prepared, self.dirs, &at.projects())).into();
            }
            Event::SettingsChange(file) => return self.note_settings(harness, &payload, &file),
            Event::SessionEnd => RecordKind::SessionEnded { session: payload.session },
            _ => RecordKind::Nothing,
        };
        Judgement { answer: PayloadAnswer::Verdict(merge([])), records: Records(kind) }
    }

    /// Returns the verdict on changed settings. During a pause of everything, they can be applied.
    fn note_settings(&self, harness: &'static dyn Harness, payload: &Payload, file: &str) -> Judgement {
        let pause = Pause::load(&self.dirs.state, Timestamp::now());
        if pause.is_some_and(|pause| pause.denies && pause.only.is_empty()) {
            return PayloadAnswer::Verdict(merge([])).into();
        }
        let verdict = settings_change::verdict(file, self.dirs, self.environment);
        if verdict.outcome != Outcome::Deny {
            return PayloadAnswer::Verdict(verdict).into();
        }
        let at = call_context(harness, payload, self.environment, &**self.facts);
        let input = Map::from_iter([("file_path".to_owned(), Value::from(file))]);
        let call = ToolCall::new("ConfigChange", input);
        let refused = RefusedSettings { chain: self.chains.chain(&at), at, call, verdict: verdict.clone() };
        Judgement {
            answer: PayloadAnswer::Verdict(verdict),
            records: Records(RecordKind::RefusedSettings(Box::new(refused))),
        }
    }

    /// Asks this machine's chain, or a server if the configuration names one.
    fn evaluate(&self, batch: CallBatch<'_>) -> Evaluation {
        let (traces, remote, journal) = match &batch.chain.prepared.config.remote {
            None => (self.ask_locally(batch, self.overrides.only.as_deref(), None), None, Vec::new()),
            Some(remote) => {
                let RemoteDecision { traces, verdict, journal } = self.decide_remotely(batch, remote);
                (traces, Some(verdict), journal)
            }
        };
        let is_stopped =
            |call: &ToolCall, trace: &Trace, effect: &Effect| batch.chain.stops_for((call, batch.at), trace, effect);
        let traces: Vec<Trace> = (batch.calls.iter().zip(traces))
            .map(|(call, trace)| {
                history::without_harmless_retries(trace, |trace, effect| is_stopped(call, trace, effect))
            })
            .collect();
        let is_remote = remote.is_some();
        let verdict = Verdict::all(traces.iter().map(|trace| trace.verdict.clone()).chain(remote));
        let mut verdict = history::without_retries(verdict);
        // Only this machine's chain may skip the harness's own prompt.
        verdict.skips_prompt &= !is_remote;
        Evaluation { traces, verdict, journal, is_remote }
    }

    /// Returns the surface that gets the reply about these calls.
    fn surface_of(
        &self,
        (harness, surface): (&'static dyn Harness, &'static Surface),
        calls: &[ToolCall],
        at: &CallContext,
    ) -> &'static Surface {
        let resolve = unlinked_path(at, &**self.facts);
        let mode = Some(at.permission_mode.as_str());
        harness.surface_of(surface, &AskScene { mode, calls, variable: self.variable, resolve: &resolve })
    }

    /// Asks this machine's chain about every call: all policies, or those of these names. With other `facts`, the chain
    /// isn't the only decider: folders below the project aren't asked, and the decision isn't recorded for replays.
    pub(super) fn ask_locally(
        &self,
        batch: CallBatch<'_>,
        only: Option<&[String]>,
        facts: Option<&Arc<dyn Facts>>,
    ) -> Vec<Trace> {
        let CallBatch { call, chain, calls, at, pause, history } = batch;
        let audit = &chain.prepared.config.audit;
        let nested = |folders: &[String]| self.chains.nested(folders);
        let nested = facts.is_none().then_some(&nested as &nested::Open<'_>);
        let keeps_facts = audit.level == AuditLevel::Facts && facts.is_none();
        let mut traces: Vec<Trace> = Vec::with_capacity(calls.len());
        let mut worst = None;
        for each in calls {
            call.set_record(audit, each, at);
            let own = || {
                let facts = facts.unwrap_or(self.facts).clone();
                match history {
                    Some(history) => Arc::new(SessionFacts::new(facts, history.clone(), each)) as Arc<dyn Facts>,
                    None => facts,
                }
            };
            let recording = keeps_facts.then(|| Arc::new(Recording::new(own())));
            let facts = recording.clone().map_or_else(own, |recording| recording as Arc<dyn Facts>);
            let record = |opinion: &Opinion| call.record_opinion(opinion);
            let trace = chain.decide(
                each,
                at,
                &facts,
                AskOptions { only, on_opinion: Some(&record), nested, pause, ..AskOptions::default() },
            );
            let rank = guard_contract::rank(trace.verdict.outcome);
            if worst.is_none_or(|(highest, _)| rank > highest) {
                worst = Some((rank, each));
                if let Some(recording) = recording {
                    // A replay doesn't know about pauses.
                    let unpaused = pause.and_then(|_| trace.verdict.unwatched());
                    let verdict = unpaused.as_ref().unwrap_or(&trace.verdict);
                    let secrets = redaction::secrets(each, at, trace.analysis.as_deref());
                    call.set_decision(Decision::new(each, at, recording.record(), verdict, &secrets));
                }
            }
            traces.push(trace);
        }
        if let Some((_, each)) = worst {
            call.set_record(audit, each, at);
        }
        traces
    }

    /// Analyzes a call's command.
    fn analyze(&self, call: &ToolCall, at: &CallContext) -> Option<Analysis> {
        let (command, dialect) = call.command()?;
        self.chains.chain(at).analyze(&mut Default::default(), command, dialect.name(), at, None).ok()
    }

    /// Answers a payload that can't be decided: a malformed one as configured, and an ambiguous or too large one with
    /// at least an ask.
    fn refuse(
        &self,
        call: &OpenCall,
        (harness, surface): (&'static dyn Harness, &'static Surface),
        mode: Option<&str>,
        refusal: &Refusal,
    ) -> Judgement {
        let scene = AskScene { mode, variable: self.variable, ..AskScene::UNREAD };
        // An agent can cause a payload that is too large or ambiguous, but not a malformed one.
        let is_agents = !matches!(refusal, Refusal::Malformed(_));
        call.set_reply_form(harness, if is_agents { harness.surface_of(surface, &scene) } else { surface });
        let at = call_context(harness, &Payload::nowhere(), self.environment, &**self.facts);
        // Only the settings are needed, so no chain is prepared.
        let config = guard_config::load(self.dirs, &at.projects());
        call.set_record(&config.audit, &ToolCall::new("", Map::new()), &at);
        match refused(refusal, &config, harness.capabilities()) {
            Some(verdict) => PayloadAnswer::Verdict(verdict).into(),
            None => PayloadAnswer::Report(refusal.text().to_owned()).into(),
        }
    }
}

/// Records the effects of calls in the history before they may run, and adds the history's opinion to the verdict.
fn with_history_note(verdict: Verdict, batch: CallBatch<'_>, traces: &[Trace]) -> Verdict {
    let Some(history) = batch.history else { return verdict };
    let note = match verdict.outcome {
        Outcome::Deny => history::repeated(history, &verdict),
        outcome => history::note_calls(history, batch.calls, traces, outcome),
    };
    let Some(note) = note else { return verdict };
    batch.call.record_opinion(&note);
    Verdict::all([verdict, merge([note])])
}

/// Returns who reads the reply to an ask.
fn reply_reader(surface: &Surface, denies_asks: bool, asks_itself: bool) -> Reader {
    match surface.ask {
        Ask::Person if denies_asks => Reader::Agent,
        Ask::Person if asks_itself => Reader::Person,
        Ask::Person => Reader::Either,
        Ask::Unproven | Ask::None => Reader::Agent,
    }
}

/// Returns whether the harness prompts a person in this mode, so that no other way to confirm is needed.
fn asks_itself(harness: &dyn Harness, at: &CallContext) -> bool {
    let mode = &at.permission_mode;
    let knows_no_modes = mode.is_empty() && harness.capabilities().modes.is_empty();
    knows_no_modes || harness.prompts(mode)
}

/// Until the chain has been asked, the log line is about the first call.
fn note(open: &OpenCall, audit: &Audit, calls: &[ToolCall], at: &CallContext) {
    if let Some(call) = calls.first() {
        open.set_record(audit, call, at);
    }
}
