//! Other forms of a file tool's path.

use super::super::WorldFacts;
use guard_contract::paths;

/// The maximum length of a path that is rewritten, in bytes.
const PATH_BYTES: usize = 1 << 10;

/// A path and its context.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathUse<'a> {
    pub(super) path: &'a str,
    pub(super) cwd: &'a str,
    pub(super) home: &'a str,
    pub(super) world: &'a WorldFacts,
}

#[derive(Debug)]
pub(super) struct PathForm {
    pub(super) path: String,
    /// A symbolic link that must be added to the world, with its target.
    pub(super) link: Option<(String, String)>,
}

impl PathUse<'_> {
    /// Splits the path into the folder with its slash, and the name.
    fn split(&self) -> Option<(&str, &str)> {
        let at = self.path.rfind('/').map_or(0, |at| at + 1);
        let (folder, name) = self.path.split_at_checked(at)?;
        let odd = self.path.len() > PATH_BYTES || self.path.contains('\0');
        (!odd && !matches!(name, "" | "." | ".." | "~")).then_some((folder, name))
    }

    /// Returns the absolute path, without resolving links.
    fn lexical(&self, path: &str) -> String {
        paths::lexical(path, self.cwd, self.home)
    }

    /// Returns whether one of the world's links may be on the path.
    fn is_linked(&self, path: &str) -> bool {
        let path = self.lexical(path);
        self.world.links.keys().any(|link| paths::is_below(&path, link))
    }
}

fn without_link(path: String) -> PathForm {
    PathForm { path, link: None }
}

pub(super) fn dot(place: &PathUse<'_>) -> Option<PathForm> {
    let (folder, name) = place.split()?;
    Some(without_link(format!("{folder}./{name}")))
}

pub(super) fn slashes(place: &PathUse<'_>) -> Option<PathForm> {
    let (folder, name) = place.split()?;
    (folder.len() > 1).then(|| without_link(format!("{folder}/{name}")))
}

pub(super) fn with_parent_step(place: &PathUse<'_>) -> Option<PathForm> {
    let (folder, name) = place.split()?;
    let parent = folder.strip_suffix('/').unwrap_or(folder);
    let base = parent.rsplit('/').next()?;
    let fits = !matches!(base, "" | "." | ".." | "~") && !place.is_linked(parent);
    fits.then(|| without_link(format!("{parent}/../{base}/{name}")))
}

pub(super) fn with_round_trip(place: &PathUse<'_>) -> Option<PathForm> {
    place.split()?;
    let base = place.cwd.rsplit('/').next().filter(|base| !base.is_empty())?;
    let relative = !place.path.starts_with(['/', '~']);
    (relative && !place.is_linked("")).then(|| without_link(format!("../{base}/{}", place.path)))
}

pub(super) fn absolute(place: &PathUse<'_>) -> Option<PathForm> {
    place.split()?;
    (!place.path.starts_with(['/', '~'])).then(|| without_link(format!("{}/{}", place.cwd, place.path)))
}

pub(super) fn relative(place: &PathUse<'_>) -> Option<PathForm> {
    place.split()?;
    let rest = place.path.strip_prefix(place.cwd)?.strip_prefix('/')?;
    (!rest.starts_with(['/', '~'])).then(|| without_link(rest.to_owned()))
}

pub(super) fn home(place: &PathUse<'_>) -> Option<PathForm> {
    place.split()?;
    let rest = place.path.strip_prefix("~/").filter(|rest| !rest.starts_with('/'))?;
    Some(without_link(format!("{}/{rest}", place.home)))
}

pub(super) fn folder_slash(place: &PathUse<'_>) -> Option<PathForm> {
    place.split()?;
    place.world.dirs.contains(&place.lexical(place.path)).then(|| without_link(format!("{}/", place.path)))
}

pub(super) fn link(place: &PathUse<'_>) -> Option<PathForm> {
    let (folder, name) = place.split()?;
    // The target of a link may have another name.
    if place.is_linked(place.path) {
        return None;
    }
    let target = place.lexical(if folder.is_empty() { "." } else { folder });
    let link = format!("{}/mutant-link", place.cwd);
    let path = format!("{link}/{name}");
    Some(PathForm { path, link: Some((link, target)) })
}
