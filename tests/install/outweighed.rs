//! Messages for users, the administrator and `sync` on a machine with managed files: the same from each command.

use serde_json::json;

use super::managed::{MANAGED, Machine, SYNC};
use super::read;

#[test]
#[ignore = "needs mounts"]
fn a_sync_that_can_never_work_is_a_problem_everywhere() {
    for (text, words) in [
        (SYNC.replace("key = 'M", "key = 'x"), "isn't a public key"),
        ("source = 'oci://x.example/acme/guard:1'\n".to_owned(), "`signers`"),
        (SYNC.replace("oci://", ""), "isn't an address in a registry"),
    ] {
        let machine = Machine::new();
        machine.done(&["install", "claude"]);
        machine.0.write("etc/guard-host/sync.toml", &text);
        machine.assert_problem(true, &["sync: ", "sync.toml", words][1..]);
        let status = machine.run(&["sync", "status"]);
        assert!(status.exit == 78 && status.stderr.contains(words), "{status:?}");
        assert!(machine.done(&["statusline"]).starts_with("guard on, 1 problem: "));
    }
    let machine = Machine::new();
    machine.done(&["install", "claude"]);
    machine.0.write("etc/guard-host/sync.toml", SYNC);
    for arguments in [&["sync", "status"][..], &["config", "check"], &["doctor"]] {
        let ended = machine.run(arguments);
        let said = ended.stdout.clone() + &ended.stderr;
        assert!(ended.exit == 0 && said.contains("`guard-host sync` has never run"), "{arguments:?}: {said}");
    }
    assert!(machine.done(&["statusline"]).starts_with("guard on, 1 problem: "));
    machine.0.write("etc/guard-host/guard.toml", "preset = \"standard\"\n");
    machine.assert_problem(true, &["a person wrote this file", "move it away"]);
    let status = machine.run(&["sync", "status"]);
    assert!(status.exit == 69 && status.stderr.contains("a person wrote this file"), "{status:?}");
}

#[test]
#[ignore = "needs mounts"]
fn keys_of_a_user_that_the_managed_file_outweighs_are_told() {
    let machine = Machine::new();
    machine.0.write(
        "etc/guard-host/guard.toml",
        "preset = \"standard\"\n[audit]\nlevel = \"all\"\n[undo]\nenabled = true\n",
    );
    let mine = |text: &str| {
        machine.0.configure(text);
        machine.run(&["config", "check"]).stderr
    };
    let policy = |text: &str| format!("[[policy]]\nname = \"protected-files\"\n{text}\n");
    for (text, words) in [
        (policy("settings = { confirm = [\"!Dockerfile\"] }"), "`!Dockerfile` has no effect"),
        (policy("settings = { lower = [\"secret-read\"] }"), "`lower` has no effect"),
        (policy("settings = { secret-reads = \"allow\" }"), "`secret-reads` has no effect"),
        (policy("tools = [\"Write\"]"), "`tools` has no effect"),
        (policy("mode = \"watch\""), "`mode` has no effect"),
        (policy("enabled = false"), "`enabled = false` has no effect"),
        ("[audit]\nlevel = \"interventions\"\n".to_owned(), "`level` in `[audit]` has no effect"),
        ("[undo]\nenabled = false\n".to_owned(), "`enabled` in `[undo]` has no effect"),
    ] {
        let told = mine(&text);
        assert!(told.contains(words) && told.matches("warning: ").count() == 1, "{text}: {told}");
    }
    for text in [
        policy("settings = { confirm = [\"deploy.sh\"] }"),
        "[audit]\nlevel = \"all\"\n[undo]\nmax-ms = 100\n".to_owned(),
    ] {
        assert_eq!(mine(&text), "", "{text}");
    }
    // The managed file enforces what the user only watches, and there is nothing to pause.
    machine.0.configure(&policy("mode = \"watch\""));
    machine.done(&["install", "claude"]);
    assert!(!machine.done(&["doctor"]).contains("only watched and stop nothing"));
    machine.0.configure("");
    let state = machine.0.path(".local/state/guard-host");
    guard_state::Pause::begin(&state, jiff::Timestamp::now(), jiff::SignedDuration::from_mins(10), Vec::new(), false)
        .unwrap();
    let doctor = machine.done(&["doctor"]);
    assert!(doctor.contains("a pause lasts for 10 min and has no effect"), "{doctor}");
    let line = machine.done(&["statusline"]);
    assert!(line.starts_with("guard on | "), "{line}");
}

#[test]
#[ignore = "needs mounts"]
fn a_user_under_a_broken_managed_file_is_sent_to_the_administrator() {
    let machine = Machine::new();
    machine.0.write("etc/guard-host/guard.toml", "lok = [\"command-guard\"]\n");
    let payload = json!({
        "session_id": "s", "hook_event_name": "PreToolUse", "cwd": machine.0.repo(),
        "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let ended = machine.given("", &["hook", "claude"], &payload.to_string());
    let told = "ask the administrator of this machine to correct the file: did you mean `lock`?";
    assert!(ended.stdout.contains("deny") && ended.stdout.contains(told), "{ended:?}");
}

#[test]
#[ignore = "needs mounts"]
fn a_registration_for_all_users_that_is_damaged_is_corrected_by_hand() {
    let machine = Machine::new();
    machine.done(&["install", "claude", "--managed"]);
    let text = read(&machine.0, MANAGED);
    machine.0.write(MANAGED, text.get(1..).unwrap_or_default());
    let (_, problems) = machine.problems();
    assert!(problems[0].contains("correct `/etc/claude-code/managed-settings.json` by hand"), "{problems:#?}");
    let line = machine.done(&["statusline"]);
    assert!(line.starts_with("guard OFF: `/etc/claude-code/managed-settings.json` can't be read"), "{line}");
}
