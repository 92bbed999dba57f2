//! [`Rules`]: what the `.gitignore` files of a repository say of a path.

use gix_ignore::glob::Pattern;
use gix_ignore::glob::pattern::{Case, Mode as PatternMode};
use gix_ignore::glob::wildmatch::Mode;
use guard_contract::paths::below;

use crate::{Entry, Facts};

/// The longest `.gitignore` that is read, in bytes. A longer one proves nothing.
const IGNORE_BYTES: usize = 64 << 10;

/// The most stars of a rule. One with more proves nothing, for the matching gives up.
const STARS: usize = 32;

/// The `.gitignore` files from the root of a repository downwards.
#[derive(Debug, Default)]
pub struct Rules {
    /// Each with its folder.
    files: Vec<(String, Vec<Pattern>)>,
}

impl Rules {
    /// Adds the file of a folder, if there is one. Gives whether it is understood whole.
    pub fn read(&mut self, folder: &str, facts: &dyn Facts) -> bool {
        let path = format!("{}/.gitignore", folder.trim_end_matches('/'));
        match facts.entry(&path) {
            Entry::Absent => return true,
            Entry::File => {}
            // Git does not follow a link here.
            _ => return false,
        }
        let Some(text) = facts.read_head(&path, IGNORE_BYTES).filter(|text| text.len() < IGNORE_BYTES) else {
            return false;
        };
        // Git knows neither this mark of an encoding nor a line behind a zero byte.
        if text.starts_with("+/v") || text.contains('\0') {
            return false;
        }
        // Git takes the carriage return of a last line without an end, too.
        let text = text + "\n";
        let rules: Vec<Pattern> = gix_ignore::parse(text.as_bytes(), false).map(|(pattern, ..)| pattern).collect();
        if rules.iter().any(|rule| rule.text.iter().filter(|byte| **byte == b'*').count() > STARS) {
            return false;
        }
        self.files.push((folder.to_owned(), rules));
        true
    }

    /// The rule that decides about a path: the last one that fits, of the innermost file that has one.
    fn of(&self, path: &str, is_folder: bool) -> Option<&Pattern> {
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

    /// Whether a path is ignored.
    #[must_use]
    pub fn ignores(&self, path: &str, is_folder: bool) -> bool {
        self.ignoring(path, is_folder).is_some()
    }

    /// Forgets the files of folders that do not hold this path.
    pub fn leave_all_but(&mut self, path: &str) {
        self.files.retain(|(folder, _)| below(path, folder).is_some());
    }

    /// The rule that ignores a path.
    pub(super) fn ignoring(&self, path: &str, is_folder: bool) -> Option<&Pattern> {
        let rule = self.of(path, is_folder).filter(|rule| !rule.is_negative())?;
        says_something(&rule.text.to_string()).then_some(rule)
    }

    /// Whether all names in the folder that fit the pattern are ignored. A rule with no special signs but `*` and sets of
    /// letters that fits the pattern as it is written fits each of them; what a line takes back must end in another way.
    pub(super) fn ignore_all(&self, folder: &str, pattern: &str) -> bool {
        self.ignore(folder, pattern, false).is_some()
    }

    /// The same of the folder and all below it.
    pub(super) fn ignore_everywhere(&self, folder: &str, pattern: &str, is_folder: bool) -> bool {
        let is_plain = !pattern.contains(['[', '\\']);
        let rule = self.ignore(folder, pattern, is_folder);
        let anywhere =
            |mode: PatternMode| mode.contains(PatternMode::NO_SUB_DIR) && !mode.contains(PatternMode::ABSOLUTE);
        is_plain && rule.is_some_and(|rule| anywhere(rule.mode))
    }

    /// A rule that ignores all names in the folder that fit the pattern.
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

/// Whether a rule has no special signs but `*`, and sets of letters, which fit no sign of a pattern.
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

/// A rule such as `*` ignores what nobody thought of, in a repository that lists what it keeps.
fn says_something(rule: &str) -> bool {
    rule.contains(|sign: char| !"*./?!".contains(sign))
}
