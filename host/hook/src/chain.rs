//! [`Chain`]: a prepared chain whose policies run in this program's sandbox.

use std::path::Path;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

use crate::cache::{Member, Prepared, Readiness, discard};
use crate::history::RETRY;
use crate::{embedded, nested};
use guard_chain::exchange::{AnsweredRequest, Request, Undecided};
use guard_chain::{ChainConfig, ChainMember, DEFAULTS, Sandbox, SettingsToUse};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::{Entry, Source};
use guard_contract::syntax::{Analysis, Effect};
use guard_contract::verdict::{Attributed, Opinion, Verdict, merge};
use guard_contract::{FaultKind, Outcome, Problem};
use guard_engine::{Engine, Policy, SharedInstance};
use guard_facts::recorded::{Missing, Record, Recorded};
use guard_facts::sources::Sources;
use guard_facts::{Answer, Facts, Question, Resolver, Scene};
use guard_state::Pause;
use guard_state::session::today;

pub use guard_chain::{CallSite, Softening, Step, Trace};

/// A chain whose policies are mapped on first use.
#[derive(Debug)]
pub struct Chain {
    engine: Engine,
    /// The prepared chain.
    pub prepared: Prepared,
    policies: Vec<OnceLock<Result<LoadedPolicy, FaultKind>>>,
}

/// A policy that can be asked.
#[derive(Debug, Clone)]
struct LoadedPolicy {
    policy: Policy,
    /// Whether it is a snapshot, so that it already has its settings.
    is_configured: bool,
}

/// Options of an evaluation besides the call itself.
#[derive(Clone, Copy, Default)]
pub struct AskOptions<'a> {
    /// The names of the policies to ask, or `None` for all.
    pub only: Option<&'a [String]>,
    /// Called with each opinion as soon as it is known, so that the worst one so far applies when a deadline passes.
    pub on_opinion: Option<&'a (dyn Fn(&Opinion) + Sync)>,
    /// Grants every policy everything, for test worlds that only contain what the policy may see.
    pub grant_all: bool,
    /// The configurations of folders below the project's root. If `None`, they aren't asked.
    pub nested: Option<&'a nested::Open<'a>>,
    /// The scene with its analysis, if it already exists.
    pub scene: Option<&'a Scene>,
    /// A person's pause, during which the paused policies aren't enforced.
    pub pause: Option<&'a Pause>,
}

impl std::fmt::Debug for AskOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AskOptions").field("only", &self.only).finish_non_exhaustive()
    }
}

impl Chain {
    /// Creates a chain from a prepared one.
    #[must_use]
    pub fn new(engine: Engine, prepared: Prepared) -> Self {
        let policies = prepared.members.iter().map(|_| OnceLock::new()).collect();
        Chain { engine, prepared, policies }
    }

    /// Creates a chain whose policies are already loaded, one for each member in order.
    #[must_use]
    pub fn loaded(engine: Engine, prepared: Prepared, policies: Vec<Policy>) -> Self {
        let loaded = |(policy, member): (Policy, &Member)| {
            let is_configured = matches!(&member.readiness, Readiness::Ready { snapshot: Some(_), .. });
            OnceLock::from(Ok(LoadedPolicy { policy, is_configured }))
        };
        let policies = policies.into_iter().zip(&prepared.members).map(loaded).collect();
        Chain { engine, prepared, policies }
    }

    /// Asks every policy that covers the call.
    pub fn decide(&self, call: &ToolCall, at: &CallContext, facts: &Arc<dyn Facts>, ask: AskOptions<'_>) -> Trace {
        let AskOptions { only, on_opinion, grant_all, nested, scene, pause } = ask;
        let below = nested.map(|files| {
            move |call: &ToolCall, scene: &Scene, ask: guard_chain::AskOptions<'_>| {
                let folders = nested::of_call(call, at, scene, files);
                let mut opinions = Vec::new();
                if folders.is_empty() {
                    return (opinions, Vec::new());
                }
                let below = Chain::new(self.engine.clone(), files.open(&folders).beside(&self.prepared));
                let steps = below.view().ask(call, at, facts, ask, &mut opinions).steps;
                (opinions, steps)
            }
        });
        let paused = pause.map(|pause| {
            let worst = if pause.denies { Outcome::Deny } else { Outcome::Ask };
            move |name: &str| pause.pauses(name).then_some(worst)
        });
        let ask = guard_chain::AskOptions {
            only,
            on_opinion,
            grant_all,
            below: below.as_ref().map(|below| below as &guard_chain::NestedChains<'_>),
            scene,
            is_reading: false,
            without_committed: None,
            paused: paused.as_ref().map(|paused| paused as &guard_chain::Paused<'_>),
        };
        self.view().decide(call, at, facts, ask)
    }

    /// Returns whether a rule that denied the call denies it because of this effect: it denies the call with only this
    /// effect, and not without any.
    #[must_use]
    pub fn denies_for(&self, (call, at): (&ToolCall, &CallContext), trace: &Trace, effect: &Effect) -> bool {
        let Some(analysis) = &trace.analysis else { return false };
        if analysis.effects.len() == 1 {
            return true;
        }
        let rules: Vec<String> = denials(&trace.verdict).collect();
        let denied = |effects: Vec<Effect>| {
            let verdict = self.verdict_on((call, at), analysis, effects);
            denials(&verdict).filter(|rule| rules.contains(rule)).count()
        };
        denied(vec![effect.clone()]) > denied(Vec::new())
    }

    /// Returns whether a rule asks or denies because of this effect alone, regardless of the session's history.
    #[must_use]
    pub fn stops_for(&self, (call, at): (&ToolCall, &CallContext), trace: &Trace, effect: &Effect) -> bool {
        let is_stop = |found: &&Attributed| {
            let rule = found.finding.rule.as_str();
            let is_of_history = RULES_OF_HISTORY.contains(&rule);
            matches!(found.finding.outcome, Outcome::Ask | Outcome::Deny) && !found.of_host && !is_of_history
        };
        let Some(analysis) = trace.analysis.as_ref().filter(|_| call.command().is_some()) else {
            return trace.verdict.findings.iter().any(|found| is_stop(&found));
        };
        let stopped = |effects: Vec<Effect>| {
            self.verdict_on((call, at), analysis, effects).findings.iter().filter(is_stop).count()
        };
        stopped(vec![effect.clone()]) > stopped(Vec::new())
    }

    /// Returns the verdict on a call with only these effects, without facts about the machine.
    fn verdict_on(&self, (call, at): (&ToolCall, &CallContext), analysis: &Analysis, effects: Vec<Effect>) -> Verdict {
        let analysis = Analysis { effects, scripts: Vec::new(), ..Analysis::clone(analysis) };
        let facts: Arc<dyn Facts> = Arc::new(Recorded::new(Record::default()));
        let resolver = Resolver::new(&at.cwd, &at.home, &at.project_root);
        let scene = Scene::new(at.facts(call), analysis, facts.clone(), resolver);
        let ask = guard_chain::AskOptions { scene: Some(&scene), ..Default::default() };
        let mut opinions = Vec::new();
        self.view().ask(call, at, &facts, ask, &mut opinions);
        merge(opinions)
    }

    /// Answers a request from another machine. Stops when `is_over` returns true.
    ///
    /// # Errors
    ///
    /// Nothing is decided. See [`guard_chain::Chain::answer`].
    pub fn answer(&self, request: Request, is_over: impl Fn() -> bool) -> Result<AnsweredRequest, Undecided> {
        self.view().answer(request, self.prepared.config.bypass_ask, is_over, Missing::default)
    }

    /// Returns the chain for a call.
    #[must_use]
    pub fn view(&self) -> guard_chain::Chain<'_, Self> {
        let config = &self.prepared.config;
        let config = ChainConfig {
            problems: &config.problems,
            disabled: &config.disabled,
            tools: &config.tools,
            allows: &config.allows,
            locked: &config.locked,
            scripts: config.scripts,
            today,
        };
        let members = self.prepared.members.iter().map(|Member { entry, readiness }| ChainMember {
            entry,
            ready: match readiness {
                Readiness::Ready { artifact, manifest, .. } => Ok((manifest, artifact.interface.wants_analysis())),
                Readiness::Broken(fault) => Err(fault),
            },
            speaks_for_itself: speaks_for_itself(entry),
        });
        guard_chain::Chain { sandbox: self, config, members: members.collect() }
    }

    /// Returns the policy at an index, and maps it on first use.
    fn policy(&self, place: usize) -> Option<(&Member, Result<&LoadedPolicy, &FaultKind>)> {
        let (member, slot) = (self.prepared.members.get(place)?, self.policies.get(place)?);
        let Readiness::Ready { artifact, snapshot, .. } = &member.readiness else { return None };
        let load = |policy, is_configured| LoadedPolicy { policy, is_configured };
        let map = |path: &Path| {
            let code = self.engine.map(path).inspect_err(|_| discard(path))?;
            self.engine.load(&code, &artifact.interface, artifact.wasi)
        };
        let configured = || snapshot.as_ref().and_then(|snapshot| Some(load(map(&snapshot.path).ok()?, true)));
        let plain = || artifact.policy(&self.engine).map(|policy| load(policy, false));
        Some((member, slot.get_or_init(|| configured().map_or_else(plain, Ok)).as_ref()))
    }
}

impl Sandbox for Chain {
    type Shared = SharedInstance;

    fn analyze(
        &self,
        shared: &mut SharedInstance,
        command: &str,
        dialect: &str,
        at: &CallContext,
        sources: Option<&Arc<Sources>>,
    ) -> Result<Analysis, FaultKind> {
        let at = (at.cwd.as_str(), at.home.as_str());
        embedded::analyzer(&self.engine)?.analyze(shared, command, dialect, at, sources.cloned())
    }

    fn ask(&self, shared: &mut SharedInstance, place: usize, given: SettingsToUse, question: &Question<'_>) -> Answer {
        let Some((member, loaded)) = self.policy(place) else { return Answer::fault(FaultKind::NotReady) };
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(fault) => return Answer::fault(fault.clone()),
        };
        let entry = &member.entry;
        let settings = match given {
            SettingsToUse::Own => (!loaded.is_configured).then_some(entry.settings.as_str()),
            SettingsToUse::Defaults => Some(DEFAULTS),
        };
        loaded.policy.ask(shared, entry.limits, settings, question)
    }

    fn refused_settings(&self, entry: &Entry, refusal: &str) -> Problem {
        guard_config::refused_settings(entry, refusal)
    }

    fn elapsed(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

/// Rules that ask or deny because of earlier calls of the session.
const RULES_OF_HISTORY: [&str; 2] = [RETRY, "unknown-history"];

fn denials(verdict: &Verdict) -> impl Iterator<Item = String> {
    let is_denial = |found: &&Attributed| found.finding.outcome == Outcome::Deny && !found.of_host;
    verdict.findings.iter().filter(is_denial).map(Attributed::rule)
}

/// Returns whether all of the policy's messages are guard-host's own. Those of built-in policies outside of presets
/// come from their settings.
#[must_use]
pub fn speaks_for_itself(entry: &Entry) -> bool {
    let Source::Builtin(name) = &entry.source else { return false };
    guard_builtins::find(name).is_some_and(|builtin| !builtin.presets.is_empty())
}
