//! Kinds of loss: the hook judges a command, the command runs in a temporary repository, and `undo` restores everything
//! byte for byte.

use serde_json::json;

use super::{Repo, State};
use crate::support::world::ProcessOutput;

/// Prepares the repository before each command.
fn prepare(repo: &Repo) {
    for (name, text) in [
        ("notes.txt", "notes"),
        ("one.log", "1"),
        ("two.log", "2"),
        ("build/in/x.tmp", "x"),
        ("build/y.tmp", "y"),
        ("build/keep", "k"),
        ("a", "a"),
        ("b", "b"),
        ("tree/f", "f"),
        ("tree/g", "g"),
        ("other/f", "another f"),
        ("script.sh", "#!/bin/sh\nrm -f notes.txt\n"),
        ("clear.py", "open('notes.txt', 'w').close()\n"),
    ] {
        repo.write(name, text);
    }
    std::fs::create_dir_all(repo.path("build/empty")).unwrap();
    std::fs::create_dir_all(repo.path("hollow")).unwrap();
    repo.set_mode("build/keep", 0o640);
    repo.set_mode("build/empty", 0o711);
    repo.set_mode("b", 0o755);
    std::os::unix::fs::symlink("keep", repo.path("build/link")).unwrap();
    std::os::unix::fs::symlink("/nowhere", repo.path("build/dangling")).unwrap();
    repo.write("{a,b}/x", "x");
    repo.write("behind/x", "x");
    std::fs::create_dir_all(repo.path("links")).unwrap();
    std::os::unix::fs::symlink("../behind", repo.path("links/to")).unwrap();
    repo.program("tar", &["-cf", "tree.tar", "tree"]);
    repo.program("sqlite3", &["app.db", "CREATE TABLE users (id); INSERT INTO users VALUES (1);"]);
    repo.write("tree/f", "f since");
}

/// Runs the hook for a command, runs the command, and undoes its effects.
fn lose_and_undo(repo: &Repo, command: &str, before: &State) -> Result<(), String> {
    let asked = repo.bash(command);
    if asked.decision() == "deny" {
        return Err(format!("it is denied: {asked:?}"));
    }
    repo.shell(command);
    let lost = repo.state();
    if lost == *before {
        return Err("it loses nothing".to_owned());
    }
    let undone = repo.world.run(&["undo", "--yes"], "");
    if undone.exit != 0 {
        return Err(format!("{asked:?}\n{undone:?}"));
    }
    let now = repo.state();
    // Files that a command creates aren't removed.
    let differs = before.differences(&now);
    if differs.is_empty() { Ok(()) } else { Err(format!("{differs:?}\n{asked:?}\n{undone:?}")) }
}

fn check_all(commands: &[&str], prepare: impl Fn(&Repo)) {
    let mut complaints = Vec::new();
    for command in commands {
        let repo = Repo::new();
        prepare(&repo);
        let before = repo.state();
        if let Err(why) = lose_and_undo(&repo, command, &before) {
            complaints.push(format!("{command}: {why}"));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n\n"));
}

#[test]
fn files_that_commands_destroy_come_back() {
    let commands = [
        "rm notes.txt",
        "rm -rf build",
        "rm -r build/in tree",
        "rm *.log",
        "unlink notes.txt",
        "rmdir hollow",
        "cd build && rm -rf in",
        "mv a b",
        "cp a b",
        "cp tree/f b",
        "install -m 600 a b",
        "ln -sf a b",
        "echo more > notes.txt",
        ": > notes.txt",
        "cat a | tee b",
        "sed -i s/notes/none/ notes.txt",
        "truncate -s 0 notes.txt",
        "dd if=/dev/zero of=notes.txt bs=1 count=3",
        "find build -name '*.tmp' -delete",
        "find build -name '*.tmp' -exec rm {} +",
        "find build -type f -delete",
        "tar -xf tree.tar",
        "cp -r other/. tree",
        "git rm -qrf --ignore-unmatch tracked src && rm a",
        "sqlite3 app.db 'DROP TABLE users'",
        "sh script.sh",
        "bash -c 'rm -rf build; rm a'",
        "sh -c 'rm -rf {a,b}'",
        "rm -rf links/t*/",
    ];
    check_all(&commands, prepare);
}

#[test]
fn what_commands_delete_and_create_again_comes_back() {
    let commands = [
        "rm notes.txt; cp a notes.txt",
        "rm notes.txt; ln -s a notes.txt",
        "rm notes.txt && mkdir -p notes.txt/in && touch notes.txt/in/x",
        "rm -rf build; echo > build",
        "rm -rf build; ln -s tree build",
        "rm -rf build; cp -r tree build",
        "rm -rf tree; tar -xf tree.tar",
        "rm tracked; git restore tracked",
        "rm -rf src; git checkout -q -- src",
    ];
    check_all(&commands, |repo| {
        prepare(repo);
        repo.write("tracked", "changed");
        repo.write("src/lib.rs", "changed");
    });
}

#[test]
fn files_that_inline_scripts_destroy_come_back() {
    let commands = [
        "python3 -c \"import shutil; shutil.rmtree('build')\"",
        "python3 -c \"open('notes.txt', 'w').write('x')\"",
        "python3 -c \"import os; os.remove('a')\"",
        "perl -pi -e s/notes/none/ notes.txt",
        "python3 -c \"import tempfile, shutil; t = tempfile.TemporaryDirectory(dir='.'); shutil.move('notes.txt', t.name)\"",
        "python3 -c \"import shutil; shutil.make_archive('tree', 'tar', 'other')\"",
    ];
    check_all(&commands, prepare);
}

/// Two branches, a tag, two stashes, staged changes, and unstaged ones.
fn prepare_git(repo: &Repo) {
    repo.git(&["checkout", "-qb", "feature"]);
    repo.write("feature.txt", "feature");
    repo.git(&["add", "feature.txt"]);
    repo.git(&["commit", "-qm", "feature"]);
    repo.git(&["tag", "v1"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("tracked", "second");
    repo.git(&["commit", "-qam", "second"]);
    for text in ["stash one", "stash two"] {
        repo.write("src/lib.rs", text);
        repo.git(&["stash", "-q"]);
    }
}

fn prepare_changes(repo: &Repo) {
    prepare_git(repo);
    repo.write("src/lib.rs", "changed");
    repo.set_mode("src/lib.rs", 0o600);
    repo.write("staged.txt", "staged");
    repo.git(&["add", "staged.txt"]);
    repo.write("untracked/file", "untracked");
}

#[test]
fn changes_that_git_discards_come_back() {
    let commands = [
        "git reset --hard",
        "git reset --hard HEAD",
        "git checkout .",
        "git checkout -- src/lib.rs",
        "git checkout HEAD -- src",
        "git restore .",
        "git restore src/lib.rs",
        "git checkout -f feature",
        "git checkout -qf feature --",
        "git checkout -f --",
        "git switch -q --discard-changes feature",
        "git clean -fd",
        "git clean -fd untracked",
        "git add . && git commit -q --amend -m other",
        "git reset -q",
    ];
    check_all(&commands, prepare_changes);
}

#[test]
fn commits_stashes_and_references_come_back() {
    let commands = [
        "git reset --hard HEAD~1",
        "git stash drop",
        "git stash clear",
        "git branch -D feature",
        "git tag -d v1",
        "git update-ref -d refs/heads/feature",
        "git branch -f feature HEAD",
        "git commit -q --amend -m other",
        "git rebase -q feature",
        "git reset -q HEAD~1",
    ];
    check_all(&commands, prepare_git);
}

#[test]
fn a_removed_worktree_comes_back_and_works() {
    let repo = Repo::new();
    repo.git(&["worktree", "add", "-q", "-b", "side", "wt"]);
    repo.write("wt/src/lib.rs", "changed in the worktree");
    let status = || repo.git(&["-C", "wt", "status", "--porcelain"]);
    let before = status();
    let asked = repo.bash("git worktree remove --force wt");
    assert_eq!(asked.decision(), "ask");
    repo.git(&["worktree", "remove", "--force", "wt"]);
    let undone = repo.world.run(&["undo", "--yes"], "");
    assert_eq!(undone.exit, 0, "{undone:?}");
    assert_eq!(std::fs::read_to_string(repo.path("wt/src/lib.rs")).unwrap(), "changed in the worktree");
    assert_eq!(status(), before);
}

/// Runs the hook for a call of a file tool.
fn tool(repo: &Repo, name: &str, input: serde_json::Value) -> ProcessOutput {
    let payload = json!({
        "session_id": "s1", "cwd": repo.world.repo(), "hook_event_name": "PreToolUse", "tool_name": name,
        "tool_input": input,
    });
    repo.hook(&payload.to_string())
}

#[test]
fn files_that_file_tools_replace_come_back() {
    for name in ["Write", "Edit"] {
        let repo = Repo::new();
        repo.write("notes.txt", "before");
        let before = repo.state();
        let path = repo.path("notes.txt");
        let input = json!({ "file_path": path, "content": "x", "old_string": "before", "new_string": "after" });
        assert!(tool(&repo, name, input).is_silent());
        repo.write("notes.txt", "after");
        let undone = repo.world.run(&["undo", "--yes"], "");
        assert_eq!((undone.exit, before.differences(&repo.state())), (0, vec![]), "{name}: {undone:?}");
        // Creating a file loses nothing.
        let input = json!({ "file_path": repo.path("new.txt"), "content": "x" });
        tool(&repo, name, input);
        let listed = repo.world.run(&["undo", "list", "--format", "json"], "").stdout;
        assert!(!listed.contains("new.txt"), "{listed}");
    }
}
