//! [`View`]: the file system that a command sees, where it is not simply that of this machine: what of this machine is
//! in it, and where. By text alone.

use std::rc::Rc;

use crate::limits;
use crate::run::path::{lexical, lost_directory};
use crate::word::expand::parameter;

/// A folder or a file that is put somewhere into the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    target: String,
    /// The path on this machine. None: the content isn't of this machine, or isn't known.
    source: Option<String>,
    read_only: bool,
}

/// The file system of a container or a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct View {
    /// The last one of equal targets counts.
    mounts: Vec<Mount>,
    /// Nothing of this machine is in it except the mounts.
    pub(crate) isolated: bool,
    /// The home of the user inside.
    pub(crate) home: String,
    /// The home of the user around it.
    pub(crate) host_home: String,
    /// It shares its processes with this machine, so that a command can leave it.
    pub(crate) host_processes: bool,
}

/// The file system of one command, and the directory in it where the command runs.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    pub(crate) view: Rc<View>,
    pub(crate) cwd: String,
}

/// The path of this machine that a path inside means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostPath {
    pub(crate) path: String,
    pub(crate) read_only: bool,
}

impl View {
    /// A file system without mounts.
    pub(crate) fn new(isolated: bool, home: String) -> View {
        View { isolated, home, ..View::default() }
    }

    /// The path of this machine behind a path inside. None if there is none.
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

    /// The paths of this machine that lie below a path inside, and can be changed there.
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
                // Unless another one hides it.
                && self.host(&mount.target).is_some_and(|here| Some(here.path) == mount.source)
        };
        let changes = self.mounts.iter().filter(|mount| !mount.read_only).filter(is_below);
        changes.filter_map(|mount| mount.source.as_deref()).collect()
    }

    /// Puts what `outer` has at `source` at `target`; without a source, something that isn't of this machine. False if
    /// there is no room.
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
        // What is mounted below the source comes with it.
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

/// The path of this machine that a path of a command means, if that is a known one. Without [`Inside`] it is the same.
pub(crate) fn host_path(inside: Option<&Inside>, path: &str) -> String {
    match inside {
        Some(inside) => inside.view.host(path).map(|here| here.path).unwrap_or_default(),
        None => path.to_owned(),
    }
}

fn components(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

/// Whether a path, of which a component may be a pattern, is the target or lies below it.
fn reaches(names: &[&str], target: &str) -> bool {
    let target = components(target);
    names.get(..target.len()).is_some_and(|names| fits(names, &target))
}

/// Whether the components, which may be patterns, are the first of `target`.
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
