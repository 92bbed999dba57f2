//! [`Trial`]: runs all checks of one policy, and collects the results by rule.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::{self, Call};
use super::{Check, CheckedCall, RULES, State};
use guard_contract::call::CallContext;
use guard_contract::grants::Grants;
use guard_contract::manifest::{BreachKind, breaches, check_manifest};
use guard_contract::{Decision, Manifest, outcome_name};
use guard_contract::{FaultKind, Limits};
use guard_engine::{Analyzer, CallResult, Instance, Policy, SharedInstance};
use guard_facts::Facts;
use guard_facts::Used;
use guard_facts::fixed::FixedFacts;
use guard_hook::examples;
use guard_hook::scene;

/// The number of calls over a limit after which the checks stop, because each of them takes its full time.
const OVERRUNS: usize = 3;

/// The maximum number of problems that are recorded for one rule.
const PROBLEMS: usize = 10;

/// The context and facts of a call.
struct World {
    at: CallContext,
    facts: Arc<dyn Facts>,
    grants: Arc<Grants>,
}

impl World {
    /// Creates a world with an empty project, and everything granted.
    fn default_world() -> Self {
        World { at: examples::call_context(), facts: examples::facts(), grants: Arc::new(Grants::everything()) }
    }
}

pub(super) struct Trial {
    settings: String,
    analyzer: Result<Analyzer, FaultKind>,
    kept: BTreeMap<&'static str, RuleResults>,
    calls: Vec<CheckedCall>,
    overruns: usize,
}

#[derive(Default)]
struct RuleResults {
    tried: bool,
    problems: Vec<String>,
    notes: Vec<String>,
}

impl Trial {
    pub(super) fn new(settings: String, analyzer: Result<Analyzer, FaultKind>) -> Self {
        Trial { settings, analyzer, kept: BTreeMap::new(), calls: Vec::new(), overruns: 0 }
    }

    /// Records that the rule was tested, without a problem so far.
    pub(super) fn pass(&mut self, rule: &'static str) {
        self.kept.entry(rule).or_default().tried = true;
    }

    pub(super) fn note(&mut self, rule: &'static str, notes: Vec<String>) {
        self.kept.entry(rule).or_default().notes.extend(notes);
    }

    pub(super) fn problem(&mut self, rule: &'static str, text: String) {
        let problems = &mut self.kept.entry(rule).or_default().problems;
        if problems.len() < PROBLEMS && !problems.contains(&text) {
            problems.push(text);
        }
    }

    /// Runs all checks. Returns the policy's manifest.
    pub(super) fn run(&mut self, policy: &Policy) -> Option<Manifest> {
        let manifest = self.describe(policy)?;
        self.pass("manifest");
        if let Err(fault) = check_manifest(&manifest) {
            self.problem("manifest", fault.to_string());
            return Some(manifest);
        }
        self.examples(policy, &manifest);
        let ordinary = calls::ordinary(&manifest);
        self.bad_settings(policy, ordinary.first());
        if !self.configure(policy) {
            return Some(manifest);
        }
        if ordinary.is_empty() {
            self.note("decide", vec![format!("no usual call is of its tools: {}", manifest.tools.join(", "))]);
        }
        let usual = World::default_world();
        for call in &ordinary {
            let result = self.ask(policy, "decide", call, &usual, Some(&manifest));
            if let Some(Err(FaultKind::Refused { text, .. })) = result.map(|result| result.answer) {
                self.problem("decide", format!("{}: it gave the error `{}`", call.what, shorten(&text)));
            }
        }
        for (rule, calls) in [("odd-input", calls::odd()), ("error-as-data", calls::invalid_inputs())] {
            for call in &calls {
                self.ask(policy, rule, call, &usual, Some(&manifest));
            }
            self.note_errors(rule);
        }
        self.deterministic(policy, &ordinary, &usual);
        self.absent_facts(policy, &ordinary, &manifest);
        Some(manifest)
    }

    fn describe(&mut self, policy: &Policy) -> Option<Manifest> {
        let mut manifests = Vec::new();
        for _ in 0..2 {
            let mut instance = self.start(policy, "describe", "the manifest", Limits::PREPARE, Arc::default())?;
            let result = instance.describe();
            self.record_call(
                "describe",
                "the manifest",
                result.used,
                result.answer.as_ref().map(|_| "a manifest".to_owned()),
            );
            manifests.push(result.answer.ok()?);
        }
        self.pass("describe");
        let again = manifests.pop();
        let manifest = manifests.pop();
        if manifest != again {
            self.problem("describe", "two instances say different things".to_owned());
        }
        manifest
    }

    fn examples(&mut self, policy: &Policy, manifest: &Manifest) {
        self.pass("examples");
        match examples::check(policy, manifest, &self.analyzer) {
            Ok(()) if manifest.examples.is_empty() => {
                self.note("examples", vec!["it has none; a few would show its users what it does".to_owned()]);
            }
            Ok(()) => self.note("examples", vec![format!("{} hold", manifest.examples.len())]),
            Err(fault) => {
                let rule = belongs("examples", &fault);
                self.problem(rule, fault.under(Limits::PREPARE));
            }
        }
    }

    /// Checks that the policy accepts its settings. Returns whether it does.
    fn configure(&mut self, policy: &Policy) -> bool {
        let settings = self.settings.clone();
        let Some((_, given)) = self.start_configured(policy, "configure", "its settings", &settings, Arc::default())
        else {
            return false;
        };
        if let Err(FaultKind::Refused { text, .. }) = &given.answer {
            self.problem("configure", format!("it refuses them: `{}`", shorten(text)));
        }
        given.answer.is_ok()
    }

    fn bad_settings(&mut self, policy: &Policy, call: Option<&Call>) {
        let usual = World::default_world();
        let (mut refused, mut taken) = (Vec::new(), Vec::new());
        for (what, settings) in calls::bad_settings() {
            let configured = self.start_configured(policy, "bad-settings", what, &settings, usual.grants.clone());
            let Some((mut instance, result)) = configured else { continue };
            match result.answer {
                Ok(()) => {
                    taken.push(what);
                    // Accepted settings must not cause a trap later.
                    if let Some(call) = call {
                        let scene = scene::analyzed(
                            &call.call,
                            &usual.at,
                            usual.facts.clone(),
                            || self.analyzer.clone(),
                            &mut SharedInstance::default(),
                        );
                        let result = instance.decide(scene, &call.call.tool, &call.input);
                        let what = format!("{what}, then {}", call.what);
                        self.record_call("bad-settings", &what, result.used, result.answer.as_ref().map(outcome));
                    }
                }
                Err(FaultKind::Refused { .. }) => refused.push(what),
                Err(_) => {}
            }
        }
        let say = |what: &str, list: Vec<&str>| (!list.is_empty()).then(|| format!("{what}: {}", list.join(", ")));
        self.note("bad-settings", say("refused", refused).into_iter().chain(say("taken", taken)).collect());
    }

    fn deterministic(&mut self, policy: &Policy, ordinary: &[Call], world: &World) {
        let mut firsts = Vec::new();
        for call in ordinary {
            let first = self.ask(policy, "deterministic", call, world, None);
            let second = self.ask(policy, "deterministic", call, world, None);
            if let (Some(first), Some(second)) = (&first, &second)
                && !same(first, second)
            {
                self.problem("deterministic", format!("{}: two instances answer differently", call.what));
            }
            firsts.push(first);
        }
        let settings = self.settings.clone();
        let mut kept = None;
        for (call, first) in ordinary.iter().chain(ordinary).zip(firsts.iter().chain(&firsts)) {
            let Some(first) = first.as_ref().filter(|first| is_answer(&first.answer)) else { continue };
            if kept.is_none() {
                let grants = world.grants.clone();
                let configured = self.start_configured(policy, "deterministic", "its settings", &settings, grants);
                kept = configured.map(|(instance, _)| instance);
            }
            let Some(instance) = kept.as_mut() else { return };
            let scene = scene::analyzed(
                &call.call,
                &world.at,
                world.facts.clone(),
                || self.analyzer.clone(),
                &mut SharedInstance::default(),
            );
            let result = instance.decide(scene, &call.call.tool, &call.input);
            self.record_call("deterministic", &call.what, result.used, result.answer.as_ref().map(outcome));
            if is_answer(&result.answer) && !same(first, &result) {
                let text = format!("{}: an instance that was asked before answers differently", call.what);
                self.problem("deterministic", text);
            }
            if !is_answer(&result.answer) {
                kept = None;
            }
        }
    }

    fn absent_facts(&mut self, policy: &Policy, ordinary: &[Call], manifest: &Manifest) {
        let nothing = || Arc::new(FixedFacts::default());
        let nowhere = CallContext::default();
        let somewhere = examples::call_context;
        let worlds = [
            ("all is denied", World { at: somewhere(), facts: nothing(), grants: Arc::default() }),
            ("all is absent", World { at: somewhere(), facts: nothing(), grants: Arc::new(Grants::everything()) }),
            ("no folder is known", World { at: nowhere, facts: nothing(), grants: Arc::default() }),
        ];
        for (known, world) in &worlds {
            for call in ordinary {
                let result = self.ask(policy, "absent-facts", call, world, Some(manifest));
                if let Some(Err(FaultKind::Refused { text, .. })) = result.map(|result| result.answer) {
                    let text = format!("{} where {known}: it gave the error `{}`", call.what, shorten(&text));
                    self.problem("absent-facts", text);
                }
            }
        }
    }

    /// Calls a fresh instance. `None` if it couldn't be started or rejects its settings.
    fn ask(
        &mut self,
        policy: &Policy,
        rule: &'static str,
        call: &Call,
        world: &World,
        manifest: Option<&Manifest>,
    ) -> Option<CallResult<Decision>> {
        let settings = self.settings.clone();
        let (mut instance, configured) = self
            .start_configured(policy, rule, &call.what, &settings, world.grants.clone())
            .filter(|(_, result)| result.answer.is_ok())?;
        let scene = scene::analyzed(
            &call.call,
            &world.at,
            world.facts.clone(),
            || self.analyzer.clone(),
            &mut SharedInstance::default(),
        );
        let mut result = instance.decide(scene, &call.call.tool, &call.input);
        result.used.processor += configured.used.processor;
        self.record_call(rule, &call.what, result.used, result.answer.as_ref().map(outcome));
        if let (Some(manifest), Ok(decision)) = (manifest, &result.answer) {
            for rule in ["outcome", "rules", "size"] {
                self.pass(rule);
            }
            for breach in breaches(manifest, decision) {
                let rule = match breach.kind {
                    BreachKind::Size => "size",
                    BreachKind::Rule | BreachKind::Ceiling => "rules",
                    BreachKind::Outcome => "outcome",
                };
                self.problem(rule, format!("{}: {}", call.what, breach.text));
            }
        }
        Some(result)
    }

    /// Returns a fresh instance that was given settings, whether it accepted them or not.
    fn start_configured(
        &mut self,
        policy: &Policy,
        rule: &'static str,
        what: &str,
        settings: &str,
        grants: Arc<Grants>,
    ) -> Option<(Instance, CallResult<()>)> {
        let mut instance = self.start(policy, rule, what, Limits::DEFAULT, grants)?;
        let result = instance.configure(settings);
        // Accepting its own settings is only recorded once.
        if matches!(rule, "configure" | "bad-settings") {
            self.record_call(rule, what, result.used, result.answer.as_ref().map(|()| "taken".to_owned()));
        }
        Some((instance, result))
    }

    fn start(
        &mut self,
        policy: &Policy,
        rule: &'static str,
        what: &str,
        limits: Limits,
        grants: Arc<Grants>,
    ) -> Option<Instance> {
        if self.overruns >= OVERRUNS {
            return None;
        }
        match policy.start(limits, grants) {
            Ok(instance) => Some(instance),
            Err(fault) => {
                self.record_call(rule, what, Used::default(), Err(&fault));
                None
            }
        }
    }

    /// Records a call and its result.
    fn record_call(&mut self, rule: &'static str, what: &str, used: Used, answer: Result<String, &FaultKind>) {
        let limits = if rule == "describe" { Limits::PREPARE } else { Limits::DEFAULT };
        for tried in ["imports", "limits"] {
            self.pass(tried);
        }
        let (text, answered) = match answer {
            Ok(text) => (text, true),
            Err(FaultKind::Refused { .. }) => ("error".to_owned(), true),
            Err(fault) => {
                let belongs = belongs(rule, fault);
                self.overruns += usize::from(belongs == "limits");
                self.problem(belongs, format!("{what}: {}", fault.under(limits)));
                (fault.under(limits), false)
            }
        };
        if answered {
            self.pass(rule);
        }
        self.calls.push(CheckedCall { rule, what: what.to_owned(), answer: text, used });
    }

    /// Adds a note about calls that resulted in an error.
    fn note_errors(&mut self, rule: &'static str) {
        let of_rule = self.calls.iter().filter(|made| made.rule == rule && made.answer == "error");
        let errors: Vec<&str> = of_rule.map(|made| made.what.as_str()).collect();
        if !errors.is_empty() {
            self.note(rule, vec![format!("an error over: {}", errors.join(", "))]);
        }
    }

    /// Returns the result of each rule, and all calls.
    pub(super) fn end(mut self) -> (Vec<Check>, Vec<CheckedCall>) {
        let limits = |made: &CheckedCall| if made.rule == "describe" { Limits::PREPARE } else { Limits::DEFAULT };
        let slowest = self.calls.iter().max_by_key(|made| made.used.processor);
        let slowest =
            slowest.map(|made| format!("the longest call: {} ({})", made.used.describe(limits(made)), made.what));
        self.note("limits", slowest.into_iter().collect());
        if self.overruns >= OVERRUNS {
            self.note("limits", vec!["it was not asked any further".to_owned()]);
        }
        let checks = RULES.into_iter().map(|rule| {
            let RuleResults { tried, mut problems, notes } = self.kept.remove(rule.id).unwrap_or_default();
            let state = match (problems.is_empty(), tried) {
                (false, _) => State::Failed,
                (true, true) => State::Passed,
                (true, false) => State::Skipped,
            };
            if state == State::Skipped {
                problems.push("nothing could be asked for it".to_owned());
            }
            Check { rule, state, problems, notes }
        });
        let checks = checks.collect();
        (checks, self.calls)
    }
}

/// Returns the rule that a fault violates.
fn belongs(rule: &'static str, fault: &FaultKind) -> &'static str {
    match fault {
        FaultKind::Time | FaultKind::Memory | FaultKind::Stack => "limits",
        FaultKind::ForeignImport(_) => "imports",
        // A typical call without an answer says nothing about determinism.
        _ if rule == "deterministic" => "decide",
        _ => rule,
    }
}

fn outcome(decision: &Decision) -> String {
    outcome_name(decision.outcome).to_owned()
}

fn same(one: &CallResult<Decision>, other: &CallResult<Decision>) -> bool {
    one.answer == other.answer && one.journal == other.journal
}

/// Returns whether the policy answered, with a decision or its own error.
fn is_answer(answer: &Result<Decision, FaultKind>) -> bool {
    matches!(answer, Ok(_) | Err(FaultKind::Refused { .. }))
}

fn shorten(text: &str) -> &str {
    text.get(..text.floor_char_boundary(text.len().min(200))).unwrap_or_default()
}
