//! A person at a terminal, played by `script(1)`: no crate is taken for what every machine has.

use std::process::Command;

use crate::support::world::{Ended, World, end};

/// Runs the program with a terminal for all its streams. What it prints is in `stdout`, with the line ends of a terminal
/// taken out. None, with a word about it, where the machine has no `script`.
pub fn attended(world: &World, arguments: &[&str]) -> Option<Ended> {
    attended_by(world, env!("CARGO_BIN_EXE_guard-host"), arguments, "")
}

/// The same for the program under another name, with a person who types something.
pub fn attended_by(world: &World, program: &str, arguments: &[&str], typed: &str) -> Option<Ended> {
    // Below an agent the program takes no terminal for a person's.
    if let Some(agent) = ["AI_AGENT", "CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE"]
        .into_iter()
        .find(|name| std::env::var_os(name).is_some())
    {
        eprintln!("skipped, because an agent runs the tests: `{agent}` is set");
        return None;
    }
    let mut command = Command::new("script");
    if cfg!(target_os = "macos") {
        command.args(["-q", "/dev/null", program]).args(arguments);
    } else {
        let words = std::iter::once(&program).chain(arguments);
        let quoted: Vec<String> = words.map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        command.args(["-qec", &quoted.join(" "), "/dev/null"]);
    }
    command.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped, because this machine has no `script`");
        return None;
    }
    let ended = end(command, typed);
    Some(Ended { stdout: ended.stdout.replace('\r', ""), ..ended })
}
