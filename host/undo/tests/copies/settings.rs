//! Losses that depend on a repository's settings and submodules.

#![expect(clippy::panic, reason = "a test fails by a panic")]

use std::collections::BTreeMap;
use std::fs;

use guard_undo::backup::may_lose;
use guard_undo::{BackupCoverage, GitLoss, Loss};

use crate::world::World;

fn loss(world: &World, operation: &str, words: &[&str]) -> GitLoss {
    let Loss::Git(loss) = world.git_loss(operation, "") else { panic!() };
    GitLoss { words: words.iter().map(|word| (*word).to_owned()).collect(), ..loss }
}

fn lost(world: &World, operation: &str, words: &[&str]) -> Loss {
    Loss::Git(loss(world, operation, words))
}

/// Returns the names and contents of the work tree, without times, because git changes those of files that it writes.
fn contents(world: &World) -> Vec<(String, Vec<u8>)> {
    world.tree().into_iter().map(|(name, (_, _, text))| (name, text)).collect()
}

/// Creates a repository with a submodule that has changes.
fn with_submodule() -> World {
    let world = World::repository();
    let library = World::repository();
    let from = library.root.display().to_string();
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "sub"]);
    world.git(&["commit", "-qm", "sub"]);
    world.write("sub/a.txt", "changed\n");
    world.write("sub/untracked", "new\n");
    world
}

#[test]
fn changes_in_a_submodule_come_back() {
    let update = &["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"][..];
    let deinit = &["submodule", "--quiet", "deinit", "-f", "sub"][..];
    for (folder, operation, words, orders) in [
        ("", "git.submodule.update", &[][..], &[&["submodule", "--quiet", "update", "--force"][..]][..]),
        ("/src", "git.submodule.update", &["../sub"], &[&["submodule", "--quiet", "update", "--force"]]),
        ("", "git.submodule.update", &["sub"], &[&["submodule", "--quiet", "update", "-f", "sub"]]),
        ("", "git.submodule.deinit", &["sub"], &[deinit, update]),
        ("/sub", "git.reset.hard", &[], &[&["-C", "sub", "reset", "-q", "--hard"]]),
    ] {
        let world = with_submodule();
        let before = contents(&world);
        let folder = format!("{}{folder}", world.root.display());
        let manifest = world.kept(vec![Loss::Git(GitLoss { folder, ..loss(&world, operation, words) })]);
        orders.iter().for_each(|order| drop(world.git(order)));
        assert_ne!(contents(&world), before, "{orders:?}");
        world.restore(&manifest);
        assert_eq!(contents(&world), before, "{orders:?}");
    }
}

#[test]
fn a_word_that_is_no_submodule_may_mean_any() {
    let world = with_submodule();
    for operation in ["git.submodule.update", "git.submodule.deinit"] {
        let answer = world.keep(vec![lost(&world, operation, &["s*"])]);
        let names: Vec<String> = world.manifest(&answer.id).entries.into_iter().map(|entry| entry.path).collect();
        let has_changes = names.iter().any(|name| name.ends_with("sub/a.txt"));
        assert!(answer.kept == BackupCoverage::Partly && has_changes, "{operation}: {names:?}");
    }
}

#[test]
fn a_submodule_on_a_branch_of_its_own_comes_back() {
    let world = with_submodule();
    let in_submodule = |arguments: &[&str]| world.git(&[&["-C", "sub"], arguments].concat());
    in_submodule(&["checkout", "-qb", "work"]);
    in_submodule(&["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qam", "work"]);
    world.write("sub/src/b.txt", "changed\n");
    let before = (contents(&world), in_submodule(&["symbolic-ref", "HEAD"]), in_submodule(&["rev-parse", "HEAD"]));
    let manifest = world.kept(vec![lost(&world, "git.submodule.update", &[])]);
    world.git(&["submodule", "--quiet", "update", "--force"]);
    assert_ne!(in_submodule(&["rev-parse", "HEAD"]), before.2);
    world.restore(&manifest);
    let after = (contents(&world), in_submodule(&["symbolic-ref", "HEAD"]), in_submodule(&["rev-parse", "HEAD"]));
    assert_eq!(after, before);
}

#[test]
fn ignored_files_come_back_from_folders_that_are_left_out_of_the_work_tree() {
    for (set, named) in [
        (&["set", "src"][..], &["docs/secret.log", "lib/in/x.log"][..]),
        (&["set", "lib/in"], &["docs/secret.log"]),
        (&["set", "lib/in", "docs"], &[]),
    ] {
        let world = World::repository();
        world.write(".gitignore", "*.log\n");
        for name in ["docs/d.txt", "lib/l.txt", "lib/in/i.txt"] {
            world.write(name, "tracked\n");
        }
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "folders"]);
        for name in ["docs/secret.log", "lib/in/x.log"] {
            world.write(name, "ignored\n");
        }
        let sparse = Loss::Git(GitLoss { with_ignored: true, ..loss(&world, "git.sparse", set) });
        let answer = world.keep(vec![sparse]);
        world.git(&[&["sparse-checkout"], set].concat());
        for name in named {
            assert!(!world.path(name).exists(), "{set:?} {name}");
        }
        assert_eq!(answer.is_needless, named.is_empty(), "{set:?}");
        if !named.is_empty() {
            world.restore(&world.manifest(&answer.id));
        }
        for name in ["docs/secret.log", "lib/in/x.log"] {
            assert_eq!(fs::read_to_string(world.path(name)).unwrap(), "ignored\n", "{set:?} {name}");
        }
    }
}

#[test]
fn removed_settings_come_back() {
    let world = World::repository();
    world.git(&["remote", "add", "origin", "https://example.org/x.git"]);
    let config = || fs::read_to_string(world.path(".git/config")).unwrap();
    let before = config();
    let manifest = world.kept(vec![lost(&world, "git.config", &[])]);
    world.git(&["config", "--remove-section", "remote.origin"]);
    assert_ne!(config(), before);
    world.restore(&manifest);
    assert_eq!(config(), before);
}

#[test]
fn branches_come_back_that_a_fetch_prunes_by_a_setting() {
    for (key, value, is_needless) in [
        ("fetch.prune", "true", false),
        ("remote.origin.prune", "true", false),
        ("fetch.prune", "false", true),
        ("fetch.writeCommitGraph", "true", true),
    ] {
        let world = World::repository();
        world.git(&["config", key, value]);
        world.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
        world.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
        world.git(&["reset", "-q", "--hard", "HEAD~1"]);
        let before = world.git(&["rev-parse", "refs/remotes/origin/topic"]);
        let fetch = GitLoss { fetches: true, ..loss(&world, "git.refs", &[]) };
        assert_eq!(may_lose(&fetch, &BTreeMap::new()), key.ends_with("prune"), "{key}");
        let answer = world.keep(vec![Loss::Git(fetch)]);
        assert_eq!(answer.is_needless, is_needless, "{key} {value}");
        if !is_needless {
            world.git(&["update-ref", "-d", "refs/remotes/origin/topic"]);
            world.restore(&world.manifest(&answer.id));
            assert_eq!(world.git(&["rev-parse", "refs/remotes/origin/topic"]), before);
        }
    }
}

#[test]
fn a_fetch_may_prune_by_settings_of_the_user_and_by_included_ones() {
    let world = World::repository();
    let home = tempfile::tempdir().unwrap();
    let fetch = GitLoss { fetches: true, ..loss(&world, "git.refs", &[]) };
    let home_path = home.path().to_str().unwrap().to_owned();
    let may_lose_with = |file: &str, text: &str| {
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let env = ["HOME", "XDG_CONFIG_HOME"].map(|name| (name.to_owned(), home_path.clone()));
        let answer = may_lose(&fetch, &env.into());
        fs::remove_file(path).unwrap();
        answer
    };
    for file in [".gitconfig", ".config/git/config", "git/config"] {
        assert!(may_lose_with(file, "[Fetch]\n\tPrune\n"), "{file}");
        assert!(may_lose_with(file, "[includeIf \"gitdir:/\"]\n\tpath = x\n"), "{file}");
        assert!(!may_lose_with(file, "[user]\n\tname = a\n"), "{file}");
    }
    fs::remove_dir_all(world.path(".git/logs")).unwrap();
    assert!(may_lose_with(".gitconfig", ""));
}
