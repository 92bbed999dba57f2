//! Files that apply to every user of the machine. Each must be readable, and only the administrator may change it.

use std::fs;
use std::path::{Path, PathBuf};

use super::problem;
use crate::oversights::{lookalikes, remote_file};
use crate::sync::SYNC_FILE;
use guard_config::{Config, files_of};
use guard_contract::policy::Source;
use guard_contract::{Layer, Problem};
use guard_platform::access::{MachineAccess, gives_others, of_machine, protects_entries};
use guard_state::AppDirs;
use guard_state::files::read_text;

/// A file that only the administrator may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MachineFile {
    pub(crate) path: PathBuf,
    /// Its role, for messages.
    pub(crate) role: &'static str,
}

/// Returns the managed configuration, and the files that it names, with everything in a folder of settings.
pub(super) fn managed_files(config: &Config, dirs: &AppDirs) -> Vec<MachineFile> {
    const ROLE: &str = "the managed configuration";
    let mut paths = vec![dirs.managed.clone(), dirs.managed.with_file_name(SYNC_FILE)];
    for entry in config.entries.iter().filter(|entry| entry.layer == Layer::Managed) {
        let settings = &entry.settings_source.file;
        paths.push(settings.clone());
        paths.extend(Some(settings).filter(|path| path.is_dir()).into_iter().flat_map(|path| files_of(path)));
        paths.extend(match &entry.source {
            Source::File(path) => Some(path.clone()),
            Source::Builtin(_) => None,
        });
    }
    let remote = config.remote.as_ref().filter(|_| remote_file(dirs) == dirs.managed);
    paths.extend(remote.and_then(|remote| remote.ca.clone()));
    paths.into_iter().filter(|path| path.exists()).map(|path| MachineFile { path, role: ROLE }).collect()
}

/// Returns one problem for each file that users can change, directly or through a parent folder, although it applies to
/// all users.
pub(crate) fn open_to_others(files: &[MachineFile], dirs: &AppDirs) -> Vec<Problem> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for MachineFile { path: file, role } in files {
        let Ok(real) = fs::canonicalize(file) else { continue };
        let folders = [file.parent(), real.parent()].into_iter().flatten();
        let near = [file.as_path()].into_iter().chain(folders).map(|path| (path, true));
        // Users who can write to a folder further up can rename the folders below it.
        let above = [real.as_path(), file.as_path()]
            .into_iter()
            .flat_map(|path| path.ancestors().skip(2))
            .map(|path| (path, false));
        let mut checked: Vec<(&Path, bool)> = near.chain(above).collect();
        checked.retain(|(path, _)| !seen.iter().any(|seen| seen == path));
        let opened = checked.iter().find_map(|(path, is_near)| opened(path, role, dirs, *is_near));
        found.extend(opened.and_then(|(text, hint)| problem(Layer::Managed, file, text, hint)));
        seen.extend(checked.iter().map(|(path, _)| path.to_path_buf()));
    }
    found
}

/// Returns the flaw of a file or folder, and the hint. A folder further up is usually a user's home, so the hint is to
/// move the file out of it.
fn opened(path: &Path, role: &str, dirs: &AppDirs, is_near: bool) -> Option<(String, String)> {
    const MOVE: &str =
        "move the file to a folder of the administrator's, such as `/usr/local/bin` or `/etc/guard-host`";
    let shown = path.display();
    // The owner of the machine's settings may also change this file.
    match of_machine(path, dirs.machine()).ok()? {
        MachineAccess::Foreign(hint) => {
            let text = format!("another user than the administrator owns `{shown}` and can change {role}");
            // A user needs their own home.
            let is_in_machine = path.starts_with(dirs.machine());
            let is_in_home = path.is_dir() || path.parent().is_some_and(|folder| is_foreign(folder, dirs));
            Some((text, if is_near && (is_in_machine || !is_in_home) { hint } else { MOVE.to_owned() }))
        }
        MachineAccess::Open(_) if !is_near && protects_entries(&fs::metadata(path).ok()?) => None,
        MachineAccess::Open(hint) => {
            Some((format!("other users can write to `{shown}`, so they can change {role}"), hint))
        }
        MachineAccess::Closed => None,
    }
}

fn is_foreign(path: &Path, dirs: &AppDirs) -> bool {
    matches!(of_machine(path, dirs.machine()), Ok(MachineAccess::Foreign(_)))
}

/// The permissions that other users need to read a file.
pub const READ: u32 = 0o4;
/// The permissions that other users need to start a program.
pub const START: u32 = 0o5;

/// Reports a file for all users that other users can't read or start, or whose folder they can't enter. A harness then
/// runs without the hook. The file may not exist yet.
#[must_use]
pub fn closed_to_users(file: &Path, bits: u32, dirs: &AppDirs) -> Option<Problem> {
    closed(file, bits, dirs, "so the hook doesn't run for them")
}

/// Reports each file of the managed configuration that other users can't read. Their hook then denies every call.
pub(super) fn unreadable_by_users(files: &[MachineFile], config: &Config, dirs: &AppDirs) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    let remote = config.remote.as_ref().filter(|_| remote_file(dirs) == dirs.managed);
    let token = remote.map(|remote| &remote.token_file).filter(|token| token.exists());
    // Only the administrator runs `sync`.
    let files = files.iter().map(|file| &file.path).filter(|path| !path.ends_with(SYNC_FILE));
    for path in files.chain(token) {
        let bits = if path.is_dir() { START } else { READ };
        let problem = closed(path, bits, dirs, "so their hook can't use the managed configuration");
        // One closed folder is one mistake.
        found.extend(problem.filter(|problem| !found.iter().any(|other| other.hint == problem.hint)));
    }
    found
}

fn closed(file: &Path, bits: u32, dirs: &AppDirs, effect: &str) -> Option<Problem> {
    const ENTER: u32 = 0o1;
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    // Everything else would fail, too, without the folder of the machine's settings.
    let is_checked = |folder: &&Path| !dirs.machine().starts_with(folder);
    let folders = || [file, real.as_path()].into_iter().flat_map(|path| path.ancestors().skip(1)).filter(is_checked);
    let is_closed = |path: &Path, bits| fs::metadata(path).is_ok_and(|data| !gives_others(&data, bits));
    let (shown, folder) = (file.display(), folders().find(|folder| is_closed(folder, ENTER)));
    let is_folder = || real.is_dir();
    let (text, hint) = match folder {
        Some(folder) if folder.starts_with(dirs.machine()) => {
            let text = format!("other users can't enter `{}`", folder.display());
            (text, format!("run `sudo chmod a+rx {}`", folder.display()))
        }
        Some(folder) if file.is_symlink() => {
            let text =
                format!("it is a link to `{}`, and other users can't enter `{}`", real.display(), folder.display());
            (text, format!("replace the link `{shown}` with a file"))
        }
        Some(folder) => {
            let to = if bits == START && !is_folder() {
                "both programs to `/usr/local/bin`, and register them again"
            } else {
                "it"
            };
            (format!("other users can't enter `{}`", folder.display()), format!("move {to}"))
        }
        None if is_closed(&real, bits) && is_folder() => {
            ("other users can't read this folder".to_owned(), format!("run `sudo chmod a+rx {shown}`"))
        }
        None if is_closed(&real, bits) && bits == START => {
            ("other users can't start it".to_owned(), format!("run `sudo chmod a+rx {shown}`"))
        }
        None if is_closed(&real, bits) => {
            ("other users can't read it".to_owned(), format!("run `sudo chmod a+r {shown}`"))
        }
        None => return None,
    };
    problem(Layer::Managed, file, format!("{text}, {effect}"), hint)
}

/// Reports a managed file that has another name or is empty, and so has no effect.
pub(super) fn unread(dirs: &AppDirs) -> Option<Problem> {
    const BYTES: u64 = 1 << 20;
    let file = &dirs.managed;
    match read_text(file, BYTES) {
        Ok(text) if sets_nothing(&text) => problem(
            Layer::Managed,
            file,
            "the managed file sets nothing, so no policy is managed",
            "write it, or remove it",
        ),
        Ok(_) => None,
        Err(_) if file.exists() => None,
        Err(_) => {
            let other = lookalikes(file).into_iter().next()?;
            let hint = format!("rename it to `{}`", file.display());
            problem(Layer::Managed, &other, "this file is not read, so no policy is managed", hint)
        }
    }
}

/// Returns whether a file has no keys, or only empty lists. A file that can't be parsed is reported elsewhere.
fn sets_nothing(text: &str) -> bool {
    let is_empty = |value: &toml::Value| value.as_array().is_some_and(Vec::is_empty);
    text.parse::<toml::Table>().is_ok_and(|table| table.values().all(is_empty))
}
