//! [`Deficiency`]: a flaw in what verdicts need beside the chain. `config check` and `doctor` report them.
//!
//! These are the managed file, the token of a server, the audit log, and the last `guard-host sync`. Reads only, and asks
//! no other machine.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use guard_platform::Space;
use guard_platform::access::{MachineAccess, of_machine};
use guard_platform::fs::{MetadataExt, check_entry, check_write, full_disk};
use serde::Deserialize;

use crate::oversights::remote_file;
use guard_config::bundle::FOLDER;
use guard_config::{Audit, Config, Remote};
use guard_contract::{Layer, Problem};
use guard_state::files::read_text;
use guard_state::{Places, io_hint};

/// The most that is read of a file.
const TEXT_BYTES: u64 = 1 << 20;

/// A disk with less space than this can't take many more lines of the log.
const SPARE_BYTES: u64 = 1 << 20;

/// A flaw in what verdicts need beside the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deficiency {
    /// The thing that has it: a fixed word.
    pub check: &'static str,
    /// The flaw, the file, and the remedy.
    pub problem: Problem,
}

/// All deficiencies of the surroundings.
#[must_use]
pub fn survey(config: &Config, places: &Places) -> Vec<Deficiency> {
    let layer = || if remote_file(places) == places.managed { Layer::Managed } else { Layer::User };
    let managed = open_to_others(places).map(|problem| ("managed", problem));
    let token = config.remote.as_ref().and_then(|remote| token(remote, layer())).map(|problem| ("remote", problem));
    let audit = unwritable(&config.audit).map(|problem| ("audit", problem));
    let sync = failed_sync(places).map(|problem| ("sync", problem));
    let all = [managed, token, audit, sync].into_iter().flatten();
    all.map(|(check, problem)| Deficiency { check, problem }).collect()
}

fn problem(layer: Layer, file: &Path, text: impl Into<String>, hint: impl Into<String>) -> Option<Problem> {
    Some(Problem { layer, place: file.display().to_string(), text: text.into(), hint: hint.into() })
}

/// The managed file, or its folder, can be changed by users whom it is to bind.
fn open_to_others(places: &Places) -> Option<Problem> {
    let file = &places.managed;
    let real = fs::canonicalize(file).ok()?;
    let folders = [file.parent(), real.parent()].into_iter().flatten();
    for path in [file.as_path()].into_iter().chain(folders) {
        let shown = path.display();
        // Who owns the machine's settings may change this one, too.
        match of_machine(path, places.machine()) {
            Ok(MachineAccess::Foreign(hint)) => {
                let text = format!(
                    "another user than the administrator owns `{shown}` and can change the managed configuration"
                );
                return problem(Layer::Managed, file, text, hint);
            }
            Ok(MachineAccess::Open(hint)) => {
                let text = format!("other users can write to `{shown}`, so they can change the managed configuration");
                return problem(Layer::Managed, file, text, hint);
            }
            Ok(MachineAccess::Closed) | Err(_) => {}
        }
    }
    None
}

/// The token can't be read, or by too many. Every user's hook reads the one that the managed file names.
fn token(remote: &Remote, layer: Layer) -> Option<Problem> {
    let file = &remote.token_file;
    let shown = file.display();
    let found = |text: String, hint: String| problem(layer, file, text, hint);
    let text = match read_text(file, TEXT_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = "the token for the server of `[remote]` is missing".to_owned();
            return found(text, format!("save the server's token in `{shown}`"));
        }
        Err(error) => {
            let text = format!("the token for the server of `[remote]` can't be read: {error}");
            let hint = match (error.kind(), layer) {
                (ErrorKind::PermissionDenied, Layer::Managed) => {
                    format!("run `sudo chmod a+r {shown}`: each user's hook reads it")
                }
                (ErrorKind::PermissionDenied, _) => format!("run `chmod 600 {shown}`"),
                _ => io_hint(&error).to_owned(),
            };
            return found(text, hint);
        }
    };
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return found("the file contains no token".to_owned(), format!("save the server's token in `{shown}`"));
    }
    let mode = fs::metadata(file).ok()?.mode();
    match layer {
        Layer::Managed if mode & 0o022 != 0 => {
            found("other users can replace the server's token".to_owned(), format!("run `sudo chmod go-w {shown}`"))
        }
        Layer::Managed => None,
        _ if mode & 0o077 != 0 => {
            found("other users can read the server's token".to_owned(), format!("run `chmod 600 {shown}`"))
        }
        _ => None,
    }
}

/// The audit log takes no more lines.
fn unwritable(audit: &Audit) -> Option<Problem> {
    let path = &audit.path;
    let found = |error: io::Error, at: &Path| {
        let hint = match error.kind() {
            ErrorKind::PermissionDenied => {
                format!("run `ls -ld {}` to see who owns it, or set another `path` in `[audit]`", at.display())
            }
            _ => io_hint(&error).to_owned(),
        };
        problem(Layer::User, path, format!("the audit log can't be written: {error}"), hint)
    };
    // What is no file is a warning of the configuration.
    let is_there = match fs::metadata(path) {
        Ok(data) if !data.is_file() => return None,
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return found(error, path),
    };
    if is_there && let Err(error) = check_write(path) {
        return found(error, path);
    }
    // The folder takes the rotated log and its lock.
    obstacle(path).and_then(|(folder, error)| found(error, folder))
}

/// A disk of this size, with so many bytes and files left, takes no more lines. Some file systems tell no size.
fn no_room(size: u64, left: u64, files: u64, files_left: u64) -> bool {
    size > 0 && left < SPARE_BYTES || files > 0 && files_left == 0
}

/// The nearest folder above a path that exists.
fn nearest_folder(path: &Path) -> &Path {
    path.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(Path::new("/"))
}

/// The folder in which the path, or the folders on the way to it, can't be made, and why.
pub(crate) fn obstacle(path: &Path) -> Option<(&Path, io::Error)> {
    let folder = nearest_folder(path);
    if let Err(error) = check_entry(folder) {
        return Some((folder, error));
    }
    let Space { size, left, files, files_left } = Space::of(folder)?;
    no_room(size, left, files, files_left).then(|| (folder, full_disk()))
}

/// The state of `guard-host sync`, in the parts that are needed here.
#[derive(Deserialize)]
struct SyncState {
    last: Option<SyncTry>,
}

#[derive(Deserialize)]
struct SyncTry {
    time: String,
    ok: bool,
    text: String,
}

/// The managed file follows a registry, and the last `sync` failed.
fn failed_sync(places: &Places) -> Option<Problem> {
    if !places.managed.with_file_name("sync.toml").exists() {
        return None;
    }
    let state = places.managed.with_file_name(FOLDER).join("state.json");
    let remembered: SyncState = serde_json::from_str(&read_text(&state, TEXT_BYTES).ok()?).ok()?;
    let last = remembered.last.filter(|last| !last.ok)?;
    let text = format!("the last `guard-host sync` failed at {}: {}", last.time, last.text);
    problem(Layer::Managed, &places.managed, text, "run `sudo guard-host sync`, and `guard-host sync status`")
}

#[cfg(test)]
mod tests;
