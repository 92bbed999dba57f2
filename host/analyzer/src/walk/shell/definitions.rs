//! A shell's functions and aliases, and the state that other processes get.

use std::rc::Rc;

use guard_sdk::syntax::Word;

use super::{HOME, IFS, Shell};
use crate::limits;

/// Variables in the environment of every shell.
const ENVIRONMENT: &[&str] = &[HOME, "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL"];

impl Shell {
    /// Exports the variable from now on.
    pub(crate) fn export(&mut self, name: &str) {
        if self.exported.len() < limits::VARIABLES {
            Rc::make_mut(&mut self.exported).insert(name.into());
        }
    }

    /// Applies `set -a`: exports all variables that are assigned from now on.
    pub(crate) fn export_all(&mut self) {
        self.exports_all = true;
    }

    /// Reduces the state to what a process started by this shell gets, if all variables are exported. A shell never
    /// inherits its field separators.
    pub(crate) fn enter_process(&mut self) {
        self.remove(IFS);
        self.parameters = None;
    }

    /// Forgets all variables that the text doesn't export. Another process has none of them, unless they were in the
    /// environment before.
    pub(crate) fn forget_own(&mut self) {
        let exported = &self.exported;
        Rc::make_mut(&mut self.variables).retain(|name, _| ENVIRONMENT.contains(&&**name) || exported.contains(name));
    }

    /// Returns whether the text uses a variable that another process may lack.
    pub(crate) fn may_lack(&self, text: &str) -> bool {
        let is_own = |name: &str| {
            self.variables.contains_key(name) && !ENVIRONMENT.contains(&name) && !self.exported.contains(name)
        };
        text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').any(is_own)
    }

    /// Records a function's text.
    pub(crate) fn define(&mut self, name: &str, text: &str) {
        if self.functions.len() < limits::VARIABLES && text.len() <= limits::VALUE {
            Rc::make_mut(&mut self.functions).insert(name.into(), text.into());
        } else {
            limits::reached("too many functions, or too long ones, to follow");
            Rc::make_mut(&mut self.functions).remove(name);
        }
    }

    /// Returns a function's text, if it is known.
    pub(crate) fn function(&self, name: &str) -> Option<Rc<str>> {
        self.functions.get(name).cloned()
    }

    /// Records an alias's value.
    pub(crate) fn alias(&mut self, name: &str, text: &Rc<Word>) {
        let texts = self.aliases.get(name).map_or(0, Vec::len);
        if self.aliases.len() >= limits::VARIABLES || texts >= limits::ALIASES || text.text.len() > limits::VALUE {
            return limits::reached("too many aliases, or too long ones, to follow");
        }
        if !self.aliased(name).contains(text) {
            Rc::make_mut(&mut self.aliases).entry(name.into()).or_default().push(Rc::clone(text));
        }
    }

    /// Returns the current and earlier values of an alias.
    pub(crate) fn aliased(&self, name: &str) -> &[Rc<Word>] {
        self.aliases.get(name).map_or(&[], Vec::as_slice)
    }
}
