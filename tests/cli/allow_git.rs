//! `guard-host allow` for files that git discards.

use crate::support::reply::{assert_ask, assert_silent};
use crate::support::terminal::attended;
use crate::support::world::World;

#[test]
fn files_that_git_discards_can_be_allowed() {
    let world = World::new();
    world.write("repo/src/x.ts", "");
    for command in
        ["git checkout -- src/x.ts", "git restore src/x.ts", "git checkout HEAD -- src/x.ts", "git restore src"]
    {
        assert_ask(&world.bash(command), &[]);
        let ended = attended(&world, &["allow", command, "--yes"]);
        assert_eq!(ended.exit, 0, "{command}: {ended:?}");
        assert_silent(&world.bash(command));
    }
    assert_ask(&world.bash("git checkout -- src/y.ts"), &[]);
    assert_ask(&world.bash("cd src && git checkout -- src/x.ts"), &[]);
    for (command, reason) in [
        ("git checkout -- .", "`.` is the whole project"),
        ("git checkout -- ../x.ts", "`../x.ts` is outside of the project"),
        ("git worktree remove --force ../wt", "`../wt` is outside of the project"),
    ] {
        let ended = attended(&world, &["allow", command, "--yes"]);
        assert!(ended.exit == 1 && ended.stdout.contains(reason), "{command}: {ended:?}");
    }
}
