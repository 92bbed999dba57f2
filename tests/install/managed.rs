//! `install --managed` for every user of a machine, and the checks by `doctor` and `config check`.
//!
//! Each test has its own `/etc`, in a mount namespace. `docs/administrators.md` is the page about it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::{SETTINGS, done, read};
use crate::support::pages::{blocks, root};
use crate::support::texts::Transcript;
use crate::support::world::{ProcessOutput, World, end, free_address};
use crate::texts::assert_text;

pub(super) const MANAGED: &str = "etc/claude-code/managed-settings.json";

/// A valid `sync.toml`.
pub(super) const SYNC: &str = "source = 'oci://x.example/acme/guard:1'\n\
    signers = [{ name = 'acme', key = 'MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }]\n";

/// A machine whose `/etc` is a folder of the world.
pub(super) struct Machine(pub(super) World);

impl Machine {
    pub(super) fn new() -> Self {
        let world = World::new();
        fs::create_dir(world.path("etc")).unwrap();
        fs::copy("/etc/passwd", world.path("etc/passwd")).unwrap();
        Machine(world)
    }

    /// Runs the program in the project, with the prefix `before`, such as another user.
    pub(super) fn run_as(&self, before: &str, arguments: &[&str]) -> ProcessOutput {
        self.given(before, arguments, "")
    }

    /// Runs the program with this text on its standard input.
    pub(super) fn given(&self, before: &str, arguments: &[&str], input: &str) -> ProcessOutput {
        let Machine(world) = self;
        let mut command = Command::new("unshare");
        let script = format!("mount --bind \"$HOME/etc\" /etc && exec {before} \"$0\" \"$@\"");
        command.args(["--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_guard-host")]).args(arguments);
        command.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
        command.env("PATH", std::env::var_os("PATH").unwrap());
        end(command, input)
    }

    pub(super) fn run(&self, arguments: &[&str]) -> ProcessOutput {
        self.run_as("", arguments)
    }

    #[track_caller]
    pub(super) fn done(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.exit, 0, "{arguments:?}: {ended:?}");
        ended.stdout
    }

    fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.0.path(path)).unwrap().permissions().mode() & 0o777
    }

    /// Returns the exit code and the problems of `doctor`, as `check: text -> remedy`.
    pub(super) fn problems(&self) -> (i32, Vec<String>) {
        let ended = self.run(&["doctor", "--format", "json"]);
        let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let part = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
        let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["state"] == "problem");
        let line = |one: &Value| format!("{}: {} -> {}", part(one, "check"), part(one, "text"), part(one, "remedy"));
        (ended.exit, findings.map(line).collect())
    }

    /// Asserts that `doctor` has only this problem, and `config check` as well if `is_checked`.
    #[track_caller]
    pub(super) fn assert_problem(&self, is_checked: bool, words: &[&str]) {
        // The chain depends on the mode of a file.
        self.done(&["cache", "warm"]);
        let (exit, problems) = self.problems();
        assert_eq!((exit, problems.len()), (69, 1), "{problems:#?}");
        let checked = self.run(&["config", "check"]);
        assert_eq!(checked.exit, if is_checked { 78 } else { 0 }, "{checked:?}");
        for word in words {
            assert!(problems[0].contains(word), "`{word}` is missing in: {}", problems[0]);
            assert!(!is_checked || checked.stderr.contains(word), "`{word}` is missing in: {checked:?}");
        }
    }
}

#[test]
#[ignore = "needs mounts"]
fn a_registration_for_every_user_is_healthy_and_comes_out_again() {
    let machine = Machine::new();
    let said = machine.done(&["install", "claude", "--managed"]);
    assert!(said.contains("each user has their own guard.toml"), "{said}");
    let settings: Value = serde_json::from_str(&read(&machine.0, MANAGED)).unwrap();
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(line.contains(env!("CARGO_BIN_EXE_guard-host")), "{line}");
    assert!(!line.contains("--state") && !line.contains(".config"), "no user's places: {line}");
    assert_eq!((machine.mode(MANAGED), machine.mode("etc/claude-code")), (0o644, 0o755));
    assert!(!machine.0.path(SETTINGS).exists());
    assert_eq!(machine.problems(), (0, Vec::new()));
    // A second run adds nothing.
    assert!(machine.done(&["install", "claude", "--managed"]).contains("unchanged: /etc/claude-code"));
    let listed = machine.done(&["self", "uninstall"]);
    assert!(listed.contains("sudo guard-host uninstall claude --managed"), "{listed}");
    machine.done(&["uninstall", "claude", "--managed"]);
    assert!(!machine.0.path("etc/claude-code").exists());
    let (exit, problems) = machine.problems();
    assert!(exit == 69 && problems[0].contains("does not run guard-host"), "{problems:#?}");
}

#[test]
#[ignore = "needs mounts"]
fn a_registration_for_every_user_names_the_program_by_its_path() {
    let machine = Machine::new();
    let handler = json!({ "type": "command", "command": "guard-host hook claude", "onFailure": "block" });
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [handler] }] } });
    machine.0.write(MANAGED, settings.to_string());
    let (exit, problems) = machine.problems();
    let found = problems.iter().find(|problem| problem.contains("no absolute path"));
    assert!(exit == 69 && found.is_some_and(|text| text.contains("install claude --managed")), "{problems:#?}");
    // A note about it leads to the same file, without a second entry.
    let told = machine.run(&["doctor", "claude"]).stdout;
    let others = told.lines().filter(|line| line.contains("install claude") && !line.contains("--managed"));
    assert_eq!(others.count(), 0, "{told}");
}

#[test]
#[ignore = "needs mounts"]
fn other_harnesses_have_a_file_for_every_user_or_say_that_they_have_none() {
    let machine = Machine::new();
    for (name, file) in [
        ("copilot", "etc/github-copilot/policy.d/guard-host.json"),
        ("cursor", "etc/cursor/hooks.json"),
        ("gemini", "etc/gemini-cli/settings.json"),
        ("windsurf", "etc/windsurf/hooks.json"),
    ] {
        machine.done(&["install", name, "--managed"]);
        let text = read(&machine.0, file);
        assert!(text.contains(env!("CARGO_BIN_EXE_guard-host")) && !text.contains("--state"), "{text}");
        let ended = machine.run(&["doctor", name]);
        assert_eq!(ended.exit, 0, "{name}: {ended:?}");
        machine.done(&["uninstall", name, "--managed"]);
        assert!(!machine.0.path(file).exists(), "{name}");
    }
    for name in ["codex", "qwen", "opencode", "droid"] {
        let ended = machine.run(&["install", name, "--managed"]);
        assert!(ended.exit == 64 && ended.stderr.contains("no file with hooks for every user"), "{name}: {ended:?}");
    }
    assert_eq!(machine.run(&["install", "claude", "--managed", "--scope", "user"]).exit, 64);
}

#[test]
fn a_hook_of_another_program_for_which_claude_code_skips_the_file_is_a_problem() {
    let world = World::new();
    done(&world, &["install", "claude"]);
    let mut settings = super::json(&world, SETTINGS);
    settings["hooks"]["Stop"] = json!([{ "hooks": [{ "type": "command", "cmd": "notify" }] }]);
    world.write(SETTINGS, settings.to_string());
    let ended = world.run(&["doctor"], "");
    let text = "`hooks.Stop[0].hooks[0].command` is missing, so Claude Code skips the whole file";
    assert!(ended.exit == 69 && ended.stdout.contains(text), "{ended:?}");
    settings["hooks"]["Stop"] = json!([{ "hooks": [{ "type": "command", "command": "notify" }] }]);
    world.write(SETTINGS, settings.to_string());
    assert_eq!(world.run(&["doctor"], "").exit, 0);
}

#[test]
#[ignore = "needs mounts"]
fn a_managed_file_that_others_can_write_is_a_problem() {
    let machine = Machine::new();
    let file = machine.0.write("etc/guard-host/guard.toml", "preset = \"standard\"\n");
    machine.done(&["install", "claude"]);
    assert_eq!(machine.problems(), (0, Vec::new()));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    machine.assert_problem(true, &["/etc/guard-host/guard.toml", "other users can write", "chmod go-w"]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    machine.0.write("etc/guard-host/sync.toml", SYNC);
    let state = json!({ "last": { "time": jiff::Timestamp::now().to_string(), "ok": false, "text": "no route" } });
    machine.0.write("etc/guard-host/sync/state.json", state.to_string());
    machine.assert_problem(true, &["the last `guard-host sync` failed", "no route", "sudo guard-host sync"]);
}

#[test]
#[ignore = "needs mounts"]
fn every_file_of_a_managed_installation_that_others_can_change_is_a_problem() {
    let machine = Machine::new();
    let world = &machine.0;
    machine.0.write("etc/guard-host/guard.toml", "preset = \"standard\"\n");
    machine.done(&["install", "claude", "--managed"]);
    assert_eq!(machine.problems(), (0, Vec::new()));
    let mode = |path: &str, mode| fs::set_permissions(world.path(path), fs::Permissions::from_mode(mode)).unwrap();
    mode(MANAGED, 0o666);
    machine.assert_problem(false, &["managed-settings.json", "other users can write", "the registration of the hook"]);
    mode(MANAGED, 0o644);
    mode("etc/claude-code", 0o777);
    machine.assert_problem(false, &["/etc/claude-code`", "the registration of the hook", "chmod go-w"]);
    mode("etc/claude-code", 0o755);
    world.write("etc/guard-host/sync.toml", SYNC);
    let state = json!({ "last": { "time": jiff::Timestamp::now().to_string(), "ok": true, "text": "" } });
    world.write("etc/guard-host/sync/state.json", state.to_string());
    mode("etc/guard-host/sync.toml", 0o646);
    machine.assert_problem(true, &["sync.toml", "other users can write"]);
    mode("etc/guard-host/sync.toml", 0o644);
    // A program that a user can replace.
    let settings =
        read(world, MANAGED).replace(env!("CARGO_BIN_EXE_guard-host"), world.path("bin/guard-host").to_str().unwrap());
    fs::create_dir(world.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_guard-host"), world.path("bin/guard-host")).unwrap();
    world.write(MANAGED, settings);
    mode("bin", 0o777);
    let (_, problems) = machine.problems();
    assert!(
        problems.iter().any(|text| text.contains("/bin`") && text.contains("the program of the hook")),
        "{problems:#?}"
    );
}

#[test]
#[ignore = "needs mounts"]
fn a_managed_file_that_is_not_read_is_a_problem() {
    let machine = Machine::new();
    machine.done(&["install", "claude"]);
    let wrong = machine.0.write("etc/guard-host/guard.tml", "preset = \"standard\"\n");
    machine.assert_problem(true, &["guard.tml", "is not read", "rename it to"]);
    fs::remove_file(wrong).unwrap();
    for other in ["etc/guard.toml", "etc/guard-host.toml", "etc/guard/guard.toml"] {
        let wrong = machine.0.write(other, "preset = \"standard\"\n");
        machine.assert_problem(true, &[other, "is not read", "rename it to"]);
        fs::remove_file(wrong).unwrap();
    }
    machine.0.write("etc/guard-host/guard.toml", "");
    machine.assert_problem(true, &["guard.toml", "sets nothing"]);
}

/// They would be one user's paths in a file for all users.
#[test]
fn paths_of_one_user_are_refused_for_every_user() {
    let world = World::new();
    for flag in ["--config", "--state", "--cache"] {
        let ended = world.run(&["install", "claude", "--managed", "--dry-run", flag, "own"], "");
        assert!(ended.exit == 64 && ended.stderr.contains("`--managed` can't be combined with"), "{ended:?}");
    }
    assert_eq!(world.run(&["install", "claude", "--managed", "--dry-run"], "").exit, 0);
}

#[test]
#[ignore = "needs mounts"]
fn a_registration_that_has_no_effect_is_reported_when_it_is_made() {
    for (text, word) in [
        (json!({ "disableAllHooks": true }), "disableAllHooks: true"),
        (json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command" }] }] } }), "Claude Code skips the whole file"),
    ] {
        let machine = Machine::new();
        machine.0.write(MANAGED, text.to_string());
        let ended = machine.run(&["install", "claude", "--managed"]);
        assert!(ended.exit == 0 && ended.stderr.contains("warning: no hook"), "{ended:?}");
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
    let machine = Machine::new();
    machine.done(&["install", "claude", "--managed", "--only", "self-protect"]);
    let (exit, problems) = machine.problems();
    let found =
        problems.iter().any(|text| text.contains("asks `self-protect` only") && text.contains("without `--only`"));
    assert!(exit == 69 && found, "{problems:#?}");
}

#[test]
#[ignore = "needs mounts"]
fn no_allow_is_offered_for_a_question_of_a_managed_policy() {
    let machine = Machine::new();
    machine.0.write("etc/guard-host/guard.toml", "preset = \"standard\"\n");
    let payload = json!({
        "session_id": "s", "hook_event_name": "PreToolUse", "cwd": machine.0.repo(),
        "tool_name": "Bash", "tool_input": { "command": "git push" },
    });
    let ended = machine.given("", &["hook", "claude"], &payload.to_string());
    assert!(ended.stdout.contains("Only /etc/guard-host/guard.toml can stop this prompt"), "{ended:?}");
    assert!(!ended.stdout.contains("allow --last"), "{ended:?}");
}

#[test]
fn a_server_that_is_down_or_has_another_token_is_a_problem() {
    let world = World::new();
    done(&world, &["install", "claude"]);
    let remote = |url: &str, fallback: &str| {
        let token = world.path("token");
        let token = token.display();
        world.configure(&format!("[remote]\nurl = '{url}'\ntoken-file = '{token}'\nfallback = '{fallback}'\n"));
        done(&world, &["cache", "warm"]);
    };
    remote(&format!("http://{}", free_address()), "local");
    let problems = || {
        let ended = world.run(&["doctor"], "");
        let lines = ended.stdout.lines().skip_while(|line| !line.contains("remote"));
        // The creation of copies depends on the machine.
        let lines: Vec<String> = lines.filter(|line| !line.contains(" undo: ")).map(str::to_owned).collect();
        ProcessOutput { stdout: lines.join("\n"), ..ended }
    };
    let mut transcript = Transcript::default();
    transcript.add(&world, 69, &problems());
    assert_eq!(world.run(&["config", "check"], "").exit, 78);
    // A named file may be meant for another machine.
    let config = world.path(".config/guard-host/guard.toml");
    assert_eq!(world.run(&["config", "check", "--config", config.to_str().unwrap()], "").exit, 0);
    let token = world.write("token", "secret\n");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    transcript.add(&world, 69, &problems());
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    transcript.add(&world, 69, &problems());
    // `config check` contacts no other machine.
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
    let other = World::new();
    let server = crate::serve::client::Server::start(&other, &[]);
    remote(&format!("http://{}", server.address), "local");
    transcript.add(&world, 69, &problems());
    fs::copy(other.path(".local/state/guard-host/serve.token"), &token).unwrap();
    transcript.add(&world, 0, &problems());
    assert_text!("doctor_remote", transcript.0);
}

#[test]
#[ignore = "needs mounts"]
fn a_log_that_this_user_may_not_write_is_a_problem() {
    let machine = Machine::new();
    let world = &machine.0;
    let log = world.write("logs/audit.jsonl", "");
    world.configure(&format!("[audit]\npath = '{}'\n", log.display()));
    let given = |path: &str| Command::new("chown").args(["-R", "65534:65534"]).arg(world.path(path)).status().unwrap();
    assert!(given("").success());
    fs::set_permissions(&log, fs::Permissions::from_mode(0o444)).unwrap();
    let nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups --";
    let checked = || machine.run_as(nobody, &["config", "check"]);
    let first = checked();
    assert!(
        first.exit == 78 && first.stderr.contains("audit.jsonl: the audit log can't be written: Permission denied"),
        "{first:?}"
    );
    fs::set_permissions(&log, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(checked().exit, 0);
    // The lock and the rotated log are in the folder.
    fs::set_permissions(world.path("logs"), fs::Permissions::from_mode(0o555)).unwrap();
    let ended = checked();
    assert!(ended.exit == 78 && ended.stderr.contains("ls -ld") && ended.stderr.contains("/logs"), "{ended:?}");
}

/// A home that isn't writable, for each reason: each has its own remedies.
#[test]
#[ignore = "needs mounts"]
fn where_nothing_can_be_written_each_reason_has_its_own_remedy() {
    for (mount, remedy, others) in [
        (
            "mount --bind \"$HOME\" \"$HOME\" && mount -o remount,bind,ro \"$HOME\"",
            "read-only: remount it",
            "free some space",
        ),
        (
            "mount -t tmpfs -o size=16k tmpfs \"$HOME\" && mkdir -p \"$HOME/repo/.git\"; head -c 64k /dev/zero > \"$HOME/x\"",
            "free some space",
            "remount it",
        ),
    ] {
        let world = World::new();
        let run = |arguments: &[&str]| {
            let mut command = Command::new("unshare");
            let script = format!("{{ {mount}; }} 2>/dev/null; cd \"$HOME/repo\" && exec \"$0\" \"$@\"");
            command.args(["--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_guard-host")]).args(arguments);
            command.env_clear().env("HOME", world.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
            let ended = end(command, "");
            (ended.exit, ended.stdout + &ended.stderr)
        };
        for (arguments, exit) in
            [(&["install", "claude"][..], 70), (&["doctor"], 69), (&["config", "check"], 78), (&["cache", "warm"], 70)]
        {
            let (ended, said) = run(arguments);
            assert_eq!(ended, exit, "{arguments:?}: {said}");
            assert!(
                said.contains(remedy) && !said.contains(others) && !said.contains("who owns"),
                "{arguments:?}: {said}"
            );
        }
        let (_, said) = run(&["doctor"]);
        assert!(!said.contains("hint: run `guard-host cache warm`"), "it can't: {said}");
    }
}

/// `docs/administrators.md`: its commands exist, its files are the written ones, and its configuration is valid.
#[test]
#[ignore = "needs mounts"]
fn the_page_for_administrators_says_what_the_program_does() {
    let page = fs::read_to_string(root().join("docs/administrators.md")).unwrap();
    let blocks = blocks("docs/administrators.md");
    let world = World::new();
    let commands = blocks.iter().filter(|block| block.language == "console").flat_map(|block| block.text.lines());
    let mut known = 0;
    for line in commands {
        let typed = line.strip_prefix("$ ").unwrap_or(line);
        let typed = typed.strip_prefix("sudo ").unwrap_or(typed);
        let Some(arguments) = typed.strip_prefix("guard-host ") else { continue };
        let words: Vec<&str> = arguments.split(' ').collect();
        let ended = world.run(&[words.as_slice(), &["--help"]].concat(), "");
        assert_eq!(ended.exit, 0, "{line}: {ended:?}");
        known += 1;
    }
    assert!(known >= 4, "{known}");
    for file in [
        "claude-code/managed-settings.json",
        "github-copilot/policy.d/guard-host.json",
        "cursor/hooks.json",
        "gemini-cli/settings.json",
        "windsurf/hooks.json",
    ] {
        assert!(page.contains(&format!("`/etc/{file}`")), "{file}");
    }
    let toml = blocks.iter().find(|block| block.language == "toml").unwrap();
    let machine = Machine::new();
    machine.0.write("etc/guard-host/guard.toml", &toml.text);
    let ended = machine.run(&["config", "check"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
}
