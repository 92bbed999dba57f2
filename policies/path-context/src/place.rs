//! [`Map`]: the blocked and safe places, and the place of a path.
//!
//! Blocked has precedence, then safe, then a git repository. Everything else is outside. A path is blocked by its text
//! or its resolved path, and safe only by its resolved path.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use guard_sdk::globs::Glob;
use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Facts, ResolvedPath};

use crate::Settings;

/// The place of a path, in ascending order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A safe place, or a repository.
    Safe,
    /// Neither, or unknown.
    Outside,
    /// A blocked place.
    Blocked,
}

impl Place {
    /// The name in the audit log.
    pub(crate) fn log_name(self) -> &'static str {
        match self {
            Place::Safe => "safe",
            Place::Outside => "outside",
            Place::Blocked => "blocked",
        }
    }
}

/// A place of the settings, resolved on this machine.
#[derive(Debug)]
pub(crate) struct Area {
    glob: Glob,
    /// The resolved place, if it differs.
    canonical: Option<Glob>,
}

impl Area {
    fn new(text: &str, call: &Call<'_>, fold: bool) -> Self {
        let resolved = call.resolve(text);
        // A pattern can start with a path that the host resolves, such as the home or the working directory.
        let lexical = if resolved.lexical.is_empty() { text.to_owned() } else { resolved.lexical };
        let elsewhere = !resolved.canonical.is_empty() && resolved.canonical != lexical;
        // Patterns of the settings are valid, but the resolved folder may have any name.
        let glob = |text: &str| {
            let text = fold_case(text, fold);
            Glob::new(&text).unwrap_or_else(|_| Glob::literal(&text))
        };
        Area { canonical: elsewhere.then(|| glob(&resolved.canonical)), glob: glob(&lexical) }
    }

    fn contains(&self, path: &str) -> bool {
        self.glob.covers(path) || self.canonical.as_ref().is_some_and(|glob| glob.covers(path))
    }

    /// Returns whether the whole area is below the path.
    fn is_below(&self, path: &str) -> bool {
        let folder = path.trim_end_matches('/');
        let below = |glob: &Glob| glob.text().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        !path.is_empty() && (below(&self.glob) || self.canonical.as_ref().is_some_and(below))
    }
}

fn fold_case(text: &str, fold: bool) -> String {
    if fold { text.to_ascii_lowercase() } else { text.to_owned() }
}

/// The places of the settings. They are resolved only if a path must be judged.
pub(crate) struct Map<'a> {
    call: &'a Call<'a>,
    settings: &'a Settings,
    /// Whether case is ignored: on macOS, where homes are in `/Users`, the file system ignores it.
    fold: bool,
    areas: OnceCell<(Vec<Area>, Vec<Area>)>,
    known: RefCell<BTreeMap<String, ResolvedPath>>,
}

impl<'a> Map<'a> {
    pub(crate) fn new(call: &'a Call<'a>, settings: &'a Settings, facts: &Facts) -> Self {
        let fold = facts.home.starts_with("/Users/");
        Map { call, settings, fold, areas: OnceCell::new(), known: RefCell::default() }
    }

    fn areas(&self) -> &(Vec<Area>, Vec<Area>) {
        self.areas.get_or_init(|| {
            let areas = |list: &[String], fold| list.iter().map(|text| Area::new(text, self.call, fold)).collect();
            (areas(&self.settings.blocked, self.fold), areas(&self.settings.safe, false))
        })
    }

    /// Returns whether a path of the settings that isn't on a list contains this path.
    pub(crate) fn is_in(&self, area: &str, path: &ResolvedPath) -> bool {
        let area = Area::new(area, self.call, false);
        area.contains(&path.lexical) || area.contains(&path.canonical)
    }

    /// Returns the place of a written path.
    pub(crate) fn path_place(&self, path: &ResolvedPath) -> Place {
        self.classify(&path.lexical, &path.canonical, &path.git_root)
    }

    /// Returns the place of a text.
    pub(crate) fn text_place(&self, text: &str) -> Place {
        self.path_place(&self.resolve(text))
    }

    fn classify(&self, lexical: &str, canonical: &str, git_root: &str) -> Place {
        let (blocked, safe) = self.areas();
        let texts = [fold_case(lexical, self.fold), fold_case(canonical, self.fold)];
        if blocked.iter().any(|area| texts.iter().any(|text| area.contains(text))) {
            return Place::Blocked;
        }
        let in_repository = self.settings.git_safe && !git_root.is_empty();
        let is_safe = !canonical.is_empty() && (in_repository || safe.iter().any(|area| area.contains(canonical)));
        if is_safe { Place::Safe } else { Place::Outside }
    }

    /// Returns the place of something that is removed.
    ///
    /// It belongs to the folder that contains it: a whole repository is outside unless its folder is safe. For a link,
    /// the link itself is removed, and its target remains.
    pub(crate) fn entry_place(&self, effect: &Effect) -> Place {
        let path = &effect.path;
        let written = path.raw.trim_end_matches('/');
        let ends_in_dots = matches!(written.rsplit('/').next(), Some("" | "." | ".."));
        let Some((parent, name)) = (if ends_in_dots { &path.lexical } else { written }).rsplit_once('/') else {
            return self.path_place(path);
        };
        let folder = self.resolve(if parent.is_empty() { "/" } else { parent });
        let entry = format!("{}/{name}", folder.canonical.trim_end_matches('/'));
        let (blocked, _) = self.areas();
        if [&path.lexical, &entry].into_iter().any(|text| {
            let text = fold_case(text, self.fold);
            !folder.canonical.is_empty() && blocked.iter().any(|area| area.is_below(&text))
        }) {
            return Place::Blocked;
        }
        let canonical = if folder.canonical.is_empty() { "" } else { entry.as_str() };
        let here = self.classify(&path.lexical, canonical, &folder.git_root);
        let is_link = path.canonical != entry && !ends_in_dots && written == path.raw;
        if is_link && matches!(effect.tag("by"), Some("rm" | "unlink" | "mv" | "rmdir")) {
            return here;
        }
        here.max(self.path_place(path))
    }

    fn resolve(&self, text: &str) -> ResolvedPath {
        let mut known = self.known.borrow_mut();
        known.entry(text.to_owned()).or_insert_with(|| self.call.resolve(text)).clone()
    }
}
