//! Configurations outside a project's root: a `.guard/guard.toml` in a folder below it or in another repository applies
//! to calls that concern files in its folder, and can only tighten the verdict.
//!
//! The analysis shows which folders a call concerns, so their policies are asked after the chain.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use crate::cache::{Member, Prepared};
use guard_contract::Layer;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::paths::{is_below, lexical, parent};
use guard_contract::policy::{SELF_PROTECT, Source};
use guard_contract::syntax::{Command, Effect, Word};
use guard_facts::{Scene, git_root};
use guard_platform::access::is_own;
use guard_sdk::resolve::HOLDS;
use guard_sdk::syntax::HeldFiles;
use guard_state::AppDirs;

/// The configurations of folders. A function that opens them uses the files on disk.
pub trait FolderFiles {
    /// Returns the chain of folders with a configuration.
    fn open(&self, folders: &[String]) -> Prepared;

    /// Returns whether the folder has a configuration.
    fn has(&self, folder: &str) -> bool {
        has_configuration(folder)
    }

    /// Returns folders with a configuration that may be missing from the disk.
    fn known(&self) -> &[String] {
        &[]
    }
}

impl<F: Fn(&[String]) -> Prepared> FolderFiles for F {
    fn open(&self, folders: &[String]) -> Prepared {
        self(folders)
    }
}

/// The configurations of folders, for a chain.
pub type Open<'a> = dyn FolderFiles + 'a;

/// Returns the folders with a configuration that a call concerns, outer ones first: those between the roots of its
/// projects and the files or working directories in the call, and the same for other repositories, including their
/// roots.
pub(crate) fn of_call(call: &ToolCall, at: &CallContext, scene: &Scene, files: &Open<'_>) -> Vec<String> {
    let (mut paths, mut repositories) = (BTreeSet::new(), BTreeSet::new());
    for path in call.paths() {
        let path = scene.resolver.resolve(&*scene.facts, path);
        paths.extend([path.lexical, path.canonical]);
        repositories.insert(path.git_root);
    }
    if call.command().is_some() || paths.is_empty() {
        paths.insert(at.cwd.clone());
    }
    let projects = at.projects();
    let is_outside = |path: &str| !projects.iter().any(|root| path == root || is_below(path, root));
    let folders: BTreeSet<&str> = scene.analysis.commands.iter().map(|command| command.cwd.as_str()).collect();
    for folder in folders.into_iter().filter(|folder| !folder.is_empty()) {
        if is_outside(folder) {
            repositories.extend(git_root(&*scene.facts, folder, &at.home));
        }
        paths.insert(folder.to_owned());
    }
    for path in named_paths(scene, at) {
        if is_outside(&path) {
            let path = scene.resolver.resolve(&*scene.facts, &path);
            paths.insert(path.canonical);
            repositories.insert(path.git_root);
        }
        paths.insert(path);
    }
    for effect in &scene.analysis.effects {
        paths.extend([effect.path.lexical.clone(), effect.path.canonical.clone()]);
        repositories.insert(effect.path.git_root.clone());
    }
    // A folder above the project may contain those of any other project.
    let effects = scene.analysis.effects.iter().filter(|effect| !is_outside(&effect.path.canonical));
    paths.extend(effects.flat_map(|effect| held_configurations(effect, files)));
    let roots = projects.iter().chain(&repositories).filter(|root| !root.is_empty());
    let around: Vec<String> = roots.flat_map(|root| enclosing(root, at, scene)).collect();
    repositories.extend(around);
    repositories.retain(|root| !root.is_empty() && is_outside(root));
    let others: Vec<String> = repositories.into_iter().collect();
    let between = |roots: &[String]| configured(paths.iter().map(String::as_str), roots, |folder| files.has(folder));
    let mut found = between(&projects);
    found.extend(others.iter().filter(|root| files.has(root)).cloned());
    found.extend(between(&others));
    found
}

/// The maximum number of words of a call that are treated as paths.
const WORDS: usize = 256;

/// Returns the paths in commands' operands and values of options: `git -C ~/team push`, `make --directory=../team`. Not
/// every program's effects reveal the folder in which it works.
fn named_paths<'a>(scene: &'a Scene, at: &'a CallContext) -> impl Iterator<Item = String> + 'a {
    let of_command = move |command: &'a Command| {
        let is_option = |word: &Word| word.text.starts_with('-');
        command.argv.windows(2).filter_map(move |words| {
            let [before, word] = words else { return None };
            let text = match word.text.split_once('=') {
                Some((_, value)) if is_option(word) => value,
                _ => word.text.as_str(),
            };
            let is_path = text.contains('/') || matches!(text, "~" | "..") || is_option(before);
            let is_known = !word.dynamic && !text.is_empty() && !text.starts_with('-') && !text.contains("://");
            (is_path && is_known).then(|| lexical(text, &command.cwd, &at.home))
        })
    };
    // Their targets are the working directories of the following commands.
    let is_cd = |command: &&Command| {
        command.argv.first().is_some_and(|word| matches!(word.text.as_str(), "cd" | "pushd" | "popd"))
    };
    scene.analysis.commands.iter().filter(move |command| !is_cd(command)).flat_map(of_command).take(WORDS)
}

/// Returns the repositories that contain another one, so that `git init` in a folder doesn't exempt it from its
/// repository's rules.
fn enclosing(root: &str, at: &CallContext, scene: &Scene) -> Vec<String> {
    let above = |folder: &str| git_root(&*scene.facts, parent(folder)?, &at.home);
    std::iter::successors(above(root), |root| above(root)).collect()
}

/// The maximum number of folders that are searched for configurations, if the host listed only a part of the files.
const HELD_FOLDERS: usize = 2000;

/// Returns the folders with a configuration that an effect takes with a folder above them: `mv services old`.
fn held_configurations(effect: &Effect, files: &Open<'_>) -> Vec<String> {
    const FILE: &str = "/.guard/guard.toml";
    let path = &effect.path;
    let Some((_, tag)) = effect.tags.iter().find(|(name, _)| name == HOLDS) else { return Vec::new() };
    let held = HeldFiles::new(tag, &path.lexical, &path.canonical);
    let mut found: Vec<String> = held.paths().filter_map(|file| Some(file.strip_suffix(FILE)?.to_owned())).collect();
    found.extend(files.known().iter().filter(|folder| is_below(folder, &path.canonical)).cloned());
    if !held.is_whole() && effect.kind != "read" && path.kind == "dir" {
        found.extend(search(&path.canonical, HELD_FOLDERS, false, has_configuration).0);
    }
    found
}

/// Returns whether the folder on disk has a configuration.
#[must_use]
pub fn has_configuration(folder: &str) -> bool {
    fs::symlink_metadata(AppDirs::project_file(folder)).is_ok()
}

/// Returns the folders with a configuration between these roots and the paths, outer ones first, without the roots.
#[must_use]
pub fn of_paths<'a>(paths: impl IntoIterator<Item = &'a str>, roots: &[String]) -> Vec<String> {
    configured(paths, roots, has_configuration)
}

/// Returns the folders between these roots and the paths that have a configuration.
fn configured<'a>(
    paths: impl IntoIterator<Item = &'a str>,
    roots: &[String],
    has: impl Fn(&str) -> bool,
) -> Vec<String> {
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        let mut folder = Some(path);
        while let Some(path) = folder.filter(|path| roots.iter().any(|root| path != root && is_below(path, root))) {
            if !seen.insert(path) {
                break;
            }
            if !roots.iter().any(|root| root == path) && has(path) {
                found.insert(path.to_owned());
            }
            folder = parent(path);
        }
    }
    found.into_iter().collect()
}

/// The maximum number of folders that [`below`] visits.
const FOLDERS: usize = 20_000;

/// Returns all folders below a root with a configuration, outer ones first. Doesn't follow links or visit `.git`. False
/// if there are more than 20,000 folders and some weren't visited.
///
/// Outside a project, for example in `/tmp`, only this user's folders are visited, and none in `/`.
#[must_use]
pub fn below(root: &str) -> (Vec<String>, bool) {
    below_with(root, has_configuration)
}

/// Names of misplaced configurations and of their folders, in lower case and without a leading dot.
const MISPLACED: [&str; 5] = ["guard", "guards", "guard-host", "guard.toml", "guard-host.toml"];

/// Returns the folders below a root that may have a misplaced configuration: they have a `.guard`, a `guard.toml` or a
/// similar name, but no `.guard/guard.toml`. Visits the same folders as [`below`]. Omits those of other programs and
/// packages.
#[must_use]
pub fn unconfigured_below(root: &str) -> Vec<String> {
    let has_one = |folder: &str| {
        let mut names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let plain = |name: &str| name.trim_start_matches('.').to_ascii_lowercase();
        names.any(|name| MISPLACED.contains(&plain(&name.to_string_lossy()).as_str()))
    };
    let is_own = |folder: &str| {
        let below = folder.strip_prefix(root).unwrap_or(folder);
        !below.split('/').any(|name| name.starts_with('.') || name == "node_modules")
    };
    below_with(root, |folder| is_own(folder) && has_one(folder) && !has_configuration(folder)).0
}

fn below_with(root: &str, fits: impl Fn(&str) -> bool) -> (Vec<String>, bool) {
    let is_project = [".git", ".guard"].iter().any(|name| Path::new(root).join(name).exists());
    let is_searched = is_project || parent(root).is_some() && fs::metadata(root).is_ok_and(|data| is_own(&data));
    if is_searched { search(root, FOLDERS, !is_project, fits) } else { (Vec::new(), true) }
}

/// Returns the fitting folders below a root with at most so many folders, or only this user's folders.
fn search(root: &str, most: usize, only_own: bool, fits: impl Fn(&str) -> bool) -> (Vec<String>, bool) {
    let (mut found, mut left, mut seen) = (Vec::new(), VecDeque::from([root.to_owned()]), 0);
    while let Some(folder) = left.pop_front() {
        seen += 1;
        if seen > most {
            return (found, false);
        }
        if folder != root && fits(&folder) {
            found.push(folder.clone());
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let folders = folders.filter(|entry| !only_own || entry.metadata().is_ok_and(|data| is_own(&data)));
        let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
        let names = names.filter(|name| name != ".git" && name != ".guard");
        left.extend(names.map(|name| format!("{folder}/{name}")));
    }
    (found, true)
}

impl Prepared {
    /// Returns the members that the folders add to a chain: their policies, self-protect for files that the folders use,
    /// and the errors in their files.
    #[must_use]
    pub fn beside(mut self, chain: &Prepared) -> Self {
        // The chain's own self-protect doesn't know the files outside of `.guard` that these folders use.
        let guards_more = self.config.project_files.iter().any(|path| !chain.config.project_files.contains(path));
        let is_self_protect = |member: &Member| member.entry.source == Source::Builtin(SELF_PROTECT.to_owned());
        self.members.retain(|member| member.entry.layer == Layer::Project || guards_more && is_self_protect(member));
        for member in &mut self.members {
            // Journal lines are matched by the names of the chain's policies.
            member.entry.grants.journal.clear();
        }
        self.config.problems.retain(|problem| !chain.config.problems.contains(problem));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_on_the_way_are_found_once_and_the_roots_are_none() {
        let home = tempfile::tempdir().unwrap();
        let path = |below: &str| home.path().join(below).to_string_lossy().into_owned();
        for folder in ["repo", "repo/svc", "repo/svc/a/deep", "other"] {
            fs::create_dir_all(path(&format!("{folder}/.guard"))).unwrap();
            fs::write(path(&format!("{folder}/.guard/guard.toml")), "").unwrap();
        }
        let of = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|below| path(below)).collect();
            of_paths(paths.iter().map(String::as_str), &[path("repo")])
        };
        assert_eq!(of(&["repo/svc/a/deep/x", "repo/svc/b"]), [path("repo/svc"), path("repo/svc/a/deep")]);
        assert_eq!(of(&["repo/svc"]), [path("repo/svc")]);
        assert_eq!(of(&["repo/x", "repo", "other/x", "repository/svc"]), [""; 0]);
    }

    #[test]
    fn outside_a_project_only_own_folders_are_searched() {
        let home = tempfile::tempdir().unwrap();
        let path = |below: &str| home.path().join(below).to_string_lossy().into_owned();
        for folder in ["own", "others"] {
            fs::create_dir_all(path(&format!("{folder}/.guard"))).unwrap();
            fs::write(path(&format!("{folder}/.guard/guard.toml")), "").unwrap();
        }
        let root = home.path().to_string_lossy().into_owned();
        let found = |root: &str| {
            let (mut found, is_all) = below(root);
            found.sort();
            (found, is_all)
        };
        assert_eq!(found(&root), (vec![path("others"), path("own")], true));
        assert_eq!(found("/"), (Vec::new(), true));
        // Only root can give a folder away.
        #[cfg(unix)]
        if std::os::unix::fs::chown(path("others"), Some(65534), None).is_ok() {
            assert_eq!(found(&root), (vec![path("own")], true));
            fs::create_dir(path(".git")).unwrap();
            assert_eq!(found(&root), (vec![path("others"), path("own")], true));
        }
    }
}
