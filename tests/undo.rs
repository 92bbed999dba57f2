//! Undo: the copies before a call, the hook's messages about them, and the restore.

mod hook;
mod interrupted;
mod limits;
mod losses;
mod unkept;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::world::{ProcessOutput, World, end};

/// A temporary home with a repository of two files in one commit.
struct Repo {
    world: World,
}

/// The whole content of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    /// The mode, and the content or target, of each path of the work tree.
    files: BTreeMap<String, (u32, Vec<u8>)>,
    /// The output of git: references, stashes, `HEAD`, and the status.
    git: String,
}

impl State {
    /// Returns the differences from the state before.
    fn differences(&self, now: &State) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (name, before) in &self.files {
            match now.files.get(name) {
                Some(now) if now == before => {}
                Some((mode, _)) => found.push(format!("{name} has another content or mode: {mode:o}")),
                None => found.push(format!("{name} is gone")),
            }
        }
        if self.git != now.git {
            found.push(format!("git said\n{}\nand says\n{}", self.git, now.git));
        }
        found
    }
}

impl Repo {
    fn new() -> Self {
        let repo = Repo { world: World::new() };
        // Other tests run concurrently.
        repo.world.configure("[undo]\nmax-ms = 1500\n");
        fs::remove_dir(repo.path(".git")).unwrap();
        repo.git(&["init", "-q", "-b", "main"]);
        repo.git(&["config", "user.email", "t@example.org"]);
        repo.git(&["config", "user.name", "t"]);
        repo.write("tracked", "first");
        repo.write("src/lib.rs", "lib");
        repo.git(&["add", "."]);
        repo.git(&["commit", "-qm", "first"]);
        repo
    }

    fn path(&self, name: &str) -> PathBuf {
        self.world.repo().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        self.world.write(&format!("repo/{name}"), text);
    }

    fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Returns a program in the repository, with the home of this world.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.world.repo()).env("HOME", self.world.home.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    #[track_caller]
    fn program(&self, program: &str, arguments: &[&str]) -> String {
        let ended = end(self.command(program, arguments), "");
        assert_eq!(ended.exit, 0, "{program} {arguments:?}: {ended:?}");
        ended.stdout
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        self.program("git", arguments)
    }

    /// Runs a test's command in the repository. All its paths are relative.
    fn shell(&self, command: &str) -> ProcessOutput {
        assert!(!command.contains('$') && !command.contains("~/"), "a test names its paths");
        end(self.command("sh", &["-c", command]), "")
    }

    /// Runs the hook on a payload, with more time for machines that are busy with other tests.
    fn hook(&self, payload: &str) -> ProcessOutput {
        let is_late =
            |ended: &ProcessOutput| ["no verdict in time", "takes too long"].iter().any(|it| ended.stdout.contains(it));
        let replies = (0..30).map(|_| self.world.hook(payload));
        replies.into_iter().find(|ended| !is_late(ended)).expect("the hook answers in time")
    }

    /// Runs the hook for a `Bash` call.
    fn bash(&self, command: &str) -> ProcessOutput {
        let payload = serde_json::json!({
            "session_id": "s1", "cwd": self.world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command },
        });
        self.hook(&payload.to_string())
    }

    /// Reports the end of a `Bash` call.
    fn report_end(&self, command: &str) {
        let payload = serde_json::json!({
            "session_id": "s1", "cwd": self.world.repo(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_response": {},
        });
        self.hook(&payload.to_string());
    }

    fn state(&self) -> State {
        let mut files = BTreeMap::new();
        walk(&self.world.repo(), &self.world.repo(), &mut files);
        let parts = [
            &["for-each-ref", "refs/heads", "refs/tags"][..],
            &["log", "-g", "--format=%H %gs", "refs/stash", "--"],
            &["symbolic-ref", "HEAD"],
            &["rev-parse", "HEAD"],
            &["status", "--porcelain"],
        ];
        let said = |arguments: &&[&str]| end(self.command("git", arguments), "").stdout;
        State { files, git: parts.iter().map(said).collect() }
    }
}

fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let data = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if name == ".git" {
            continue;
        }
        let content = match () {
            () if data.is_symlink() => fs::read_link(&path).unwrap().display().to_string().into_bytes(),
            () if data.is_dir() => Vec::new(),
            () => fs::read(&path).unwrap(),
        };
        found.insert(name, (data.mode(), content));
        if data.is_dir() {
            walk(root, &path, found);
        }
    }
}
