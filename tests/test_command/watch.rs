//! `--watch`: runs the cases again after each change, until the process is ended.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use super::denied;
use crate::support::guests::{bytes, place};
use crate::support::world::{PATIENCE, World};

const WAITING: &str = "waiting for changes";

/// A running process, and the lines that it prints.
struct Watch {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Watch {
    fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.command(&[&["test"], arguments, &["--watch"]].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, stderr) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Watch { child, stdout, stderr }
    }

    /// Waits until the next run ends with these words on standard output, and the program waits again.
    #[track_caller]
    fn reports(&self, words: &str) {
        until(&self.stdout, words);
        assert_eq!(self.stderr.recv_timeout(PATIENCE).unwrap(), WAITING);
    }

    /// Waits until the next run ends with this error, and the program waits again.
    #[track_caller]
    fn complains(&self, words: &str) {
        let first = self.stderr.recv_timeout(PATIENCE).unwrap();
        assert!(first.starts_with("error: ") && first.contains(words), "{first}");
        until(&self.stderr, WAITING);
    }

    /// Kills the process, because a shell's background processes and their children ignore Ctrl-C. Returns the rest of
    /// the output.
    fn end(mut self) -> Vec<String> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert_eq!(self.child.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
        self.stdout.iter().chain(self.stderr.iter()).collect()
    }
}

impl Drop for Watch {
    /// A failed test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            assert!(!line.contains('\u{1b}'), "nothing is cleared without a terminal: {line}");
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Takes lines up to the one with the words.
#[track_caller]
fn until(lines: &Receiver<String>, words: &str) {
    let mut seen = Vec::new();
    while let Ok(line) = lines.recv_timeout(PATIENCE) {
        if line.contains(words) {
            return;
        }
        seen.push(line);
    }
    panic!("no `{words}`: {seen:#?}");
}

#[test]
fn cases_are_run_again_when_they_or_the_component_change() {
    let world = World::new();
    let component = place(&world, "denies");
    world.write("repo/cases/a.toml", denied(""));
    let watch = Watch::start(&world, &[component.to_str().unwrap(), "cases", "-q"]);
    watch.reports("1 passed, 0 failed");
    world.write("repo/cases/new/b.toml", "[[cases]]\ninput = 'ls'\nexpect = 'ask'\n");
    watch.reports("1 passed, 1 failed");
    world.write("repo/cases/new/b.toml", "[[cases]\n");
    watch.complains("cases/new/b.toml:1:");
    world.write("repo/cases/new/b.toml", "[[cases]]\ninput = 'ls -l'\nexpect = 'abstain'\n");
    watch.reports("2 passed, 0 failed");
    std::fs::remove_file(world.path("repo/cases/new/b.toml")).unwrap();
    watch.reports("1 passed, 0 failed");
    // A component that is being built.
    std::fs::remove_file(&component).unwrap();
    watch.complains("is neither a built-in policy nor a readable file");
    std::fs::write(&component, "half").unwrap();
    watch.complains("not a WebAssembly component");
    std::fs::write(&component, bytes("shell")).unwrap();
    watch.reports("0 passed, 1 failed");
    // Other files than cases are ignored.
    world.write("repo/cases/notes.md", "text");
    thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(watch.end(), Vec::<String>::new());
}

#[test]
fn cases_are_run_again_when_the_settings_change() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'npm publish'\nexpect = 'deny'\n");
    let watch = Watch::start(&world, &["command-guard", "cases.toml", "--settings-file", "s.json", "-q"]);
    watch.complains("s.json: there is no such file");
    world.write("repo/s.json", "{}");
    watch.reports("0 passed, 1 failed");
    world.write("repo/s.json", "{\"raise\":[\"publish\"]}");
    watch.reports("1 passed, 0 failed");
    watch.end();
}

#[test]
fn cases_are_run_again_when_a_file_of_a_folder_of_settings_changes() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'ls'\nexpect = 'deny'\n");
    world.write("repo/team/guard.rego", "package guard\n\ndeny contains \"x\" if data.lib.stops\n");
    world.write("repo/team/lib/lib.rego", "package lib\n\nstops := false\n");
    let watch = Watch::start(&world, &["rego", "cases.toml", "--settings-file", "team", "-q"]);
    watch.reports("0 passed, 1 failed");
    world.write("repo/team/lib/lib.rego", "package lib\n\nstops := true\n");
    watch.reports("1 passed, 0 failed");
    world.write("repo/team/lib/more.rego", "package lib.more\n\nx := {\n");
    watch.complains("team/lib/more.rego:4:1: ");
    watch.end();
}

#[test]
fn the_chain_is_tested_again_when_its_configuration_changes() {
    let world = World::new();
    world.write("repo/cases.toml", "[[cases]]\ninput = 'npm publish'\nexpect = 'abstain'\n");
    let watch = Watch::start(&world, &["chain", "cases.toml", "-q"]);
    watch.reports("0 passed, 1 failed");
    world.configure("preset = \"none\"\n");
    watch.reports("1 passed, 0 failed");
    world.configure("presett = \"none\"\n");
    watch.complains("guard.toml:1:1");
    watch.end();
}
