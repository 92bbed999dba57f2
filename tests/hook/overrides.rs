//! A hook in place of one script: it uses that script's policy and settings, regardless of the preset.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::reply::{INVALID_JSON, assert_ask, assert_deny, assert_report, assert_silent};
use crate::support::terminal::attended_by;
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

const PROTECTED: &str = "[write-control: protected-path]";

const PLAN: &str = "arms:\n  - name: base\n    conditions:\n      - command: ./sim --x 1\n";

/// Creates a link to the program under the name of a script.
fn link(world: &World, below_home: &str) -> PathBuf {
    let path = world.path(below_home);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(env!("CARGO_BIN_EXE_guard-host"), &path).unwrap();
    path
}

/// Starts a script in the project with a payload in the seeds' format, without session and folder.
fn start(world: &World, script: &Path, variables: &[(&str, &str)], payload: &Value) -> ProcessOutput {
    let mut command = Command::new(script);
    command.current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    command.envs(variables.iter().copied());
    end(command, &payload.to_string())
}

fn bash(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command } })
}

fn write(path: &str) -> Value {
    json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "" } })
}

#[test]
fn s3_40_the_name_of_the_plan_enforcer_brings_it_under_the_default_preset() {
    let world = World::new();
    let script = link(&world, "repo/bin/nous-plan-enforcer");
    world.write("iter/experiment_plan.yaml", PLAN);
    let folder = world.path("iter").to_string_lossy().into_owned();
    let run = |mode, command| {
        start(&world, &script, &[("NOUS_ITER_DIR", &folder), ("NOUS_PLAN_ENFORCEMENT", mode)], &bash(command))
    };
    assert_silent(&run("strict", "./sim --x 2"));
    assert_deny(&run("strict", "curl x"), &["# nous: ad-hoc", "[plan-enforcer: "]);
    assert_silent(&run("warn", "curl x"));
    let journal = fs::read_to_string(world.path("iter/plan_violations.jsonl")).unwrap();
    assert_eq!(journal.matches("\"unplanned\"").count(), 1, "{journal}");
    // Without a plan it abstains, and the preset's other policies aren't used.
    assert_silent(&start(&world, &script, &[], &bash("git push --force origin main")));
}

/// Returns the payload as a harness sends it.
fn of_session(mut payload: Value) -> Value {
    payload["session_id"] = "s1".into();
    payload
}

#[test]
fn s4_06_every_script_of_the_seeds_is_its_own_policy_under_every_preset() {
    let world = World::new();
    for preset in ["", "preset = \"none\"\n", "preset = \"standard\"\n", "preset = \"full\"\n"] {
        world.configure(preset);
        for (name, denied, passed, words) in [
            ("dangerous-command-guard.sh", bash("rm -rf /"), write(".env"), "[command-guard: "),
            ("protected-files-guard.py", write(".env"), bash("git push --force origin main"), "[protected-files: "),
            ("guardrail.py", of_session(write("/etc/hosts")), of_session(write(".env")), "Rule: blocked_path"),
            ("write-control.sh", write(".git/config"), bash("git push --force origin main"), PROTECTED),
        ] {
            let script = world.path(name);
            if !script.exists() {
                link(&world, name);
            }
            assert_deny(&start(&world, &script, &[], &denied), &[words]);
            assert_silent(&start(&world, &script, &[], &passed));
        }
    }
}

#[test]
fn a_name_by_only_is_a_built_in_or_a_policy_of_the_chain() {
    let world = World::new();
    let only = |names: &str, payload: &Value| world.run(&["hook", "claude", "--only", names], &payload.to_string());
    assert_deny(&only("write-control", &write("node_modules/x")), &[PROTECTED]);
    assert_deny(&only("command-guard,write-control", &write("node_modules/x")), &[PROTECTED]);
    let unknown = only("write-contro", &bash("ls"));
    assert_ask(&unknown, &["`write-contro`"]);
    assert_text!("hook_only_unknown", normalize(&world, &unknown.reason()));
    // Entries that a person disables stay disabled, and the registration has no error.
    world.configure("[[policy]]\nname = \"write-control\"\nenabled = false\n");
    assert_silent(&only("write-control", &write("node_modules/x")));
    // An entry of the chain keeps its settings.
    world.configure("[[policy]]\nname = \"write-control\"\nsettings = { protected = [\"a/**\"] }\n");
    assert_deny(&only("write-control", &write("a/x")), &[PROTECTED]);
    assert_silent(&only("write-control", &write("node_modules/x")));
}

#[test]
fn a_project_cannot_take_the_place_of_what_a_hook_brings() {
    let world = World::new();
    for entry in ["settings = { protected = [] }", "enabled = false"] {
        world.write("repo/.guard/guard.toml", format!("[[policy]]\nname = \"write-control\"\n{entry}\n"));
        let ended = world.run(&["hook", "claude", "--only", "write-control"], &write("node_modules/x").to_string());
        assert_deny(&ended, &[PROTECTED]);
    }
}

#[test]
fn s4_07_s4_60_s4_61_the_policies_are_read_beside_the_script() {
    let world = World::new();
    let script = link(&world, "repo/plugins/iflow-dev/hooks/write-control.sh");
    let file = "repo/plugins/iflow-dev/hooks/config/write-policies.json";
    let run = |path: &str| start(&world, &script, &[], &write(path));
    assert_deny(&run("node_modules/x"), &[PROTECTED]);
    world.write(file, r#"{"protected":["x/**"],"warned":[],"safe":[]}"#);
    assert_deny(&run("x/a"), &[PROTECTED]);
    assert_silent(&run("node_modules/x"));
    world.write(file, r#"{"protected":["y/**"]}"#);
    assert_deny(&run("y/a"), &[PROTECTED]);
    fs::remove_file(world.path(file)).unwrap();
    assert_deny(&run("node_modules/x"), &[PROTECTED]);
}

#[test]
fn s4_07_s4_60_a_preset_reads_the_policies_of_the_users_hooks() {
    let world = World::new();
    world.configure("preset = \"full\"\n");
    world.write(".claude/hooks/config/write-policies.json", r#"{"protected":["x/**"],"warned":[],"safe":[]}"#);
    assert_deny(&world.hook(&write("x/a").to_string()), &[PROTECTED]);
    assert_silent(&world.hook(&write("src/main.ts").to_string()));
}

/// The seed's own input: only a tool and a command.
const ASKED: &str = include_str!("../seeds/s2-41.json");

#[test]
fn s2_12e_s2_41_a_call_without_a_session_is_confirmed_and_runs() {
    let world = World::new();
    let (script, confirm) = (link(&world, "guardrail.py"), link(&world, "guardrail-confirm.py"));
    let asked: Value = serde_json::from_str(ASKED).unwrap();
    let again = || start(&world, &script, &[], &asked);
    let line = "guard-host confirm 'rm -rf ~/Downloads/old-project'";
    assert_blocked(&again(), &["Rule: rm_outside_safe", line]);
    let program = confirm.to_string_lossy();
    // Confirmation requires a person.
    let mut alone = Command::new(&confirm);
    alone.arg("rm -rf ~/Downloads/old-project").current_dir(world.repo()).env_clear().env("HOME", world.home.path());
    let ended = end(alone, "");
    let mut transcript = Transcript::default();
    transcript.add(&world, 77, &ended);
    assert_blocked(&again(), &[line]);
    let ended = attended_by(&world, &program, &["rm -rf ~/Downloads/old-project"], "");
    transcript.add(&world, 0, &ended);
    assert_text!("confirm_without_session", transcript.0);
    let ended = again();
    assert_eq!((ended.exit, ended.stdout.trim()), (0, r#"{"decision":"allow"}"#), "{ended:?}");
    // The list only contains calls without a session, and it can be cleared.
    let mut other = asked.clone();
    other["session_id"] = "s1".into();
    assert_ask(&start(&world, &script, &[], &other), &[line]);
    attended_by(&world, env!("CARGO_BIN_EXE_guard-host"), &["session", "clear", "--yes"], "");
    assert_blocked(&again(), &[line]);
}

#[test]
fn s2_08_s2_12e_one_file_for_all_sessions_is_the_list_of_the_seed() {
    let world = World::new();
    world.configure("[session]\nfile = \"~/.claude/state/guardrail-session.json\"\n");
    let (script, confirm) = (link(&world, "guardrail.py"), link(&world, "guardrail-confirm.py"));
    let asked: Value = serde_json::from_str(ASKED).unwrap();
    assert_blocked(&start(&world, &script, &[], &asked), &["guard-host confirm "]);
    let ended = attended_by(&world, &confirm.to_string_lossy(), &["rm -rf ~/Downloads/old-project"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let text = fs::read_to_string(world.path(".claude/state/guardrail-session.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["confirmed"][0]["operation"], "rm -rf ~/Downloads/old-project");
    assert_eq!(start(&world, &script, &[], &asked).stdout.trim(), r#"{"decision":"allow"}"#);
}

/// S2-12c, S2-12d, S2-42: the input and output of the seed's script, and Claude Code's reply from the same script.
#[test]
fn s2_12c_s2_42_the_script_answers_its_own_payload_in_its_own_protocol() {
    let world = World::new();
    let script = link(&world, "guardrail.py");
    let allowed = start(&world, &script, &[], &bash("ls"));
    assert_eq!((allowed.exit, allowed.stdout.trim()), (0, r#"{"decision":"allow"}"#), "{allowed:?}");
    assert_blocked(&start(&world, &script, &[], &bash("rm -rf /")), &["Rule: rm_rf_root"]);
    let of_claude = |command: &str| {
        let mut payload = bash(command);
        payload["hook_event_name"] = "PreToolUse".into();
        payload["session_id"] = "s1".into();
        start(&world, &script, &[], &payload)
    };
    assert_silent(&of_claude("ls"));
    assert_deny(&of_claude("rm -rf /"), &["Rule: rm_rf_root"]);
    // Other scripts answer as before.
    let other = link(&world, "dangerous-command-guard.sh");
    assert_silent(&start(&world, &other, &[], &bash("ls")));
    assert_deny(&start(&world, &other, &[], &bash("rm -rf /")), &[]);
}

/// Asserts a blocking reply of the seed's script.
#[track_caller]
fn assert_blocked(ended: &ProcessOutput, words: &[&str]) {
    let reply: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let reason = reply["reason"].as_str().unwrap_or_default();
    assert_eq!((ended.exit, &reply["decision"]), (0, &json!("block")), "{ended:?}");
    assert!(words.iter().all(|word| reason.contains(word)), "{words:?}: {ended:?}");
}

#[test]
fn s1_84_what_cannot_be_read_is_logged_where_every_call_is() {
    let world = World::new();
    assert_report(&world.hook("{oops"), INVALID_JSON);
    assert!(world.audit().is_empty());
    world.configure("[audit]\nlevel = \"all\"\n");
    assert_report(&world.hook("{oops"), INVALID_JSON);
    let [line] = world.audit().try_into().unwrap();
    assert_eq!((&line["action"], &line["policy"]), (&json!("error"), &json!("hook")), "{line}");
    assert!(line["operation"].as_str().unwrap().contains(INVALID_JSON), "{line}");
}
