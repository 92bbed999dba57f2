//! The names and paths that a search selects.

use crate::names::last_component;

/// The maximum number and length of patterns. Beyond it, a search is treated as selecting all files.
const PATTERNS: usize = 64;
const PATTERN_BYTES: usize = 512;

/// Tests of `find` for the name or the whole path.
pub(super) const NAME_TESTS: &[&str] = &["-name", "-iname", "-regex", "-iregex"];
pub(super) const PATH_TESTS: &[&str] = &["-path", "-ipath", "-wholename", "-iwholename"];

/// A pattern for names, or for whole paths.
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) is_path: bool,
}

/// Returns the patterns of a `find` search. Empty if it can select files with any name.
pub(super) fn find_patterns(words: &[&str]) -> Vec<Pattern> {
    let negates = |word: Option<&&str>| word.is_some_and(|word| matches!(*word, "!" | "-not"));
    let has_negated_group = words.windows(2).any(|pair| negates(pair.first()) && pair.last() == Some(&"("));
    let mut patterns = Vec::new();
    for branch in words.split(|word| matches!(*word, "-o" | "-or" | ",")) {
        let before = patterns.len();
        for (at, pair) in branch.windows(2).enumerate() {
            let [test, value] = pair else { continue };
            let is_path = PATH_TESTS.contains(test);
            let negated = negates(at.checked_sub(1).and_then(|before| branch.get(before)));
            if negated || !(is_path || NAME_TESTS.contains(test)) {
                continue;
            }
            let text = if test.ends_with("regex") { name_of_expression(value) } else { (*value).to_owned() };
            patterns.push(Pattern { text, is_path });
        }
        if branch.contains(&"-prune") {
            patterns.truncate(before);
        } else if patterns.len() == before {
            return Vec::new();
        }
    }
    let is_long = patterns.len() > PATTERNS || patterns.iter().any(|pattern| pattern.text.len() > PATTERN_BYTES);
    if has_negated_group || is_long { Vec::new() } else { patterns }
}

/// Returns the last component in a regular expression, as a pattern for names.
pub(super) fn name_of_expression(expression: &str) -> String {
    if expression.contains(['(', '|', '+', '{', '[']) {
        return "*".to_owned();
    }
    let last =
        last_component(expression).replace("\\.", "\u{0}").replace(".*", "*").replace('.', "?").replace('\u{0}', ".");
    last.chars().filter(|letter| !matches!(letter, '^' | '$' | '\\')).collect()
}
