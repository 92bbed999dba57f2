//! Softer outcomes for files that match the last commit, which a person has seen.

use std::sync::Arc;

use guard_contract::Layer;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::paths::is_below;
use guard_contract::policy::may_loosen;
use guard_contract::verdict::{Opinion, rule_name};
use guard_contract::{FactFault, Finding, Outcome, rank, worse};
use guard_facts::{Facts, Scene, sources};

use crate::{AskOptions, Chain, Sandbox, Softening, Step};

impl<S: Sandbox> Chain<'_, S> {
    /// Softens opinions that are based only on files that match the last commit, and records it in the policies' steps.
    pub(crate) fn soften_committed(
        &self,
        (call, at, facts): (&ToolCall, &CallContext, &Arc<dyn Facts>),
        scene: &Scene,
        ask: AskOptions<'_>,
        (opinions, steps): (&mut [Opinion], &mut [Step]),
    ) {
        // self-protect can't be loosened, not even by a commit.
        let may = |opinion: &Opinion| {
            let entry = self.members.iter().map(|member| member.entry).find(|entry| entry.name == opinion.policy);
            entry.is_some_and(|entry| may_loosen(&[], Layer::Managed, entry))
        };
        let is_stop = |opinion: &Opinion| rank(opinion.decision.outcome) >= rank(Outcome::Ask) && !opinion.of_host;
        let stops = opinions.iter().filter(|opinion| is_stop(opinion) && may(opinion));
        let stops: Vec<String> = stops.map(|opinion| opinion.policy.clone()).collect();
        if stops.is_empty() || scene.analysis.commands.iter().all(|command| command.via.is_empty()) {
            return;
        }
        let mut committed = scene.sources.committed_files(scene);
        if committed.is_empty() {
            return;
        }
        // A person may have committed a file that the agent wrote without reading it.
        for kind in ["write", "download"] {
            match facts.history(kind) {
                Ok(events) => {
                    let written = |path: &String| {
                        events.iter().any(|event| is_below(&canonical_path(path, scene), &event.target))
                    };
                    committed.retain(|path| !written(path));
                }
                Err(FactFault::Absent) => {}
                Err(_) => return,
            }
        }
        if committed.is_empty() {
            return;
        }
        let rest = sources::without_files(&scene.analysis, &committed);
        let rest = Scene { analysis: Arc::new(rest), ..scene.clone() };
        let again = AskOptions { on_opinion: None, scene: Some(&rest), without_committed: Some(&stops), ..ask };
        let mut without = Vec::new();
        self.ask(call, at, facts, again, &mut without);
        for opinion in opinions.iter_mut().filter(|opinion| is_stop(opinion) && may(opinion)) {
            let softened = soften(opinion, &without);
            if let Some(step) = steps.iter_mut().find(|step| step.policy == opinion.policy) {
                step.softened.extend(softened);
            }
        }
    }
}

/// Softens the findings of an opinion that don't occur `without` the committed files: a deny becomes an ask, and an ask
/// is dropped. Returns the changes.
fn soften(opinion: &mut Opinion, without: &[Opinion]) -> Vec<Softening> {
    let rest = without.iter().filter(|other| other.policy == opinion.policy).map(|other| &other.decision);
    let rest: Vec<_> = rest.collect();
    let left = |finding: &Finding| {
        let same = rest.iter().flat_map(|decision| &decision.findings).filter(|other| other.rule == finding.rule);
        same.map(|other| other.outcome).fold(Outcome::Abstain, worse)
    };
    let mut softened = Vec::new();
    opinion.decision.findings.retain_mut(|finding| {
        let outcome = worse(soften_outcome(finding.outcome), left(finding));
        if rank(outcome) < rank(finding.outcome) {
            softened.push(Softening { rule: rule_name(finding).to_owned(), from: finding.outcome, to: outcome });
            finding.message.push_str(". The file is unchanged since the last commit, so this asks instead of blocking");
            finding.outcome = outcome;
            return outcome != Outcome::Abstain;
        }
        true
    });
    let worst = opinion.decision.findings.iter().map(|finding| finding.outcome).fold(Outcome::Abstain, worse);
    opinion.decision.outcome = rest.iter().map(|decision| decision.outcome).fold(worst, worse);
    softened
}

/// Resolves a path.
fn canonical_path(path: &str, scene: &Scene) -> String {
    scene.resolver.resolve(&*scene.facts, path).canonical
}

fn soften_outcome(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Deny => Outcome::Ask,
        Outcome::Ask => Outcome::Abstain,
        other => other,
    }
}
