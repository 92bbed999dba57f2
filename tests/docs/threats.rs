//! The page about threats names tests that there are.

use std::fs;

use crate::support::pages::root;
use crate::tidy::early_ends::has_test;

const PAGE: &str = "docs/security-model.md";

/// Whether a test of that path exists: `a::b::name` is `name` in `tests/a/b.rs`.
fn exists(path: &str) -> bool {
    let Some((module, name)) = path.rsplit_once("::") else { return false };
    let file = root().join("tests").join(module.replace("::", "/")).with_extension("rs");
    fs::read_to_string(file).is_ok_and(|text| has_test(&text, name))
}

#[test]
fn every_test_that_shows_a_claim_exists() {
    let text = fs::read_to_string(root().join(PAGE)).unwrap();
    let spans = text.split('`').skip(1).step_by(2).filter(|span| span.contains("::"));
    let named: Vec<&str> = spans.collect();
    let missing: Vec<&&str> = named.iter().filter(|path| !exists(path)).collect();
    assert!(named.len() >= 30, "{}", named.len());
    assert!(missing.is_empty(), "{PAGE}: {missing:?}");
}

/// A row of a table without its proof would be a claim like any other.
#[test]
fn every_claim_of_a_table_is_shown_by_something() {
    let text = fs::read_to_string(root().join(PAGE)).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| attack |"));
    let rows: Vec<&str> = rows.filter(|line| !line.starts_with("| fault |")).collect();
    for row in &rows {
        let proof = row.trim_end_matches('|').rsplit('|').next().unwrap();
        assert!(proof.contains("::") || proof.contains("](../policies/") || proof.contains(".md"), "{row}");
    }
    assert!(rows.len() >= 25, "{}", rows.len());
}

#[test]
fn a_test_that_is_gone_is_found() {
    assert!(exists("docs::threats::a_test_that_is_gone_is_found"));
    assert!(!exists("docs::threats::exists"));
    assert!(!exists("docs::threats"));
}
