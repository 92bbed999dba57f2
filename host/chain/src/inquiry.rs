//! Asks one policy about a call.

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value;

use guard_contract::call::{CallContext, ToolCall};
use guard_contract::grants::Grants;
use guard_contract::paths::is_below;
use guard_contract::policy::{Entry, covers, may_loosen};
use guard_contract::verdict::{FAULT, Opinion, tighten_only, tighten_or_inform};
use guard_contract::{Decision, FaultKind, Layer, Manifest, Outcome, Problem, rank};
use guard_facts::{Answer, Question, Scene, pattern_roots};
use guard_redact::Secrets;

use crate::{AskOptions, Chain, ChainMember, DEFAULTS, Sandbox, SettingsToUse, redaction};

/// A call, with what is shared when asking the policies of a chain.
pub(crate) struct Inquiry<'a> {
    call: &'a ToolCall,
    at: &'a CallContext,
    scene: &'a Scene,
    ask: AskOptions<'a>,
    /// The input of the tool, as JSON.
    input: String,
    /// The secrets of the call. Cached, because finding them takes longer than most policies.
    secrets: OnceCell<Secrets>,
}

impl<'a> Inquiry<'a> {
    pub(crate) fn new(call: &'a ToolCall, at: &'a CallContext, scene: &'a Scene, ask: AskOptions<'a>) -> Self {
        let input = Value::Object(call.input.clone()).to_string();
        Inquiry { call, at, scene, ask, input, secrets: OnceCell::new() }
    }

    /// Redacts the call's secrets in a decision. The decision of a second round isn't shown, so it isn't redacted.
    fn clean(&self, decision: &mut Decision) {
        if self.ask.without_committed.is_none() && !decision.findings.is_empty() {
            let secrets =
                self.secrets.get_or_init(|| redaction::secrets(self.call, self.at, Some(&self.scene.analysis)));
            redaction::clean(decision, secrets);
        }
    }
}

impl<S: Sandbox> Chain<'_, S> {
    /// Asks one policy. Returns its answer, and the opinions that follow from the answer and its settings.
    pub(crate) fn ask_policy(
        &self,
        shared: &mut S::Shared,
        place: usize,
        member: &ChainMember<'_>,
        inquiry: &Inquiry<'_>,
    ) -> (Answer, Vec<Opinion>) {
        let entry = member.entry;
        let mut decide = |given, manifest| self.answer_with(shared, place, member, (given, manifest), inquiry);
        let mut answer = match member.ready {
            Ok((manifest, _)) => decide(SettingsToUse::Own, manifest),
            Err(fault) => Answer::fault(fault.clone()),
        };
        let mut of_defaults = None;
        if let Some(problem) = entry.broken_settings() {
            // It was asked with its defaults, because its settings can't be read.
            let fault = Err(FaultKind::Settings(problem.to_string()));
            of_defaults = std::mem::replace(&mut answer.decision, fault).ok();
        } else if let (Err(fault), Ok((manifest, _))) = (&answer.decision, member.ready)
            && fault.is_refused_settings()
            && entry.settings != DEFAULTS
        {
            of_defaults = decide(SettingsToUse::Defaults, manifest).decision.ok();
        }
        let mut opinion = self.opinion(entry, &answer);
        if opinion.of_host {
            inquiry.clean(&mut opinion.decision);
        }
        let mut opinions = vec![self.apply_enforcement(entry, inquiry.ask, opinion)];
        // An error in a policy's settings must not lift a deny of its defaults.
        if let Some(decision) = of_defaults {
            let decision = tighten_only(decision);
            let opinion = Opinion { policy: entry.name.clone(), decision, may_allow: false, of_host: false };
            opinions.push(self.apply_enforcement(entry, inquiry.ask, opinion));
        }
        if let Some((text, hint)) = entry.settings_warning() {
            let mut warning = Opinion::from_host(&entry.name, "ignored-settings", Outcome::Warn, text, hint);
            if entry.ignored_settings().is_none() {
                // The other settings apply, and so does what they allow.
                warning.decision.outcome = Outcome::Abstain;
            }
            opinions.push(warning);
        }
        (answer, opinions)
    }

    /// Returns the policy's answer with these settings, with the call's secrets redacted.
    fn answer_with(
        &self,
        shared: &mut S::Shared,
        place: usize,
        member: &ChainMember<'_>,
        (given, manifest): (SettingsToUse, &Manifest),
        inquiry: &Inquiry<'_>,
    ) -> Answer {
        let Inquiry { call, at, scene, ask, input, .. } = inquiry;
        let grants = Arc::new(grants(member.entry, at, scene, ask.grant_all));
        let mut ask_with = |scene: Scene| {
            let question = Question { scene, grants: grants.clone(), manifest, tool: &call.tool, input };
            self.sandbox.ask(shared, place, given, &question)
        };
        let mut scenes = scenes(member.entry, at, scene).into_iter();
        let mut answer = ask_with(scenes.next().unwrap_or_else(|| (*scene).clone()));
        for scene in scenes {
            let other = ask_with(scene);
            if severity(&other) > severity(&answer) {
                answer.decision = other.decision;
            }
        }
        if let Ok(decision) = &mut answer.decision {
            inquiry.clean(decision);
            if !member.speaks_for_itself {
                redaction::confine(decision, member.entry);
            }
        }
        answer
    }

    /// Returns the opinion, softened if the policy isn't enforced or is paused.
    fn apply_enforcement(&self, entry: &Entry, ask: AskOptions<'_>, opinion: Opinion) -> Opinion {
        if entry.watched {
            return opinion.watched();
        }
        let may_pause = || may_loosen(self.config.locked, Layer::User, entry);
        match ask.paused.and_then(|paused| paused(&entry.name)).filter(|_| may_pause()) {
            Some(worst) => opinion.watched_up_to(worst),
            None => opinion,
        }
    }

    /// Converts a policy's answer to an opinion. A fault becomes the outcome configured for faults.
    fn opinion(&self, entry: &Entry, answer: &Answer) -> Opinion {
        match &answer.decision {
            Ok(decision) => {
                let decision = decision.clone();
                // With and without trust, the verdict is the same.
                let is_bound = entry.layer == Layer::Project && !entry.may_allow;
                let decision = if is_bound { tighten_or_inform(decision) } else { decision };
                Opinion { policy: entry.name.clone(), decision, may_allow: entry.may_allow, of_host: false }
            }
            Err(fault) => {
                let mut text = format!("the policy `{}` gave no answer: {fault}", entry.name);
                let remedy = match fault {
                    FaultKind::Settings(_) => {
                        entry.broken_settings().map_or_else(String::new, |found| found.hint.clone())
                    }
                    FaultKind::Refused { text: refusal, .. } if fault.is_refused_settings() => {
                        let Problem { place, text: refusal, hint, .. } = self.sandbox.refused_settings(entry, refusal);
                        text = format!("the policy `{}` gave no answer: its `configure` failed: ", entry.name);
                        text.push_str(&if place.is_empty() { refusal } else { format!("{place}: {refusal}") });
                        hint
                    }
                    FaultKind::NotReady => {
                        "wait some seconds and try again: it is being compiled; `guard-host cache warm` does it at once"
                            .to_owned()
                    }
                    _ => fault.remedy().unwrap_or_else(|| {
                        let layer = entry.layer.name();
                        format!(
                            "repair or remove the policy in the {layer} configuration; `guard-host explain` shows more"
                        )
                    }),
                };
                Opinion::from_host(&entry.name, FAULT, entry.on_error, text, remedy)
            }
        }
    }
}

/// Returns whether the policy covers the tool. A broken policy covers every tool that the configuration doesn't
/// exclude.
pub(crate) fn is_asked(member: &ChainMember<'_>, tool: &str) -> bool {
    let narrowed = member.entry.tools.as_deref();
    match member.ready {
        Ok((manifest, _)) => covers(manifest, narrowed, tool),
        Err(_) => covers(&Manifest { tools: vec!["*".to_owned()], ..empty_manifest() }, narrowed, tool),
    }
}

fn empty_manifest() -> Manifest {
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

/// Returns the scenes in which a policy judges the call: one for each root of the patterns in its file.
fn scenes(entry: &Entry, at: &CallContext, scene: &Scene) -> Vec<Scene> {
    if entry.project.is_empty() {
        return vec![scene.clone()];
    }
    let canonical = scene.resolver.resolve(&*scene.facts, &at.project_root).canonical;
    let with_root = |root: String| match root == at.project_root || root == canonical {
        true => scene.clone(),
        false => scene.with_project_root(&root),
    };
    pattern_roots(&*scene.facts, &entry.project, &at.project_root, &at.home).into_iter().map(with_root).collect()
}

/// Returns the severity of an answer, to find the strictest of several. A fault is stricter than a notice.
fn severity(answer: &Answer) -> u8 {
    rank(answer.decision.as_ref().map_or(Outcome::Ask, |decision| decision.outcome))
}

/// Returns the grants of a policy in this call.
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
