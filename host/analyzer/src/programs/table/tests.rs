//! Tests every file of `programs/` with its examples.

#[path = "../../../tests/support/cases.rs"]
#[expect(dead_code, reason = "the details of a case are checked in tests/effects.rs")]
mod cases;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use guard_sdk::syntax::{Command, EFFECT_KINDS, Effect};
use serde::Deserialize;

use super::call::{Call, fits};
use super::{Entry, Fact, entry};
use crate::options::parse;
use crate::programs::program::unversioned;

/// The parts of a file that the program doesn't need and that the tests parse again.
#[derive(Deserialize)]
struct File {
    names: Vec<String>,
    silent: Vec<String>,
    effect: Vec<Examples>,
}

#[derive(Deserialize)]
struct Examples {
    examples: Vec<String>,
}

fn analyze(command: &str) -> guard_sdk::syntax::Analysis {
    crate::analyze(command, "bash", "/repo", "/home/u", guard_script_effects::read, |_| crate::Source::None)
}

/// Returns the indexes of the entry's effects that match a command of the text.
fn fitting(entry: &'static Entry, commands: &[Command]) -> Vec<usize> {
    let mut found = Vec::new();
    for command in commands {
        let words = command.argv.get(1..).unwrap_or_default();
        let parsed = parse(words, entry.options, false);
        let call = Call::new(entry, words, &parsed, false);
        let program = command.program().to_ascii_lowercase();
        let names = [program.as_str(), unversioned(&program)];
        let known = names.into_iter().find(|name| super::entry(name).is_some_and(|other| std::ptr::eq(other, entry)));
        let Some(name) = known.filter(|_| !call.is_harmless()) else { continue };
        let places = call.fitting(name).into_iter().map(|(fact, _)| place(entry, fact));
        found.extend(places);
    }
    found
}

fn place(entry: &Entry, fact: &Fact) -> usize {
    entry.effects.iter().position(|other| std::ptr::eq(other, fact)).unwrap()
}

fn is_of(effect: &Effect, fact: &Fact) -> bool {
    effect.operation == fact.operation && effect.severity == fact.severity
}

#[test]
fn every_example_has_the_effect_that_it_stands_beside() {
    let mut complaints = Vec::new();
    for (name, file) in cases::read::<File>("programs") {
        let entry = entry(&file.names[0]).unwrap();
        assert_eq!(entry.file, format!("programs/{name}"));
        for (at, (fact, examples)) in entry.effects.iter().zip(&file.effect).enumerate() {
            for example in &examples.examples {
                let analysis = analyze(example);
                let fits = fitting(entry, &analysis.commands);
                // Another program may have run this one: `python manage.py`.
                if !fits.contains(&at) && !fits.is_empty() {
                    complaints.push(format!("{name}: {example:?} fits {fits:?}, not {at} ({})", fact.operation));
                } else if !analysis.effects.iter().any(|effect| is_of(effect, fact)) {
                    complaints.push(format!("{name}: {example:?} lacks {}: {:?}", fact.operation, analysis.effects));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_harmless_call_has_none_of_the_effects() {
    let mut complaints = Vec::new();
    for (name, file) in cases::read::<File>("programs") {
        let operations: BTreeSet<&str> =
            entry(&file.names[0]).unwrap().effects.iter().map(|fact| fact.operation).collect();
        for command in &file.silent {
            let effects = analyze(command).effects;
            let found = effects
                .iter()
                .find(|effect| operations.contains(effect.operation.as_str()) && effect.tag("dry-run").is_none());
            complaints.extend(found.map(|effect| format!("{name}: {command:?} has {effect:?}")));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn an_example_is_nothing_as_data() {
    for (name, file) in cases::read::<File>("programs") {
        for example in file.effect.iter().flat_map(|effect| &effect.examples) {
            let quoted = example.replace('\'', "'\\''");
            for text in
                [format!("echo '{quoted}'"), format!("grep -n '{quoted}' a"), format!("git log --grep '{quoted}'")]
            {
                let found = analyze(&text).effects.into_iter().find(|effect| effect.kind != "read");
                assert!(found.is_none(), "{name}: {text:?} has {found:?}");
            }
        }
    }
}

#[test]
fn a_star_stands_for_any_text_and_case_is_folded() {
    for (pattern, word) in [
        ("delete-*", "delete-x"),
        ("*:drop", "db:drop"),
        ("a*c", "abc"),
        ("*", ""),
        ("*=*", "a=b"),
        ("a*b*c", "a--B--c"),
        ("X", "x"),
    ] {
        assert!(fits(pattern, word), "{pattern} {word}");
    }
    for (pattern, word) in [
        ("delete-*", "delete"),
        ("aba*aba", "ababa"),
        ("*=*", "ab"),
        ("a*b*c", "ac"),
        ("*:drop", "drop"),
        ("é*", "e"),
        ("a", "é"),
    ] {
        assert!(!fits(pattern, word), "{pattern} {word}");
    }
}

/// A team's settings can contain these names.
#[test]
fn the_list_of_operations_is_that_of_the_sources() {
    let listed: BTreeSet<&str> = guard_sdk::syntax::operations().collect();
    let families: BTreeSet<&str> = listed.iter().filter_map(|name| Some(name.split_once('.')?.0)).collect();
    let mut written = BTreeSet::new();
    for (file, text) in sources(&["src", "programs"]) {
        for literal in text.split('"').filter(|part| !part.contains(char::is_whitespace)) {
            if listed.contains(literal) {
                written.insert(literal.to_owned());
            } else if let Some((family, rest)) = literal.split_once('.') {
                let is_name = rest.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '.'))
                    && rest.ends_with(char::is_alphabetic)
                    // A file name.
                    && rest != "json";
                assert!(!families.contains(family) || !is_name, "{file}: {literal} is not in operations.txt");
            }
        }
    }
    let unused: Vec<_> = listed.iter().filter(|name| !written.contains(**name)).collect();
    assert!(unused.is_empty(), "no source has {unused:?}");
}

/// Rules in Rego and CEL can compare with these kinds.
#[test]
fn each_kind_of_the_tables_is_in_the_list_of_kinds() {
    for (name, file) in cases::read::<File>("programs") {
        for fact in entry(&file.names[0]).unwrap().effects {
            assert!(EFFECT_KINDS.contains(&fact.kind), "{name}: {:?} is not in EFFECT_KINDS", fact.kind);
        }
    }
}

/// Returns the paths and texts of all files in the folders.
fn sources(folders: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left: Vec<_> = folders.iter().map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

#[test]
fn a_way_out_names_the_program_that_runs() {
    for (command, expected) in [
        ("tofu destroy", "`tofu plan -destroy`"),
        ("php artisan migrate:fresh", "`php artisan migrate:status`"),
        ("mix ecto.drop", "`mix ecto.migrations`"),
        ("brew uninstall jq", "`brew uses --installed NAME`"),
        ("apt-get remove jq", "`apt-get remove --simulate NAME`"),
        ("setenforce 0", "`getenforce`"),
        ("ufw disable", "`ufw status verbose`"),
        ("serverless remove", "`serverless info`"),
        ("launchctl unload x.plist", "`launchctl list`"),
        ("pnpm publish", "`pnpm publish --dry-run`"),
        ("k3s kubectl delete pod x", "`k3s kubectl delete --dry-run=client`"),
        ("podman rm -fv a", "`podman inspect NAME`"),
    ] {
        let effects = analyze(command).effects;
        let found = effects.iter().filter_map(|effect| effect.tag("instead")).any(|text| text.contains(expected));
        assert!(found, "{command}: {effects:?}");
    }
}
