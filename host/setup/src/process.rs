//! A process that is asked something: given its input, bounded in time and in what is read of it.

use std::io::{Read, Write};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use guard_harness::Reply;
use rustix::process::{Pid, Signal, kill_process_group};

/// How long a call may take: more than the hook takes at its worst.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The most that is read of a reply.
pub(crate) const REPLY_BYTES: u64 = 1 << 20;

/// Gives a process, which is the first of its group, its input and takes its reply. Ends it when it takes too long.
pub(crate) fn talk(mut child: Child, payload: String) -> Result<Reply, String> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        // It may answer before it has read everything.
        let _ = stdin.map(|mut stdin| stdin.write_all(payload.as_bytes()));
    });
    let stdout = thread::spawn(move || read(stdout));
    let stderr = thread::spawn(move || read(stderr));
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_micros(100)),
            Ok(None) => {
                // Its group is its own: it was started so.
                if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = child.wait();
                return Err(format!("there was no reply within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    let text = |reader: thread::JoinHandle<String>| reader.join().unwrap_or_default();
    let exit = status.code().and_then(|code| u8::try_from(code).ok()).ok_or("it was ended by a signal")?;
    Ok(Reply { stdout: text(stdout), stderr: text(stderr), exit })
}

fn read(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    let _ = from.map(|from| from.take(REPLY_BYTES).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
