//! Functions and aliases of a shell, and what other processes are given of it.

use std::rc::Rc;

use guard_sdk::syntax::Word;

use super::{HOME, IFS, Shell};
use crate::limits;

/// Variables that the environment of every shell has.
const ENVIRONMENT: &[&str] = &[HOME, "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL"];

impl Shell {
    /// Other processes are given the variable from now on.
    pub(crate) fn export(&mut self, name: &str) {
        if self.exported.len() < limits::VARIABLES {
            Rc::make_mut(&mut self.exported).insert(name.into());
        }
    }

    /// `set -a`: so are all that are assigned from now on.
    pub(crate) fn export_all(&mut self) {
        self.exports_all = true;
    }

    /// Reduces the state to the knowledge of another process that this shell starts, if all variables are exported. A
    /// shell never inherits its separators.
    pub(crate) fn enter_process(&mut self) {
        self.remove(IFS);
        self.parameters = None;
    }

    /// Nothing is known of the variables that are not seen to be exported: another process has none of them, unless the
    /// environment had them all along.
    pub(crate) fn forget_own(&mut self) {
        let exported = &self.exported;
        Rc::make_mut(&mut self.variables).retain(|name, _| ENVIRONMENT.contains(&&**name) || exported.contains(name));
    }

    /// Whether the text names a variable that another process may lack.
    pub(crate) fn may_lack(&self, text: &str) -> bool {
        let is_own = |name: &str| {
            self.variables.contains_key(name) && !ENVIRONMENT.contains(&name) && !self.exported.contains(name)
        };
        text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').any(is_own)
    }

    /// Keeps the text of a function.
    pub(crate) fn define(&mut self, name: &str, text: &str) {
        if self.functions.len() < limits::VARIABLES && text.len() <= limits::VALUE {
            Rc::make_mut(&mut self.functions).insert(name.into(), text.into());
        } else {
            limits::reached("too many functions, or too long ones, to follow");
            Rc::make_mut(&mut self.functions).remove(name);
        }
    }

    /// The text of a function, if it is known.
    pub(crate) fn function(&self, name: &str) -> Option<Rc<str>> {
        self.functions.get(name).cloned()
    }

    /// Keeps a text of an alias.
    pub(crate) fn alias(&mut self, name: &str, text: &Rc<Word>) {
        let texts = self.aliases.get(name).map_or(0, Vec::len);
        if self.aliases.len() >= limits::VARIABLES || texts >= limits::ALIASES || text.text.len() > limits::VALUE {
            return limits::reached("too many aliases, or too long ones, to follow");
        }
        if !self.aliased(name).contains(text) {
            Rc::make_mut(&mut self.aliases).entry(name.into()).or_default().push(Rc::clone(text));
        }
    }

    /// The texts that an alias has, or had.
    pub(crate) fn aliased(&self, name: &str) -> &[Rc<Word>] {
        self.aliases.get(name).map_or(&[], Vec::as_slice)
    }
}
