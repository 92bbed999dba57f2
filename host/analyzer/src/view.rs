//! [`View`]: a command's file system, if it isn't just this machine's: the paths of this machine in it, and their
//! locations. Lexical only.

use std::rc::Rc;

use crate::limits;
use crate::run::path::{lexical, lost_directory};
use crate::word::expand::parameter;

/// A folder or file mounted in the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    target: String,
    /// The path on this machine. `None` if the content isn't from this machine, or unknown.
    source: Option<String>,
    read_only: bool,
}

/// The file system of a container or a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct View {
    /// The last one of equal targets applies.
    mounts: Vec<Mount>,
    /// Whether it contains nothing of this machine except the mounts.
    pub(crate) isolated: bool,
    /// The user's home in the file system.
    pub(crate) home: String,
    /// The user's home outside it.
    pub(crate) host_home: String,
    /// Whether it shares its processes with this machine, so that a command can leave it.
    pub(crate) host_processes: bool,
}

/// The file system of one command, and its working directory in it.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    pub(crate) view: Rc<View>,
    pub(crate) cwd: String,
}

/// The path on this machine for a path in the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostPath {
    pub(crate) path: String,
    pub(crate) read_only: bool,
}

impl View {
    /// Creates a file system without mounts.
    pub(crate) fn new(isolated: bool, home: String) -> View {
        View { isolated, home, ..View::default() }
    }

    /// Returns the path on this machine for a path in the file system. `None` if it isn't on this machine.
    pub(crate) fn host(&self, path: &str) -> Option<HostPath> {
        if !path.starts_with('/') {
            return (!self.isolated).then(|| HostPath { path: path.to_owned(), read_only: false });
        }
        let path = lexical(path);
        let names = components(&path);
        let longest = self.mounts.iter().filter(|mount| reaches(&names, &mount.target));
        let Some(mount) = longest.max_by_key(|mount| components(&mount.target).len()) else {
            return (!self.isolated).then_some(HostPath { path, read_only: false });
        };
        let rest = names.get(components(&mount.target).len()..).unwrap_or_default();
        let path = join(mount.source.as_deref()?, rest);
        Some(HostPath { path, read_only: mount.read_only })
    }

    /// Returns the writable paths of this machine below a path in the file system.
    pub(crate) fn below(&self, path: &str, glob: bool) -> Vec<&str> {
        if !path.starts_with('/') {
            return Vec::new();
        }
        let path = lost_directory(path, glob);
        let names = components(&path);
        let is_below = |mount: &&Mount| {
            let target = components(&mount.target);
            target.len() > names.len()
                && fits(&names, &target)
                // Unless another mount hides it.
                && self.host(&mount.target).is_some_and(|here| Some(here.path) == mount.source)
        };
        let changes = self.mounts.iter().filter(|mount| !mount.read_only).filter(is_below);
        changes.filter_map(|mount| mount.source.as_deref()).collect()
    }

    /// Mounts `source` of `outer` at `target`. Without a source, the content isn't from this machine. Returns false if
    /// the limit is reached.
    pub(crate) fn mount(&mut self, outer: Option<&View>, source: Option<&str>, target: &str, read_only: bool) -> bool {
        let target = lexical(target);
        let source = source.map(lexical);
        let place = source.as_deref().and_then(|source| match outer {
            Some(outer) => outer.host(source),
            None => Some(HostPath { path: source.to_owned(), read_only: false }),
        });
        let is_fixed = read_only || place.as_ref().is_some_and(|place| place.read_only);
        let mut added =
            vec![Mount { target: target.clone(), source: place.map(|place| place.path), read_only: is_fixed }];
        // Mounts below the source are included.
        if let (Some(outer), Some(source)) = (outer, &source) {
            let names = components(source);
            let inner = outer.mounts.iter().filter(|mount| {
                let other = components(&mount.target);
                other.len() > names.len() && fits(&names, &other)
            });
            added.extend(inner.map(|mount| {
                let other = components(&mount.target);
                let target = join(&target, other.get(names.len()..).unwrap_or_default());
                Mount { target, source: mount.source.clone(), read_only: mount.read_only || read_only }
            }));
        }
        let room = self.mounts.len() + added.len() <= limits::MOUNTS;
        self.mounts.extend(added.into_iter().take(limits::MOUNTS.saturating_sub(self.mounts.len())));
        room
    }
}

/// Returns the path on this machine for a command's path, if it is known. Without [`Inside`], it is the same.
pub(crate) fn host_path(inside: Option<&Inside>, path: &str) -> String {
    match inside {
        Some(inside) => inside.view.host(path).map(|here| here.path).unwrap_or_default(),
        None => path.to_owned(),
    }
}

fn components(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

/// Returns whether the target is the path or below it. The path's components may be patterns.
fn reaches(names: &[&str], target: &str) -> bool {
    let target = components(target);
    names.get(..target.len()).is_some_and(|names| fits(names, &target))
}

/// Returns whether the components, which may be patterns, match the start of `target`.
fn fits(names: &[&str], target: &[&str]) -> bool {
    let same = |(name, target): (&&str, &&str)| {
        name == target || name.contains(['*', '?', '[']) && parameter::matches(name, target)
    };
    names.len() <= target.len() && names.iter().zip(target).all(same)
}

fn join(folder: &str, rest: &[&str]) -> String {
    if rest.is_empty() {
        return folder.to_owned();
    }
    format!("{}/{}", folder.trim_end_matches('/'), rest.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_target_that_holds_a_path_says_where_it_is() {
        let mut view = View { isolated: true, ..View::default() };
        assert!(view.mount(None, Some("/home/u"), "/h", false));
        assert!(view.mount(None, Some("/srv/x"), "/h/x", true));
        assert!(view.mount(None, None, "/h/v", false));
        let host = |path: &str| view.host(path).map(|here| here.path);
        assert_eq!(host("/h/a/../b"), Some("/home/u/b".to_owned()));
        assert_eq!(host("/h"), Some("/home/u".to_owned()));
        assert_eq!(host("/h/x/y"), Some("/srv/x/y".to_owned()));
        assert_eq!(host("/?/a"), Some("/home/u/a".to_owned()));
        assert_eq!((host("/h/v/a"), host("/hh/a"), host("/"), host("a")), (None, None, None, None));
        assert_eq!(view.below("/", false), ["/home/u"]);
        assert_eq!(view.below("/*", true), ["/home/u"]);
        assert!(view.below("/h/x", false).is_empty());
    }

    #[test]
    fn a_root_within_a_container_is_seen_through_both() {
        let mut outer = View { isolated: true, ..View::default() };
        assert!(outer.mount(None, Some("/"), "/host", false));
        assert!(outer.mount(None, Some("/srv"), "/host/mnt", false));
        let mut inner = View::default();
        assert!(inner.mount(Some(&outer), Some("/host"), "/", false));
        assert_eq!(inner.host("/etc/x").map(|here| here.path), Some("/etc/x".to_owned()));
        assert_eq!(inner.host("/mnt/x").map(|here| here.path), Some("/srv/x".to_owned()));
        let mut other = View::default();
        assert!(other.mount(Some(&outer), Some("/data"), "/", false));
        assert_eq!(other.host("/etc/x"), None);
    }

    #[test]
    fn there_is_an_end_to_mounts() {
        let mut view = View::default();
        assert!(!(0..10_000).all(|at| view.mount(None, Some("/a"), &format!("/{at}"), false)));
        assert!(view.host(&"/a".repeat(100_000)).is_some());
    }
}
