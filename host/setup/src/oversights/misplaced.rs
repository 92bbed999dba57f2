//! Finds files that look like a configuration but aren't read, because of their name or folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use guard_config::problem::nearest_within;
use guard_contract::Problem;
use guard_contract::shell_word::word;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::files::read_text;

use super::{FILES, TEXT_BYTES, warning};
use crate::sync::{SYNC_FILE, SyncTarget};

/// The name of a configuration.
const FILE: &str = "guard.toml";

/// Names that other programs give to their configuration.
const OTHER_NAMES: [&str; 2] = ["config.toml", "guard-host.toml"];

/// Formats that a configuration may have been saved in by mistake.
const OTHER_FORMATS: [&str; 4] = ["json", "yaml", "yml", "txt"];

/// Names of a configuration's folder without the leading dot, and the settings folder of a harness.
const FOLDERS: [&str; 3] = ["guard", "guard-host", "claude"];

/// Wrong paths in the home at which a user's configuration may have been saved.
const OF_USERS: [&str; 4] = [".guard/guard.toml", ".guard-host/guard.toml", ".guard.toml", "guard.toml"];

/// Tables that only a configuration of this program has.
const TABLES: [&str; 3] = ["policy", "preset", "tool"];

/// Returns a problem for each file that was probably meant to be a missing configuration of a project or the user.
/// Files among `inputs` are read.
pub(super) fn misplaced(projects: &[String], dirs: &AppDirs, inputs: &[PathBuf]) -> Vec<Problem> {
    let roots = projects.iter().filter(|root| !root.is_empty());
    let own = roots.clone().map(|root| AppDirs::project_file(root));
    let root = roots.clone().next().map(|root| AppDirs::project_file(root)).filter(|file| !file.exists());
    let not_read_of = |right: PathBuf| {
        // A folder directly below a root without a file may be its renamed `.guard`.
        let (of_root, own): (Vec<_>, Vec<_>) = lookalikes(&right).into_iter().partition(|path| {
            let is_of = |root: &PathBuf| *root != right && path.ancestors().nth(2) == root.ancestors().nth(2);
            root.as_ref().is_some_and(is_of)
        });
        let of_root = root.iter().flat_map(|root| {
            let known = lookalikes(root);
            not_read(of_root.iter().filter(|path| !known.contains(path)).cloned().collect(), root, dirs)
        });
        let of_root: Vec<Problem> = of_root.collect();
        [of_root, not_read(own, &right, dirs), unnamed_policies(&right, inputs), yaml_cases(&right)].concat()
    };
    let mut found: Vec<Problem> = own.flat_map(not_read_of).collect();
    found.extend(roots.clone().filter_map(|root| missing_submodule(root)));
    let right = &dirs.config;
    let mut of_user = lookalikes(right);
    // The home may be a project.
    let is_project = || roots.clone().any(|root| *root == dirs.home);
    if right.is_absolute() && !right.exists() && !dirs.home.is_empty() && !is_project() {
        let home = native(&dirs.home);
        of_user.extend(OF_USERS.map(|name| home.join(name)).into_iter().filter(|path| is_configuration(path)));
    }
    found.extend(not_read(of_user, right, dirs));
    found.extend(misplaced_sync(projects, dirs));
    found
}

/// Returns the problem of a `.guard` that is a submodule and isn't checked out.
fn missing_submodule(root: &str) -> Option<Problem> {
    let right = AppDirs::project_file(root);
    let modules = native(root).join(".gitmodules");
    if right.exists() || !modules.is_file() {
        return None;
    }
    let text = read_text(&modules, TEXT_BYTES).unwrap_or_default();
    let mut values = text.lines().filter_map(|line| line.split_once('='));
    let is_submodule = values.any(|(key, value)| key.trim() == "path" && value.trim() == ".guard");
    let text = format!("there is no `{}`: its folder is a submodule that isn't checked out", right.display());
    let hint = "run `git submodule update --init .guard`".to_owned();
    is_submodule.then(|| warning(modules.display().to_string(), text, hint))
}

/// Returns a problem for each `sync.toml` that no `guard-host sync` reads, because of its folder or its name.
fn misplaced_sync(projects: &[String], dirs: &AppDirs) -> Vec<Problem> {
    let right = dirs.managed.with_file_name(SYNC_FILE);
    let roots = projects.iter().map(String::as_str).chain([dirs.home.as_str()]).filter(|root| !root.is_empty());
    let own = roots.clone().map(AppDirs::project_file).chain([dirs.config.clone(), dirs.managed.clone()]);
    let own: BTreeSet<PathBuf> = own.filter_map(|file| file.parent().map(Path::to_path_buf)).collect();
    let others = roots
        .map(|root| native(root).into_owned())
        .chain(own.iter().filter_map(|folder| folder.parent()).map(Path::to_path_buf));
    let is_named = |path: &PathBuf| name_of(path) == SYNC_FILE && path.is_file();
    let is_like = |path: &PathBuf| nearest_within(&name_of(path), &[SYNC_FILE], 2).is_some() && is_sync(path);
    let mut found: BTreeSet<PathBuf> =
        own.iter().flat_map(|folder| entries(folder)).filter(|path| is_named(path) || is_like(path)).collect();
    found.extend(others.map(|folder| folder.join(SYNC_FILE)).filter(|path| is_sync(path)));
    let is_read = |path: &PathBuf| {
        let target = SyncTarget { file: path.with_file_name(FILE) };
        *path == right || is_named(path) && target.folder().exists()
    };
    let problem = |path: PathBuf| {
        let (shown, right) = (path.display(), right.display());
        let to = path.with_file_name(FILE);
        let hint = match name_of(&path) == SYNC_FILE {
            true => format!("move it to `{right}`, or run: guard-host sync --to {}", word(&to.to_string_lossy())),
            false => format!("rename it to `{}`", path.with_file_name(SYNC_FILE).display()),
        };
        warning(shown.to_string(), format!("`guard-host sync` doesn't read `{shown}`"), hint)
    };
    found.into_iter().filter(|path| !is_read(path)).map(problem).collect()
}

/// Returns whether the file has the source or the signers of a configuration in a registry.
fn is_sync(path: &Path) -> bool {
    let text = if path.is_file() { read_text(path, TEXT_BYTES).unwrap_or_default() } else { String::new() };
    let table = toml::from_str::<toml::Table>(&text).unwrap_or_default();
    let is_address = |value: &toml::Value| value.as_str().is_some_and(|text| text.starts_with("oci://"));
    table.get("source").is_some_and(is_address) || table.contains_key("signers")
}

fn not_read(files: Vec<PathBuf>, right: &Path, dirs: &AppDirs) -> Vec<Problem> {
    let problem = |path: PathBuf| {
        let shown = path.display();
        warning(shown.to_string(), format!("`{shown}` is not read"), format!("rename it to `{}`", right.display()))
    };
    // Another file may have been given in the place of the usual one.
    let read = [&dirs.config, &dirs.managed, &AppDirs::under_home(&dirs.home).config];
    files.into_iter().filter(|path| !read.contains(&path)).map(problem).collect()
}

/// Returns a problem for each policy in the folder of a configuration that the configuration doesn't name.
fn unnamed_policies(right: &Path, inputs: &[PathBuf]) -> Vec<Problem> {
    let configuration = fs::symlink_metadata(right).is_ok().then(|| read_text(right, TEXT_BYTES).unwrap_or_default());
    let folder = right.parent().filter(|folder| folder.is_absolute());
    let is_named = |path: &PathBuf| {
        let is_input = || inputs.iter().any(|input| path.starts_with(input) || input.starts_with(path));
        // The entry may be switched off. `builtin:rego` doesn't name a folder `rego`.
        let starts: &[&str] = if path.is_dir() { &["\"", "'", "/"] } else { &[""] };
        let is_in = |text: &String| starts.iter().any(|start| text.contains(&format!("{start}{}", name_of(path))));
        configuration.as_ref().is_some_and(|text| path == right || is_in(text) || is_input())
    };
    let is_policy = |path: &PathBuf| path.is_file() || entries(path).any(|file| is_module(&file));
    let files = folder.into_iter().flat_map(entries).filter(|path| is_policy(path) && !is_named(path));
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    let problem = |path: PathBuf| {
        if configuration.is_some() && path.extension().is_some_and(|end| end == "toml") && is_configuration(&path) {
            let (shown, right) = (path.display(), right.display());
            let text = format!("`{shown}` is not read: entries belong in `{right}`");
            return Some(warning(shown.to_string(), text, format!("move its entries to `{right}`")));
        }
        let (name, stem) = (name_of(&path), path.file_stem()?.to_string_lossy().into_owned());
        let source = match path.extension().unwrap_or_default().to_str()? {
            _ if path.is_dir() || is_module(&path) => {
                format!("source = \"builtin:rego\"`, `settings-file = \"{name}\"")
            }
            "toml" | "json" if has_conditions(&path) => {
                format!("source = \"builtin:cel\"`, `settings-file = \"{name}\"")
            }
            // A component may be built for another project.
            "wasm" if configuration.is_none() => format!("source = \"./{name}\""),
            _ => return None,
        };
        let (shown, right) = (path.display(), right.display());
        let entry = format!("a `[[policy]]`: `name = \"{stem}\"`, `{source}`");
        let (text, hint) = match configuration {
            None => (format!("there is no `{right}` that names it"), format!("write `{right}` with {entry}")),
            Some(_) => (format!("no entry of `{right}` names it"), format!("remove it, or add {entry}")),
        };
        Some(warning(shown.to_string(), format!("`{shown}` is not read: {text}"), hint))
    };
    files.into_iter().filter_map(problem).collect()
}

/// Returns a problem for each file in YAML beside a configuration's cases.
fn yaml_cases(right: &Path) -> Vec<Problem> {
    let folder = Some(right.with_file_name("cases")).filter(|folder| folder.is_absolute());
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
    let mut files: Vec<PathBuf> = folder.iter().flat_map(|folder| entries(folder)).filter(is_yaml).collect();
    files.sort();
    let problem = |path: PathBuf| {
        let shown = path.display();
        let text = format!("`{shown}` is not read: cases are in TOML or JSON");
        warning(shown.to_string(), text, format!("write its cases in `{}`", path.with_extension("toml").display()))
    };
    files.into_iter().map(problem).collect()
}

/// Returns whether the file is a module in Rego, and isn't a test.
fn is_module(path: &Path) -> bool {
    let name = name_of(path);
    name.ends_with(".rego") && !name.ends_with("_test.rego") && path.is_file()
}

/// Returns whether the file has rules with conditions in CEL.
fn has_conditions(path: &Path) -> bool {
    let text = read_text(path, TEXT_BYTES).unwrap_or_default();
    let table = toml::from_str::<toml::Table>(&text).ok().and_then(|table| serde_json::to_value(table).ok());
    let value = table.or_else(|| serde_json::from_str::<serde_json::Value>(&text).ok()).unwrap_or_default();
    let rules = value.get("rules").and_then(serde_json::Value::as_array);
    rules.is_some_and(|rules| rules.iter().any(|rule| rule.get("when").is_some_and(serde_json::Value::is_string)))
}

/// Returns files that were probably meant to be a missing configuration: beside it, above its folder, and in folders
/// with a similar name.
pub(crate) fn lookalikes(right: &Path) -> Vec<PathBuf> {
    let Some(folder) = right.parent().filter(|folder| folder.is_absolute() && !right.exists()) else {
        return Vec::new();
    };
    let above = folder.parent().unwrap_or(folder);
    let is_beside = |path: &PathBuf| {
        let name = name_of(path);
        // The distance to `guard.lock` is three.
        let is_other = name.starts_with("guard.")
            && path.extension().is_some_and(|end| OTHER_FORMATS.iter().any(|other| end == *other));
        let is_like = is_other || nearest_within(&name, &[FILE], 2).is_some() || OTHER_NAMES.contains(&&*name);
        path.is_file() && (is_like || name.ends_with(".toml") && is_configuration(path))
    };
    let is_named = |path: &PathBuf| [FILE, "guard-host.toml"].contains(&plain(path).as_str()) && is_configuration(path);
    let mut found: Vec<PathBuf> = entries(folder).filter(is_beside).collect();
    let is_like = |path: &PathBuf| path != folder && FOLDERS.contains(&plain(path).trim_end_matches('s'));
    for path in entries(above) {
        // Other programs keep their settings in hidden folders.
        let is_hidden = path != folder && name_of(&path).starts_with('.') && path.is_dir();
        if is_named(&path) {
            found.push(path);
        } else if is_like(&path) || is_hidden {
            found.extend(entries(&path).filter(is_named));
            let below = entries(&path).filter(|below| is_hidden && is_like(below));
            found.extend(below.flat_map(|below| entries(&below)).filter(is_named));
        }
    }
    found.sort();
    found
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().take(FILES).map(|entry| entry.path())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name in lower case, without a leading dot.
fn plain(path: &Path) -> String {
    name_of(path).trim_start_matches('.').to_ascii_lowercase()
}

/// Returns whether the file has a table of this program, as far as it can be parsed.
fn is_configuration(path: &Path) -> bool {
    let text = if path.is_file() { read_text(path, TEXT_BYTES).unwrap_or_default() } else { String::new() };
    match toml::from_str::<toml::Table>(&text) {
        Ok(table) => TABLES.iter().any(|name| table.contains_key(*name)),
        Err(_) => text.contains("[[policy]]"),
    }
}
