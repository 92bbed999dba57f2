//! [`Rules`]: evaluates a repository's `.gitignore` files.

use gix_ignore::glob::Pattern;
use gix_ignore::glob::pattern::{Case, Mode as PatternMode};
use gix_ignore::glob::wildmatch::Mode;
use guard_contract::paths::below;

use crate::{Entry, Facts};

/// The maximum size of a `.gitignore` in bytes. With a larger one, nothing is proven to be ignored.
const IGNORE_BYTES: usize = 64 << 10;

/// The maximum number of stars in a rule. With more, matching gives up and nothing is proven to be ignored.
const STARS: usize = 32;

/// The `.gitignore` files from the repository's root downward.
#[derive(Debug, Default)]
pub struct Rules {
    /// The folders and the patterns in their files.
    files: Vec<(String, Vec<Pattern>)>,
}

impl Rules {
    /// Adds a folder's file, if there is one. Returns whether it was understood completely.
    pub fn read(&mut self, folder: &str, facts: &dyn Facts) -> bool {
        let path = format!("{}/.gitignore", folder.trim_end_matches('/'));
        match facts.entry(&path) {
            Entry::Absent => return true,
            Entry::File => {}
            // Git doesn't follow a link here.
            _ => return false,
        }
        let Some(text) = facts.read_head(&path, IGNORE_BYTES).filter(|text| text.len() < IGNORE_BYTES) else {
            return false;
        };
        // Git understands neither this encoding mark nor a line after a zero byte.
        if text.starts_with("+/v") || text.contains('\0') {
            return false;
        }
        // Git also strips the carriage return of a last line without a line feed.
        let text = text + "\n";
        let rules: Vec<Pattern> = gix_ignore::parse(text.as_bytes(), false).map(|(pattern, ..)| pattern).collect();
        if rules.iter().any(|rule| rule.text.iter().filter(|byte| **byte == b'*').count() > STARS) {
            return false;
        }
        self.files.push((folder.to_owned(), rules));
        true
    }

    /// Returns the rule that decides about a path: the last matching one in the innermost file with a match.
    fn deciding_pattern(&self, path: &str, is_folder: bool) -> Option<&Pattern> {
        self.files.iter().rev().find_map(|(folder, rules)| {
            let relative = below(path, folder)?;
            let name = relative.rfind('/').map(|slash| slash + 1);
            let fits = |rule: &&Pattern| {
                rule.matches_repo_relative_path(
                    relative.into(),
                    name,
                    Some(is_folder),
                    Case::Sensitive,
                    Mode::NO_MATCH_SLASH_LITERAL,
                )
            };
            rules.iter().rev().find(fits)
        })
    }

    /// Returns whether a path is ignored.
    #[must_use]
    pub fn ignores(&self, path: &str, is_folder: bool) -> bool {
        self.ignoring(path, is_folder).is_some()
    }

    /// Removes the files of folders that don't contain this path.
    pub fn retain_ancestors_of(&mut self, path: &str) {
        self.files.retain(|(folder, _)| below(path, folder).is_some());
    }

    /// Returns the rule that ignores a path.
    pub(super) fn ignoring(&self, path: &str, is_folder: bool) -> Option<&Pattern> {
        let rule = self.deciding_pattern(path, is_folder).filter(|rule| !rule.is_negative())?;
        is_specific(&rule.text.to_string()).then_some(rule)
    }

    /// Returns whether all names in the folder that match the pattern are ignored. A rule whose only special characters
    /// are `*` and sets of letters matches each of them if it matches the pattern's text. Negated rules must have
    /// another ending.
    pub(super) fn ignore_all(&self, folder: &str, pattern: &str) -> bool {
        self.ignore(folder, pattern, false).is_some()
    }

    /// Like `ignore_all`, for the folder and everything below it.
    pub(super) fn ignore_everywhere(&self, folder: &str, pattern: &str, is_folder: bool) -> bool {
        let is_plain = !pattern.contains(['[', '\\']);
        let rule = self.ignore(folder, pattern, is_folder);
        let anywhere =
            |mode: PatternMode| mode.contains(PatternMode::NO_SUB_DIR) && !mode.contains(PatternMode::ABSOLUTE);
        is_plain && rule.is_some_and(|rule| anywhere(rule.mode))
    }

    /// Returns a rule that ignores all names in the folder that match the pattern.
    fn ignore(&self, folder: &str, pattern: &str, is_folder: bool) -> Option<&Pattern> {
        let path = format!("{}/{pattern}", folder.trim_end_matches('/'));
        let rule = self.ignoring(&path, is_folder)?;
        let end = |text: &str| text.rsplit(['*', '?', ']', '/']).next().unwrap_or_default().to_owned();
        let own = end(pattern);
        let mut kept = self.files.iter().flat_map(|(_, rules)| rules).filter(|rule| rule.is_negative());
        let apart = |kept: &Pattern| {
            let kept = kept.text.to_string();
            let end = end(&kept);
            !kept.contains('\\') && !end.ends_with(&own) && !own.ends_with(&end)
        };
        (is_simple(&rule.text.to_string()) && kept.all(apart)).then_some(rule)
    }
}

/// Returns whether a rule's only special characters are `*` and sets of letters, which don't match a pattern's special
/// characters.
fn is_simple(rule: &str) -> bool {
    let mut in_set = false;
    rule.chars().all(|sign| match sign {
        '[' if !in_set => {
            in_set = true;
            true
        }
        ']' if in_set => {
            in_set = false;
            true
        }
        _ if in_set => sign.is_ascii_alphanumeric(),
        '?' | '[' | '\\' | '!' => false,
        _ => true,
    }) && !in_set
}

/// Returns whether a rule names something. A rule such as `*`, in a repository that lists what it keeps, ignores files
/// that no one thought of.
fn is_specific(rule: &str) -> bool {
    rule.contains(|sign: char| !"*./?!".contains(sign))
}
