//! Losses by git commands.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use guard_undo::restore::Options;
use guard_undo::{BackupCoverage, How};

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

/// Returns the index with its objects, which git can only show while they exist.
fn index(world: &World) -> String {
    let listed = world.git(&["ls-files", "--stage"]);
    let oids = listed.lines().filter_map(|line| line.split(' ').nth(1));
    let contents: Vec<String> = oids.map(|oid| world.git(&["cat-file", "blob", oid])).collect();
    format!("{listed}\n{}\n{contents:?}", world.git(&["status", "--porcelain"]))
}

#[test]
fn an_aborted_merge_comes_back_with_all_sides_of_its_conflicts() {
    let world = World::repository();
    // A reflog would keep the commit of the other side.
    world.git(&["config", "core.logAllRefUpdates", "false"]);
    fs::remove_dir_all(world.path(".git/logs")).unwrap();
    world.git(&["checkout", "-qb", "topic"]);
    world.write("a.txt", "of the topic\n");
    world.git(&["commit", "-qam", "topic"]);
    world.git(&["checkout", "-q", "main"]);
    world.write("a.txt", "of main\n");
    world.git(&["commit", "-qam", "main"]);
    // It exits with 1, because of the conflict.
    world.git(&["config", "alias.try", "!git merge -q topic || true"]);
    world.git(&["try"]);
    world.write("src/b.txt", "staged\n");
    world.git(&["add", "src/b.txt"]);
    world.write("a.txt", "half of it is resolved\n");
    let (before, content) = (index(&world), fs::read(world.path("a.txt")).unwrap());
    assert!(before.contains("UU a.txt"), "{before}");
    let manifest = world.kept(vec![world.git_loss("git.abort", "")]);
    world.git(&["merge", "--abort"]);
    world.git(&["branch", "-qD", "topic"]);
    world.git(&["gc", "-q", "--prune=now"]);
    assert_ne!(index(&world), before);
    world.restore(&manifest);
    assert_eq!((index(&world), fs::read(world.path("a.txt")).unwrap()), (before, content));
}

#[test]
fn many_staged_files_come_back_with_their_objects() {
    for count in [3, 40] {
        let world = World::repository();
        for number in 0..count {
            world.write(&format!("new/{number}"), &format!("{count} {number}\n"));
        }
        world.git(&["add", "."]);
        let before = index(&world);
        let manifest = world.kept(vec![world.git_loss("git.reset.hard", "")]);
        world.git(&["reset", "-q", "--hard"]);
        world.git(&["gc", "-q", "--prune=now"]);
        world.restore(&manifest);
        assert_eq!(index(&world), before, "{count}");
    }
}

#[test]
fn staged_files_come_back_before_the_first_commit() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.write("a.txt", "staged\n");
    world.git(&["add", "."]);
    world.write("a.txt", "changed\n");
    let before = index(&world);
    let manifest = world.kept(vec![world.git_loss("git.reset.hard", "")]);
    world.git(&["reset", "-q", "--hard"]);
    world.git(&["gc", "-q", "--prune=now"]);
    world.restore(&manifest);
    assert_eq!((index(&world), fs::read_to_string(world.path("a.txt")).unwrap()), (before, "changed\n".to_owned()));
}

#[test]
fn a_link_in_the_place_of_a_folder_is_kept_and_not_followed() {
    let world = World::repository();
    fs::create_dir(world.path("elsewhere")).unwrap();
    fs::rename(world.path("src/b.txt"), world.path("elsewhere/b.txt")).unwrap();
    fs::remove_dir(world.path("src")).unwrap();
    std::os::unix::fs::symlink("elsewhere", world.path("src")).unwrap();
    let answer = world.keep(vec![world.git_loss("git.discard", ".")]);
    let manifest = world.manifest(&answer.id);
    // If the folder exists again, the link can't be restored.
    assert_eq!(answer.kept, BackupCoverage::Partly);
    let paths: Vec<&str> = manifest.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths, [world.path("src").to_str().unwrap()]);
    world.git(&["checkout", "-q", "."]);
    assert!(!world.path("src").is_symlink());
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

#[test]
fn files_that_a_filter_changes_are_copied() {
    let world = World::repository();
    let letters = "tr a-z b-za";
    world.git(&["config", "filter.shift.clean", letters]);
    world.git(&["config", "filter.shift.smudge", "tr b-za a-z"]);
    world.write(".gitattributes", "many/*.x filter=shift\n");
    for number in 0..100 {
        world.write(&format!("many/{number}.x"), &format!("abc {number}\n"));
    }
    std::thread::sleep(Duration::from_millis(30));
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "many"]);
    assert_eq!(world.git(&["show", ":many/1.x"]), "bcd 1");
    let before = world.tree();
    let manifest = world.kept(vec![world.loss("many", How::Delete)]);
    fs::remove_dir_all(world.path("many")).unwrap();
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
}
