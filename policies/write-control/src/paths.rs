//! [`Target`]: a changed path, relative to the project's root, as the patterns see it.
//!
//! Both the written and the resolved path are matched. Makes no decisions.

use guard_sdk::globs::Glob;
use guard_sdk::paths::without_dots;
use guard_sdk::syntax::{Effect, HeldFiles};
use guard_sdk::{Call, Facts};

use crate::Settings;

/// The maximum number of patterns of one change.
const PATTERNS: usize = 32;

/// The maximum length of a path in a message, in characters.
const SHOWN: usize = 300;

/// The project's root, and whether case matters below it.
pub(crate) struct ProjectRoot<'a> {
    path: &'a str,
    fold: bool,
    call: &'a Call<'a>,
}

impl<'a> ProjectRoot<'a> {
    pub(crate) fn new(call: &'a Call<'a>, facts: &'a Facts, settings: &Settings) -> Self {
        // The homes of macOS, whose file system ignores case.
        let fold = settings.fold_case.unwrap_or_else(|| facts.home.starts_with("/Users/"));
        ProjectRoot { path: facts.project_root.trim_end_matches('/'), fold, call }
    }

    /// Returns whether the path is a file, which can contain nothing.
    fn is_file(&self, relative: &str) -> bool {
        let is_plain = !relative.is_empty() && !relative.contains(['*', '?', '[', '{', '\\']);
        is_plain && self.call.resolve(&format!("{}/{relative}", self.path)).kind == "file"
    }
}

/// A set of files that a change may affect.
#[derive(Debug)]
struct AffectedFiles {
    pattern: Glob,
    /// Whether the pattern is specific about the names of the files, not only their folder.
    is_by_name: bool,
    /// Whether whole folders may be affected.
    takes_folders: bool,
}

impl ProjectRoot<'_> {
    /// Returns the patterns of the files that a change may affect, from the root on.
    fn patterns(&self, effect: &Effect, relative: &[String], is_tree: bool) -> Vec<AffectedFiles> {
        let mut found = Vec::new();
        let mut add = |text: &str, is_by_name| {
            found.extend(Glob::new(text).ok().map(|pattern| AffectedFiles {
                pattern,
                is_by_name,
                takes_folders: text.ends_with("**/*"),
            }));
        };
        let among = effect.tags.iter().filter(|(name, _)| name == "among").map(|(_, pattern)| pattern.as_str());
        for pattern in among.take(PATTERNS) {
            let Some(pattern) = self.below_root(pattern) else { continue };
            add(&pattern, !pattern.ends_with("/*") && pattern != "*");
        }
        let has_wildcard = |text: &str| text.contains(['*', '?', '[']);
        relative.iter().filter(|text| has_wildcard(text)).for_each(|text| add(text, true));
        if is_tree && found.is_empty() {
            let lexical = effect.path.lexical.as_str();
            // Clones and releases usually have their own folder. Other archives may contain any files.
            let fills = effect.kind != "write"
                || ["merged-from", "pathspec"].iter().any(|tag| effect.tag(tag).is_some())
                || effect.tag("archive").is_some() && effect.tag("own-folder").is_none();
            let is_whole = match lexical.is_empty() {
                // A git command without a file, or with the working directory, restores all files.
                true => {
                    let is_all = ["force", "whole-directory"].iter().any(|tag| effect.tag(tag).is_some());
                    is_all && effect.kind == "vcs"
                }
                false => fills && (lexical == self.path || is_above(lexical, self.path)),
            };
            if is_whole {
                let all = Glob::new("**").ok();
                found.extend(all.map(|pattern| AffectedFiles { pattern, is_by_name: false, takes_folders: true }));
            }
            let plain = relative.iter().filter(|text| !has_wildcard(text));
            let below = plain.filter_map(|text| Glob::new(&format!("{}/**", Glob::escaped(text))).ok());
            // An ignored or new folder contains nothing worth protecting.
            let is_listed = effect.kind == "delete" && effect.held_files().is_some_and(HeldFiles::is_whole);
            let takes_folders = effect.path.kind == "dir" && effect.tag("disposable").is_none() && !is_listed;
            found.extend(below.map(|pattern| AffectedFiles { pattern, is_by_name: false, takes_folders }));
        }
        found
    }

    /// Returns a pattern of absolute paths relative to the project's root. `None` if it can't match below it.
    fn below_root(&self, pattern: &str) -> Option<String> {
        let root = Glob::escaped(self.path);
        if let Some(rest) = pattern.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/')) {
            return Some(rest.to_owned());
        }
        // The pattern begins above the root and leads into it.
        let (folder, rest) = pattern.split_once("/**/")?;
        let is_above = folder.is_empty() || is_above(folder, &root);
        is_above.then(|| format!("**/{rest}"))
    }
}

/// Returns whether a pattern for any depth ends in a plain name without an extension, as folders have: `**/migrations`.
fn names_folder(pattern: &str) -> bool {
    let name = pattern.trim_end_matches("/**").rsplit('/').next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Returns whether a pattern matches everything below names with an extension, which are rarely folders: `*.key/**`.
fn is_below_files(pattern: &str) -> bool {
    let name = pattern.strip_suffix("/**").and_then(|folder| folder.rsplit('/').next()).unwrap_or_default();
    name.contains('.') && name.contains(['*', '?', '['])
}

/// Returns whether a folder contains the other one.
fn is_above(folder: &str, other: &str) -> bool {
    other.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

/// A changed path.
#[derive(Debug)]
pub(crate) struct Target {
    /// Its texts, relative to the project's root and to its own repository's root.
    relative: Vec<String>,
    /// The same texts for everything below it, if all of that is deleted.
    below: Vec<String>,
    /// Patterns of the files below the project's root that the change may affect, if the text doesn't reveal them.
    among: Vec<AffectedFiles>,
    /// The existing files below the project's root that the change takes without naming them. Folders end with a slash.
    held: Vec<String>,
    /// Whether all its texts are inside the project.
    pub(crate) is_inside: bool,
    /// Whether the case of protected paths is ignored.
    pub(crate) fold: bool,
}

impl Target {
    pub(crate) fn new(effect: &Effect, root: &ProjectRoot<'_>) -> Self {
        let path = &effect.path;
        let mut relative: Vec<String> = Vec::new();
        let mut is_inside = true;
        let mut add = |text: Option<String>| match text {
            Some(text) if relative.contains(&text) => {}
            Some(text) => relative.push(text),
            None => is_inside = false,
        };
        if path.lexical.is_empty() {
            // An unresolved path is matched by its text, normalized and as written.
            let raw = if path.raw.is_empty() { effect.target.as_str() } else { path.raw.as_str() };
            let raw = below(raw, root.path).unwrap_or(raw);
            add(Some(without_dots(raw)));
            add(Some(raw.to_owned()));
        } else {
            add(below(&path.lexical, root.path).map(str::to_owned));
            if !path.canonical.is_empty() {
                // The root may itself be reached through a link, so the host's relative path is used as well.
                let known = Some(path.project_relative.as_str()).filter(|relative| !relative.is_empty());
                add(known.or_else(|| below(&path.canonical, root.path)).map(str::to_owned));
                // A file of a nested repository is also matched from that repository's root.
                if let Some(text) = below(&path.canonical, &path.git_root)
                    && !relative.iter().any(|known| known == text)
                {
                    relative.push(text.to_owned());
                }
            }
        }
        // An option for an output may name a folder, which is then filled.
        let is_filled = effect.tag("output").is_some() && path.kind == "dir";
        let is_tree = effect.kind == "delete"
            || effect.kind == "vcs"
            || is_filled
            || ["tree", "archive", "pathspec"].iter().any(|tag| effect.tag(tag).is_some());
        let below = if is_tree { relative.iter().map(|text| format!("{text}/_")).collect() } else { Vec::new() };
        let among = root.patterns(effect, &relative, is_tree);
        let held = held_below(effect, root);
        Target { relative, below, among, held, is_inside, fold: root.fold }
    }

    /// Returns whether the change may affect a file that a listed pattern matches, although none of its texts matches.
    pub(crate) fn may_take(&self, listed: &Glob, root: &ProjectRoot<'_>) -> bool {
        // A file pattern for any depth can match in every folder, unlike a folder's name.
        let is_anywhere = listed.text().starts_with("**/");
        if is_below_files(listed.text()) {
            return false;
        }
        let is_folder = is_anywhere && names_folder(listed.text());
        let fits = |among: &&AffectedFiles| among.is_by_name || !is_anywhere || is_folder && among.takes_folders;
        let mut among = self.among.iter().filter(fits);
        among.any(|among| listed.overlaps(&among.pattern, self.fold))
            && !listed.text().strip_suffix("/**").is_some_and(|folder| root.is_file(folder))
    }

    /// Returns whether the change takes an existing file that fits. A folder is taken with everything in it.
    pub(crate) fn holds(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.held.iter().any(|path| match path.strip_suffix('/') {
            Some(folder) => fits(folder) || fits(&format!("{path}_")),
            None => fits(path),
        })
    }

    /// Returns the first matching text: the path's own, or that of something in a deleted folder.
    pub(crate) fn find(&self, fits: impl Fn(&str) -> bool) -> Option<&str> {
        let whole = self.relative.iter().zip(self.below.iter().map(Some).chain(std::iter::repeat(None)));
        let mut fitting = whole.filter(|(own, below)| fits(own) || below.is_some_and(|below| fits(below)));
        fitting.next().map(|(own, _)| own.as_str())
    }

    /// Returns the text of a deleted folder that contains `folder`.
    pub(crate) fn holding(&self, folder: &str) -> Option<&str> {
        let is_above = |text: &&String| folder.strip_prefix(text.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.relative.iter().filter(|_| !self.below.is_empty()).find(is_above).map(String::as_str)
    }

    /// Returns all texts of the path. Empty if it is outside of the project.
    pub(crate) fn texts(&self) -> &[String] {
        &self.relative
    }
}

/// Returns the existing files below the project's root that an effect takes. What is unpacked in the root itself mostly
/// brings a folder of its own.
fn held_below(effect: &Effect, root: &ProjectRoot<'_>) -> Vec<String> {
    if effect.kind == "write" && effect.path.canonical == root.path {
        return Vec::new();
    }
    // A file of a nested repository is also matched from that repository's root.
    let roots = [root.path, effect.path.git_root.as_str()];
    let relative = |path: String| {
        let texts = roots.into_iter().filter(|root| !root.is_empty()).filter_map(|root| below(&path, root));
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    effect.held_files().into_iter().flat_map(|files| files.paths()).flat_map(relative).collect()
}

/// Returns the part of an absolute path below the project's root.
fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    path.strip_prefix(root)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// Formats a path for a message.
pub(crate) fn shown(path: &str) -> String {
    match path.char_indices().nth(SHOWN) {
        None => path.to_owned(),
        Some((end, _)) => format!("{}…", path.get(..end).unwrap_or_default()),
    }
}
