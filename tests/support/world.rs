//! A home, a project and the program: shared by tests of whole processes.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The time limit for expected events, which is enough for any machine.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Variables that identify agents, as in `host/cli/src/cli/terminal.rs`.
pub const AGENTS: [&str; 12] = [
    "AI_AGENT",
    "CLAUDECODE",
    "CLINE_ACTIVE",
    "CODEX_THREAD_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "GROK_AGENT",
    "KILO",
    "OPENCODE",
    "PI_CODING_AGENT",
    "QWEN_CODE",
];

/// A temporary home with a project in it.
pub struct World {
    pub home: TempDir,
}

/// The output of a process, and its exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOutput {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl ProcessOutput {
    /// Returns whether there is no output: the call continues as if there were no hook.
    pub fn is_silent(&self) -> bool {
        self.exit == 0 && self.stdout.is_empty() && self.stderr.is_empty()
    }

    /// Returns the `permissionDecision` on standard output, or empty.
    pub fn decision(&self) -> String {
        let value: serde_json::Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        value["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the `permissionDecisionReason` on standard output, or empty.
    pub fn reason(&self) -> String {
        let value: serde_json::Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        value["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
    }
}

impl World {
    /// Creates an empty home. The project `repo` is a git repository without commits.
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("repo/.git")).unwrap();
        World { home }
    }

    pub fn repo(&self) -> PathBuf {
        self.home.path().join("repo")
    }

    pub fn path(&self, below_home: &str) -> PathBuf {
        self.home.path().join(below_home)
    }

    /// Writes the user's configuration.
    pub fn configure(&self, toml: &str) {
        self.write(".config/guard-host/guard.toml", toml);
    }

    pub fn write(&self, below_home: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below_home);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Returns the program with this home, in the project, and only `PATH` from this process's environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        // `.ci/wine` makes the tests run another system's program.
        let program = std::env::var_os("GUARD_TESTED_PROGRAM");
        let mut command = Command::new(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_guard-host").into()));
        command.args(arguments).current_dir(self.repo()).env_clear().env("HOME", self.home.path());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    pub fn run(&self, arguments: &[&str], stdin: &str) -> ProcessOutput {
        end(self.command(arguments), stdin)
    }

    /// Runs `guard-host hook claude` on a payload. Waits for external policies that aren't compiled yet.
    pub fn hook(&self, payload: &str) -> ProcessOutput {
        let until = Instant::now() + PATIENCE;
        loop {
            let ended = self.run(&["hook", "claude"], payload);
            if !ended.reason().contains("it is not compiled yet") {
                return ended;
            }
            assert!(Instant::now() < until, "a policy is never compiled");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Runs the hook for a `Bash` call in the project.
    pub fn bash(&self, command: &str) -> ProcessOutput {
        let repo = self.repo().display().to_string();
        // An agent on Windows names its folder with the drive, and Wine has the root of this system as `Z:`.
        let cwd = match std::env::var_os("GUARD_TESTED_PROGRAM") {
            Some(_) => format!("Z:{}", repo.replace('/', "\\")),
            None => repo,
        };
        let payload = serde_json::json!({
            "session_id": "s1", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command },
        });
        self.hook(&payload.to_string())
    }

    /// Returns the lines of the audit log.
    pub fn audit(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.path(".local/state/guard-host/audit.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("an audit line is JSON")).collect()
    }
}

/// Returns an address of this machine without a listener.
pub fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Appends to a file, as a program does that doesn't know the chain.
pub fn append(path: &std::path::Path, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Runs `policy`, which must succeed. Returns the output of both streams.
#[track_caller]
pub fn policy(world: &World, arguments: &[&str]) -> String {
    let ended = world.run(&[&["policy"], arguments].concat(), "");
    assert_eq!(ended.exit, 0, "{arguments:?}: {ended:?}");
    ended.stdout + &ended.stderr
}

/// Runs a command to its end.
pub fn end(mut command: Command, stdin: &str) -> ProcessOutput {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            // Another thread that starts a process briefly has a just written program open.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::sleep(Duration::from_millis(5)),
            spawned => break spawned.unwrap(),
        }
    };
    let mut input = child.stdin.take().unwrap();
    let bytes = stdin.as_bytes().to_vec();
    thread::spawn(move || {
        // The program may answer before it has read everything.
        let _ = input.write_all(&bytes);
    });
    ended(child)
}

/// Waits for a process, and returns its output.
#[track_caller]
pub fn ended(child: Child) -> ProcessOutput {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let output = receiver.recv_timeout(PATIENCE).expect("the process ends").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    ProcessOutput { exit: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}
