//! Detects which harnesses are on this machine, by their settings folders and programs.

use std::env::{consts::EXE_SUFFIX, split_paths};
use std::fs;
use std::path::{Path, PathBuf};

use guard_platform::fs::is_executable;
use guard_platform::paths::native;

use crate::install::{HookLocation, InstallOptions, ManagedFile, Registration};

/// Folders in the home that several programs use for settings.
const SHARED: [&str; 4] = ["", ".config", ".codeium", "Documents"];

/// Harnesses whose settings folder isn't the topmost one above their hooks, or whose program has another name.
const EXCEPTIONS: [(&str, Option<&str>, &str); 4] = [
    // Its hooks are in a folder of Gemini CLI.
    ("antigravity", Some(".gemini/config"), "agy"),
    ("cursor", None, "cursor-agent"),
    ("kiro", None, "kiro-cli"),
    // Its hooks are in the folder of Copilot CLI.
    ("vscode", Some(".vscode"), "code"),
];

/// Returns the settings folder or program that shows that a harness is on this machine.
#[must_use]
pub fn evidence(name: &str, registration: &dyn Registration, site: HookLocation<'_>) -> Option<PathBuf> {
    let exception = EXCEPTIONS.iter().find(|(harness, ..)| *harness == name);
    let home = &*native(&site.environment.home);
    let folder = match exception.and_then(|(_, folder, _)| *folder) {
        Some(folder) => Some(home.join(folder)),
        None => {
            let files = registration.pieces(&InstallOptions::default(), site).unwrap_or_default();
            files.iter().find_map(|file| {
                let (ManagedFile::Shared { path, .. } | ManagedFile::Own { path, .. }) = file;
                settings_folder(path, home)
            })
        }
    };
    let program = exception.map_or(name, |(.., program)| program);
    folder.filter(|folder| folder.is_dir()).or_else(|| on_path(program, site))
}

/// Returns the topmost folder above a file that only one program uses.
fn settings_folder(file: &Path, home: &Path) -> Option<PathBuf> {
    let is_shared = |folder: &Path| SHARED.iter().any(|shared| folder == home.join(shared));
    let folders = file.ancestors().skip(1).take_while(|folder| !is_shared(folder));
    folders.last().map(Path::to_path_buf).filter(|folder| folder.starts_with(home))
}

/// Returns the program that a shell would start for this name.
fn on_path(name: &str, site: HookLocation<'_>) -> Option<PathBuf> {
    let folders = split_paths(site.environment.variables.get("PATH")?).filter(|folder| folder.is_absolute());
    let is_program = |path: &PathBuf| fs::metadata(path).is_ok_and(|data| data.is_file() && is_executable(&data));
    folders.map(|folder| folder.join(format!("{name}{EXE_SUFFIX}"))).find(is_program)
}
