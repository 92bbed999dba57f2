//! [`survey`] finds problems in what verdicts need besides the chain.
//!
//! It checks the managed file, the token of a server, the audit log, its journal, and the last `guard-host sync`. It
//! reads only, and makes no network requests.

mod managed;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use guard_platform::access::is_own;
use guard_platform::fs::{MetadataExt, check_entry, check_write, full_disk};
use guard_platform::{Space, datagram};
use guard_redact::plain;
use serde::{Deserialize, Serialize};

use crate::check::{Mistake, Severity};
use crate::oversights::remote_file;
use crate::sync::SyncTarget;
use guard_config::{Audit, Config, Remote, load, trust};
use guard_contract::policy::Entry;
use guard_contract::{Layer, Problem};
use guard_state::files::read_text;
use guard_state::{AppDirs, io_hint, is_private};
pub(crate) use managed::{MachineFile, open_to_others};
pub use managed::{READ, START, closed_to_users};
use managed::{managed_files, unread, unreadable_by_users};

/// The maximum number of bytes that are read of a file.
const TEXT_BYTES: u64 = 1 << 20;

/// The line before a certificate in PEM format.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";

/// The free space, in bytes, below which a disk can't take many more lines of the log.
const SPARE_BYTES: u64 = 1 << 20;

/// Returns all problems.
#[must_use]
pub fn survey(config: &Config, dirs: &AppDirs) -> Vec<Mistake> {
    let layer = || if remote_file(dirs) == dirs.managed { Layer::Managed } else { Layer::User };
    let files = managed_files(config, dirs);
    let (open, closed) = (open_to_others(&files, dirs), unreadable_by_users(&files, config, dirs));
    let managed = unread(dirs).into_iter().chain(open).chain(closed).map(|problem| ("managed", problem));
    let token = config.remote.as_ref().and_then(|remote| token(remote, layer()));
    let authorities = config.remote.as_ref().and_then(|remote| authorities(remote, layer()));
    let remote = token.into_iter().chain(authorities).map(|problem| ("remote", problem));
    let journal = config.audit.journal.as_deref().and_then(unreachable_journal);
    let unwritable = unwritable(&config.audit);
    let shared = if unwritable.is_none() { shared_log(&config.audit) } else { None };
    let audit = unwritable.into_iter().chain(journal).map(|problem| ("audit", problem));
    let trust = damaged_trust(dirs).map(|problem| ("trust", problem));
    let ship = failed_ships(dirs).into_iter().map(|problem| ("ship", problem));
    let mistake = |(subject, problem)| Mistake { subject, ..Mistake::new(Severity::Error, problem) };
    let sync = SyncTarget { file: dirs.managed.clone() }.mistakes();
    let shared = shared.map(|problem| Mistake { subject: "audit", ..Mistake::new(Severity::Gap, problem) });
    let found = managed.chain(remote).chain(audit).chain(trust).map(mistake).chain(shared);
    found.chain(sync).chain(ship.map(mistake)).collect()
}

fn problem(layer: Layer, file: &Path, text: impl Into<String>, hint: impl Into<String>) -> Option<Problem> {
    Some(Problem { layer, place: file.display().to_string(), text: text.into(), hint: hint.into() })
}

/// Reports a token that can't be read, or that too many users can read. Every user's hook reads the one in the managed
/// file.
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

/// Reports certificate authorities that can't be read, so that no certificate of the server is valid.
fn authorities(remote: &Remote, layer: Layer) -> Option<Problem> {
    let file = remote.ca.as_ref()?;
    let why = match read_text(file, TEXT_BYTES) {
        Ok(text) if text.contains(CERTIFICATE) => return None,
        Ok(_) => "the file contains no certificate in PEM".to_owned(),
        Err(error) => format!("it can't be read: {error}"),
    };
    let text = format!("`ca` in `[remote]`: {why}");
    problem(layer, file, text, "save the certificate of the server's authority there, or remove `ca`")
}

/// Returns why a managed configuration must not be installed: it is empty, or, if it is for this machine (`is_here`),
/// something that it doesn't bring along is missing.
#[must_use]
pub fn managed_mistakes(config: &Config, dirs: &AppDirs, is_here: bool) -> Vec<Mistake> {
    let remote = config.remote.as_ref().filter(|_| is_here);
    let remote = remote.into_iter().flat_map(|remote| {
        let problems = [token(remote, Layer::Managed), authorities(remote, Layer::Managed)];
        problems.into_iter().flatten().map(|problem| ("remote", problem))
    });
    let log = missing_log_folder(config, dirs).filter(|_| is_here).map(|problem| ("audit", problem));
    let unread = unread(dirs);
    let is_broken = unread.is_some() || !config.problems.is_empty();
    let found = unread.map(|problem| ("managed", problem)).into_iter().chain(remote).chain(log);
    let found = found.map(|(subject, problem)| Mistake { subject, ..Mistake::new(Severity::Error, problem) });
    let idle = unmanaged(config, dirs).filter(|_| !is_broken);
    let idle = idle.map(|problem| Mistake { subject: "managed", ..Mistake::new(Severity::Gap, problem) });
    found.chain(idle).collect()
}

/// Reports a managed file without a managed policy and a server. A user without their own policies then has none.
fn unmanaged(config: &Config, dirs: &AppDirs) -> Option<Problem> {
    let is_managed = |entry: &Entry| entry.layer == Layer::Managed;
    // The entries of a prepared configuration are in its chain.
    let has_policy = || load(dirs, &[]).entries.iter().any(is_managed);
    if config.remote.is_some() || !config.locked.is_empty() || has_policy() {
        return None;
    }
    let text = "the managed file sets no policy, so users without their own policies have none";
    problem(Layer::Managed, &dirs.managed, text, "set `preset = \"standard\"`, or add `[[policy]]` entries or `lock`")
}

/// Reports an audit log for all users whose folder is missing. The first user's hook would create it for itself alone.
fn missing_log_folder(config: &Config, dirs: &AppDirs) -> Option<Problem> {
    let path = &config.audit.path;
    let folder = path.parent()?;
    if folder.exists() || path.starts_with(&dirs.home) || path.starts_with(&dirs.state) {
        return None;
    }
    let shown = folder.display();
    let text = format!("the folder `{shown}` of the audit log doesn't exist");
    let hint = format!("create `{shown}` so that each user can write there, or set another `path` in `[audit]`");
    problem(Layer::Managed, &dirs.managed, text, hint)
}

/// Reports a damaged record of trusted projects, which means that no project is trusted.
fn damaged_trust(dirs: &AppDirs) -> Option<Problem> {
    let file = trust::file(&dirs.trust);
    let text = "guard-host didn't write this file with its present key, so no project is trusted";
    let hint = format!("remove `{}`, and run `guard-host trust` in your projects again", file.display());
    trust::is_damaged(&dirs.trust).then(|| problem(Layer::User, &file, text, hint)).flatten()
}

/// Reports an audit log that can't be written.
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
    // Root passes every access check there, but files can't be created.
    if let Some(folder) = ["/proc", "/sys"].into_iter().find(|folder| nearest_folder(path).starts_with(folder)) {
        let text = format!("the audit log can't be written: `{folder}` takes no files");
        return problem(Layer::User, path, text, "set another `path` in `[audit]`");
    }
    let is_there = match fs::metadata(path) {
        Ok(data) if !data.is_file() => {
            let hint = format!("remove `{}`, or set another `path` in `[audit]`", path.display());
            return problem(Layer::User, path, "the audit log is not a file, so no line is logged", hint);
        }
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return found(error, path),
    };
    if is_there && let Err(error) = check_write(path) {
        return found(error, path);
    }
    // The folder also needs room for the rotated log and the lock.
    obstacle(path).and_then(|(folder, error)| found(error, folder))
}

/// Reports a journal that can't be reached.
fn unreachable_journal(socket: &Path) -> Option<Problem> {
    let error = datagram::check(socket).err()?;
    let text = format!("the journal can't be reached: {error}; the lines are only in the audit log");
    problem(Layer::User, socket, text, "start systemd-journald, or remove `journal` from `[audit]`")
}

/// Reports an audit log that other users own or can write to, whose lines have no chain.
fn shared_log(audit: &Audit) -> Option<Problem> {
    let path = &audit.path;
    let data = fs::metadata(path).ok().filter(|data| data.is_file() && !is_private(data))?;
    let shown = path.display();
    let (text, hint) = match is_own(&data) {
        true => ("other users can write to the audit log", format!("run `chmod go-w {shown}`")),
        false => ("the audit log belongs to another user", "set another `path` in `[audit]`".to_owned()),
    };
    problem(Layer::User, path, format!("{text}, so `audit verify` can't detect changes to its new lines"), hint)
}

/// Returns whether a disk of this size, with so many bytes and files left, is full. Some file systems report a size of
/// 0.
fn is_disk_full(size: u64, left: u64, files: u64, files_left: u64) -> bool {
    size > 0 && left < SPARE_BYTES || files > 0 && files_left == 0
}

/// Returns the nearest existing folder above a path.
fn nearest_folder(path: &Path) -> &Path {
    path.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(Path::new("/"))
}

/// Returns the folder in which the path or its parent folders can't be created, and the error.
#[must_use]
pub fn obstacle(path: &Path) -> Option<(&Path, io::Error)> {
    let folder = nearest_folder(path);
    if let Err(error) = check_entry(folder) {
        return Some((folder, error));
    }
    let Space { size, left, files, files_left } = Space::new(folder)?;
    is_disk_full(size, left, files, files_left).then(|| (folder, full_disk()))
}

/// Returns why no one can write to this folder, regardless of its owner and mode. Any user can find out, not only the
/// administrator.
pub(crate) fn full_or_read_only(folder: &Path) -> Option<io::Error> {
    if !folder.exists() {
        return None;
    }
    if let Err(error) = check_entry(folder)
        && error.kind() == ErrorKind::ReadOnlyFilesystem
    {
        return Some(error);
    }
    let Space { size, left, files, files_left } = Space::new(folder)?;
    is_disk_full(size, left, files, files_left).then(full_disk)
}

/// The suffix of a file that `guard-host audit ship` writes to `ship/` in the state folder when it fails.
pub const SHIP_FAILED: &str = "failed.json";

/// A failure of `guard-host audit ship`.
#[derive(Debug, Serialize, Deserialize)]
pub struct FailedShip {
    /// The time of the failure.
    pub time: String,
    /// The receiver.
    pub url: String,
    /// The error.
    pub text: String,
}

/// Reports the receivers for which the last `audit ship` failed.
fn failed_ships(dirs: &AppDirs) -> Vec<Problem> {
    let folder = dirs.state.join("ship");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.to_string_lossy().ends_with(SHIP_FAILED)).collect();
    files.sort();
    let failure = |file: &PathBuf| {
        let failed: FailedShip = serde_json::from_str(&read_text(file, TEXT_BYTES).ok()?).ok()?;
        let FailedShip { time, url, text } = failed;
        let text = format!("`guard-host audit ship` failed at {}: {}", plain(&time), plain(&text));
        let shown = file.display();
        let hint =
            format!("run it again with `--to {}`; if nothing is sent there any more, remove `{shown}`", plain(&url));
        problem(Layer::User, file, text, hint)
    };
    files.iter().filter_map(failure).collect()
}

#[cfg(test)]
mod tests;
