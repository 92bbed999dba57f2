//! The pages about threats and about AARM name existing tests.

use std::collections::BTreeMap;
use std::fs;

use crate::support::pages::root;
use crate::tidy::early_ends::has_test;

/// Each page, with the minimum number of tests and rows.
const PAGES: [(&str, usize, usize); 2] = [("docs/security-model.md", 30, 25), ("docs/aarm.md", 10, 9)];

/// Returns whether there is a test with that path: `a::b::name` is `name` in `tests/a/b.rs`.
fn exists(path: &str) -> bool {
    let Some((module, name)) = path.rsplit_once("::") else { return false };
    let file = root().join("tests").join(module.replace("::", "/")).with_extension("rs");
    fs::read_to_string(file).is_ok_and(|text| has_test(&text, name))
}

#[test]
fn every_test_that_shows_a_claim_exists() {
    for (page, tests, _) in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let spans = text.split('`').skip(1).step_by(2).filter(|span| span.contains("::"));
        let named: Vec<&str> = spans.collect();
        let missing: Vec<&&str> = named.iter().filter(|path| !exists(path)).collect();
        assert!(named.len() >= tests, "{page}: {}", named.len());
        assert!(missing.is_empty(), "{page}: {missing:?}");
    }
}

/// Returns the footnote marks in a text, such as `x` for `[^x]`.
fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.split("[^").skip(1).filter_map(|rest| Some(rest.split_once(']')?.0))
}

/// Returns a page's footnotes by mark.
fn footnotes(page: &str) -> BTreeMap<&str, &str> {
    page.lines().filter_map(|line| line.strip_prefix("[^")?.split_once("]: ")).collect()
}

/// Each row of a table must have a proof, in the last cell or in a footnote.
#[test]
fn every_claim_of_a_table_is_shown_by_something() {
    let is_head = |line: &str| ["| attack |", "| fault |", "| requirement |"].iter().any(|head| line.starts_with(head));
    for (page, _, least) in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let footnotes = footnotes(&text);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ") && !is_head(line)).collect();
        for row in &rows {
            let cell = row.trim_end_matches('|').rsplit('|').next().unwrap();
            let mut proofs = vec![cell];
            proofs.extend(marks(cell).map(|mark| footnotes[mark]));
            let is_proof = |text: &&str| text.contains("::") || text.contains("](../policies/") || text.contains(".md");
            assert!(proofs.iter().any(is_proof), "{row}");
        }
        assert!(rows.len() >= least, "{page}: {}", rows.len());
        let used: Vec<&str> = rows.iter().flat_map(|row| marks(row)).collect();
        let unused: Vec<&&str> = footnotes.keys().filter(|mark| !used.contains(mark)).collect();
        assert!(unused.is_empty(), "{page}: no row has {unused:?}");
    }
}

#[test]
fn a_test_that_is_gone_is_found() {
    assert!(exists("docs::threats::a_test_that_is_gone_is_found"));
    assert!(!exists("docs::threats::exists"));
    assert!(!exists("docs::threats"));
}
