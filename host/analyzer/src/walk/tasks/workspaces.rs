//! The packages of a workspace whose scripts a call runs.

use std::collections::{BTreeSet, VecDeque};

use guard_sdk::serde_json::{self, Value};
use guard_sdk::syntax::Word;
use guard_sdk::task_runners::{TaskRunner, task_runner};

use super::operands;
use super::packages::ScriptCall;
use crate::limits;
use crate::sources;
use crate::walk::Walker;
use crate::walk::shell::resolve;
use crate::walk::started::Started;
use crate::word::expand::{literal, parameter};

/// The maximum number of packages that are read in one workspace, and of folders in which they are searched for.
const MEMBERS: usize = 256;

/// The maximum number of packages whose scripts are followed. Beyond it, only scripts with a new text are missed.
const FOLLOWED: usize = 64;

/// The depth to which a pattern such as `apps/**` is followed. Packages in packages aren't searched for.
const DEPTH: usize = 3;

const MANIFEST: &str = "/package.json";

/// The maximum number of folders that are searched for the workspace's root.
const ABOVE: usize = 8;

/// Packages of a workspace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Names, folders and patterns. `*` selects all packages.
    filters: Vec<String>,
    /// Whether the package at the workspace's root is selected, too.
    with_root: bool,
    /// Whether exactly these packages are selected, and not perhaps fewer.
    is_exact: bool,
}

/// The options of a program that select packages.
struct Options {
    programs: &'static [&'static str],
    values: &'static [&'static str],
    /// Words that select all packages.
    all: &'static [&'static str],
    /// Whether the program always runs the scripts of packages.
    always: bool,
}

const fn options(
    programs: &'static [&'static str],
    values: &'static [&'static str],
    all: &'static [&'static str],
) -> Options {
    Options { programs, values, all, always: false }
}

const OPTIONS: &[Options] = &[
    options(&["npm"], &["-w", "--workspace"], &["-ws", "--workspaces", "--workspaces=true"]),
    options(&["pnpm"], &["-F", "--filter", "--filter-prod"], &["-r", "--recursive"]),
    options(&["bun"], &["-F", "--filter"], &["--workspaces"]),
    options(&["yarn"], &["--include"], &[]),
    options(&["nx"], &["-p", "--project", "--projects"], &["run-many", "affected"]),
    Options {
        programs: &["turbo", "lerna", "lage", "rush", "ultra", "wsrun"],
        values: &["-F", "--filter", "--scope", "-p", "--package", "--to", "--only"],
        all: &[],
        always: true,
    },
];

/// Returns the packages that a call selects. `None` for the current package.
pub(super) fn selection(program: &str, words: &[Word]) -> Option<Selection> {
    let options = OPTIONS.iter().find(|options| options.programs.contains(&program))?;
    let end = words.iter().position(|word| word.text == "--").unwrap_or(words.len());
    let words = words.get(..end)?;
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.text.as_str()));
    let mut found = Selection { is_exact: true, ..Selection::default() };
    for (at, word) in words.iter().enumerate() {
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(literal(value))),
            None => (word.text.as_str(), words.get(at + 1).cloned()),
        };
        if let Some(value) = value.filter(|_| options.values.contains(&name)) {
            let values = if program == "nx" { value.text.as_str() } else { "" };
            match values.contains(',') {
                true => values.split(',').for_each(|value| found.add(value.trim(), false)),
                false => found.add(&value.text, value.dynamic || word.dynamic),
            }
        }
    }
    let valued = [options.values, task_runner(program).map_or(&[], TaskRunner::value_options)].concat();
    let mut operands = operands(words, &valued);
    match (program, operands.next().unwrap_or_default()) {
        ("yarn", "workspace") => found.add(operands.next()?, false),
        ("yarn", "workspaces") => found.with_root = has(&["foreach"]),
        ("yarn", _) => return None,
        ("pnpm", "recursive" | "multi" | "m") => {}
        ("nx", "run") => found.add(operands.next()?.split(':').next()?, false),
        ("nx", "run-many" | "affected") => {}
        ("nx", _) => operands.next().into_iter().for_each(|project| found.add(project, false)),
        // The root's own scripts, from any folder of the workspace.
        ("pnpm", _) if found.filters.is_empty() && has(&["-w", "--workspace-root"]) => {
            return Some(Selection { with_root: true, ..found });
        }
        _ if options.always || has(options.all) => {}
        _ if found.filters.is_empty() => return None,
        _ => {}
    }
    found.with_root |= has(&["--include-workspace-root", "-iwr"]);
    if found.filters.is_empty() && (program != "nx" || has(options.all)) {
        found.is_exact &= !has(&["affected"]);
        found.filters.push("*".to_owned());
    }
    (!found.filters.is_empty()).then_some(found)
}

impl Selection {
    pub(super) fn all() -> Self {
        Selection { filters: vec!["*".to_owned()], is_exact: true, with_root: false }
    }

    /// Selects the package of a task such as `api#build`. The root's name is `//`.
    pub(super) fn of_package(name: &str) -> Self {
        match name {
            "//" => Selection { with_root: true, is_exact: true, filters: Vec::new() },
            name => Selection { filters: vec![name.to_owned()], is_exact: true, with_root: false },
        }
    }

    /// Adds a filter. Dependencies, changes and exclusions aren't followed, so such a filter selects all packages.
    fn add(&mut self, filter: &str, is_unknown: bool) {
        let is_wide = is_unknown || filter.contains("...") || filter.contains('[') || filter.starts_with('!');
        self.is_exact &= !is_wide;
        let plain = filter.trim_start_matches('{').trim_end_matches('}');
        self.filters.push(if is_wide { "*".to_owned() } else { plain.to_owned() });
    }

    /// Returns whether a package with this folder and name is selected. `folders` are those from which a filter's
    /// folder may be taken.
    fn contains(&self, folder: &str, name: &str, folders: &[&str]) -> bool {
        let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
        self.filters.iter().any(|filter| {
            let at = |base: &&str| {
                let path = resolve(base, filter).unwrap_or_default();
                let rest = folder.strip_prefix(path.trim_end_matches(['/', '*']));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let fits = |name: &str| name == filter || parameter::matches(filter, name);
            filter == "*" || fits(name) || last(name).is_some_and(|name| fits(&name)) || folders.iter().any(at)
        }) || self.filters.iter().any(|filter| last(folder).as_ref() == Some(filter))
    }
}

impl Walker {
    /// Returns the scripts of the selected packages. `None` if no workspace is known.
    pub(super) fn workspace_scripts(
        &mut self,
        folder: Option<&Word>,
        call: &ScriptCall<'_>,
        selection: &Selection,
    ) -> Option<Vec<Started>> {
        let here = self.path_here(folder.unwrap_or(&literal(".")))?;
        let (root, patterns) = self.workspace_root(&here)?;
        let mut manifests = if selection.with_root { vec![format!("{root}/package.json")] } else { Vec::new() };
        let members = self.members(&root, &patterns);
        if members.is_empty() && !selection.with_root {
            return None;
        }
        manifests.extend(members);
        let mut texts = BTreeSet::new();
        let mut found: Vec<Started> = Vec::new();
        for path in manifests {
            let Some(content) = self.running(&path) else { continue };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let read: Value = serde_json::from_str(&content.text.text).unwrap_or_default();
            let name = read.get("name").and_then(Value::as_str).unwrap_or_default();
            let is_root = selection.with_root && folder == root;
            if !is_root && !selection.contains(folder, name, &[&here, &root]) {
                continue;
            }
            let Some(started) = self.scripts_in(Some((path, content)), call, selection.is_exact) else { continue };
            let is_new = texts.insert(started.content.text.text.clone());
            match found.len() < FOLLOWED {
                true => found.push(started),
                false if is_new => limits::reached("too many workspace packages to follow their scripts"),
                false => {}
            }
        }
        Some(found)
    }

    /// Returns the nearest folder with a workspace, and the patterns of its packages' folders.
    fn workspace_root(&mut self, here: &str) -> Option<(String, Vec<String>)> {
        let mut folder = here.trim_end_matches('/').to_owned();
        for _ in 0..ABOVE {
            let mut patterns = Vec::new();
            for (file, key) in [("package.json", "workspaces"), ("lerna.json", "packages")] {
                let Some(content) = self.running(&format!("{folder}/{file}")) else { continue };
                let read: Value = serde_json::from_str(&content.text.text).unwrap_or_default();
                let listed = read.get(key).map(|value| value.get("packages").unwrap_or(value));
                let listed = listed.and_then(Value::as_array).into_iter().flatten();
                patterns.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            }
            if let Some(content) = self.running(&format!("{folder}/pnpm-workspace.yaml")) {
                patterns.extend(listed_packages(&content.text.text));
            }
            if !patterns.is_empty() {
                return Some((folder, patterns));
            }
            folder.truncate(folder.rfind('/')?);
        }
        None
    }

    /// Returns the manifests of a workspace's packages.
    fn members(&self, root: &str, patterns: &[String]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
            let pattern = without_braces(pattern);
            let (pattern, is_deep) = pattern.split_once("**").map_or((pattern.as_str(), false), |of| (of.0, true));
            let Some(pattern) = resolve(root, pattern) else { continue };
            let pattern = pattern.trim_end_matches('/');
            if is_deep {
                found.append(&mut manifests_below(pattern));
            } else if pattern.contains(['*', '?', '[']) {
                found.extend(sources::list(&format!("{pattern}{MANIFEST}")));
            } else {
                found.insert(format!("{pattern}{MANIFEST}"));
            }
            let written = self.files.all().map(|(path, _)| path);
            let written = written.filter_map(|path| Some((path.strip_suffix(MANIFEST)?, path)));
            found.extend(written.filter(|(at, _)| is_below(pattern, at, is_deep)).map(|(_, path)| path.clone()));
        }
        if found.len() > MEMBERS {
            limits::reached("too many workspace packages to read");
        }
        found.into_iter().take(MEMBERS).collect()
    }
}

/// Replaces a list such as `{a,b}` with a wildcard.
fn without_braces(pattern: &str) -> String {
    let parts = pattern.split('{').enumerate();
    let parts = parts.map(|(at, part)| if at == 0 { part } else { part.split_once('}').map_or("", |of| of.1) });
    parts.collect::<Vec<_>>().join("*")
}

/// Returns the manifests below a folder.
fn manifests_below(folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = VecDeque::from([(folder.to_owned(), 0)]);
    let mut listed = 0;
    while let Some((folder, depth)) = left.pop_front() {
        if listed == MEMBERS {
            limits::reached("too many folders to find all workspace packages");
            break;
        }
        listed += 1;
        let paths = sources::list(&format!("{folder}/*"));
        let manifest = paths.iter().find(|path| path.ends_with(MANIFEST));
        let is_package = manifest.is_some();
        found.extend(manifest.cloned());
        if depth < DEPTH && !(is_package && depth > 0) {
            let folders = paths.iter().filter_map(|path| path.strip_suffix('/'));
            let folders = folders.filter(|path| !path.ends_with("/node_modules"));
            left.extend(folders.map(|path| (path.to_owned(), depth + 1)));
        }
    }
    found
}

/// Returns whether a folder matches a pattern, or is below one that does.
fn is_below(pattern: &str, folder: &str, is_deep: bool) -> bool {
    let (mut pattern, mut folder) = (pattern.split('/'), folder.split('/'));
    let fits = pattern.all(|part| folder.next().is_some_and(|name| name == part || parameter::matches(part, name)));
    fits && (is_deep || folder.next().is_none())
}

/// Returns the patterns in a `pnpm-workspace.yaml`.
fn listed_packages(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim_end();
        let item = match line.strip_prefix("packages:") {
            Some(rest) => {
                is_inside = true;
                rest
            }
            None if line.trim().is_empty() || line.starts_with('#') => continue,
            None => {
                is_inside &= line.starts_with([' ', '-', ']']);
                line.trim().trim_start_matches('-')
            }
        };
        let items = item.split([',', '[', ']']).map(|item| item.trim().trim_matches(['"', '\'']));
        found.extend(items.filter(|item| is_inside && !item.is_empty()).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(call: &str, expected: Option<&[&str]>) {
        let words: Vec<Word> = call.split_whitespace().skip(1).map(literal).collect();
        let found = selection(call.split(' ').next().unwrap(), &words).map(|selection| selection.filters);
        assert_eq!(found, expected.map(|filters| filters.iter().map(|&filter| filter.to_owned()).collect()), "{call}");
    }

    #[test]
    fn calls_select_packages() {
        for (call, expected) in [
            ("npm run x", None),
            ("npm run x -w a", Some(&["a"][..])),
            ("npm -w a -w b run x", Some(&["a", "b"])),
            ("npm run x -ws", Some(&["*"])),
            ("npm run x -- -w a", None),
            ("pnpm x", None),
            ("pnpm -r x", Some(&["*"])),
            ("pnpm --filter=...a x", Some(&["*"])),
            ("pnpm --filter {packages/a} x", Some(&["packages/a"])),
            ("pnpm -w x", Some(&[])),
            ("pnpm recursive run x", Some(&["*"])),
            ("yarn x", None),
            ("yarn workspace a x", Some(&["a"])),
            ("yarn workspaces foreach -A --include a run x", Some(&["a"])),
            ("turbo run x", Some(&["*"])),
            ("turbo run x --filter a", Some(&["a"])),
            ("nx run a:x", Some(&["a"])),
            ("nx x a", Some(&["a"])),
            ("nx x", None),
            ("nx run-many -t x -p a,b", Some(&["a", "b"])),
            ("nx affected -t x", Some(&["*"])),
            ("lerna run x --scope a", Some(&["a"])),
            ("bun --filter a x", Some(&["a"])),
        ] {
            check(call, expected);
        }
    }

    #[test]
    fn packages_are_listed_in_yaml() {
        for text in ["packages:\n  - 'a/*'\n  # x\n  - b\ncatalog:\n  c: 1\n", "x: 1\npackages: ['a/*', b]\n"] {
            assert_eq!(listed_packages(text), ["a/*", "b"], "{text}");
        }
    }

    #[test]
    fn folders_match_patterns() {
        for (pattern, folder, is_deep, expected) in [
            ("/r/packages/*", "/r/packages/a", false, true),
            ("/r/packages/*", "/r/packages/a/b", false, false),
            ("/r/packages", "/r/packages/a/b", true, true),
            ("/r/*/x", "/r/a/y", false, false),
        ] {
            assert_eq!(is_below(pattern, folder, is_deep), expected, "{pattern} {folder}");
        }
    }
}
