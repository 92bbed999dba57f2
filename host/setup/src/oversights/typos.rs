//! [`corrections`]: the spellings of a pattern after one of its names is replaced by a similar one that exists.

use std::collections::BTreeSet;

use guard_config::problem::nearest_within;

use super::listing::Listing;

/// Characters of a path component that isn't a plain name.
pub(super) const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// The minimum length of a name in which an exchanged or doubled letter is a typo.
const SHORT: usize = 3;

/// The minimum length of a name in which a missing or added letter is a typo.
const MEDIUM: usize = 5;

/// The minimum lengths of a name in which one and two wrong letters are typos.
const LONG: usize = 8;
const LONGER: usize = 12;

/// Returns the pattern with one of its names, or the extension of `*.x`, replaced by a similar one.
pub(super) fn corrections(pattern: &str, listing: &Listing) -> Vec<String> {
    let names: BTreeSet<&str> = listing.names().collect();
    let parts: Vec<&str> = pattern.split('/').collect();
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let extension = part.strip_prefix('*').filter(|rest| rest.starts_with('.'));
        let own = extension.unwrap_or(part);
        if own.is_empty() || own.contains(SPECIAL) {
            continue;
        }
        let like: BTreeSet<&str> = match extension {
            Some(own) => {
                names.iter().filter_map(|name| extension_of(name)).filter(|other| is_like(own, other)).collect()
            }
            None => names.iter().copied().filter(|other| is_misspelt(own, other)).collect(),
        };
        let like: Vec<&str> = like.into_iter().collect();
        let Some(meant) = nearest_within(own, &like, own.len()) else { continue };
        let star = if extension.is_some() { "*" } else { "" };
        let with = |index: usize, part: &&str| if index == at { format!("{star}{meant}") } else { (*part).to_owned() };
        found.push(parts.iter().enumerate().map(|(index, part)| with(index, part)).collect::<Vec<_>>().join("/"));
    }
    found
}

/// Returns whether two patterns only differ by an `s` at the end of a name, before the extension.
pub(super) fn is_plural(one: &str, other: &str) -> bool {
    let stem = |name: &str| name.strip_suffix(extension_of(name).unwrap_or_default()).unwrap_or(name).to_owned();
    let is_by_letter = |(one, other): (&str, &str)| {
        let (one, other) = (stem(one), stem(other));
        one.strip_suffix('s') == Some(&other) || other.strip_suffix('s') == Some(&one)
    };
    one != other && one.split('/').zip(other.split('/')).filter(|(one, other)| one != other).all(is_by_letter)
}

/// Returns the extension of a name, with its dot.
fn extension_of(name: &str) -> Option<&str> {
    name.rfind('.').filter(|dot| *dot > 0).and_then(|dot| name.get(dot..))
}

/// Returns whether a name may be a misspelling of another one: they have similar extensions, and don't only differ in
/// digits.
pub(super) fn may_mean(name: &str, other: &str) -> bool {
    let (own, theirs) = (extension_of(name).unwrap_or_default(), extension_of(other).unwrap_or_default());
    letters(name) != letters(other) && (own.eq_ignore_ascii_case(theirs) || is_like(own, theirs))
}

/// Returns whether a name is probably a misspelling of another one.
fn is_misspelt(name: &str, other: &str) -> bool {
    let (own, theirs) = (extension_of(name).unwrap_or_default(), extension_of(other).unwrap_or_default());
    let stem = |name: &str, end: &str| name.strip_suffix(end).unwrap_or(name).to_owned();
    let (stem, other) = (stem(name, own), stem(other, theirs));
    if own != theirs {
        return stem == other && is_like(own, theirs);
    }
    is_typo(&stem, &other, |length, distance| {
        distance == 1 && (stem.chars().count() != other.chars().count() && length >= MEDIUM || length >= LONG)
            || distance == 2 && length >= LONGER
    })
}

/// Returns whether an extension is probably a misspelling of another one. Many differ by one letter: `.csv` and `.tsv`,
/// `.xls` and `.xlsx`.
fn is_like(own: &str, other: &str) -> bool {
    let is_plural = own.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(own);
    let is_longer = own.starts_with(other) || other.starts_with(own);
    is_typo(own.trim_start_matches('.'), other.trim_start_matches('.'), |length, distance| {
        distance == 1 && length >= MEDIUM && (!is_longer || is_plural)
    })
}

/// Returns the text without its digits.
fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Returns whether two letters are exchanged, one is doubled, or `is_near` accepts the length of the shorter text and
/// the number of edits.
fn is_typo(text: &str, other: &str, is_near: impl Fn(usize, usize) -> bool) -> bool {
    if text == other || letters(text) == letters(other) {
        return false;
    }
    let length = text.chars().count().min(other.chars().count());
    let distance = (1..=2).find(|edits| nearest_within(text, &[other], *edits).is_some());
    let sorted = |text: &str| {
        let mut chars: Vec<char> = text.chars().collect();
        chars.sort_unstable();
        chars
    };
    let undoubled = |text: &str| {
        let mut chars: Vec<char> = text.chars().collect();
        chars.dedup();
        chars
    };
    let is_slip = sorted(text) == sorted(other) || undoubled(text) == undoubled(other);
    distance.is_some_and(|distance| length >= SHORT && distance == 1 && is_slip || is_near(length, distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_told_from_other_names() {
        for (name, other) in [
            ("migratoins", "migrations"),
            ("custmers.csv", "customers.csv"),
            ("customers.cvs", "customers.csv"),
            ("credentails.json", "credentials.json"),
            ("secret", "secrets"),
            ("infar", "infra"),
        ] {
            assert!(is_misspelt(name, other) && is_misspelt(other, name), "{name} {other}");
        }
        for (name, other) in [
            ("customers.tsv", "customers.csv"),
            ("v1.sql", "v2.sql"),
            ("2024-report.md", "2025-report.md"),
            ("hosts", "posts"),
            ("config.eu.json", "config.us.json"),
            ("db", "dbs"),
            ("app.js", "app.jsx"),
            ("prod", "dev"),
        ] {
            assert!(!is_misspelt(name, other) && !is_misspelt(other, name), "{name} {other}");
        }
    }

    #[test]
    fn misspelt_extensions_are_told_from_other_extensions() {
        for (own, other) in [(".sqll", ".sql"), (".qsl", ".sql"), (".pemm", ".pem"), (".tfvar", ".tfvars")] {
            assert!(is_like(own, other) && is_like(other, own), "{own} {other}");
        }
        for (own, other) in [
            (".csv", ".tsv"),
            (".xls", ".xlsx"),
            (".ts", ".tsx"),
            (".json", ".jsonl"),
            (".yml", ".yaml"),
            (".jpg", ".jpeg"),
        ] {
            assert!(!is_like(own, other) && !is_like(other, own), "{own} {other}");
        }
    }
}
