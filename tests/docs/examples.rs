//! Every example of a configuration, in the pages and in the help of `policy add`, passes `config check`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::guests;
use crate::support::pages::{Block, blocks, root};
use crate::support::world::World;

/// Returns every page of the repository.
pub(super) fn pages() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            let name = path.to_string_lossy().into_owned();
            if entry.file_type().unwrap().is_dir() {
                let skipped = ["target", "node_modules", ".git", "templates"];
                folders.extend(Some(path).filter(|path| !skipped.iter().any(|skipped| path.ends_with(skipped))));
            } else if name.ends_with(".md") {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// Creates a world with everything that the examples name.
fn world() -> World {
    let world = World::new();
    let component = guests::bytes("shell");
    for file in ["policies/my_policy.wasm", "repo/policies/migrations.wasm", ".config/guard-host/my_policy.wasm"] {
        world.write(file, &component);
    }
    world
}

#[track_caller]
fn passes(world: &World, place: &str) {
    let ended = world.run(&["config", "check"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{place}: {ended:?}");
}

/// The configurations in `policies/cel/README.md` and `policies/rego/README.md` include the rules that they load.
#[test]
fn every_configuration_of_a_page_passes_the_check() {
    let mut checked = 0;
    for page in pages() {
        let all = blocks(&page);
        for (at, block) in all.iter().enumerate() {
            let place = format!("{page}:{}", block.line);
            if block.language != "toml" || !block.text.contains("[[policy]]") {
                continue;
            }
            let world = world();
            world.configure(&block.text);
            // The next block is its settings file.
            if let Some(name) = settings_file(block) {
                // In the README, the rules come first.
                let is_rego = |block: &&Block| block.language == "rego";
                let next = &all[at + 1];
                let before = all[..at].last().filter(is_rego).filter(|_| !is_rego(&next));
                world.write(&format!(".config/guard-host/{name}"), &before.unwrap_or(next).text);
            }
            passes(&world, &place);
            checked += 1;
        }
    }
    assert!(checked >= 5, "{checked}");
}

fn settings_file(block: &Block) -> Option<String> {
    let line = block.text.lines().find(|line| line.starts_with("settings-file"))?;
    line.split('"').nth(1).map(str::to_owned)
}

#[test]
fn the_settings_on_the_pages_of_policies_are_taken() {
    let mut checked = 0;
    for builtin in guard_builtins::all() {
        for block in blocks(&format!("policies/{}/RULES.md", builtin.name)) {
            if block.language != "toml" || block.text.contains("[[policy]]") {
                continue;
            }
            let world = world();
            world.write("s.toml", &block.text);
            world.configure(&format!("[[policy]]\nname = \"{}\"\nsettings-file = \"~/s.toml\"\n", builtin.name));
            passes(&world, builtin.name);
            checked += 1;
        }
    }
    assert!(checked >= 1, "{checked}");
}

#[test]
fn the_files_to_start_from_pass_the_check() {
    for builtin in guard_builtins::all() {
        let Some(starter) = &builtin.starter else { continue };
        let world = world();
        world.write(starter.name, starter.text);
        let entry = format!("[[policy]]\nname = \"{}\"\nsettings-file = \"~/{}\"\n", builtin.name, starter.name);
        world.configure(&entry);
        passes(&world, starter.name);
    }
}

#[test]
fn the_examples_of_policy_add_do_what_they_show() {
    let help = world().run(&["policy", "add", "--help"], "").stdout;
    let examples: Vec<&str> = help.lines().map(str::trim).filter(|line| line.starts_with("guard-host ")).collect();
    assert!(examples.len() >= 3, "{help}");
    // The registry tests cover these.
    for example in examples.into_iter().filter(|example| !example.contains("oci://")) {
        let world = world();
        let program = Path::new(env!("CARGO_BIN_EXE_guard-host")).display();
        let line = example.replacen("guard-host", &program.to_string(), 1);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).current_dir(world.repo()).env("HOME", world.home.path());
        let ended = crate::support::world::end(shell, "");
        assert_eq!(ended.exit, 0, "{example}: {ended:?}");
        passes(&world, example);
    }
}

/// The team's example also protects the folder from the shell.
#[test]
fn the_example_for_a_team_keeps_what_it_names() {
    let block = blocks("docs/teams.md").into_iter().find(|block| block.text.contains("db/migrations")).unwrap();
    let world = World::new();
    world.write("repo/.guard/guard.toml", &block.text);
    for command in ["echo x > db/migrations/1.sql", "rm db/migrations/1.sql", "sed -i s/a/b/ db/migrations/1.sql"] {
        assert_eq!(world.bash(command).decision(), "deny", "{command}");
    }
    assert!(world.bash("cat db/migrations/1.sql").is_silent());
    assert!(world.bash("echo x > db/seeds.sql").is_silent());
}
