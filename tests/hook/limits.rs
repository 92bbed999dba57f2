//! The hook at its own limits, and without the files it needs.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use crate::support::guests;
use crate::support::reply::{assert_ask, assert_deny, assert_held, assert_silent};
use crate::support::world::{ProcessOutput, World, ended};
use crate::texts::assert_text;

/// Starts the hook, writes `start` and keeps standard input open.
fn never_ending(world: &World, start: &str) -> ProcessOutput {
    let mut command = world.command(&["hook", "claude"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(start.as_bytes()).unwrap();
    let ended = ended(child);
    drop(input);
    ended
}

/// S4-98.
#[test]
fn a_standard_input_that_never_ends_is_answered_at_the_deadline() {
    let world = World::new();
    for start in ["", "{\"tool_input\":{\"command\":\"ls\"}}"] {
        // The payload has the mode, and in some modes nobody sees an ask.
        assert_deny(&never_ending(&world, start), &["[hook: no-verdict]"]);
    }
}

/// S2-12d.
#[test]
fn a_reader_that_is_gone_changes_nothing_else() {
    let world = World::new();
    let payload = json!({ "tool_input": { "command": "rm -rf /" } }).to_string();
    let mut command = world.command(&["hook", "claude"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.starts_with(b"BLOCKED: "));
    assert_eq!(world.audit().len(), 1);
}

/// Runs the hook with some of its streams closed by a shell.
fn with_closed(world: &World, closed: &str, command: &str) -> ProcessOutput {
    let payload = json!({ "tool_input": { "command": command } }).to_string();
    let program = env!("CARGO_BIN_EXE_guard-host");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("exec \"$0\" hook claude {closed}"), program]);
    shell.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    crate::support::world::end(shell, &payload)
}

#[test]
fn closed_streams_are_survived() {
    let world = World::new();
    let ended = with_closed(&world, ">&-", "rm -rf /");
    assert_eq!(ended.exit, 2);
    assert!(ended.stderr.starts_with("BLOCKED: "));
    let ended = with_closed(&world, "2>&-", "rm -rf /");
    assert_eq!((ended.exit, ended.decision().as_str()), (2, "deny"));
    let ended = with_closed(&world, ">&- 2>&-", "rm -rf /");
    assert_eq!(ended.exit, 2);
    let ended = with_closed(&world, "<&-", "rm -rf /");
    assert_eq!(ended.exit, 1);
}

#[test]
fn s1_79_a_standard_input_that_cannot_be_read_is_reported() {
    let world = World::new();
    let ended = with_closed(&world, "</", "ls");
    assert_text!("hook_no_input", &world, 1, ended);
}

#[test]
fn a_large_payload_below_the_cap_is_decided() {
    let world = World::new();
    let content = "x\n".repeat(4 << 20);
    let payload = |path: &str| json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": content } });
    assert_deny(&world.hook(&payload(".env").to_string()), &[]);
    assert_silent(&world.hook(&payload("a.txt").to_string()));
}

/// Creates a world with a prepared chain, for which the deadline is shorter.
fn prepared() -> World {
    let world = World::new();
    assert_silent(&world.bash("ls"));
    world
}

/// Returns texts of 128 KiB that are expensive for naive algorithms.
fn hostile_texts() -> Vec<(String, String)> {
    const BYTES: usize = 128 << 10;
    let pieces = ["$(", "`", "{,,,}", "((((", "'", "\"", "<<A\n", "\\", "${", "a|", "!", "if ", "@(", "a "];
    let mut texts: Vec<_> =
        pieces.map(|piece| (format!("{piece:?} repeated"), piece.repeat(BYTES / piece.len()))).into();
    let depth = BYTES / 4;
    texts.push(("nested braces".to_owned(), format!("{}{}", "{a,".repeat(depth), "}".repeat(depth))));
    texts.push(("ten thousand words".to_owned(), format!("echo {}", "word ".repeat(10_000))));
    texts.push(("ten thousand pipes".to_owned(), format!("cat{}", " | cat".repeat(10_000))));
    let bodies = "x".repeat(240);
    texts.push(("five hundred here-documents".to_owned(), format!("cat <<E\n{bodies}\nE\n").repeat(500)));
    texts.push(("one word".to_owned(), "a".repeat(BYTES)));
    // A fixed linear congruential generator: all runs are the same.
    let mut state = 1_u32;
    let random = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from((state >> 24) as u8)
    });
    texts.push(("random bytes".to_owned(), random.take(BYTES).collect()));
    texts
}

#[test]
fn hostile_text_is_answered_and_what_stands_behind_it_is_stopped() {
    let world = prepared();
    for (name, text) in hostile_texts() {
        let alone = world.bash(&text);
        assert_ne!(alone.decision(), "allow", "{name}");
        for command in [format!("{text}; rm -rf /"), format!("{text}\nrm -rf /")] {
            assert_held(&world.bash(&command));
        }
    }
}

/// Its clock is separate from that of external policies.
#[test]
fn a_policy_of_the_preset_has_a_time_limit() {
    let world = World::new();
    world.configure("preset = \"standard\"\n[[policy]]\nname = \"self-protect\"\nlimits = { time-ms = 10 }\n");
    let long = "a ".repeat(64 << 10);
    assert_ask(&world.bash(&long), &["[self-protect: policy-fault]"]);
}

#[test]
fn a_patch_of_many_files_is_answered() {
    let world = prepared();
    let files: String = (0..20_000).map(|number| format!("*** Add File: f{number}\n+x\n")).collect();
    let patch = format!("*** Begin Patch\n{files}*** Add File: .env\n*** End Patch\n");
    let payload = json!({ "tool_name": "apply_patch", "tool_input": { "command": patch } });
    assert_held(&world.hook(&payload.to_string()));
}

#[test]
fn the_markers_of_a_patch_may_be_padded() {
    // The tool itself accepts whitespace around its markers.
    let world = World::new();
    for marker in [
        "  *** Add File: .env",
        "\t*** Update File: .env",
        "*** Delete File: .env  ",
        "*** Update File: a\n *** Move to: .env",
    ] {
        let patch = format!("*** Begin Patch\n{marker}\n+x\n*** End Patch\n");
        assert_deny(
            &world.hook(&json!({ "tool_name": "apply_patch", "tool_input": { "command": patch } }).to_string()),
            &["'.env'"],
        );
    }
}

#[test]
fn names_of_a_megabyte_are_answered() {
    let world = prepared();
    let long = "/a".repeat(1 << 19);
    for payload in [
        json!({ "cwd": long, "tool_name": "Bash", "tool_input": { "command": "rm -rf /" } }),
        json!({ "tool_name": "Bash", "tool_input": { "command": format!("rm -rf {long} /") } }),
        json!({ "tool_name": "Write", "tool_input": { "file_path": long, "path": ".env" } }),
        json!({ "tool_name": "Write", "tool_input": { "file_path": "../".repeat(1 << 18) + "etc/passwd", "path": ".env" } }),
    ] {
        assert_held(&world.hook(&payload.to_string()));
    }
}

#[test]
fn folders_that_cannot_be_used_keep_no_built_in_from_deciding() {
    for folder in [".local/state/guard-host", ".cache/guard-host"] {
        let world = World::new();
        world.write(folder, "a file");
        assert!(world.bash("ls").is_silent(), "{folder}");
        assert_deny(&world.bash("rm -rf /"), &["[command-guard: rm-root]"]);
    }
}

#[test]
fn a_policy_of_others_asks_where_no_folder_can_be_used() {
    for folder in [".local/state/guard-host", ".cache/guard-host"] {
        let world = World::new();
        guests::configure(&world, &["shell"], "");
        world.write(folder, "a file");
        assert_ask(&world.bash("ls"), &["[shell: policy-fault]"]);
    }
}

#[test]
fn a_policy_whose_file_is_gone_asks_and_names_itself() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"ours\"\nsource = \"gone.wasm\"\n");
    assert_ask(&world.bash("ls"), &["`ours`", "[ours: policy-fault]"]);
    world.write(".config/guard-host/gone.wasm", "no component");
    assert_ask(&world.bash("ls"), &["[ours: policy-fault]"]);
}

#[test]
fn a_settings_file_that_never_ends_does_not_hold_the_hook() {
    let world = World::new();
    let pipe = world.path(".config/guard-host/pipe.json");
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings-file = \"pipe.json\"\n");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ended = world.bash("rm -rf /");
    // Releases a process that still waits for a writer after the reply.
    let _writer = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    // A blocked hook answers at its deadline, without a rule.
    assert_deny(&ended, &["[command-guard: rm-root]"]);
}
