//! A person at a terminal: a pseudo terminal, and a process that no agent started.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::world::{PATIENCE, ProcessOutput, World};

/// The byte that ends a terminal's input.
const END_OF_INPUT: u8 = 4;

/// Starts `$3 ...` in a new session with the terminal, and exits first, so that the program's parent is the machine's
/// first process instead of the tests' ancestors. Writes its exit code to `$2`.
const ORPHAN: &str = "\
exec 3<&0
SETSID sh -c 'open=$1 code=$2; shift 2
  until test -e \"$open\"; do sleep 0.01; done
  \"$@\"; echo $? > \"$code\"' sh \"$@\" <&3 3<&- &";

/// Runs the program with a terminal for all its streams. The output is in `stdout`, without the terminal's line ends.
#[track_caller]
pub fn attended(world: &World, arguments: &[&str]) -> ProcessOutput {
    attended_by(world, env!("CARGO_BIN_EXE_guard-host"), arguments, "")
}

/// Runs another program, with a person's typed input.
#[track_caller]
pub fn attended_by(world: &World, program: &str, arguments: &[&str], typed: &str) -> ProcessOutput {
    let (master, slave) = terminal();
    let folder = tempfile::tempdir().unwrap();
    let (open, code) = (folder.path().join("open"), folder.path().join("code"));
    // macOS has no program for it, and ancestors' variables aren't checked there.
    let script = ORPHAN.replace("SETSID", if cfg!(target_os = "macos") { "" } else { "setsid --ctty" });
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).args([&open, &code]).arg(program).args(arguments);
    command.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let stream = || Stdio::from(slave.try_clone().unwrap());
    command.stdin(stream()).stdout(stream()).stderr(stream());
    let started = command.status().unwrap();
    // Closes its streams as well: the other side ends once the terminal isn't open anywhere.
    drop((command, slave));
    assert!(started.success(), "{program}: {started}");
    let mut keyboard = master.try_clone().unwrap();
    keyboard.write_all(&[typed.as_bytes(), &[END_OF_INPUT]].concat()).unwrap();
    fs::write(&open, "").unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(screen(master)));
    let screen = receiver.recv_timeout(PATIENCE).expect("the program ends");
    let exit = fs::read_to_string(&code).unwrap_or_else(|error| panic!("{program}: {error}: {screen}"));
    ProcessOutput { exit: exit.trim().parse().unwrap(), stdout: screen.replace('\r', ""), stderr: String::new() }
}

/// Opens both sides of a new terminal.
fn terminal() -> (File, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    fcntl_setfd(&master, FdFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave =
        rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    (File::from(master), slave)
}

/// Returns all output. On Linux it ends with an error, on other systems with an end of file.
fn screen(mut master: File) -> String {
    let mut bytes = Vec::new();
    let _ = master.read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
}
