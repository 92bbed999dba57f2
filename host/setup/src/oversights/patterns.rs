//! Finds patterns that match no file of the project, and entries `!x` of lists that remove nothing.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use guard_config::problem::{entry_location, nearest_within};
use guard_contract::paths::below;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Layer, Problem};
use guard_platform::paths::native;
use guard_sdk::globs::{Glob, covering, relative, spelled_folder};
use guard_sensitive_paths::{Entries, Lists};
use serde_json::Value;

use super::void_keys::{FILES_TABLE, LISTS};
use super::{FILES, warning};
use crate::check::{Mistake, Severity};

/// Lists of patterns that start at the project's root, and protect what they match.
const PROTECTING: [&str; 2] = ["protected", "warned"];

/// Lists whose patterns match at any depth, or that let calls pass. There, only misspelled names cause a warning.
const OTHERS: [&str; 5] = ["blocked", "confirm", "exempt", "reads", "safe"];

/// The policy whose patterns begin at the project's root.
const WRITE_CONTROL: &str = "write-control";

/// Branches that are protected by default.
const BRANCHES: [&str; 2] = ["main", "master"];

/// The lists among [`OTHERS`] that let calls pass.
const LOOSENING: [&str; 2] = ["exempt", "safe"];

/// The maximum number of patterns in a list that are checked.
const PATTERNS: usize = 256;

/// The maximum number of files in a project that are searched for a name, and folders that usually contain no files of
/// the project itself.
const FILES_BELOW: usize = 5000;
const UNLIKELY: [&str; 6] = [".git", "node_modules", "target", "vendor", ".venv", "dist"];

/// Characters of a path component that isn't a plain name.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// The first component of a pattern that doesn't exist.
struct PatternGap<'a> {
    /// The existing part of the pattern. Empty, or ends with a slash.
    before: &'a str,
    /// The name that doesn't exist.
    name: &'a str,
    /// The rest of the pattern, including its slash.
    rest: &'a str,
}

/// Returns a mistake for each pattern of an entry that matches no file below `root`, the root of the call's project.
/// The lists of users and the administrator apply to all projects, so their patterns are only reported if a file has a
/// similar name.
pub(super) fn unmatched(entry: &Entry, root: &str) -> Vec<Mistake> {
    let mut found = Vec::new();
    for (key, patterns) in lists(entry, &[&PROTECTING[..], &OTHERS].concat()) {
        let is_of_project = entry.layer == Layer::Project;
        // A configuration at the default path may have been written for the whole machine.
        let is_told = is_of_project || !entry.settings_source.is_usual;
        let hint = |pattern: &String| match is_of_project {
            true => hint(pattern, key, entry, root),
            false => misspelt(pattern, root),
        };
        // A file below the project's root only judges calls in its folder.
        let folder = Some(nested(entry, root)).filter(|_| is_of_project).flatten();
        let told = |pattern: &String| match folder.and_then(|folder| elsewhere(pattern, entry, root, folder)) {
            Some(hint) => Some((format!("no file in `{}` matches", folder?), hint)),
            None => Some(("no file matches".to_owned(), hint(pattern)?)),
        };
        let texts = patterns.iter().filter(|_| is_told).filter_map(|pattern| Some((pattern, told(pattern)?)));
        found.extend(texts.map(|(pattern, (what, hint))| {
            let text = format!("{what} `{pattern}` in `{key}`");
            let severity = if is_of_project && !LOOSENING.contains(&key) { Severity::Gap } else { Severity::Warning };
            Mistake::new(severity, of_entry(entry, &text, hint))
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
fn of_entry(entry: &Entry, text: &str, hint: String) -> Problem {
    let place = entry_location(&entry.settings_source.file, &entry.name);
    Problem { layer: entry.layer, ..warning(place, format!("policy `{}`: {text}", entry.name), hint) }
}

/// Returns the hint for a pattern of several components that matches nothing, if the project has a file with a similar
/// name.
fn misspelt(pattern: &str, root: &str) -> Option<String> {
    let (not, pattern) = pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest));
    let gap = missing_name(pattern, &native(root)).filter(|gap| !root.is_empty() && !gap.before.is_empty())?;
    Some(format!("did you mean `{not}{}`?", corrected(pattern, &gap, &native(root))?))
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

/// Returns the folder of an entry's file, if it is below the project's root and not a repository of its own.
fn nested<'a>(entry: &'a Entry, root: &str) -> Option<&'a str> {
    let folder = below(&entry.project, root).filter(|rest| !matches!(*rest, "" | "."))?;
    fs::symlink_metadata(native(&entry.project).join(".git")).is_err().then_some(folder)
}

fn begins_at_root(entry: &Entry) -> bool {
    matches!(&entry.source, Source::Builtin(name) if name == WRITE_CONTROL)
}

/// Returns the hint for a pattern of a file in this folder that matches nothing there. `None` if it may match a file.
fn elsewhere(pattern: &str, entry: &Entry, root: &str, folder: &str) -> Option<String> {
    let (not, pattern) = pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest));
    let (own, root) = (native(&entry.project), native(root));
    if let Some((meant, why)) = misspelt_path(pattern, &own) {
        return Some(format!("{why}: did you mean `{not}{folder}/{meant}`?"));
    }
    let plain = relative(pattern).ok()?;
    let is_inside = |path: &str| {
        let all = Glob::new(&format!("{}/**", Glob::escaped(folder)));
        all.is_ok_and(|all| covering(path).is_ok_and(|globs| globs.iter().any(|glob| glob.overlaps(&all, true))))
    };
    let first = plain.split('/').next().unwrap_or_default();
    let exists = |base: &Path, name: &str| !name.contains(SPECIAL) && fs::symlink_metadata(base.join(name)).is_ok();
    let is_elsewhere = match begins_at_root(entry) {
        true => !is_inside(&plain),
        // Such a pattern matches at any depth.
        false => plain.contains('/') && exists(&root, &plain) && !exists(&own, first) && !is_inside(&plain),
    };
    if !is_elsewhere {
        return None;
    }
    let meant = format!("patterns begin at the project's root: did you mean `{not}{folder}/{plain}`?");
    let is_of_others = exists(&root, first) && !first.contains(SPECIAL) && !exists(&own, first);
    Some(if is_of_others { "list it in the file of the project's root".to_owned() } else { meant })
}

/// Returns the hint for a pattern that matches nothing. `None` if it may match a file.
fn hint(pattern: &str, key: &str, entry: &Entry, root: &str) -> Option<String> {
    let first = pattern.trim_start_matches("./").split('/').next().unwrap_or_default();
    let is_below = below(&entry.project, root).is_some_and(|rest| !matches!(rest, "" | "."));
    // Such a pattern matches at any depth.
    if is_below && !begins_at_root(entry) && !first.is_empty() && native(&entry.project).join(first).exists() {
        return None;
    }
    let is_repository = is_below && nested(entry, root).is_none();
    let base = if entry.project == root || is_below { root } else { &entry.project };
    // The patterns of a repository in the project begin at either root.
    let own = || hint_below(pattern, key, &entry.project);
    hint_below(pattern, key, base).filter(|_| !is_repository || own().is_some())
}

/// Returns the hint for a pattern that begins at this folder.
fn hint_below(pattern: &str, key: &str, base: &str) -> Option<String> {
    // An entry that removes a pattern from a list repeats it.
    let (not, pattern) = pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest));
    if let Some((meant, why)) = misspelt_path(pattern, &native(base)) {
        return Some(format!("{why}: did you mean `{not}{meant}`?"));
    }
    let Some(gap) = missing_name(pattern, &native(base)) else {
        return Some(pattern).filter(|_| PROTECTING.contains(&key)).and_then(|pattern| unused(pattern, &native(base)));
    };
    let PatternGap { before, name, rest } = gap;
    if let Some(meant) = corrected(pattern, &gap, &native(base)) {
        return Some(format!("did you mean `{not}{meant}`?"));
    }
    let deeper = Some(name)
        .filter(|_| before.is_empty() && PROTECTING.contains(&key))
        .and_then(|name| deeper(&native(base), name));
    match deeper {
        Some(found) => Some(format!(
            "a pattern without `**/` begins at the project's root: did you mean `{not}**/{name}{rest}`, as in `{found}`?"
        )),
        None if PROTECTING.contains(&key) && not.is_empty() && !(before.is_empty() && rest.is_empty()) => {
            Some("correct the path; if it will exist later, there is nothing to do".to_owned())
        }
        None => None,
    }
}

/// Returns a pattern that would match in the folder if it weren't written as an absolute path or with backslashes, with
/// the reason.
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
    let meant = pattern.replace('\\', "/");
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

/// Returns the hint for a pattern with wildcards that matches no file: whether files match deeper in the project, or
/// none are in its folder.
fn unused(pattern: &str, base: &Path) -> Option<String> {
    let plain = relative(pattern).ok()?;
    let is_spelled = plain.contains('/') && !spelled_folder(&plain).is_empty();
    if !plain.contains(SPECIAL) || plain.starts_with("**") || UNLIKELY.iter().any(|name| plain.starts_with(name)) {
        return None;
    }
    // An existing folder is protected, even if it is empty.
    let folder = plain.trim_end_matches("/**");
    if folder != plain && !folder.contains(SPECIAL) && base.join(folder).is_dir() {
        return None;
    }
    let (own, anywhere) = (Glob::new(&plain).ok()?, Glob::new(&format!("**/{plain}")).ok()?);
    match first_below(base, |path, _| own.matches(path)) {
        Search::Found(_) | Search::Unfinished => return None,
        Search::Nothing => {}
    }
    match first_below(base, |path, _| anywhere.matches(path)) {
        Search::Found(found) => Some(format!(
            "a pattern without `**/` begins at the project's root: did you mean `**/{plain}`, as in `{found}`?"
        )),
        Search::Nothing if is_spelled => {
            Some("correct the pattern; if such a file will exist later, there is nothing to do".to_owned())
        }
        _ => None,
    }
}

/// Returns the path below the folder that has this name and is nearest to the root.
fn deeper(root: &Path, name: &str) -> Option<String> {
    match first_below(root, |_, own| own == name) {
        Search::Found(path) => Some(path),
        Search::Nothing | Search::Unfinished => None,
    }
}

/// The result of a search through a project's files.
enum Search {
    Found(String),
    Nothing,
    /// There are more files than are searched.
    Unfinished,
}

/// Returns the file or folder nearest to the root whose path and name match.
fn first_below(root: &Path, fits: impl Fn(&str, &str) -> bool) -> Search {
    let mut left = VecDeque::from([(root.to_path_buf(), String::new())]);
    let mut looked_at = 0;
    while let Some((folder, above)) = left.pop_front() {
        let mut names: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES).collect();
        names.sort_by_key(fs::DirEntry::file_name);
        for entry in names {
            looked_at += 1;
            let Ok(own) = entry.file_name().into_string() else { continue };
            if looked_at > FILES_BELOW {
                return Search::Unfinished;
            }
            let path = format!("{above}{own}");
            if fits(&path, &own) {
                return Search::Found(path);
            }
            if !UNLIKELY.contains(&own.as_str()) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push_back((entry.path(), format!("{path}/")));
            }
        }
    }
    Search::Nothing
}

/// Returns the name in the folder that a misspelled one probably means.
fn similar_name(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    if let Some(same) = names.iter().find(|known| known.eq_ignore_ascii_case(name)) {
        return Some(same.clone());
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest_within(name, &known, name.len() / 4).map(str::to_owned)
}
