//! References that a git command moves or deletes, and files that conflict with those of another commit.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

use std::fs;

use guard_undo::{BackupCoverage, GitLoss, Loss, Manifest};

use crate::world::World;

/// Returns a loss with these words, and these moved or deleted references.
fn loss(world: &World, operation: &str, words: &[&str], refs: &[&str]) -> Loss {
    let Loss::Git(loss) = world.git_loss(operation, "") else { panic!() };
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Loss::Git(GitLoss { words: owned(words), refs: owned(refs), ..loss })
}

/// Returns `HEAD` and the references, except those of the copies.
fn refs(world: &World) -> String {
    let all = world.git(&["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]);
    let others: Vec<&str> = all.lines().filter(|line| !line.starts_with("refs/guard-host/")).collect();
    let head = fs::read_to_string(world.path(".git/HEAD")).unwrap();
    format!("{}\nHEAD {head}", others.join("\n"))
}

/// Creates a repository without reflogs, which would keep lost commits.
fn repository() -> World {
    let world = World::repository();
    world.git(&["config", "core.logAllRefUpdates", "false"]);
    fs::remove_dir_all(world.path(".git/logs")).unwrap();
    world
}

/// Creates a branch with its own commit.
fn branch(world: &World, name: &str) {
    world.git(&["checkout", "-q", "-b", name, "main"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", name]);
    world.git(&["checkout", "-q", "main"]);
}

/// Makes a copy, loses something through git, and restores it. Returns the copy.
fn undone(world: &World, lost: Loss, orders: &[&[&str]]) -> Manifest {
    let before = refs(world);
    let manifest = world.kept(vec![lost]);
    orders.iter().for_each(|order| drop(world.git(order)));
    assert_ne!(refs(world), before, "{orders:?}");
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    assert_eq!(refs(world), before, "{orders:?}");
    manifest
}

#[test]
fn references_come_back_that_a_command_moves_or_takes() {
    for (operation, named, orders) in [
        ("git.refs", &["feat"][..], &[&["checkout", "-q", "-B", "feat", "other"][..], &["checkout", "-q", "main"]][..]),
        ("git.refs", &["refs/remotes/"], &[&["update-ref", "-d", "refs/remotes/origin/topic"]]),
        ("git.refs", &["HEAD"], &[&["symbolic-ref", "HEAD", "refs/heads/feat"]]),
        ("git.refs", &["HEAD"], &[&["update-ref", "HEAD", "feat"]]),
        ("git.ref.delete", &["refs/remotes/origin/HEAD"], &[&["symbolic-ref", "-d", "refs/remotes/origin/HEAD"]]),
        ("git.refs", &["refs/"], &[&["update-ref", "-d", "refs/heads/feat"], &["tag", "-d", "v1"]]),
        ("git.notes.remove", &["refs/notes/"], &[&["notes", "remove", "HEAD"]]),
        ("git.tag.move", &["refs/tags/v1"], &[&["tag", "-f", "v1", "main"]]),
        ("git.history.rewrite", &["refs/replace/"], &[&["replace", "-d", "other"]]),
    ] {
        let world = repository();
        for name in ["feat", "other", "topic"] {
            branch(&world, name);
        }
        world.git(&["update-ref", "refs/remotes/origin/topic", "topic"]);
        world.git(&["branch", "-qD", "topic"]);
        world.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/topic"]);
        world.git(&["notes", "add", "-m", "a note"]);
        world.git(&["tag", "-am", "t", "v1", "feat"]);
        world.git(&["replace", "other", "feat"]);
        undone(&world, loss(&world, operation, &[], named), orders);
    }
}

#[test]
fn many_references_need_few_files() {
    let world = repository();
    for number in 0..40 {
        branch(&world, &format!("b{number}"));
    }
    world.git(&["tag", "-am", "t", "v1", "b3"]);
    let mut orders: Vec<Vec<String>> = (0..40).map(|number| vec![format!("b{number}")]).collect();
    orders.iter_mut().for_each(|order| order.splice(0..0, ["branch".to_owned(), "-D".to_owned()]).for_each(drop));
    orders.push(vec!["tag".to_owned(), "-d".to_owned(), "v1".to_owned()]);
    let orders: Vec<Vec<&str>> = orders.iter().map(|order| order.iter().map(String::as_str).collect()).collect();
    let orders: Vec<&[&str]> = orders.iter().map(Vec::as_slice).collect();
    undone(&world, loss(&world, "git.refs", &[], &["refs/"]), &orders);
    let pins = world.git(&["for-each-ref", "--format=%(refname)", "refs/guard-host"]);
    assert!((1..=3).contains(&pins.lines().count()), "{pins}");
    assert_eq!(world.git(&["fsck", "--no-dangling"]), "");
}

#[test]
fn a_rebased_branch_comes_back_that_was_not_checked_out() {
    let world = repository();
    branch(&world, "feat");
    world.write("a.txt", "main\n");
    world.git(&["commit", "-qam", "on main"]);
    undone(
        &world,
        loss(&world, "git.rebase", &["main", "feat"], &["refs/heads/feat"]),
        &[&["rebase", "-q", "main", "feat"]],
    );
}

#[test]
fn a_reference_that_moved_since_stays() {
    let world = World::repository();
    branch(&world, "feat");
    let manifest = world.kept(vec![loss(&world, "git.refs", &[], &["feat"])]);
    world.git(&["checkout", "-q", "-B", "feat", "main"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "work since"]);
    let before = refs(&world);
    let report = world.restore_with(&manifest, &guard_undo::restore::Options::default());
    assert_eq!((refs(&world), report.problems.len()), (before, 1));
}

#[test]
fn a_reference_that_was_created_again_stays_unless_it_is_forced() {
    for (operation, name, delete, create) in [
        ("git.branch.delete", "refs/heads/feat", ["branch", "-D", "feat"], ["branch", "feat", "main"]),
        ("git.tag.delete", "refs/tags/v1", ["tag", "-d", "v1"], ["tag", "v1", "main"]),
        ("git.ref.delete", "refs/heads/feat", ["update-ref", "-d", "refs/heads/feat"], ["branch", "feat", "main"]),
    ] {
        let world = World::repository();
        branch(&world, "feat");
        world.git(&["tag", "v1", "feat"]);
        let lost = world.git(&["rev-parse", "feat"]);
        let manifest = world.kept(vec![loss(&world, operation, &[], &[name])]);
        world.git(&delete);
        world.git(&create);
        let before = refs(&world);
        let report = world.restore_with(&manifest, &guard_undo::restore::Options::default());
        assert_eq!((refs(&world), report.problems.len()), (before, 1), "{operation}");
        let options = guard_undo::restore::Options { is_forced: true, ..Default::default() };
        let report = world.restore_with(&manifest, &options);
        assert_eq!((world.git(&["rev-parse", name]), report.problems.len()), (lost, 0), "{operation}");
    }
}

#[test]
fn ignored_files_come_back_that_another_commit_has() {
    for order in [
        &["checkout", "-q", "old"][..],
        &["switch", "-q", "--detach", "old"],
        &["merge", "-q", "-m", "m", "old"],
        &["cherry-pick", "old"],
        &["reset", "-q", "--keep", "old"],
    ] {
        let world = World::repository();
        world.git(&["checkout", "-q", "-b", "old"]);
        world.write("log/out", "of the commit\n");
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "old"]);
        world.git(&["checkout", "-q", "main"]);
        world.write(".gitignore", "log\n");
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "ignores"]);
        // Nothing conflicts, so nothing is copied.
        let switch = || loss(&world, "git.switch", &["old"], &[]);
        assert!(world.keep(vec![switch()]).is_needless, "{order:?}");
        world.write("log/out", "ignored\n");
        let (tree, before) = (world.tree(), refs(&world));
        let manifest = world.kept(vec![switch()]);
        world.git(order);
        assert_ne!(world.tree(), tree, "{order:?}");
        world.restore(&manifest);
        let content =
            |tree: crate::world::Tree| tree.into_iter().map(|(name, (_, _, text))| (name, text)).collect::<Vec<_>>();
        assert_eq!((content(world.tree()), refs(&world)), (content(tree), before), "{order:?}");
    }
}

#[test]
fn the_work_tree_of_a_submodule_comes_back() {
    let (world, other) = (World::repository(), World::repository());
    let url = other.root.display().to_string();
    world.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
    world.git(&["commit", "-qm", "a submodule"]);
    world.write("sub/a.txt", "changed\n");
    world.write("sub/new", "untracked\n");
    let config = || fs::read_to_string(world.path(".git/config")).unwrap();
    let (tree, before) = (world.tree(), config());
    let manifest = world.kept(vec![loss(&world, "git.submodule.deinit", &["sub"], &[])]);
    world.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    assert_ne!((world.tree().len(), config()), (tree.len(), before.clone()));
    world.restore(&manifest);
    assert_eq!((world.tree(), config()), (tree, before));
    assert_eq!(world.git(&["-C", "sub", "status", "--porcelain"]), "M a.txt\n?? new");
}

#[test]
fn settings_of_a_branch_and_work_trees_that_are_gone_come_back() {
    let world = World::repository();
    branch(&world, "feat");
    world.git(&["branch", "-q", "--set-upstream-to", "main", "feat"]);
    let Loss::Git(deletion) = world.git_loss("git.branch.delete", "feat") else { panic!() };
    undone(&world, Loss::Git(deletion), &[&["branch", "-qD", "feat"]]);
    assert_eq!(world.git(&["config", "branch.feat.merge"]), "refs/heads/main");

    world.git(&["worktree", "add", "-q", "--detach", "../gone"]);
    fs::remove_dir_all(world.root.with_file_name("gone")).unwrap();
    let before = world.git(&["worktree", "list"]);
    let manifest = world.kept(vec![loss(&world, "git.worktree.prune", &[], &[])]);
    world.git(&["worktree", "prune"]);
    assert_ne!(world.git(&["worktree", "list"]), before);
    world.restore(&manifest);
    assert_eq!(world.git(&["worktree", "list"]), before);
}

#[test]
fn a_stash_comes_back_that_was_popped() {
    let world = repository();
    world.write("a.txt", "staged\n");
    world.git(&["add", "."]);
    world.write("a.txt", "changed\n");
    world.git(&["stash", "-q"]);
    let (tree, stash) = (world.tree(), world.git(&["stash", "list", "--format=%H"]));
    let manifest = world.kept(vec![loss(&world, "git.stash.pop", &["refs/stash"], &[])]);
    world.git(&["stash", "pop", "-q"]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    let content = |tree: &crate::world::Tree| tree.values().map(|(_, _, text)| text.clone()).collect::<Vec<_>>();
    assert_eq!((content(&world.tree()), world.git(&["stash", "list", "--format=%H"])), (content(&tree), stash));
    assert_eq!(world.keep(vec![loss(&world, "git.refs", &[], &["absent"])]).kept, BackupCoverage::Whole);
}

#[test]
fn a_mirror_that_prunes_takes_the_references_of_undo() {
    let world = World::repository();
    let prune = || {
        let Loss::Git(loss) = world.git_loss("git.remote", "origin") else { panic!() };
        Loss::Git(GitLoss { refs: vec!["refs/remotes/".to_owned()], ..loss })
    };
    world.git(&["config", "remote.origin.fetch", "+refs/*:refs/*"]);
    assert_eq!(world.keep(vec![prune()]).kept, BackupCoverage::Partly);
    // The branches here are pruned, too.
    world.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/heads/*"]);
    world.git(&["branch", "mine"]);
    let manifest = world.kept(vec![prune()]);
    world.git(&["branch", "-D", "mine"]);
    world.restore(&manifest);
    assert!(world.git(&["branch", "--list", "mine"]).contains("mine"));
    world.git(&["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    assert_ne!(world.keep(vec![prune()]).kept, BackupCoverage::Partly);
}
