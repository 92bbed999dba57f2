//! What a text fixes about the shell that runs it: its directory and the values of some variables.
//!
//! Follows straight lines only. What may or may not have happened is unknown afterwards.

use std::collections::BTreeMap;

use guard_sdk::syntax::Word;

use crate::limits;
use crate::word::expand::Values;

/// The state of one shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shell {
    /// Absolute, or empty when it is not known.
    pub(crate) cwd: String,
    /// What `cd -` goes to.
    previous: String,
    home: String,
    variables: BTreeMap<String, String>,
    parameters: Option<Vec<String>>,
    /// `IFS` was set, so that nothing is known of splitting.
    odd_fields: bool,
}

impl Values for Shell {
    fn value(&self, name: &str) -> Option<&str> {
        if self.odd_fields {
            return None;
        }
        if let Some(value) = self.variables.get(name) {
            return Some(value);
        }
        if let Some(index) = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
            return self.parameters.as_ref()?.get(index).map(String::as_str);
        }
        (name == "PWD" && !self.cwd.is_empty()).then_some(self.cwd.as_str())
    }

    fn parameters(&self) -> Option<&[String]> {
        self.parameters.as_deref()
    }
}

impl Shell {
    pub(crate) fn new(cwd: &str, home: &str) -> Self {
        Shell {
            cwd: cwd.to_owned(),
            previous: String::new(),
            home: home.to_owned(),
            variables: BTreeMap::new(),
            parameters: None,
            odd_fields: false,
        }
    }

    /// Sets the parameters `$1`, `$2`, ... of a new shell.
    pub(crate) fn set_parameters(&mut self, words: &[Word]) {
        let plain = words.iter().all(|word| !word.dynamic && !word.glob);
        self.parameters = plain.then(|| words.iter().map(|word| word.text.clone()).collect());
    }

    /// The parameters are not known any more.
    pub(crate) fn forget_parameters(&mut self) {
        self.parameters = None;
    }

    /// Assigns a word to a variable. `append` for `+=`.
    pub(crate) fn assign(&mut self, name: &str, word: &Word, append: bool) {
        if name == "IFS" {
            self.odd_fields = true;
        }
        let value = self.plain(word).filter(|value| value.len() <= limits::VALUE);
        let value = match (value, append) {
            (Some(value), false) => Some(value),
            (Some(value), true) => self.variables.get(name).map(|before| format!("{before}{value}")),
            (None, _) => None,
        };
        match value.filter(|value| value.len() <= limits::VALUE) {
            Some(value) if self.variables.len() < limits::VARIABLES || self.variables.contains_key(name) => {
                self.variables.insert(name.to_owned(), value);
            }
            _ => self.forget(name),
        }
    }

    /// The value of this variable is not known any more.
    pub(crate) fn forget(&mut self, name: &str) {
        self.variables.remove(name);
    }

    /// Nothing is known of variables any more.
    pub(crate) fn forget_all(&mut self) {
        self.variables.clear();
        self.parameters = None;
    }

    /// Forgets the variables that `body`, which may run again, could set: those that it names without a `$`.
    pub(crate) fn forget_named_in(&mut self, body: &str) {
        let names = |name: &str| {
            body.match_indices(name).any(|(at, _)| {
                let before = body.get(..at).and_then(|head| head.chars().next_back());
                let after = body.get(at + name.len()..).and_then(|tail| tail.chars().next());
                let joins = |char: Option<char>| char.is_some_and(|char| char.is_ascii_alphanumeric() || char == '_');
                !joins(before) && !joins(after) && !matches!(before, Some('$' | '{'))
            })
        };
        self.variables.retain(|name, _| !names(name));
    }

    /// Keeps only what is the same in `other`, which may have been reached instead.
    pub(crate) fn meet(&mut self, other: &Shell) {
        if self.cwd != other.cwd {
            self.cwd.clear();
        }
        if self.previous != other.previous {
            self.previous.clear();
        }
        self.odd_fields |= other.odd_fields;
        self.variables.retain(|name, value| other.variables.get(name) == Some(value));
    }

    /// The text of a word, with a leading home made absolute; `None` if a part of it is not known.
    pub(crate) fn plain(&self, word: &Word) -> Option<String> {
        let mut text = String::new();
        for (index, part) in word.parts.iter().enumerate() {
            match part.kind.as_str() {
                "literal" | "glob" => text.push_str(&part.text),
                "tilde" if index == 0 && part.text == "~" && !self.home.is_empty() => text.push_str(&self.home),
                "variable" if part.text == "HOME" && !self.home.is_empty() => text.push_str(&self.home),
                _ => return None,
            }
        }
        Some(text)
    }

    /// `cd` with these operands.
    pub(crate) fn change_directory(&mut self, operands: &[Word]) {
        let operands: Vec<&Word> =
            operands.iter().filter(|word| !matches!(word.text.as_str(), "-L" | "-P" | "-e" | "-@" | "--")).collect();
        let target = match operands.as_slice() {
            [] => Some(self.home.clone()),
            [word] if word.text == "-" => Some(self.previous.clone()),
            [word] => self.plain(word).and_then(|path| resolve(&self.cwd, &path)),
            _ => None,
        };
        self.previous = std::mem::replace(&mut self.cwd, target.unwrap_or_default());
    }

    /// The directory is not known any more.
    pub(crate) fn lose_directory(&mut self) {
        self.cwd.clear();
    }
}

/// `path` made absolute against `cwd` and freed of `.` and `..`, by text alone.
pub(crate) fn resolve(cwd: &str, path: &str) -> Option<String> {
    if !path.starts_with('/') && (cwd.is_empty() || path.is_empty()) {
        return None;
    }
    let base = if path.starts_with('/') { "" } else { cwd };
    let mut steps: Vec<&str> = Vec::new();
    for step in base.split('/').chain(path.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    Some(format!("/{}", steps.join("/")))
}
