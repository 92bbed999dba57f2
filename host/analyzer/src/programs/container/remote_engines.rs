//! Container engines of other machines: an address or a context in an option, a variable, or an earlier command.

use guard_sdk::addresses;
use guard_sdk::syntax::{Command, Word};

use crate::options::{Parsed, leading};
use crate::run::Run;
use crate::wrappers::remote::COMPOSE;

/// Starts of the names of contexts on this machine.
const OWN: &[&str] =
    &["colima", "default", "desktop", "lima", "orbstack", "podman-machine", "rancher-desktop", "rootless"];

/// Verbs that change containers.
const CHANGES: &[&str] = &[
    "create", "deploy", "down", "kill", "rename", "restart", "rm", "rollback", "run", "scale", "start", "stop", "up",
    "update",
];

/// Groups of verbs that change containers.
const GROUPS: &[&str] = &["compose", "container", "pod", "service", "stack"];

/// The maximum number of earlier commands that are searched for one that selects a context.
const MOST: usize = 64;

/// Returns whether a verb and its words change containers.
pub(super) fn changes(verb: &str, words: &[Word]) -> bool {
    let inner = || leading(words, COMPOSE).rest.first().map(|word| word.text.as_str());
    let is_dry = || words.iter().any(|word| word.text == "--dry-run" || word.text == "--help");
    let verb = if GROUPS.contains(&verb) { inner().unwrap_or_default() } else { verb };
    CHANGES.contains(&verb) && !is_dry()
}

/// Returns the other machine whose engine the command talks to.
pub(super) fn machine(run: &Run<'_>, parsed: &Parsed<'_>) -> Option<String> {
    if run.is_via("ssh") && !run.is_via("container") {
        return Some(String::new());
    }
    let host = parsed.value("H", "host").or_else(|| parsed.value("", "url")).map(|host| host.text.into_owned());
    let context = parsed.value("c", "context").or_else(|| parsed.value("", "connection"));
    let host = host.or_else(|| {
        let set = || run.variable(&["DOCKER_HOST", "CONTAINER_HOST"]).map(str::to_owned);
        context.is_none().then(set).flatten()
    });
    if let Some(host) = host {
        return is_other_host(&host).then_some(host);
    }
    let context = context.map(|context| context.text.into_owned());
    let context = context.or_else(|| run.variable(&["DOCKER_CONTEXT"]).map(str::to_owned)).or_else(|| used(run));
    context.filter(|context| !context.is_empty() && !OWN.iter().any(|own| context.starts_with(own)))
}

fn is_other_host(host: &str) -> bool {
    let name = addresses::host(host);
    // A single name with a port is a container next to this one.
    let is_container = host.starts_with("tcp://") && !name.contains('.');
    let is_network = host.starts_with("ssh://") || host.starts_with("tcp://") && !is_container;
    is_network && !name.is_empty() && !addresses::is_here(&name)
}

/// Returns the context that an earlier command selects.
fn used(run: &Run<'_>) -> Option<String> {
    let place = usize::try_from(run.command.id).map_or(0, |id| id.saturating_sub(1));
    let mut before = run.commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
    let selected = |command: &Command| {
        let is_use = command.program() == "docker" && command.word(1) == "context" && command.word(2) == "use";
        is_use.then(|| command.word(3).to_owned())
    };
    before.find_map(selected)
}
