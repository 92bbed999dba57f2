//! [`Chain`]: asks every policy that covers a call, to the end, and merges what they say.

use std::cell::LazyCell;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cache::{Member, Prepared, Readiness, discard};
use crate::reading::{is_plausible, of_read};
use crate::redaction;
use crate::{nested, scene};
use guard_config::of_refused_settings;
use guard_contract::allow::{self, Allow, Here};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::grants::Grants;
use guard_contract::paths::is_below;
use guard_contract::policy::{Entry, Layer, Source, covers};
use guard_contract::readings::{self, READINGS, Readings};
use guard_contract::syntax::Analysis;
use guard_contract::verdict::{FAULT, Opinion, Verdict, merge, tighten_only};
use guard_contract::{FaultKind, JournalLine};
use guard_contract::{Manifest, Outcome, Problem};
use guard_engine::facts::{Facts, Resolver};
use guard_engine::{Answer, Engine, Policy, Question, Scene, Shared};
use guard_state::Pause;
use guard_state::session::today;

/// A chain whose policies are mapped when they are first needed.
#[derive(Debug)]
pub struct Chain {
    engine: Engine,
    /// What was prepared.
    pub prepared: Prepared,
    policies: Vec<OnceLock<Result<Loaded, FaultKind>>>,
}

/// The settings of a policy of which nothing is said.
const DEFAULTS: &str = "{}";

/// A call, where it happens, and the machine.
pub type Placed<'a> = (&'a ToolCall, &'a CallContext, &'a dyn Facts);

/// A policy and the place where it is mapped to.
type PolicySlot<'a> = (&'a Member, &'a OnceLock<Result<Loaded, FaultKind>>);

/// A policy that can be asked.
#[derive(Debug, Clone)]
struct Loaded {
    policy: Policy,
    /// It is a snapshot: it was given its settings already.
    is_configured: bool,
}

/// What became of one call.
#[derive(Debug)]
pub struct Trace {
    /// What the chain says.
    pub verdict: Verdict,
    /// What the call does; none if no policy asks for it.
    pub analysis: Option<Arc<Analysis>>,
    /// How long the analysis took.
    pub analysis_time: Duration,
    /// The policies that were asked, in order.
    pub steps: Vec<Step>,
}

/// What one policy said.
#[derive(Debug)]
pub struct Step {
    /// Its name in the chain.
    pub policy: String,
    /// What it answered.
    pub answer: Answer,
    /// How long it took, with mapping it.
    pub time: Duration,
}

impl Trace {
    /// The journal lines of all policies, with the name of each.
    pub fn journal(&self) -> impl Iterator<Item = (&str, &JournalLine)> {
        self.steps.iter().flat_map(|step| step.answer.journal.iter().map(|line| (step.policy.as_str(), line)))
    }
}

/// What to ask beyond the call itself.
#[derive(Clone, Copy, Default)]
pub struct Ask<'a> {
    /// Only the policies of these names; none: all.
    pub only: Option<&'a [String]>,
    /// Is told each opinion as it comes, so that a deadline finds the worst so far.
    pub watch: Option<&'a (dyn Fn(&Opinion) + Sync)>,
    /// Every policy is granted everything: for a world that holds only what is meant for it.
    pub grant_all: bool,
    /// Gives the chain of folders below the project's root that have a configuration of their own; none: they are not asked.
    pub nested: Option<&'a nested::Open<'a>>,
    /// The scene, with its analysis, if it was made already.
    pub scene: Option<&'a Scene>,
    /// The call is another one as the host reads it.
    pub is_reading: bool,
    /// A person's pause: what it is about stops nothing.
    pub pause: Option<&'a Pause>,
}

impl std::fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask").field("only", &self.only).finish_non_exhaustive()
    }
}

impl Chain {
    /// A chain over what was prepared.
    #[must_use]
    pub fn new(engine: Engine, prepared: Prepared) -> Self {
        let policies = prepared.members.iter().map(|_| OnceLock::new()).collect();
        Chain { engine, prepared, policies }
    }

    /// A chain whose policies are loaded already, one for each member in order.
    #[must_use]
    pub fn loaded(engine: Engine, prepared: Prepared, policies: Vec<Policy>) -> Self {
        let loaded = |(policy, member): (Policy, &Member)| {
            let is_configured = matches!(&member.readiness, Readiness::Ready { snapshot: Some(_), .. });
            OnceLock::from(Ok(Loaded { policy, is_configured }))
        };
        let policies = policies.into_iter().zip(&prepared.members).map(loaded).collect();
        Chain { engine, prepared, policies }
    }

    /// Asks every policy that covers the call.
    pub fn decide(&self, call: &ToolCall, at: &CallContext, facts: &Arc<dyn Facts>, ask: Ask<'_>) -> Trace {
        let mut opinions = Vec::new();
        let mut trace = self.ask(call, at, facts, ask, &mut opinions);
        self.ask_about_readings(call, at, facts, ask, &mut trace, &mut opinions);
        let allows = &self.prepared.config.allows;
        let verdict = self.lift(merge(opinions), allows, (call, at, &**facts), trace.analysis.as_deref());
        Trace { verdict, ..trace }
    }

    /// Lifts the asks that these allows answer, as far as they may here.
    #[must_use]
    pub fn lift(&self, verdict: Verdict, allows: &[Allow], of: Placed<'_>, analysis: Option<&Analysis>) -> Verdict {
        let (call, at, facts) = of;
        let config = &self.prepared.config;
        if verdict.outcome != Outcome::Ask || allows.is_empty() {
            return verdict;
        }
        let today = today();
        let allows: Vec<&Allow> = allows.iter().filter(|allow| !allow.is_over(&today)).collect();
        let may = |layer: Layer, policy: &str| {
            let entry = self.prepared.members.iter().map(|member| &member.entry).find(|entry| entry.name == policy);
            entry.is_some_and(|entry| config.may_loosen(layer, entry))
        };
        let leads_to = |path: &str| Resolver::new(&at.cwd, &at.home, &at.project_root).resolve(facts, path).canonical;
        let (canonical, root) = (leads_to(&at.cwd), leads_to(&at.project_root));
        let here = Here { cwd: &at.cwd, canonical: &canonical, root: &root };
        allow::lift(verdict, &allows, may, (call, here), analysis)
    }

    /// The narrowest allows that would lift the asks about a call, each with what `given` gives it; none if no allow can.
    #[must_use]
    pub fn sparing(
        &self,
        verdict: &Verdict,
        of: Placed<'_>,
        analysis: &Analysis,
        given: impl Fn(Allow) -> Allow,
    ) -> Option<Vec<Allow>> {
        let allows: Vec<Allow> = allow::narrowest(verdict, analysis, "").into_iter().map(given).collect();
        let checked: Result<Vec<Allow>, _> = allows.iter().map(|allow| allow.clone().checked("")).collect();
        self.lift(verdict.clone(), &checked.ok()?, of, Some(analysis)).is_allowed().then_some(allows)
    }

    /// Asks about a call of a tool that is not known as about the calls that it amounts to. What comes of it only tightens.
    fn ask_about_readings(
        &self,
        call: &ToolCall,
        at: &CallContext,
        facts: &Arc<dyn Facts>,
        ask: Ask<'_>,
        trace: &mut Trace,
        opinions: &mut Vec<Opinion>,
    ) {
        let Readings { all, is_cut } = readings::of(call, &self.prepared.config.tools);
        for reading in all {
            let mut said = Vec::new();
            let again = Ask { watch: None, scene: None, is_reading: true, ..ask };
            let of_reading = self.ask(&reading.call, at, facts, again, &mut said);
            if !is_plausible(&reading, of_reading.analysis.as_deref()) {
                continue;
            }
            for opinion in said {
                // That a policy is broken was said of the call itself.
                if opinion.of_host && opinions.contains(&opinion) {
                    continue;
                }
                let opinion = of_read(opinion, &reading, call);
                if let Some(watch) = ask.watch {
                    watch(&opinion);
                }
                opinions.push(opinion);
            }
            trace.steps.extend(of_reading.steps);
            if trace.analysis.as_ref().is_none_or(|analysis| analysis.effects.is_empty()) {
                trace.analysis = of_reading.analysis.or(trace.analysis.take());
            }
        }
        if is_cut {
            let text = format!("the tool is not known, and more than {READINGS} of its arguments may do something");
            let remedy = "make several calls of it, with fewer arguments each".to_owned();
            let cut = Opinion::of_host("hook", "too-many-arguments", Outcome::Ask, text, remedy);
            if let Some(watch) = ask.watch {
                watch(&cut);
            }
            opinions.push(cut);
        }
    }

    /// Asks every policy that covers the call, and puts what they say to the opinions. The verdict is left open.
    fn ask(
        &self,
        call: &ToolCall,
        at: &CallContext,
        facts: &Arc<dyn Facts>,
        ask: Ask<'_>,
        opinions: &mut Vec<Opinion>,
    ) -> Trace {
        let mut record_opinion = |opinion: Opinion| {
            if let Some(watch) = ask.watch {
                watch(&opinion);
            }
            opinions.push(opinion);
        };
        // What concerns every call was said of the call itself.
        for problem in self.prepared.config.problems.iter().filter(|_| !ask.is_reading) {
            record_opinion(Opinion::of_problem(problem));
        }
        if let Some(only) = ask.only.filter(|_| !ask.is_reading) {
            let disabled = &self.prepared.config.disabled;
            let is_member = |name: &String| self.prepared.members.iter().any(|member| member.entry.name == *name);
            let known = |name: &String| is_member(name) || disabled.contains(name);
            for name in only.iter().filter(|name| !known(name)) {
                let text = format!("`--only` names `{name}`, which is not in the chain");
                let remedy = "correct the name in the hook's registration".to_owned();
                record_opinion(Opinion::of_host("hook", "unknown-policy", Outcome::Ask, text, remedy));
            }
        }

        let asked: Vec<PolicySlot<'_>> = (self.prepared.members.iter().zip(&self.policies))
            .filter(|(member, _)| ask.only.is_none_or(|only| only.contains(&member.entry.name)))
            .filter(|(member, _)| is_asked(member, &call.tool))
            .collect();
        let wants = |(member, _): &PolicySlot<'_>| match &member.readiness {
            Readiness::Ready { artifact, .. } => artifact.interface.wants_analysis(),
            Readiness::Broken(_) => false,
        };
        let wanted = asked.iter().any(wants);
        // What a command concerns says its analysis alone. A hook that asks few policies asks these.
        let nested = ask.nested.filter(|_| ask.only.is_none());
        let analyzed = wanted || nested.is_some() && call.command().is_some();
        let started = Instant::now();
        let mut shared = Shared::default();
        let scene = match ask.scene.filter(|_| analyzed) {
            Some(scene) => scene.clone(),
            None if analyzed => scene::analyzed(call, at, facts.clone(), || scene::analyzer(&self.engine), &mut shared),
            None => scene::bare(call, at, facts.clone()),
        };
        let analysis_time = started.elapsed();

        let input = Value::Object(call.input.clone()).to_string();
        let mut steps = Vec::with_capacity(asked.len());
        let secrets = LazyCell::new(|| redaction::secrets(call, at, Some(&scene.analysis)));
        for seat in asked {
            let started = Instant::now();
            let (member, _) = seat;
            let entry = &member.entry;
            let mut decide = |policy: &Policy, settings: Option<&str>, manifest| {
                let grants = Arc::new(grants(entry, at, &scene, ask.grant_all));
                let question = Question { scene: scene.clone(), grants, manifest, tool: &call.tool, input: &input };
                let mut answer = policy.ask(&mut shared, entry.limits, settings, &question);
                if let Ok(decision) = &mut answer.decision {
                    // Finding the secrets takes longer than most policies do.
                    if !decision.findings.is_empty() {
                        redaction::clean(decision, &secrets);
                    }
                    if !speaks_for_itself(entry) {
                        redaction::confine(decision, entry);
                    }
                }
                answer
            };
            let is_paused =
                |pause: &Pause| pause.names(&entry.name) && self.prepared.config.may_loosen(Layer::User, entry);
            let is_watched = entry.watched || ask.pause.is_some_and(is_paused);
            let watched = |opinion: Opinion| if is_watched { opinion.watched() } else { opinion };
            let loaded = self.policy(seat);
            let mut answer = match (loaded, &member.readiness) {
                (Ok(loaded), Readiness::Ready { manifest, .. }) => {
                    let settings = (!loaded.is_configured).then_some(entry.settings.as_str());
                    decide(&loaded.policy, settings, manifest)
                }
                (Err(fault), _) | (_, Readiness::Broken(fault)) => Answer::fault(fault.clone()),
            };
            let mut of_defaults = None;
            if let Some(problem) = entry.broken_settings() {
                // It was given its defaults, as there is nothing else.
                let fault = Err(FaultKind::Settings(problem.to_string()));
                of_defaults = std::mem::replace(&mut answer.decision, fault).ok();
            } else if let (Err(fault), Ok(loaded), Readiness::Ready { manifest, .. }) =
                (&answer.decision, loaded, &member.readiness)
                && fault.is_refused_settings()
                && entry.settings != DEFAULTS
            {
                of_defaults = decide(&loaded.policy, Some(DEFAULTS), manifest).decision.ok();
            }
            let mut opinion = opinion(entry, &answer);
            if opinion.of_host {
                redaction::clean(&mut opinion.decision, &secrets);
            }
            record_opinion(watched(opinion));
            // A slip in the settings of a policy takes no deny of its defaults back.
            if let Some(decision) = of_defaults {
                let decision = tighten_only(decision);
                let opinion = Opinion { policy: entry.name.clone(), decision, may_allow: false, of_host: false };
                record_opinion(watched(opinion));
            }
            if let Some(problem) = entry.ignored_settings() {
                let text = format!("settings of `{}` are ignored, and its defaults hold: {problem}", entry.name);
                let warning =
                    Opinion::of_host(&entry.name, "ignored-settings", Outcome::Warn, text, problem.hint.clone());
                record_opinion(warning);
            }
            steps.push(Step { policy: entry.name.clone(), answer, time: started.elapsed() });
        }
        let folders = nested.map(|_| nested::of_call(call, at, &scene)).unwrap_or_default();
        if let Some(open) = nested.filter(|_| !folders.is_empty()) {
            let below = Chain::new(self.engine.clone(), open(&folders).beside(&self.prepared));
            let mut said = Vec::new();
            // What comes of it may only tighten, so it is told once that is sure.
            let ask = Ask { watch: None, nested: None, scene: analyzed.then_some(&scene), is_reading: false, ..ask };
            steps.extend(below.ask(call, at, facts, ask, &mut said).steps);
            for opinion in said {
                record_opinion(Opinion { decision: tighten_only(opinion.decision), ..opinion });
            }
        }
        let analysis = wanted.then(|| scene.analysis.clone());
        Trace { verdict: merge([]), analysis, analysis_time, steps }
    }

    /// The policy, mapped by whoever needs it first.
    fn policy<'a>(&self, (member, slot): PolicySlot<'a>) -> Result<&'a Loaded, &'a FaultKind> {
        match &member.readiness {
            Readiness::Ready { artifact, snapshot, .. } => {
                let load = |policy, is_configured| Loaded { policy, is_configured };
                let map = |path: &Path| {
                    let code = self.engine.map(path).inspect_err(|_| discard(path))?;
                    self.engine.load(&code, &artifact.interface, artifact.wasi)
                };
                let configured = || snapshot.as_ref().and_then(|snapshot| Some(load(map(&snapshot.path).ok()?, true)));
                let plain = || artifact.policy(&self.engine).map(|policy| load(policy, false));
                slot.get_or_init(|| configured().map_or_else(plain, Ok)).as_ref()
            }
            Readiness::Broken(fault) => Err(fault),
        }
    }
}

/// The policy is to be asked about the tool. One that is broken is asked unless the configuration rules that out.
fn is_asked(member: &Member, tool: &str) -> bool {
    let narrowed = member.entry.tools.as_deref();
    match &member.readiness {
        Readiness::Ready { manifest, .. } => covers(manifest, narrowed, tool),
        Readiness::Broken(_) => covers(&Manifest { tools: vec!["*".to_owned()], ..no_manifest() }, narrowed, tool),
    }
}

fn no_manifest() -> Manifest {
    Manifest {
        id: String::new(),
        version: String::new(),
        summary: String::new(),
        tools: Vec::new(),
        rules: Vec::new(),
        grants: Vec::new(),
        examples: Vec::new(),
    }
}

/// What a policy may ask for in this call.
fn grants(entry: &Entry, at: &CallContext, scene: &Scene, grant_all: bool) -> Grants {
    if grant_all {
        return Grants::everything();
    }
    let project = if entry.project.is_empty() { &at.project_root } else { &entry.project };
    let limited = entry.is_limited();
    let mut grants = entry.grants.resolve(&at.home, project, limited, &|name| scene.facts.env(name));
    if limited {
        // A link in the project may lead anywhere.
        let leads_to = |path: &str| scene.resolver.resolve(&*scene.facts, path).canonical;
        let root = leads_to(project);
        grants.read.retain(|path| is_below(&leads_to(path), &root));
    }
    grants
}

/// All that the policy says are words of guard-host's own. A built-in policy of no preset says what its settings say.
fn speaks_for_itself(entry: &Entry) -> bool {
    let Source::Builtin(name) = &entry.source else { return false };
    guard_builtins::find(name).is_some_and(|builtin| !builtin.presets.is_empty())
}

/// What a policy's answer means: a fault becomes what the configuration says of faults.
fn opinion(entry: &Entry, answer: &Answer) -> Opinion {
    match &answer.decision {
        Ok(decision) => {
            let decision = decision.clone();
            let decision = if entry.is_limited() { tighten_only(decision) } else { decision };
            Opinion { policy: entry.name.clone(), decision, may_allow: entry.may_allow, of_host: false }
        }
        Err(fault) => {
            let mut text = format!("the policy `{}` gave no answer: {fault}", entry.name);
            let remedy = match fault {
                FaultKind::Settings(_) => entry.broken_settings().map_or_else(String::new, |found| found.hint.clone()),
                FaultKind::Refused { text: refusal, .. } if fault.is_refused_settings() => {
                    let Problem { place, text: refusal, hint, .. } = of_refused_settings(entry, refusal);
                    text = format!("the policy `{}` gave no answer: its `configure` failed: ", entry.name);
                    text.push_str(&if place.is_empty() { refusal } else { format!("{place}: {refusal}") });
                    hint
                }
                FaultKind::Unused { hint, .. } => hint.clone(),
                FaultKind::NotReady => {
                    "wait some seconds and try again: it is being compiled; `guard-host cache warm` does it at once"
                        .to_owned()
                }
                _ => format!(
                    "repair or remove the policy in the {} configuration; `guard-host explain` shows more",
                    entry.layer.name()
                ),
            };
            Opinion::of_host(&entry.name, FAULT, entry.on_error, text, remedy)
        }
    }
}
