//! `guard-host new` as a process, and properties of the templates that need no build.

mod npm;
mod texts;
mod wit;

use std::collections::BTreeSet;
use std::fs;

use guard_kit::suite;

use crate::support::pages::root;
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

/// The languages of components, and the file with the rules.
const LANGUAGES: [(&str, &str); 5] =
    [("rust", "src/lib.rs"), ("js", "policy.js"), ("ts", "policy.ts"), ("python", "policy.py"), ("c", "policy.c")];

const RULES: [&str; 7] =
    ["protected-branch", "outside-project", "elevated", "foreign-registry", "unknown-host", "private-key", "unclear"];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_project_is_written_under_its_name_and_the_next_commands_are_printed() {
    let world = World::new();
    for (language, source) in LANGUAGES {
        let name = format!("team-{language}");
        let ended = world.run(&["new", &name, "--lang", language], "");
        let expected = format!("cd {name}\n./build.sh\nguard-host test policy.wasm fixtures/\n");
        assert_eq!((ended.exit, ended.stdout), (0, expected), "{language}: {}", ended.stderr);
        let file = |path: &str| fs::read_to_string(world.repo().join(&name).join(path)).unwrap();
        assert!(file(source).contains(&format!("\"{name}\"")), "{language}");
        assert!(file("README.md").starts_with(&format!("# {name}\n")), "{language}");
        assert!(!suite::find(&world.repo().join(&name).join("fixtures")).unwrap().is_empty());
        // Each file is the same as in the repository, except for the name.
        let contract = [
            ("wit/0.3.0", "wit"),
            ("wit/0.2.0", "wit/deps/guard-facts-0.2.0"),
            ("wit/0.1.0", "wit/deps/guard-policy-0.1.0"),
        ];
        let shared = if language == "rust" { &[("guest-sdk/src", "guard-sdk/src")][..] } else { &contract };
        let own = format!("guest-sdk/templates/{language}");
        let mut parts = vec![(own.as_str(), ""), ("guest-sdk/templates/shared", "")];
        parts.extend(shared);
        if language == "js" || language == "ts" {
            parts.push(("guest-sdk/templates/js-and-ts", ""));
        }
        let mut compared = 0;
        for (from, to) in parts {
            let mut folders = vec![root().join(from)];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        folders.push(path);
                        continue;
                    }
                    let below = path.strip_prefix(root().join(from)).unwrap();
                    let written = fs::read(world.repo().join(&name).join(to).join(below)).unwrap();
                    let bytes = fs::read(&path).unwrap();
                    let renamed = String::from_utf8(bytes.clone()).map(|text| text.replace("my-policy", &name));
                    let expected = renamed.map_or(bytes, String::into_bytes);
                    assert!(written == expected, "{language}: {}", below.display());
                    compared += 1;
                }
            }
        }
        assert!(compared > 10, "{language}: {compared}");
    }
}

#[test]
fn what_is_in_the_way_or_no_name_is_refused_and_nothing_is_written() {
    let world = World::new();
    world.write("repo/taken/notes.txt", "mine");
    let mut transcript = Transcript::default();
    for (name, language, exit) in
        [("taken", "c", 69), ("../out", "c", 64), ("Team", "c", 64), ("-x", "c", 64), ("team", "cobol", 64)]
    {
        transcript.add(&world, exit, &world.run(&["new", name, "--lang", language], ""));
    }
    assert_text!("new_refused", transcript.0);
    assert_eq!(fs::read_dir(world.home.path()).unwrap().count(), 1);
    assert_eq!(fs::read_dir(world.repo()).unwrap().count(), 2, "`.git` and `taken`");
    assert_eq!(fs::read_dir(world.repo().join("taken")).unwrap().count(), 1);
}

#[test]
fn the_help_the_page_of_commands_and_the_completions_name_each_language() {
    let world = World::new();
    let help = world.run(&["new", "--help"], "").stdout;
    let names = ["rust", "js", "ts", "python", "c", "rego", "cel"];
    for name in names {
        assert!(help.contains(&format!("\n          - {name}:")), "{name}: {help}");
    }
    assert!(read("docs/commands.md").contains(&format!("\n| `new NAME --lang {}` | ", names.join("\\|"))));
    let completions = world.run(&["completions", "bash"], "").stdout;
    assert!(completions.contains(&format!("\"{}\"", names.join(" "))), "{completions}");
}

#[test]
fn the_fifty_calls_are_fifty_and_each_rule_is_hit_and_missed() {
    let suite = suite::read(&root().join("tests/languages/same.toml")).unwrap_or_else(|error| panic!("{error}"));
    let ids: BTreeSet<String> = suite.cases.iter().map(|case| case.id.0.join(",")).collect();
    let expected: BTreeSet<String> = (1..=50).map(|number| format!("L-{number:02}")).collect();
    assert_eq!(ids, expected);
    for rule in RULES {
        let hits = suite.cases.iter().filter(|case| case.rule.as_deref() == Some(rule)).count();
        assert!(hits > 0, "{rule}");
    }
    let silent = suite.cases.iter().filter(|case| case.expect.0 == ["abstain"]).count();
    assert!(silent >= 12, "{silent}");
}

/// All languages have the same rules, messages and defaults.
#[test]
fn the_templates_are_one_policy() {
    let same = read("tests/languages/same.toml");
    for (language, source) in LANGUAGES {
        let text = read(&format!("guest-sdk/templates/{language}/{source}"));
        for word in RULES.into_iter().chain([
            "MultiEdit",
            "master",
            "/tmp",
            "127.0.0.1",
            "--extra-index-url",
            "push a branch of your own and open a pull request",
            "have it added to `allowed-hosts`",
            "write it without names that are known only at run time",
        ]) {
            assert!(text.contains(word), "{language} lacks {word}");
            assert!(same.contains(word), "the plain words lack {word}");
        }
    }
}

#[test]
fn the_tools_of_the_templates_have_one_version() {
    for (language, locked) in [("js", "js-and-ts"), ("ts", "js-and-ts"), ("c", "c")] {
        let package: serde_json::Value =
            serde_json::from_str(&read(&format!("guest-sdk/templates/{language}/package.json"))).unwrap();
        let lock: serde_json::Value =
            serde_json::from_str(&read(&format!("guest-sdk/templates/{locked}/package-lock.json"))).unwrap();
        for (name, version) in package["devDependencies"].as_object().unwrap() {
            let version = version.as_str().unwrap();
            assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{language}: {name} {version}");
            assert_eq!(lock["packages"][format!("node_modules/{name}")]["version"], version, "{language}: {name}");
        }
        assert_eq!(lock["packages"][""]["devDependencies"], package["devDependencies"], "{language}");
        // `npm ci` rejects a lock without a package, even one for another system.
        let packages = lock["packages"].as_object().unwrap();
        for (path, one) in packages {
            for kind in ["dependencies", "optionalDependencies"] {
                for name in one[kind].as_object().into_iter().flat_map(|names| names.keys()) {
                    let is_locked = packages.keys().any(|path| path.ends_with(&format!("node_modules/{name}")));
                    assert!(is_locked, "{language}: `{path}` needs {name}");
                }
            }
        }
    }
    for language in ["python", "c"] {
        let text = read(&format!("guest-sdk/templates/{language}/requirements.txt"));
        assert!(text.lines().all(|line| line.contains("==")), "{language}: {text}");
    }
}

/// The SDK in a project is independent: its manifest has this workspace's values inlined.
#[test]
fn the_sdk_in_a_project_has_the_dependencies_that_it_has_here() {
    let world = World::new();
    assert_eq!(world.run(&["new", "team", "--lang", "rust"], "").exit, 0);
    let written = fs::read_to_string(world.repo().join("team/guard-sdk/Cargo.toml")).unwrap();
    assert!(!written.contains("workspace") && !written.contains("lints"), "{written}");
    let copy: toml::Table = toml::from_str(&written).unwrap();
    let sdk: toml::Table = toml::from_str(&read("guest-sdk/Cargo.toml")).unwrap();
    for section in ["package", "dependencies", "features"] {
        let names = |table: &toml::Table| table[section].as_table().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&copy), names(&sdk), "{section}");
    }
    assert_eq!(
        (copy["package"]["name"].as_str(), copy["package"]["edition"].as_str()),
        (Some("guard-sdk"), Some("2024"))
    );
    assert_eq!(copy["dependencies"]["wit-bindgen"]["version"].as_str(), Some("0.63"));
    assert_eq!(copy["dependencies"]["wit-bindgen"]["features"].as_array().unwrap().len(), 1);
    assert_eq!(copy["dependencies"]["schemars"]["optional"].as_bool(), Some(true));
}

#[test]
fn the_template_in_rust_locks_versions_that_the_workspace_has() {
    let locked = |path: &str| {
        let lock: toml::Table = toml::from_str(&read(path)).unwrap();
        let packages = lock["package"].as_array().unwrap().clone();
        packages.iter().map(|package| format!("{} {}", package["name"], package["version"])).collect::<BTreeSet<_>>()
    };
    let (ours, own) = (locked("Cargo.lock"), "\"my-policy\" \"0.1.0\"".to_owned());
    let theirs = locked("guest-sdk/templates/rust/Cargo.lock");
    let strangers: Vec<&String> = theirs.iter().filter(|one| !ours.contains(*one) && **one != own).collect();
    assert!(strangers.is_empty() && theirs.len() > 10, "{strangers:?}");
}
