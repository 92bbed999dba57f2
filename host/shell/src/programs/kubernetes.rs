//! kubectl and helm: what they delete.

use super::Program;
use super::options::{Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["kubectl", "oc", "k3s", "microk8s", "kubecolor"], GLOBAL, kubectl),
    Program::new(&["helm", "helm3"], HELM, helm),
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
        "drain" => Draft::notable("orchestration", "kubernetes.drain"),
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
        "push" => {
            let draft = Draft::notable("package", "package.publish").target(after.text(0));
            run.emit(draft.tag("manager", "helm"));
        }
        _ => {}
    }
}
