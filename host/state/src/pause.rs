//! [`Pause`]: a person's word that policies stop nothing for a while. It ends by itself.
//!
//! Format: a sealed file of JSON, `{"until": "2027-01-31T12:00:00.000Z", "only": [], "denies": false}`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::session::stamp;
use crate::{Seal, make_private};

/// Raised whenever the shape of the file changes.
const PURPOSE: &str = "pause 2";

/// The longest pause.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// A pause that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// When it ends, in UTC.
    pub until: String,
    /// The policies that it is about; `None`: all that may be paused.
    pub only: Vec<String>,
    /// It lifts denies, too, and not asks alone.
    pub denies: bool,
}

impl Pause {
    /// The pause of a state folder. `None` if there is none, if it has ended, or if nobody here sealed it.
    #[must_use]
    pub fn load(state: &Path, now: Timestamp) -> Option<Self> {
        let file = file(state);
        // Only a file asks for the key, which would be made otherwise.
        fs::symlink_metadata(&file).ok()?;
        let pause: Pause = Seal::open(state).ok()?.read(PURPOSE, &file)?;
        pause.left(now).map(|_| pause)
    }

    /// Pauses for this long, at most [`LONGEST`]. A pause that was there ends.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn begin(
        state: &Path,
        now: Timestamp,
        length: SignedDuration,
        only: Vec<String>,
        denies: bool,
    ) -> io::Result<Self> {
        let until = now.checked_add(length.min(LONGEST)).map_err(io::Error::other)?;
        let pause = Pause { until: stamp(until), only, denies };
        make_private(state).map_err(io::Error::other)?;
        Seal::open(state).map_err(io::Error::other)?.write(PURPOSE, &file(state), &pause)?;
        Ok(pause)
    }

    /// Ends the pause. False if there was no file of one.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn end(state: &Path) -> io::Result<bool> {
        match fs::remove_file(file(state)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How long it still lasts; `None` if it has ended. One that would last longer than [`LONGEST`] was written under
    /// another clock, and counts as ended.
    #[must_use]
    pub fn left(&self, now: Timestamp) -> Option<SignedDuration> {
        let left = self.until.parse::<Timestamp>().ok()?.duration_since(now);
        (left.is_positive() && left <= LONGEST).then_some(left)
    }

    /// It is about the policy of this name.
    #[must_use]
    pub fn names(&self, policy: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == policy)
    }
}

fn file(state: &Path) -> PathBuf {
    state.join("pause.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_by_itself_and_under_another_clock() {
        let state = tempfile::tempdir().unwrap();
        let now: Timestamp = "2026-01-10T12:00:00Z".parse().unwrap();
        let after = |minutes| now.checked_add(SignedDuration::from_mins(minutes)).unwrap();
        assert_eq!(Pause::load(state.path(), now), None);
        assert!(!Pause::end(state.path()).unwrap());
        let pause =
            Pause::begin(state.path(), now, SignedDuration::from_mins(10), vec!["a".to_owned()], false).unwrap();
        assert_eq!(Pause::load(state.path(), after(9)), Some(pause.clone()));
        assert_eq!((pause.names("a"), pause.names("b")), (true, false));
        assert_eq!(Pause::load(state.path(), after(10)), None);
        assert_eq!(Pause::load(state.path(), after(-24 * 60)), None);
        assert!(Pause::end(state.path()).unwrap());
        assert_eq!(Pause::load(state.path(), after(9)), None);
    }

    #[test]
    fn what_nobody_here_sealed_pauses_nothing() {
        let state = tempfile::tempdir().unwrap();
        let now = Timestamp::now();
        let pause = Pause::begin(state.path(), now, LONGEST, Vec::new(), false).unwrap();
        let text = serde_json::to_string(&pause).unwrap();
        fs::write(file(state.path()), &text).unwrap();
        assert_eq!(Pause::load(state.path(), now), None);
        fs::write(file(state.path()), format!("{}\n{text}", "0".repeat(64))).unwrap();
        assert_eq!(Pause::load(state.path(), now), None);
    }

    #[test]
    fn no_pause_is_longer_than_the_longest() {
        let state = tempfile::tempdir().unwrap();
        let now = Timestamp::now();
        let pause = Pause::begin(state.path(), now, SignedDuration::from_hours(90), Vec::new(), false).unwrap();
        assert!(pause.left(now).unwrap() <= LONGEST);
    }
}
