//! [`Sessions`]: the session files, one for each session in the state folder, or one for all sessions if the
//! configuration names it.
//!
//! A file that can't be read counts as empty. Writers take a lock and replace the file, so that readers see either the
//! old file or the whole new one. Only the user can access the files and folders.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use guard_platform::{dir, process};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{Contents, LIFE};
use crate::files::overwrite;
use crate::{FileLock, hex, is_private, make_private};

/// The maximum size of a file.
const FILE_BYTES: usize = 1 << 20;

/// The maximum number of files in a folder. The most recently written ones are kept.
const FILES: usize = 256;

/// The maximum length of a session id that is used as a file name.
const NAME_BYTES: usize = 100;

/// The name of the session for calls without an id. Its `.` can't occur in an id that is used as a name.
const WITHOUT_ID: &str = "without.id";

/// The location of the session files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sessions {
    /// A folder with one file for each session.
    Folder(PathBuf),
    /// One file for all sessions.
    File(PathBuf),
}

impl Sessions {
    /// Returns the default location in a state folder.
    #[must_use]
    pub fn in_state(state: &Path) -> Self {
        Sessions::Folder(state.join("sessions"))
    }

    /// Returns the file for all sessions, if there is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Sessions::Folder(_) => None,
            Sessions::File(path) => Some(path),
        }
    }

    /// Returns a session's name. Ids that aren't valid file names on every system are replaced by their digest, and all
    /// calls without an id share one session.
    #[must_use]
    pub fn name(session: &str) -> String {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
        if !session.is_empty() && session.len() <= NAME_BYTES && session.bytes().all(plain) {
            return session.to_owned();
        }
        if session.is_empty() {
            return WITHOUT_ID.to_owned();
        }
        format!("sha256.{}", hex(&Sha256::digest(session)))
    }

    /// Returns the valid entries of this session.
    #[must_use]
    pub fn read_session(&self, name: &str) -> Contents {
        let mut contents = self.session_file(name).and_then(|place| place.read()).unwrap_or_default();
        contents.expire(Timestamp::now());
        contents.retain_session(name, true);
        contents
    }

    /// Returns the valid entries of all sessions.
    #[must_use]
    pub fn read_all(&self) -> Contents {
        let mut all = Contents::default();
        for name in self.session_names() {
            match self {
                Sessions::Folder(_) => all.append(self.read_session(&name)),
                Sessions::File(_) => {
                    all.append(self.session_file(&name).and_then(|place| place.read()).unwrap_or_default())
                }
            }
        }
        all.expire(Timestamp::now());
        all
    }

    /// Lists the session files and folders that are ignored, because they can't be read or aren't private.
    #[must_use]
    pub fn unusable(&self) -> Vec<PathBuf> {
        if let Sessions::Folder(folder) = self
            && let Err(error) = fs::read_dir(folder)
        {
            return if error.kind() == ErrorKind::NotFound { Vec::new() } else { vec![folder.clone()] };
        }
        let names = self.session_names();
        let paths = names.iter().filter_map(|name| {
            let (folder, file) = self.parts(name)?;
            let path = folder.join(file);
            let counts = self.session_file(name).is_some_and(|place| place.read().is_some());
            (!counts && path.symlink_metadata().is_ok()).then_some(path)
        });
        paths.collect()
    }

    /// Changes the entries of the session of this name. `edit` gets the current time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TimedOut`] if another process holds the lock for longer than `patience`, and any error of the file
    /// system.
    pub fn change<T>(
        &self,
        name: &str,
        patience: Duration,
        edit: impl FnOnce(&mut Contents, Timestamp) -> T,
    ) -> io::Result<T> {
        let place = self.create_session_file(name)?;
        let lock = self.lock(patience)?;
        if matches!(self, Sessions::File(_)) && place.is_foreign() {
            return Err(io::Error::other("the file isn't a session file, and was left as it is"));
        }
        let before = place.read();
        let mut contents = before.clone().unwrap_or_default();
        // Read under the lock, so that entries written by others during the wait aren't in the future.
        let now = Timestamp::now();
        contents.expire(now);
        let result = edit(&mut contents, now);
        if before.is_none() && matches!(self, Sessions::Folder(_)) {
            self.prune();
        }
        place.replace(&mut contents)?;
        drop(lock);
        Ok(result)
    }

    /// Ends the session of this name by removing its entries. Also removes expired entries.
    ///
    /// # Errors
    ///
    /// Those of [`Sessions::change`].
    pub fn end(&self, name: &str, patience: Duration) -> io::Result<()> {
        match self {
            Sessions::Folder(folder) if folder.is_dir() => {
                // Even without the lock, approvals have to end.
                let _lock = self.lock(patience);
                let place = self.session_file(name).ok_or(ErrorKind::NotFound)?;
                let removed = place.remove();
                self.prune();
                removed
            }
            Sessions::File(file) if file.exists() => {
                self.change(name, patience, |contents, _| contents.retain_session(name, false))
            }
            _ => Ok(()),
        }
    }

    /// Ends all sessions. Returns their number.
    ///
    /// # Errors
    ///
    /// Those of [`Sessions::change`].
    pub fn clear(&self, patience: Duration) -> io::Result<usize> {
        let names = match self {
            Sessions::Folder(_) => self.session_names(),
            Sessions::File(_) => self.read_all().sessions(),
        };
        names.iter().try_for_each(|name| self.end(name, patience))?;
        Ok(names.len())
    }

    /// The names of the files, without their extension.
    fn session_names(&self) -> Vec<String> {
        match self {
            Sessions::File(_) => vec![String::new()],
            Sessions::Folder(folder) => {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                let mut names: Vec<String> = names
                    .filter(|name| !name.starts_with('.'))
                    .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
                    .collect();
                names.sort();
                names.truncate(FILES);
                names
            }
        }
    }

    fn parts(&self, name: &str) -> Option<(PathBuf, String)> {
        match self {
            Sessions::Folder(folder) => Some((folder.clone(), format!("{name}.json"))),
            Sessions::File(file) => Some((file.parent()?.to_path_buf(), file.file_name()?.to_str()?.to_owned())),
        }
    }

    /// Returns a session's file, if its folder exists.
    fn session_file(&self, name: &str) -> Option<SessionFile> {
        let (folder, file) = self.parts(name)?;
        Some(SessionFile { dir: Dir::open_ambient_dir(folder, ambient_authority()).ok()?, file })
    }

    /// Like `place`, but creates the folder if it is missing.
    fn create_session_file(&self, name: &str) -> io::Result<SessionFile> {
        let (folder, file) = self.parts(name).ok_or(ErrorKind::InvalidInput)?;
        // If the configuration names the file, its folder isn't created or checked.
        if matches!(self, Sessions::Folder(_)) || !folder.exists() {
            make_private(&folder).map_err(io::Error::other)?;
        }
        let place = SessionFile { dir: Dir::open_ambient_dir(folder, ambient_authority())?, file };
        let is_other = |data: Metadata| !data.is_file() && !data.is_symlink();
        match place.dir.symlink_metadata(&place.file).is_ok_and(is_other) {
            true => Err(io::Error::other("it isn't a regular file, and was left as it is")),
            false => Ok(place),
        }
    }

    fn lock(&self, patience: Duration) -> io::Result<FileLock> {
        let path = match self {
            Sessions::Folder(folder) => folder.join(".lock"),
            Sessions::File(file) => {
                let mut name = file.as_os_str().to_owned();
                name.push(".lock");
                name.into()
            }
        };
        FileLock::acquire(&path, Instant::now() + patience)
    }

    /// Removes files whose entries have all expired, and the oldest beyond [`FILES`].
    fn prune(&self) {
        let Sessions::Folder(folder) = self else { return };
        let written = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok().filter(|name| name != ".lock")?;
            let time = entry.metadata().and_then(|data| data.modified()).ok()?;
            Some((time, name))
        };
        let mut files: Vec<(SystemTime, String)> =
            fs::read_dir(folder).into_iter().flatten().flatten().filter_map(written).collect();
        files.sort();
        let surplus = files.len().saturating_sub(FILES);
        let life = Duration::try_from(LIFE).unwrap_or_default();
        let now = SystemTime::now();
        for (at, (time, name)) in files.iter().enumerate() {
            if at < surplus || now.duration_since(*time).is_ok_and(|age| age >= life) {
                let _ = fs::remove_file(folder.join(name));
            }
        }
    }
}

/// A file in an open folder, so that nothing outside the folder is read or written.
struct SessionFile {
    dir: Dir,
    file: String,
}

impl SessionFile {
    /// Returns whether the file isn't a session's file, so that it must not be overwritten.
    fn is_foreign(&self) -> bool {
        let Ok(bytes) = self.dir.read(&self.file) else { return false };
        let keys = ["confirmed", "pending", "ran", "asked", "told"];
        let ours = |map: Map<String, Value>| map.keys().all(|key| keys.contains(&key.as_str()));
        !bytes.trim_ascii().is_empty() && !serde_json::from_slice(&bytes).is_ok_and(ours)
    }

    /// Reads the file. `None` if it doesn't exist, isn't private, is too large, or is damaged.
    fn read(&self) -> Option<Contents> {
        let mut options = OpenOptions::new();
        // Opening a pipe must not block until its other end is opened.
        let file = self.dir.open_with(&self.file, dir::at_once(options.read(true)).ok()?).ok()?.into_std();
        if !is_private(&file.metadata().ok()?) {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() > FILE_BYTES {
            return None;
        }
        serde_json::from_slice(&bytes).ok()
    }

    /// Replaces the file, or removes it if there are no entries.
    fn replace(&self, contents: &mut Contents) -> io::Result<()> {
        if contents.is_empty() {
            return self.remove();
        }
        let mut bytes = serde_json::to_vec(contents)?;
        while bytes.len() >= FILE_BYTES && contents.drop_oldest() {
            bytes = serde_json::to_vec(contents)?;
        }
        bytes.push(b'\n');
        // A write beyond the process's file size limit raises a signal.
        if process::file_limit().is_some_and(|limit| bytes.len() as u64 >= limit) {
            return Err(io::Error::other("the file would be larger than the process may write"));
        }
        overwrite(&self.dir, Path::new(&self.file), &bytes, 0o600)
    }

    fn remove(&self) -> io::Result<()> {
        match self.dir.remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::session::{Entry, Operation};

    const PATIENCE: Duration = Duration::from_secs(20);

    fn entry(session: &str, text: &str, now: Timestamp) -> Entry {
        let operation =
            Operation { tool: "Bash".to_owned(), text: text.to_owned(), sha256: text.to_owned(), whole: true };
        Entry::new(session, &operation, "/repo", vec!["p:rule".to_owned()], now).unwrap()
    }

    fn ask(sessions: &Sessions, session: &str, text: &str) {
        sessions.change(session, PATIENCE, |contents, now| contents.ask(entry(session, text, now))).unwrap();
    }

    fn both(state: &Path) -> [Sessions; 2] {
        [Sessions::in_state(state), Sessions::File(state.join("seed/guardrail-session.json"))]
    }

    #[test]
    fn s2_10_each_session_has_its_own_and_ends_alone() {
        let state = tempfile::tempdir().unwrap();
        for sessions in both(state.path()) {
            ask(&sessions, "s1", "a");
            ask(&sessions, "s2", "b");
            let texts = |name: &str| {
                sessions.read_session(name).pending.into_iter().map(|entry| entry.operation).collect::<Vec<_>>()
            };
            assert_eq!((texts("s1"), texts("s2"), texts("s3")), (vec!["a".into()], vec!["b".into()], vec![]));
            assert_eq!(sessions.read_all().pending.len(), 2);
            sessions.end("s1", PATIENCE).unwrap();
            sessions.end("never", PATIENCE).unwrap();
            assert_eq!((texts("s1").len(), texts("s2").len()), (0, 1));
            sessions.end("s2", PATIENCE).unwrap();
            assert!(sessions.read_all().is_empty());
        }
        assert!(!state.path().join("sessions/s1.json").exists());
        assert!(!state.path().join("seed/guardrail-session.json").exists());
    }

    #[test]
    fn s2_56_the_file_has_the_keys_of_the_seed_and_belongs_to_its_user() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::in_state(&state.path().join("deep"));
        ask(&sessions, "s1", "rm x");
        let code = sessions.read_all().pending[0].code.clone();
        sessions.change("s1", PATIENCE, |contents, now| contents.confirm(&code, now)).unwrap();
        let file = state.path().join("deep/sessions/s1.json");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(r#"{"confirmed":[{"tool":"Bash","operation":"rm x","ts":""#), "{text}");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&state.path().join("deep/sessions"))), (0o600, 0o700));
    }

    #[test]
    fn s2_56_a_file_that_cannot_be_believed_holds_nothing_and_is_replaced() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::in_state(state.path());
        let file = state.path().join("sessions/s1.json");
        ask(&sessions, "s1", "a");
        let sound = fs::read(&file).unwrap();
        let set_mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        for damage in [b"{oops".to_vec(), b"[]".to_vec(), Vec::new(), vec![0xff; 10], vec![b' '; FILE_BYTES + 1]] {
            fs::write(&file, damage).unwrap();
            assert!(sessions.read_session("s1").is_empty());
        }
        assert_eq!(sessions.unusable(), std::slice::from_ref(&file));
        fs::write(&file, &sound).unwrap();
        assert!(sessions.unusable().is_empty());
        set_mode(0o666);
        assert!(sessions.read_session("s1").is_empty(), "others can write to it");
        set_mode(0o600);
        assert!(!sessions.read_session("s1").is_empty());
        fs::write(state.path().join("elsewhere"), &sound).unwrap();
        fs::remove_file(&file).unwrap();
        symlink("../elsewhere", &file).unwrap();
        assert!(sessions.read_session("s1").is_empty(), "a link that leads out of the folder");
        ask(&sessions, "s1", "b");
        assert!(fs::symlink_metadata(&file).unwrap().is_file());
        assert_eq!(fs::read(state.path().join("elsewhere")).unwrap(), sound);
    }

    #[test]
    fn the_file_of_another_session_is_not_its_own() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::in_state(state.path());
        ask(&sessions, "s1", "a");
        fs::copy(state.path().join("sessions/s1.json"), state.path().join("sessions/s2.json")).unwrap();
        assert!(sessions.read_session("s2").is_empty());
    }

    #[test]
    fn an_id_that_is_no_name_is_named_by_its_digest() {
        assert_eq!(Sessions::name("0b7c-a_1"), "0b7c-a_1");
        // No session id can give this name.
        assert_eq!(Sessions::name(""), WITHOUT_ID);
        assert_ne!(Sessions::name(WITHOUT_ID), WITHOUT_ID);
        for id in ["../x", "S1", "a.b", "a/b", "a\0", &"x".repeat(101)] {
            let name = Sessions::name(id);
            assert!(name.starts_with("sha256.") && name.len() == 71, "{id}: {name}");
        }
    }

    #[test]
    fn folders_and_files_are_bounded() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::in_state(state.path());
        for number in 0..FILES + 20 {
            ask(&sessions, &format!("s{number}"), "a");
        }
        let count = || fs::read_dir(state.path().join("sessions")).unwrap().count();
        assert!(count() <= FILES + 2, "{}", count());
        let old = state.path().join("sessions/.s1.json.0011");
        fs::write(&old, "").unwrap();
        let day = Duration::from_secs(25 * 3600);
        fs::File::options().write(true).open(&old).unwrap().set_modified(SystemTime::now() - day).unwrap();
        sessions.end("s9", PATIENCE).unwrap();
        assert!(!old.exists());
        let long = "\u{1}".repeat(2000);
        for number in 0..64 {
            ask(&sessions, "large", &format!("{long}{number}"));
        }
        let size = fs::metadata(state.path().join("sessions/large.json")).unwrap().len();
        assert!(size <= FILE_BYTES as u64, "{size}");
        assert!(!sessions.read_session("large").is_empty());
    }

    #[test]
    fn s2_56_twenty_confirmations_at_once_lose_none() {
        let state = tempfile::tempdir().unwrap();
        for sessions in both(state.path()) {
            (0..20).for_each(|number| ask(&sessions, "s1", &format!("n{number}")));
            let codes: Vec<String> = sessions.read_all().pending.into_iter().map(|entry| entry.code).collect();
            std::thread::scope(|scope| {
                for code in &codes {
                    let sessions = &sessions;
                    scope.spawn(move || {
                        let approval = sessions.change("s1", PATIENCE, |contents, now| contents.confirm(code, now));
                        assert!(approval.unwrap().is_some());
                    });
                }
            });
            assert_eq!(sessions.read_all().confirmed.len(), 20);
        }
    }
}
