//! `guard-host policy wit`: the files for other tools match `wit/`, and no user's file is overwritten.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use wit_bindgen_core::wit_parser::Resolve;

use super::{read, root};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::World;
use crate::texts::assert_text;

/// Returns the paths of the files in a folder and below it.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(names(&path).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            found.insert(name);
        }
    }
    found
}

/// The last version is at the top, because its package contains the world, and the others are where tools look for
/// them.
const PARTS: [(&str, &str); 3] =
    [("wit/0.3.0", ""), ("wit/0.2.0", "deps/guard-facts-0.2.0/"), ("wit/0.1.0", "deps/guard-policy-0.1.0/")];

/// Returns each file of the contract, and its path in the repository.
fn contract() -> BTreeMap<String, String> {
    let files = PARTS.iter().flat_map(|(folder, prefix)| {
        names(&root().join(folder)).into_iter().map(move |name| (format!("{prefix}{name}"), format!("{folder}/{name}")))
    });
    files.collect()
}

#[test]
fn the_folder_holds_the_files_of_the_contract_and_nothing_else() {
    let world = World::new();
    let ended = world.run(&["policy", "wit", "deep/contract"], "");
    let folder = world.repo().join("deep/contract");
    assert_eq!((ended.exit, names(&folder)), (0, contract().into_keys().collect()), "{}", ended.stderr);
    for (name, source) in contract() {
        assert!(fs::read_to_string(folder.join(&name)).unwrap() == read(&source), "{name}");
    }
    let mut paths: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
    paths.sort();
    let expected: Vec<String> = contract().keys().map(|name| format!("deep/contract/{name}")).collect();
    assert_eq!(paths, expected);
    assert_text!("wit", normalize(&world, &ended.stderr));
    assert!(!contract().is_empty());
}

/// Some tools take the only world of a package, and reject packages with two.
#[test]
fn tools_find_a_package_with_one_world_and_the_other_where_it_is_looked_for() {
    let world = World::new();
    assert_eq!(world.run(&["policy", "wit", "contract"], "").exit, 0);
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(world.repo().join("contract")).unwrap();
    assert_eq!((resolve.packages.len(), resolve.packages[package].worlds.len()), (3, 1));
    let only = resolve.select_world(&[package], None).unwrap();
    assert_eq!(resolve.worlds[only].name, "guest");
    assert_eq!(resolve.packages[package].name.to_string(), "guard:facts@0.3.0");
}

#[test]
fn what_is_there_already_is_completed_and_other_files_stay() {
    let world = World::new();
    world.write("repo/contract/notes.txt", "mine");
    world.write("repo/contract/world.wit", read("wit/0.3.0/world.wit"));
    for _ in 0..2 {
        let ended = world.run(&["policy", "wit", "contract"], "");
        assert_eq!((ended.exit, ended.stdout.lines().count()), (0, contract().len()), "{}", ended.stderr);
    }
    let mut expected: BTreeSet<String> = contract().into_keys().collect();
    expected.insert("notes.txt".to_owned());
    assert_eq!(names(&world.repo().join("contract")), expected);
    assert_eq!(fs::read_to_string(world.path("repo/contract/notes.txt")).unwrap(), "mine");
}

#[test]
fn a_file_with_other_content_is_refused_and_nothing_is_written() {
    let world = World::new();
    world.write("repo/changed/history.wit", "mine");
    world.write("repo/longer/world.wit", read("wit/0.3.0/world.wit") + "\n");
    world.write("repo/folder/deps/guard-facts-0.2.0/git.wit/x", "mine");
    fs::create_dir_all(world.path("repo/linked/deps/guard-facts-0.2.0")).unwrap();
    std::os::unix::fs::symlink(world.path("nowhere"), world.path("repo/linked/deps/guard-facts-0.2.0/earlier.wit"))
        .unwrap();
    world.write("repo/file", "mine");
    let mut transcript = Transcript::default();
    for folder in ["changed", "longer", "folder", "linked", "file"] {
        transcript.add(&world, 69, &world.run(&["policy", "wit", folder], ""));
        if folder != "file" {
            assert_eq!(names(&world.repo().join(folder)).len(), 1, "{folder}");
        }
    }
    assert_text!("wit_refused", transcript.0);
    assert_eq!(fs::read_to_string(world.path("repo/changed/history.wit")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(world.path("repo/file")).unwrap(), "mine");
    assert!(!world.path("nowhere").exists());
}

#[test]
fn help_and_completions_know_the_command() {
    let world = World::new();
    let help = world.run(&["policy", "wit", "--help"], "").stdout;
    let (_, examples) = help.split_once("Examples:\n").unwrap();
    assert!(examples.lines().filter(|line| line.contains("guard-host policy wit ")).count() >= 2, "{help}");
    assert!(world.run(&["policy", "--help"], "").stdout.contains("\n  wit "));
    assert!(world.run(&["completions", "fish"], "").stdout.contains("-a \"wit\""));
    assert_eq!(world.run(&["policy", "wit"], "").exit, 64);
}
