//! The Rego and CEL projects: they need no build, so they are followed here, without a network.

use std::collections::BTreeSet;
use std::fs;

use super::read;
use crate::support::pages::{Shell, blocks};
use crate::support::texts::normalized_output;
use crate::support::world::World;
use crate::texts::assert_text;

/// A language, and the file with its rules.
const TEXTS: [(&str, &str); 2] = [("rego", "policy.rego"), ("cel", "policy.toml")];

/// Returns a language's files of cases.
fn cases(language: &str) -> &'static [&'static str] {
    if language == "rego" { &["cases.toml", "policy_test.rego"] } else { &["cases.toml"] }
}

const RULES: [&str; 4] = ["protected-branch", "elevated", "private-key", "unclear"];

#[test]
fn the_cases_pass_at_once_by_the_commands_that_are_printed() {
    for (language, file) in TEXTS {
        let mut shell = Shell::new();
        let printed = shell.run(&format!("guard-host new team-rules --lang {language}"));
        let expected = format!("cd team-rules\nguard-host test {language} cases/ --settings-file {file}\n");
        assert_eq!((printed.exit, printed.stdout.as_str()), (0, expected.as_str()), "{language}: {}", printed.stderr);
        let ended = shell.run(&printed.stdout);
        assert_eq!(ended.exit, 0, "{language}: {ended:?}");
        assert_text!(
            format!("new_{language}"),
            normalized_output(&shell.world, &printed) + &normalized_output(&shell.world, &ended)
        );
        // A changed case fails, which shows that passing is meaningful.
        let cases = shell.folder().join("cases/cases.toml");
        fs::write(&cases, fs::read_to_string(&cases).unwrap().replacen("\"deny\"", "\"ask\"", 1)).unwrap();
        assert_eq!(shell.run(&format!("guard-host test {language} cases/ --settings-file {file}")).exit, 1);
    }
}

#[test]
fn the_folder_holds_a_few_files_as_they_stand_in_the_repository() {
    let world = World::new();
    for (language, file) in TEXTS {
        let name = format!("team-{language}");
        assert_eq!(world.run(&["new", &name, "--lang", language], "").exit, 0, "{language}");
        let project = world.repo().join(&name);
        let inside = |folder: &str| -> BTreeSet<String> {
            let entries = fs::read_dir(project.join(folder)).unwrap();
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(inside(""), BTreeSet::from(["README.md", file, "cases"].map(str::to_owned)), "{language}");
        let cases = cases(language);
        assert_eq!(inside("cases"), cases.iter().map(|&name| name.to_owned()).collect(), "{language}");
        let cases = cases.iter().map(|name| format!("cases/{name}"));
        for path in ["README.md", file].map(str::to_owned).into_iter().chain(cases) {
            let expected = read(&format!("guest-sdk/templates/{language}/{path}")).replace("my-policy", &name);
            assert_eq!(fs::read_to_string(project.join(&path)).unwrap(), expected, "{language}: {path}");
        }
    }
}

/// The entry in the project's README, at the path that it names.
#[test]
fn the_entry_of_the_readme_puts_the_rules_into_a_project() {
    for (language, _) in TEXTS {
        let mut shell = Shell::new();
        assert_eq!(shell.run(&format!("mkdir .guard && cd .guard && guard-host new team --lang {language}")).exit, 0);
        let project = shell.world.repo().join(".guard/team");
        let readme = blocks(project.join("README.md").to_str().unwrap());
        let entry = readme.iter().find(|block| block.language == "toml").unwrap();
        fs::write(shell.world.repo().join(".guard/guard.toml"), &entry.text).unwrap();
        let checked = shell.run("cd ..\nguard-host config check");
        assert_eq!(checked.exit, 0, "{language}: {checked:?}");
        let ended = shell.run("guard-host check 'git push --force origin main' || true");
        assert!(ended.stdout.starts_with("deny: "), "{language}: {ended:?}");
        let ended = shell.run("guard-host check 'env A=1 sudo ls' || true");
        assert!(ended.stdout.contains("[team: elevated]"), "{language}: {ended:?}");
    }
}

/// The commands in the project's README.
#[test]
fn the_commands_of_the_readme_test_the_rules_and_add_them() {
    for (language, _) in TEXTS {
        let mut shell = Shell::new();
        assert_eq!(shell.run(&format!("guard-host new team --lang {language} && cd team")).exit, 0);
        let page = shell.folder().join("README.md");
        shell.follow(page.to_str().unwrap()).unwrap_or_else(|error| panic!("{language}: {error}"));
        let ended = shell.run("guard-host check 'env A=1 sudo ls' || true");
        assert!(ended.stdout.contains("[team: elevated]"), "{language}: {ended:?}");
    }
}

/// The two languages have the same rules and messages, as far as the other templates have the rule.
#[test]
fn the_two_texts_have_the_same_rules_and_cases() {
    for rule in RULES {
        for (language, file) in TEXTS {
            assert!(read(&format!("guest-sdk/templates/{language}/{file}")).contains(rule), "{language} lacks {rule}");
        }
        assert!(super::RULES.contains(&rule), "{rule}");
    }
    let cases = |language: &str| {
        let text = read(&format!("guest-sdk/templates/{language}/cases/cases.toml"));
        text.split_once("[[cases]]").map(|(_, cases)| cases.to_owned()).unwrap()
    };
    assert_eq!(cases("rego"), cases("cel"));
}
