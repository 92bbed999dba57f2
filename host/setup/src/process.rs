//! Runs a process with an input, and limits its time and the size of its output.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use guard_harness::Reply;
use guard_platform::process::{end_group, own_group};

/// The maximum duration of a call. Longer than the hook's own worst case.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum number of bytes that are read of a reply.
pub(crate) const REPLY_BYTES: u64 = 1 << 20;

/// Starts a process in its own process group, writes its input and reads its reply. Kills the group after 10 s.
///
/// # Errors
///
/// Describes why there is no reply.
pub fn run_with_input(command: &mut Command, payload: String) -> Result<Reply, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = own_group(command).spawn().map_err(|error| error.to_string())?;
    run_with_timeout(PATIENCE, child, payload)
}

fn run_with_timeout(patience: Duration, mut child: Child, payload: String) -> Result<Reply, String> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        // The process may reply before it has read everything.
        let _ = stdin.map(|mut stdin| stdin.write_all(payload.as_bytes()));
    });
    let (stdout, stderr) = (reading(stdout), reading(stderr));
    let deadline = Instant::now() + patience;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_micros(100)),
            Ok(None) => {
                // The process was started in its own group.
                end_group(&mut child);
                let _ = child.wait();
                return Err(format!("there was no reply within {} s", patience.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    // A child process of it may keep the pipe open for longer.
    let text = |from: Receiver<String>| {
        let left = deadline.saturating_duration_since(Instant::now());
        from.recv_timeout(left).map_err(|_| "a process that it started did not end".to_owned())
    };
    let exit = status.code().and_then(|code| u8::try_from(code).ok()).ok_or("it was ended by a signal")?;
    Ok(Reply { stdout: text(stdout)?, stderr: text(stderr)?, exit })
}

/// Reads in another thread.
fn reading(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.map(|from| from.take(REPLY_BYTES).read_to_end(&mut bytes));
        // The receiver may be gone.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {

    use super::*;

    fn run_in_shell(text: &str, patience: Duration) -> Result<Reply, String> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", text]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        run_with_timeout(patience, own_group(&mut shell).spawn().unwrap(), "x".to_owned())
    }

    #[test]
    fn nothing_is_waited_for_without_end() {
        let short = Duration::from_millis(300);
        let runs = run_in_shell("exec sleep 300", short).unwrap_err();
        // The shell has ended, but its child process keeps the output open.
        let ended = run_in_shell("echo said; sleep 5 & exit 0", short).unwrap_err();
        assert_ne!(runs, ended);
        let reply = run_in_shell("cat; echo y >&2; exit 3", PATIENCE).unwrap();
        assert_eq!(reply, Reply { stdout: "x".to_owned(), stderr: "y\n".to_owned(), exit: 3 });
    }
}
