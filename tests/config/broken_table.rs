//! Broken configurations, each a row of a table: `config check` names the file and the key and exits with 78, and the
//! hook holds the calls that the mistake affects. None is silent.

mod rows;

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use guard_contract::{Outcome, rank};
use guard_setup::check::line;
use serde_json::{Value, json};

use rows::Of::{self, Project, User};
use rows::{ENTRY, FILES, KEYS, MANAGED, SETTINGS};

use crate::support::layers::Layers;
use crate::support::reply::{assert_deny, assert_warn};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Returns whether the hook holds a shell command or a write.
fn is_held(world: &World) -> bool {
    let write = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": "a.txt", "content": "x" },
    });
    let held = |decision: String| decision == "ask" || decision == "deny";
    held(world.bash("ls").decision()) || held(world.hook(&write.to_string()).decision())
}

/// Returns the error in the report of a broken configuration, if any.
fn complaint(world: &World, words: &[&str]) -> Option<String> {
    let checked = world.run(&["config", "check"], "");
    let missing = words.iter().find(|word| !checked.stderr.contains(**word));
    if checked.exit != 78 || missing.is_some() {
        return Some(format!("{missing:?} is missing in: {checked:?}"));
    }
    (!is_held(world)).then(|| "the hook is silent".to_owned())
}

/// Tries every row in its own world, several at a time.
fn try_all<T>(rows: &[T], world_of: impl Fn(&T) -> (World, Vec<&'static str>) + Sync)
where
    T: std::fmt::Debug + Sync,
{
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (world, words) = world_of(row);
                    if let Some(complaint) = complaint(&world, &words) {
                        complaints.lock().unwrap().push(format!("{row:?}\n    {complaint}"));
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), rows.len(), complaints.join("\n"));
}

fn world_of(of: Of, text: &str) -> World {
    let world = World::new();
    match of {
        User => world.configure(text),
        Project => drop(world.write("repo/.guard/guard.toml", text)),
    }
    world
}

#[test]
fn the_table_is_long_enough() {
    let rows = KEYS.len() + ENTRY.len() + SETTINGS.len() + FILES.len() + MANAGED.len();
    assert!(rows >= 200, "{rows}");
}

#[test]
fn a_broken_key_of_the_configuration_is_told_and_asked_about() {
    try_all(KEYS, |(of, text, words)| (world_of(*of, text), words.to_vec()));
}

#[test]
fn a_broken_key_of_an_entry_is_told_and_asked_about() {
    let entry = |text: &str| format!("[[policy]]\nname = \"command-guard\"\n{text}\n");
    try_all(ENTRY, |(of, text, words)| (world_of(*of, &entry(text)), words.to_vec()));
}

#[test]
fn broken_settings_in_the_configuration_are_told_and_asked_about() {
    let entry = |name: &str, text: &str| format!("[[policy]]\nname = \"{name}\"\nsettings = {text}\n");
    try_all(SETTINGS, |(name, text, words)| (world_of(User, &entry(name, text)), words.to_vec()));
}

#[test]
fn a_broken_file_of_settings_is_told_and_asked_about() {
    try_all(FILES, |(policy, name, text, words)| {
        let world = world_of(User, &format!("[[policy]]\nname = \"{policy}\"\nsettings-file = \"~/{name}\"\n"));
        world.write(name, text);
        (world, words.to_vec())
    });
}

#[test]
fn a_broken_managed_file_is_told_and_holds_every_call() {
    let mut complaints = Vec::new();
    for (text, words) in MANAGED {
        let layers = Layers::new().managed(text);
        let mistakes = layers.check();
        let told: String = mistakes.iter().map(|one| format!("{} {}\n", line(one), one.problem.hint)).collect();
        let missing = words.iter().find(|word| !told.contains(**word));
        let verdict = &layers.decide(&[("Bash", json!({ "command": "ls" }))])[0];
        if missing.is_some() || rank(verdict.outcome) < rank(Outcome::Ask) {
            complaints.push(format!("{text}: {missing:?} is missing in {told}: {:?}", verdict.outcome));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Files that aren't regular, in place of a configuration.
#[test]
fn links_and_other_things_in_the_place_of_a_file_are_told_and_asked_about() {
    let kinds = ["dangling", "around", "parent", "folder", "binary", "large", "pipe"];
    let files = [".config/guard-host/guard.toml", "repo/.guard/guard.toml", "own/s.json", "own/team.rego"];
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for file in files {
        rows.extend(kinds.map(|kind| (file, kind)));
    }
    rows.push(("own/s.json", "missing"));
    rows.push(("own/team.rego", "missing"));
    try_all(&rows, |(file, kind)| {
        let world = World::new();
        let path = world.path(file);
        let folder = path.parent().unwrap();
        fs::create_dir_all(folder).unwrap();
        match *kind {
            "dangling" => symlink("gone", &path).unwrap(),
            "around" => symlink(path.file_name().unwrap(), &path).unwrap(),
            "parent" => {
                fs::remove_dir(folder).unwrap();
                symlink("gone", folder).unwrap();
            }
            "folder" => fs::create_dir(&path).unwrap(),
            "binary" => fs::write(&path, b"\xff\xfe\x00").unwrap(),
            "large" => fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap(),
            "pipe" => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
            _ => {}
        }
        let policy = if file.ends_with(".rego") { "rego" } else { "command-guard" };
        if file.starts_with("own/") {
            world.configure(&format!("[[policy]]\nname = \"{policy}\"\nsettings-file = \"~/{file}\"\n"));
        }
        (world, vec![file.rsplit('/').next().unwrap()])
    });
}

/// A file is valid again once it is restored, and a later link is noticed: no earlier state is kept.
#[test]
fn a_link_that_leads_nowhere_later_is_seen_at_the_next_call() {
    let world = World::new();
    assert!(world.bash("ls").is_silent());
    let path = world.path(".config/guard-host/guard.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink("elsewhere.toml", &path).unwrap();
    assert_eq!(world.bash("ls").decision(), "ask");
    world.write(".config/guard-host/elsewhere.toml", "preset = \"standard\"\n");
    assert!(world.bash("ls").is_silent());
    fs::remove_file(&path).unwrap();
    symlink("guard.toml", &path).unwrap();
    assert_eq!(world.bash("ls").decision(), "ask");
}

/// S2-14, S2-18, S2-26, S4-63, S4-92, S4-103c: the usual file, which no entry names.
#[test]
fn a_usual_file_that_cannot_be_used_leaves_the_defaults_and_a_warning_in_every_reply() {
    let world = World::new();
    world.configure("preset = \"guardrail\"\n");
    let mut transcript = Transcript::default();
    for text in [
        "{",
        "{ \"version\": 2 }",
        "{ \"blokced_paths\": [] }",
        "{ \"blocked_paths\": [\"{a\"] }",
        "{ \"rules\": { \"bash\": [{ \"pattern\": \"(\", \"action\": \"block\" }] } }",
        "{ \"blocked_paths\": [], \"blocked_paths\": [] }",
    ] {
        world.write(".claude/state/guardrails.json", text);
        let ended = world.bash("ls");
        let reply: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        let told = &reply["systemMessage"];
        assert_eq!(told, &reply["hookSpecificOutput"]["additionalContext"]);
        transcript.0 += &normalize(&world, &format!("{}\n", told.as_str().unwrap()));
        assert_eq!(ended.decision(), "", "{ended:?}");
        assert_eq!(world.bash("cp x /etc/y").decision(), "deny", "{text}");
        transcript.add(&world, 78, &world.run(&["config", "check"], ""));
    }
    assert_text!("usual_file_broken", transcript.0);
    fs::remove_file(world.path(".claude/state/guardrails.json")).unwrap();
    assert!(world.bash("ls").is_silent());
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
}

/// S2-18, S2-25, S4-63: a mistake only disables its own entry.
#[test]
fn an_entry_of_a_usual_file_that_cannot_be_used_is_ignored_alone() {
    let world = World::new();
    world.configure("preset = \"full\"\n");
    let mut transcript = Transcript::default();
    let mut warned = |ended: &ProcessOutput| {
        assert_warn(ended, &[]);
        let reply: Value = serde_json::from_str(&ended.stdout).unwrap();
        let told = reply["systemMessage"].as_str().unwrap_or_default();
        assert!(told.lines().count() <= 2, "{told}");
        transcript.0 += &normalize(&world, &format!("{told}\n"));
        transcript.add(&world, 78, &world.run(&["config", "check"], ""));
    };
    let rule = r#"{ "pattern": "frobnicate", "action": "block" }"#;
    for text in [
        format!(r#"{{ "rules": {{ "bash": [{rule}, {{ "pattern": "(x", "action": "block" }}] }} }}"#),
        format!(r#"{{ "rules": {{ "bash": [{{ "pattern": "x", "action": "blok" }}, {rule}] }} }}"#),
        format!(r#"{{ "description": "mine", "rules": {{ "bash": [{rule}] }} }}"#),
        r#"{ "rules": { "bash": [{ "pattern": "frobnicate", "action": "block", "why": "x" }] } }"#.to_owned(),
        format!(r#"{{ "safe_paths": ["~/a", "[b"], "rules": {{ "bash": [{rule}] }} }}"#),
    ] {
        world.write(".claude/state/guardrails.json", &text);
        assert_deny(&world.bash("frobnicate x"), &["Rule: frobnicate"]);
        warned(&world.bash("ls"));
    }
    world.write(".claude/state/guardrails.json", "{}");
    let write = |path: &str| {
        world.hook(
            &json!({ "tool_name": "Write", "cwd": world.repo(), "tool_input": { "file_path": path, "content": "" } })
                .to_string(),
        )
    };
    for text in [
        r#"{ "_comment": "ours", "protected": ["vendor/**"] }"#,
        r#"{ "protected": ["vendor/**", "/etc/**"] }"#,
        r#"{ "protected": ["vendor/**"], "warned": ["{a"] }"#,
    ] {
        world.write(".claude/hooks/config/write-policies.json", text);
        assert_deny(&write("vendor/a.c"), &["[write-control: protected-path]"]);
        warned(&write("docs/a.md"));
    }
    assert_text!("usual_file_entries", transcript.0);
    world.write(".claude/hooks/config/write-policies.json", r#"{ "warned": ["drafts/**"], "description": "ours" }"#);
    let allowed = write("drafts/a.md");
    assert_eq!(allowed.decision(), "allow", "{allowed:?}");
    assert!(allowed.reason().contains("ignoring `description`"), "{allowed:?}");
}

/// A log that can't be written changes no verdict, and only replaces regular files.
#[test]
fn a_log_in_the_place_of_something_else_is_told() {
    let world = World::new();
    fs::create_dir(world.path("folder")).unwrap();
    let mut transcript = Transcript::default();
    for text in [
        "[audit]\npath = \"~/folder\"",
        "[audit]\npath = \"/dev/full\"",
        "[session]\nfile = \"/dev/full\"",
        "[session]\nfile = \"audit.jsonl\"",
    ] {
        world.configure(&format!("{text}\n"));
        transcript.add(&world, 78, &world.run(&["config", "check"], ""));
        assert!(world.bash("ls").is_silent(), "{text}");
        assert_eq!(world.bash("git push").decision(), "ask", "{text}");
    }
    assert_text!("config_log_elsewhere", transcript.0);
    assert!(!fs::metadata("/dev/full").unwrap().is_file() && !fs::exists("/dev/full.lock").unwrap());
}

#[test]
fn a_plan_that_cannot_be_read_is_told_with_its_line() {
    let world = World::new();
    world.configure("preset = \"full\"\n");
    let plan = world.write("plan/experiment_plan.yaml", "arms:\n  - name: [a\n    commands: x\n");
    let run = |arguments: &[&str], stdin: &str| {
        let mut command = world.command(arguments);
        command.env("NOUS_ITER_DIR", world.path("plan")).env("NOUS_PLAN_ENFORCEMENT", "strict");
        end(command, stdin)
    };
    let checked = run(&["config", "check"], "");
    let told = format!("{}: line 3: ", plan.display());
    assert!(checked.exit == 78 && checked.stderr.contains(&told), "{checked:?}");
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls" },
    });
    assert_eq!(run(&["hook", "claude"], &payload.to_string()).decision(), "ask");
    assert_eq!(fs::read_dir(world.path("plan")).unwrap().count(), 1, "a check writes nothing");
}

/// Broken settings don't remove the policy's default denies.
#[test]
fn what_the_defaults_deny_is_denied_with_broken_settings() {
    let world = World::new();
    for settings in ["settings = { raize = [] }", "settings-file = \"~/gone.json\"", "settings-file = \"~/s.json\""] {
        world.write("s.json", "{");
        world.configure(&format!("[[policy]]\nname = \"command-guard\"\n{settings}\n"));
        assert_eq!(world.bash("rm -rf /").decision(), "deny", "{settings}");
        assert_eq!(world.bash("ls").decision(), "ask", "{settings}");
    }
}

#[test]
fn a_check_for_machines_names_file_line_and_column() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\nsettings-file = \"~/s.json\"\n");
    world.write("s.json", "{\n  \"raize\": []\n}");
    let file = world.path("s.json").to_string_lossy().into_owned();
    let run = |format: &str, exit: i32| {
        let ended = world.run(&["config", "check", "--format", format], "");
        assert_eq!((ended.exit, ended.stderr.as_str()), (exit, ""), "{ended:?}");
        serde_json::from_str::<Value>(&ended.stdout).unwrap()
    };
    let value = run("json", 78);
    let problem = &value["problems"][0];
    assert_eq!(
        (&value["ok"], &problem["file"], &problem["policy"]),
        (&json!(false), &json!(file), &json!("command-guard"))
    );
    assert_eq!((&problem["line"], &problem["column"]), (&json!(2), &json!(3)));
    assert!(problem["hint"].as_str().unwrap().contains("`raise`"), "{problem}");
    let value = run("sarif", 78);
    assert_eq!(
        (&value["version"], &value["runs"][0]["tool"]["driver"]["name"]),
        (&json!("2.1.0"), &json!("guard-host"))
    );
    let place = &value["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&json!(file), &json!(2)));
    world.write("s.json", "{}");
    assert_eq!(run("json", 0)["problems"], json!([]));
    assert_eq!(run("sarif", 0)["runs"][0]["results"], json!([]));
}
