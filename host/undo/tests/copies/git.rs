//! What commands of git lose.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use guard_undo::How;
use guard_undo::restore::Options;

use crate::world::{Tree, World};

#[test]
fn a_hard_reset_comes_back_with_what_was_staged() {
    let world = World::repository();
    world.write("a.txt", "changed\n");
    world.write("src/b.txt", "staged\n");
    world.write("new.txt", "new\n");
    world.git(&["add", "src/b.txt", "new.txt"]);
    let (before, status) = (world.tree(), world.git(&["status", "--porcelain"]));
    let manifest = world.kept(vec![world.git_loss("git.reset.hard", "")]);
    world.git(&["reset", "-q", "--hard"]);
    assert_ne!(world.tree(), before);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    assert_eq!((world.tree(), world.git(&["status", "--porcelain"])), (before, status));
}

#[test]
fn a_hard_reset_to_another_commit_comes_back_with_the_branch() {
    let world = World::repository();
    let first = world.git(&["rev-parse", "HEAD"]);
    world.write("a.txt", "second\n");
    world.git(&["commit", "-qam", "second"]);
    let second = world.git(&["rev-parse", "HEAD"]);
    world.write("src/b.txt", "changed\n");
    let content =
        |world: &World| -> Vec<Vec<u8>> { world.tree().into_values().map(|(_, _, content)| content).collect() };
    let before = content(&world);
    let manifest = world.kept(vec![world.git_loss("git.reset.hard", &first)]);
    world.git(&["reset", "-q", "--hard", &first]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    assert_eq!((content(&world), world.git(&["rev-parse", "main"])), (before, second));
}

#[test]
fn discarded_changes_come_back() {
    let world = World::repository();
    world.write("a.txt", "changed\n");
    world.write("src/b.txt", "changed\n");
    let before = world.tree();
    let manifest = world.kept(vec![world.git_loss("git.discard", ".")]);
    world.git(&["checkout", "-q", "."]);
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
    let manifest = world.kept(vec![world.git_loss("git.discard", "src")]);
    assert_eq!(manifest.entries.len(), 1);
    world.git(&["restore", "src"]);
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
}

#[test]
fn cleaned_files_come_back() {
    let world = World::repository();
    world.write(".gitignore", "*.o\n");
    world.git(&["add", ".gitignore"]);
    world.write("notes/one", "1");
    world.write("src/two", "2");
    world.write("src/x.o", "o");
    let before = world.tree();
    let manifest = world.kept(vec![world.git_loss("git.clean", "")]);
    world.git(&["clean", "-qfd"]);
    assert!(!world.path("notes").exists() && world.path("src/x.o").exists());
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
}

#[test]
fn dropped_stashes_come_back_in_their_order() {
    let world = World::repository();
    for text in ["x\n", "y\n", "z\n"] {
        world.write("a.txt", text);
        world.git(&["stash", "-q"]);
    }
    let before = world.git(&["stash", "list", "--format=%H %gs"]);
    let manifest = world.kept(vec![world.git_loss("git.stash.drop", "")]);
    world.git(&["stash", "clear"]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    assert_eq!(world.git(&["stash", "list", "--format=%H %gs"]), before);
}

#[test]
fn deleted_branches_and_tags_come_back_and_nothing_else_is_shown() {
    let world = World::repository();
    world.git(&["checkout", "-qb", "feature"]);
    world.write("f", "f");
    world.git(&["add", "f"]);
    world.git(&["commit", "-qm", "on feature"]);
    world.git(&["tag", "-am", "t", "v1"]);
    world.git(&["checkout", "-q", "main"]);
    let (branch, tag) = (world.git(&["rev-parse", "feature"]), world.git(&["rev-parse", "v1"]));
    let list = vec![world.git_loss("git.branch.delete", "feature"), world.git_loss("git.tag.delete", "v1")];
    let manifest = world.kept(list);
    assert!(!world.git(&["branch", "-a"]).contains("guard"));
    assert!(!world.git(&["log", "--oneline"]).contains("feature"));
    world.git(&["branch", "-qD", "feature"]);
    world.git(&["tag", "-d", "v1"]);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    assert_eq!((world.git(&["rev-parse", "feature"]), world.git(&["rev-parse", "v1"])), (branch, tag));
    assert_eq!(world.store().clear(&world.env).unwrap(), 1);
    assert_eq!(world.git(&["for-each-ref", "refs/guard-host"]), "");
}

#[test]
fn an_amended_commit_and_a_rebase_come_back() {
    let world = World::repository();
    let first = world.git(&["rev-parse", "HEAD"]);
    world.write("a.txt", "more\n");
    world.git(&["add", "."]);
    let (tree, status) = (world.tree(), world.git(&["status", "--porcelain"]));
    let manifest = world.kept(vec![world.git_loss("git.amend", "")]);
    world.git(&["commit", "-q", "--amend", "-m", "other"]);
    world.restore(&manifest);
    assert_eq!((world.git(&["rev-parse", "HEAD"]), world.git(&["status", "--porcelain"])), (first, status));
    assert_eq!(world.tree(), tree);

    world.git(&["commit", "-qam", "second"]);
    world.git(&["checkout", "-qb", "topic", "HEAD~1"]);
    world.write("t", "t");
    world.git(&["add", "t"]);
    world.git(&["commit", "-qm", "topic"]);
    let topic = world.git(&["rev-parse", "HEAD"]);
    let manifest = world.kept(vec![world.git_loss("git.rebase", "main")]);
    world.git(&["rebase", "-q", "main"]);
    assert_ne!(world.git(&["rev-parse", "HEAD"]), topic);
    world.restore(&manifest);
    assert_eq!((world.git(&["rev-parse", "HEAD"]), world.git(&["status", "--porcelain"])), (topic, String::new()));
}

#[test]
fn commits_that_were_made_since_are_kept() {
    let world = World::repository();
    world.write("a.txt", "more\n");
    let manifest = world.kept(vec![world.git_loss("git.amend", "")]);
    world.git(&["commit", "-qa", "--amend", "-m", "other"]);
    world.write("a.txt", "work\n");
    world.git(&["commit", "-qam", "work since"]);
    let head = world.git(&["rev-parse", "HEAD"]);
    let report = world.restore_with(&manifest, &Options::default());
    assert_eq!((world.git(&["rev-parse", "HEAD"]), report.problems.len()), (head, 1));
    world.restore_with(&manifest, &Options { is_forced: true, ..Options::default() });
    assert_eq!(world.git(&["rev-parse", "HEAD"]), manifest.git[0].head);
}

#[test]
fn files_that_git_holds_are_not_copied() {
    let world = World::repository();
    for number in 0..100 {
        world.write(&format!("many/{number}"), &format!("{number}\n"));
    }
    std::thread::sleep(Duration::from_millis(30));
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "many"]);
    world.write("many/7", "changed\n");
    world.write("many/untracked", "u");
    let before = world.tree();
    let manifest = world.kept(vec![world.loss("many", How::Delete)]);
    let copies = manifest.entries.iter().filter(|entry| matches!(entry.content, guard_undo::Content::Copy(_))).count();
    assert_eq!(copies, 2);
    world.git(&["rm", "-rqf", "many"]);
    let _ = fs::remove_dir_all(world.path("many"));
    world.git(&["commit", "-qm", "gone"]);
    world.restore(&manifest);
    let plain = |tree: Tree| -> BTreeMap<String, (u32, Vec<u8>)> {
        tree.into_iter().map(|(name, (mode, _, content))| (name, (mode, content))).collect()
    };
    assert_eq!(plain(world.tree()), plain(before));
}

#[test]
fn a_repository_comes_back_with_its_objects() {
    let world = World::repository();
    let head = world.git(&["rev-parse", "HEAD"]);
    let manifest = world.kept(vec![world.loss(".git", How::Delete)]);
    fs::remove_dir_all(world.path(".git")).unwrap();
    world.restore(&manifest);
    assert_eq!((world.git(&["rev-parse", "HEAD"]), world.git(&["status", "--porcelain"])), (head, String::new()));
}
