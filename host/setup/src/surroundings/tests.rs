//! Tests of each problem, in its own folder. Those that need another user are in the tests of the whole program.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use guard_config::load;
use tempfile::TempDir;

use super::*;

/// A valid `sync.toml`.
const SYNC: &str = "source = 'oci://x.example/acme/guard:1'\n\
    signers = [{ name = 'acme', key = 'MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }]\n";

/// A machine: `etc` with the managed file, and a home.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Machine(tempfile::tempdir().unwrap());
        machine.mode("", 0o755);
        machine.write("home/.local/state/guard-host/note", "", 0o600);
        machine
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn write(&self, below: &str, text: &str, mode: u32) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.mode(below, mode);
    }

    fn mode(&self, below: &str, mode: u32) {
        fs::set_permissions(self.path(below), Permissions::from_mode(mode)).unwrap();
    }

    /// Returns each problem in one line: the check, the file, the text and the hint.
    fn found(&self) -> Vec<String> {
        let home = self.path("home");
        let dirs =
            AppDirs { managed: self.path("etc/guard-host/guard.toml"), ..AppDirs::under_home(home.to_str().unwrap()) };
        let line = |Mistake { subject, problem, .. }: &Mistake| format!("{subject}: {}", problem.with_hint());
        survey(&load(&dirs, &[]), &dirs).iter().map(line).collect()
    }

    #[track_caller]
    fn assert_found(&self, words: &[&str]) {
        let found = self.found();
        let [found] = &found[..] else { panic!("{found:#?}") };
        for word in words {
            assert!(found.contains(word), "`{word}` is missing in: {found}");
        }
    }
}

#[test]
fn sound_surroundings_have_no_deficiency() {
    let machine = Machine::new();
    assert_eq!(machine.found(), Vec::<String>::new());
    machine.write("etc/guard-host/guard.toml", "preset = 'standard'\n", 0o644);
    machine.write("home/.local/state/guard-host/audit.jsonl", "", 0o600);
    assert_eq!(machine.found(), Vec::<String>::new());
}

#[test]
fn a_managed_file_that_others_can_write_is_a_deficiency() {
    let machine = Machine::new();
    machine.write("etc/guard-host/guard.toml", "preset = 'standard'\n", 0o666);
    machine.assert_found(&["managed: ", "guard.toml", "other users can write", "chmod go-w"]);
    machine.mode("etc/guard-host/guard.toml", 0o644);
    machine.mode("etc/guard-host", 0o777);
    machine.assert_found(&["managed: ", "etc/guard-host`", "chmod go-w"]);
    machine.mode("etc/guard-host", 0o755);
    // A link to a file in a folder that others can write to.
    machine.write("open/guard.toml", "preset = 'standard'\n", 0o644);
    fs::remove_file(machine.path("etc/guard-host/guard.toml")).unwrap();
    std::os::unix::fs::symlink(machine.path("open/guard.toml"), machine.path("etc/guard-host/guard.toml")).unwrap();
    assert_eq!(machine.found(), Vec::<String>::new());
    machine.mode("open", 0o1777);
    machine.assert_found(&["managed: ", "open`"]);
}

#[test]
fn a_managed_file_that_users_cannot_read_is_a_deficiency() {
    let machine = Machine::new();
    let etc = machine.path("etc/guard-host");
    let remote = format!("[remote]\nurl = 'https://guard.example'\ntoken-file = '{}/token'\n", etc.display());
    let rules =
        format!("[[policy]]\nname = 'own'\nsource = '{0}/own.wasm'\nsettings-file = '{0}/rules'\n", etc.display());
    machine.write("etc/guard-host/own.wasm", "", 0o644);
    machine.write("etc/guard-host/guard.toml", &format!("{rules}{remote}"), 0o644);
    machine.write("etc/guard-host/token", "secret\n", 0o644);
    machine.write("etc/guard-host/rules/team.rego", "package guard\n\ndeny if false\n", 0o644);
    machine.write("etc/guard-host/sync.toml", SYNC, 0o600);
    machine.write("etc/guard-host/sync/state.json", "{\"last\":{\"time\":\"\",\"ok\":true,\"text\":\"\"}}", 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    for (path, closed, open) in [
        ("etc/guard-host/guard.toml", 0o600, 0o644),
        ("etc/guard-host/token", 0o600, 0o644),
        ("etc/guard-host/own.wasm", 0o600, 0o644),
        ("etc/guard-host/rules/team.rego", 0o600, 0o644),
        ("etc/guard-host/rules", 0o700, 0o755),
        ("etc/guard-host", 0o700, 0o755),
    ] {
        machine.mode(path, closed);
        machine.assert_found(&["managed: ", "other users can't ", "run `sudo chmod ", path]);
        machine.mode(path, open);
    }
    // A group of the administrators' machine may read it.
    machine.mode("etc/guard-host/guard.toml", 0o640);
    let is_of_group = fs::metadata(etc.join("guard.toml")).unwrap().gid() != 0;
    assert_eq!(machine.found().is_empty(), is_of_group);
}

#[test]
fn every_file_that_binds_all_users_is_checked_for_other_writers() {
    let machine = Machine::new();
    let etc = machine.path("etc/guard-host");
    let policy = format!(
        "[[policy]]\nname = 'own'\nsource = '{0}/own.wasm'\nsettings-file = '{1}/own.json'\n\
         [remote]\nurl = 'https://guard.example'\ntoken-file = '{0}/token'\nca = '{1}/ca.pem'\n",
        etc.display(),
        machine.path("shared").display(),
    );
    machine.write("etc/guard-host/guard.toml", &policy, 0o644);
    machine.write("etc/guard-host/sync.toml", SYNC, 0o644);
    machine.write("etc/guard-host/sync/state.json", "{\"last\":{\"time\":\"\",\"ok\":true,\"text\":\"\"}}", 0o644);
    machine.write("etc/guard-host/token", "secret\n", 0o644);
    machine.write("etc/guard-host/own.wasm", "", 0o644);
    machine.write("shared/own.json", "{}", 0o644);
    machine.write("shared/ca.pem", "-----BEGIN CERTIFICATE-----\n", 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    for file in ["etc/guard-host/sync.toml", "etc/guard-host/own.wasm", "shared/own.json", "shared/ca.pem"] {
        machine.mode(file, 0o646);
        machine.assert_found(&["managed: ", file, "other users can write", "chmod go-w"]);
        machine.mode(file, 0o644);
    }
    // Two files in the same folder are one problem.
    machine.mode("shared", 0o777);
    machine.assert_found(&["managed: ", "shared`", "other users can write"]);
}

#[test]
fn a_managed_file_with_another_name_or_without_text_is_a_deficiency() {
    for name in ["guard.tml", "gard.toml", "config.toml", "guard-host.toml", "policy.toml"] {
        let machine = Machine::new();
        machine.write(&format!("etc/guard-host/{name}"), "preset = 'standard'\n", 0o644);
        machine.assert_found(&["managed: ", name, "is not read", "rename it to", "guard.toml`"]);
    }
    let machine = Machine::new();
    machine.write("etc/guard-host/ship.env", "A=b\n", 0o644);
    machine.write("etc/guard-host/notes.toml", "a = 1\n", 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    for text in ["", "# preset = 'standard'\n", "lock = []\n"] {
        machine.write("etc/guard-host/guard.toml", text, 0o644);
        machine.assert_found(&["managed: ", "sets nothing, so no policy is managed"]);
    }
    machine.write("etc/guard-host/guard.toml", "[audit]\nlevel = 'all'\n", 0o644);
    machine.write("etc/guard-host/config.toml", "preset = 'standard'\n", 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
}

#[test]
fn everything_in_a_managed_folder_of_settings_is_checked_for_other_writers() {
    let machine = Machine::new();
    let folder = machine.path("etc/guard-host/rules");
    let policy = format!("[[policy]]\nname = 'rego'\nsource = '{0}.wasm'\nsettings-file = '{0}'\n", folder.display());
    machine.write("etc/guard-host/rules.wasm", "", 0o644);
    machine.write("etc/guard-host/rules/team.rego", "package guard\n", 0o644);
    machine.write("etc/guard-host/rules/below/data.json", "{}", 0o644);
    machine.write("etc/guard-host/guard.toml", &policy, 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    for file in ["rules/team.rego", "rules/below/data.json", "rules/below"] {
        let file = format!("etc/guard-host/{file}");
        let mode = fs::metadata(machine.path(&file)).unwrap().permissions().mode();
        machine.mode(&file, 0o777);
        machine.assert_found(&["managed: ", &format!("{file}`"), "other users can write", "chmod go-w"]);
        machine.mode(&file, mode & 0o7777);
    }
    assert_eq!(machine.found(), Vec::<String>::new());
}

#[test]
fn a_folder_further_up_that_others_can_write_to_is_a_deficiency() {
    let machine = Machine::new();
    let settings = machine.path("pub/team/rules/own.json");
    machine.write("pub/team/rules/own.json", "{}", 0o644);
    machine.write("etc/guard-host/own.wasm", "", 0o644);
    let policy = format!("[[policy]]\nname = 'own'\nsource = './own.wasm'\nsettings-file = '{}'\n", settings.display());
    machine.write("etc/guard-host/guard.toml", &policy, 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    machine.mode("pub", 0o777);
    machine.assert_found(&["managed: ", "/pub`", "other users can write", "chmod go-w"]);
    // As in `/tmp`, others can't rename the folders in it.
    machine.mode("pub", 0o1777);
    assert_eq!(machine.found(), Vec::<String>::new());
    // A link in such a folder can be replaced, wherever it leads.
    machine.mode("pub", 0o777);
    fs::rename(machine.path("pub/team"), machine.path("team")).unwrap();
    std::os::unix::fs::symlink(machine.path("team"), machine.path("pub/team")).unwrap();
    machine.assert_found(&["managed: ", "/pub`", "other users can write"]);
}

#[test]
fn a_log_that_others_can_write_to_has_no_chain_and_is_reported() {
    let machine = Machine::new();
    let log = "home/.local/state/guard-host/audit.jsonl";
    machine.write(log, "", 0o600);
    assert_eq!(machine.found(), Vec::<String>::new());
    for mode in [0o666, 0o620] {
        machine.mode(log, mode);
        machine.assert_found(&["audit: ", "audit.jsonl", "other users can write", "audit verify", "chmod go-w"]);
    }
}

#[test]
fn a_managed_configuration_whose_files_are_missing_here_is_refused() {
    let machine = Machine::new();
    let refused = |text: &str, is_here: bool| {
        machine.write("etc/guard-host/guard.toml", text, 0o644);
        let home = machine.path("home");
        let managed = machine.path("etc/guard-host/guard.toml");
        let dirs = AppDirs { managed, ..AppDirs::under_home(home.to_str().unwrap()) };
        let line = |Mistake { subject, problem, .. }: &Mistake| format!("{subject}: {}", problem.with_hint());
        managed_mistakes(&load(&dirs, &[]), &dirs, is_here).iter().map(line).collect::<Vec<_>>()
    };
    let path = |below: &str| machine.path(below).display().to_string();
    let token = path("etc/guard-host/token");
    let remote = format!("[remote]\nurl = 'https://guard.example'\ntoken-file = '{token}'\nca = '{token}.pem'\n");
    let found = refused(&remote, true);
    assert!(found.len() == 2 && found[0].contains("is missing") && found[1].contains("`ca`"), "{found:#?}");
    let log = format!("lock = ['command-guard']\n[audit]\npath = '{}'\n", path("var/log/audit.jsonl"));
    let found = refused(&log, true);
    assert!(found.len() == 1 && found[0].contains("/var/log` of the audit log doesn't exist"), "{found:#?}");
    for text in [&remote, &log] {
        assert_eq!(refused(text, false), Vec::<String>::new(), "other machines may have them");
    }
    // Each user's own folder is created by their hook.
    for path in ["~/logs/audit.jsonl", "logs/audit.jsonl"] {
        assert_eq!(
            refused(&format!("lock = ['command-guard']\n[audit]\npath = '{path}'\n"), true),
            Vec::<String>::new()
        );
    }
    for is_here in [true, false] {
        let found = refused("# nothing\n", is_here);
        assert!(found.len() == 1 && found[0].contains("sets nothing, so no policy is managed"), "{found:#?}");
        for text in ["preset = 'none'\n", "[audit]\nlevel = 'all'\n", "bypass-ask = 'deny'\n"] {
            let found = refused(text, is_here);
            assert!(found.len() == 1 && found[0].contains("sets no policy"), "{text}: {found:#?}");
        }
        for text in ["[[policy]]\nname = 'own'\nsource = './own.wasm'\n", "lock = ['command-guard']\n", "preset =\n"] {
            assert_eq!(refused(text, is_here), Vec::<String>::new(), "{text}");
        }
    }
    machine.write("etc/guard-host/token", "secret\n", 0o644);
    machine.write("etc/guard-host/token.pem", "-----BEGIN CERTIFICATE-----\n", 0o644);
    machine.write("var/log/note", "", 0o644);
    for text in [&remote, &log] {
        assert_eq!(refused(text, true), Vec::<String>::new());
    }
}

#[test]
fn a_synced_file_that_was_deleted_is_an_error() {
    let machine = Machine::new();
    machine.write("etc/guard-host/sync.toml", SYNC, 0o644);
    let now = jiff::Timestamp::now();
    let current = format!("{{\"version\":\"1.0.0\",\"sha256\":\"0\",\"digest\":\"0\",\"since\":\"{now}\"}}");
    let state = format!("{{\"current\":{current},\"last\":{{\"time\":\"{now}\",\"ok\":true,\"text\":\"\"}}}}");
    machine.write("etc/guard-host/sync/state.json", &state, 0o644);
    machine.assert_found(&["sync: ", "guard.toml", "is missing, so no policy is managed", "sudo guard-host sync"]);
    let target = SyncTarget { file: machine.path("etc/guard-host/guard.toml") };
    assert!(target.mistakes().iter().all(|mistake| mistake.severity == Severity::Error));
    // A changed one still manages policies.
    machine.write("etc/guard-host/guard.toml", "preset = 'standard'\n", 0o644);
    assert!(target.mistakes().iter().all(Mistake::is_warning));
}

#[test]
fn a_log_that_is_no_file_is_a_deficiency() {
    let machine = Machine::new();
    let log = machine.path("home/.local/state/guard-host/audit.jsonl");
    for target in ["/dev/null", "/dev/full", "/"] {
        std::os::unix::fs::symlink(target, &log).unwrap();
        machine.assert_found(&["audit: ", "audit.jsonl", "not a file", "remove"]);
        fs::remove_file(&log).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(&log).status().unwrap().success());
    machine.assert_found(&["audit: ", "not a file"]);
}

#[test]
fn the_token_of_a_server_is_there_and_read_by_the_right_users() {
    let remote = |machine: &Machine| {
        let token = machine.path("token");
        format!("[remote]\nurl = 'http://127.0.0.1:1'\ntoken-file = '{}'\n", token.display())
    };
    let machine = Machine::new();
    machine.write("home/.config/guard-host/guard.toml", &remote(&machine), 0o600);
    machine.assert_found(&["remote: ", "/token: ", "is missing", "save the server's token"]);
    machine.write("token", "  \n", 0o600);
    machine.assert_found(&["remote: ", "contains no token"]);
    machine.write("token", "secret\n", 0o600);
    assert_eq!(machine.found(), Vec::<String>::new());
    for mode in [0o644, 0o640, 0o604] {
        machine.mode("token", mode);
        machine.assert_found(&["remote: ", "other users can read", "chmod 600"]);
    }
    // Each user's hook reads the token of the managed file.
    machine.write("etc/guard-host/guard.toml", &remote(&machine), 0o644);
    machine.mode("token", 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    machine.mode("token", 0o646);
    machine.assert_found(&["remote: ", "other users can replace", "sudo chmod go-w"]);
}

#[test]
fn a_log_on_a_full_or_read_only_disk_is_a_deficiency() {
    let machine = Machine::new();
    let log =
        |path: &str| machine.write("home/.config/guard-host/guard.toml", &format!("[audit]\npath = '{path}'\n"), 0o600);
    // Root has permission to write there, but files can't be created.
    for path in ["/proc/guard-host/audit.jsonl", "/sys/audit.jsonl"] {
        log(path);
        machine.assert_found(&["audit: ", path, "can't be written", "takes no files", "another `path`"]);
    }
    // A file where a folder is expected.
    machine.write("home/file", "", 0o600);
    log(machine.path("home/file/audit.jsonl").to_str().unwrap());
    machine.assert_found(&["audit: ", "can't be written", "in the place of a folder"]);
    let room = [(1 << 30, 4096, 9, 9), (1 << 30, 1 << 29, 9, 0), (1 << 30, 1 << 29, 9, 9), (0, 0, 0, 0)];
    let full = room.map(|(size, left, files, files_left)| is_disk_full(size, left, files, files_left));
    assert_eq!(full, [true, true, false, false]);
}

#[test]
fn a_sync_that_failed_or_will_fail_is_a_deficiency() {
    let machine = Machine::new();
    let state = |text: &str| machine.write("etc/guard-host/sync/state.json", text, 0o644);
    let last = |ok: bool, time: &str| format!("{{\"last\":{{\"time\":\"{time}\",\"ok\":{ok},\"text\":\"no route\"}}}}");
    let now = jiff::Timestamp::now().to_string();
    // After the first sync, its missing source is reported.
    state(&last(true, &now));
    machine.assert_found(&["sync: ", "sync.toml", "can't be read", "create it"]);
    machine.write("etc/guard-host/sync.toml", SYNC, 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
    state(&last(false, &now));
    machine.assert_found(&["sync: ", &format!("failed at {now}: no route"), "sudo guard-host sync"]);
    state(&last(true, "2026-01-01T00:00:00Z"));
    machine.assert_found(&["sync: ", " days", "check that its timer runs"]);
    state("{");
    machine.assert_found(&["sync: ", "state.json", "can't be used", "starts over"]);
}

#[test]
fn a_source_that_never_works_is_a_deficiency_before_the_first_sync() {
    let machine = Machine::new();
    let source = |text: &str| machine.write("etc/guard-host/sync.toml", text, 0o644);
    let [address, signers] = SYNC.split_inclusive('\n').collect::<Vec<_>>()[..] else { panic!("two lines") };
    for (text, words) in [
        ("source = oci\n".to_owned(), &["sync.toml:1:"][..]),
        (address.to_owned(), &["sync.toml", "`signers`"]),
        (format!("{address}signers = []\n"), &["`signers` is empty", "policy keygen"]),
        (format!("{address}signers = [{{ name = 'acme', key = 'x' }}]\n"), &["the `key` of `acme` isn't a public key"]),
        (SYNC.replace("oci://x.example", "x.example"), &["`source`", "isn't an address in a registry", "oci://"]),
        (SYNC.replace("oci://", "https://"), &["`source`", "isn't an address in a registry"]),
        (format!("{SYNC}sinner = 'x'\n"), &["`sinner`"]),
        (signers.to_owned(), &["`source`"]),
    ] {
        source(&text);
        machine.assert_found(&[&["sync: "], words].concat());
    }
    source(SYNC);
    machine.assert_found(&["sync: ", "sync.toml", "has never run", "enable its timer"]);
    machine.write("etc/guard-host/guard.toml", "preset = 'standard'\n", 0o644);
    machine.assert_found(&["sync: ", "guard.toml", "a person wrote this file", "move it away"]);
}

#[test]
fn sync_refuses_a_source_that_others_can_change() {
    let machine = Machine::new();
    machine.write("etc/guard-host/sync.toml", SYNC, 0o644);
    let target = SyncTarget { file: machine.path("etc/guard-host/guard.toml") };
    assert!(target.read_settings().is_ok());
    for mode in [0o666, 0o646] {
        machine.mode("etc/guard-host/sync.toml", mode);
        let problem = target.read_settings().unwrap_err().problem;
        assert!(problem.place.ends_with("sync.toml") && problem.text.contains("other users can change"), "{problem:?}");
        assert!(problem.hint.contains("chmod go-w"), "{problem:?}");
    }
    for mode in [0o644, 0o600, 0o400] {
        machine.mode("etc/guard-host/sync.toml", mode);
        assert!(target.read_settings().is_ok(), "{mode:o}");
    }
}

#[test]
fn a_registration_that_users_cannot_reach_is_told_with_its_fix() {
    let machine = Machine::new();
    machine.mode("", 0o755);
    let dirs = AppDirs { managed: machine.path("etc/guard-host/guard.toml"), ..AppDirs::under_home("/home/x") };
    let (file, program) = (machine.path("etc/claude-code/managed-settings.json"), machine.path("bin/guard-host"));
    machine.write("etc/claude-code/managed-settings.json", "{}", 0o644);
    machine.write("bin/guard-host", "x", 0o755);
    let told = |path: &PathBuf, bits| closed_to_users(path, bits, &dirs).map(|problem| problem.with_hint());
    let has = |found: Option<String>, words: &[&str]| {
        let found = found.unwrap_or_default();
        assert!(words.iter().all(|word| found.contains(word)), "{words:?}: {found}");
    };
    assert_eq!((told(&file, READ), told(&program, START)), (None, None));
    for mode in [0o600, 0o640] {
        machine.mode("etc/claude-code/managed-settings.json", mode);
        if fs::metadata(&file).unwrap().gid() == 0 {
            has(told(&file, READ), &["can't read it", "sudo chmod a+r ", "managed-settings.json"]);
        }
    }
    machine.mode("etc/claude-code/managed-settings.json", 0o644);
    machine.mode("etc/claude-code", 0o700);
    has(told(&file, READ), &["can't enter", "sudo chmod a+rx ", "/etc/claude-code"]);
    has(told(&machine.path("etc/claude-code/new.json"), READ), &["can't enter"]);
    machine.mode("etc/claude-code", 0o755);
    machine.mode("bin/guard-host", 0o700);
    has(told(&program, START), &["can't start it", "sudo chmod a+rx ", "bin/guard-host"]);
    machine.mode("bin/guard-host", 0o755);
    machine.mode("bin", 0o700);
    has(told(&program, START), &["can't enter", "move both programs to `/usr/local/bin`"]);
    // A link into a folder that only its owner enters, such as `/root`.
    fs::rename(&file, machine.path("bin/settings.json")).unwrap();
    std::os::unix::fs::symlink(machine.path("bin/settings.json"), &file).unwrap();
    has(told(&file, READ), &["is a link to", "replace the link", "managed-settings.json"]);
}

#[test]
fn a_record_of_trust_that_is_damaged_is_a_deficiency() {
    let machine = Machine::new();
    machine.write("home/.local/state/guard-host/trust.json", "{}", 0o600);
    machine.mode("home/.local/state/guard-host", 0o700);
    machine.assert_found(&["trust: ", "trust.json", "no project is trusted", "guard-host trust"]);
}

#[test]
fn the_authorities_of_a_server_are_there() {
    let machine = Machine::new();
    let path = |name: &str| machine.path(name).display().to_string();
    let remote = "[remote]\nurl = 'https://guard.example'\n";
    let remote = format!("{remote}token-file = '{}'\nca = '{}'\n", path("token"), path("ca.pem"));
    machine.write("home/.config/guard-host/guard.toml", &remote, 0o600);
    machine.write("token", "secret\n", 0o600);
    machine.assert_found(&["remote: ", "ca.pem", "`ca` in `[remote]`", "can't be read"]);
    machine.write("ca.pem", "secret\n", 0o644);
    machine.assert_found(&["remote: ", "contains no certificate in PEM"]);
    machine.write("ca.pem", "-----BEGIN CERTIFICATE-----\n", 0o644);
    assert_eq!(machine.found(), Vec::<String>::new());
}

#[test]
fn a_receiver_that_refuses_the_log_is_a_deficiency() {
    let machine = Machine::new();
    let failed = serde_json::json!({ "time": "2026-01-01T00:00:00Z", "url": "https://x.example/v1/logs", "text": "answers with 401" });
    machine.write("home/.local/state/guard-host/ship/0011.failed.json", &failed.to_string(), 0o600);
    machine.write("home/.local/state/guard-host/ship/0011.json", "{}", 0o600);
    machine.assert_found(&["ship: ", "2026-01-01", "answers with 401", "--to https://x.example/v1/logs"]);
}

#[test]
fn a_managed_journal_that_takes_no_lines_is_reported_whatever_the_user_sets() {
    let machine = Machine::new();
    machine.write("etc/guard-host/guard.toml", "[audit]\njournal = '/nowhere/socket'\n", 0o644);
    machine.write("home/.config/guard-host/guard.toml", "[audit]\njournal = false\n", 0o600);
    machine.assert_found(&["audit: ", "/nowhere/socket", "the journal can't be reached", "systemd-journald"]);
    machine.write("etc/guard-host/guard.toml", "preset = 'standard'\n", 0o644);
    assert_eq!(machine.found(), [""; 0]);
}
