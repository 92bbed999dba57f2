//! Patterns of a project's policies that begin in a folder or a file that doesn't exist.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use guard_config::problem::{entry_location, nearest_within};
use guard_contract::Problem;
use guard_contract::paths::below;
use guard_contract::policy::{Entry, Source};
use guard_platform::paths::native;
use serde_json::Value;

use super::{FILES, warning};

/// Lists of patterns that begin at the project's root, and protect what they match.
const PROTECTING: [&str; 2] = ["protected", "warned"];

/// Lists whose patterns match at any depth, or that let calls pass. Only a misspelt name is worth a warning there.
const OTHERS: [&str; 5] = ["blocked", "confirm", "exempt", "reads", "safe"];

/// The table that has the lists of files of a policy with other settings.
const FILES_TABLE: &str = "files";

/// The most patterns of one list that are looked at.
const PATTERNS: usize = 256;

/// The most files of a project that are looked at for a name, and folders without files of the project's own.
const FILES_BELOW: usize = 5000;
const UNLIKELY: [&str; 6] = [".git", "node_modules", "target", "vendor", ".venv", "dist"];

/// Characters of a component that is no plain name.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// Where a pattern leads to nothing.
struct PatternGap<'a> {
    /// The part of the pattern that exists; empty, or with a slash at its end.
    before: &'a str,
    /// The name that is not there.
    name: &'a str,
    /// The rest of the pattern, with its slash.
    rest: &'a str,
}

/// A warning for each pattern of an entry that matches no file below `root`, the root of the call's project.
pub(super) fn unmatched(entry: &Entry, root: &str) -> Vec<Problem> {
    let is_built_in = matches!(entry.source, Source::Builtin(_));
    let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
    let tables = [Some(&settings), settings.get(FILES_TABLE)];
    let mut found = Vec::new();
    for table in tables.into_iter().flatten().filter(|_| is_built_in) {
        for key in PROTECTING.iter().chain(&OTHERS) {
            let patterns = table.get(*key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            let texts = patterns.take(PATTERNS).filter_map(|pattern| Some((pattern, hint(pattern, key, entry, root)?)));
            found.extend(texts.map(|(pattern, hint)| {
                let place = entry_location(&entry.settings_source.file, &entry.name);
                let text = format!("policy `{}`: no file matches `{pattern}` in `{key}`", entry.name);
                warning(place, text, hint)
            }));
        }
    }
    found
}

/// The hint for a pattern that matches nothing; `None` if it may match a file.
fn hint(pattern: &str, key: &str, entry: &Entry, root: &str) -> Option<String> {
    let nested = below(&entry.project, root).filter(|rest| !matches!(*rest, "" | "."));
    let base = if entry.project == root || nested.is_some() { root } else { &entry.project };
    // An entry that takes something out of a list names it as another entry does.
    let (not, pattern) = pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest));
    if let Some((meant, why)) = misspelt_path(pattern, &native(base)) {
        return Some(format!("{why}: did you mean `{not}{meant}`?"));
    }
    let PatternGap { before, name, rest } = missing_name(pattern, &native(base))?;
    let own = native(&entry.project).join(name);
    if let Some(folder) = nested.filter(|_| before.is_empty() && own.exists()) {
        return Some(format!("patterns begin at the project's root: did you mean `{not}{folder}/{pattern}`?"));
    }
    if let Some(meant) = similar_name(&native(base).join(before), name) {
        return Some(format!("did you mean `{not}{before}{meant}{rest}`?"));
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

/// A pattern for a path of the machine, or with backslashes, that would match in the folder if it were written otherwise.
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

/// The first plain name of a pattern that doesn't exist below the folder.
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

/// The first place of a name in the folders below, the nearest to the root first.
fn deeper(root: &Path, name: &str) -> Option<String> {
    let mut left = VecDeque::from([(root.to_path_buf(), String::new())]);
    let mut looked_at = 0;
    while let Some((folder, above)) = left.pop_front() {
        let mut names: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().take(FILES).collect();
        names.sort_by_key(fs::DirEntry::file_name);
        for entry in names {
            looked_at += 1;
            let Ok(own) = entry.file_name().into_string() else { continue };
            if looked_at > FILES_BELOW {
                return None;
            }
            let path = format!("{above}{own}");
            if own == name {
                return Some(path);
            }
            if !UNLIKELY.contains(&own.as_str()) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push_back((entry.path(), format!("{path}/")));
            }
        }
    }
    None
}

/// The name in the folder that a misspelt one may mean.
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
