//! Deletions that provably lose nothing: the host proves it, and the `rm` rules let them pass.

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
    for same_folder in ["sudo", "su root -c", "sudo -u bob", "pkexec --keep-cwd", "systemd-run -d --pty", "doas"] {
        let words = if same_folder.ends_with("-c") { "'rm -rf node_modules'" } else { "rm -rf node_modules" };
        assert_eq!(outcome(&world, &format!("{same_folder} {words}")), 0, "{same_folder}");
    }
}

#[test]
fn git_clean_of_an_ignored_folder_passes_like_its_deletion() {
    let world = World::new();
    std::fs::write(world.repo().join(".gitignore"), "dist/\n").unwrap();
    for clean in ["git clean -fdX dist", "git clean -xdf dist/", "git clean -f -d -X -- packages/a/dist"] {
        assert_eq!(outcome(&world, clean), 0, "{clean}");
    }
    for clean in
        ["git clean -fdX", "git clean -fdx src", "git clean -fd dist", "git clean -fdX dist src", "git clean -fdX ."]
    {
        assert_eq!(outcome(&world, clean), 1, "{clean}");
    }
    assert_eq!(outcome(&world, "mv src dist/src; git clean -fdX dist"), 1);
}

#[test]
fn what_is_ignored_here_says_nothing_of_another_folder() {
    let world = World::new();
    std::fs::write(world.repo().join(".gitignore"), "node_modules/\n").unwrap();
    for elsewhere in [
        "chroot / rm -rf node_modules",
        "nsenter -t 1 -a rm -rf node_modules",
        "su - root -c 'rm -rf node_modules'",
        "su -l -c 'rm -rf node_modules'",
        "runuser -l bob -c 'rm -rf node_modules'",
        "sudo -i rm -rf node_modules",
        "sudo -iu bob rm -rf node_modules",
        "sudo -R /srv rm -rf node_modules",
        "su bob -l -c 'rm -rf node_modules'",
        "uv run --directory /srv rm -rf node_modules",
        "uv --directory /srv run rm -rf node_modules",
        "poetry -C /srv run rm -rf node_modules",
        "conda run --cwd /srv rm -rf node_modules",
        "pnpm -C /srv rimraf node_modules",
        "yarn --cwd /srv rimraf node_modules",
        "pkexec rm -rf node_modules",
        "systemd-run --pty rm -rf node_modules",
        "unshare --root=/srv rm -rf node_modules",
        "bwrap --bind / / --chdir / rm -rf node_modules",
        "chroot / find . -name node_modules -prune -exec rm -rf {} +",
        "echo '0 1 * * * rm -rf node_modules' | crontab -",
        "npm --prefix /srv exec -- rimraf node_modules",
        "npx --prefix=/srv rimraf node_modules",
        "sudo-rs -D /srv rm -rf node_modules",
        "tmux new-session -d -c /srv 'rm -rf node_modules'",
        "mise -C /srv exec -- rm -rf node_modules",
        "stack exec --cwd /srv -- rm -rf node_modules",
        "srun -D /srv rm -rf node_modules",
        "wezterm start --cwd /srv rm -rf node_modules",
        "konsole --workdir /srv -e rm -rf node_modules",
        "kitty -d /srv rm -rf node_modules",
        "start-stop-daemon --start --chdir /srv --exec /bin/rm -- -rf node_modules",
        // A trap runs at the end, in the folder of that moment.
        "trap 'rm -rf node_modules' EXIT; cd /srv",
        "t=node_modules; trap 'rm -rf $t' EXIT; t=src",
    ] {
        assert_eq!(outcome(&world, elsewhere), 1, "{elsewhere}");
    }
    world.write("repo/src/a", "");
    for here in [
        "npx rimraf node_modules",
        "tmux new-session -d 'rm -rf node_modules'",
        "mise exec -- rm -rf node_modules",
        "trap 'rm -rf node_modules' EXIT; npm test",
        "cd src; trap 'rm -rf ../node_modules' EXIT; x=1",
        "d=$(mktemp -d); (cd \"$d\" && rm -rf build)",
        "npm create vite@latest app && cd app && rm -rf node_modules",
    ] {
        assert_eq!(outcome(&world, here), 0, "{here}");
    }
}

#[test]
fn a_search_that_deletes_by_an_ignored_name_passes() {
    let world = World::new();
    assert_eq!(outcome(&world, "find . -name '*.dat' -delete"), 1);
    std::fs::write(world.repo().join(".gitignore"), "*.dat\n__pycache__/\n*.pyc\n/dist\n*.bak\n*.sqlite3\nout/\n")
        .unwrap();
    for passes in [
        "find . -name __pycache__ -type d -exec rm -rf {} +",
        "find . -type d -name __pycache__ -prune -exec rm -rf {} \\;",
        "find . -name __pycache__ -print0 | xargs -0 rm -rf",
        "find . -name '*.pyc' -delete",
        "find . -name '*.dat' -delete",
        "find . -name '*.pyc' -type f | xargs rm -f",
        "find -name __pycache__ | xargs rm -rf",
    ] {
        assert_eq!(outcome(&world, passes), 0, "{passes}");
    }
    for asked in [
        "find . -name dist -exec rm -rf {} +",
        "find . -name __pycache__ -o -name src -exec rm -rf {} +",
        "find . -delete -name '*.pyc'",
        "find . -exec rm -rf {} + -name __pycache__",
        "find . -type d -exec rm -rf {} \\; -name __pycache__ -print",
        "find . -exec rm -rf {} + -exec true \\; -name __pycache__",
        "find -L . -name '*.pyc' -delete",
        "find . -name '*.bak' -delete",
        "find . -name out -delete",
        "find . -name __pycache__ | xargs rm -rf < list",
        "find . -name __pycache__ | xargs -a list rm -rf",
        "find . -name __pycache__ -exec sh -c 'cat list' \\; | xargs rm -rf",
        "find */ -name __pycache__ -exec rm -rf {} +",
        "find . -name '*.sqlite3' -delete",
        "find . .. -name '*.pyc' -delete",
        "echo '!x.dat' >> .gitignore; find . -name '*.dat' -delete",
    ] {
        assert_eq!(outcome(&world, asked), 1, "{asked}");
    }
}

#[test]
fn a_deletion_of_what_the_text_makes_passes() {
    let world = World::new();
    // The variable may have another value when the function runs.
    std::fs::write(world.repo().join(".gitignore"), "node_modules/\n").unwrap();
    for asked in [
        "t=node_modules; f() { rm -rf \"$t\"; }; trap f EXIT; source ./conf.sh",
        "t=node_modules; f() { rm -rf \"$t\"; }; trap f EXIT; . ./conf.sh",
        "T=node_modules; clean() { rm -rf \"$T\"/*; }; export -f clean; bash -c clean",
        "T=node_modules; clean() { rm -rf \"$T\"/*; }; ssh h \"$(declare -f clean); clean\"",
        "REPLY=node_modules; f() { rm -rf \"$REPLY\"; }; trap f EXIT; read -r <<< src",
        "OLDPWD=node_modules; f() { rm -rf \"$OLDPWD\"; }; trap f EXIT; cd src",
    ] {
        assert_eq!(outcome(&world, asked), 1, "{asked}");
    }
    let cleanup = "work_dir=$(mktemp -d)\ncleanup() {\n  rm -rf \"$work_dir\"\n}\ntrap cleanup EXIT\n";
    assert_eq!(outcome(&world, &format!("{cleanup}cp a \"$work_dir\"")), 0);
    assert_eq!(outcome(&world, &format!("{cleanup}work_dir=src")), 1);
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

#[test]
fn a_deletion_of_what_is_made_again_passes() {
    let world = World::new();
    assert_eq!(outcome(&world, "rm -rf extract && mkdir extract"), 0);
    assert_eq!(outcome(&world, "rm -rf extract"), 1);
    assert_eq!(outcome(&world, "rm -rf extract; mkdir extract; mv notes extract/notes"), 1);
    std::fs::create_dir(world.repo().join("extract")).unwrap();
    assert_eq!(outcome(&world, "rm -rf extract && mkdir extract"), 1);
    assert_eq!(outcome(&world, "rm -rf /tmp/tmp.k3JdP0aQzR/out"), 0);
    assert_eq!(outcome(&world, "rm -rf /tmp/tmpfiles"), 1);
}

/// Runs git in the project, as the project's user.
fn git(world: &World, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.current_dir(world.repo()).args(["-c", "user.name=u", "-c", "user.email=u@example.org"]).args(arguments);
    assert!(command.env("HOME", world.home.path()).output().unwrap().status.success(), "{arguments:?}");
}

#[test]
fn restoring_a_file_that_is_as_the_last_commit_has_it_passes() {
    let world = World::new();
    git(&world, &["init", "--quiet", "."]);
    for name in ["clean.txt", "changed.txt", "staged.txt", "sub/deep.txt"] {
        world.write(&format!("repo/{name}"), "one\n");
    }
    git(&world, &["add", "."]);
    git(&world, &["commit", "--quiet", "-m", "x"]);
    world.write("repo/changed.txt", "two\n");
    world.write("repo/staged.txt", "two\n");
    git(&world, &["add", "staged.txt"]);
    for passes in [
        "git checkout -- clean.txt",
        "git restore clean.txt",
        "git checkout -- clean.txt sub/deep.txt",
        "cd sub && git checkout -- deep.txt",
        "git status && git restore --source HEAD --staged --worktree clean.txt",
    ] {
        assert_eq!(outcome(&world, passes), 0, "{passes}");
    }
    for asks in [
        "git checkout -- changed.txt",
        "git restore changed.txt",
        "git checkout -- clean.txt changed.txt",
        "git checkout -- .",
        "git checkout -- 'clean.*'",
        "git checkout HEAD -- staged.txt",
        "echo x >> clean.txt && git checkout -- clean.txt",
        "make && git checkout -- clean.txt",
        "git stash pop && git checkout -- clean.txt",
        "GIT_WORK_TREE=sub git checkout -- clean.txt",
        "env GIT_WORK_TREE=sub git restore clean.txt",
        "git checkout -f",
    ] {
        assert_eq!(outcome(&world, asks), 1, "{asks}");
    }
}

#[test]
fn a_name_is_checked_out_as_a_file_only_if_there_is_one() {
    let world = World::new();
    git(&world, &["init", "--quiet", "."]);
    for name in ["Makefile", "LICENSE", "src/a.c"] {
        world.write(&format!("repo/{name}"), "one\n");
    }
    git(&world, &["add", "."]);
    git(&world, &["commit", "--quiet", "-m", "x"]);
    world.write("repo/Makefile", "two\n");
    for passes in ["git checkout main", "git checkout LICENSE", "git checkout -b src", "git checkout v1"] {
        assert_eq!(outcome(&world, passes), 0, "{passes}");
    }
    for asks in ["git checkout Makefile", "git checkout src", "git checkout --ours Makefile"] {
        assert_eq!(outcome(&world, asks), 1, "{asks}");
    }
    world.write("repo/.git/MERGE_HEAD", "");
    assert_eq!(outcome(&world, "git checkout --ours Makefile"), 0);
}
