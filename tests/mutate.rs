//! `guard-host test --mutate`: the table of rewrites, its results for the built-in policies, and the command's output.

mod command;
mod proof;

use std::collections::BTreeSet;
use std::path::Path;

use guard_contract::Wasi;
use guard_kit::suite::mutate::{Mutation, REWRITES, SIBLINGS, Tally, mutate, page};
use guard_kit::suite::{self, Subject, SuiteOnChain};
use guard_state::AppDirs;

use crate::support::pages::root;

const PAGE: &str = "guest-sdk/docs/mutations.md";

const UPDATE: &str = "UPDATE_PAGES=1 cargo test --release -p guard-host --test all mutate::the_page_is_the_table";

/// Returns a built-in policy, with artifacts that all tests share.
fn subject(name: &str) -> Subject {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("warm-home");
    for folder in [".cache/guard-host", ".local/state/guard-host"] {
        guard_state::make_private(&home.join(folder)).unwrap();
    }
    let dirs = AppDirs::under_home(home.to_str().unwrap());
    Subject::policy(name, Wasi::default(), &root(), &dirs).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_rewrite_does_what_its_example_says() {
    let subject = subject("write-control");
    for rewrite in REWRITES.iter().chain(SIBLINGS) {
        let (before, after) = rewrite.example;
        let made = match rewrite.is_of_paths() {
            true => rewrite.path(before),
            false => rewrite.command(before, subject.analyzer(), "/repo", "/home/u"),
        };
        assert_eq!(made.as_deref(), Some(after), "{}", rewrite.id);
    }
    let names: BTreeSet<&str> = REWRITES.iter().chain(SIBLINGS).map(|rewrite| rewrite.id).collect();
    assert_eq!(names.len(), REWRITES.len() + SIBLINGS.len(), "two rewrites have one name");
    assert!(REWRITES.iter().filter(|rewrite| !rewrite.is_of_paths()).count() >= 40);
}

#[test]
fn what_would_not_be_sound_is_left_alone() {
    let subject = subject("write-control");
    let apply = |id: &str, text: &str| {
        let rewrite = REWRITES.iter().find(|rewrite| rewrite.id == id).unwrap();
        rewrite.command(text, subject.analyzer(), "/repo", "/home/u")
    };
    for (id, text) in [
        // Another program can't start a builtin.
        ("sudo", "cd /tmp"),
        ("env", "export A=1"),
        ("find-exec", "eval ls"),
        // It can't start the text's own function either.
        ("nohup", "f() { ls; }; f"),
        // The script must not be the standard input of a program that reads it.
        ("here-document", "psql -f -"),
        ("piped", "cat"),
        ("xargs", "ssh host ls"),
        // Nothing can follow on the line.
        ("and-true", "ls # all"),
        ("piped-on", "cat <<E\nx\nE"),
        ("comment", "ls &"),
        // In quotes, a pattern isn't expanded.
        ("quote-single", "rm *.c"),
        ("argument-variable", "ls $x"),
        // A tail that belongs to something else.
        ("for", "while ls; do break; done"),
        ("function", "echo $1"),
        ("sh-c", "[[ -f x ]] && ls"),
        // The output would be lost.
        ("output-dropped", "cat .env"),
        // Not all options are known, and operands look like options.
        ("options-last", "rm -rf -- x"),
        ("options-split", "rm -ri x"),
        ("options-ended", "git push origin main"),
        // Incomplete.
        ("bash-c", "echo 'x"),
        ("subshell", "cat <<E\nx"),
        // The loss is only on this machine.
        ("ssh", "rm build"),
        // The first command decides whether the next one runs.
        ("negated", "ls && rm x"),
        ("data-comment", "a\nb"),
    ] {
        assert_eq!(apply(id, text), None, "{id} of {text:?}");
    }
    assert_eq!(apply("subshell", "ls # all").unwrap(), "( ls # all\n)");
    assert_eq!(apply("quote-single", "rm -rf a ~").unwrap(), "rm -rf 'a' ~");
    assert_eq!(apply("data-here-document", "END").unwrap(), "cat <<'END1' > notes.txt\nEND\nEND1");
}

#[test]
fn the_page_is_the_table() {
    let path = root().join(PAGE);
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == page(), "{PAGE} is old; run `{UPDATE}`");
}

/// Runs `then` with the mutants of a built-in's own cases.
fn mutated<R>(name: &str, how: Mutation<'_>, then: impl FnOnce(&Tally<'_>) -> R) -> R {
    let subject = subject(name);
    let files = suite::find(&root().join("policies").join(name).join("cases")).unwrap();
    let suites: Vec<_> = files.iter().map(|file| suite::read(file).unwrap()).collect();
    let chains: Vec<_> = suites.iter().map(|suite| subject.chain_for_suite(suite).unwrap()).collect();
    let on_chains: Vec<SuiteOnChain<'_>> =
        files.iter().zip(&suites).zip(&chains).map(|((file, suite), chain)| (file.as_path(), suite, chain)).collect();
    then(&mutate(&subject, &on_chains, how))
}

const HOW: Mutation<'static> =
    Mutation { rewrites: REWRITES, depth: 1, seed: 1, max: 1_500, filters: &[], progress: None };

/// Policies that judge by a user's text, which may depend on anything.
const LANGUAGES: [&str; 2] = ["cel", "rego"];

#[test]
fn every_built_in_says_the_same_of_at_least_97_of_100_mutants() {
    let mut seen = BTreeSet::new();
    let judges = guard_builtins::all().iter().filter(|builtin| !LANGUAGES.contains(&builtin.name));
    for builtin in judges {
        for depth in [1, 2] {
            mutated(builtin.name, Mutation { depth, ..HOW }, |tally| {
                seen.extend(tally.counts_by_rewrite().iter().map(|(rewrite, ..)| rewrite.id));
                let survivors: Vec<String> = tally
                    .survivors()
                    .map(|mutant| format!("{:?}: {} for {}", mutant.text, mutant.got, mutant.expected))
                    .collect();
                assert!(tally.mutants.len() > 400, "{}: {}", builtin.name, tally.mutants.len());
                assert!(!tally.is_below(97), "{} at depth {depth}:\n{}", builtin.name, survivors.join("\n"));
            });
        }
    }
    let never: Vec<&str> = REWRITES.iter().map(|rewrite| rewrite.id).filter(|id| !seen.contains(id)).collect();
    assert_eq!(never, [""; 0], "no case of ours is rewritten so");
}

#[test]
fn a_seed_gives_the_same_mutants() {
    let texts = |seed| {
        let how = Mutation { depth: 2, seed, max: 60, ..HOW };
        let texts = |tally: &Tally<'_>| tally.mutants.iter().map(|mutant| mutant.text.clone()).collect::<Vec<_>>();
        mutated("write-control", how, texts)
    };
    let first = texts(5);
    assert!(first.len() > 40, "{}", first.len());
    assert_eq!(first, texts(5));
    assert_ne!(first, texts(6));
}

/// For most survivors, a seed's list denies one spelling, and a sibling asks.
#[test]
fn every_built_in_stops_the_siblings_of_what_it_stops() {
    let mut seen = BTreeSet::new();
    for builtin in guard_builtins::all().iter().filter(|builtin| !LANGUAGES.contains(&builtin.name)) {
        mutated(builtin.name, Mutation { rewrites: SIBLINGS, max: 1_500, ..HOW }, |tally| {
            seen.extend(tally.counts_by_rewrite().iter().map(|(rewrite, ..)| rewrite.id));
            let passed: Vec<String> = tally
                .survivors()
                .filter(|mutant| !matches!(mutant.got.as_str(), "ask" | "deny"))
                .map(|mutant| format!("{:?}: {} for {}", mutant.text, mutant.got, mutant.expected))
                .collect();
            // In a script that the text writes, a program's shell escape is legitimate.
            assert!(passed.len() * 50 <= tally.mutants.len(), "{}:\n{}", builtin.name, passed.join("\n"));
        });
    }
    let never: Vec<&str> = SIBLINGS.iter().map(|rewrite| rewrite.id).filter(|id| !seen.contains(id)).collect();
    assert_eq!(never, [""; 0], "no case of ours has such a sibling");
}
