//! Finds files that look like a configuration but aren't read, because of their name or folder.

use std::fs;
use std::path::{Path, PathBuf};

use guard_config::problem::nearest_within;
use guard_contract::Problem;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::files::read_text;

use super::{FILES, TEXT_BYTES, warning};

/// The name of a configuration.
const FILE: &str = "guard.toml";

/// Names that other programs give to their configuration.
const OTHER_NAMES: [&str; 2] = ["config.toml", "guard-host.toml"];

/// Names of a configuration's folder without the leading dot, and the settings folder of a harness.
const FOLDERS: [&str; 3] = ["guard", "guard-host", "claude"];

/// Wrong paths in the home at which a user's configuration may have been saved.
const OF_USERS: [&str; 4] = [".guard/guard.toml", ".guard-host/guard.toml", ".guard.toml", "guard.toml"];

/// Tables that only a configuration of this program has.
const TABLES: [&str; 3] = ["policy", "preset", "tool"];

/// Returns a problem for each file that was probably meant to be a missing configuration of a project or the user.
pub(super) fn misplaced(projects: &[String], dirs: &AppDirs) -> Vec<Problem> {
    let roots = projects.iter().filter(|root| !root.is_empty());
    let own = roots.clone().map(|root| AppDirs::project_file(root));
    let mut found: Vec<Problem> = own.flat_map(|right| not_read(lookalikes(&right), &right, dirs)).collect();
    let right = &dirs.config;
    let mut of_user = lookalikes(right);
    // The home may be a project.
    let is_project = || roots.clone().any(|root| *root == dirs.home);
    if right.is_absolute() && !right.exists() && !dirs.home.is_empty() && !is_project() {
        let home = native(&dirs.home);
        of_user.extend(OF_USERS.map(|name| home.join(name)).into_iter().filter(|path| is_configuration(path)));
    }
    found.extend(not_read(of_user, right, dirs));
    found
}

fn not_read(files: Vec<PathBuf>, right: &Path, dirs: &AppDirs) -> Vec<Problem> {
    let problem = |path: PathBuf| {
        let shown = path.display();
        warning(shown.to_string(), format!("`{shown}` is not read"), format!("rename it to `{}`", right.display()))
    };
    files.into_iter().filter(|path| *path != dirs.config && *path != dirs.managed).map(problem).collect()
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
        let is_like = nearest_within(&name, &[FILE], 2).is_some() || OTHER_NAMES.contains(&&*name);
        path.is_file() && (is_like || name.ends_with(".toml") && is_configuration(path))
    };
    let is_named = |path: &PathBuf| [FILE, "guard-host.toml"].contains(&plain(path).as_str()) && is_configuration(path);
    let mut found: Vec<PathBuf> = entries(folder).filter(is_beside).collect();
    for path in entries(above) {
        if is_named(&path) {
            found.push(path);
        } else if path != folder && FOLDERS.contains(&plain(&path).trim_end_matches('s')) {
            found.extend(entries(&path).filter(is_named));
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
