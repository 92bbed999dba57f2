//! [`Pause`]: a period in which policies are evaluated but not enforced. It expires on its own.
//!
//! Format: a sealed file of JSON, `{"until": "2027-01-31T12:00:00.000Z", "only": [], "denies": false}`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::session::stamp;
use crate::{Seal, make_private};

/// Incremented whenever the file's format changes.
const PURPOSE: &str = "pause 2";

/// The maximum length of a pause.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// A pause in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// The end, in UTC.
    pub until: String,
    /// The paused policies. If empty, all policies that can be paused.
    pub only: Vec<String>,
    /// Whether denies are lifted too, not only asks.
    pub denies: bool,
}

impl Pause {
    /// Reads the pause of a state folder. `None` if nothing is paused, if it has expired, or if its seal is wrong.
    #[must_use]
    pub fn load(state: &Path, now: Timestamp) -> Option<Self> {
        let file = file(state);
        // Opening the seal would create a key, so it is only opened if there is a file.
        fs::symlink_metadata(&file).ok()?;
        let pause: Pause = Seal::open(state).ok()?.read(PURPOSE, &file)?;
        pause.remaining(now).map(|_| pause)
    }

    /// Begins a pause of this length, at most [`LONGEST`]. Replaces an earlier one.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
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

    /// Ends the pause. Returns false if there was none.
    ///
    /// # Errors
    ///
    /// Any error of the file system.
    pub fn end(state: &Path) -> io::Result<bool> {
        match fs::remove_file(file(state)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The remaining time, or `None` if the pause has expired. A pause that would last longer than [`LONGEST`] was
    /// written under another clock, and is treated as expired.
    #[must_use]
    pub fn remaining(&self, now: Timestamp) -> Option<SignedDuration> {
        let left = self.until.parse::<Timestamp>().ok()?.duration_since(now);
        (left.is_positive() && left <= LONGEST).then_some(left)
    }

    /// Returns whether the policy of this name is paused.
    #[must_use]
    pub fn pauses(&self, policy: &str) -> bool {
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
        assert_eq!((pause.pauses("a"), pause.pauses("b")), (true, false));
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
        assert!(pause.remaining(now).unwrap() <= LONGEST);
    }
}
