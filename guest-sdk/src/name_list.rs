//! A list of names in one message: the first ones, and the number of others.
//!
//! ```
//! use guard_sdk::NameList;
//!
//! let names: NameList = ["`dist`", "`build`", "`target`", "`build`"].into_iter().collect();
//! assert_eq!(names.to_string(), "`dist`, `build` and `target`");
//! ```

use std::collections::BTreeSet;
use std::fmt;

/// The number of names in a message. The others are only counted.
const SHOWN: usize = 4;

/// From this count on, the message says "many".
const MANY: usize = 50;

/// Distinct names in the order of their addition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameList {
    shown: Vec<String>,
    all: BTreeSet<String>,
}

impl NameList {
    /// Adds a name, unless it is present.
    pub fn add(&mut self, name: String) {
        if self.all.contains(&name) {
            return;
        }
        if self.shown.len() < SHOWN {
            self.shown.push(name.clone());
        }
        self.all.insert(name);
    }

    /// Adds the names of another list.
    pub fn extend(&mut self, other: &NameList) {
        other.shown.iter().chain(&other.all).for_each(|name| self.add(name.clone()));
    }

    /// Returns whether there is more than one name.
    #[must_use]
    pub fn is_several(&self) -> bool {
        self.all.len() > 1
    }

    /// Returns whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
}

impl<T: Into<String>> FromIterator<T> for NameList {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut list = NameList::default();
        names.into_iter().for_each(|name| list.add(name.into()));
        list
    }
}

impl fmt::Display for NameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = self.all.len().saturating_sub(self.shown.len());
        let last = if more == 0 { self.shown.len().saturating_sub(1) } else { self.shown.len() };
        let (before, end) = self.shown.split_at_checked(last).unwrap_or_default();
        f.write_str(&before.join(", "))?;
        match (end.first(), more) {
            (Some(end), _) if before.is_empty() => f.write_str(end),
            (Some(end), _) => write!(f, " and {end}"),
            (None, 0) => Ok(()),
            (None, more) if more >= MANY => f.write_str(" and many more"),
            (None, more) => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_clause_and_is_cut() {
        for (names, expected) in [
            (&[] as &[&str], ""),
            (&["a"], "a"),
            (&["a", "b"], "a and b"),
            (&["a", "b", "a", "c"], "a, b and c"),
            (&["a", "b", "c", "d"], "a, b, c and d"),
            (&["a", "b", "c", "d", "e", "f", "e"], "a, b, c, d and 2 more"),
        ] {
            assert_eq!(names.iter().copied().collect::<NameList>().to_string(), expected);
        }
        let many: NameList = (0..200).map(|at| at.to_string()).collect();
        assert_eq!(many.to_string(), "0, 1, 2, 3 and many more");
    }
}
