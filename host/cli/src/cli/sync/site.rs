//! The folder of a guard.toml that follows a registry: the lock, the files, and the selection of machines.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::cli::subject::{exit_error, write_error};
use guard_contract::exit::Exit;
use guard_platform::fs::set_mode;
use guard_setup::sync::{State, SyncError, SyncSettings, SyncTarget, digest_of, named};
use guard_state::AppDirs;
use guard_state::files::read_text;
use guard_state::{FileLock, write_lasting};

/// The maximum size of a file, in bytes.
const TEXT_BYTES: u64 = 1 << 20;

/// The maximum wait for another `sync`, which may wait for its registry.
const PATIENCE: Duration = Duration::from_secs(10);

/// The file with this machine's unique id on Linux.
const MACHINE: &str = "/etc/machine-id";

/// Returns the guard.toml of a command: the managed one, or the one in `--to`.
pub(super) fn target(to: Option<&Path>, dirs: &AppDirs, cwd: &str) -> SyncTarget {
    SyncTarget { file: to.map_or_else(|| dirs.managed.clone(), |to| Path::new(cwd).join(to)) }
}

/// Converts the error of a command that needs the file.
pub(super) fn unusable(error: SyncError) -> anyhow::Error {
    let SyncError { exit, problem } = error;
    exit_error(exit, problem.to_string(), problem.hint)
}

/// Returns the digest of the guard.toml. `None` if it doesn't exist.
pub(super) fn digest(site: &SyncTarget) -> anyhow::Result<Option<String>> {
    let unread = |error| exit_error(Exit::NoInput, format!("`{}` cannot be read: {error}", site.file.display()), "");
    site.digest().map_err(unread)
}

/// Locks the folder against other processes.
pub(super) fn lock(site: &SyncTarget) -> anyhow::Result<FileLock> {
    let folder = site.folder();
    let made = fs::create_dir_all(&folder).and_then(|()| {
        if folder.symlink_metadata()?.is_symlink() {
            return Err(io::Error::other("it is a link"));
        }
        // Every user's hook reads the files in it.
        set_mode(&folder, 0o755)
    });
    made.map_err(|error| write_error(&folder, &error))?;
    FileLock::acquire(&folder.join("lock"), Instant::now() + PATIENCE).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => exit_error(Exit::Unavailable, "another `guard-host sync` is running", "wait for it"),
        _ => write_error(&folder, &error),
    })
}

pub(super) fn save_state(site: &SyncTarget, state: &State) -> anyhow::Result<()> {
    write_public(&site.folder().join("state.json"), serde_json::to_string_pretty(state)?.as_bytes())
}

/// Atomically writes a file that every user of the machine may read.
pub(super) fn write_public(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_lasting(file, bytes, 0o644).map_err(|error| write_error(file, &error))
}

/// Removes files that neither the guard.toml nor the two known configurations use, to save space. Files without a
/// digest as their name belong to others and stay.
pub(super) fn drop_unused(site: &SyncTarget, state: &State) {
    let Ok(mut used) = fs::read_to_string(&site.file) else { return };
    used = digest_of(used.as_bytes()) + "\n" + &used;
    for taken in [&state.current, &state.previous].into_iter().flatten() {
        let Ok(text) = fs::read_to_string(site.copy(&taken.sha256)) else { return };
        used = used + &taken.sha256 + "\n" + &text;
    }
    let Ok(entries) = fs::read_dir(site.folder()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let digest = name.split('.').next().unwrap_or_default();
        if named(&name) == [name.clone()] && !used.contains(digest) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns this machine's unique name.
pub(super) fn machine(settings: &SyncSettings) -> String {
    let own = || read_text(Path::new(MACHINE), TEXT_BYTES).map(|text| text.trim().to_owned());
    settings.machine.clone().or_else(|| own().ok()).unwrap_or_default()
}

/// Returns whether a configuration applies to this machine. If the percentage grows, no machine is excluded again, and
/// each configuration starts with different machines.
pub(super) fn is_chosen(settings: &SyncSettings, sha256: &str, percent: u8, groups: &[&str]) -> anyhow::Result<bool> {
    if settings.group.as_ref().is_some_and(|group| groups.contains(&group.as_str())) {
        return Ok(true);
    }
    let machine = machine(settings);
    if machine.is_empty() && (1..100).contains(&percent) {
        let text = format!("this machine has no id: `{MACHINE}` is empty or missing");
        return Err(exit_error(Exit::Config, text, "give it a name of its own: `machine` in sync.toml"));
    }
    let digest = Sha256::digest(format!("{machine}\n{sha256}"));
    let number = digest.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    Ok(number % 100 < u32::from(percent))
}

#[cfg(test)]
mod tests {
    use super::{SyncSettings, is_chosen};

    #[test]
    fn a_share_that_grows_loses_no_machine() {
        let chosen = |percent: u8| {
            let of = |number: &u32| {
                let machine = Some(format!("machine-{number}"));
                let wanted = SyncSettings { source: String::new(), signers: Vec::new(), group: None, machine };
                is_chosen(&wanted, "abc", percent, &[]).unwrap()
            };
            (0..1000).filter(of).collect::<Vec<u32>>()
        };
        let (none, some, more, all) = (chosen(0), chosen(10), chosen(50), chosen(100));
        assert_eq!((none.len(), all.len()), (0, 1000));
        assert!((70..=130).contains(&some.len()), "{}", some.len());
        assert!((450..=550).contains(&more.len()), "{}", more.len());
        assert!(some.iter().all(|number| more.contains(number)));
    }
}
