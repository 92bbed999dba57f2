//! Resolves paths in the world of a test, as the host does on the machine.

use super::World;
use crate::paths::without_dots;
use crate::{Presence, ResolvedPath};

/// The most links that one path may follow.
const LINKS: usize = 40;

/// The longest path; Linux's own limit.
const PATH_BYTES: usize = 4096;

impl World {
    pub(super) fn resolve(&self, path: &str) -> ResolvedPath {
        if let Some(known) = self.paths.get(path) {
            return known.clone();
        }
        let mut resolved = ResolvedPath::unresolved(path);
        if path.is_empty() || path.len() > PATH_BYTES || path.contains('\0') {
            return resolved;
        }
        let absolute = self.absolute(path);
        resolved.lexical = format!("/{}", without_dots(&absolute));
        let Some(canonical) = self.canonical(&absolute) else {
            resolved.kind = "link".to_owned();
            return resolved;
        };
        let (exists, kind) = match self.kind(&canonical) {
            "none" => (Presence::No, "none"),
            kind => (Presence::Yes, kind),
        };
        let root = self.facts.project_root.as_str();
        resolved.project_relative = match below(&canonical, root) {
            Some("") => ".".to_owned(),
            relative => relative.unwrap_or_default().to_owned(),
        };
        resolved.git_root = self.git_root(&canonical).unwrap_or_default();
        resolved.exists = exists;
        kind.clone_into(&mut resolved.kind);
        resolved.canonical = canonical;
        resolved
    }

    fn absolute(&self, path: &str) -> String {
        match path.strip_prefix('~') {
            _ if path.starts_with('/') => path.to_owned(),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.facts.home),
            _ => format!("{}/{path}", self.facts.cwd),
        }
    }

    /// Walks the path and follows links; none if there are too many.
    fn canonical(&self, path: &str) -> Option<String> {
        let mut pending: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let mut done = String::new();
        let mut links = 0;
        while let Some(segment) = pending.pop() {
            match segment.as_str() {
                "" | "." => continue,
                ".." => {
                    done.truncate(done.rfind('/').unwrap_or(0));
                    continue;
                }
                name => done = format!("{done}/{name}"),
            }
            if let Some(target) = self.links.get(&done) {
                links += 1;
                if links > LINKS {
                    return None;
                }
                let parent = if target.starts_with('/') { 0 } else { done.rfind('/').unwrap_or(0) };
                done.truncate(parent);
                pending.extend(target.rsplit('/').map(str::to_owned));
            }
        }
        Some(if done.is_empty() { "/".to_owned() } else { done })
    }

    fn kind(&self, path: &str) -> &'static str {
        let git = format!("{}/.git", self.facts.project_root);
        let is_told = self.files.contains_key(&git) || self.links.contains_key(&git);
        let implied = Some(&git).filter(|_| self.project_is_repository && !is_told);
        let names = || self.files.keys().chain(&self.dirs).chain(self.links.keys()).chain(implied);
        if self.files.contains_key(path) {
            "file"
        } else if path == "/" || names().any(|name| below(name, path).is_some()) {
            "dir"
        } else {
            "none"
        }
    }

    /// A root that equals the home directory or `/` does not count, nor does a `.git` file whose target does not
    /// name it in turn.
    fn git_root(&self, path: &str) -> Option<String> {
        let mut folder = path;
        while !folder.is_empty() && folder != "/" && folder != self.facts.home {
            let git = format!("{folder}/.git");
            let linked = |text: &String| {
                let target = text.strip_prefix("gitdir:").unwrap_or_default().trim();
                self.files.get(&format!("{target}/gitdir")).is_some_and(|back| back.trim() == git)
            };
            if self.kind(&git) == "dir" || self.files.get(&git).is_some_and(linked) {
                return Some(folder.to_owned());
            }
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        None
    }
}

/// The part of `path` below `root`; empty for the root itself.
fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    if root.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> World {
        let text = |text: &str| text.to_owned();
        World {
            dirs: vec![text("/repo/.git"), text("/home/u/.git"), text("/etc")],
            links: [(text("/repo/l"), text("/etc")), (text("/repo/d/up"), text("../.git")), (text("/x"), text("/x"))]
                .into(),
            ..World::default()
        }
    }

    #[test]
    fn links_are_followed_and_the_rest_appended() {
        let resolve = |path: &str| world().resolve(path).canonical;
        assert_eq!(resolve("l/hosts"), "/etc/hosts");
        assert_eq!(resolve("d/up/config"), "/repo/.git/config");
        assert_eq!(resolve("l/../a"), "/a");
        assert_eq!(resolve("/x/y"), "");
    }

    #[test]
    fn a_repository_is_found_above_and_home_is_none() {
        let root = |path: &str| world().resolve(path).git_root;
        assert_eq!(root("src/a"), "/repo");
        assert_eq!(root("~/a"), "");
        assert_eq!(root("l/hosts"), "");
    }

    #[test]
    fn text_alone_gives_the_lexical_path() {
        let lexical = |path: &str| world().resolve(path).lexical;
        assert_eq!(lexical("./a//b/.."), "/repo/a");
        assert_eq!(lexical("~/.ssh"), "/home/u/.ssh");
        assert_eq!(lexical("a\0b"), "");
    }
}
