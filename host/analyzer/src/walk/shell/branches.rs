//! The known state of a shell after branches of which one ran.

use std::collections::BTreeSet;
use std::rc::Rc;

use guard_sdk::syntax::Word;

use super::{HOME, IFS, Shell, Value};
use crate::word::expand::Values as _;

impl Shell {
    /// Keeps only the state that is the same in `other`, the alternative branch's end.
    pub(crate) fn meet(&mut self, other: &Shell) {
        if self.cwd != other.cwd {
            self.cwd.clear();
        }
        if self.previous != other.previous {
            self.previous.clear();
        }
        if self.parameters != other.parameters {
            self.parameters = None;
        }
        let odd = self.separators() != other.separators();
        let is_moved = self.variables.get(HOME) != other.variables.get(HOME);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            Rc::make_mut(&mut self.variables).retain(|name, value| other.variables.get(name) == Some(value));
        }
        if !Rc::ptr_eq(&self.exported, &other.exported) {
            Rc::make_mut(&mut self.exported).retain(|name| other.exported.contains(name));
        }
        self.exports_all &= other.exports_all;
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            self.meet_functions(other);
        }
        if !Rc::ptr_eq(&self.aliases, &other.aliases) {
            for (name, texts) in &*other.aliases {
                texts.iter().for_each(|text| self.alias(name, text));
            }
        }
        if odd {
            self.forget(IFS);
        }
        if is_moved {
            self.forget(HOME);
        }
    }

    /// Functions that only one branch defines may be called after it.
    fn meet_functions(&mut self, other: &Shell) {
        let own = Rc::make_mut(&mut self.functions);
        let before: BTreeSet<Rc<str>> = own.keys().cloned().collect();
        own.retain(|name, text| other.functions.get(name).is_none_or(|other| other == text));
        for (name, text) in other.functions.iter().filter(|(name, _)| !before.contains(*name)) {
            own.insert(Rc::clone(name), Rc::clone(text));
        }
    }

    /// Returns the values with several words, and the hidden files in the home, that only this shell knows and not
    /// `other`. One of them may apply at run time.
    pub(crate) fn besides(&self, other: &Shell) -> Vec<(Rc<str>, Rc<Word>)> {
        let is_worth = |word: &Word| word.text.contains(' ') || self.is_hidden_file(&word.text);
        let differs = |(name, value): (&Rc<str>, &Value)| match value {
            Value::Scalar(word) if is_worth(word) && other.variables.get(name) != Some(value) => {
                Some((Rc::clone(name), Rc::clone(word)))
            }
            _ => None,
        };
        match Rc::ptr_eq(&self.variables, &other.variables) {
            true => Vec::new(),
            false => self.variables.iter().filter_map(differs).collect(),
        }
    }

    /// Returns whether a path is a hidden file directly in the home, which shells and tools load at startup.
    pub(crate) fn is_hidden_file(&self, path: &str) -> bool {
        let home = self.home_text().unwrap_or_default();
        let below = path
            .strip_prefix(home.as_str())
            .or_else(|| path.strip_prefix('~'))
            .and_then(|rest| rest.strip_prefix("/."));
        below.is_some_and(|name| !name.is_empty() && !name.contains(['/', ' ', '*', '$']))
    }
}
