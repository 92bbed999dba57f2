//! kubectl and helm: what they delete.

use super::Program;
use super::options::{Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["kubectl", "oc", "k3s", "microk8s", "kubecolor"], GLOBAL, kubectl),
    Program::new(&["helm", "helm3"], HELM, helm),
    Program::new(&["argocd", "velero", "flux", "istioctl", "eksctl", "kind", "minikube", "k3d"], HELM, cluster),
    Program::new(&["patronictl"], Options::new("cd", &["config-file", "dcs-url"]), cluster),
];

const GLOBAL: Options = Options::leading(
    "nsv",
    &["namespace", "context", "kubeconfig", "cluster", "user", "server", "token", "as", "request-timeout"],
);

const DELETE: Options = Options::new(
    "nflkvso",
    &[
        "namespace",
        "filename",
        "selector",
        "kustomize",
        "context",
        "kubeconfig",
        "grace-period",
        "timeout",
        "cascade",
        "field-selector",
        "output",
        "cluster",
        "user",
        "server",
        "token",
    ],
);

const HELM: Options = Options::leading("n", &["namespace", "kube-context", "kubeconfig"]);

fn kubectl<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let mut rest = parsed.rest;
    // `microk8s kubectl` and `k3s kubectl` carry the real program as their first word.
    if let Some((_, behind)) = rest.split_first().filter(|(first, _)| first.text == "kubectl") {
        rest = run.parse(behind, GLOBAL).rest;
    }
    let Some((first, words)) = rest.split_first() else { return };
    let after = run.parse(words, DELETE);
    let draft = match first.text.to_ascii_lowercase().as_str() {
        "delete" => Draft::destructive("orchestration", "kubernetes.delete"),
        "drain" | "cordon" | "uncordon" | "taint" => Draft::notable("orchestration", "kubernetes.drain"),
        "replace" | "apply" if after.is("", "force") || after.has("", "prune") => {
            Draft::destructive("orchestration", "kubernetes.replace")
        }
        "replace" | "apply" | "patch" | "edit" | "scale" | "rollout" | "set" | "label" | "annotate" | "create" => {
            Draft::notable("orchestration", "kubernetes.change").tag("verb", &first.text)
        }
        "config" if after.text(0).starts_with("delete-") || after.text(0) == "unset" => {
            Draft::notable("orchestration", "kubernetes.config.delete")
        }
        "debug" => Draft::notable("orchestration", "kubernetes.debug"),
        _ => return,
    };
    let dry = after.is("", "dry-run") && after.value("", "dry-run").is_none_or(|value| value.text != "none");
    let namespace = after.value("n", "namespace").or_else(|| parsed.value("n", "namespace"));
    let mut target = after.operands.iter().map(|operand| operand.text.as_ref()).collect::<Vec<_>>().join(" ");
    if target.is_empty() {
        let file = after.value("f", "filename").or_else(|| after.value("k", "kustomize"));
        target = file.map_or_else(String::new, |file| file.text.into_owned());
    }
    let known = after.operands.iter().all(|operand| !operand.dynamic);
    let mut draft = draft.target(&target).certain(known).flag("dry-run", dry);
    if let Some(namespace) = namespace {
        draft = draft.tag("namespace", &namespace.text);
    }
    let all = after.is("", "all") || after.is("A", "all-namespaces");
    run.emit(draft.flag("all", all));
}

fn helm<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let after = run.parse(words, Options::new("n", &["namespace", "kube-context", "timeout", "description"]));
    match first.text.to_ascii_lowercase().as_str() {
        "uninstall" | "delete" | "del" | "un" => {
            for release in &after.operands {
                let draft = Draft::destructive("orchestration", "helm.uninstall").target(&release.text);
                run.emit(draft.flag("dry-run", after.is("", "dry-run")).certain(!release.dynamic));
            }
        }
        "rollback" | "upgrade" | "install" => {
            let dry = after
                .values("", "dry-run")
                .last()
                .map_or(after.is("", "dry-run"), |value| !matches!(value.text.as_ref(), "none" | "false" | "0"));
            let draft = Draft::notable("orchestration", "helm.change").target(after.text(0)).tag("verb", &first.text);
            run.emit(draft.flag("force", after.is("", "force")).flag("dry-run", dry));
        }
        "push" => {
            let draft = Draft::notable("package", "package.publish").target(after.text(0));
            run.emit(draft.tag("manager", "helm"));
        }
        _ => {}
    }
}

/// Programs that delete, restore or fail over parts of a cluster: `NOUN VERB NAME` or `VERB NOUN`.
fn cluster<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let client = run.name.clone();
    let words: Vec<&str> = parsed.operands.iter().take(4).map(|operand| operand.text.as_ref()).collect();
    let find = |verbs: &[&str]| words.iter().take(2).position(|word| verbs.contains(word));
    let prunes = words.starts_with(&["app", "sync"]) && run.arguments().iter().any(|word| word.text == "--prune");
    let draft = if find(&["delete", "rm", "remove", "uninstall", "delete-resource", "purge"]).is_some() || prunes {
        Draft::destructive("orchestration", "cluster.delete")
    } else if find(&["failover", "switchover", "reinit", "rollback"]).is_some()
        || words.starts_with(&["restore", "create"])
    {
        Draft::notable("orchestration", "cluster.change")
    } else {
        return;
    };
    run.emit(draft.target(words.last().copied().unwrap_or_default()).tag("client", &client));
}
