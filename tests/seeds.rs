//! The seeds' own files as the hook's input: with one policy, and with the chain of each preset.
//!
//! The table is `seeds/cases.toml`. Rows with more than a single reply have their own tests below. Each is named after
//! its row of the seed matrix.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at a surprise"
)]

#[expect(dead_code, unreachable_pub, reason = "shared with the other binaries of tests")]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use guard_kit::suite::OneOrMore;
use libtest_mimic::{Arguments, Trial};
use serde::Deserialize;
use serde_json::{Value, json};

use support::reply::{assert_ask, assert_deny, assert_silent};
use support::world::{ProcessOutput, World, end};

const PRESETS: [&str; 3] = ["standard", "guardrail", "full"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Case {
    id: OneOrMore,
    name: String,
    file: Option<String>,
    payload: Value,
    settings: Option<String>,
    env: BTreeMap<String, String>,
    policy: String,
    alone: String,
    standard: Option<String>,
    guardrail: Option<String>,
    full: Option<String>,
    words: Vec<String>,
    full_words: Vec<String>,
}

fn main() {
    let arguments = Arguments::from_args();
    let table: Table = toml::from_str(&fs::read_to_string(seed("cases.toml")).unwrap()).unwrap();
    let world = Arc::new(prepared(&table.cases));
    let mut trials = Vec::new();
    for case in table.cases.into_iter().map(Arc::new) {
        let title = [&case.id.0.join(","), case.file.as_deref().unwrap_or(&case.name)].join(" ");
        let (of, shared) = (case.clone(), world.clone());
        trials.push(Trial::test(format!("{title} alone"), move || {
            hold(&of.alone, &of.run(&shared, "full", true), &of.words);
            Ok(())
        }));
        for (preset, expected) in PRESETS.into_iter().zip([&case.standard, &case.guardrail, &case.full]) {
            let Some(expected) = expected.clone() else { continue };
            let (of, shared) = (case.clone(), world.clone());
            trials.push(Trial::test(format!("{title} {preset}"), move || {
                // `full` includes the findings of each single policy. A milder preset may lack the policy.
                let words = match preset {
                    "full" if of.settings.is_none() && of.alone != "silent" => {
                        [of.words.as_slice(), of.full_words.as_slice()].concat()
                    }
                    _ => Vec::new(),
                };
                hold(&expected, &of.run(&shared, preset, false), &words);
                Ok(())
            }));
        }
    }
    for (name, test) in OTHERS {
        let shared = world.clone();
        trials.push(Trial::test(*name, move || {
            test(&shared);
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn seed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/seeds").join(name)
}

/// Creates a world with compiled chains for all presets, with a configuration file for each preset and each of the
/// seeds' settings files.
fn prepared(cases: &[Case]) -> World {
    let world = World::new();
    for preset in PRESETS {
        world.write(&format!("{preset}.toml"), format!("preset = \"{preset}\"\n"));
    }
    for case in cases {
        if let Some(file) = &case.settings {
            let entry = format!("[[policy]]\nname = \"{}\"\nsettings-file = {:?}\n", case.policy, seed(file));
            world.write(&format!("{file}.toml"), format!("preset = \"full\"\n{entry}"));
        }
    }
    let ended = world.run(&["--config", &config(&world, "full"), "cache", "warm"], "");
    assert_eq!(ended.exit, 0, "cache warm: {ended:?}");
    world
}

fn config(world: &World, name: &str) -> String {
    world.path(&format!("{name}.toml")).to_string_lossy().into_owned()
}

impl Case {
    fn run(&self, world: &World, preset: &str, alone: bool) -> ProcessOutput {
        let text = match &self.file {
            Some(file) => fs::read_to_string(seed(file)).unwrap(),
            None => self.payload.to_string(),
        };
        let config = config(world, self.settings.as_deref().filter(|_| alone).unwrap_or(preset));
        let mut arguments = vec!["--config", config.as_str(), "hook", "claude"];
        if alone {
            arguments.extend(["--only", &self.policy]);
        }
        let mut command = world.command(&arguments);
        command.envs(&self.env);
        end(command, &text)
    }
}

#[track_caller]
fn hold(expected: &str, ended: &ProcessOutput, words: &[String]) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match expected {
        "silent" => assert_silent(ended),
        "ask" => assert_ask(ended, &words),
        "deny" => assert_deny(ended, &words),
        "allow" => {
            let reason = ended.reason();
            let output = json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": reason,
                "additionalContext": reason,
            } });
            assert_eq!(serde_json::from_str::<Value>(&ended.stdout).unwrap_or_default(), output, "{ended:?}");
            assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
            words.iter().for_each(|word| assert!(reason.contains(word), "`{word}` is missing in: {reason}"));
        }
        other => panic!("`{other}` isn't an outcome"),
    }
}

type Test = fn(&World);

const OTHERS: &[(&str, Test)] = &[
    ("S2-12c S2-42 C-05 generic allows in the seed's form", generic_allows),
    ("S2-12d S2-43 C-05 generic blocks in the seed's form", generic_blocks),
    ("S2-61 S2-62 S2-65a S2-65b the seed's log lines", log_lines),
    ("S3-51 S3-52 S3-56a S3-56b S3-56c S3-56d plans hold in the hook", plans),
    ("S3-53 S3-54 S3-55 S3-60 what a plan does not name is noted", violations),
    ("S3-40 S1-70 S1-71 S4-06 a link with a script's name", names),
];

/// Runs the hook of the plain protocol, with one policy or all of a preset.
fn generic(world: &World, preset: &str, more: &[&str], payload: &str) -> ProcessOutput {
    let config = config(world, preset);
    world.run(&[&["--config", config.as_str(), "hook", "generic"][..], more].concat(), payload)
}

fn generic_allows(world: &World) {
    let expected = fs::read_to_string(seed("s2-42.json")).unwrap();
    let expected = serde_json::from_str::<Value>(&expected).unwrap().to_string() + "\n";
    let written = r#"{"tool_input":{"file_path":"src/main.ts"}}"#;
    for (preset, payload) in [
        ("guardrail", fs::read_to_string(seed("s1-93.json")).unwrap()),
        // A notice doesn't block, and this protocol can't express it.
        ("full", written.to_owned()),
        ("full", "{}".to_owned()),
        ("full", r#"{"hook_event_name":"SessionEnd"}"#.to_owned()),
    ] {
        let ended = generic(world, preset, &[], &payload);
        assert_eq!((ended.exit, ended.stdout, ended.stderr), (0, expected.clone(), String::new()), "{payload}");
    }
    assert_eq!(expected, "{\"decision\":\"allow\"}\n");
}

fn generic_blocks(world: &World) {
    let block = |ended: &ProcessOutput| -> String {
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
        let value: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), ["decision", "reason"]);
        assert!(ended.stdout.starts_with("{\"decision\":\"block\",\"reason\":\"") && ended.stdout.ends_with("\"}\n"));
        assert_eq!(value["decision"], "block");
        value["reason"].as_str().unwrap().to_owned()
    };
    let mut payload: Value = serde_json::from_str(&fs::read_to_string(seed("s2-41.json")).unwrap()).unwrap();
    let ask = |payload: &Value| block(&generic(world, "full", &["--only", "path-context"], &payload.to_string()));
    let form: Value = serde_json::from_str(&fs::read_to_string(seed("s2-43.json")).unwrap()).unwrap();
    let lines: Vec<&str> = form["reason"].as_str().unwrap().lines().collect();
    // With and without a session, the text is the seed's except for the program's name.
    for session in [Value::Null, "s1".into()] {
        payload["session_id"] = session;
        let asked = ask(&payload);
        assert!(asked.starts_with(&(lines[..5].join("\n") + "\n")), "{asked}");
        assert!(asked.ends_with(" confirm 'rm -rf ~/Downloads/old-project'"), "{asked}");
    }
    let denied = block(&generic(world, "full", &[], &fs::read_to_string(seed("s1-90.json")).unwrap()));
    assert!(denied.contains("[command-guard: rm-root]") && !denied.contains("confirm"), "{denied}");
    let malformed = world.run(&["hook", "generic"], "{oops");
    assert_eq!((malformed.exit, malformed.stdout.as_str()), (1, ""), "{malformed:?}");
}

/// The log's lines for the seed's two calls match the seed's, except for the time.
fn log_lines(_: &World) {
    let world = World::new();
    world.configure("preset = \"guardrail\"\n");
    let seed = fs::read_to_string(seed("s2-65.jsonl")).unwrap();
    let lines: Vec<Value> = seed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines[..2] {
        let payload = json!({ "tool_name": line["tool"], "tool_input": { "command": line["operation"] } });
        world.run(&["hook", "claude"], &payload.to_string());
    }
    let logged = world.audit();
    assert_eq!(logged.len(), 2);
    for (expected, logged) in lines.iter().zip(&logged) {
        for (key, value) in expected.as_object().unwrap().iter().filter(|(key, _)| *key != "ts") {
            assert_eq!(&logged[key], value, "{key}: {logged}");
        }
    }
}

/// Runs only plan-enforcer on a command, with a plan in the seed's format in its own folder.
fn planned(world: &World, plan: &str, mode: &str, command: &str) -> (ProcessOutput, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(seed(&format!("plans/{plan}.yaml")), folder.path().join("experiment_plan.yaml")).unwrap();
    let config = config(world, "full");
    let mut hook = world.command(&["--config", &config, "hook", "claude", "--only", "plan-enforcer"]);
    hook.env("NOUS_ITER_DIR", folder.path());
    if !mode.is_empty() {
        hook.env("NOUS_PLAN_ENFORCEMENT", mode);
    }
    let payload = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    let ended = end(hook, &payload.to_string());
    let journal = fs::read_to_string(folder.path().join("plan_violations.jsonl")).unwrap_or_default();
    (ended, journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn plans(world: &World) {
    for (plan, commands) in [
        ("s3-56a", &["./blis run --rate 3", "./blis run --rate 99"][..]),
        ("s3-56b", &["./blis run --rate 1", "./blis run --rate 9", "python check.py out.csv"]),
        ("s3-56c", &["./blis run --seed 1", "./blis-next run --seed 1"]),
        ("s3-56d", &["/usr/local/bin/sim --steps 100", "/usr/local/bin/sim"]),
    ] {
        for command in commands {
            let (ended, journal) = planned(world, plan, "strict", command);
            assert_silent(&ended);
            assert!(journal.is_empty(), "{command}: {journal:?}");
        }
        let (ended, _) = planned(world, plan, "strict", "curl example.org");
        assert_deny(&ended, &["curl", "# nous: ad-hoc"]);
    }
}

fn violations(world: &World) {
    for (mode, command, kind) in [
        ("strict", "curl x # nous: ad-hoc", "ad-hoc"),
        ("warn", "curl x # nous: ad-hoc", "ad-hoc"),
        ("warn", "curl x", "unplanned"),
        ("", "curl x", "unplanned"),
    ] {
        let (ended, journal) = planned(world, "s3-56a", mode, command);
        assert_silent(&ended);
        assert_eq!(journal.len(), 1, "{mode} {command}");
        assert_eq!((&journal[0]["kind"], &journal[0]["command"]), (&json!(kind), &json!(command)));
        let ts = journal[0]["ts"].as_str().unwrap();
        assert!(ts.len() == 24 && ts.ends_with('Z'), "{ts}");
        assert!(journal[0].get("arm").is_some());
    }
    assert!(planned(world, "s3-56a", "warn", "./blis run").1.is_empty());
}

/// A link to the program with the name of a script is a hook of only that script's policy.
fn names(world: &World) {
    let links = tempfile::tempdir().unwrap();
    let hook = |name: &str, more: &[&str], payload: &Value| {
        let link = links.path().join(name);
        let _ = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_guard-host"), &link);
        let mut command = std::process::Command::new(link);
        let config = config(world, "full");
        command.args([&["--config", config.as_str()][..], more].concat()).current_dir(world.repo()).env_clear();
        command.env("HOME", world.home.path());
        end(command, &payload.to_string())
    };
    let bash = |command: &str| json!({ "tool_input": { "command": command } });
    let write = |path: &str| json!({ "tool_input": { "file_path": path } });
    assert_deny(&hook("dangerous-command-guard.sh", &[], &bash("rm -rf /")), &["[command-guard: rm-root]"]);
    assert_silent(&hook("dangerous-command-guard.sh", &[], &write(".env")));
    assert_deny(&hook("protected-files-guard.py", &[], &write(".env")), &["[protected-files: "]);
    assert_silent(&hook("protected-files-guard.py", &[], &bash("git push --force origin main")));
    assert_deny(&hook("write-control.sh", &[], &write(".git/x")), &["[write-control: protected-path]"]);
    assert_silent(&hook("write-control.sh", &[], &write("Dockerfile")));
    assert_deny(&hook("guardrail.py", &[], &bash("rm -rf /")), &["rm_rf_root"]);
    assert_silent(&hook("nous-plan-enforcer", &[], &bash("git push --force origin main")));
    let plan = tempfile::tempdir().unwrap();
    fs::copy(seed("plans/s3-56a.yaml"), plan.path().join("experiment_plan.yaml")).unwrap();
    let link = links.path().join("nous-plan-enforcer");
    let mut command = std::process::Command::new(link);
    command.args(["--config", &config(world, "full")]).current_dir(world.repo()).env_clear();
    // This variable makes the program restart itself, which must not change its name.
    command.env("HOME", world.home.path()).env("NOUS_ITER_DIR", plan.path()).env("RUST_MIN_STACK", "1");
    command.env("NOUS_PLAN_ENFORCEMENT", "strict");
    let ended = end(command, &bash("curl x").to_string());
    assert_deny(&ended, &["[plan-enforcer: unplanned-command]"]);
    assert!(!ended.stderr.contains("command-guard"), "{ended:?}");
    // With explicit arguments, it follows these.
    assert_deny(&hook("write-control.sh", &["hook", "claude", "--only", "command-guard"], &bash("rm -rf /")), &[]);
    assert_eq!(hook("write-control.sh", &["check", "ls"], &json!({})).exit, 0);
    // S2-12c, S2-42: the harness's name determines the reply's format, and an extra word never lets the call run.
    let plain = hook("guardrail.py", &["generic"], &json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }));
    assert_eq!((plain.exit, plain.stdout.as_str()), (0, "{\"decision\":\"allow\"}\n"));
    let blocked = hook("guardrail.py", &["generic"], &bash("rm -rf /")).stdout;
    assert_eq!(serde_json::from_str::<Value>(&blocked).unwrap()["decision"], "block", "{blocked}");
    for word in ["generics", "--foo"] {
        assert_ask(&hook("guardrail.py", &[word], &bash("rm -rf /")), &["[hook: bad-arguments]"]);
    }
    assert_ask(&hook("write-control.sh", &["hook", "nonsense"], &bash("ls")), &["[hook: bad-arguments]"]);
}
