//! Wrappers whose command runs on another machine or in a container. The wrapper itself stays, up to the host.

use guard_sdk::syntax::{Via, Word};

use super::layer::{Layer, Place, Run, What, joined, takes};
use crate::options::{Flag, Options, leading};

const SSH: Options = takes("BbcDEeFIiJLlmOopPQRSWw", "");
/// `-M` takes the port that is watched.
const AUTOSSH: Options = takes("BbcDEeFIiJLlmMOopPQRSWw", "");
const EXEC: Options = takes("euw", "env env-file user workdir detach-keys index");
const RUN: Options = takes(
    "aceheluvwmp",
    "add-host annotation attach blkio-weight cap-add cap-drop cgroupns cidfile cpus cpu-shares cpuset-cpus \
           device dns entrypoint env env-file expose group-add gpus health-cmd hostname ip ipc label label-file link \
           log-driver log-opt mac-address memory mount name network net pid platform publish pull restart runtime \
           security-opt shm-size stop-signal storage-opt sysctl tmpfs ulimit user userns uts volume volumes-from workdir",
);
const DOCKER: Options = takes("cHl", "config context host log-level tlscacert tlscert tlskey connection url");
const COMPOSE: Options = takes("fp", "file project-name profile project-directory env-file parallel ansi");
const KUBECTL: Options = takes("ncsf", "namespace context cluster container kubeconfig server user token filename");

pub(super) fn peel(name: &str, argv: &[Word]) -> Option<Layer> {
    match name {
        "ssh" => ssh(argv, SSH),
        "autossh" => ssh(argv, AUTOSSH),
        "kubectl" | "oc" => kubectl(argv),
        "docker-compose" | "podman-compose" => compose(argv, argv.get(1..)?),
        _ => docker(argv),
    }
}

fn layer(argv: &[Word], inner: &[Word], kind: &str, detail: &str, what: What, certain: bool) -> Option<Layer> {
    let outer = argv.get(..argv.len().checked_sub(inner.len())?)?.to_vec();
    let via = Via { kind: kind.to_owned(), detail: detail.to_owned() };
    Some(Layer { outer: Some(outer), runs: vec![Run { via, what, place: Place::Remote, certain, mark: None }] })
}

fn ssh(argv: &[Word], spec: Options) -> Option<Layer> {
    let options = leading(argv.get(1..)?, spec);
    let (host, rest) = options.rest.split_first()?;
    // Options may stand after the host as well.
    let more = leading(rest, SSH);
    if more.rest.is_empty() {
        return None;
    }
    let text = What::Text { text: joined(more.rest), parameters: None };
    layer(argv, more.rest, "ssh", &host.text, text, options.certain && more.certain)
}

/// Whether `ssh` names a host and nothing to run there.
pub(super) fn ssh_has_no_command(argv: &[Word]) -> bool {
    let options = leading(argv.get(1..).unwrap_or_default(), SSH);
    let inert = options.flag(&["N", "V", "Q", "O", "G", "W"]).is_some();
    matches!(options.rest, [_]) && !inert
}

fn container(argv: &[Word], words: &[Word], spec: Options) -> Option<Layer> {
    let options = leading(words, spec);
    let (target, inner) = options.rest.split_first()?;
    let entry = options.flag(&["entrypoint"]).map(Flag::word).filter(|word| !word.text.is_empty());
    if inner.is_empty() && entry.is_none() {
        return None;
    }
    let words: Vec<Word> = entry.into_iter().chain(inner.iter().cloned()).collect();
    let what = What::Words { assignments: Vec::new(), words };
    layer(argv, inner, "container", &target.text, what, options.certain)
}

fn docker(argv: &[Word]) -> Option<Layer> {
    let words = leading(argv.get(1..)?, DOCKER).rest;
    let (verb, rest) = words.split_first()?;
    match verb.text.as_str() {
        "container" => {
            let (verb, rest) = rest.split_first()?;
            container(argv, rest, of_verb(&verb.text)?)
        }
        "compose" => compose(argv, rest),
        verb => container(argv, rest, of_verb(verb)?),
    }
}

fn of_verb(verb: &str) -> Option<Options> {
    match verb {
        "exec" => Some(EXEC),
        "run" | "create" => Some(RUN),
        _ => None,
    }
}

fn compose(argv: &[Word], words: &[Word]) -> Option<Layer> {
    let words = leading(words, COMPOSE).rest;
    let (verb, rest) = words.split_first()?;
    container(argv, rest, of_verb(&verb.text)?)
}

fn kubectl(argv: &[Word]) -> Option<Layer> {
    let words = leading(argv.get(1..)?, KUBECTL).rest;
    let (verb, rest) = words.split_first()?;
    if !matches!(verb.text.as_str(), "exec" | "run" | "debug" | "rsh") {
        return None;
    }
    let dashes = rest.iter().position(|word| word.text == "--");
    let target = leading(rest, KUBECTL).rest.first()?;
    let inner = match dashes {
        Some(at) => rest.get(at + 1..)?,
        None if matches!(verb.text.as_str(), "exec" | "rsh") => {
            leading(leading(rest, KUBECTL).rest.get(1..)?, KUBECTL).rest
        }
        None => return None,
    };
    if inner.is_empty() {
        return None;
    }
    let what = What::Words { assignments: Vec::new(), words: inner.to_vec() };
    layer(argv, inner, "container", &target.text, what, true)
}
