//! Names of the production environment, and changes of a cluster that has such a name.

use guard_sdk::syntax::Command;

use super::Run;
use crate::draft::Draft;

const NAMES: &[&str] = &["prod", "production"];

/// A name of the production environment that also begins other names: `live-reload`.
const LAST: &str = "live";

/// Words that negate the name after them.
const NEGATIONS: &[&str] = &["no", "non", "not", "post", "pre"];

/// Returns whether a word of the text is a name of the production environment.
pub(crate) fn is_production(text: &str) -> bool {
    let mut names = text.split(|char: char| !char.is_ascii_alphanumeric() && !"-_".contains(char));
    names.any(|name| {
        let (mut before, mut words) = ("", name.split(['-', '_']).peekable());
        while let Some(word) = words.next() {
            let next = words.peek();
            let is_name = NAMES.iter().any(|name| name.eq_ignore_ascii_case(word))
                || next.is_none() && word.eq_ignore_ascii_case(LAST);
            let is_negated = NEGATIONS.iter().any(|negation| negation.eq_ignore_ascii_case(before));
            if is_name && !is_negated && !next.is_some_and(|next| next.eq_ignore_ascii_case("like")) {
                return true;
            }
            before = word;
        }
        false
    })
}

/// Options that select a cluster, a part of it, or the files with its description.
const OPTIONS: &[&str] = &[
    "--context",
    "--kube-context",
    "--cluster",
    "--kubeconfig",
    "--namespace",
    "-n",
    "--filename",
    "--values",
    "-f",
    "--kustomize",
    "-k",
    "--environment",
    "-e",
];

/// Programs that write descriptions for a pipe.
const WRITERS: &[&str] = &["helm", "kubectl", "kustomize", "oc"];

/// The maximum number of earlier commands that are searched for one that selects a cluster.
const MOST: usize = 64;

/// Returns whether the effect is a routine change of a cluster, and the text calls the cluster production.
pub(super) fn applies(run: &Run<'_>, draft: &Draft) -> bool {
    let is_routine = matches!(draft.operation, "kubernetes.change" | "helm.change");
    is_routine && (is_named(run.command) || is_selected(run) || is_piped(run))
}

fn is_named(command: &Command) -> bool {
    let mut before = "";
    let is_set = command.assignments.iter().any(|set| is_cluster(&set.name) && is_production(&set.value.text));
    is_set
        || command.argv.iter().skip(1).any(|word| {
            let (option, value) = match word.text.split_once('=') {
                Some((option, value)) if word.text.starts_with('-') => (option, value),
                _ => (before, word.text.as_str()),
            };
            before = &word.text;
            OPTIONS.contains(&option) && is_production(value)
        })
}

fn is_cluster(variable: &str) -> bool {
    variable.starts_with("KUBE") || variable == "HELM_KUBECONTEXT"
}

/// Returns whether the last earlier command that selects a cluster selects one for production.
fn is_selected(run: &Run<'_>) -> bool {
    let place = usize::try_from(run.command.id).map_or(0, |id| id.saturating_sub(1));
    let mut before = run.commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
    before.find_map(selected).is_some_and(is_production)
}

fn selected(command: &Command) -> Option<&str> {
    let word = |at: usize| command.argv.get(at).map(|word| word.text.as_str());
    let exported = || {
        let mut sets = command.argv.iter().skip(1).filter_map(|word| word.text.split_once('='));
        sets.rfind(|(name, _)| is_cluster(name)).map(|(_, value)| value)
    };
    match command.program() {
        "kubectx" | "kubens" => word(1),
        "kubectl" if word(1) == Some("config") && word(2) == Some("use-context") => word(3),
        "oc" if word(1) == Some("project") => word(2),
        "export" => exported(),
        "" => command.assignments.iter().rfind(|set| is_cluster(&set.name)).map(|set| set.value.text.as_str()),
        _ => None,
    }
}

/// Returns whether an earlier stage of the pipeline writes the description of production.
fn is_piped(run: &Run<'_>) -> bool {
    let position = &run.command.position;
    let mut stages = run.pipelines.stages(run.commands, position.pipeline, position.index);
    position.index > 0
        && stages.any(|stage| {
            WRITERS.contains(&stage.program()) && stage.argv.iter().skip(1).any(|word| is_production(&word.text))
        })
}

#[cfg(test)]
mod tests {
    use super::is_production;

    #[test]
    fn only_a_whole_word_without_a_negation_names_production() {
        for text in
            ["prod", "shop-production", "PROD_EU", "~/.kube/prod.yaml", "overlays/live", "arn:x/prod-1", "shop-live"]
        {
            assert!(is_production(text), "{text}");
        }
        for text in [
            "product",
            "nonprod",
            "non-prod",
            "pre_prod",
            "prod-like",
            "livekit",
            "live-reload.yaml",
            "alive",
            "reproduction",
            "",
        ] {
            assert!(!is_production(text), "{text}");
        }
    }
}
