//! `host-namespace`: a program that enters the namespaces of the first process, or that uses the container engine's
//! socket directly.
//!
//! ## Why
//! In a container, both are an escape to the host. ATT&CK T1611, T1610.
//!
//! ## Examples
//! - asked: `nsenter -t 1 -m -u -n -i sh`
//! - asked: `curl --unix-socket /var/run/docker.sock http://localhost/containers/json`
//! - passes: `docker ps`
//! - passes: `curl --unix-socket /run/app.sock http://localhost/health`
//! - passes: `unshare --help`
//!
//! ## Instead
//! Use the engine's own program, for example `docker ps`.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHOWING, has_any, is_any};
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "host-namespace",
    summary: "leaves its container, or controls the container engine",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Sockets of engines.
const SOCKETS: &[&str] = &["docker.sock", "podman.sock", "containerd.sock", "crio.sock", "dockershim.sock"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let command = view.analysis.commands.iter().find(|command| leaves(command, view))?;
    Some(Hit::new(
        format!("Gains access to a container's host: `{}`", shorten(&command.text())),
        "use the engine's own program, such as `docker ps`",
    ))
}

fn leaves(command: &Command, view: &View<'_>) -> bool {
    let enters = command.via.iter().any(|via| via.kind.starts_with("nsenter"));
    let of_first = || has_any(view.text(), &["-t 1 ", "-t1 ", "--target 1 ", "--target=1 ", "-t 1\"", "--all"]);
    if enters && (view.settings.strict || of_first()) {
        return true;
    }
    let program = name(command);
    let names = |text: &str| has_any(text, SOCKETS);
    match &*program {
        "nsenter" => texts(command).any(|text| text == "1" || text.ends_with("=1")),
        "curl" | "nc" | "socat" | "ncat" | "wget" => texts(command).any(names),
        "chmod" | "chown" | "setfacl" => texts(command).any(names),
        "lxc" | "incus" | "lxd" => {
            let is_privileged = |text: &str| {
                has_any(text, &["security.privileged=true", "raw.lxc=", "source=/"])
                    && !text.starts_with("source=/home")
            };
            texts(command).any(|text| {
                is_privileged(text) && !matches!(text.strip_prefix("source=/"), Some(rest) if rest.contains('/'))
            })
        }
        "release_agent" => true,
        // The kernel starts a release agent on the host when a control group is empty.
        _ => {
            let is_shown = is_any(&program, SHOWING) || matches!(&*program, "ls" | "cat" | "stat");
            !is_shown
                && texts(command).any(|text| text.contains("/release_agent") || text.contains("/notify_on_release"))
                || command.redirections.iter().any(|one| {
                    one.operator.starts_with('>')
                        && has_any(&one.target.text, &["/release_agent", "/core_pattern", "/notify_on_release"])
                })
        }
    }
}
