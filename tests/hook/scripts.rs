//! Calls that run files of the project: the file's author determines the severity.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

/// Runs git in the project.
fn git(world: &World, arguments: &[&str]) {
    let identity = ["-c", "user.name=u", "-c", "user.email=u@example.org", "-c", "commit.gpgsign=false"];
    let mut git = Command::new("git");
    git.current_dir(world.repo())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", world.home.path());
    let ended = git.args(identity).args(arguments).output().unwrap();
    assert!(ended.status.success(), "{arguments:?}: {ended:?}");
}

const DENIED: &str = "#!/bin/sh\nset -eu\n\ngit push --force origin main\n";
const ASKED: &str = "#!/bin/sh\ngit push origin topic\n";

/// Creates a project with committed scripts.
fn project() -> World {
    let world = World::new();
    fs::remove_dir_all(world.path("repo/.git")).unwrap();
    git(&world, &["init", "-q"]);
    world.write("repo/denied.sh", DENIED);
    world.write("repo/asked.sh", ASKED);
    world.write("repo/any.sh", "#!/bin/sh\nexec \"$@\"\n");
    world.write("repo/outer.sh", "#!/bin/sh\nsh ./new.sh\n");
    world.write("repo/Makefile", "push:\n\tgit push origin topic\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "-qm", "a"]);
    world
}

/// Code of a script in another language has no line to report.
#[test]
fn a_script_of_a_package_is_named_by_the_line_that_starts_it() {
    let world = World::new();
    let scripts = r#"{ "scripts": { "migrate": "node scripts/migrate.mjs", "all": "npm run migrate", "py": "python3 drop.py" } }"#;
    world.write("repo/package.json", scripts);
    world.write("repo/scripts/migrate.mjs", "import { rmSync } from 'fs';\nrmSync('src', { recursive: true });\n");
    world.write("repo/drop.py", "import shutil\nshutil.rmtree('src')\n");
    world.write("repo/src/a.ts", "");
    world.configure("[undo]\nenabled = false\n");
    let mut told = Transcript::default();
    for command in ["npm run migrate", "npm run all", "npm run py", "node scripts/migrate.mjs", "python3 drop.py"] {
        told.ask(&world, &world.bash(command), &[]);
    }
    assert_text!("script_of_a_package", told.0);
}

#[test]
fn what_was_committed_weighs_less() {
    let world = project();
    assert_silent(&world.bash("sh asked.sh"));
    assert_silent(&world.bash("make push"));
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("bash denied.sh"), &[]);
    assert_text!("script_committed", told.0);
    // The call's own content is judged as usual.
    assert_ask(&world.bash("sh asked.sh && git push origin topic"), &[]);
    assert_deny(&world.bash("sh denied.sh; git push --force origin main"), &[]);
}

#[test]
fn explain_says_why_a_committed_file_is_judged_more_mildly() {
    let world = project();
    let explain = |arguments: &[&str]| world.run(&[&["explain"], arguments].concat(), "").stdout;
    let told = explain(&["sh asked.sh"]);
    assert!(told.contains("ask git-push was dropped: its file is unchanged since the last commit"), "{told}");
    let told = explain(&["sh denied.sh"]);
    assert!(told.contains("deny force-push-protected became ask: its file is unchanged since"), "{told}");
    let told = explain(&["git push origin topic"]);
    assert!(!told.contains("unchanged since"), "{told}");
    let told = explain(&["--format", "json", "sh asked.sh"]);
    assert!(told.contains(r#""from":"ask""#) || told.contains(r#""from": "ask""#), "{told}");
}

#[test]
fn a_committed_script_that_ignores_a_dry_run_is_judged_as_without_it() {
    let world = project();
    world.write("repo/deploy.sh", "#!/bin/sh\nlog() { echo \"$1\"; }\nlog start\ngit push origin topic\n");
    world.write("repo/checks/deploy.sh", "#!/bin/sh\n[ \"$1\" = --dry-run ] && exit\ngit push origin topic\n");
    world.write("repo/package.json", r#"{ "scripts": { "deploy": "sh deploy.sh" } }"#);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-qm", "b"]);
    for command in ["sh deploy.sh", "sh deploy.sh --dry-run", "sh deploy.sh --help", "npm run deploy -- --dry-run"] {
        assert_ask(&world.bash(command), &[]);
    }
    assert_silent(&world.bash("sh checks/deploy.sh --dry-run"));
    assert_ask(&world.bash("sh checks/deploy.sh"), &[]);
}

#[test]
fn a_file_that_is_new_or_changed_is_judged_as_if_it_stood_in_the_call() {
    let world = project();
    world.write("repo/new.sh", DENIED);
    let mut told = Transcript::default();
    told.deny(&world, &world.bash("sh new.sh"), &[]);
    // A committed script that runs it doesn't make it less severe.
    told.deny(&world, &world.bash("./outer.sh"), &[]);
    world.write("repo/asked.sh", format!("{ASKED}echo\n"));
    told.ask(&world, &world.bash("sh asked.sh"), &[]);
    assert_text!("script_changed", told.0);
    // Git may be told to ignore a change.
    git(&world, &["update-index", "--assume-unchanged", "denied.sh"]);
    world.write("repo/denied.sh", format!("{DENIED}echo\n"));
    assert_deny(&world.bash("sh denied.sh"), &[]);
    // Staged isn't committed.
    git(&world, &["add", "new.sh"]);
    assert_deny(&world.bash("sh new.sh"), &[]);
    let outside = world.write("other/new.sh", DENIED);
    assert_deny(&world.bash(&format!("sh {}", outside.display())), &[]);
}

#[test]
fn what_a_committed_script_is_given_is_the_callers() {
    let world = project();
    assert_deny(&world.bash("sh any.sh git push --force origin main"), &["`any.sh`"]);
    assert_ask(&world.bash("./any.sh git push origin topic"), &[]);
    world.write("repo/variable.sh", "git push origin $BRANCH\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "-qm", "b"]);
    assert_silent(&world.bash("sh variable.sh"));
    assert_ask(&world.bash("BRANCH=x sh variable.sh"), &[]);
}

#[test]
fn a_team_says_which_scripts_are_read() {
    let world = project();
    world.write("repo/new.sh", ASKED);
    world.configure("scripts = \"all\"\n");
    assert_ask(&world.bash("sh asked.sh"), &[]);
    assert_deny(&world.bash("sh denied.sh"), &[]);
    world.configure("scripts = \"changed\"\n");
    assert_silent(&world.bash("sh asked.sh"));
    assert_ask(&world.bash("sh new.sh"), &[]);
    world.configure("scripts = \"off\"\n");
    assert_silent(&world.bash("sh new.sh"));
    world.configure("scripts = \"none\"\n");
    assert_text!("script_choices", &world, 78, world.run(&["config", "check"], ""));
    // A project can't loosen what its user set.
    world.configure("");
    world.write("repo/.guard/guard.toml", "scripts = \"off\"\n");
    assert_ask(&world.bash("sh new.sh"), &[]);
}

#[test]
fn a_file_that_cannot_be_read_whole_is_asked_about_and_a_pipe_is_not_waited_for() {
    let world = project();
    world.write("repo/long.sh", "echo 1\n".repeat(20_000));
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("sh long.sh"), &[]);
    assert!(Command::new("mkfifo").arg(world.path("repo/pipe")).status().unwrap().success());
    assert_silent(&world.bash("sh pipe"));
    world.write("repo/bytes.sh", [b"echo \xff\n".as_slice(), DENIED.as_bytes()].concat());
    told.deny(&world, &world.bash("sh bytes.sh"), &[]);
    assert_text!("script_not_whole", told.0);
    symlink("/dev/zero", world.path("repo/zero")).unwrap();
    assert_silent(&world.bash("sh zero"));
    world.write("repo/new.sh", DENIED);
    symlink("new.sh", world.path("repo/link")).unwrap();
    assert_deny(&world.bash("sh link"), &[]);
    assert_silent(&world.bash("sh gone.sh"));
}

#[test]
fn a_recorded_call_is_decided_alike_when_its_files_are_gone() {
    let world = project();
    world.configure("[audit]\nlevel = \"facts\"\n");
    world.write("repo/new.sh", DENIED);
    assert_deny(&world.bash("sh new.sh"), &[]);
    assert_ask(&world.bash("sh denied.sh"), &[]);
    assert_silent(&world.bash("sh asked.sh"));
    for name in ["new.sh", "denied.sh", "asked.sh", ".git/HEAD"] {
        fs::remove_file(world.path("repo").join(name)).unwrap();
    }
    let log = world.path(".local/state/guard-host/audit.jsonl");
    let ended = world.run(&["replay", "--format", "json", log.to_str().unwrap()], "");
    let told: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let mut outcomes: Vec<_> =
        told["groups"].as_array().unwrap().iter().map(|group| group["first"]["outcome"].as_str().unwrap()).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, ["abstain", "ask", "deny"], "{ended:?}");
}

#[test]
fn what_protects_guard_host_is_never_made_milder() {
    let world = project();
    world.write("repo/off.sh", "guard-host pause 2h\n");
    world.write("repo/first.sh", "D=$1\ngit push --force origin \"$D\"\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "-qm", "b"]);
    assert_deny(&world.bash("sh off.sh"), &[]);
    assert_deny(&world.bash("sh first.sh main"), &[]);
    // A file that the call changes first isn't the committed one.
    assert_ask(&world.bash("git stash pop; sh asked.sh"), &[]);
    assert_ask(&world.bash("echo 'git push' >> asked.sh; sh asked.sh"), &[]);
}

/// An agent can commit its own changes without anyone reading them.
#[test]
fn a_script_that_this_session_wrote_is_judged_as_if_it_were_typed_even_when_it_is_committed() {
    let world = project();
    let input = serde_json::json!({ "file_path": world.path("repo/late.sh"), "content": DENIED });
    let payload = |session: &str, tool: &str, input: serde_json::Value| {
        let payload = serde_json::json!({
            "session_id": session, "cwd": world.repo(), "hook_event_name": "PreToolUse", "permission_mode": "default",
            "tool_name": tool, "tool_input": input,
        });
        world.hook(&payload.to_string())
    };
    assert_silent(&payload("s7", "Write", input));
    world.write("repo/late.sh", DENIED);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-qm", "b"]);
    let run = || serde_json::json!({ "command": "sh late.sh" });
    assert_deny(&payload("s7", "Bash", run()), &["`late.sh`"]);
    assert_ask(&payload("s8", "Bash", run()), &["`late.sh`"]);
}
