//! Calls without a copy: the messages of `explain`, the hook and `undo` about them.

use std::fs;

use super::Repo;

/// Creates a repository that ignores large folders.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", "uploads/\n*.db\nnode_modules/\nbuild-linux/\n.env\nlocal/\n");
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "rules"]);
    let large = "x".repeat(20 << 20);
    for name in ["uploads/a.bin", "top.db", "node_modules/m/index.js", "build-linux/app"] {
        repo.write(name, &large);
    }
    repo.write("local/notes.txt", "notes");
    repo
}

fn explained(repo: &Repo, command: &str) -> String {
    let cwd = repo.world.repo().display().to_string();
    repo.world.run(&["explain", "--cwd", &cwd, command], "").stdout
}

#[test]
fn ignored_files_that_no_copy_holds_are_asked_about_like_others() {
    let repo = repo();
    for command in [
        "rm -rf uploads",
        "rm -rf uploads/*",
        "rm -rf ./uploads/",
        "python3 -c \"import shutil; shutil.rmtree('uploads')\"",
    ] {
        let ended = repo.bash(command);
        assert_eq!(ended.decision(), "ask", "{command}: {ended:?}");
        assert!(ended.reason().contains("No copy: "), "{command}: {}", ended.reason());
    }
    // Tools rebuild these, and a small folder is copied.
    for command in ["rm -rf node_modules", "rm -rf build-linux", "rm -rf node_modules build-linux", "rm -rf local"] {
        assert_ne!(repo.bash(command).decision(), "ask", "{command}");
    }
}

#[test]
fn explain_says_of_a_copy_what_the_hook_does() {
    let repo = repo();
    repo.write("src/lib.rs", "changed");
    for (command, expected) in [
        ("rm top.db", "undo: keeps no copy: "),
        ("echo > top.db", "undo: keeps no copy: "),
        ("rm -rf uploads", "undo: keeps no copy: "),
        ("rm -rf local", "undo: keeps a copy before it runs: "),
        ("rm -rf src uploads", "undo: keeps a copy of a part before it runs: "),
        ("git reset --hard HEAD~5", "undo: keeps a copy of a part before it runs: "),
        ("git reset --hard", "undo: keeps a copy before it runs: "),
    ] {
        assert!(explained(&repo, command).contains(expected), "{command}: {}", explained(&repo, command));
    }
    for command in ["ls", "rm -rf nowhere"] {
        assert!(!explained(&repo, command).contains("undo:"), "{command}");
    }
    repo.world.configure("[undo]\nmax-ms = 1500\ninstead-of-ask = true\n");
    for command in ["git reset --hard HEAD~5", "git reset --hard", "rm -rf src uploads", "rm -rf src"] {
        let is_asked = repo.bash(command).decision() == "ask";
        assert_eq!(explained(&repo, command).contains("\nask: "), is_asked, "{command}");
    }
}

#[test]
fn undo_names_the_last_loss_first_and_offers_an_older_copy_by_its_name() {
    let repo = repo();
    repo.bash("rm local/notes.txt");
    fs::remove_file(repo.path("local/notes.txt")).unwrap();
    repo.bash("rm top.db");
    // Nothing is lost until it has run.
    assert!(!repo.world.run(&["undo", "--yes"], "").stdout.contains("no copy"), "nothing is lost yet");
    fs::remove_file(repo.path("local/notes.txt")).unwrap();
    fs::remove_file(repo.path("top.db")).unwrap();
    let listed = repo.world.run(&["undo", "list"], "").stdout;
    assert!(listed.contains("rm top.db") && listed.contains("ignored by git, and large"), "{listed}");
    let last = repo.world.run(&["undo", "--yes"], "");
    assert!(last.stdout.contains("no copy of this call") && !repo.path("local/notes.txt").exists(), "{last:?}");
    let id = last.stdout.split("guard-host undo restore ").nth(1).unwrap().trim().to_owned();
    assert_eq!(repo.world.run(&["undo", "restore", &id], "").exit, 0);
    assert!(repo.path("local/notes.txt").exists());
    // A loss that a tool can restore isn't mentioned.
    repo.bash("rm -rf node_modules");
    fs::remove_dir_all(repo.path("node_modules")).unwrap();
    let listed = repo.world.run(&["undo", "list"], "").stdout;
    assert!(!listed.contains("rm -rf node_modules"), "{listed}");
}

#[test]
fn undo_names_a_call_of_another_project_that_destroyed_files_of_the_folder() {
    let repo = repo();
    let notes = repo.world.write("notes/a.txt", "a");
    repo.bash(&format!("rm {}", notes.display()));
    fs::remove_file(&notes).unwrap();
    let folder = notes.parent().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = repo.world.command(arguments);
        command.current_dir(folder);
        crate::support::world::end(command, "").stdout
    };
    for arguments in [&["undo"][..], &["undo", "list"]] {
        let told = run(arguments);
        assert!(told.contains("guard-host undo restore 2"), "{told}");
    }
    assert!(run(&["undo", "list"]).contains("guard-host undo list --all"));
}
