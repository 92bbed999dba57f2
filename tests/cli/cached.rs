//! `cache list` and `cache clear`.

use serde_json::Value;

use crate::support::guests;
use crate::support::reply::assert_deny;
use crate::support::world::World;

fn rows(world: &World) -> Vec<Value> {
    let ended = world.run(&["cache", "list", "--format", "json"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    serde_json::from_str::<Vec<Value>>(&ended.stdout).unwrap()
}

#[test]
fn the_list_has_each_artifact_with_its_policy_and_size() {
    let world = World::new();
    assert!(rows(&world).is_empty());
    // The presets' policies are embedded in the program and have no files. External policies, and the engines of Rego
    // and CEL policies, have some.
    let guest = guests::entry("ours", &guests::place(&world, "shell"), "");
    world.configure(&format!("[[policy]]\nname = \"rego\"\n{guest}"));
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let rows = rows(&world);
    for name in ["rego", "test-guest"] {
        let found = rows.iter().find(|row| row["kind"] == "artifact" && row["name"] == name);
        let bytes = found.and_then(|row| row["bytes"].as_u64());
        assert!(bytes.is_some_and(|bytes| bytes > 10_000), "{name}: {rows:?}");
    }
    assert!(!rows.iter().any(|row| row["kind"] == "artifact" && row["name"] == "command-guard"), "{rows:?}");
    assert!(rows.iter().any(|row| row["kind"] == "chain"), "{rows:?}");
    let text = world.run(&["cache", "list"], "").stdout;
    let sum = text.lines().last().unwrap();
    assert!(text.lines().count() == rows.len() + 1 && sum.starts_with(&rows.len().to_string()), "{text}");
}

#[test]
fn what_is_cleared_is_made_anew() {
    let world = World::new();
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    let before = rows(&world).len();
    // Whether a snapshot is taken depends on measured time.
    let kept = || rows(&world).iter().filter(|row| row["kind"] != "snapshot").count();
    let kept_before = kept();
    let ended = world.run(&["cache", "clear", "--older-than", "1h"], "");
    assert_eq!((ended.exit, ended.stdout.as_str()), (0, "0 files removed, 0 B\n"));
    let ended = world.run(&["cache", "clear"], "");
    assert!(ended.exit == 0 && ended.stdout.starts_with(&format!("{before} ")), "{ended:?}");
    assert!(rows(&world).is_empty());
    assert_eq!(world.run(&["cache", "warm"], "").exit, 0);
    assert_eq!(kept(), kept_before);
    assert_deny(&world.bash("rm -rf /"), &[]);
}
