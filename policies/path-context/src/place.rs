//! [`Map`]: which places are blocked and which are safe, and where a path lies.
//!
//! Blocked comes first, then safe, then a git repository; everything else is outside. A path is blocked by its text or
//! by where links lead. It is safe only by where links lead.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use guard_sdk::globs::Glob;
use guard_sdk::syntax::Effect;
use guard_sdk::{Call, Facts, ResolvedPath};

use crate::Settings;

/// Where a path lies, the best place first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// In a safe place, or in a repository.
    Safe,
    /// In neither, or nobody knows where.
    Outside,
    /// In a blocked place.
    Blocked,
}

impl Place {
    /// The word for it in the audit log.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Place::Safe => "safe",
            Place::Outside => "outside",
            Place::Blocked => "blocked",
        }
    }
}

/// A place of the settings as this machine has it.
#[derive(Debug)]
pub(crate) struct Area {
    glob: Glob,
    /// Where the place leads, if that is elsewhere.
    canonical: Option<Glob>,
}

impl Area {
    fn new(text: &str, call: &Call<'_>, fold: bool) -> Self {
        let resolved = call.resolve(text);
        // What stands at the start of a pattern is a path for the host as well: the home, the working directory.
        let lexical = if resolved.lexical.is_empty() { text.to_owned() } else { resolved.lexical };
        let elsewhere = !resolved.canonical.is_empty() && resolved.canonical != lexical;
        // Settings hold no text that is no pattern, but the folder that it is taken from may have any name.
        let glob = |text: &str| {
            let text = folded(text, fold);
            Glob::new(&text).unwrap_or_else(|_| Glob::literal(&text))
        };
        Area { canonical: elsewhere.then(|| glob(&resolved.canonical)), glob: glob(&lexical) }
    }

    fn holds(&self, path: &str) -> bool {
        self.glob.covers(path) || self.canonical.as_ref().is_some_and(|glob| glob.covers(path))
    }

    /// Whether the whole area lies below the path.
    fn is_below(&self, path: &str) -> bool {
        let folder = path.trim_end_matches('/');
        let below = |glob: &Glob| glob.text().strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        !path.is_empty() && (below(&self.glob) || self.canonical.as_ref().is_some_and(below))
    }
}

fn folded(text: &str, fold: bool) -> String {
    if fold { text.to_ascii_lowercase() } else { text.to_owned() }
}

/// The places of the settings. The host is asked for them only when a path must be judged.
pub(crate) struct Map<'a> {
    call: &'a Call<'a>,
    settings: &'a Settings,
    /// Homes lie below `/Users` on macOS, whose file system takes upper and lower case for one.
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

    /// Whether a path of the settings that is on no list holds this one.
    pub(crate) fn is_in(&self, area: &str, path: &ResolvedPath) -> bool {
        let area = Area::new(area, self.call, false);
        area.holds(&path.lexical) || area.holds(&path.canonical)
    }

    /// Where a path lies that is written.
    pub(crate) fn of_path(&self, path: &ResolvedPath) -> Place {
        self.place(&path.lexical, &path.canonical, &path.git_root)
    }

    /// Where a text leads.
    pub(crate) fn of_text(&self, text: &str) -> Place {
        self.of_path(&self.resolve(text))
    }

    fn place(&self, lexical: &str, canonical: &str, git_root: &str) -> Place {
        let (blocked, safe) = self.areas();
        let texts = [folded(lexical, self.fold), folded(canonical, self.fold)];
        if blocked.iter().any(|area| texts.iter().any(|text| area.holds(text))) {
            return Place::Blocked;
        }
        let in_repository = self.settings.git_safe && !git_root.is_empty();
        let is_safe = !canonical.is_empty() && (in_repository || safe.iter().any(|area| area.holds(canonical)));
        if is_safe { Place::Safe } else { Place::Outside }
    }

    /// Where something lies that is taken away.
    ///
    /// It belongs to the folder that holds it: a whole repository lies outside, unless its folder is safe. A link is
    /// taken away where it stands, and what it leads to remains.
    pub(crate) fn of_entry(&self, effect: &Effect) -> Place {
        let path = &effect.path;
        let written = path.raw.trim_end_matches('/');
        let ends_in_dots = matches!(written.rsplit('/').next(), Some("" | "." | ".."));
        let Some((parent, name)) = (if ends_in_dots { &path.lexical } else { written }).rsplit_once('/') else {
            return self.of_path(path);
        };
        let folder = self.resolve(if parent.is_empty() { "/" } else { parent });
        let entry = format!("{}/{name}", folder.canonical.trim_end_matches('/'));
        let (blocked, _) = self.areas();
        if [&path.lexical, &entry].into_iter().any(|text| {
            let text = folded(text, self.fold);
            !folder.canonical.is_empty() && blocked.iter().any(|area| area.is_below(&text))
        }) {
            return Place::Blocked;
        }
        let canonical = if folder.canonical.is_empty() { "" } else { entry.as_str() };
        let here = self.place(&path.lexical, canonical, &folder.git_root);
        let is_link = path.canonical != entry && !ends_in_dots && written == path.raw;
        if is_link && matches!(effect.tag("by"), Some("rm" | "unlink" | "mv" | "rmdir")) {
            return here;
        }
        here.max(self.of_path(path))
    }

    fn resolve(&self, text: &str) -> ResolvedPath {
        let mut known = self.known.borrow_mut();
        known.entry(text.to_owned()).or_insert_with(|| self.call.resolve(text)).clone()
    }
}
