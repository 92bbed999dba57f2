//! Losses for which a copy must not promise more than it contains.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use guard_undo::restore::Options;
use guard_undo::{BackupCoverage, GitLoss, How, Loss, Manifest, PathLoss};

use crate::world::World;

/// Returns the coverage of a copy, and the names of the copied files, below the project.
fn kept(world: &World, loss: Loss) -> (BackupCoverage, Vec<String>) {
    let answer = world.keep(vec![loss]);
    let names = |manifest: Manifest| -> Vec<String> {
        let root = world.root.to_str().unwrap();
        let entries = manifest.entries.into_iter().map(|entry| entry.path);
        entries.map(|path| path.strip_prefix(root).unwrap_or(&path).trim_start_matches('/').to_owned()).collect()
    };
    let kept = if answer.kept == BackupCoverage::Whole { BackupCoverage::Whole } else { BackupCoverage::Partly };
    (kept, if answer.id.is_empty() { Vec::new() } else { names(world.manifest(&answer.id)) })
}

fn deletion(world: &World, name: &str, is_pattern: bool) -> Loss {
    let path = format!("{}/{name}", world.root.display());
    Loss::Path(PathLoss { path, how: How::Delete, is_pattern, name: String::new() })
}

fn git(world: &World, operation: &str, words: &str) -> GitLoss {
    let Loss::Git(loss) = world.git_loss(operation, words.split(' ').next().unwrap_or_default()) else { panic!() };
    let words = words.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    GitLoss { words, ..loss }
}

#[test]
fn only_proven_absence_is_no_loss() {
    let world = World::new();
    world.write("f", "f");
    for name in ["absent", "absent/below", "f/below"] {
        assert_eq!(kept(&world, deletion(&world, name, false)).0, BackupCoverage::Whole, "{name}");
    }
    assert_eq!(kept(&world, deletion(&world, "q\u{fffd}", false)).0, BackupCoverage::Partly);
    // Another user may have access where this one doesn't.
    world.write("closed/secret", "x");
    fs::set_permissions(world.path("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(world.path("closed")).is_ok();
    let found = kept(&world, deletion(&world, "closed/secret", false)).0;
    let by_pattern = kept(&world, deletion(&world, "closed/*", true)).0;
    fs::set_permissions(world.path("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(
        is_root || (found, by_pattern) == (BackupCoverage::Partly, BackupCoverage::Partly),
        "{found:?} {by_pattern:?}"
    );
}

#[test]
fn patterns_that_shells_take_in_another_way_are_not_followed() {
    let world = World::new();
    world.write("d/a.tmp", "a");
    world.write("d/e/b.tmp", "b");
    for name in ["d/**/*.tmp", "d/[[:alpha:]].tmp", "d/[^b].tmp", "d/{a,b}.tmp", "**"] {
        assert_eq!(kept(&world, deletion(&world, name, true)).0, BackupCoverage::Partly, "{name}");
    }
    for name in ["d/*.tmp", "d/?.tmp", "d/[a-c].tmp", "*/a.tmp"] {
        assert_eq!(
            kept(&world, deletion(&world, name, true)),
            (BackupCoverage::Whole, vec!["d/a.tmp".to_owned()]),
            "{name}"
        );
    }
    // Without a matching file, the shell uses the pattern as a name.
    world.write("[x]y", "named so");
    assert_eq!(kept(&world, deletion(&world, "[x]y", true)), (BackupCoverage::Whole, vec!["[x]y".to_owned()]));
}

#[test]
fn a_step_to_the_folder_above_is_taken_behind_a_link() {
    let world = World::new();
    world.write("far/a.tmp", "a");
    fs::create_dir(world.path("far/in")).unwrap();
    symlink("far/in", world.path("l")).unwrap();
    assert_eq!(
        kept(&world, deletion(&world, "l/../a.tmp", false)),
        (BackupCoverage::Whole, vec!["far/a.tmp".to_owned()])
    );
    assert_eq!(kept(&world, deletion(&world, "l/..", false)).0, BackupCoverage::Partly);
    assert_eq!(kept(&world, deletion(&world, "l", false)).1, ["l"]);
    world.write("far/in/x", "x");
    assert_eq!(kept(&world, deletion(&world, "l/", false)).1, ["l", "far/in", "far/in/x"]);
    let Loss::Path(mut loss) = deletion(&world, "l", false) else { panic!() };
    "*.tmp".clone_into(&mut loss.name);
    assert_eq!(kept(&world, Loss::Path(loss)).0, BackupCoverage::Partly);
}

#[test]
fn a_loss_that_takes_the_copies_is_not_kept() {
    let world = World::new();
    fs::create_dir_all(world.state.join("undo")).unwrap();
    let base = world.root.parent().unwrap().to_path_buf();
    let loss = |path: String, name: &str, is_pattern: bool| {
        Loss::Path(PathLoss { path, how: How::Delete, is_pattern, name: name.to_owned() })
    };
    let at = |name: &str| format!("{}/{name}", base.display());
    for (path, name, is_pattern) in [
        (at("state"), "", false),
        (at("state/undo/1"), "", false),
        (at("state/x/../undo"), "", false),
        (base.display().to_string(), "undo", false),
        (at("st*"), "", true),
        (at("*/undo"), "", true),
        (at("state/*"), "", true),
    ] {
        assert_ne!(world.keep(vec![loss(path.clone(), name, is_pattern)]).kept, BackupCoverage::Whole, "{path} {name}");
    }
    world.write("a.log", "a");
    assert_eq!(world.keep(vec![loss(at("project/*.log"), "", true)]).kept, BackupCoverage::Whole);
    assert_eq!(world.keep(vec![loss(at("*.log"), "", true)]).kept, BackupCoverage::Whole);
}

#[test]
fn files_in_the_way_of_another_commit_are_kept() {
    let world = World::repository();
    world.write("conf.env", "old\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "with conf.env"]);
    world.git(&["branch", "old"]);
    world.git(&["rm", "-q", "--cached", "conf.env"]);
    world.write(".gitignore", "*.env\n");
    world.git(&["add", ".gitignore"]);
    world.git(&["commit", "-qm", "without"]);
    world.write("conf.env", "a secret\n");
    for (operation, words, is_forced) in [
        ("git.reset.hard", "HEAD~1", false),
        ("git.discard", "old", true),
        ("git.discard", ". old", false),
        ("git.discard", "conf.env old", false),
    ] {
        let loss = GitLoss { is_forced, ..git(&world, operation, words) };
        let (kept, names) = kept(&world, Loss::Git(loss));
        // If the branch doesn't move, the files of its commit aren't restored with it.
        let wanted: &[&str] = if words.contains(' ') { &[".gitignore", "conf.env"] } else { &["conf.env"] };
        assert!(kept == BackupCoverage::Whole && names == wanted, "{operation} {words}: {kept:?} {names:?}");
    }
    let before = world.tree();
    let manifest = world.kept(vec![Loss::Git(git(&world, "git.discard", ". old"))]);
    world.git(&["restore", "--source=old", "--staged", "--worktree", "."]);
    assert!(!world.path(".gitignore").exists());
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
    let manifest = world.kept(vec![Loss::Git(git(&world, "git.reset.hard", "old"))]);
    world.git(&["reset", "-q", "--hard", "old"]);
    world.restore(&manifest);
    assert_eq!(fs::read_to_string(world.path("conf.env")).unwrap(), "a secret\n");
    // A name that is neither a commit nor a path isn't understood.
    assert_eq!(kept(&world, Loss::Git(git(&world, "git.reset.hard", "nowhere"))).0, BackupCoverage::Partly);
}

#[test]
fn a_folder_in_the_place_of_a_file_has_no_place_afterwards() {
    let world = World::repository();
    fs::remove_file(world.path("a.txt")).unwrap();
    world.write("a.txt/u1", "untracked");
    world.write("a.txt/d/u2", "untracked");
    for (operation, words) in [("git.reset.hard", ""), ("git.discard", "."), ("git.discard", "a.txt")] {
        let (kept, names) = kept(&world, Loss::Git(git(&world, operation, words)));
        assert!(
            kept == BackupCoverage::Partly && names.contains(&"a.txt/d/u2".to_owned()),
            "{operation}: {kept:?} {names:?}"
        );
    }
}

#[test]
fn a_link_that_git_replaces_is_kept_itself() {
    let world = World::repository();
    symlink("a.txt", world.path("lnk")).unwrap();
    world.git(&["add", "lnk"]);
    world.git(&["commit", "-qm", "a link"]);
    fs::remove_file(world.path("lnk")).unwrap();
    symlink("src/b.txt", world.path("lnk")).unwrap();
    let manifest = world.kept(vec![Loss::Git(git(&world, "git.discard", "lnk"))]);
    world.git(&["checkout", "-q", "--", "lnk"]);
    world.restore(&manifest);
    assert_eq!(fs::read_link(world.path("lnk")).unwrap().to_str(), Some("src/b.txt"));
}

#[test]
fn the_paths_of_a_clean_may_be_patterns_of_git() {
    let world = World::repository();
    for name in ["u1.txt", "d/u2.txt", "sub/keep"] {
        world.write(name, name);
    }
    for words in [":/", ":(top)", "*.txt", ":(glob)**/*.txt", ":!d", ":(icase)U1.TXT", "d*", "d u1.txt", "absent d"] {
        let (kept, names) = kept(&world, Loss::Git(git(&world, "git.clean", words)));
        let has = |name: &str| names.iter().any(|other| other == name);
        let wanted =
            if words == "d u1.txt" { ["d/u2.txt", "u1.txt", "u1.txt"] } else { ["u1.txt", "d/u2.txt", "sub/keep"] };
        assert!(kept == BackupCoverage::Whole && wanted.iter().all(|name| has(name)), "{words}: {kept:?} {names:?}");
    }
    assert_eq!(kept(&world, Loss::Git(git(&world, "git.clean", "d"))).1, ["d/u2.txt"]);
    // A folder that is a repository is deleted with it.
    world.git(&["init", "-q", "d"]);
    let named = GitLoss { is_forced: true, ..git(&world, "git.clean", "d") };
    assert!(kept(&world, Loss::Git(named)).1.contains(&"d/.git/HEAD".to_owned()));
}

#[test]
fn a_clean_that_is_forced_twice_takes_repositories() {
    let world = World::repository();
    world.write("nest/f", "f");
    world.git(&["init", "-q", "nest"]);
    // Not a repository, so a single `--force` deletes it.
    world.write("no/.git/x", "x");
    let clean = |is_forced: bool| Loss::Git(GitLoss { is_forced, ..git(&world, "git.clean", "") });
    let has = |names: &[String], name: &str| names.iter().any(|other| other == name);
    let (once, names) = kept(&world, clean(false));
    assert!(once == BackupCoverage::Whole && !has(&names, "nest/f") && has(&names, "no/.git/x"), "{names:?}");
    let before = world.tree();
    let manifest = world.kept(vec![clean(true)]);
    world.git(&["clean", "-qffd"]);
    assert!(!world.path("nest").exists());
    world.restore(&manifest);
    assert_eq!(world.tree(), before);
    assert_eq!(world.git(&["-C", "nest", "status", "--porcelain"]), "?? f");
}

#[test]
fn another_repository_is_not_followed() {
    let world = World::repository();
    world.git(&["branch", "feat"]);
    world.git(&["clone", "-q", "--bare", ".", "vendor.git"]);
    let in_folder = |folder: &str| {
        let folder = world.path(folder).display().to_string();
        Loss::Git(GitLoss { folder, ..git(&world, "git.branch.delete", "feat") })
    };
    assert_eq!(kept(&world, in_folder("")).0, BackupCoverage::Whole);
    assert_eq!(kept(&world, in_folder("vendor.git")).0, BackupCoverage::Partly);
    assert_eq!(kept(&world, in_folder(".git")).0, BackupCoverage::Partly);
    assert_eq!(kept(&world, in_folder("../nowhere")).0, BackupCoverage::Partly);
    world.git(&["config", "core.worktree", "/elsewhere"]);
    assert_eq!(kept(&world, in_folder("")).0, BackupCoverage::Partly);
}

#[test]
fn names_that_stand_for_no_reference_are_not_kept() {
    let world = World::repository();
    for name in ["{}", "@{-1}", "feat", "-"] {
        assert_eq!(kept(&world, Loss::Git(git(&world, "git.branch.delete", name))).0, BackupCoverage::Partly, "{name}");
    }
    world.write("wt/x", "x");
    assert_eq!(kept(&world, Loss::Git(git(&world, "git.worktree.remove", "wt"))).0, BackupCoverage::Partly);
}

#[test]
fn submodules_are_not_kept() {
    let world = World::repository();
    world.write(".gitmodules", "");
    assert_eq!(kept(&world, Loss::Git(git(&world, "git.reset.hard", ""))).0, BackupCoverage::Partly);
}

#[test]
fn more_stashes_than_are_kept_are_said() {
    let world = World::repository();
    world.write("a.txt", "changed\n");
    let oid = world.git(&["stash", "create"]);
    for number in 0..65 {
        world.git(&["stash", "store", "-m", &format!("{number}"), &oid]);
        let other = world.git(&["commit-tree", "-m", &format!("{number}"), "-p", "HEAD", "HEAD^{tree}"]);
        world.git(&["update-ref", "--create-reflog", "-m", "x", "refs/stash", &other]);
    }
    assert_eq!(kept(&world, Loss::Git(git(&world, "git.stash.drop", ""))).0, BackupCoverage::Partly);
}

#[test]
fn an_excluded_folder_and_a_staged_file_are_not_kept() {
    let world = World::repository();
    world.write("private/data", "x");
    world.write(".env", "KEY=1\n");
    world.write("new.txt", "n\n");
    world.git(&["add", ".env", "new.txt"]);
    let oid = world.git(&["rev-parse", ":.env"]);
    let keep = |loss: Loss, pattern: &str| {
        let task = guard_undo::backup::Task { exclude: vec![pattern.to_owned()], ..world.task(vec![loss]) };
        let answer = guard_undo::backup::make(&task, std::time::Instant::now(), &world.env);
        (answer.kept, world.store().list().unwrap().into_iter().find(|manifest| manifest.id == answer.id))
    };
    for pattern in ["private", "priv*"] {
        let (kept, manifest) = keep(deletion(&world, "private", false), pattern);
        let is_lost = |manifest: &Manifest| manifest.lost.iter().any(|lost| lost.path.ends_with("/private"));
        let is_record = manifest.is_some_and(|manifest| manifest.entries.is_empty() && is_lost(&manifest));
        assert!(kept == BackupCoverage::Nothing && is_record, "{pattern}: {kept:?}");
    }
    let (kept, _) = keep(deletion(&world, "private/data", false), "private");
    assert_eq!(kept, BackupCoverage::Nothing);
    let (kept, manifest) = keep(Loss::Git(git(&world, "git.reset.hard", "")), ".env");
    assert_eq!(kept, BackupCoverage::Partly);
    assert!(manifest.unwrap().entries.iter().all(|entry| !entry.path.ends_with(".env")));
    let pins = world.git(&["for-each-ref", "--format=%(objectname)", "refs/guard-host"]);
    let held = |pin: &str| world.git(&["rev-list", "--objects", pin]).contains(&oid);
    assert!(
        !pins.contains(&oid) && !pins.lines().any(|pin| world.git(&["cat-file", "-t", pin]) != "blob" && held(pin))
    );
}

#[test]
fn restore_continues_past_a_blocked_path() {
    let world = World::new();
    for name in ["a/1", "b", "c/d/e"] {
        world.write(name, name);
    }
    let manifest = world.kept(["a", "b", "c/d"].map(|name| world.loss(name, How::Delete)).to_vec());
    let outside = tempfile::tempdir().unwrap();
    for name in ["a", "c"] {
        fs::remove_dir_all(world.path(name)).unwrap();
    }
    fs::remove_file(world.path("b")).unwrap();
    // No folder is created behind the link either.
    symlink(outside.path().join("new"), world.path("c")).unwrap();
    let report = world.restore_with(&manifest, &Options::default());
    assert_eq!((report.problems.len(), report.restored.len()), (1, 2), "{report:?}");
    assert!(world.path("a/1").exists() && world.path("b").exists());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    // A link in another folder isn't followed either.
    let to = tempfile::tempdir().unwrap();
    symlink(outside.path(), to.path().join("a")).unwrap();
    let report = world.restore_with(&manifest, &Options { to: Some(to.path().to_path_buf()), ..Options::default() });
    assert!(report.restored.len() == 2 && to.path().join("b").exists(), "{report:?}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_copy_that_was_changed_is_not_restored() {
    let world = World::new();
    world.write("f", "mine");
    world.write("g", "g");
    let manifest = world.kept(vec![world.loss("f", How::Delete), world.loss("g", How::Delete)]);
    fs::write(world.store().copy(&manifest, 0), "evil").unwrap();
    fs::remove_file(world.path("f")).unwrap();
    fs::remove_file(world.path("g")).unwrap();
    let report = world.restore_with(&manifest, &Options::default());
    assert!(!world.path("f").exists() && world.path("g").exists(), "{report:?}");
    assert_eq!(report.problems.len(), 1, "{report:?}");
}

#[test]
fn no_file_comes_back_that_runs_as_its_owner() {
    let world = World::new();
    world.write("tool", "x");
    fs::set_permissions(world.path("tool"), fs::Permissions::from_mode(0o4755)).unwrap();
    let answer = world.keep(vec![world.loss("tool", How::Delete)]);
    assert_eq!(answer.kept, BackupCoverage::Partly);
    fs::remove_file(world.path("tool")).unwrap();
    let manifest = world.manifest(&answer.id);
    world.restore(&manifest);
    assert_eq!(world.path("tool").metadata().unwrap().permissions().mode() & 0o7777, 0o755);
    assert_eq!(world.restore(&manifest).restored, [""; 0]);
}

#[test]
fn branches_come_back_that_another_one_was_copied_over() {
    for order in [
        &["branch", "-C", "other", "feat"][..],
        &["branch", "-M", "other", "feat"],
        &["fetch", "-q", ".", "+other:feat"],
    ] {
        let world = World::repository();
        for name in ["feat", "other"] {
            world.git(&["checkout", "-q", "-b", name, "main"]);
            world.git(&["commit", "-q", "--allow-empty", "-m", name]);
        }
        world.git(&["checkout", "-q", "main"]);
        let refs = || world.git(&["for-each-ref", "refs/heads"]);
        let before = refs();
        let refs_of = ["other", "feat"].map(str::to_owned).to_vec();
        let lost = GitLoss { refs: refs_of, ..git(&world, "git.branch.move", "feat") };
        let manifest = world.kept(vec![Loss::Git(lost)]);
        world.git(order);
        assert_ne!(refs(), before, "{order:?}");
        world.restore(&manifest);
        assert_eq!(refs(), before, "{order:?}");
    }
    let world = World::repository();
    let renamed =
        GitLoss { words: vec!["main".to_owned(), "feat".to_owned()], ..git(&world, "git.branch.move", "feat") };
    world.git(&["branch", "feat"]);
    assert_eq!(kept(&world, Loss::Git(renamed)).0, BackupCoverage::Partly);
}

#[test]
fn a_branch_comes_back_in_a_repository_with_longer_ids() {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
    world.git(&["config", "user.email", "t@example.org"]);
    world.git(&["config", "user.name", "t"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    world.git(&["branch", "feat"]);
    let before = world.git(&["rev-parse", "feat"]);
    let manifest = world.kept(vec![Loss::Git(git(&world, "git.branch.delete", "feat"))]);
    world.git(&["branch", "-qD", "feat"]);
    world.restore(&manifest);
    assert_eq!(world.git(&["rev-parse", "feat"]), before);
}
