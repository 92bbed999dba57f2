//! A `.guard/guard.toml` in a folder below the project's root: its scope, and that it can only tighten.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::terminal::attended;
use crate::support::texts::Transcript;
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;

const FILE: &str = "repo/svc/a/.guard/guard.toml";

/// Creates a monorepo with a service that protects its migrations.
fn monorepo() -> World {
    let world = World::new();
    world.write("repo/svc/a/migrations/1.sql", "");
    world.write("repo/svc/b/migrations/1.sql", "");
    world.write(
        FILE,
        "[[policy]]\nname = \"migrations\"\nsource = \"builtin:write-control\"\n\
         settings = { protected = [\"svc/*/migrations/**\"], warned = [], safe = [], shell = true }\n",
    );
    world
}

fn tool(world: &World, cwd: &str, tool: &str, input: Value) -> ProcessOutput {
    world.hook(&json!({ "cwd": world.path(cwd), "tool_name": tool, "tool_input": input }).to_string())
}

fn write(world: &World, cwd: &str, path: &str) -> ProcessOutput {
    tool(world, cwd, "Write", json!({ "file_path": path, "content": "" }))
}

fn bash(world: &World, cwd: &str, command: &str) -> ProcessOutput {
    tool(world, cwd, "Bash", json!({ "command": command }))
}

#[test]
fn it_speaks_in_calls_that_concern_what_lies_below_it() {
    let world = monorepo();
    let words = &["[migrations: "];
    assert_deny(&write(&world, "repo", "svc/a/migrations/2.sql"), words);
    assert_deny(&write(&world, "repo/svc/a", "migrations/2.sql"), words);
    assert_deny(&write(&world, "repo/svc/b", "../a/migrations/2.sql"), words);
    assert_deny(&bash(&world, "repo", "echo x > svc/a/migrations/2.sql"), words);
    assert_deny(&bash(&world, "repo", "cd svc/a/migrations && touch 2.sql"), words);
    assert_deny(&bash(&world, "repo/svc/a", "cp x migrations/2.sql"), words);
    // A link into the folder is noticed.
    symlink(world.path("repo/svc/a"), world.path("repo/link")).unwrap();
    assert_deny(&write(&world, "repo", "link/migrations/2.sql"), words);
    // Files elsewhere aren't affected, regardless of its globs.
    assert_silent(&write(&world, "repo", "svc/b/migrations/2.sql"));
    assert_silent(&write(&world, "repo/svc/a", "../b/migrations/2.sql"));
    assert_silent(&bash(&world, "repo", "echo x > svc/b/migrations/2.sql"));
    assert_silent(&bash(&world, "repo", "ls"));
}

#[test]
fn it_speaks_of_commands_that_run_in_the_folder() {
    let world = monorepo();
    let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                 settings = { deny-patterns = [\"frobnicate\"] }\n";
    world.write(FILE, entry);
    for command in
        ["cd svc/a && frobnicate", "(cd svc/a; frobnicate)", "pushd svc/a; frobnicate", "env -C svc/a frobnicate"]
    {
        assert_deny(&bash(&world, "repo", command), &["frobnicate"]);
    }
    assert_deny(&bash(&world, "repo/svc/a", "frobnicate"), &["frobnicate"]);
    for command in ["frobnicate", "cd svc/b && frobnicate", "(cd svc/a); frobnicate"] {
        assert_silent(&bash(&world, "repo", command));
    }
}

#[test]
fn it_speaks_in_calls_from_outside_of_its_repository() {
    let world = World::new();
    std::fs::create_dir_all(world.path("other/.git")).unwrap();
    world.write("other/db/migrations/1.sql", "");
    world.write("third/db/migrations/1.sql", "");
    world.write(
        "other/.guard/guard.toml",
        "[[policy]]\nname = \"migrations\"\nsource = \"builtin:write-control\"\n\
         settings = { protected = [\"db/migrations\"], warned = [], safe = [], shell = true }\n",
    );
    let words = &["[migrations: "];
    assert_deny(&write(&world, "repo", "../other/db/migrations/1.sql"), words);
    assert_deny(&write(&world, "repo", &world.path("other/db/migrations/2.sql").to_string_lossy()), words);
    for command in [
        "echo x > ../other/db/migrations/1.sql",
        "cd ../other && touch db/migrations/2.sql",
        "git -C ../other rm -r db/migrations",
        "rm -r ../other/db",
        "cp x ../other/db/migrations/",
        "make -C ../other x > ../other/db/migrations/log",
    ] {
        assert_deny(&bash(&world, "repo", command), &["[migrations: "]);
    }
    // A link leads there as well.
    symlink(world.path("other/db"), world.path("repo/db")).unwrap();
    assert_deny(&write(&world, "repo", "db/migrations/2.sql"), &["[migrations: "]);
    // It has no effect elsewhere, and no other file of the repository is held.
    for silent in ["echo x > ../third/db/migrations/1.sql", "echo x > db2", "echo x > ../other/a.txt", "ls ../other/db"]
    {
        assert_silent(&bash(&world, "repo", silent));
    }
}

/// The effects of these commands name no file of the folder in which they run.
#[test]
fn it_speaks_of_commands_that_name_its_folder() {
    let world = World::new();
    std::fs::create_dir_all(world.path("other/.git")).unwrap();
    std::fs::create_dir_all(world.path("third/.git")).unwrap();
    world.write("other/app/package.json", "{}");
    let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n\
                 settings = { raise = [\"git-push\", \"publish-package\"], deny-patterns = [\"frobnicate\"] }\n";
    world.write("other/.guard/guard.toml", entry);
    world.write(FILE, entry);
    for command in [
        "git -C ../other push",
        "git -C ~/other push",
        "git --git-dir=../other/.git push",
        "npm --prefix ../other/app publish",
        "npm publish ../other/app",
        "npm publish --prefix=../other/app",
        "frobnicate --directory ../other",
        "frobnicate ../other/app",
        "git -C svc/a push",
        "frobnicate -d svc",
    ] {
        let (denied, words) = (bash(&world, "repo", command), &["[ours: "][..]);
        if command.ends_with("svc") { assert_silent(&denied) } else { assert_deny(&denied, words) }
    }
    for command in ["git -C ../third push", "git push", "npm --prefix ../third publish"] {
        assert_ask(&bash(&world, "repo", command), &["[command-guard: "]);
    }
    for command in ["frobnicate ../third", "frobnicate other", "frobnicate https://x.example/../other"] {
        assert_silent(&bash(&world, "repo", command));
    }
}

#[test]
fn it_speaks_in_calls_that_take_its_folder_with_one_above() {
    let world = monorepo();
    let words = &["[migrations: "];
    for command in [
        "mv svc old",
        "git rm -r svc",
        "git mv svc services",
        "mv s* ../other",
        "tar -czf a.tgz --remove-files svc",
        "python3 -c \"import shutil; shutil.move('svc', 'x')\"",
    ] {
        assert_ask(&bash(&world, "repo", command), words);
    }
    fs::create_dir_all(world.path("repo/docs/a")).unwrap();
    for silent in ["mv docs old", "mv svc/b old", "cp -r svc /tmp/x", "ls -R svc", "echo 'mv svc old'"] {
        assert_silent(&bash(&world, "repo", silent));
    }
}

/// The file only judges calls in its folder, so a pattern for a folder beside it holds nothing.
#[test]
fn patterns_that_match_only_outside_of_its_folder_are_reported() {
    let world = World::new();
    for file in ["db/1.sql", "svc/db/1.sql", "svc/conf/app.yaml", "web/keys/a"] {
        world.write(&format!("repo/{file}"), "");
    }
    let check = |list: &str| {
        let text =
            format!("[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\nsettings = {{ {list} }}\n");
        world.write("repo/svc/.guard/guard.toml", text);
        let ended = world.run(&["config", "check"], "");
        assert_eq!(ended.exit, 0, "{ended:?}");
        ended.stderr
    };
    for (list, hint) in [
        ("protected = ['db/**']", "did you mean `svc/db/**`?"),
        ("protected = ['db']", "did you mean `svc/db`?"),
        ("warned = ['./db/*.sql']", "did you mean `svc/db/*.sql`?"),
        ("exempt = ['db/1.sql']", "did you mean `svc/db/1.sql`?"),
        ("protected = ['web/keys']", "list it in the file of the project's root"),
        ("protected = ['*/keys/**']", "list it in the file of the project's root"),
    ] {
        let output = check(list);
        assert!(output.contains("no file in `svc` matches") && output.contains(hint), "{list}: {output}");
    }
    assert_eq!(check("protected = ['svc/db', 'svc', '**/*.sql', '*/db', '{svc,web}/**', 's*/conf/**']"), "");
    // The patterns of a repository in the project begin at either root.
    world.write("repo/svc/.git/HEAD", "");
    assert_eq!(check("protected = ['db/**', 'svc/conf']"), "");
}

/// It also applies from a folder above, and after a `git init` in a subfolder.
#[test]
fn it_speaks_of_a_repository_in_another_one_and_around_it() {
    let world = World::new();
    world.write("repo/shop/.git/HEAD", "");
    world.write("repo/shop/db/migrations/1.sql", "");
    world.write("repo/shop/src/.git/HEAD", "");
    world.write(
        "repo/shop/.guard/guard.toml",
        "[[policy]]\nname = \"migrations\"\nsource = \"builtin:write-control\"\n\
         settings = { protected = [\"db/migrations\"], warned = [], safe = [], shell = true }\n\
         [[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nsettings = { deny-patterns = [\"frobnicate\"] }\n",
    );
    assert_deny(&write(&world, "repo", "shop/db/migrations/2.sql"), &["[migrations: "]);
    for command in ["touch shop/db/migrations/2.sql", "cd shop && rm db/migrations/1.sql", "rm -r shop/db"] {
        assert_deny(&bash(&world, "repo", command), &["[migrations: "]);
    }
    assert_deny(&bash(&world, "repo/shop/src", "frobnicate"), &["frobnicate"]);
    assert_deny(&bash(&world, "repo/shop/src", "touch ../db/migrations/2.sql"), &["[migrations: "]);
    for silent in ["frobnicate", "touch db/migrations/2.sql", "touch shop/db/x"] {
        assert_silent(&bash(&world, "repo", silent));
    }
}

/// The patterns of a project's file are relative to its own root, also in a repository or submodule inside the project.
#[test]
fn its_patterns_begin_at_its_root_in_a_repository_inside() {
    let world = World::new();
    world.write("repo/.git/HEAD", "");
    world.write("repo/db/migrations/1.sql", "");
    world.write("repo/db/.git/HEAD", "");
    world.write("repo/vendor/schema/v1/a.json", "");
    world.write("repo/.git/modules/vendor/schema/HEAD", "");
    world.write("repo/.git/modules/vendor/schema/config", "[core]\n\tworktree = ../../../../vendor/schema\n");
    world.write("repo/vendor/schema/.git", "gitdir: ../../.git/modules/vendor/schema\n");
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"files\"\nsource = \"builtin:write-control\"\nsettings = { protected = \
         [\"db/migrations/**\", \"vendor/schema/**\", \"infra/**\"], warned = [], safe = [], shell = true }\n",
    );
    let mut told = Transcript::default();
    let mut denies = |ended: &ProcessOutput| told.deny(&world, ended, &["[files: "]);
    let absolute = world.path("repo/db/migrations/2.sql");
    let absolute = absolute.to_str().unwrap();
    for (cwd, path) in
        [("repo", "db/migrations/2.sql"), ("repo/db", "migrations/2.sql"), ("repo/db", absolute), ("", absolute)]
    {
        denies(&write(&world, cwd, path));
        denies(&bash(&world, cwd, &format!("echo x > {path}")));
    }
    for (cwd, path) in [("repo", "vendor/schema/v1/b.json"), ("repo/vendor/schema/v1", "b.json")] {
        denies(&write(&world, cwd, path));
        denies(&bash(&world, cwd, &format!("touch {path}")));
    }
    denies(&bash(&world, "repo/db", "cd ../infra && touch main.tf"));
    assert_text!("nested_patterns", told.0);
    for silent in ["touch x", "touch migrate/x", "echo x > ../y"] {
        assert_silent(&bash(&world, "repo/db", silent));
    }
}

/// An agent can create a repository below the rules, even an empty `.git`.
#[test]
fn a_new_repository_does_not_switch_its_patterns_off() {
    for git in ["repo/svc/a/.git", "repo/svc/.git"] {
        for is_repository in [true, false] {
            let world = monorepo();
            if !is_repository {
                fs::remove_dir_all(world.path("repo/.git")).unwrap();
            }
            fs::create_dir_all(world.path(git)).unwrap();
            let words = &["[migrations: "];
            assert_deny(&write(&world, "repo", "svc/a/migrations/2.sql"), words);
            assert_deny(&bash(&world, "repo", "rm svc/a/migrations/1.sql"), words);
            assert_deny(&bash(&world, "repo", "cd svc/a && rm migrations/1.sql"), words);
            assert_silent(&write(&world, "repo", "svc/a/src/2.sql"));
            if is_repository {
                assert_deny(&write(&world, "repo/svc/a", "migrations/2.sql"), words);
            }
            let ended = world.run(&["config", "check"], "");
            assert!(ended.exit == 0 && !ended.stderr.contains("no file matches"), "{ended:?}");
        }
    }
}

#[test]
fn misplaced_files_of_folders_are_reported() {
    let world = monorepo();
    let entry = "[[policy]]\nname = \"x\"\nsource = \"builtin:write-control\"\n";
    for file in ["svc/b/guard.toml", "svc/c/.guard/config.toml", "svc/d/.guard/Guard.toml"] {
        world.write(&format!("repo/{file}"), entry);
    }
    world.write("repo/svc/a/.guard/more.rego", "package guard\n");
    world.write("repo/svc/e/guard.toml", "[firewall]\n");
    let ended = world.run(&["config", "check"], "");
    for file in ["svc/b/guard.toml", "svc/c/.guard/config.toml", "svc/d/.guard/Guard.toml", "svc/a/.guard/more.rego"] {
        assert!(ended.stderr.contains(&format!("{file}` is not read")), "{file}: {ended:?}");
    }
    assert!(!ended.stderr.contains("svc/e"), "{ended:?}");
}

#[test]
fn check_config_and_list_know_it() {
    let world = monorepo();
    let input = r#"{"file_path": "svc/a/migrations/2.sql"}"#;
    let ended = world.run(&["check", "--tool", "Write", input], "");
    assert!(ended.exit == 2 && ended.stdout.contains("[migrations: "), "{ended:?}");
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.current_dir(world.path("repo/svc/a"));
        crate::support::world::end(command, "")
    };
    assert!(run(&["policy", "list"]).stdout.contains("migrations"));
    assert_eq!(run(&["cache", "warm"]).exit, 0);
    world.write(FILE, "[[policy]]\nnme = \"x\"\n");
    for ended in [run(&["config", "check"]), world.run(&["config", "check"], "")] {
        assert!(ended.exit == 78 && ended.stderr.contains("svc/a/.guard/guard.toml:2:1"), "{ended:?}");
    }
    let doctor = world.run(&["doctor"], "");
    assert!(doctor.stdout.contains("svc/a/.guard/guard.toml:2:1"), "{doctor:?}");
    // A broken file asks only where it would have applied.
    assert_ask(&write(&world, "repo", "svc/a/x"), &["[config: broken-config]", "svc/a/.guard/guard.toml"]);
    assert_silent(&write(&world, "repo", "svc/b/x"));
}

#[test]
fn it_can_only_tighten_trusted_or_not() {
    let world = monorepo();
    assert_ask(&bash(&world, "repo/svc/a", "git push"), &["[command-guard: "]);
    world.write(
        FILE,
        "[[policy]]\nname = \"command-guard\"\nenabled = false\n\
         [[policy]]\nname = \"notices\"\nsource = \"builtin:write-control\"\nmay-allow = true\n",
    );
    let mut told = Transcript::default();
    told.ask(&world, &write(&world, "repo", "svc/a/x"), &["[config: broken-config]"]);
    assert_text!("nested_trust", told.0);
    let ended = attended(&world, &["trust", "--yes", "svc/a"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert_ask(&bash(&world, "repo/svc/a", "git push"), &["[command-guard: "]);
    assert_deny(&write(&world, "repo/svc/a", ".env"), &["[protected-files: "]);
    let checked = world.run(&["config", "check"], "");
    assert!(checked.stderr.contains("policy `notices`: `may-allow` has no effect"), "{checked:?}");
    // Allowing it would skip the harness's own prompt.
    world.write("repo/svc/a/src/x", "");
    let ended = write(&world, "repo", "src/x");
    assert_silent(&ended);
}

#[test]
fn those_of_two_folders_and_the_projects_own_all_speak() {
    let world = monorepo();
    let entry = |name: &str, glob: &str| {
        format!(
            "[[policy]]\nname = \"{name}\"\nsource = \"builtin:write-control\"\nsettings = {{ protected = [\"{glob}\"] }}\n"
        )
    };
    world.write("repo/.guard/guard.toml", entry("root", "svc/**"));
    world.write("repo/svc/.guard/guard.toml", entry("services", "svc/**"));
    let reason = write(&world, "repo", "svc/a/migrations/2.sql").reason();
    assert!(reason.contains("[root, services, migrations: protected-path]"), "{reason}");
    let reason = write(&world, "repo", "svc/b/x").reason();
    assert!(reason.contains("[root, services: ") && !reason.contains("[migrations: "), "{reason}");
    fs::remove_file(world.path("repo/svc/.guard/guard.toml")).unwrap();
    assert!(!write(&world, "repo", "svc/b/x").reason().contains("services"));
}

#[test]
fn an_agent_does_not_write_it() {
    let world = monorepo();
    assert_ne!(write(&world, "repo", "svc/a/.guard/guard.toml").decision(), "");
    assert_ne!(bash(&world, "repo", "rm svc/a/.guard/guard.toml").decision(), "");
    assert_ne!(write(&world, "repo", "svc/c/.guard/guard.toml").decision(), "");
}

#[test]
fn an_agent_does_not_change_the_files_that_it_uses() {
    let world = monorepo();
    world.write("repo/svc/a/settings.json", "{}");
    world.write(
        FILE,
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nsettings-file = \"../settings.json\"\n",
    );
    assert_deny(&write(&world, "repo", "svc/a/settings.json"), &["[self-protect: guard-file]"]);
    assert_deny(&bash(&world, "repo", "rm svc/a/settings.json"), &["[self-protect: guard-file]"]);
    assert_silent(&write(&world, "repo", "svc/b/settings.json"));
    let rules = world.path("repo/svc/b/rules");
    fs::create_dir_all(&rules).unwrap();
    fs::write(rules.join("guard.toml"), "").unwrap();
    symlink("rules", world.path("repo/svc/b/.guard")).unwrap();
    assert_deny(&write(&world, "repo", "svc/b/rules/guard.toml"), &["[self-protect: guard-file]"]);
}

#[test]
fn a_misplaced_file_of_a_folder_is_reported() {
    for misplaced in
        [".Guard/guard.toml", ".guards/guard.toml", ".guard/guard.json", ".guard/guard.toml.txt", "guard.toml"]
    {
        let world = monorepo();
        world.write("repo/.guard/guard.toml", "");
        let text = fs::read_to_string(world.path(FILE)).unwrap();
        world.write(&format!("repo/svc/c/{misplaced}"), text);
        for command in [&["config", "check"][..], &["doctor"], &["ci"]] {
            let ended = world.run(command, "");
            let told = format!("svc/c/{misplaced}` is not read");
            assert!(ended.stdout.contains(&told) || ended.stderr.contains(&told), "{command:?}: {ended:?}");
        }
    }
}
