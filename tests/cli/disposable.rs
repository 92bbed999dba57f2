//! Deletions that provably lose nothing: the host proves it, and the rules of `rm` let them pass.

use crate::support::world::World;

#[track_caller]
fn outcome(world: &World, command: &str) -> i32 {
    world.run(&["check", command], "").exit
}

#[test]
fn a_deletion_of_what_the_repository_ignores_passes() {
    let world = World::new();
    assert_eq!(outcome(&world, "rm -rf node_modules"), 1);
    std::fs::write(world.repo().join(".gitignore"), "node_modules/\ndist/\n*.o\n").unwrap();
    assert_eq!(outcome(&world, "rm -rf node_modules packages/a/dist && npm ci"), 0);
    assert_eq!(outcome(&world, "rm -rf *.o"), 0);
    assert_eq!(outcome(&world, "rm -rf node_modules src"), 1);
    assert_eq!(outcome(&world, "echo src >> .gitignore; rm -rf node_modules"), 1);
}

#[test]
fn a_deletion_of_what_the_text_makes_passes() {
    let world = World::new();
    assert_eq!(outcome(&world, "mkdir -p made/a && touch made/a/b; rm -rf made"), 0);
    assert_eq!(outcome(&world, "work=$(mktemp -d); trap 'rm -rf \"$work\"' EXIT; tar -xf a.tar -C \"$work\""), 0);
    std::fs::create_dir(world.repo().join("made")).unwrap();
    assert_eq!(outcome(&world, "mkdir -p made && rm -rf made"), 1);
    assert_eq!(outcome(&world, "mkdir new; mv notes new/notes; rm -rf new"), 1);
}

#[test]
fn the_folder_of_a_harness_for_its_session_may_go() {
    let world = World::new();
    assert_eq!(outcome(&world, "rm -rf /tmp/claude-1000/p/scratchpad/build"), 0);
    assert_eq!(outcome(&world, "rm -rf /tmp/claude-1000"), 1);
}
