//! Hostile policies, one fault each, through the whole hook.
//!
//! For every fault, the configuration's `on-error` replaces the policy's answer, the reply names the policy and the
//! cause, and the other policies still decide. Times aren't measured: a limit worked if the hook's own deadline wasn't
//! reached.

use std::process::Command;

use crate::support::guests::{chain, entry, place};
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Asserts that the guest is at fault at every call, as in its snapshot, and affects no other policy, for every
/// `on-error`.
fn check(guest: &str) {
    for on_error in ["ask", "deny", "allow"] {
        let world = World::new();
        chain(&world, &[guest, "denies"], &format!("on-error = \"{on_error}\""));
        check_in(&world, guest, on_error);
    }
}

fn check_in(world: &World, guest: &str, on_error: &str) {
    let end = format!(" [{guest}: policy-fault]");
    let fault = |ended: &ProcessOutput| {
        let reason = normalize(world, &ended.reason());
        let (before, _) = reason.split_once(&end)?;
        before.split_once(&format!("`{guest}` ")).map(|(_, fault)| fault.to_owned())
    };

    let harmless = world.bash("ls -la");
    if on_error == "allow" {
        assert!(harmless.is_silent(), "{guest}: {harmless:?}");
    } else {
        assert_eq!(harmless.decision(), on_error, "{guest}: {harmless:?}");
        assert_text!(format!("fault_{guest}"), fault(&harmless).unwrap_or_else(|| panic!("{harmless:?}")));
    }

    let harmful = world.bash("rm -rf /");
    assert_eq!((harmful.decision().as_str(), harmful.exit), ("deny", 2), "{guest}: {harmful:?}");
    assert!(harmful.reason().contains("[denies: known]"), "{guest}: {}", harmful.reason());
    assert!(![harmless, harmful.clone()].iter().any(|ended| ended.reason().contains("[hook: no-verdict]")), "{guest}");
    assert_eq!(fault(&harmful).is_some(), on_error != "allow", "{guest}: {}", harmful.reason());
}

/// Asserts that the guest answers like the shell of all guests, and affects no other policy.
fn check_sound(world: &World, guest: &str, keys: &str) {
    chain(world, &[guest, "denies"], keys);
    let harmless = world.bash("ls -la");
    assert_eq!(harmless.decision(), "ask", "{harmless:?}");
    assert!(harmless.reason().contains(&format!("[{guest}: known]")), "{harmless:?}");
    let harmful = world.bash("rm -rf /");
    assert_eq!(harmful.decision(), "deny", "{harmful:?}");
}

#[test]
fn the_guests_are_sound_where_no_part_is_replaced() {
    // Otherwise every fault below could be the shell's.
    check_sound(&World::new(), "shell", "");
}

#[test]
fn what_fails_in_a_built_in_is_no_fault_of_those_that_share_its_component() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nlimits = { memory-mib = 1 }\n");
    let harmless = world.bash("ls -la");
    assert_eq!(harmless.decision(), "ask", "{harmless:?}");
    assert_text!("fault_of_a_built_in", normalize(&world, &lines_about(&harmless.reason(), "policy-fault]")));
    let harmful = world.bash("rm -rf ~/.config/guard-host");
    assert_eq!((harmful.decision().as_str(), harmful.exit), ("deny", 2), "{harmful:?}");
    assert!(harmful.reason().contains("[self-protect: guard-file]"), "{harmful:?}");
}

#[test]
fn two_megabytes_are_enough_for_a_built_in_policy() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nlimits = { memory-mib = 2 }\n");
    let harmless = world.bash("ls -la");
    assert_eq!(harmless.decision(), "", "{harmless:?}");
    let harmful = world.bash("rm -rf /");
    assert!(harmful.decision() == "deny" && harmful.reason().contains("[command-guard:"), "{harmful:?}");
}

// Limits of `engine/limits.rs`, set in `Policy::store`.

#[test]
fn an_endless_loop_ends_at_the_time_limit() {
    check("endless-loop");
}

#[test]
fn endless_settings_end_at_the_time_limit() {
    check("configure-loops");
}

#[test]
fn a_deep_recursion_ends_at_the_stack_limit() {
    check("deep-recursion");
}

#[test]
fn growing_memory_ends_at_the_memory_limit() {
    check("memory-bomb");
}

#[test]
fn a_memory_that_starts_above_the_limit_is_refused() {
    check("large-memory");
}

#[test]
fn a_trap_is_a_fault() {
    check("trap");
}

// wasmtime's checks when it lifts an answer. Here only that each becomes a fault of the policy.

#[test]
fn an_answer_outside_of_the_memory_is_a_fault() {
    check("pointer-outside");
}

#[test]
fn findings_outside_of_the_memory_are_a_fault() {
    check("list-outside");
}

#[test]
fn an_outcome_that_does_not_exist_is_a_fault() {
    check("invalid-outcome");
}

#[test]
fn a_message_that_is_not_text_is_a_fault() {
    check("invalid-text");
}

#[test]
fn messages_that_overlap_do_not_fill_the_memory_of_the_host() {
    // Protected by wasmtime's limit on the data that one call may copy (`Store::set_hostcall_fuel`, here its default).
    check("overlapping-messages");
}

// `engine/manifest.rs::check_decision`.

#[test]
fn an_undeclared_rule_is_a_fault() {
    check("undeclared-rule");
}

#[test]
fn an_outcome_above_the_ceiling_is_a_fault() {
    check("exceeding-outcome");
}

#[test]
fn an_outcome_below_the_worst_finding_is_a_fault() {
    check("outcome-not-maximum");
}

#[test]
fn a_message_of_ten_megabytes_is_a_fault() {
    check("ten-megabyte-message");
}

#[test]
fn an_error_as_answer_is_a_fault() {
    check("refuses");
}

#[test]
fn refused_settings_are_a_fault_of_every_call() {
    check("configure-refuses");
}

// Linking: `Engine::load`.

#[test]
fn a_call_of_a_foreign_import_is_a_fault() {
    check("foreign-import");
}

#[test]
fn a_foreign_import_that_is_never_called_does_no_harm() {
    check_sound(&World::new(), "unused-foreign-import", "");
}

#[test]
fn a_guest_that_needs_a_later_host_is_refused_even_if_it_would_not_call_it() {
    check("future-import");
}

#[test]
fn a_policy_of_a_later_contract_is_refused() {
    check("wrong-version");
}

#[test]
fn a_component_that_is_no_policy_is_refused() {
    check("not-a-policy");
}

#[test]
fn a_core_module_is_refused() {
    check("core-module");
}

// Preparing: `Policy::describe` under `Limits::PREPARE`, driven by the clock in `cache/artifact.rs`.

/// Asserts that `cache warm` ends with the error, and that the hook reports it without running out of time.
fn check_described(guest: &str) {
    let world = World::new();
    chain(&world, &[guest, "denies"], "");
    let warmed = world.run(&["cache", "warm"], "");
    assert_text!(format!("warm_{guest}"), &world, 69, warmed);
    check_in(&world, guest, "ask");
}

#[test]
fn a_start_function_without_end_breaks_the_policy_alone() {
    check_described("slow-start");
}

#[test]
fn a_description_without_end_breaks_the_policy_alone() {
    check_described("describe-loops");
}

#[test]
fn a_description_that_recurses_breaks_the_policy_alone() {
    check_described("describe-recurses");
}

#[test]
fn a_policy_that_cannot_describe_itself_is_not_asked_again_at_every_call() {
    // Preparing it takes its whole time limit of two seconds, which only the first call should wait for.
    let world = World::new();
    chain(&world, &["describe-loops", "denies"], "");
    world.run(&["cache", "warm"], "");
    let chains = world.path(".cache/guard-host/chains");
    let kept = std::fs::read_dir(&chains).map_or(0, Iterator::count);
    assert_eq!(kept, 1, "the prepared chain is kept in {}", chains.display());
}

// Floods.

#[test]
fn a_flood_of_journal_lines_ends_at_the_limit_and_changes_nothing_else() {
    // The guest traps unless exactly 64 of its 1,000 lines are accepted.
    let world = World::new();
    let file = world.path("notes.jsonl");
    let keys = format!("[policy.grants.journal]\nnotes = \"{}\"", file.display());
    check_sound(&world, "journal-flood", &keys);
    let lines: Vec<serde_json::Value> =
        std::fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Two calls were made.
    assert_eq!(lines.len(), 2 * 64);
    assert!(lines.iter().all(|line| line["line"] == 1 && line["ts"].is_string()));
}

#[test]
fn a_journal_without_a_grant_takes_no_line() {
    check("journal-flood");
}

#[test]
fn a_flood_of_log_lines_ends_at_the_limit_and_changes_nothing_else() {
    let world = World::new();
    check_sound(&world, "log-flood", "");
    let explained = world.run(&["explain", "ls -la"], "");
    let lines: Vec<&str> = explained.stdout.lines().filter(|line| line.contains("log: x")).collect();
    assert_eq!(lines.len(), 64, "{}", explained.stderr);
    assert!(lines.iter().all(|line| line.trim().len() <= "log: ".len() + 4096));
}

// The whole hook.

/// Sixteen loops take 3.2 s together, more than the hook's deadline.
fn sixteen_loops(world: &World) -> String {
    let component = place(world, "endless-loop");
    (0..16).map(|number| entry(&format!("loop-{number}"), &component, "")).collect()
}

#[test]
fn loops_that_outlast_the_hook_give_a_question_at_its_deadline() {
    // `hook/flight.rs::watch`.
    let world = World::new();
    world.configure(&format!("preset = \"none\"\n{}", sixteen_loops(&world)));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let ended = world.bash("ls -la");
    assert_eq!(ended.decision(), "ask", "{ended:?}");
    assert!(ended.reason().contains("`loop-0`"), "{ended:?}");
}

#[test]
fn loops_of_a_project_do_not_outlast_the_deny_of_its_user() {
    // The deny is received before the project's policies run, and the deadline replies with the most severe answer so
    // far.
    let world = World::new();
    chain(&world, &["denies"], "");
    world.write("repo/.guard/guard.toml", sixteen_loops(&world));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let ended = world.bash("rm -rf /");
    assert_eq!((ended.decision().as_str(), ended.exit), ("deny", 2), "{ended:?}");
    assert!(ended.reason().contains("[denies: known]"), "{ended:?}");
}

/// Runs the hook for a harmless call, after `setup` in the same shell process.
fn after(world: &World, setup: &str) -> ProcessOutput {
    let hook = world.command(&["hook", "claude"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{setup}; exec \"$0\" hook claude")]).arg(hook.get_program());
    shell
        .current_dir(world.repo())
        .env_clear()
        .env("HOME", world.home.path())
        .env("PATH", std::env::var_os("PATH").unwrap());
    let payload = serde_json::json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls -la" },
    });
    end(shell, &payload.to_string())
}

#[test]
fn a_small_stack_of_the_process_does_not_turn_a_recursion_into_silence() {
    let world = World::new();
    chain(&world, &["deep-recursion"], "");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    for kilobytes in [4096, 1024, 512] {
        let ended = after(&world, &format!("ulimit -s {kilobytes}"));
        assert_eq!(ended.decision(), "ask", "{kilobytes} KiB: {ended:?}");
        assert_text!("fault_small_stack", normalize(&world, &lines_about(&ended.reason(), "policy-fault]")));
    }
}

#[test]
fn no_size_of_threads_in_the_environment_turns_the_hook_off() {
    // A repository can set variables for the agent's session. Rust's library reads this one.
    for guest in ["shell", "describe-recurses"] {
        for bytes in ["1", "65536", "800000", "4611686018427387904"] {
            let world = World::new();
            chain(&world, &[guest], "");
            for time in ["first", "second"] {
                let ended = after(&world, &format!("export RUST_MIN_STACK={bytes}"));
                assert_eq!(ended.decision(), "ask", "{guest}, {bytes} bytes, {time} call: {ended:?}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_machine_without_room_is_named_and_no_policy_is_blamed() {
    let world = World::new();
    // Nothing can be instantiated in 3 GB of address space.
    let ended = after(&world, "ulimit -v 3000000");
    let mut told = Transcript::default();
    told.ask(&world, &ended, &["`ulimit -v`"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 3000000; exec \"$0\" explain 'ls -la'"]).arg(world.command(&[]).get_program());
    shell.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    let ended = end(shell, "");
    told.add(&world, 0, &ended);
    let world = World::new();
    chain(&world, &["shell"], "");
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let ended = after(&world, "ulimit -v 3000000");
    told.ask(&world, &ended, &["`shell`", "`ulimit -v`"]);
    assert_text!("sandbox_without_room", told.0);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs strace"]
fn a_kernel_that_seals_no_file_in_memory_stops_no_guest() {
    // The kernel may refuse to seal while another process has a page of the file.
    let world = World::new();
    let program = world.command(&[]);
    let trace = world.path("trace");
    let mut traced = Command::new("strace");
    traced.arg("-f").arg("-o").arg(&trace).args(["-e", "trace=fcntl", "-e", "inject=fcntl:error=EBUSY"]);
    traced.arg(program.get_program()).args(["explain", "--format", "json"]);
    traced.arg(r#"python3 -c 'import shutil; shutil.rmtree("/")'"#);
    traced.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    let ended = end(traced, "");
    // The embedded components are mapped from a file, which needs no seal.
    let calls = std::fs::read_to_string(&trace).unwrap();
    assert!(!calls.is_empty() && !calls.contains("F_ADD_SEALS"), "{calls}");
    assert!(ended.stdout.contains("rm-root") && !ended.stdout.contains("failed"), "{ended:?}");
}
