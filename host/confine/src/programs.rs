//! The table of the folders in which programs keep caches and results.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Places;
use crate::profile::Profile;

const TABLE: &str = include_str!("programs.toml");

/// The most folders that are looked at for a marker.
const DEPTH: usize = 64;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    program: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    names: Vec<String>,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    marker: Option<String>,
    #[serde(default)]
    write: Vec<String>,
    #[serde(default)]
    read: Vec<String>,
}

/// The table, read.
#[derive(Debug)]
pub(crate) struct Programs(Vec<Program>);

impl Programs {
    pub(crate) fn load() -> Self {
        // A test reads the table, so that it can't be invalid here.
        Programs(toml::from_str::<Table>(TABLE).map(|table| table.program).unwrap_or_default())
    }

    /// Returns the files that a call of a program writes and reads in any case.
    pub(crate) fn of_call(&self, words: &[&str], cwd: &Path, places: &Places<'_>) -> Profile {
        let mut profile = Profile::default();
        let Some((name, arguments)) = words.split_first() else { return profile };
        let name = name.rsplit('/').next().unwrap_or(name);
        for program in self.0.iter().filter(|program| program.names.iter().any(|other| other == name)) {
            let is_verb = |word: &&str| program.verbs.iter().any(|verb| verb == word);
            if !program.verbs.is_empty() && !arguments.iter().any(is_verb) {
                continue;
            }
            let root = program.marker.as_ref().map_or_else(|| cwd.to_owned(), |marker| root(marker, cwd, places));
            let expand = |path: &String| expand(path, &root, cwd, places);
            let write = program.write.iter().filter_map(expand).collect();
            let read = program.read.iter().filter_map(expand).collect();
            profile.add(Profile { read, write, ..Profile::default() });
        }
        profile
    }
}

/// The outermost folder with the file, from the project down to the working directory; else the working directory.
fn root(marker: &str, cwd: &Path, places: &Places<'_>) -> PathBuf {
    let within = |folder: &&Path| folder.starts_with(&places.project);
    let has_marker = |folder: &&Path| folder.join(marker).exists();
    cwd.ancestors().take(DEPTH).take_while(within).filter(has_marker).last().unwrap_or(cwd).to_owned()
}

/// A path of the table, absolute. None if its variable isn't set.
fn expand(path: &str, root: &Path, cwd: &Path, places: &Places<'_>) -> Option<String> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let folder = match first {
        "{root}" => root.to_owned(),
        "{cwd}" => cwd.to_owned(),
        "{project}" => places.project.clone(),
        "~" => places.home.clone(),
        _ => cwd.join((places.variable)(first.strip_prefix('$')?).filter(|value| !value.is_empty())?),
    };
    Some(format!("{}/{rest}", folder.to_str()?.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_call(words: &[&str], cwd: &str, project: &Path) -> Profile {
        let variable = |name: &str| (name == "CARGO_TARGET_DIR").then(|| "/t".to_owned());
        let cwd = project.join(cwd);
        let places =
            Places { cwd: cwd.clone(), project: project.to_owned(), home: "/home/u".into(), variable: &variable };
        Programs::load().of_call(words, &cwd, &places)
    }

    #[test]
    fn the_table_is_valid() {
        let table: Table = toml::from_str(TABLE).unwrap();
        for program in &table.program {
            for path in program.write.iter().chain(&program.read) {
                let first = path.split('/').next().unwrap();
                assert!(first.starts_with('$') || ["{root}", "{cwd}", "{project}", "~"].contains(&first), "{path}");
                assert!(path.len() > first.len() + 1 || path == "{project}/" || first.starts_with('$'), "{path}");
            }
            assert!(!program.write.is_empty() && !program.names.is_empty(), "{program:?}");
        }
    }

    #[test]
    fn the_root_is_the_outermost_folder_with_the_marker() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        for marked in ["a/Cargo.toml", "a/b/Cargo.toml"] {
            std::fs::write(folder.path().join(marked), "").unwrap();
        }
        let profile = of_call(&["/usr/bin/cargo", "build"], "a/b/c", folder.path());
        let target = format!("{}/a/target/", folder.path().display());
        assert!(profile.write.contains(&target), "{profile:?}");
        assert!(profile.write.contains(&"/t/".to_owned()) && !profile.net, "{profile:?}");
        assert!(!profile.write.iter().any(|path| path.contains('$')), "{profile:?}");
    }

    #[test]
    fn only_some_verbs_of_git_write_the_work_tree() {
        let project = Path::new("/w");
        let is_whole = |words: &[&str]| of_call(words, "", project).write.contains(&"/w/".to_owned());
        assert!(is_whole(&["git", "checkout", "main"]) && is_whole(&["git", "-C", "x", "merge", "y"]));
        assert!(!is_whole(&["git", "status"]) && !is_whole(&["git", "commit", "-m", "x"]) && !is_whole(&["ls", "rm"]));
    }

    #[test]
    fn a_program_that_the_table_lacks_writes_nothing() {
        assert_eq!(of_call(&["lamp", "install"], "", Path::new("/w")), Profile::default());
        assert_eq!(of_call(&[], "", Path::new("/w")), Profile::default());
    }
}
