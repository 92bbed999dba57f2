//! [`SyncTarget`]: a guard.toml that is kept up to date, what says from where, and what is known of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use semver::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::cli::subject::{not_written, refused};
use guard_config::Signer;
use guard_config::bundle::{FOLDER, is_name_of};
use guard_config::problem::toml_problem;
use guard_contract::Layer;
use guard_contract::exit::Exit;
use guard_platform::fs::set_mode;
use guard_registry::PublicKey;
use guard_state::files::read_text;
use guard_state::{AppDirs, FileLock, hex, write_lasting};

/// The largest file that is read here.
const TEXT_BYTES: u64 = 1 << 20;

/// How long to wait for another `sync`, which may wait for its registry.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where Linux keeps what tells this machine from others.
const MACHINE: &str = "/etc/machine-id";

/// The contents of `sync.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SyncSettings {
    /// The address in a registry.
    pub(super) source: String,
    /// Whose signature must be on it.
    pub(super) signers: Vec<Signer>,
    /// The group of this machine.
    #[serde(default)]
    pub(super) group: Option<String>,
    /// The machine's unique name. Default: the system's machine id.
    #[serde(default)]
    machine: Option<String>,
}

/// A configuration that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SyncedConfig {
    /// Its version.
    pub(super) version: String,
    /// The digest of its guard.toml, which names all other files by theirs.
    pub(super) sha256: String,
    /// The digest of its manifest in the registry.
    pub(super) digest: String,
    /// When it was taken.
    pub(super) since: String,
}

/// How a try ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SyncAttempt {
    /// When.
    pub(super) time: String,
    /// Nothing failed.
    pub(super) ok: bool,
    /// A description of the outcome.
    pub(super) text: String,
}

/// The state of the configurations.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// The one that decides.
    #[serde(default)]
    pub(super) current: Option<SyncedConfig>,
    /// The one before it.
    #[serde(default)]
    pub(super) previous: Option<SyncedConfig>,
    /// Configurations that were rolled back, by the digests of their guard.toml; the last 64.
    #[serde(default)]
    pub(super) left_out: Vec<String>,
    /// The newest version that was ever taken.
    #[serde(default)]
    pub(super) newest: Option<Version>,
    /// How the last try ended.
    #[serde(default)]
    pub(super) last: Option<SyncAttempt>,
}

pub(super) struct SyncTarget {
    /// The guard.toml.
    pub(super) file: PathBuf,
}

impl SyncTarget {
    pub(super) fn new(to: Option<&Path>, dirs: &AppDirs, cwd: &str) -> Self {
        SyncTarget { file: to.map_or_else(|| dirs.managed.clone(), |to| Path::new(cwd).join(to)) }
    }

    /// The folder of the files that it names.
    pub(super) fn folder(&self) -> PathBuf {
        self.file.with_file_name(FOLDER)
    }

    /// Keeps others from changing it.
    pub(super) fn lock(&self) -> anyhow::Result<FileLock> {
        let folder = self.folder();
        let made = fs::create_dir_all(&folder).and_then(|()| {
            if folder.symlink_metadata()?.is_symlink() {
                return Err(io::Error::other("it is a link"));
            }
            // Everybody's hook reads what lies there.
            set_mode(&folder, 0o755)
        });
        made.map_err(|error| not_written(&folder, &error))?;
        FileLock::acquire(&folder.join("lock"), Instant::now() + PATIENCE).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                refused(Exit::Unavailable, "another `guard-host sync` is running", "wait for it")
            }
            _ => not_written(&folder, &error),
        })
    }

    /// Reads `sync.toml`.
    pub(super) fn read_settings(&self) -> anyhow::Result<SyncSettings> {
        let file = self.file.with_file_name("sync.toml");
        let shown = file.display().to_string();
        let text = read_text(&file, TEXT_BYTES).map_err(|error| {
            let hint = "it holds `source` and `signers`; see `guard-host sync --help`";
            refused(Exit::NoInput, format!("`{shown}` cannot be read: {error}"), hint)
        })?;
        let wanted: SyncSettings = toml::from_str(&text).map_err(|error| {
            let problem = toml_problem(Layer::Managed, &shown, &text, &error);
            refused(Exit::Config, problem.to_string(), problem.hint.clone())
        })?;
        let is_key = |signer: &Signer| PublicKey::parse(&signer.key).is_ok();
        if wanted.signers.is_empty() || !wanted.signers.iter().all(is_key) {
            let hint = "give at least one: `guard-host policy keygen` makes a key, and prints the line";
            return Err(refused(Exit::Config, format!("`{shown}`: `signers` has no public keys"), hint));
        }
        Ok(wanted)
    }

    /// Reads the state of the configurations. An unreadable file is an error: without it, the rolled back ones are
    /// unknown.
    pub(super) fn state(&self) -> anyhow::Result<State> {
        let file = self.folder().join("state.json");
        let broken = |why: String| {
            let hint = "restore it, or remove it: then the next `guard-host sync` starts over";
            refused(Exit::Config, format!("`{}` cannot be used: {why}", file.display()), hint)
        };
        match read_text(&file, TEXT_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::default()),
            Err(error) => Err(broken(error.to_string())),
            Ok(text) => serde_json::from_str(&text).map_err(|error| broken(error.to_string())),
        }
    }

    pub(super) fn keep_state(&self, state: &State) -> anyhow::Result<()> {
        self.keep(&self.folder().join("state.json"), serde_json::to_string_pretty(state)?.as_bytes())
    }

    /// Writes a file that every user of the machine may read, whole or not at all.
    pub(super) fn keep(&self, file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        write_lasting(file, bytes, 0o644).map_err(|error| not_written(file, &error))
    }

    /// The digest of the guard.toml; `None` if there is none.
    pub(super) fn digest(&self) -> anyhow::Result<Option<String>> {
        match fs::read(&self.file) {
            Ok(bytes) => Ok(Some(digest_of(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused(Exit::NoInput, format!("`{}` cannot be read: {error}", self.file.display()), "")),
        }
    }

    /// The guard.toml was written by `sync`, or there is none.
    pub(super) fn is_ours(&self, found: Option<&String>) -> bool {
        found.is_none_or(|found| self.copy(found).exists())
    }

    /// The text of a configuration that was taken; `None` if it, or a file that it names, is not as it was.
    pub(super) fn saved_text(&self, sha256: &str) -> Option<String> {
        let text = fs::read(self.copy(sha256)).ok().filter(|bytes| digest_of(bytes) == sha256)?;
        let text = String::from_utf8(text).ok()?;
        let is_whole = |name: &String| fs::read(self.folder().join(name)).is_ok_and(|bytes| is_name_of(name, &bytes));
        named(&text).iter().all(is_whole).then_some(text)
    }

    /// Removes files that neither the guard.toml nor the two known configurations name, only to save space. Files that
    /// aren't named by a digest belong to someone else and stay.
    pub(super) fn drop_unused(&self, state: &State) {
        let Ok(mut used) = fs::read_to_string(&self.file) else { return };
        used = digest_of(used.as_bytes()) + "\n" + &used;
        for taken in [&state.current, &state.previous].into_iter().flatten() {
            let Ok(text) = fs::read_to_string(self.copy(&taken.sha256)) else { return };
            used = used + &taken.sha256 + "\n" + &text;
        }
        let Ok(entries) = fs::read_dir(self.folder()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let digest = name.split('.').next().unwrap_or_default();
            if named(&name) == [name.clone()] && !used.contains(digest) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Where the text of a configuration is kept.
    pub(super) fn copy(&self, sha256: &str) -> PathBuf {
        self.folder().join(format!("{sha256}.toml"))
    }
}

impl SyncSettings {
    /// Returns this machine's unique name.
    pub(super) fn machine(&self) -> String {
        let own = || read_text(Path::new(MACHINE), TEXT_BYTES).map(|text| text.trim().to_owned());
        self.machine.clone().or_else(|| own().ok()).unwrap_or_default()
    }

    /// Whether this machine is among those that take a configuration. A share that grows loses no machine, and each
    /// configuration begins with others.
    pub(super) fn is_chosen(&self, sha256: &str, percent: u8, groups: &[&str]) -> anyhow::Result<bool> {
        if self.group.as_ref().is_some_and(|group| groups.contains(&group.as_str())) {
            return Ok(true);
        }
        let machine = self.machine();
        if machine.is_empty() && (1..100).contains(&percent) {
            let text = format!("this machine has no id: `{MACHINE}` is empty or missing");
            return Err(refused(Exit::Config, text, "give it a name of its own: `machine` in sync.toml"));
        }
        let digest = Sha256::digest(format!("{machine}\n{sha256}"));
        let number = digest.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        Ok(number % 100 < u32::from(percent))
    }
}

/// The names of files that [`guard_config::bundle::name_of`] gives, wherever they stand in a text.
fn named(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_name = |word: &&str| word.split_once('.').is_some_and(|(digest, end)| is_digest(digest) && !end.is_empty());
    words.filter(is_name).map(str::to_owned).collect()
}

pub(super) fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::SyncSettings;

    #[test]
    fn a_share_that_grows_loses_no_machine() {
        let chosen = |percent: u8| {
            let of = |number: &u32| {
                let machine = Some(format!("machine-{number}"));
                let wanted = SyncSettings { source: String::new(), signers: Vec::new(), group: None, machine };
                wanted.is_chosen("abc", percent, &[]).unwrap()
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
