//! [`Target`]: a path that is written, as the patterns see it: relative to the project's root.
//!
//! A path is known by its text and by where links lead; each of the two is matched. Decides nothing.

use guard_sdk::Facts;
use guard_sdk::paths::without_dots;
use guard_sdk::syntax::Effect;

use crate::Settings;

/// Longest path that a message shows, in characters.
const SHOWN: usize = 300;

/// The root of the project, and whether upper and lower case count below it.
pub(crate) struct ProjectRoot<'a> {
    path: &'a str,
    fold: bool,
}

impl<'a> ProjectRoot<'a> {
    pub(crate) fn new(facts: &'a Facts, settings: &Settings) -> Self {
        // Homes lie there on macOS, whose file system takes upper and lower case for one.
        let fold = settings.fold_case.unwrap_or_else(|| facts.home.starts_with("/Users/"));
        ProjectRoot { path: facts.project_root.trim_end_matches('/'), fold }
    }
}

/// A path that is written.
#[derive(Debug)]
pub(crate) struct Target {
    /// Its texts, relative to the project's root, and to that of its own repository.
    relative: Vec<String>,
    /// The same for what lies below it, if all of that goes, too.
    below: Vec<String>,
    /// No text of it leads out of the project.
    pub(crate) is_inside: bool,
    /// The case of protected paths does not count.
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
            // It could not be resolved: by its text alone, without the dots and as it is.
            let raw = if path.raw.is_empty() { effect.target.as_str() } else { path.raw.as_str() };
            let raw = below(raw, root.path).unwrap_or(raw);
            add(Some(without_dots(raw)));
            add(Some(raw.to_owned()));
        } else {
            add(below(&path.lexical, root.path).map(str::to_owned));
            if !path.canonical.is_empty() {
                // The root may be reached through a link itself, so the host's own word counts as well.
                let known = Some(path.project_relative.as_str()).filter(|relative| !relative.is_empty());
                add(known.or_else(|| below(&path.canonical, root.path)).map(str::to_owned));
                // A file of another repository is matched from the root of its own, also if that lies in this project.
                if let Some(text) = below(&path.canonical, &path.git_root)
                    && !relative.iter().any(|known| known == text)
                {
                    relative.push(text.to_owned());
                }
            }
        }
        let is_tree = effect.kind == "delete" || effect.tag("tree").is_some() || effect.tag("archive").is_some();
        let below = if is_tree { relative.iter().map(|text| format!("{text}/_")).collect() } else { Vec::new() };
        Target { relative, below, is_inside, fold: root.fold }
    }

    /// The first text that fits: the path's own, or that of something in a folder that goes as a whole.
    pub(crate) fn find(&self, fits: impl Fn(&str) -> bool) -> Option<&str> {
        let whole = self.relative.iter().zip(self.below.iter().map(Some).chain(std::iter::repeat(None)));
        let mut fitting = whole.filter(|(own, below)| fits(own) || below.is_some_and(|below| fits(below)));
        fitting.next().map(|(own, _)| own.as_str())
    }

    /// The text of a folder that goes as a whole, if `folder` is in it.
    pub(crate) fn holding(&self, folder: &str) -> Option<&str> {
        let is_above = |text: &&String| folder.strip_prefix(text.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.relative.iter().filter(|_| !self.below.is_empty()).find(is_above).map(String::as_str)
    }

    /// Every text of the path, none if it lies outside of the project.
    pub(crate) fn texts(&self) -> &[String] {
        &self.relative
    }
}

/// The part of an absolute path below the project's root.
fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    path.strip_prefix(root)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// A path as a message shows it.
pub(crate) fn shown(path: &str) -> String {
    match path.char_indices().nth(SHOWN) {
        None => path.to_owned(),
        Some((end, _)) => format!("{}…", path.get(..end).unwrap_or_default()),
    }
}
