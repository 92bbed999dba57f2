//! The recipes of the `justfile` use existing commands, and the pages show the same commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::pages::{blocks, root};
use crate::support::world::World;

/// A recipe of the `justfile`.
struct Recipe {
    name: String,
    /// The number of comment lines directly above it.
    comment: usize,
    /// The commands, without the syntax of `just`.
    commands: Vec<String>,
}

fn recipes() -> Vec<Recipe> {
    let mut found: Vec<Recipe> = Vec::new();
    let mut comment = 0;
    for line in fs::read_to_string(root().join("justfile")).unwrap().lines() {
        if let Some(command) = line.strip_prefix("    ") {
            found.last_mut().unwrap().commands.push(command.trim_start_matches('@').to_owned());
        } else if line.starts_with('#') {
            comment += 1;
        } else if let Some((head, "")) = line.split_once(':') {
            let name = head.split(' ').next().unwrap().to_owned();
            found.push(Recipe { name, comment, commands: Vec::new() });
            comment = 0;
        } else {
            assert_eq!(line, "", "the line is neither a comment, a recipe nor a command");
            comment = 0;
        }
    }
    found
}

/// Returns the commands that rewrite files which tests compare.
fn blessings() -> BTreeSet<String> {
    let commands = recipes().into_iter().flat_map(|recipe| recipe.commands);
    commands.filter(|command| command.starts_with("UPDATE_")).collect()
}

/// Returns the text of every source file and page of the repository, by path.
fn texts() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
                folders.push(path);
            } else if path.is_file() && (name.ends_with(".rs") || name.ends_with(".md")) {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// Returns the variables that make a test write its files.
fn variables() -> BTreeSet<String> {
    let texts = texts();
    let read = texts.iter().flat_map(|(_, text)| text.split("var_os(\"").skip(1));
    let names = read.map(|rest| rest.split('"').next().unwrap().to_owned());
    names.filter(|name| name.starts_with("UPDATE_")).collect()
}

/// Returns the folder of every package of the workspace, by name.
fn packages() -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for parent in ["", "host", "policies", "policies/lib"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            let folder = entry.unwrap().path();
            let manifest = manifest(&folder);
            if let Some(name) = manifest.get("package").and_then(|package| package["name"].as_str()) {
                found.insert(name.to_owned(), folder);
            }
        }
    }
    found
}

fn manifest(folder: &Path) -> toml::Table {
    toml::from_str(&fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default()).unwrap()
}

/// Returns the error in a command with a nonexistent subcommand or option.
pub(super) fn missing(command: &str) -> Option<String> {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    let assigned = words.iter().take_while(|word| word.split('/').next().unwrap().contains('=')).count();
    for variable in words.drain(..assigned).map(|word| word.split('=').next().unwrap()) {
        if variable.starts_with("UPDATE_") && !variables().contains(variable) {
            return Some(format!("no test reads {variable}"));
        }
    }
    match words.split_first() {
        Some((&"cargo", rest)) => missing_for_cargo(rest),
        Some((&"target/release/guard-host", rest)) => {
            let known = World::new().run(&[rest[0], "--help"], "").exit == 0;
            (!known).then(|| format!("guard-host has no command `{}`", rest[0]))
        }
        Some((&"just", _)) => None,
        Some((script, _)) => (!root().join(script).is_file()).then(|| format!("there is no file {script}")),
        None => Some("there is no command".to_owned()),
    }
}

fn missing_for_cargo(words: &[&str]) -> Option<String> {
    let settings: toml::Table =
        toml::from_str(&fs::read_to_string(root().join(".cargo/config.toml")).unwrap()).unwrap();
    let known = ["bench", "build", "fmt", "install", "run", "test"];
    if !known.contains(&words[0]) && settings["alias"].get(words[0]).is_none() {
        return Some(format!("`{}` is neither a command of Cargo that is used here nor an alias", words[0]));
    }
    let packages = packages();
    let (mut folders, mut targets, mut filter) = (Vec::new(), Vec::new(), "");
    let mut rest = words[1..].iter().copied().take_while(|word| *word != "--");
    while let Some(word) = rest.next() {
        match word {
            "-p" => match packages.get(rest.next().unwrap_or_default()) {
                Some(folder) => folders.push(folder.clone()),
                None => return Some("there is no such package".to_owned()),
            },
            "--test" => targets.push(rest.next().unwrap_or_default()),
            "--profile" => {
                let name = rest.next().unwrap_or_default();
                if manifest(&root())["profile"].get(name).is_none() {
                    return Some(format!("there is no profile `{name}`"));
                }
            }
            "--target" => drop(rest.next()),
            "--example" => {
                let file = format!("examples/{}.rs", rest.next().unwrap_or_default());
                if !folders.iter().any(|folder| folder.join(&file).is_file()) {
                    return Some(format!("no package that is named has {file}"));
                }
            }
            "--manifest-path" | "--path" if root().join(rest.next().unwrap_or_default()).exists() => {}
            "--manifest-path" | "--path" => return Some("the path leads nowhere".to_owned()),
            _ if word.starts_with('-') || word.starts_with("{{") => {}
            _ => filter = word,
        }
    }
    if let Some(target) = targets.iter().find(|target| !folders.iter().any(|folder| has_test(folder, target))) {
        return Some(format!("no package that is named has the tests `{target}`"));
    }
    let selects = match (filter, targets.as_slice()) {
        ("", _) => true,
        (_, ["all"]) => {
            let listed = Command::new(std::env::current_exe().unwrap()).args(["--list", filter]).output().unwrap();
            String::from_utf8(listed.stdout).unwrap().lines().any(|line| line.ends_with(": test"))
        }
        // The tables of `cases` are named after the policies.
        (_, ["cases"]) => filter.split("::").next().is_some_and(|name| root().join("policies").join(name).is_dir()),
        _ => texts().iter().any(|(path, text)| {
            folders.iter().any(|folder| path.starts_with(folder)) && text.contains(&format!("fn {filter}("))
        }),
    };
    (!selects).then(|| format!("no test is named `{filter}`"))
}

fn has_test(folder: &Path, name: &str) -> bool {
    let manifest = manifest(folder);
    let listed = manifest.get("test").and_then(toml::Value::as_array).into_iter().flatten();
    folder.join("tests").join(format!("{name}.rs")).is_file()
        || listed.into_iter().any(|test| test["name"].as_str() == Some(name))
}

#[test]
fn every_recipe_runs_what_there_is_and_says_so_in_one_line() {
    let mut complaints = Vec::new();
    for Recipe { name, comment, commands } in recipes() {
        if comment != 1 || commands.is_empty() {
            complaints.push(format!("{name}: {comment} lines of comment, {} commands", commands.len()));
        }
        for command in commands {
            complaints.extend(missing(&command).map(|fault| format!("{name}: `{command}`: {fault}")));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn a_command_that_runs_nothing_is_found() {
    for (command, fault) in [
        ("UPDATE_PAGE=1 cargo test --release -p guard-host --test all docs::rules", "no test reads UPDATE_PAGE"),
        ("cargo test -p guard-hosts", "no such package"),
        ("cargo test -p guard-host --test most", "`most`"),
        ("cargo test -p guard-host --test all mutate::page", "`mutate::page`"),
        ("cargo test -p guard-setup --lib the_page", "`the_page`"),
        ("cargo run -p guard-shell --example imagined -- 1", "imagined"),
        ("cargo tests", "`tests`"),
        (".ci/walk", ".ci/walk"),
        ("target/release/guard-host rate x", "`rate`"),
    ] {
        assert!(missing(command).is_some_and(|found| found.contains(fault)), "{command}: {:?}", missing(command));
    }
}

/// The `justfile` owns the commands that rewrite files. All other mentions must match it exactly.
#[test]
fn every_command_that_writes_pages_is_one_of_a_recipe() {
    let blessings = blessings();
    let named: BTreeSet<String> = blessings.iter().map(|line| line.split('=').next().unwrap().to_owned()).collect();
    assert_eq!(named, variables());
    let mut complaints = Vec::new();
    for (path, text) in texts().iter().filter(|(path, _)| !path.ends_with("recipes.rs")) {
        for (at, _) in text.match_indices("UPDATE_") {
            let shown = text.split_at(at).1.split(['`', '"', '\n']).next().unwrap().trim_end();
            if shown.contains("=1 cargo") && !blessings.contains(shown) {
                complaints.push(format!("{}: the justfile has no `{shown}`", path.display()));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_page_for_contributors_shows_commands_that_there_are() {
    let page = "CONTRIBUTING.md";
    let text = fs::read_to_string(root().join(page)).unwrap();
    for Recipe { name, commands, .. } in recipes() {
        if commands.iter().any(|command| command.starts_with("UPDATE_")) {
            assert!(text.contains(&format!("| `just {name}` |")), "{page} does not name the recipe {name}");
            commands.iter().for_each(|line| assert!(text.contains(&format!("`{line}`")), "{page} lacks `{line}`"));
        }
    }
    let spans =
        text.lines().filter(|line| !line.starts_with("```")).flat_map(|line| line.split('`').skip(1).step_by(2));
    let lines: Vec<String> = blocks(page).iter().flat_map(|block| block.text.lines().map(str::to_owned)).collect();
    let starts = ["cargo ", "UPDATE_", ".ci/"];
    let all = spans.map(str::to_owned).chain(lines).filter(|text| starts.iter().any(|start| text.starts_with(start)));
    let mut checked = 0;
    for command in all {
        for part in command.split(" && ") {
            assert_eq!(missing(part), None, "{page}: `{part}`");
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked}");
    let recipes: BTreeSet<String> = recipes().into_iter().map(|recipe| recipe.name).collect();
    let named = text.split("`just ").skip(1).map(|rest| rest.split(['`', ' ']).next().unwrap());
    named.for_each(|name| assert!(recipes.contains(name), "{page}: there is no recipe `{name}`"));
}
