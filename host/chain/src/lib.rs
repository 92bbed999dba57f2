//! Asks every policy of a chain that covers a call, and merges their opinions.
//!
//! A [`Sandbox`] runs the policies: wasmtime in the hook, and the composed component itself in a service.
//!
//! # Invariants
//!
//! - This crate does no input or output, and knows neither wasmtime nor files.
//! - Every policy that covers a call is asked, regardless of the others' answers. A policy that doesn't answer is a
//!   fault.
//! - Policies of folders below a project's root are asked after the chain, and can only tighten the verdict.
//! - A third-party policy's text is limited to lines that are marked as its own. The call's secrets are redacted in its
//!   answer before any other code reads it.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

pub mod embedded;
mod allows;
mod bypass;
mod committed;
pub mod exchange;
mod inquiry;
mod reading;
pub mod redaction;
pub mod scene;

use std::sync::Arc;
use std::time::Duration;

use guard_contract::allow::Allow;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::{Entry, may_loosen};
use guard_contract::readings::{self, Arguments, READINGS, Readings};
use guard_contract::scripts::Scripts;
use guard_contract::syntax::Analysis;
use guard_contract::verdict::{Opinion, Verdict, merge, tighten_or_inform};
use guard_contract::{FaultKind, JournalLine};
use guard_contract::{Layer, Manifest, Outcome, Problem};
use guard_facts::sources::Sources;
use guard_facts::{Answer, Facts, Question, Scene};
use inquiry::{Inquiry, is_asked};
use reading::{is_plausible, opinion_on_reading};

pub use bypass::bypass;

/// The runtime that runs the policies of a chain and reads commands.
pub trait Sandbox {
    /// State shared by the policies of one call.
    type Shared: Default;

    /// Analyzes a command in a dialect. `sources` reads the files that it runs. Without it, no file is read.
    ///
    /// # Errors
    ///
    /// The analyzer can't run, or it failed.
    fn analyze(
        &self,
        shared: &mut Self::Shared,
        command: &str,
        dialect: &str,
        at: &CallContext,
        sources: Option<&Arc<Sources>>,
    ) -> Result<Analysis, FaultKind>;

    /// Asks the policy at an index of the chain. Returns a fault if that isn't possible.
    fn ask(&self, shared: &mut Self::Shared, place: usize, given: SettingsToUse, question: &Question<'_>) -> Answer;

    /// Returns the problem with settings that a policy rejects, and its location.
    fn refused_settings(&self, entry: &Entry, refusal: &str) -> Problem;

    /// Returns the time since an arbitrary earlier moment, for the durations that are shown.
    fn elapsed(&self) -> Duration;
}

/// The settings that a policy is asked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsToUse {
    /// The settings of its entry.
    Own,
    /// The policy's defaults.
    Defaults,
}

/// The settings of a policy without any in the configuration.
pub const DEFAULTS: &str = "{}";

/// A policy of a chain.
#[derive(Debug, Clone, Copy)]
pub struct ChainMember<'a> {
    /// Its entry in the configuration.
    pub entry: &'a Entry,
    /// Its manifest, and whether it wants the analysis; or the reason why it can't be asked.
    pub ready: Result<(&'a Manifest, bool), &'a FaultKind>,
    /// Whether all its messages are guard-host's own, so that they need no attribution.
    pub speaks_for_itself: bool,
}

/// The configuration apart from its policies.
#[derive(Debug, Clone, Copy)]
pub struct ChainConfig<'a> {
    /// Problems with the configuration.
    pub problems: &'a [Problem],
    /// The policies that the configuration switches off.
    pub disabled: &'a [String],
    /// The meaning of the arguments of unknown tools.
    pub tools: &'a [Arguments],
    /// Allows for calls that run without a prompt.
    pub allows: &'a [Allow],
    /// The policies that only the managed configuration can loosen.
    pub locked: &'a [String],
    /// How the files that a call runs are judged.
    pub scripts: Scripts,
    /// Today's date in UTC, such as `2026-01-31`.
    pub today: fn() -> String,
}

/// A chain, as one call sees it.
pub struct Chain<'a, S> {
    /// The sandbox that runs its policies.
    pub sandbox: &'a S,
    /// The rest of its configuration.
    pub config: ChainConfig<'a>,
    /// Its policies, in order.
    pub members: Vec<ChainMember<'a>>,
}

impl<S> std::fmt::Debug for Chain<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chain").field("members", &self.members).finish_non_exhaustive()
    }
}

/// A call, its context, and the machine's facts.
pub type CallSite<'a> = (&'a ToolCall, &'a CallContext, &'a dyn Facts);

/// The most severe outcome that is paused for the policy of this name. `None` if the policy isn't paused.
pub type Paused<'a> = dyn Fn(&str) -> Option<Outcome> + 'a;

/// Returns the opinions of other chains on a call in this scene. They can only tighten the verdict.
pub type NestedChains<'a> = dyn Fn(&ToolCall, &Scene, AskOptions<'_>) -> (Vec<Opinion>, Vec<Step>) + 'a;

/// The evaluation of one call.
#[derive(Debug)]
pub struct Trace {
    /// The verdict of the chain.
    pub verdict: Verdict,
    /// The analysis of the call; `None` if no policy requests it.
    pub analysis: Option<Arc<Analysis>>,
    /// The duration of the analysis.
    pub analysis_time: Duration,
    /// The policies that were asked, in order.
    pub steps: Vec<Step>,
}

/// The evaluation of one policy.
#[derive(Debug)]
pub struct Step {
    /// Its name in the chain.
    pub policy: String,
    /// The policy's answer.
    pub answer: Answer,
    /// The findings that were softened because their files are unchanged since the last commit.
    pub softened: Vec<Softening>,
    /// The duration, including mapping the policy.
    pub time: Duration,
}

/// A finding that was softened or dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Softening {
    /// The name of the finding's rule.
    pub rule: String,
    /// The outcome before.
    pub from: Outcome,
    /// The outcome after. `abstain` if the finding was dropped.
    pub to: Outcome,
}

impl Trace {
    /// The journal lines of all policies, each with the policy's name.
    pub fn journal(&self) -> impl Iterator<Item = (&str, &JournalLine)> {
        self.steps.iter().flat_map(|step| step.answer.journal.iter().map(|line| (step.policy.as_str(), line)))
    }
}

/// Options of an evaluation, in addition to the call itself.
#[derive(Clone, Copy, Default)]
pub struct AskOptions<'a> {
    /// The names of the policies to ask, or `None` for all. Policies that the user may not loosen are always asked.
    pub only: Option<&'a [String]>,
    /// Called with each opinion as soon as it is known, so that the worst one so far applies when a deadline passes.
    pub on_opinion: Option<&'a (dyn Fn(&Opinion) + Sync)>,
    /// Grants every policy everything, for test worlds that only contain what the policy may see.
    pub grant_all: bool,
    /// The nested chains to ask after the policies of this chain, if any.
    pub below: Option<&'a NestedChains<'a>>,
    /// The scene with its analysis, if it already exists.
    pub scene: Option<&'a Scene>,
    /// Whether the call is a reading: what a call of an unknown tool amounts to.
    pub is_reading: bool,
    /// The most severe outcome that is paused for the policy of this name. `None` if the policy isn't paused.
    pub paused: Option<&'a Paused<'a>>,
    /// The names of the policies to ask again about a scene without the effects of committed files.
    pub without_committed: Option<&'a [String]>,
}

impl AskOptions<'_> {
    fn report(&self, opinion: &Opinion) {
        if let Some(on_opinion) = self.on_opinion {
            on_opinion(opinion);
        }
    }
}

impl std::fmt::Debug for AskOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AskOptions").field("only", &self.only).finish_non_exhaustive()
    }
}

impl<S: Sandbox> Chain<'_, S> {
    /// Asks every policy that covers the call.
    pub fn decide(&self, call: &ToolCall, at: &CallContext, facts: &Arc<dyn Facts>, ask: AskOptions<'_>) -> Trace {
        let mut opinions = Vec::new();
        let mut trace = self.ask(call, at, facts, ask, &mut opinions);
        self.ask_about_readings(call, at, facts, ask, &mut trace, &mut opinions);
        let allows = self.config.allows;
        let verdict = self.lift(merge(opinions), allows, (call, at, &**facts), trace.analysis.as_deref());
        Trace { verdict, ..trace }
    }

    /// Asks about the calls that a call of an unknown tool amounts to. The answers can only tighten the verdict.
    fn ask_about_readings(
        &self,
        call: &ToolCall,
        at: &CallContext,
        facts: &Arc<dyn Facts>,
        ask: AskOptions<'_>,
        trace: &mut Trace,
        opinions: &mut Vec<Opinion>,
    ) {
        let Readings { all, is_cut } = readings::of(call, self.config.tools);
        for reading in all {
            let mut reading_opinions = Vec::new();
            let options = AskOptions { on_opinion: None, scene: None, is_reading: true, ..ask };
            let reading_trace = self.ask(&reading.call, at, facts, options, &mut reading_opinions);
            if !is_plausible(&reading, reading_trace.analysis.as_deref()) {
                continue;
            }
            for opinion in reading_opinions {
                // The call itself already has the opinion on a broken policy.
                if opinion.of_host && opinions.contains(&opinion) {
                    continue;
                }
                let opinion = opinion_on_reading(opinion, &reading, call);
                ask.report(&opinion);
                opinions.push(opinion);
            }
            trace.steps.extend(reading_trace.steps);
            if trace.analysis.as_ref().is_none_or(|analysis| analysis.effects.is_empty()) {
                trace.analysis = reading_trace.analysis.or(trace.analysis.take());
            }
        }
        if is_cut {
            let text = format!("the tool is not known, and more than {READINGS} of its arguments may do something");
            let remedy = "make several calls of it, with fewer arguments each".to_owned();
            let cut = Opinion::from_host("hook", "too-many-arguments", Outcome::Ask, text, remedy);
            ask.report(&cut);
            opinions.push(cut);
        }
    }

    /// Asks every policy that covers the call, and appends their opinions without merging them.
    pub fn ask(
        &self,
        call: &ToolCall,
        at: &CallContext,
        facts: &Arc<dyn Facts>,
        ask: AskOptions<'_>,
        opinions: &mut Vec<Opinion>,
    ) -> Trace {
        let before = opinions.len();
        let mut record_opinion = |opinion: Opinion| {
            ask.report(&opinion);
            opinions.push(opinion);
        };
        // For a reading, opinions that apply to every call aren't repeated.
        if !ask.is_reading {
            self.configuration_opinions(ask.only).into_iter().for_each(&mut record_opinion);
        }

        // A hook for some policies is the user's, so it can't leave out those that the user can't loosen.
        let is_mandatory = |member: &ChainMember<'_>| !may_loosen(self.config.locked, Layer::User, member.entry);
        let queried: Vec<(usize, &ChainMember<'_>)> = (self.members.iter().enumerate())
            .filter(|(_, member)| ask.only.is_none_or(|only| only.contains(&member.entry.name)) || is_mandatory(member))
            .filter(|(_, member)| ask.without_committed.is_none_or(|again| again.contains(&member.entry.name)))
            .filter(|(_, member)| is_asked(member, &call.tool))
            .collect();
        let wanted = queried.iter().any(|(_, member)| member.ready.is_ok_and(|(_, wants_analysis)| wants_analysis));
        // Nested chains depend on the analysis. With `--only`, they aren't asked.
        let below = ask.below.filter(|_| ask.only.is_none());
        let analyzed = wanted || below.is_some() && call.command().is_some();
        let started = self.sandbox.elapsed();
        let mut shared = S::Shared::default();
        let scene = match ask.scene.filter(|_| analyzed) {
            Some(scene) => scene.clone(),
            None if analyzed => scene::with_analysis(call, at, facts.clone(), |command, dialect, sources| {
                let sources = Some(sources).filter(|_| self.config.scripts != Scripts::Off);
                self.sandbox.analyze(&mut shared, command, dialect, at, sources)
            }),
            None => scene::without_analysis(call, at, facts.clone()),
        };
        let analysis_time = self.sandbox.elapsed().saturating_sub(started);

        let inquiry = Inquiry::new(call, at, &scene, ask);
        let mut steps = Vec::with_capacity(queried.len());
        for (place, member) in queried {
            let started = self.sandbox.elapsed();
            let (answer, given) = self.ask_policy(&mut shared, place, member, &inquiry);
            given.into_iter().for_each(&mut record_opinion);
            let time = self.sandbox.elapsed().saturating_sub(started);
            steps.push(Step { policy: member.entry.name.clone(), answer, softened: Vec::new(), time });
        }
        if let Some(below) = below {
            // Nested chains can only tighten, so their opinions are reported after that is ensured.
            let ask = AskOptions {
                on_opinion: None,
                below: None,
                scene: analyzed.then_some(&scene),
                is_reading: false,
                ..ask
            };
            let (nested_opinions, nested_steps) = below(call, &scene, ask);
            steps.extend(nested_steps);
            for opinion in nested_opinions {
                record_opinion(Opinion { decision: tighten_or_inform(opinion.decision), ..opinion });
            }
        }
        if self.config.scripts == Scripts::Changed && ask.without_committed.is_none() {
            let new_opinions = opinions.get_mut(before..).unwrap_or_default();
            self.soften_committed((call, at, facts), &scene, ask, (new_opinions, &mut steps));
        }
        let analysis = wanted.then(|| scene.analysis.clone());
        Trace { verdict: merge([]), analysis, analysis_time, steps }
    }

    /// Returns the opinions on problems of the configuration and of the hook's `--only`.
    fn configuration_opinions(&self, only: Option<&[String]>) -> Vec<Opinion> {
        let mut opinions: Vec<Opinion> = self.config.problems.iter().map(Opinion::from_problem).collect();
        let is_member = |name: &String| self.members.iter().any(|member| member.entry.name == *name);
        let is_known = |name: &String| is_member(name) || self.config.disabled.contains(name);
        for name in only.unwrap_or_default().iter().filter(|name| !is_known(name)) {
            let text = format!("`--only` names `{name}`, which is not in the chain");
            let remedy = "correct the name in the hook's registration".to_owned();
            opinions.push(Opinion::from_host("hook", "unknown-policy", Outcome::Ask, text, remedy));
        }
        opinions
    }
}
