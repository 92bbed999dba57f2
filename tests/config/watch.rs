//! `mode = "watch"`: policies log what they would stop, and the call runs.

use guard_contract::Outcome;
use serde_json::{Value, json};

use crate::support::layers::Layers;
use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::World;
use crate::texts::assert_text;

const RULE: &str = r#"
[[policy]]
name = "ours"
source = "builtin:cel"
settings = { rules = [{ when = 'tool == "Bash"', outcome = "deny", message = "no", rule = "none" }] }
"#;

fn bash(session: &str, world: &World, command: &str) -> String {
    json!({
        "session_id": session, "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command },
    })
    .to_string()
}

/// A call that is denied.
const FORCED: &str = "git push --force origin main";

#[test]
fn a_users_policies_are_watched_and_each_session_is_told_once() {
    let world = World::new();
    world.configure("mode = \"watch\"\n");
    let mut told = Transcript::default();
    told.warn(&world, &world.hook(&bash("s1", &world, "git push")), &["command-guard:git-push"]);
    assert_silent(&world.hook(&bash("s1", &world, "git push")));
    assert_silent(&world.hook(&bash("s1", &world, FORCED)));
    told.warn(&world, &world.hook(&bash("s2", &world, FORCED)), &["command-guard:force-push-protected"]);
    let actions: Vec<Value> = world.audit().iter().map(|line| line["action"].clone()).collect();
    assert_eq!(actions, ["would-ask", "would-ask", "would-deny", "would-deny"]);
    let shown = world.run(&["audit", "show", "--action", "would-deny"], "");
    assert_eq!(shown.stdout.lines().count(), 2, "{shown:?}");
    assert_deny(&world.bash("guard-host uninstall claude"), &["[self-protect: guard-command]"]);
    told.add(&world, 0, &world.run(&["explain", FORCED], ""));
    assert_text!("watch_told", told.0);
}

#[test]
fn one_policy_can_be_watched_or_all_but_one() {
    let world = World::new();
    world.configure(&RULE.replace("source", "mode = \"watch\"\nsource"));
    assert_warn(&world.bash("ls"), &["ours"]);
    assert_deny(&world.bash(FORCED), &["[command-guard: force-push-protected]"]);
    world.configure("mode = \"watch\"\n[[policy]]\nname = \"command-guard\"\nmode = \"enforce\"\n");
    assert_ask(&world.bash("git push"), &["[command-guard: git-push]"]);
}

#[test]
fn nobody_watches_what_is_not_his() {
    let outcome = |layers: &Layers| layers.decide([&("Bash", json!({ "command": FORCED }))])[0].outcome;
    let managed = "preset = \"standard\"\n";
    for (expected, layers) in [
        (Outcome::Deny, Layers::new().managed(managed).user("mode = \"watch-all\"\n")),
        (Outcome::Deny, Layers::new().managed("lock = [\"command-guard\"]\n").user("mode = \"watch\"\n")),
        (Outcome::Abstain, Layers::new().managed("mode = \"watch\"\npreset = \"standard\"\n")),
        (Outcome::Deny, Layers::new().managed("mode = \"watch\"\n")),
        (Outcome::Abstain, Layers::new().managed("mode = \"watch-all\"\nlock = [\"command-guard\"]\n")),
        (Outcome::Deny, Layers::new().user("mode = \"watch\"\n").project(RULE)),
        (Outcome::Abstain, Layers::new().user("mode = \"watch-all\"\n").project(RULE)),
        (Outcome::Deny, Layers::new().project(RULE.replace("source", "mode = \"watch\"\nsource"))),
        (
            Outcome::Abstain,
            Layers::new().user("preset = \"none\"").project(RULE.replace("source", "mode = \"watch\"\nsource")),
        ),
    ] {
        assert_eq!(outcome(&layers), expected, "{:?}", layers.names());
    }
    let project = Layers::new().project("mode = \"watch\"\n").problem();
    let own = "[[policy]]\nname = \"self-protect\"\nmode = \"watch\"\n";
    assert_text!("config_mode", project + &Layers::new().user(own).problem());
}

#[test]
fn a_locked_policy_that_is_watched_is_told() {
    let world = World::new();
    let check = |mode: &str| {
        let file = world.write("managed.toml", format!("mode = \"{mode}\"\nlock = [\"command-guard\"]\n"));
        let ended = world.run(&["config", "check", file.to_str().unwrap(), "--managed"], "");
        assert_eq!(ended.exit, 0, "{ended:?}");
        ended.stderr
    };
    assert!(
        check("watch-all").contains("only logs what `command-guard` in `lock` would stop"),
        "{}",
        check("watch-all")
    );
    // `watch` is about the managed file's own policies.
    for mode in ["watch", "enforce"] {
        assert!(!check(mode).contains("only logs"), "{}", check(mode));
    }
}

#[test]
fn a_managed_file_that_enforces_nothing_is_told() {
    let world = World::new();
    let check = |mode: &str| {
        let file = world.write("managed.toml", format!("mode = \"{mode}\"\npreset = \"standard\"\n"));
        let ended = world.run(&["config", "check", file.to_str().unwrap(), "--managed"], "");
        assert_eq!(ended.exit, 0, "{ended:?}");
        ended.stderr
    };
    assert!(check("watch-all").contains("only logs what the policies of all files would stop"));
    // A trial of the managed policies alone is deliberate.
    assert!(!check("watch").contains("only logs"), "{}", check("watch"));
}

#[test]
fn a_policy_that_breaks_is_watched_too_and_a_broken_file_is_not() {
    let world = World::new();
    world.configure("mode = \"watch\"\n[[policy]]\nname = \"gone\"\nsource = \"/nowhere.wasm\"\non-error = \"deny\"\n");
    assert_warn(&world.bash("ls"), &["gone:policy-fault"]);
    world.configure("mode = \"wach\"\n");
    assert_ask(&world.bash("ls"), &["[config: broken-config]"]);
}

#[test]
fn doctor_excuses_a_missing_deny_only_where_its_policy_is_watched() {
    let canary = |configuration: &str| {
        let world = World::new();
        world.configure(configuration);
        assert_eq!(world.run(&["install", "claude"], "").exit, 0);
        let said = world.run(&["doctor", "claude"], "").stdout;
        normalize(&world, said.lines().find(|line| line.contains(" canary: ")).unwrap_or_default())
    };
    let watched = canary("mode = \"watch\"\n");
    assert!(watched.starts_with("note"), "{watched}");
    let other = "[[policy]]\nname = \"protected-files\"\nmode = \"watch\"\n";
    assert!(canary(other).starts_with("ok"), "{}", canary(other));
    let broken = canary(&format!("{other}[[policy]]\nname = \"command-guard\"\nenabled = false\n"));
    assert!(broken.starts_with("problem"), "{broken}");
    assert_text!("doctor_canary", format!("{watched}\n{broken}"));
}
