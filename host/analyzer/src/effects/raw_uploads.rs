//! Files that are sent over a raw connection: the input of `nc HOST PORT`, and the output of a command to
//! `/dev/tcp/HOST/PORT`. Typed lines don't count, because they only probe the server.

use guard_sdk::syntax::{Command, Effect};

use super::pipeline::is_near;
use super::secret_flow::is_private;
use crate::draft::Draft;
use crate::programs::fetch::foreign_secrets::host_of;
use crate::run::Run;
use crate::run::collected::Collected;
use crate::run::pipelines::Pipelines;

/// Programs that send their input unchanged.
const CLIENTS: &[&str] = &["nc", "ncat", "netcat", "socat", "telnet"];

/// The maximum number of examined commands.
const MOST: usize = 256;

/// Adds `network.upload` to each command that sends a file over a connection to another network.
pub(super) fn find(commands: &[Command], pipelines: &Pipelines, home: &str, out: &mut Collected) {
    for command in commands.iter().take(MOST) {
        let Some(host) = peer(command, out).filter(|_| !is_near(command)) else { continue };
        let is_known = |effect: &Effect| effect.operation == "secret.send" && effect.command_id == command.id;
        if reads_file(command, commands, pipelines, out) && !out.effects.iter().any(is_known) {
            let mut run = Run::new(command, commands, pipelines, home, out);
            run.emit(Draft::notable("network", "network.upload").target(&host).flag("file", true));
        }
    }
}

/// Returns the other machine, if it is known and in another network.
fn peer(command: &Command, out: &Collected) -> Option<String> {
    let words = || command.argv.windows(2);
    let named = words().find_map(|pair| match pair {
        [option, host] if option.text == "-connect" && !host.dynamic => Some(host.text.as_str()),
        _ => None,
    });
    let host = if command.program() == "openssl" {
        named?
    } else {
        let is_own = |effect: &&Effect| effect.operation == "network.connect" && effect.command_id == command.id;
        let target = out.effects.iter().filter(is_own).find(|effect| effect.certain)?.target.as_str();
        let device = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|folder| target.strip_prefix(folder));
        match device {
            Some(place) => place.split('/').next()?,
            None if CLIENTS.contains(&command.program()) => socat_host(target),
            None => return None,
        }
    };
    host_of(host).filter(|host| !is_private(host))
}

/// Returns the host of an address of `socat`, such as `TCP4:HOST:PORT`. Other texts are returned unchanged.
fn socat_host(address: &str) -> &str {
    let kind = address.split_once(':').filter(|(kind, _)| !kind.contains('.'));
    kind.map_or(address, |(_, rest)| rest)
}

/// Returns whether the command, or one before it in the pipeline, reads a file on this machine.
fn reads_file(command: &Command, commands: &[Command], pipelines: &Pipelines, out: &Collected) -> bool {
    let is_input = || command.redirections.iter().any(|from| from.operator == "<");
    let own = (command.program() != "openssl" || is_input()).then_some(command.id);
    let before = pipelines.source(command).into_iter();
    let stages = before.flat_map(|(pipeline, index)| pipelines.stages(commands, pipeline, index));
    let ids: Vec<u32> = stages.map(|stage| stage.id).chain(own).take(MOST).collect();
    let has = |effect: &Effect, name: &str| effect.tags.iter().any(|(known, _)| known == name);
    let is_file =
        |effect: &&Effect| effect.kind == "read" && !effect.target.starts_with("/dev/") && !has(effect, "where");
    out.effects.iter().filter(is_file).any(|effect| ids.contains(&effect.command_id))
}
