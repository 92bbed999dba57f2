//! Finds patterns that match no file of the project, entries `!x` of lists that remove nothing, and patterns that the
//! same entry exempts.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use guard_config::problem::{entry_location, nearest_within};
use guard_contract::paths::below;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Layer, Problem};
use guard_facts::pattern_roots;
use guard_facts::real::RealFacts;
use guard_platform::paths::native;
use guard_sdk::globs::{Glob, covering, relative, spelled_folder};
use guard_sensitive_paths::{Entries, Lists};
use serde_json::Value;

use super::listing::{Listing, Search, UNLIKELY};
use super::typos::{SPECIAL, corrections, is_plural, may_mean};
use super::void_keys::{FILES_TABLE, LISTS, covers};
use super::{FILES, warning};
use crate::check::{Mistake, Severity};

/// Lists of patterns that start at the project's root, and protect what they match.
const PROTECTING: [&str; 2] = ["protected", "warned"];

/// Lists whose patterns match at any depth, or that let calls pass.
const OTHERS: [&str; 5] = ["blocked", "confirm", "exempt", "reads", "safe"];

/// The policy whose patterns begin at the project's root. Those of the other policies match at any depth.
pub(super) const ROOTED: &str = "write-control";

/// Branches that are protected by default.
const BRANCHES: [&str; 2] = ["main", "master"];

/// The lists among [`OTHERS`] that let calls pass.
const LOOSENING: [&str; 2] = ["exempt", "safe"];

/// The maximum number of patterns in a list that are checked.
const PATTERNS: usize = 256;

/// The first component of a pattern that doesn't exist.
struct PatternGap<'a> {
    /// The existing part of the pattern. Empty, or ends with a slash.
    before: &'a str,
    /// The name that doesn't exist.
    name: &'a str,
    /// The rest of the pattern, including its slash.
    rest: &'a str,
}

/// Returns a mistake for each pattern of an entry that matches no file below the roots of its patterns. `root` is the
/// root of the call's project. The lists of users and the administrator apply to all projects, so their patterns are only reported if a file has a
/// similar name. Lists without an effect are skipped.
pub(super) fn unmatched(entry: &Entry, root: &str, home: &str, is_void: impl Fn(&str) -> bool) -> Vec<Mistake> {
    let is_of_project = entry.layer == Layer::Project;
    // A configuration at the default path may have been written for the whole machine.
    if root.is_empty() || !is_of_project && entry.settings_source.is_usual {
        return Vec::new();
    }
    let roots = match is_of_project {
        true => pattern_roots(&RealFacts::new(BTreeMap::new()), &entry.project, root, home),
        false => vec![root.to_owned()],
    };
    let bases: Vec<PathBuf> = roots.iter().map(|root| native(root).into_owned()).collect();
    let listings: Vec<_> = bases.iter().map(|base| LazyCell::new(|| Listing::new(base))).collect();
    let searches = roots.iter().zip(&bases).zip(&listings).map(|((root, base), listing)| {
        let nested = below(&entry.project, root).filter(|rest| is_of_project && !matches!(*rest, "" | "."));
        PatternSearch { entry, nested, base, listing }
    });
    let searches: Vec<_> = searches.collect();
    let mut found = Vec::new();
    let lists = lists(entry, &[&PROTECTING[..], &OTHERS].concat());
    for (key, patterns) in lists.into_iter().filter(|(key, _)| !is_void(key)) {
        found.extend(patterns.iter().filter_map(|pattern| {
            let gaps: Option<Vec<_>> = searches.iter().map(|search| search.gap(pattern, key, &patterns)).collect();
            let (files, hint) = gaps?.into_iter().next()?;
            let text = format!("{files} matches `{pattern}` in `{key}`");
            let severity = if is_of_project && !LOOSENING.contains(&key) { Severity::Gap } else { Severity::Warning };
            Some(Mistake::new(severity, of_entry(entry, &text, hint)))
        }));
    }
    found
}

/// Returns a warning for each `!x` in an entry's list that removes nothing.
pub(super) fn idle_removals(entry: &Entry) -> Vec<Problem> {
    let lists = lists(entry, &LISTS);
    let blocked = lists.iter().find(|(key, _)| *key == "blocked").map(|(_, patterns)| patterns.clone());
    let mut found = Vec::new();
    for (key, patterns) in &lists {
        // `reads` adds to `blocked`.
        let mut before = blocked.clone().filter(|_| *key == "reads").unwrap_or_default();
        for pattern in patterns {
            let hint = match pattern.strip_prefix('!') {
                Some(removed) if *key == "protected-branches" => no_such_branch(&before, removed),
                Some(removed) => no_such_file(key, &before, removed),
                None => None,
            };
            if let Some(hint) = hint {
                let text = format!("`{pattern}` takes nothing out of `{key}`: nothing before it matches");
                found.push(of_entry(entry, &text, hint));
            }
            before.push(pattern.clone());
        }
    }
    found
}

/// Returns a problem for each protected pattern of an entry that its own `exempt` covers.
pub(super) fn exempted(entry: &Entry) -> Vec<Problem> {
    let is_rooted = matches!(&entry.source, Source::Builtin(name) if *name == ROOTED);
    // A name covers the patterns that may match it, which doesn't exempt them.
    let is_covered = |exempt: &str, pattern: &str| match is_rooted || pattern.contains(SPECIAL) {
        true => covering(exempt).is_ok_and(|globs| globs.iter().any(|glob| glob.matches(pattern))),
        false => covers(exempt, pattern),
    };
    let exempt: Vec<String> = lists(entry, &["exempt"]).into_iter().flat_map(|(_, patterns)| patterns).collect();
    // Such an entry protects something again.
    if exempt.iter().any(|pattern| pattern.starts_with('!')) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, patterns) in lists(entry, &["protected", "blocked", "confirm", "reads"]) {
        for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
            let Some(wide) = exempt.iter().find(|exempt| is_covered(exempt, pattern)) else { continue };
            let text = format!("`{pattern}` in `{key}` has no effect: `exempt` has `{wide}`");
            found.push(of_entry(entry, &text, format!("narrow or remove `{wide}` in `exempt`")));
        }
    }
    found
}

/// Returns the hint for a file name that is neither in the default list nor in an earlier entry. `None` if it is, and
/// for patterns and folders, which also remove what is below them.
fn no_such_file(key: &str, before: &[String], name: &str) -> Option<String> {
    let own = Entries::try_from(before.to_vec()).ok();
    let lists = match key {
        "confirm" => Lists::new(None, own, None),
        "exempt" => Lists::new(None, None, own),
        _ => Lists::new(own, None, None),
    };
    let has = |name: &str| match key {
        "confirm" => lists.sensitive(name).is_some(),
        "exempt" => lists.is_exempt(name),
        // Templates may be listed, but aren't secrets.
        _ => lists.secret(name).is_some() || lists.is_exempt(name),
    };
    if name.contains(SPECIAL) || name.ends_with('/') || has(name) {
        return None;
    }
    let meant = similar_texts(name).find(|other| has(other)).map(|meant| format!("did you mean `!{meant}`?"));
    // A name without an extension may be a folder.
    let last = name.rsplit('/').next().unwrap_or_default();
    let is_file = last.rfind('.').is_some_and(|dot| dot > 0);
    meant.or_else(|| is_file.then(|| "correct the name, or remove it".to_owned()))
}

/// Returns the texts at edit distance one: a character added, removed, replaced, or exchanged with its neighbor.
fn similar_texts(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    let splice = move |at: usize, length: usize, new: &[char]| -> String {
        let (before, after) = (chars.iter().take(at), chars.iter().skip(at + length));
        before.chain(new).chain(after).collect()
    };
    let letters = || ('a'..='z').chain(['.', '-', '_']);
    let count = text.chars().count();
    let exchanged: Vec<(char, char)> = text.chars().zip(text.chars().skip(1)).collect();
    (0..=count).flat_map(move |at| {
        let mut found: Vec<String> = letters().map(|letter| splice(at, 0, &[letter])).collect();
        if at < count && count > 3 {
            found.push(splice(at, 1, &[]));
            found.extend(letters().map(|letter| splice(at, 1, &[letter])));
        }
        found.extend(exchanged.get(at).map(|(one, two)| splice(at, 2, &[*two, *one])));
        found
    })
}

/// Returns the hint for a branch pattern that is neither in the default list nor in an earlier entry. `None` if it is.
fn no_such_branch(before: &[String], removed: &str) -> Option<String> {
    let removed = Glob::of_name(removed).ok()?;
    let known = before.iter().map(String::as_str).chain(BRANCHES).filter(|known| !known.starts_with('!'));
    let is_known = known.filter_map(|known| Glob::of_name(known).ok()).any(|known| removed.overlaps(&known, true));
    (!is_known).then(|| "correct the pattern, or remove it".to_owned())
}

/// Returns the lists with these names in a built-in's settings, and in its table of files.
fn lists(entry: &Entry, keys: &[&'static str]) -> Vec<(&'static str, Vec<String>)> {
    let is_built_in = matches!(entry.source, Source::Builtin(_));
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let tables = [Some(&settings), settings.get(FILES_TABLE)];
    let mut found = Vec::new();
    for table in tables.into_iter().flatten().filter(|_| is_built_in) {
        for key in keys {
            let patterns = table.get(*key).and_then(Value::as_array).into_iter().flatten();
            let patterns = patterns.filter_map(Value::as_str).take(PATTERNS).map(str::to_owned);
            found.push((*key, patterns.collect()));
        }
    }
    found
}

/// Creates a problem of an entry, with the entry's location.
pub(super) fn of_entry(entry: &Entry, text: &str, hint: String) -> Problem {
    let place = entry_location(&entry.settings_source.file, &entry.name);
    Problem { layer: entry.layer, ..warning(place, format!("policy `{}`: {text}", entry.name), hint) }
}

/// Returns the pattern with each nonexistent name replaced by a similar existing one, if any.
fn corrected(pattern: &str, gap: &PatternGap<'_>, base: &Path) -> Option<String> {
    let PatternGap { before, name, rest } = gap;
    let mut found = format!("{before}{}{rest}", similar_name(&base.join(before), name)?);
    let names = pattern.split('/').count();
    for _ in 0..names {
        let Some(PatternGap { before, name, rest }) = missing_name(&found, base) else { break };
        let Some(meant) = similar_name(&base.join(before), name) else { break };
        found = format!("{before}{meant}{rest}");
    }
    Some(found)
}

/// A search for the files that the patterns of an entry match.
struct PatternSearch<'a, F> {
    entry: &'a Entry,
    /// The folder of the entry's file below the project's root.
    nested: Option<&'a str>,
    base: &'a Path,
    listing: &'a LazyCell<Listing, F>,
}

impl<F: FnOnce() -> Listing> PatternSearch<'_, F> {
    /// Returns which files a pattern doesn't match, and the hint. `None` if it may match a file.
    fn gap(&self, pattern: &str, key: &str, patterns: &[String]) -> Option<(String, String)> {
        let is_of_project = self.entry.layer == Layer::Project;
        let outside = self.hint_outside(pattern).filter(|_| is_of_project);
        let files = outside.as_ref().map_or("no file".to_owned(), |(folder, _)| format!("no file in `{folder}`"));
        let hint = match outside {
            Some((_, hint)) => Some(hint),
            None if is_of_project => self.hint(pattern, key),
            None => self.misspelt(pattern),
        };
        Some((files, hint.or_else(|| self.similar(pattern, patterns))?))
    }

    /// Returns the hint for a pattern of several components that matches nothing, if the project has a file with a
    /// similar name.
    fn misspelt(&self, pattern: &str) -> Option<String> {
        let (not, pattern) = split_not(pattern);
        if let Some((meant, why)) = misspelt_path(pattern, self.base) {
            return Some(format!("{why}: did you mean `{not}{meant}`?"));
        }
        let gap =
            missing_name(pattern, self.base).filter(|gap| !gap.before.is_empty() && !self.is_anywhere(pattern))?;
        Some(format!("did you mean `{not}{}`?", corrected(pattern, &gap, self.base)?))
    }

    /// Returns the folder of the entry's file, and the hint for a pattern that matches files outside of the folder but
    /// none in it. The file only judges calls that concern its folder.
    fn hint_outside(&self, pattern: &str) -> Option<(&str, String)> {
        let folder = self.nested.filter(|_| self.is_rooted())?;
        let (not, pattern) = split_not(pattern);
        let find = |pattern: &str| {
            let globs = covering(pattern).ok()?;
            let is_inside = |path: &str| below(path, folder).is_some_and(|rest| rest != ".");
            Some(self.listing.find(|path| is_inside(path) && globs.iter().any(|glob| glob.matches(path))))
        };
        let is_outside = matches!(self.find(pattern)?, Search::Found(_)) && matches!(find(pattern)?, Search::Nothing);
        let meant = format!("{folder}/{}", relative(pattern).ok()?);
        let hint = match find(&meant)? {
            Search::Found(_) => format!("patterns begin at the project's root: did you mean `{not}{meant}`?"),
            _ => "list it in the file of the project's root".to_owned(),
        };
        is_outside.then_some((folder, hint))
    }

    /// Returns the hint for a pattern that matches nothing. `None` if it may match a file.
    fn hint(&self, pattern: &str, key: &str) -> Option<String> {
        // An entry that removes a pattern from a list repeats it.
        let (not, pattern) = split_not(pattern);
        if let Some((meant, why)) = misspelt_path(pattern, self.base) {
            return Some(format!("{why}: did you mean `{not}{meant}`?"));
        }
        if self.is_anywhere(pattern) {
            return None;
        }
        let is_protecting = PROTECTING.contains(&key);
        let Some(gap) = missing_name(pattern, self.base) else {
            return self.unused(pattern, key).filter(|_| is_protecting || not.is_empty());
        };
        let PatternGap { before, name, rest } = gap;
        let own = native(&self.entry.project).join(name);
        if let Some(folder) = self.nested.filter(|_| before.is_empty() && own.exists()) {
            return Some(format!("patterns begin at the project's root: did you mean `{not}{folder}/{pattern}`?"));
        }
        if let Some(meant) = corrected(pattern, &gap, self.base) {
            return Some(format!("did you mean `{not}{meant}`?"));
        }
        let deeper = Some(name).filter(|_| before.is_empty() && is_protecting).and_then(|name| self.deeper(name));
        match deeper {
            Some(found) => Some(format!(
                "a pattern without `**/` begins at the project's root: did you mean `{not}**/{name}{rest}`, as in `{found}`?"
            )),
            None if LOOSENING.contains(&key) || !not.is_empty() || before.is_empty() && rest.is_empty() => None,
            None if !self.is_rooted() && !matches!(self.find(pattern)?, Search::Nothing) => None,
            None => self.similar(pattern, &[]).or_else(|| Some(LATER.to_owned())),
        }
    }

    /// Returns whether the pattern is of a list that applies at any depth, and matches a file there or a default entry,
    /// whose files often don't exist yet.
    fn is_anywhere(&self, pattern: &str) -> bool {
        !self.is_rooted() && (is_default(pattern) || matches!(self.find(pattern), Some(Search::Found(_))))
    }

    fn is_rooted(&self) -> bool {
        matches!(&self.entry.source, Source::Builtin(name) if *name == ROOTED)
    }

    /// Returns the first file that the pattern matches. `None` if it isn't valid.
    fn find(&self, pattern: &str) -> Option<Search<'_>> {
        if self.is_rooted() {
            let globs = covering(pattern).ok()?;
            return Some(self.listing.find(|path| globs.iter().any(|glob| glob.matches(path))));
        }
        let list = Lists::settings_only(&[Some(Entries::try_from(vec![pattern.to_owned()]).ok()?)], None);
        Some(self.listing.find(|path| list.secret(path).is_some() || list.secret(&format!("{path}/")).is_some()))
    }

    /// Returns the hint for a pattern that matches nothing, if it would with a similar name that exists, and no other
    /// pattern of the list matches that. Lists for all projects may have the plural of a name for another project.
    fn similar(&self, pattern: &str, others: &[String]) -> Option<String> {
        let is_elsewhere = pattern.starts_with(['/', '~', '!']) || is_default(pattern);
        if is_elsewhere || !matches!(self.find(pattern)?, Search::Nothing) {
            return None;
        }
        let is_of_project = self.entry.layer == Layer::Project;
        let is_new = |meant: &String| {
            let Some(Search::Found(file)) = self.find(meant) else { return false };
            let is_listed = |other: &String| matches!(self.find(other), Some(Search::Found(found)) if found == file);
            !others.iter().any(is_listed) && (is_of_project || !is_plural(pattern, meant))
        };
        let meant = corrections(pattern, self.listing).into_iter().find(is_new)?;
        Some(format!("did you mean `{meant}`?"))
    }

    /// Returns the hint for a pattern with wildcards that matches no file: whether files match deeper in the project, or
    /// none are in its folder.
    fn unused(&self, pattern: &str, key: &str) -> Option<String> {
        let plain = relative(pattern).ok().filter(|_| !LOOSENING.contains(&key))?;
        let is_spelled = plain.contains('/') && !spelled_folder(&plain).is_empty();
        if !plain.contains(SPECIAL) || plain.starts_with("**") || UNLIKELY.iter().any(|name| plain.starts_with(name)) {
            return None;
        }
        // An existing folder is protected, even if it is empty.
        let folder = plain.trim_end_matches("/**");
        if folder != plain && !folder.contains(SPECIAL) && self.base.join(folder).is_dir() {
            return None;
        }
        let (own, anywhere) = (Glob::new(&plain).ok()?, Glob::new(&format!("**/{plain}")).ok()?);
        match self.listing.find(|path| own.matches(path)) {
            Search::Found(_) | Search::Unfinished => return None,
            Search::Nothing => {}
        }
        match self.listing.find(|path| anywhere.matches(path)) {
            Search::Found(found) if self.is_rooted() => Some(format!(
                "a pattern without `**/` begins at the project's root: did you mean `**/{plain}`, as in `{found}`?"
            )),
            Search::Nothing if is_spelled => self.similar(pattern, &[]).or_else(|| Some(LATER_FILE.to_owned())),
            _ => None,
        }
    }

    /// Returns the path that has this name and is nearest to the root.
    fn deeper(&self, name: &str) -> Option<&str> {
        match self.listing.find(|path| path.rsplit('/').next() == Some(name)) {
            Search::Found(path) => Some(path),
            Search::Nothing | Search::Unfinished => None,
        }
    }
}

/// Hints for paths and files that don't exist, and that have no similar name.
const LATER: &str = "correct the path; if it will exist later, there is nothing to do";
const LATER_FILE: &str = "correct the pattern; if such a file will exist later, there is nothing to do";

/// Splits off the sign of an entry that removes a pattern.
fn split_not(pattern: &str) -> (&'static str, &str) {
    pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest))
}

/// Returns whether the default lists have the pattern.
fn is_default(pattern: &str) -> bool {
    let lists = Lists::default();
    lists.secret(pattern).is_some() || lists.sensitive(pattern).is_some() || lists.is_exempt(pattern)
}

/// Returns a pattern that would match in the folder if it weren't written as an absolute path, as a regular expression
/// or with backslashes, with the reason.
fn misspelt_path(pattern: &str, base: &Path) -> Option<(String, &'static str)> {
    let first_exists = |path: &str| {
        let first = path.split('/').next().unwrap_or_default();
        !first.is_empty() && !first.contains(SPECIAL) && fs::symlink_metadata(base.join(first)).is_ok()
    };
    if let Some(relative) = pattern.strip_prefix('/') {
        let root = relative.split('/').next().unwrap_or_default();
        let is_missing = fs::symlink_metadata(Path::new("/").join(root)).is_err();
        return (is_missing && first_exists(relative))
            .then(|| (relative.to_owned(), "a leading slash stands for the root of the machine"));
    }
    let has_dot = || [r"*\.", r"+\."].iter().any(|text| pattern.contains(*text));
    if pattern.starts_with('^') || pattern.ends_with('$') || has_dot() {
        let meant = pattern.trim_start_matches('^').trim_end_matches('$').replace(r"\.", ".").replace(".*", "*");
        return first_exists(&meant).then_some((meant, "patterns are globs, not regular expressions"));
    }
    let meant = pattern.replace(r"\\", "/").replace('\\', "/");
    (meant != pattern && first_exists(&meant)).then_some((meant, "folders are separated by `/`"))
}

/// Returns the first plain name of a pattern that doesn't exist below the folder.
fn missing_name<'a>(pattern: &'a str, base: &Path) -> Option<PatternGap<'a>> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if pattern.starts_with(['/', '~', '!']) {
        return None;
    }
    let mut start = 0;
    for name in pattern.split('/') {
        let end = start + name.len();
        if name.is_empty() || name.contains(SPECIAL) {
            return None;
        }
        let path = base.join(pattern.get(..end)?);
        if fs::symlink_metadata(path).is_err() {
            return Some(PatternGap { before: pattern.get(..start)?, name, rest: pattern.get(end..)? });
        }
        start = end + 1;
    }
    None
}

/// Returns the name in the folder that a misspelled one probably means.
fn similar_name(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|other| may_mean(name, other));
    names.sort();
    if let Some(same) = names.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        return Some(same.clone());
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest_within(name, &known, name.len() / 4).map(str::to_owned)
}
