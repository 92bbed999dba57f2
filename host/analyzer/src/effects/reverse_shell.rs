//! Finds shells on a connection: an interpreter that reads or writes a socket, or commands that are read from one.
//!
//! Sockets opened by programs such as `nc` are handled by those programs' effects.

use guard_sdk::syntax::{Command, Redirection};

use crate::draft::Draft;
use crate::run::Run;
use crate::run::collected::Collected;
use crate::run::pipelines::Pipelines;
use crate::wrappers::{reads_code, shells};

/// The maximum number of tracked descriptors, and of findings.
const MOST: usize = 16;

/// Adds `execute.served` to every interpreter on a connection.
pub(super) fn find(commands: &[Command], pipelines: &Pipelines, out: &mut Collected) {
    let redirections = || commands.iter().flat_map(|command| command.redirections.iter());
    let Some(target) = redirections().find(|redirection| is_socket(redirection)).map(|found| &found.target.text) else {
        return;
    };
    // A descriptor stays open for later commands.
    let open: Vec<i32> = redirections().filter(|found| is_socket(found)).map(|found| found.fd).take(MOST).collect();
    let on_socket = |redirection: &Redirection| is_socket(redirection) || copied(redirection, &open);
    let reads = commands.iter().any(|command| command.redirections.iter().any(|found| copied(found, &open)));
    let interpreters = commands.iter().filter(|command| {
        let interprets = shells::is_shell(command.program()) || reads_code(command.program());
        let supplied = command.argv.first().is_some_and(|name| name.dynamic);
        interprets && command.redirections.iter().any(on_socket) || supplied && reads
    });
    for command in interpreters.take(MOST) {
        let mut run = Run::new(command, commands, pipelines, "", out);
        run.state(Draft::destructive("execute", "execute.served").target(target), true);
    }
}

fn is_socket(redirection: &Redirection) -> bool {
    ["/dev/tcp/", "/dev/udp/"].iter().any(|folder| redirection.target.text.starts_with(folder))
}

/// Returns whether it copies an open socket that isn't a standard stream.
fn copied(redirection: &Redirection, open: &[i32]) -> bool {
    let number = redirection.target.text.trim_end_matches('-').parse::<i32>();
    redirection.operator.ends_with('&') && number.is_ok_and(|number| number > 2 && open.contains(&number))
}
