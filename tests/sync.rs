//! One configuration for many machines: after any failure, the last good one decides.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::support::guests;
use crate::support::pages::{Shell, root};
use crate::support::registry::{Registry, RegistryFault};
use crate::support::terminal::attended;
use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

const TO: &str = "repo/etc/guard.toml";

/// A configuration whose policy answers in its own way, and another one.
const FIRST: &str = "preset = \"none\"\n[[policy]]\nname = \"x\"\nsource = \"first.wasm\"\n";
const SECOND: &str = "preset = \"none\"\n[[policy]]\nname = \"x\"\nsource = \"second.wasm\"\n";

struct Fleet {
    registry: Registry,
    world: World,
}

impl Fleet {
    /// Creates a registry, a key, two policies, and a machine that follows.
    fn new(keys: &str) -> Self {
        let fleet = Fleet { registry: Registry::start(), world: World::new() };
        let world = &fleet.world;
        world.write("repo/first.wasm", guests::version("denies", "1.0.0"));
        world.write("repo/second.wasm", guests::version("shell", "1.0.0"));
        for key in ["acme", "other"] {
            assert_eq!(world.run(&["policy", "keygen", key], "").exit, 0);
        }
        let pem = fs::read_to_string(world.path("repo/acme.pub")).unwrap();
        let key = pem.lines().nth(1).unwrap();
        let signers = format!("signers = [{{ name = \"acme\", key = \"{key}\" }}]");
        world.write("repo/etc/sync.toml", format!("source = \"{}\"\n{signers}\n{keys}\n", fleet.address()));
        fleet
    }

    fn address(&self) -> String {
        format!("oci://{}/acme/guard:stable", self.registry.host)
    }

    fn push(&self, text: &str, version: &str, more: &[&str]) -> ProcessOutput {
        self.world.write("repo/fleet.toml", text);
        let address = self.address();
        let key: &[&str] = if more.contains(&"--key") { &[] } else { &["--key", "acme"] };
        let arguments = [&["sync", "push", &address, "fleet.toml", "--as", version], key, more].concat();
        self.world.run(&arguments, "")
    }

    #[track_caller]
    fn pushed(&self, text: &str, version: &str, more: &[&str]) {
        let ended = self.push(text, version, more);
        assert_eq!(ended.exit, 0, "{ended:?}");
    }

    fn sync(&self) -> ProcessOutput {
        self.world.run(&["sync", "--to", "etc/guard.toml", "--timeout", "2"], "")
    }

    /// Syncs, which must succeed with this version in use.
    #[track_caller]
    fn synced(&self, version: &str) -> String {
        let ended = self.sync();
        assert_eq!((ended.exit, self.status()["current"]["version"].as_str()), (0, Some(version)), "{ended:?}");
        normalized_output(&self.world, &ended)
    }

    /// Returns the verdict on a command by the machine's configuration.
    fn verdict(&self) -> String {
        let config = self.world.path(TO);
        let ended = self.world.run(&["check", "--config", config.to_str().unwrap(), "ls"], "");
        ended.stdout.split(':').next().unwrap_or_default().trim().to_owned()
    }

    fn status(&self) -> Value {
        let ended = self.world.run(&["sync", "status", "--to", "etc/guard.toml", "--format", "json"], "");
        let status: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let has_failed = status["last"]["ok"] == false;
        assert_eq!(ended.exit, if has_failed { 69 } else { 0 }, "{ended:?}");
        assert_eq!(ended.stderr.contains("error: "), has_failed, "{ended:?}");
        status
    }
}

#[test]
fn the_page_about_many_machines_does_what_it_says() {
    let registry = Registry::start();
    let page =
        fs::read_to_string(root().join("docs/many-machines.md")).unwrap().replace("localhost:5000", &registry.host);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.md");
    fs::write(&file, page).unwrap();
    let mut shell = Shell::new();
    shell.world.write("repo/no_force-1.0.0.wasm", guests::version("shell", "1.0.0"));
    if let Err(error) = shell.follow(file.to_str().unwrap()) {
        panic!("{error}");
    }
    let deeds = shell.world.audit().into_iter().filter(|line| line["action"] == "sync");
    let deeds: Vec<String> = deeds.map(|line| line["operation"].as_str().unwrap_or_default().to_owned()).collect();
    let starts = ["1.0.0 sha256:", "1.1.0 sha256:", "back to 1.0.0 sha256:"];
    assert_eq!(deeds.len(), starts.len(), "{deeds:?}");
    assert!(deeds.iter().zip(starts).all(|(deed, start)| deed.starts_with(start)), "{deeds:?}");
}

#[test]
fn whatever_is_wrong_the_last_good_configuration_decides() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let first = fleet.verdict();
    let text = fs::read(fleet.world.path(TO)).unwrap();
    let mut transcript = Transcript::default();
    let mut refused = |exit: i32| {
        let ended = fleet.sync();
        transcript.add(&fleet.world, exit, &ended);
        assert_eq!(fs::read(fleet.world.path(TO)).unwrap(), text, "{ended:?}");
        assert_eq!(fleet.verdict(), first, "{ended:?}");
        let status = fleet.status();
        assert_eq!((&status["last"]["ok"], &status["intact"]), (&false.into(), &true.into()), "{ended:?}: {status}");
        assert_eq!(status["current"]["version"], "1.0.0", "{ended:?}");
    };
    fleet.pushed(SECOND, "1.1.0", &["--key", "other"]);
    refused(65);
    fleet.pushed(SECOND, "1.1.0", &[]);
    for (wrong, exit) in [
        (RegistryFault::Silent, 69),
        (RegistryFault::Tampered, 65),
        (RegistryFault::Truncated, 69),
        (RegistryFault::Endless, 65),
        (RegistryFault::EndlessManifest, 65),
        (RegistryFault::Redirects, 69),
        (RegistryFault::Locked, 69),
        (RegistryFault::Broken, 69),
        (RegistryFault::Garbled, 65),
    ] {
        fleet.registry.go_wrong(wrong);
        refused(exit);
    }
    transcript.add(&fleet.world, 69, &fleet.world.run(&["sync", "status", "--to", "etc/guard.toml"], ""));
    assert_text!("sync_wrong", transcript.0);
    fleet.registry.go_wrong(RegistryFault::Nothing);
    fleet.synced("1.1.0");
    assert_ne!(fleet.verdict(), first);
}

#[test]
fn an_older_version_and_another_one_of_the_same_number_are_refused() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.1.0", &[]);
    fleet.synced("1.1.0");
    let mut transcript = Transcript::default();
    transcript.add(&fleet.world, 65, &fleet.push(SECOND, "1.1.0", &[]));
    transcript.add(&fleet.world, 65, &fleet.push(FIRST, "1.0.0", &[]));
    // A replayed copy of the registry is equally old.
    let other = Fleet::new("");
    other.pushed(FIRST, "1.0.0", &[]);
    let state = fleet.world.path("repo/etc/sync/state.json");
    let known = fs::read_to_string(&state).unwrap();
    other.world.write("repo/etc/sync/state.json", known);
    transcript.add(&other.world, 65, &other.sync());
    other.pushed(SECOND, "1.1.0", &[]);
    transcript.add(&other.world, 65, &other.sync());
    assert_text!("sync_versions", transcript.0);
    assert!(!other.world.path(TO).exists());
}

#[test]
fn a_share_and_a_group_choose_the_machines() {
    let fleet = Fleet::new("group = \"canary\"\nmachine = \"m1\"");
    fleet.pushed(FIRST, "1.0.0", &["--percent", "0"]);
    let mut transcript = Transcript::default();
    transcript.add(&fleet.world, 69, &fleet.sync());
    assert!(!fleet.world.path(TO).exists());
    fleet.pushed(FIRST, "1.0.0", &["--percent", "0", "--group", "web", "--group", "canary"]);
    fleet.synced("1.0.0");
    fleet.pushed(SECOND, "1.1.0", &["--percent", "0", "--group", "web"]);
    transcript.0 += &fleet.synced("1.0.0");
    fs::remove_file(fleet.world.path(TO)).unwrap();
    transcript.0 += &fleet.synced("1.0.0");
    assert_eq!(fleet.status()["intact"], true);
    // A raised share is another manifest of the same configuration.
    fleet.pushed(SECOND, "1.1.0", &["--percent", "100"]);
    transcript.0 += &fleet.synced("1.1.0");
    assert_text!("sync_share", transcript.0);
    fleet.pushed(SECOND, "1.1.0", &["--percent", "0"]);
    fleet.synced("1.1.0");
    assert_eq!(fleet.status()["previous"]["version"], "1.0.0", "the same configuration is no step");
}

#[test]
fn a_crash_leaves_the_old_configuration_or_the_new_one() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let first = fleet.verdict();
    let state = fleet.world.path("repo/etc/sync/state.json");
    let known = fs::read(&state).unwrap();
    fleet.pushed(SECOND, "1.1.0", &[]);
    // Killed while it waits for the registry.
    fleet.registry.go_wrong(RegistryFault::Silent);
    let mut command = fleet.world.command(&["sync", "--to", "etc/guard.toml"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    fleet.registry.go_wrong(RegistryFault::Nothing);
    assert_eq!(fleet.verdict(), first);
    fleet.synced("1.1.0");
    let second = fleet.verdict();
    assert_ne!(second, first);
    // After the file was renamed, and before that was recorded.
    fs::write(&state, known).unwrap();
    assert_eq!((fleet.verdict(), fleet.status()["intact"].clone()), (second.clone(), false.into()));
    fleet.synced("1.1.0");
    assert_eq!(fleet.verdict(), second);
    let status = fleet.status();
    assert_eq!((&status["previous"]["version"], &status["intact"]), (&"1.0.0".into(), &true.into()), "{status}");
    // An invalid state is reported, and decides nothing.
    fs::write(&state, "{").unwrap();
    assert_text!("sync_state", &fleet.world, 78, fleet.sync());
    assert_eq!(fleet.verdict(), second);
}

#[test]
fn what_was_taken_back_stays_out_until_something_newer_is_there() {
    let fleet = Fleet::new("");
    let rollback = || fleet.world.run(&["sync", "rollback", "--to", "etc/guard.toml"], "");
    let mut transcript = Transcript::default();
    transcript.add(&fleet.world, 66, &rollback());
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let first = fleet.verdict();
    fleet.pushed(SECOND, "1.1.0", &[]);
    fleet.synced("1.1.0");
    transcript.add(&fleet.world, 0, &rollback());
    assert_eq!(fleet.verdict(), first);
    transcript.0 += &fleet.synced("1.0.0");
    assert_text!("sync_taken_back", transcript.0);
    assert_eq!(fleet.verdict(), first);
    fleet.pushed(&format!("# better\n{SECOND}"), "1.1.1", &[]);
    fleet.synced("1.1.1");
    assert_ne!(fleet.verdict(), first);
    // A rolled back version stays out, and so do older ones, however often that is repeated.
    assert_eq!(rollback().exit, 0);
    let state = fs::read(fleet.world.path("repo/etc/sync/state.json")).unwrap();
    let other = Fleet::new("");
    other.pushed(SECOND, "1.1.0", &[]);
    other.world.write("repo/etc/sync/state.json", &state);
    let ended = other.sync();
    assert!(!other.world.path(TO).exists(), "{ended:?}");
    fleet.pushed(&format!("# best\n{SECOND}"), "1.1.2", &[]);
    fleet.synced("1.1.2");
    // Unused files are removed: two configurations and two components stay.
    let names = fs::read_dir(fleet.world.path("repo/etc/sync")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    let count = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
    assert_eq!((count(".toml"), count(".wasm")), (2, 2), "{names:?}");
}

#[test]
fn a_share_needs_a_machine_that_has_a_name() {
    let fleet = Fleet::new("machine = \"\"");
    fleet.pushed(FIRST, "1.0.0", &["--percent", "50"]);
    assert_text!("sync_machine", &fleet.world, 78, fleet.sync());
    fleet.pushed(FIRST, "1.0.0", &["--percent", "100"]);
    fleet.synced("1.0.0");
}

#[test]
fn a_file_of_a_person_is_not_replaced_and_a_trial_changes_nothing() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    let ended = fleet.world.run(&["sync", "--to", "etc/guard.toml", "--dry-run"], "");
    let mut transcript = Transcript::default();
    transcript.add(&fleet.world, 0, &ended);
    assert!(!fleet.world.path(TO).exists() && !fleet.world.path("repo/etc/sync").exists());
    fleet.world.write(TO, "preset = \"full\"\n");
    transcript.add(&fleet.world, 69, &fleet.sync());
    assert_text!("sync_trial", transcript.0);
    assert_eq!(fs::read_to_string(fleet.world.path(TO)).unwrap(), "preset = \"full\"\n");
}

#[test]
fn what_others_put_there_stays() {
    let fleet = Fleet::new("group = \"canary\"");
    for name in ["notes.txt", "rules.rego"] {
        fleet.world.write(&format!("repo/etc/sync/{name}"), name);
    }
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let mode = fs::metadata(fleet.world.path("repo/etc/sync")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "every user's hook reads it");
    // Without its state, no file in use is treated as unused.
    let first = fleet.verdict();
    fleet.pushed(SECOND, "1.1.0", &["--percent", "0"]);
    fs::remove_file(fleet.world.path("repo/etc/sync/state.json")).unwrap();
    fleet.sync();
    assert_eq!(fleet.verdict(), first);
    fleet.pushed(SECOND, "1.1.0", &["--percent", "100"]);
    fleet.synced("1.1.0");
    for name in ["notes.txt", "rules.rego"] {
        assert_eq!(fs::read_to_string(fleet.world.path(&format!("repo/etc/sync/{name}"))).unwrap(), name);
    }
}

#[test]
fn what_is_gone_or_changed_is_told_and_comes_back() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let first = fleet.verdict();
    let component = || {
        let names = fs::read_dir(fleet.world.path("repo/etc/sync")).unwrap().map(|entry| entry.unwrap().path());
        names.into_iter().find(|path| path.extension().is_some_and(|end| end == "wasm")).unwrap()
    };
    for damage in [true, false] {
        let component = component();
        if damage {
            fs::write(&component, "x").unwrap()
        } else {
            fs::remove_file(&component).unwrap()
        }
        assert_eq!(fleet.status()["intact"], false);
        fleet.synced("1.0.0");
        assert_eq!((fleet.status()["intact"].clone(), fleet.verdict()), (true.into(), first.clone()));
    }
    // Rolling back to an incomplete version changes nothing.
    let old = component();
    fleet.pushed(SECOND, "1.1.0", &[]);
    fleet.synced("1.1.0");
    let second = fleet.verdict();
    fs::remove_file(old).unwrap();
    let rollback = || fleet.world.run(&["sync", "rollback", "--to", "etc/guard.toml"], "");
    let mut transcript = Transcript::default();
    transcript.add(&fleet.world, 65, &rollback());
    assert_eq!(fleet.verdict(), second);
    // A person's later changes are kept.
    fleet.world.write(TO, "preset = \"full\"\n");
    transcript.add(&fleet.world, 69, &rollback());
    assert_text!("sync_not_whole", transcript.0);
    assert_eq!(fs::read_to_string(fleet.world.path(TO)).unwrap(), "preset = \"full\"\n");
}

#[test]
fn what_does_not_work_is_not_pushed() {
    let fleet = Fleet::new("");
    let mut transcript = Transcript::default();
    let empty = fleet.push("# nothing\n", "1.0.0", &[]);
    assert!(empty.exit == 78 && empty.stderr.contains("sets nothing, so no policy is managed"), "{empty:?}");
    for text in [
        "preset = \"non\"\n",
        "[[policy]]\nname = \"x\"\nsource = \"gone.wasm\"\n",
        "[[policy]]\nname = \"x\"\nsource = \"acme.pub\"\n",
    ] {
        transcript.add(&fleet.world, 78, &fleet.push(text, "1.0.0", &[]));
    }
    transcript.add(&fleet.world, 66, &fleet.sync());
    for key in ["signers", "signer"] {
        fleet.world.write("repo/etc/sync.toml", format!("source = \"oci://localhost:1/x:1\"\n{key} = []\n"));
        transcript.add(&fleet.world, 78, &fleet.sync());
    }
    assert_text!("sync_refused", transcript.0);
}

#[test]
fn a_configuration_whose_files_are_missing_on_this_machine_is_not_installed() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let first = fleet.verdict();
    let token = fleet.world.path("fleet.token");
    let remote = format!("[remote]\nurl = \"https://guard.example\"\ntoken-file = \"{}\"\n", token.display());
    let log = "[audit]\npath = \"/nonexistent/logs/audit.jsonl\"\n".to_owned();
    for (version, text, words) in [("1.1.0", &remote, "the token for the server"), ("1.2.0", &log, "of the audit log")]
    {
        fleet.pushed(&format!("{FIRST}{text}"), version, &[]);
        let ended = fleet.sync();
        assert!(ended.exit == 78 && ended.stderr.contains(words), "{ended:?}");
        let status = fleet.status();
        assert_eq!(
            (&status["current"]["version"], &status["last"]["ok"]),
            (&"1.0.0".into(), &false.into()),
            "{status}"
        );
        assert_eq!(fleet.verdict(), first);
    }
    fleet.pushed(&format!("# with a token\n{FIRST}{remote}"), "1.3.0", &[]);
    fs::write(&token, "secret\n").unwrap();
    fleet.synced("1.3.0");
}

#[test]
fn a_deleted_configuration_is_an_error() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    fs::remove_file(fleet.world.path(TO)).unwrap();
    let ended = fleet.world.run(&["sync", "status", "--to", "etc/guard.toml"], "");
    assert!(ended.exit == 69 && ended.stderr.contains("is missing, so no policy is managed"), "{ended:?}");
    fleet.synced("1.0.0");
}

#[test]
fn a_person_takes_a_version_again_that_was_rolled_back() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    fleet.pushed(SECOND, "1.1.0", &[]);
    fleet.synced("1.1.0");
    assert_eq!(fleet.world.run(&["sync", "rollback", "--to", "etc/guard.toml"], "").exit, 0);
    assert!(fleet.synced("1.0.0").contains("guard-host sync --allow-older"));
    let ended = attended(&fleet.world, &["sync", "--to", "etc/guard.toml", "--timeout", "2", "--allow-older"]);
    assert!(ended.exit == 0 && ended.stdout.contains("took 1.1.0"), "{ended:?}");
    fleet.synced("1.1.0");
    assert_eq!(fleet.status()["left_out"], serde_json::json!([]));
}

#[test]
fn a_source_that_is_broken_or_gone_is_a_failure_that_status_knows() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    assert_eq!(fleet.status()["failures"], serde_json::json!([]));
    let source = fleet.world.path("repo/etc/sync.toml");
    let text = fs::read_to_string(&source).unwrap();
    let status = || fleet.world.run(&["sync", "status", "--to", "etc/guard.toml"], "");
    fs::write(&source, text.replace("source", "sorce")).unwrap();
    // Before the timer has tried it, and after.
    let ended = status();
    assert!(ended.exit == 69 && ended.stderr.contains("`sorce`"), "{ended:?}");
    assert_eq!(fleet.sync().exit, 78);
    assert_eq!(fleet.status()["last"]["ok"], false);
    fs::remove_file(&source).unwrap();
    let ended = status();
    assert!(ended.exit == 69 && ended.stderr.contains("sync.toml: it can't be read"), "{ended:?}");
    assert!(ended.stdout.contains("current    1.0.0"), "{ended:?}");
    fs::write(&source, text).unwrap();
    fleet.synced("1.0.0");
    assert_eq!(status().exit, 0);
}

/// Problems that the timer would have, before it fails. Only the system reports them, because the administrator may
/// write anywhere.
#[test]
fn a_folder_that_is_full_or_read_only_is_told_before_a_sync_fails() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "1.0.0", &[]);
    fleet.synced("1.0.0");
    let mut transcript = Transcript::default();
    for before in [
        "mount --bind etc etc && mount -o remount,bind,ro etc",
        "cp -a etc etc.copy && mount -t tmpfs -o size=4m,mode=755 none etc && cp -a etc.copy/. etc \
         && { head -c 8m /dev/zero > etc/filler || true; } 2> /dev/null",
    ] {
        let mut command = std::process::Command::new("unshare");
        let script = format!("{before} && exec \"$0\" \"$@\"");
        command.args(["--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_guard-host")]);
        command.args(["sync", "status", "--to", "etc/guard.toml"]).current_dir(fleet.world.repo()).env_clear();
        command.env("HOME", fleet.world.home.path()).env("PATH", std::env::var_os("PATH").unwrap());
        transcript.add(&fleet.world, 69, &end(command, ""));
    }
    assert_text!("sync_unwritable", transcript.0);
}

#[test]
fn only_a_person_takes_an_older_version() {
    let fleet = Fleet::new("");
    fleet.pushed(FIRST, "2.0.0", &[]);
    fleet.synced("2.0.0");
    let other = Fleet::new("");
    other.pushed(SECOND, "1.1.0", &[]);
    for file in ["sync/state.json", "guard.toml"] {
        let known = fs::read(fleet.world.path(&format!("repo/etc/{file}"))).unwrap();
        other.world.write(&format!("repo/etc/{file}"), known);
    }
    let copy = fs::read_dir(fleet.world.path("repo/etc/sync")).unwrap().map(|entry| entry.unwrap());
    for entry in copy.filter(|entry| entry.file_name() != "state.json" && entry.file_name() != "lock") {
        let name = entry.file_name().into_string().unwrap();
        other.world.write(&format!("repo/etc/sync/{name}"), fs::read(entry.path()).unwrap());
    }
    let ended = other.sync();
    assert!(ended.exit == 65 && ended.stderr.contains("guard-host sync --allow-older"), "{ended:?}");
    let arguments = ["sync", "--to", "etc/guard.toml", "--timeout", "2", "--allow-older"];
    let ended = other.world.run(&arguments, "");
    assert!(ended.exit == 77 && ended.stderr.contains("from a terminal"), "{ended:?}");
    let ended = attended(&other.world, &arguments);
    assert!(ended.exit == 0 && ended.stdout.contains("took 1.1.0"), "{ended:?}");
    // It is the newest one now.
    other.synced("1.1.0");
    other.pushed(FIRST, "1.2.0", &[]);
    other.synced("1.2.0");
}
