//! `settings`: the input and output of its processes. The rendering is tested next to the renderer.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::texts::Transcript;
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

const FILE: &str = "repo/run/.claude/settings.json";

fn settings(world: &World, arguments: &[&str]) -> ProcessOutput {
    world.run(&[&["settings"], arguments].concat(), "")
}

fn init(world: &World, more: &[&str]) -> ProcessOutput {
    settings(world, &[&["init", "--work-dir", "run"], more].concat())
}

fn read(world: &World) -> Value {
    serde_json::from_str(&fs::read_to_string(world.path(FILE)).unwrap()).unwrap()
}

#[test]
fn s3_01_the_help_shows_what_takes_the_place_of_the_dangerous_flag() {
    let world = World::new();
    let help = settings(&world, &["--help"]).stdout;
    assert!(help.contains("claude -p --settings \"$(guard-host settings path --work-dir "), "{help}");
    let help = settings(&world, &["render", "--help"]).stdout;
    assert!(help.contains("--guard"), "{help}");
}

#[test]
fn s3_02_render_prints_the_same_bytes_and_writes_nothing() {
    let world = World::new();
    world.write("repo/plan.yaml", "conditions: [{command: ./blis run}]\n");
    let line = ["render", "--work-dir", "run", "--repo-path", ".", "--plan", "plan.yaml", "--allow-bin", "jq"];
    let (first, second) = (settings(&world, &line), settings(&world, &line));
    assert_eq!((first.exit, first.stderr.as_str()), (0, ""));
    assert_eq!(first, second);
    let value: Value = serde_json::from_str(&first.stdout).unwrap();
    let repo = world.repo().to_string_lossy().into_owned();
    assert_eq!(value["permissions"]["allowOnly"], serde_json::json!([format!("{repo}/run"), repo]));
    let allowed = value["permissions"]["allow"].to_string();
    assert!(allowed.contains("Bash(./blis:*)") && allowed.contains("Bash(blis:*)") && allowed.contains("Bash(jq:*)"));
    assert!(!world.path("repo/run").exists());
}

#[test]
fn s3_09_s3_49_init_registers_the_scripts_that_are_there() {
    let world = World::new();
    assert_eq!(init(&world, &[]).exit, 0);
    assert!(read(&world).get("hooks").is_none());
    let stop = world.write("repo/bin/nous-execute-stop", "");
    assert_eq!(init(&world, &["--force"]).exit, 0);
    let hooks = read(&world)["hooks"].clone();
    assert_eq!(hooks["Stop"][0]["hooks"][0]["command"], stop.to_string_lossy().into_owned());
    assert!(hooks.get("PreToolUse").is_none());
    let enforcer = world.write("repo/bin/nous-plan-enforcer", "");
    assert_eq!(init(&world, &["--force"]).exit, 0);
    let hooks = read(&world)["hooks"].clone();
    assert_eq!(hooks["PreToolUse"][0]["matcher"], "Bash");
    assert_eq!(hooks["PreToolUse"][0]["hooks"][0]["command"], enforcer.to_string_lossy().into_owned());
    assert!(hooks.get("Stop").is_some());
    assert_eq!(init(&world, &["--force", "--bin-dir", "/no/such"]).exit, 0);
    assert!(read(&world).get("hooks").is_none());
}

#[test]
fn s3_10_s3_50_a_hook_that_is_given_is_registered_by_its_absolute_path() {
    let world = World::new();
    let line = ["--pre-tool-use-hook", "x/../hooks/mine", "--stop-hook", "~/stop"];
    assert_eq!(init(&world, &line).exit, 0);
    let hooks = read(&world)["hooks"].clone();
    let text = |path: &str| world.path(path).to_string_lossy().into_owned();
    assert_eq!(hooks["PreToolUse"][0]["hooks"][0]["command"], text("repo/hooks/mine"));
    assert_eq!(hooks["Stop"][0]["hooks"][0]["command"], text("stop"));
}

#[test]
fn s3_11_s3_31_s3_32_init_writes_once_and_leaves_a_changed_file_alone() {
    let world = World::new();
    let first = init(&world, &[]);
    let path = world.path(FILE);
    assert_eq!((first.exit, first.stdout), (0, format!("wrote {}\n", path.display())));
    let bytes = fs::read(&path).unwrap();
    let second = init(&world, &[]);
    assert_eq!((second.exit, fs::read(&path).unwrap()), (0, bytes.clone()));
    for text in ["{\"mine\": true}", "", "{oops"] {
        fs::write(&path, text).unwrap();
        let again = init(&world, &[]);
        assert_text!("settings_left", &world, 0, again);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let forced = init(&world, &["--force"]);
    let copy = world.path("repo/run/.claude/settings.json.1.bak");
    assert!(forced.stdout.contains(&copy.display().to_string()), "{forced:?}");
    assert_eq!((fs::read(&path).unwrap(), fs::read_to_string(copy).unwrap()), (bytes, "{oops".to_owned()));
}

#[test]
fn s3_11_no_link_is_written_through() {
    let world = World::new();
    let theirs = world.write("theirs.json", "theirs");
    fs::create_dir_all(world.path("repo/run/.claude")).unwrap();
    symlink(&theirs, world.path(FILE)).unwrap();
    assert_eq!(init(&world, &[]).exit, 0);
    assert_eq!(init(&world, &["--force"]).exit, 69);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    let elsewhere = World::new();
    fs::create_dir_all(elsewhere.path("repo/run")).unwrap();
    symlink(world.home.path(), elsewhere.path("repo/run/.claude")).unwrap();
    assert_eq!(init(&elsewhere, &[]).exit, 70);
    assert!(!world.path("settings.json").exists());
}

#[test]
fn s3_29_init_makes_the_folder_and_ends_the_file_with_a_newline() {
    let world = World::new();
    assert_eq!(init(&world, &[]).exit, 0);
    assert!(read(&world).is_object());
    assert!(fs::read_to_string(world.path(FILE)).unwrap().ends_with("}\n"));
    assert_eq!(fs::read_dir(world.path("repo/run/.claude")).unwrap().count(), 1);
}

#[test]
fn s3_12_s3_30_path_and_args_name_the_file() {
    let world = World::new();
    let path = world.path(FILE).to_string_lossy().into_owned();
    assert_eq!(settings(&world, &["path", "--work-dir", "run"]).stdout, format!("{path}\n"));
    assert_eq!(settings(&world, &["path", "--work-dir", "./x/../run/"]).stdout, format!("{path}\n"));
    let none = settings(&world, &["args", "--work-dir", "run"]);
    assert!(none.is_silent(), "{none:?}");
    assert_eq!(init(&world, &[]).exit, 0);
    let some = settings(&world, &["args", "--work-dir", "run"]);
    assert_eq!((some.exit, some.stdout), (0, format!("--settings {path}\n")));
}

/// Runs a shell line as a person does, with the program on the path and a `claude` that prints each argument on a line.
fn shell(world: &World, line: &str) -> String {
    let mut shell = std::process::Command::new("/bin/sh");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_guard-host"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let line = format!("claude() {{ printf '%s\\n' \"$@\"; }}; {line}");
    shell.args(["-c", &line]).current_dir(world.repo()).env_clear().env("HOME", world.home.path()).env("PATH", path);
    let ended = end(shell, "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{line}");
    ended.stdout
}

#[test]
fn s3_12_the_lines_of_the_help_hold_for_every_folder() {
    let world = World::new();
    for folder in ["plain", "two words", "it's $HOME"] {
        let quoted = folder.replace('\'', "'\\''");
        assert_eq!(settings(&world, &["init", "--work-dir", folder]).exit, 0);
        let path = world.path(&format!("repo/{folder}/.claude/settings.json"));
        let expected = format!("-p\n--settings\n{}\nrun the plan\n", path.display());
        let by_path =
            format!("claude -p --settings \"$(guard-host settings path --work-dir '{quoted}')\" 'run the plan'");
        assert_eq!(shell(&world, &by_path), expected);
        let by_args =
            format!("d='{quoted}'; eval \"claude -p $(guard-host settings args --work-dir \"$d\") 'run the plan'\"");
        assert_eq!(shell(&world, &by_args), expected);
    }
    let help = settings(&world, &["args", "--help"]).stdout;
    assert!(help.contains("eval \"claude -p $(guard-host settings args "), "{help}");
}

#[test]
fn what_lies_in_the_way_of_the_file_is_named() {
    for force in [&[][..], &["--force"]] {
        let world = World::new();
        let mut transcript = Transcript::default();
        fs::create_dir_all(world.path(FILE)).unwrap();
        transcript.add(&world, 69, &init(&world, force));
        fs::remove_dir(world.path(FILE)).unwrap();
        symlink("gone", world.path(FILE)).unwrap();
        transcript.add(&world, 69, &init(&world, force));
        world.write("repo/file", "");
        for folder in ["file", "file/below"] {
            transcript.add(&world, 64, &settings(&world, &[&["init", "--work-dir", folder], force].concat()));
        }
        assert_text!("settings_in_the_way", transcript.0);
    }
}

#[test]
fn the_entry_of_an_experiment_is_a_configuration_of_its_own_however_often_it_is_made() {
    let world = World::new();
    let help = settings(&world, &["render", "--help"]).stdout;
    assert!(help.contains("--guard > ") && !help.contains(">>"), "{help}");
    for _ in 0..2 {
        shell(&world, "guard-host settings render --work-dir run --guard > run.toml");
        let ended = world.run(&["config", "check", "--config", "run.toml"], "");
        assert_eq!((ended.exit, ended.stdout.as_str()), (0, "ok: 6 policies\n"), "{ended:?}");
    }
}

#[test]
fn s3_33_what_bounds_nothing_ends_with_64() {
    let world = World::new();
    for folder in ["", "/", "/.."] {
        for command in ["render", "init"] {
            let ended = settings(&world, &[command, "--work-dir", folder]);
            assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""), "{command} {folder:?}: {ended:?}");
        }
    }
    let ended = settings(&world, &["render", "--work-dir", "run", "--allow-bin", "*"]);
    assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""));
}

#[test]
fn a_plan_that_cannot_be_used_is_told() {
    let world = World::new();
    let render = || settings(&world, &["render", "--work-dir", "run", "--plan", "plan.yaml"]);
    let mut transcript = Transcript::default();
    transcript.add(&world, 66, &render());
    for text in ["", "a: [", "arms: []", "\0", &"x".repeat(2 << 20)] {
        world.write("repo/plan.yaml", text);
        transcript.add(&world, 65, &render());
    }
    let laughs: String = (1..40).map(|at| format!("a{at}: &a{at} [*a{0},*a{0},*a{0},*a{0}]\n", at - 1)).collect();
    world.write("repo/plan.yaml", format!("a0: &a0 [x]\n{laughs}arms: *a39\n"));
    transcript.add(&world, 65, &render());
    assert_text!("settings_plan", transcript.0);
}

/// The harness restricts its file tools to the folders, and path-context restricts other calls.
#[test]
fn s3_04_s3_35_a_write_outside_of_the_experiment_is_not_free() {
    let world = World::new();
    let guard = settings(&world, &["render", "--work-dir", "~/run", "--guard"]);
    assert_eq!((guard.exit, guard.stderr.as_str()), (0, ""));
    world.configure(&format!("preset = \"guardrail\"\n{}", guard.stdout));
    let hook = |tool: &str, input: Value| {
        let mut hook = world.command(&["hook", "claude", "--only", "path-context"]);
        hook.current_dir(world.home.path());
        let payload = serde_json::json!({ "cwd": world.home.path(), "tool_name": tool, "tool_input": input });
        end(hook, &payload.to_string()).decision()
    };
    let write = |path: &str| hook("Write", serde_json::json!({ "file_path": path, "content": "" }));
    let bash = |command: &str| hook("Bash", serde_json::json!({ "command": command }));
    // `repo` is a git repository outside of the experiment.
    for (path, expected) in
        [("~/run/out.csv", ""), ("~/other/out.csv", "deny"), ("/etc/hosts", "deny"), ("~/repo/src/a.rs", "deny")]
    {
        assert_eq!(write(path), expected, "{path}");
    }
    for (command, expected) in [
        ("echo > run/x", ""),
        ("echo > other/x", "deny"),
        ("tee /etc/x", "deny"),
        ("echo > repo/x", "deny"),
        ("rm repo/x", "ask"),
        ("ls repo", ""),
    ] {
        assert_eq!(bash(command), expected, "{command}");
    }
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
}
