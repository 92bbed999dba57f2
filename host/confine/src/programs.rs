//! The table of folders in which programs keep caches and build output.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::CommandDirs;
use crate::profile::Profile;

const TABLE: &str = include_str!("programs.toml");

/// The maximum number of folders in which a marker is searched.
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
    values: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    manifest: Option<String>,
    #[serde(default)]
    marker: Option<String>,
    #[serde(default)]
    write: Vec<String>,
    #[serde(default)]
    read: Vec<String>,
}

/// The line before each entry of the table.
const HEADER: &str = "[[program]]";

/// The parsed entries of the table.
#[derive(Debug)]
pub(crate) struct Programs(Vec<Program>);

impl Programs {
    /// Parses the entries that mention one of these programs. Parsing the whole table takes longer than reading it.
    pub(crate) fn load<'w>(names: impl IntoIterator<Item = &'w str>) -> Self {
        let quoted: BTreeSet<String> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
        let entries = TABLE.split(HEADER).skip(1).filter(|entry| quoted.iter().any(|name| entry.contains(name)));
        let text: String = entries.flat_map(|entry| [HEADER, entry]).collect();
        if text.is_empty() {
            return Programs(Vec::new());
        }
        // A test validates the table, so parsing can't fail here.
        Programs(toml::from_str::<Table>(&text).map(|table| table.program).unwrap_or_default())
    }

    /// Returns the files that a call of a program always reads and writes.
    pub(crate) fn call_profile(&self, words: &[&str], cwd: &Path, places: &CommandDirs<'_>) -> Profile {
        let mut profile = Profile::default();
        let Some((name, arguments)) = words.split_first() else { return profile };
        let name = base_name(name);
        for program in self.0.iter().filter(|program| program.names.iter().any(|other| other == name)) {
            let is_verb = |word: &&str| program.verbs.iter().any(|verb| verb == word);
            let at = arguments.iter().position(is_verb);
            if !program.verbs.is_empty() && at.is_none() {
                continue;
            }
            let manifest = program.manifest.as_ref().and_then(|option| values(option, arguments).next());
            let manifest = manifest.map(|file| cwd.join(file).parent().map_or_else(|| cwd.to_owned(), Path::to_owned));
            let from = manifest.as_deref().unwrap_or(cwd);
            let root = program.marker.as_ref().map_or_else(|| from.to_owned(), |marker| root(marker, from, places));
            let behind = arguments.get(at.map_or(0, |at| at + 1)..).unwrap_or_default();
            let operands = program.operands(behind);
            let options = || program.options.iter().flat_map(|option| values(option, arguments));
            let expand = |path: &String| {
                let named: Vec<String> = match () {
                    () if path.contains("{option}") => options().map(|value| path.replace("{option}", value)).collect(),
                    () => fill_operands(path, &operands),
                };
                let is_named = named.first() != Some(path);
                let expanded = named.iter().filter_map(|path| expand(path, &root, cwd, places));
                expanded
                    .filter_map(|path| if is_named { operand_path(&path, cwd, places) } else { Some(path) })
                    .collect::<Vec<_>>()
            };
            let (patterns, write) = program.write.iter().flat_map(expand).partition(|path| path.contains(['*', '?']));
            let read = program.read.iter().flat_map(expand).collect();
            profile.add(Profile { read, write, patterns, ..Profile::default() });
        }
        profile
    }
}

/// Returns the name of a program without its folder.
pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

impl Program {
    /// Returns the operands among these words.
    fn operands<'w>(&self, words: &[&'w str]) -> Vec<&'w str> {
        let mut operands = Vec::new();
        let mut words = words.iter().copied().take(WORDS);
        while let Some(word) = words.next() {
            let takes = |option: &String| option == word;
            if self.values.iter().any(takes) || self.options.iter().any(takes) {
                words.next();
            } else if !word.starts_with('-') && !word.is_empty() {
                operands.push(word);
            }
        }
        operands
    }
}

/// The maximum number of words of a call that are considered.
const WORDS: usize = 4_096;

/// Returns the values of an option: `-o X`, `-oX`, `--output X`, `--output=X`.
fn values<'w>(option: &str, words: &[&'w str]) -> impl Iterator<Item = &'w str> {
    words.iter().take(WORDS).enumerate().filter_map(move |(at, word)| {
        let rest = word.strip_prefix(option)?;
        match rest.strip_prefix('=') {
            _ if rest.is_empty() => words.get(at + 1).copied(),
            Some(value) if option.starts_with("--") => Some(value),
            _ if option.starts_with("--") || option.len() > 2 => None,
            _ => Some(rest),
        }
    })
}

/// Returns a path of the table with its placeholders replaced by the operands.
fn fill_operands(path: &str, operands: &[&str]) -> Vec<String> {
    for (place, name) in [(0, "{first}"), (1, "{second}"), (operands.len().wrapping_sub(1), "{last}")] {
        if path.contains(name) {
            return operands.get(place).map(|operand| path.replace(name, operand)).into_iter().collect();
        }
    }
    let part = |operand: &str, part: &str| {
        let operand = Path::new(operand);
        let found = match part {
            "{stem}" => operand.file_stem(),
            "{name}" => operand.file_name(),
            _ => operand.parent().map(|folder| if folder == Path::new("") { ".".as_ref() } else { folder.as_os_str() }),
        };
        found.and_then(|found| found.to_str()).map(|found| path.replace(part, found))
    };
    match ["{operand}", "{stem}", "{name}", "{folder}"].into_iter().find(|name| path.contains(name)) {
        None => vec![path.to_owned()],
        Some(name @ "{operand}") => operands.iter().map(|operand| path.replace(name, operand)).collect(),
        Some(name) => operands.iter().filter_map(|operand| part(operand, name)).collect(),
    }
}

/// Returns the outermost folder with the file, from the project down to the working directory. The default is the
/// working directory.
fn root(marker: &str, cwd: &Path, places: &CommandDirs<'_>) -> PathBuf {
    let within = |folder: &&Path| folder.starts_with(&places.project);
    let has_marker = |folder: &&Path| folder.join(marker).exists();
    cwd.ancestors().take(DEPTH).take_while(within).filter(has_marker).last().unwrap_or(cwd).to_owned()
}

/// Returns the absolute path for a word of the call. Policies may not know that the program writes it, so it must be
/// below the working directory or the project, and neither in `.git` nor a hidden file.
fn operand_path(path: &str, cwd: &Path, places: &CommandDirs<'_>) -> Option<String> {
    let absolute = places.absolute(path);
    let below = [cwd, &places.project].into_iter().find_map(|folder| absolute.strip_prefix(folder).ok())?;
    let name = below.file_name()?.to_str()?;
    let is_refused = below.components().any(|part| part.as_os_str() == ".git");
    let end = if path.ends_with('/') { "/" } else { "" };
    // A pattern from the call may match every name.
    let literals = name.bytes().filter(|byte| !b"*?".contains(byte)).count();
    let is_any = name.contains(['*', '?']) && literals < 2;
    let is_hidden = name.starts_with('.') && end.is_empty();
    if is_refused || is_any || is_hidden { None } else { Some(format!("{}{end}", absolute.to_str()?)) }
}

/// Returns the absolute path for a path of the table. `None` if its variable isn't set.
fn expand(path: &str, root: &Path, cwd: &Path, places: &CommandDirs<'_>) -> Option<String> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let folder = match first {
        "{root}" => root.to_owned(),
        "{cwd}" => cwd.to_owned(),
        "{project}" => places.project.clone(),
        "~" => places.home.clone(),
        "." => cwd.to_owned(),
        // The path starts with a word of the call.
        _ if !first.starts_with('$') => return cwd.join(path).to_str().map(str::to_owned),
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
            CommandDirs { cwd: cwd.clone(), project: project.to_owned(), home: "/home/u".into(), variable: &variable };
        Programs::load(words.first().map(|word| base_name(word))).call_profile(words, &cwd, &places)
    }

    #[test]
    fn the_table_is_valid() {
        let table: Table = toml::from_str(TABLE).unwrap();
        for program in &table.program {
            for path in program.write.iter().chain(&program.read) {
                let first = path.split('/').next().unwrap();
                let folders = ["{root}", "{cwd}", "{project}", "~"];
                let names = ["{option}", "{first}", "{second}", "{last}", "{operand}", "{stem}", "{name}", "{folder}"];
                let is_named = names.into_iter().any(|name| path.contains(name));
                assert!(is_named || first.starts_with('$') || folders.contains(&first), "{path}");
                let is_whole = ["{project}/", "{root}/"].contains(&path.as_str());
                assert!(is_named || path.len() > first.len() + 1 || is_whole || first.starts_with('$'), "{path}");
            }
            assert!(!program.write.is_empty() && !program.names.is_empty(), "{program:?}");
        }
    }

    #[test]
    fn the_entries_of_a_program_are_loaded() {
        let table: Table = toml::from_str(TABLE).unwrap();
        let count =
            |programs: &[Program], name: &String| programs.iter().filter(|one| one.names.contains(name)).count();
        for name in table.program.iter().flat_map(|program| &program.names) {
            let loaded = Programs::load([name.as_str()]).0;
            assert_eq!(count(&loaded, name), count(&table.program, name), "{name}");
        }
        assert!(Programs::load(["lamp"]).0.is_empty());
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
    fn words_of_a_call_name_what_it_writes() {
        let project = Path::new("/w");
        let written = |words: &[&str]| {
            let profile = of_call(words, "p", project);
            let is_cache = |path: &String| path.starts_with("/home/") || path.starts_with("/t/") || path.contains("/.");
            let mut all: Vec<String> = profile.write.into_iter().chain(profile.patterns).collect();
            all.retain(|path| !is_cache(path));
            all
        };
        let has = |words: &[&str], path: &str| written(words).contains(&path.to_owned());
        assert!(has(&["gcc", "-c", "../src/add.c"], "/w/p/add.o"));
        assert!(has(&["gcc", "-MF", "deps.d", "-o", "x", "add.c"], "/w/p/deps.d"));
        assert!(!has(&["gcc", "-o", "x", "add.c"], "/w/p/x.o"));
        assert!(has(&["shuf", "--output=s.txt", "n.txt"], "/w/p/s.txt"));
        assert!(has(&["python3", "-m", "venv", "env"], "/w/p/env/"));
        assert!(has(&["cargo", "new", "--lib", "fresh"], "/w/p/fresh/"));
        assert!(has(&["cargo", "build", "--manifest-path", "c/Cargo.toml"], "/w/p/c/target/"));
        assert!(has(&["csplit", "n.txt", "2"], "/w/p/xx*"));
        assert!(has(&["cp", "-r", "a", "b"], "/w/p/b/") && !has(&["cp", "a", "b"], "/w/p/b/"));
        for outside in ["/", "~", "/home/u", "../..", "/home/u/.bashrc", "../.git/hooks", ".", "..", ""] {
            for words in
                [["cargo", "new", outside].as_slice(), &["python3", "-m", "venv", outside], &["shuf", "-o", outside]]
            {
                let found = written(words);
                let is_inside = |path: &String| path.starts_with("/w/") && path.len() > 3 && !path.contains("..");
                assert!(found.iter().all(is_inside), "{words:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_program_that_the_table_lacks_writes_nothing() {
        assert_eq!(of_call(&["lamp", "install"], "", Path::new("/w")), Profile::default());
        assert_eq!(of_call(&[], "", Path::new("/w")), Profile::default());
    }
}
