//! docker, podman, nerdctl and compose: what they remove, and the files they move.

use guard_sdk::syntax::{Severity, Word};

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["docker", "podman", "nerdctl", "finch"], ENGINE, engine),
    Program::new(&["docker-compose", "podman-compose"], COMPOSE, compose_program),
];

const ENGINE: Options = Options::leading(
    "Hcl",
    &[
        "host",
        "context",
        "config",
        "log-level",
        "tlscacert",
        "tlscert",
        "tlskey",
        "root",
        "runroot",
        "url",
        "connection",
        "identity",
        "namespace",
        "address",
        "storage-driver",
    ],
);

const COMPOSE: Options = Options::leading(
    "fp",
    &["file", "project-name", "profile", "env-file", "project-directory", "ansi", "progress", "parallel"],
);

const REST: Options = Options::new("t", &["filter", "time", "timeout", "rmi", "keep-storage"]);

fn engine<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let engine = run.name.clone();
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let group = first.text.to_ascii_lowercase();
    match group.as_str() {
        "compose" => {
            let parsed = run.parse(words, COMPOSE);
            compose(run, parsed.rest, &engine);
        }
        "system" | "volume" | "container" | "image" | "network" | "builder" | "buildx" | "pod" | "stack" | "secret" => {
            let parsed = run.parse(words, Options::leading("", &[]));
            let Some((verb, words)) = parsed.rest.split_first() else { return };
            managed(run, &engine, &group, &verb.text.to_ascii_lowercase(), words);
        }
        "rm" | "stop" | "kill" => managed(run, &engine, "container", &group, words),
        "rmi" => managed(run, &engine, "image", "rm", words),
        "push" => managed(run, &engine, "image", "push", words),
        "cp" => copies(run, words),
        "run" | "create" => runs(run, words, &engine),
        "save" | "export" => {
            let parsed = run.parse(words, Options::new("o", &["output"]));
            parsed.values("o", "output").for_each(|file| run.write(&file));
        }
        _ => {}
    }
}

/// `GROUP VERB ...`, such as `volume rm`.
fn managed<'a>(run: &mut Run<'a>, engine: &str, group: &str, verb: &str, words: &'a [Word]) {
    let parsed = run.parse(words, REST);
    let verb = if matches!(verb, "remove" | "delete" | "down") { "rm" } else { verb };
    let operation = match (group, verb) {
        ("volume", "rm") => "container.volume.remove",
        ("volume", "prune") => "container.volume.prune",
        ("system", "prune" | "reset") => "container.system.prune",
        ("container" | "pod", "rm") => "container.remove",
        ("container" | "pod", "prune") => "container.prune",
        ("container" | "pod", "stop" | "kill") => "container.stop",
        ("image", "rm") => "container.image.remove",
        ("image", "prune") => "container.image.prune",
        ("image", "push") => "container.image.push",
        ("network", "rm" | "prune") => "container.network.remove",
        ("builder" | "buildx", "prune" | "rm") => "container.build-cache.prune",
        ("stack", "rm") => "container.stack.remove",
        ("secret", "rm") => "container.secret.remove",
        _ => return,
    };
    let force = parsed.has("f", "force") || verb == "reset";
    let all = parsed.has("a", "all") || verb == "reset";
    let volumes = parsed.has("", "volumes") || verb == "reset";
    let severity = match operation {
        "container.volume.prune" => Severity::Catastrophic,
        "container.system.prune" if all && volumes => Severity::Catastrophic,
        "container.stop" | "container.image.push" | "container.network.remove" => Severity::Notable,
        "container.build-cache.prune" | "container.image.prune" => Severity::Notable,
        _ => Severity::Destructive,
    };
    let draft = |target: &str, known: bool| {
        let draft = Draft::notable("container", operation).severe(severity, true).target(target);
        let with_volumes = volumes || (operation == "container.remove" && parsed.has("v", ""));
        let draft = draft.flag("force", force).flag("all", all).flag("volumes", with_volumes);
        draft.tag("engine", engine).certain(known)
    };
    if parsed.operands.is_empty() || verb == "prune" {
        if matches!(verb, "prune" | "reset") || all {
            run.emit(draft("", true));
        }
        return;
    }
    for operand in &parsed.operands {
        run.emit(draft(&operand.text, !operand.dynamic));
    }
}

fn compose_program<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let engine = if run.name.starts_with("podman") { "podman" } else { "docker" };
    compose(run, parsed.rest, engine);
}

fn compose<'a>(run: &mut Run<'a>, words: &'a [Word], engine: &str) {
    let Some((verb, words)) = words.split_first() else { return };
    let parsed = run.parse(words, REST);
    match verb.text.to_ascii_lowercase().as_str() {
        "down" => {
            let volumes = parsed.has("v", "volumes");
            let draft = Draft::notable("container", "container.compose.down").severe(Severity::Destructive, volumes);
            run.emit(draft.target(parsed.text(0)).flag("volumes", volumes).tag("engine", engine));
        }
        "rm" => {
            let draft = Draft::destructive("container", "container.remove").target(parsed.text(0));
            let draft = draft.flag("force", parsed.has("f", "force")).flag("volumes", parsed.has("v", "volumes"));
            run.emit(draft.tag("engine", engine));
        }
        "stop" | "kill" => {
            let draft = Draft::notable("container", "container.stop").target(parsed.text(0));
            run.emit(draft.tag("engine", engine));
        }
        _ => {}
    }
}

/// `cp` between a container and this machine: only the side without `name:` is here.
fn copies<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let parsed = run.parse(words, Options::NONE);
    let is_here = |operand: &&Operand<'a>| !operand.text.contains(':');
    parsed.operands.iter().take(1).filter(is_here).for_each(|from| run.read(from));
    parsed.operands.iter().skip(1).take(1).filter(is_here).for_each(|to| run.write(to));
}

/// A container that is given the machine: all privileges, the engine's socket, or the root directory.
fn runs<'a>(run: &mut Run<'a>, words: &'a [Word], engine: &str) {
    let parsed = run.parse(words, RUN);
    let privileged = parsed.has("", "privileged") || parsed.values("", "pid").any(|value| value.text == "host");
    let mounts = parsed.values("v", "volume").chain(parsed.values("", "mount"));
    let takes_all = mounts.filter_map(|mount| given(&mount.text)).any(|from| {
        matches!(
            from.as_str(),
            "/" | "/etc" | "/var/run/docker.sock" | "/run/docker.sock" | "/root" | "/home" | "/var" | "/proc"
        )
    });
    if privileged || takes_all {
        let draft = Draft::notable("privilege", "container.host-access").flag("privileged", privileged);
        run.emit(draft.flag("mounts", takes_all).tag("engine", engine));
    }
}

/// The side of a mount that lies on this machine.
fn given(mount: &str) -> Option<String> {
    let named = mount.split(',').find_map(|pair| pair.strip_prefix("source=").or_else(|| pair.strip_prefix("src=")));
    let from = named.or_else(|| mount.split_once(':').map(|(from, _)| from))?;
    from.starts_with('/').then(|| crate::effects::path::lexical(from))
}

const RUN: Options = Options::leading(
    "vepwuhlm",
    &[
        "volume",
        "mount",
        "env",
        "env-file",
        "publish",
        "name",
        "network",
        "workdir",
        "user",
        "hostname",
        "pid",
        "entrypoint",
        "label",
        "memory",
        "cpus",
        "restart",
        "platform",
        "add-host",
        "cap-add",
        "device",
        "ipc",
        "net",
        "gpus",
        "tmpfs",
    ],
);
