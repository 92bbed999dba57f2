//! `attack-tool`: a program whose purpose is an attack: it collects or cracks passwords, scans or attacks other
//! machines, looks for a way to more permissions, or mines a cryptocurrency.
//!
//! ## Why
//! A project that builds or tests such programs is rare, and its user can say so. ATT&CK T1588.002, T1046, T1110, T1496.
//!
//! ## Examples
//! - asked: `./linpeas.sh`
//! - asked: `python3 lazagne.py all`
//! - asked: `docker run registry.example.org/tools/xmrig:latest`
//! - passes: `man nmap`
//! - passes: `grep -rn hydra src`
//! - passes: `nmap -p 22 localhost`
//!
//! ## Instead
//! Ask the user to run it. `silence = ["attack-tool"]` turns the rule off for a project about security.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHELLS, is_any, tools};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "attack-tool",
    summary: "runs a program whose purpose is an attack",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs whose first operand is the program.
const RUNNERS: &[&str] =
    &["python", "python2", "python3", "perl", "ruby", "php", "node", "source", ".", "mono", "wine", "go"];

/// Programs that start a container from an image.
const ENGINES: &[&str] = &["docker", "podman", "nerdctl", "kubectl", "oc", "crictl", "buildah"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    view.analysis.commands.iter().find_map(|command| {
        let (tool, does) = tool(command)?;
        Some(Hit::new(
            format!("Runs `{}`, which {does}", shorten(&tool)),
            "ask the user to run it; a project about security can set `silence = [\"attack-tool\"]`",
        ))
    })
}

fn tool(command: &Command) -> Option<(String, &'static str)> {
    let program = name(command);
    if has_option(command, "", &["version", "help"]) && command.argv.len() == 2 {
        return None;
    }
    if let Some(kind) = tools::kind(command.word(0)) {
        return Some((command.word(0).to_owned(), kind.does));
    }
    let is_runner = is_any(&program, SHELLS) || is_any(&program, RUNNERS) || program.starts_with("python");
    let named = |text: &str| tools::kind(text).map(|kind| (text.to_owned(), kind.does));
    if is_runner && !texts(command).any(|text| text == "-c") {
        let module = texts(command).skip_while(|text| *text != "-m").nth(1).and_then(named);
        return module.or_else(|| texts(command).find(|text| !text.starts_with('-')).and_then(named));
    }
    if is_any(&program, ENGINES) && texts(command).any(|text| matches!(text, "run" | "create" | "exec")) {
        // `--image=registry/tools/xmrig:latest`
        let parts = texts(command).filter(|text| !text.contains("=/")).flat_map(|text| text.split(['/', '=', '@']));
        let mut names = parts.filter_map(|part| part.split(':').next()).filter(|name| name.len() > 4);
        return names.find_map(named);
    }
    texts(command)
        .find(|text| text.starts_with("stratum+") || text.starts_with("stratum://"))
        .map(|text| (text.to_owned(), "is a pool of miners of a cryptocurrency"))
}
