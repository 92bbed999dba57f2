//! The pages about policies are correct: their commands run, the host reads their files, and their links work. The job
//! in `languages.rs`, which needs a network, follows the pages about single languages.

mod benchmarks;
mod blocks;
mod cookbook;
mod examples;
mod fleet;
mod recipes;
pub(crate) mod rules;
mod site;
mod threats;
mod units;
mod workflows;

use std::fs;
use std::path::Path;

use crate::support::pages::{Block, Shell, blocks, root};
use guard_kit::suite;

/// The pages for users, in reading order.
pub(crate) const FOR_USERS: [&str; 12] = [
    "README.md",
    "docs/README.md",
    "docs/getting-started.md",
    "docs/fewer-prompts.md",
    "docs/teams.md",
    "docs/add-a-policy.md",
    "docs/replay.md",
    "docs/how-it-works.md",
    "docs/configuration.md",
    "docs/commands.md",
    "docs/harnesses.md",
    "docs/install.md",
];

/// Returns the pages in a folder.
fn pages_of(folder: &str) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    entries.map(move |entry| format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy()))
}

/// Returns every page for authors.
fn all() -> Vec<String> {
    let mut pages: Vec<String> = pages_of("guest-sdk/docs").collect();
    pages.push("guest-sdk/README.md".to_owned());
    pages.sort();
    pages
}

fn follow(page: &str) {
    if let Err(error) = Shell::new().follow(page) {
        panic!("{error}");
    }
}

#[test]
fn the_page_about_fixtures_does_what_it_says() {
    follow("guest-sdk/docs/fixtures.md");
}

#[test]
fn the_page_about_the_analysis_does_what_it_says() {
    let commands = |block: &Block| block.text.lines().filter(|line| line.starts_with("$ ")).count();
    let page = "guest-sdk/docs/analysis.md";
    assert!(blocks(page).iter().map(commands).sum::<usize>() >= 10);
    follow(page);
}

/// Following a page finds its errors.
#[test]
fn a_page_that_is_wrong_is_found() {
    let folder = root().join("guest-sdk/docs");
    let page = tempfile::Builder::new().prefix(".page").suffix(".md").tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (text, place) in [
        ("\n```sh\nfalse\ntrue\n```\n", ":2: "),
        ("```console\n$ echo a\nb\n```\n", ":1: "),
        ("```console\n$ printf 'a\\nb\\nc\\n'\na\nc\n```\n", ":1: "),
        (
            "```toml fixtures/a.toml\n[[cases]]\ninput = 'ls'\nexpect = 'deny'\n```\n```sh\nguard-host test command-guard fixtures/\n```\n",
            ":6: ",
        ),
    ] {
        fs::write(page.path(), text).unwrap();
        let error = Shell::new().follow(page.path().to_str().unwrap()).unwrap_err();
        assert!(error.contains(place), "{text}: {error}");
    }
    fs::write(page.path(), "```console\n$ printf 'a\\nb\\nc d\\n'\na\n...\nc...\n```\n").unwrap();
    Shell::new().follow(page.path().to_str().unwrap()).unwrap();
    assert!(folder.is_dir());
}

#[test]
fn every_file_of_a_page_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut suites = 0;
    for page in all() {
        for block in blocks(&page) {
            let place = format!("{page}:{}", block.line);
            let name = block.file.clone().unwrap_or_default();
            if name.starts_with("fixtures/") {
                let path = folder.path().join(Path::new(&name).file_name().unwrap());
                fs::write(&path, &block.text).unwrap();
                let is_wrong = name.starts_with("fixtures/wrong");
                let read = suite::read(&path).map(|suite| suite.cases.len());
                assert!(read.is_ok_and(|cases| cases > 0) != is_wrong, "{place}");
                suites += 1;
            } else if block.language == "toml" {
                toml::from_str::<toml::Table>(&block.text).unwrap_or_else(|error| panic!("{place}: {error}"));
            } else if block.language == "json" {
                serde_json::from_str::<serde_json::Value>(&block.text)
                    .unwrap_or_else(|error| panic!("{place}: {error}"));
            }
        }
    }
    assert!(suites > 8, "{suites}");
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = all();
    let others =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "policies/README.md", "policies/PATTERNS.md"];
    pages.extend(others.map(str::to_owned));
    pages.extend(pages_of("docs"));
    pages.extend(guard_builtins::all().iter().map(|builtin| format!("policies/{}/RULES.md", builtin.name)));
    for page in pages {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let target = rest.split(')').next().unwrap();
            let file = root().join(&page).parent().unwrap().join(target.split('#').next().unwrap());
            assert!(target.starts_with("https://") || file.exists(), "{page} links to {target}");
        }
    }
}

/// Returns the quoted texts in the first or second column of a table's rows.
fn quoted_in_rows(page: &str, heading: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let (_, rest) = text.split_once(&format!("\n{heading}")).unwrap_or_else(|| panic!("{page} has no `{heading}`"));
    let rows = rest.lines().skip(1).take_while(|line| line.starts_with('|'));
    let quoted = |row: &str| {
        let cell = row.trim_start_matches('|').split('|').next().unwrap_or_default().to_owned();
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    };
    rows.flat_map(quoted).collect()
}

#[test]
fn the_keys_of_fixtures_are_those_of_the_schema() {
    let shell = &mut Shell::new();
    let ended = shell.run("guard-host config schema --fixtures");
    let schema: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let page = "guest-sdk/docs/fixtures.md";
    for (kind, heading) in [("Case", "| key | meaning"), ("WorldFacts", "| key in `facts`")] {
        let mut shown = quoted_in_rows(page, heading);
        let properties = schema["$defs"][kind]["properties"].as_object().unwrap();
        let mut known: Vec<String> = properties.keys().cloned().collect();
        shown.sort();
        known.sort();
        assert_eq!(shown, known, "{kind}");
    }
}

/// The operations on the page are those of the analyzer.
#[test]
fn the_operations_of_the_page_are_those_of_the_analyzer() {
    let mut sources = String::new();
    let mut folders = vec![root().join("host/analyzer/src"), root().join("host/analyzer/programs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("rs" | "toml") => sources += &fs::read_to_string(path).unwrap(),
                _ => {}
            }
        }
    }
    let operations = quoted_in_rows("guest-sdk/docs/analysis.md", "| operation | target");
    assert!(operations.len() > 30, "{operations:?}");
    for operation in operations {
        assert!(sources.contains(&format!("\"{operation}\"")), "the analyzer knows no `{operation}`");
    }
}
