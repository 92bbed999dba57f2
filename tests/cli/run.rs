//! `run`: the command, its permissions, and the messages. The confinement is tested next to the code. The commands of
//! docs/run.md run here.

use std::fs;

use crate::support::pages::blocks;
use crate::support::texts::{Transcript, lines_about, normalize};
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Creates a project with programs that no table knows: copies of system programs under other names.
fn world() -> World {
    let world = World::new();
    for (name, program) in [("maker", "/bin/touch"), ("reader", "/bin/cat"), ("tool", "/bin/true")] {
        fs::copy(program, world.path(&format!("repo/{name}"))).unwrap();
    }
    world.write("repo/.env", "KEY=hidden");
    world.write("repo/names.txt", "b\na\n");
    world
}

fn run(world: &World, words: &[&str]) -> ProcessOutput {
    world.run(&[&["run"], words].concat(), "")
}

#[test]
fn what_a_policy_denies_or_asks_is_not_run() {
    let world = world();
    let mut told = Transcript::default();
    told.add(&world, 77, &run(&world, &["--", "tee", ".env"]));
    assert_eq!(fs::read_to_string(world.path("repo/.env")).unwrap(), "KEY=hidden");
    told.add(&world, 77, &run(&world, &["--", "git", "stash", "drop"]));
    assert_text!("run_not_run", told.0);
}

#[test]
fn the_profile_is_printed_and_nothing_is_run() {
    let world = world();
    let ended = run(&world, &["-n", "--", "sh", "-c", "sort names.txt > sorted.txt && curl -s https://example.org"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert!(ended.stdout.contains("write = [\"sorted.txt\"]") && ended.stdout.contains("net = true"), "{ended:?}");
    assert!(!world.path("repo/sorted.txt").exists());
    let ended = run(&world, &["-n", "--write", "out/", "--unix-sockets", "./tool"]);
    assert!(ended.stdout.contains("write = [\"out/\"]") && ended.stdout.contains("unix-sockets = true"), "{ended:?}");
    assert!(ended.stdout.contains("net = false"), "{ended:?}");
}

#[test]
fn explain_shows_the_profile_in_one_line() {
    let world = world();
    let explained = |command: &str| lines_about(&world.run(&["explain", command], "").stdout, "run: ");
    assert_text!("run_explained", ["sort names.txt > a.txt", "ls", "tee .env"].map(explained).concat());
}

#[test]
fn mistakes_have_their_own_exit_codes() {
    let world = world();
    world.write("repo/bad.toml", "writes = []");
    assert_eq!(run(&world, &[]).exit, 64);
    assert_eq!(run(&world, &["--profile", "none.toml", "--", "true"]).exit, 66);
    let ended = run(&world, &["--profile", "bad.toml", "--", "true"]);
    assert_eq!(ended.exit, 65, "{ended:?}");
    assert!(ended.stderr.contains("writes"), "{ended:?}");
}

#[test]
#[ignore = "needs landlock"]
fn an_unknown_program_writes_what_its_profile_allows() {
    let world = world();
    let exists = || world.path("repo/made.txt").exists();
    let ended = run(&world, &["--", "./maker", "made.txt"]);
    assert!(ended.exit != 0 && !exists(), "{ended:?}");
    let ended = run(&world, &["--learn", "--", "./maker", "made.txt"]);
    assert!(ended.exit != 0 && !exists(), "{ended:?}");
    assert!(ended.stderr.contains("write = [\"made.txt\"]"), "{ended:?}");
    world.write("repo/p.toml", "write = [\"made.txt\"]");
    for options in [["--write", "made.txt"], ["--profile", "p.toml"]] {
        let ended = run(&world, &[&options[..], &["--", "./maker", "made.txt"]].concat());
        assert!(ended.exit == 0 && exists(), "{ended:?}");
        fs::remove_file(world.path("repo/made.txt")).unwrap();
    }
}

#[test]
#[ignore = "needs landlock"]
fn a_known_command_works_as_without() {
    let world = world();
    for (words, file, content) in [
        (&["sh", "-c", "sort names.txt > sorted.txt"][..], "sorted.txt", "a\nb\n"),
        (&["cp", "names.txt", "copy.txt"], "copy.txt", "b\na\n"),
        (&["sed", "-i", "s/a/c/", "names.txt"], "names.txt", "b\nc\n"),
        (&["mkdir", "-p", "x/y"], "names.txt", "b\nc\n"),
        (&["mv", "copy.txt", "moved.txt"], "moved.txt", "b\na\n"),
        (&["sh", "-c", "mkdir -p d && echo a | tee d/a.txt > /dev/null"], "d/a.txt", "a\n"),
        (&["touch", "empty.txt"], "empty.txt", ""),
    ] {
        let ended = run(&world, &[&["--"], words].concat());
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{words:?}: {ended:?}");
        assert_eq!(fs::read_to_string(world.path(&format!("repo/{file}"))).unwrap(), content, "{words:?}");
    }
    assert!(world.path("repo/x/y").is_dir());
}

#[test]
#[ignore = "needs landlock"]
fn a_guarded_file_is_not_read() {
    let world = world();
    // A name that isn't in the text, so that only the kernel can deny access.
    std::os::unix::fs::symlink(".env", world.path("repo/plain")).unwrap();
    let ended = run(&world, &["--", "./reader", "plain"]);
    assert!(ended.exit != 0 && !ended.stdout.contains("hidden"), "{ended:?}");
    let ended = run(&world, &["--", "./reader", "names.txt"]);
    assert_eq!((ended.exit, ended.stdout.as_str()), (0, "b\na\n"), "{ended:?}");
}

#[test]
#[ignore = "needs landlock"]
fn the_exit_code_is_that_of_the_command() {
    let world = world();
    for (words, code) in [(&["sh", "-c", "exit 7"][..], 7), (&["./none"], 127), (&["./names.txt"], 126)] {
        assert_eq!(run(&world, &[&["--"], words].concat()).exit, code, "{words:?}");
    }
}

/// Blocks of the page, with `tool` as a program that does nothing.
#[test]
#[ignore = "needs landlock"]
fn the_commands_of_its_page_work() {
    let world = world();
    fs::create_dir(world.path("repo/src")).unwrap();
    for block in blocks("docs/run.md") {
        if block.language == "toml" {
            world.write("repo/tool.toml", &block.text);
            continue;
        }
        for line in block.text.lines() {
            let line = line.split('#').next().unwrap().trim();
            let words: Vec<&str> = line.strip_prefix("guard-host ").unwrap().split(' ').collect();
            let ended = end(world.command(&words), "");
            assert_eq!(ended.exit, 0, "docs/run.md: {line}: {ended:?}");
        }
    }
}

#[test]
#[ignore = "needs landlock"]
fn a_link_that_one_run_made_is_not_followed_by_the_next() {
    let world = world();
    world.write("other/notes.txt", "notes");
    let notes = || fs::read_to_string(world.path("other/notes.txt")).unwrap();
    let ended = run(&world, &["--", "ln", "-s", "../other/notes.txt", "made.txt"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    let write = ["--", "sh", "-c", "echo gone > made.txt"];
    let ended = run(&world, &write);
    assert!(ended.exit != 0 && notes() == "notes", "{ended:?}");
    let ended = run(&world, &[&["-n"], &write[..]].concat());
    assert!(ended.stdout.contains("write = []"), "{ended:?}");
    assert_text!("run_link", normalize(&world, &ended.stderr));
    let ended = run(&world, &[&["--write", "made.txt"], &write[..]].concat());
    assert!(ended.exit == 0 && notes() == "gone\n", "{ended:?}");
}
