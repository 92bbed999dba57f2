//! [`CommandDirs`]: the folders from which a profile's paths start.

use std::path::{Component, Path, PathBuf};

/// A command's working directory, and the homes of its tools.
pub struct CommandDirs<'a> {
    /// The working directory.
    pub cwd: PathBuf,
    /// The project's root.
    pub project: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// Returns an environment variable.
    pub variable: &'a (dyn Fn(&str) -> Option<String> + Sync),
}

impl std::fmt::Debug for CommandDirs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Places").field("cwd", &self.cwd).field("project", &self.project).finish_non_exhaustive()
    }
}

impl CommandDirs<'_> {
    /// Returns the absolute path for a profile's path.
    #[must_use]
    pub fn absolute(&self, path: &str) -> PathBuf {
        let joined = match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => self.cwd.join(path),
        };
        lexical(&joined)
    }

    /// Returns a path for people: relative to the working directory or the home.
    #[must_use]
    pub fn format_path(&self, path: &Path) -> String {
        if let Ok(rest) = path.strip_prefix(&self.cwd) {
            return if rest.as_os_str().is_empty() { ".".to_owned() } else { rest.display().to_string() };
        }
        match path.strip_prefix(&self.home) {
            Ok(rest) if self.home != Path::new("/") => format!("~/{}", rest.display()),
            _ => path.display().to_string(),
        }
    }
}

/// Removes `.` and `..` from a path without resolving links.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Returns the symbolic link on the path that an earlier command may have created: in the project or the working
/// directory, or the path itself.
pub(crate) fn link_on_the_way(path: &Path, places: &CommandDirs<'_>) -> Option<PathBuf> {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_symlink());
    let is_of_the_system = ["/dev", "/proc", "/sys"].into_iter().any(|folder| path.starts_with(folder));
    let mut ancestors = path.ancestors().take(DEPTH).filter(|at| is_link(at));
    let may_be_made = |at: &Path| {
        let folder = at.parent().and_then(|folder| folder.canonicalize().ok());
        folder.is_none_or(|folder| folder.starts_with(&places.project) || folder.starts_with(&places.cwd))
    };
    ancestors.find(|at| (*at == path && !is_of_the_system) || may_be_made(at)).map(Path::to_owned)
}

/// The maximum number of a path's folders that are checked.
const DEPTH: usize = 256;

/// Resolves the symbolic links in a path. If it doesn't exist, its deepest existing folder is resolved.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        if let Ok(real) = at.canonicalize() {
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        let (Some(name), Some(parent)) = (at.file_name(), at.parent()) else { return path.to_owned() };
        missing.push(name);
        at = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_profile_start_at_the_working_directory_or_the_home() {
        let none = |_: &str| None;
        let places = CommandDirs { cwd: "/w/p".into(), project: "/w".into(), home: "/home/u".into(), variable: &none };
        for (path, absolute, shown) in [
            ("a.txt", "/w/p/a.txt", "a.txt"),
            ("./x/../b", "/w/p/b", "b"),
            ("../c", "/w/c", "/w/c"),
            ("~/.npm", "/home/u/.npm", "~/.npm"),
            ("/etc/x", "/etc/x", "/etc/x"),
        ] {
            assert_eq!(places.absolute(path), Path::new(absolute));
            assert_eq!(places.format_path(Path::new(absolute)), shown);
        }
    }

    #[test]
    fn a_missing_path_keeps_its_missing_end() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&real, real.join("link")).unwrap();
        assert_eq!(canonical(&real.join("link/a/b")), real.join("a/b"));
    }
}
