//! [`SyncTarget`]: a guard.toml that `guard-host sync` updates, with its source and state.
//!
//! Reads only. Used by `sync`, `sync status`, `config check`, `doctor` and `statusline`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use guard_platform::access::{MachineAccess, of_machine};
use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::check::{Mistake, Severity};
use crate::surroundings::full_or_read_only;
use guard_config::bundle::{FOLDER, is_name_of};
use guard_config::lock::is_address;
use guard_config::problem::toml_problem;
use guard_config::{Signer, signers};
use guard_contract::exit::Exit;
use guard_contract::{Layer, Problem};
use guard_state::files::read_text;
use guard_state::{hex, io_hint};

/// The subject of mistakes.
const SUBJECT: &str = "sync";

/// The file beside the guard.toml with its source.
pub const SYNC_FILE: &str = "sync.toml";

/// The maximum size of a file, in bytes.
const TEXT_BYTES: u64 = 1 << 20;

/// The contents of `sync.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyncSettings {
    /// The address in a registry.
    pub source: String,
    /// The accepted signers.
    pub signers: Vec<Signer>,
    /// The machine's group.
    #[serde(default)]
    pub group: Option<String>,
    /// The machine's unique name. Default: the system's machine id.
    #[serde(default)]
    pub machine: Option<String>,
}

/// A configuration that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedConfig {
    /// Its version.
    pub version: String,
    /// The digest of its guard.toml, which has the digests of all other files.
    pub sha256: String,
    /// The digest of its manifest in the registry.
    pub digest: String,
    /// The time when it was applied.
    pub since: String,
}

/// The result of an attempt to sync.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SyncAttempt {
    /// The time.
    pub time: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// A description of the outcome.
    pub text: String,
}

/// The state of the configurations.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    /// The active configuration.
    #[serde(default)]
    pub current: Option<SyncedConfig>,
    /// The previous configuration.
    #[serde(default)]
    pub previous: Option<SyncedConfig>,
    /// The last 64 configurations that were rolled back, by the digests of their guard.toml.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// The newest version that was ever applied.
    #[serde(default)]
    pub newest: Option<Version>,
    /// The result of the last attempt.
    #[serde(default)]
    pub last: Option<SyncAttempt>,
}

/// The error if a file of `sync` can't be used.
#[derive(Debug, Clone)]
pub struct SyncError {
    /// The exit code of a command that needs the file.
    pub exit: Exit,
    /// The error, the file and the hint.
    pub problem: Problem,
}

impl SyncError {
    fn new(exit: Exit, place: &Path, text: String, hint: &str) -> Self {
        SyncError { exit, problem: problem(place, text, hint) }
    }
}

fn problem(place: &Path, text: String, hint: &str) -> Problem {
    Problem { layer: Layer::Managed, place: place.display().to_string(), text, hint: hint.to_owned() }
}

/// A guard.toml that follows a registry.
#[derive(Debug, Clone)]
pub struct SyncTarget {
    /// The guard.toml.
    pub file: PathBuf,
}

impl SyncTarget {
    /// Returns the folder of the files that the guard.toml names.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.file.with_file_name(FOLDER)
    }

    /// Reads `sync.toml`, if no other user can change it.
    ///
    /// # Errors
    ///
    /// The file is missing, invalid, or open to other users.
    pub fn read_settings(&self) -> Result<SyncSettings, SyncError> {
        let file = self.file.with_file_name(SYNC_FILE);
        let folder = file.parent().unwrap_or(Path::new("/"));
        let hint = match of_machine(&file, folder) {
            Ok(MachineAccess::Open(hint) | MachineAccess::Foreign(hint)) => hint,
            Ok(MachineAccess::Closed) | Err(_) => return self.parse_settings(),
        };
        let text = "other users can change this file, and with it the source and the signers".to_owned();
        Err(SyncError::new(Exit::Config, &file, text, &hint))
    }

    /// Reads `sync.toml`, whoever can change it.
    fn parse_settings(&self) -> Result<SyncSettings, SyncError> {
        let file = self.file.with_file_name(SYNC_FILE);
        let text = read_text(&file, TEXT_BYTES).map_err(|error| {
            let text = format!("it can't be read: {error}");
            if error.kind() == io::ErrorKind::PermissionDenied {
                return SyncError::new(Exit::Config, &file, text, &readable_hint(&file));
            }
            let hint = "create it with `source` and `signers`; see `guard-host sync --help`";
            SyncError::new(Exit::NoInput, &file, text, hint)
        })?;
        let settings: SyncSettings = toml::from_str(&text).map_err(|error| SyncError {
            exit: Exit::Config,
            problem: toml_problem(Layer::Managed, &file.to_string_lossy(), &text, &error),
        })?;
        let broken = |text: String, hint| Err(SyncError::new(Exit::Config, &file, text, hint));
        if !settings.source.starts_with("oci://") || !is_address(&settings.source) {
            let text =
                format!("`source` is `{}`, which isn't an address in a registry", settings.source.escape_debug());
            return broken(text, "give one such as `oci://ghcr.io/acme/guard:stable`");
        }
        let hint = "`guard-host policy keygen` makes a key, and prints the line for `signers`";
        if settings.signers.is_empty() {
            return broken("`signers` is empty".to_owned(), hint);
        }
        if let Some(signer) = settings.signers.iter().find(|signer| !signers::is_key(signer.key.trim())) {
            return broken(
                format!("`signers`: the `key` of `{}` isn't a public key", signer.name.escape_debug()),
                hint,
            );
        }
        Ok(settings)
    }

    /// Reads the state of the configurations. An unreadable file is an error, because it lists the rolled back
    /// configurations.
    ///
    /// # Errors
    ///
    /// The file exists and can't be used.
    pub fn state(&self) -> Result<State, SyncError> {
        let file = self.folder().join("state.json");
        let broken = |why: String| {
            let hint = "restore it, or remove it: then the next `guard-host sync` starts over";
            SyncError::new(Exit::Config, &file, format!("it can't be used: {why}"), hint)
        };
        match read_text(&file, TEXT_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::default()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let text = format!("it can't be read: {error}");
                Err(SyncError::new(Exit::Config, &file, text, &readable_hint(&file)))
            }
            Err(error) => Err(broken(error.to_string())),
            Ok(text) => serde_json::from_str(&text).map_err(|error| broken(error.to_string())),
        }
    }

    /// Returns the digest of the guard.toml. `None` if there is no file.
    ///
    /// # Errors
    ///
    /// The file can't be read.
    pub fn digest(&self) -> io::Result<Option<String>> {
        match fs::read(&self.file) {
            Ok(bytes) => Ok(Some(digest_of(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether `sync` wrote the guard.toml, or it doesn't exist.
    #[must_use]
    pub fn is_ours(&self, found: Option<&String>) -> bool {
        found.is_none_or(|found| self.copy(found).exists())
    }

    /// Returns whether the guard.toml and all files that it names are those that were applied last.
    #[must_use]
    pub fn is_intact(&self, state: &State, found: Option<&String>) -> bool {
        state.current.as_ref().map_or(found.is_none(), |current| {
            found == Some(&current.sha256) && self.saved_text(&current.sha256).is_some()
        })
    }

    /// Returns the text of an applied configuration. `None` if it or a file that it names has changed.
    #[must_use]
    pub fn saved_text(&self, sha256: &str) -> Option<String> {
        let text = fs::read(self.copy(sha256)).ok().filter(|bytes| digest_of(bytes) == sha256)?;
        let text = String::from_utf8(text).ok()?;
        let is_whole = |name: &String| fs::read(self.folder().join(name)).is_ok_and(|bytes| is_name_of(name, &bytes));
        named(&text).iter().all(is_whole).then_some(text)
    }

    /// Returns the path of a configuration's saved text.
    #[must_use]
    pub fn copy(&self, sha256: &str) -> PathBuf {
        self.folder().join(format!("{sha256}.toml"))
    }

    /// Returns why the last `sync` failed or the next one will, and how the files differ from those that it wrote.
    /// Empty if `sync` isn't used.
    #[must_use]
    pub fn mistakes(&self) -> Vec<Mistake> {
        let mistake = |severity, problem| Mistake { policy: None, subject: SUBJECT, severity, problem };
        let error = |problem| mistake(Severity::Error, problem);
        let state = match self.state() {
            Ok(state) => state,
            Err(broken) => return vec![error(broken.problem)],
        };
        // Other users' access to the file is reported with that to the other managed files.
        let settings = self.parse_settings();
        let has_run = state.last.is_some() || state.current.is_some();
        if !has_run && settings.as_ref().is_err_and(|error| error.exit == Exit::NoInput) {
            return Vec::new();
        }
        let folder = self.folder();
        let mut found: Vec<Mistake> =
            settings.as_ref().err().map(|broken| error(broken.problem.clone())).into_iter().collect();
        if let Some(why) = full_or_read_only(&folder) {
            found.push(error(problem(&folder, format!("can't store a new version: {why}"), io_hint(&why))));
        }
        if let Some(last) = state.last.as_ref().filter(|last| !last.ok) {
            let text = format!("the last `guard-host sync` failed at {}: {}", last.time, last.text);
            let hint = "run `sudo guard-host sync` to see whether it still fails; until then the previous configuration applies";
            found.push(error(problem(&self.file, text, hint)));
        }
        if let Ok(digest) = self.digest()
            && settings.is_ok()
        {
            found
                .extend(self.difference(&state, digest.as_ref()).map(|(severity, problem)| mistake(severity, problem)));
        }
        if let Some(days) = state.last.as_ref().and_then(|last| days_since(&last.time)).filter(|days| *days > 0) {
            let days = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
            let text = format!("no `guard-host sync` has ended for {days}");
            found.push(mistake(Severity::Warning, problem(&self.file, text, "check that its timer runs")));
        }
        found
    }

    /// Returns how the guard.toml differs from what `sync` wrote.
    fn difference(&self, state: &State, found: Option<&String>) -> Option<(Severity, Problem)> {
        let is_first = state.last.is_none() && state.current.is_none();
        match state.current {
            None if is_first && !self.is_ours(found) => {
                let text = "a person wrote this file, so `guard-host sync` never replaces it".to_owned();
                Some((Severity::Error, problem(&self.file, text, "move it away, then run `sudo guard-host sync`")))
            }
            None if is_first => {
                let text = "`guard-host sync` has never run, so this machine has no policy from its source".to_owned();
                let hint = "run `sudo guard-host sync`, and enable its timer";
                Some((Severity::Gap, problem(&self.file.with_file_name(SYNC_FILE), text, hint)))
            }
            Some(_) if found.is_none() => {
                let text = "this file is missing, so no policy is managed".to_owned();
                Some((Severity::Error, problem(&self.file, text, "run `sudo guard-host sync`, which restores it")))
            }
            Some(_) if !self.is_intact(state, found) => {
                let text = "this file, or one that it names, is not what was taken".to_owned();
                let hint = match self.is_ours(found) {
                    true => "run `sudo guard-host sync`, which restores it",
                    false => "move it away, then run `sudo guard-host sync`",
                };
                Some((Severity::Gap, problem(&self.file, text, hint)))
            }
            _ => None,
        }
    }
}

/// Returns the command that lets users read a file, or the folder above it that they can't enter.
#[must_use]
pub(crate) fn readable_hint(file: &Path) -> String {
    match unenterable(file) {
        Some(folder) => format!("run `sudo chmod a+rx {}`", folder.display()),
        None => format!("run `sudo chmod a+r {}`", file.display()),
    }
}

/// Returns the folder above a file that this user can't enter.
#[must_use]
pub(crate) fn unenterable(file: &Path) -> Option<&Path> {
    let is_denied = |folder: &&Path| {
        fs::metadata(folder.join(".")).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    file.ancestors().skip(1).filter(is_denied).last()
}

/// Returns the whole days since a time in the state.
fn days_since(time: &str) -> Option<u64> {
    let since = Timestamp::now().duration_since(time.parse().ok()?);
    u64::try_from(since.as_hours() / 24).ok()
}

/// Returns the file names in a text that have the form of [`guard_config::bundle::name_of`].
#[must_use]
pub fn named(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let is_digest = |text: &str| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_name = |word: &&str| word.split_once('.').is_some_and(|(digest, end)| is_digest(digest) && !end.is_empty());
    words.filter(is_name).map(str::to_owned).collect()
}

/// Returns the digest of a file's bytes in hexadecimal.
#[must_use]
pub fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
