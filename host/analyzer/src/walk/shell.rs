//! The known state of a shell: its directory and the values of some variables.
//!
//! Only straight lines are followed. After a step that may not have run, the state is unknown.

mod arrays;
mod branches;
mod definitions;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use guard_sdk::syntax::{Part, Word};

use crate::limits;
use crate::view::View;
use crate::word::expand::parameter;
use crate::word::expand::{Home, Values, literal};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Scalar(Rc<Word>),
    /// Subscripts and elements, in order.
    Array(Rc<Vec<(String, Word)>>),
    /// The name of another variable, from `declare -n`.
    Reference(Rc<str>),
}

/// The maximum number of names through which a reference is followed.
const HANDS: usize = 8;

/// The variable that `~` expands to.
const HOME: &str = "HOME";

/// The variable with the field separators.
const IFS: &str = "IFS";

/// Returns whether an operand expands to exactly one word. `$x` and `"$@"` may expand to none or several. `{}` is one
/// word.
fn is_one(word: &Word) -> bool {
    !word.dynamic || word.text.contains("{}") || word.quoted && !word.text.contains(['@', '*'])
}

/// The state of one shell. Copies share their tables until one of them changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shell {
    /// Absolute, or empty if unknown.
    pub(crate) cwd: String,
    /// The file system, if it isn't just this machine's.
    pub(crate) view: Option<Rc<View>>,
    /// The target of `cd -`.
    previous: String,
    home: Rc<str>,
    variables: Rc<BTreeMap<Rc<str>, Value>>,
    /// The exported variables, besides those in [`ENVIRONMENT`].
    exported: Rc<BTreeSet<Rc<str>>>,
    /// Whether all assigned variables are exported.
    exports_all: bool,
    /// The variables whose values the shell changes at each assignment, with the letter of the attribute.
    attributes: Rc<BTreeMap<Rc<str>, char>>,
    /// Whether the last command of a pipeline runs in this shell.
    pub(crate) runs_last: bool,
    parameters: Option<Rc<[Word]>>,
    /// The bodies of functions that the text defines.
    functions: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// The values of aliases that the text defines, the latest last. A line is parsed before it runs, so an alias that
    /// is redefined or removed on it may still have its old value.
    aliases: Rc<BTreeMap<Rc<str>, Vec<Rc<Word>>>>,
}

impl Values for Shell {
    fn value(&self, name: &str) -> Option<Cow<'_, Word>> {
        match self.variables.get(name) {
            Some(Value::Scalar(word)) => return Some(Cow::Borrowed(word)),
            Some(Value::Array(elements)) => return Some(Cow::Borrowed(&elements.first()?.1)),
            Some(Value::Reference(other)) => {
                return match self.variables.get(self.referred(other))? {
                    Value::Scalar(word) => Some(Cow::Borrowed(word)),
                    _ => None,
                };
            }
            None => {}
        }
        if let Some(index) = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
            let parameters = self.parameters.as_ref()?;
            // After a word that may expand to none or several, the positions are unknown.
            let known = parameters.iter().take(index + 1).all(is_one);
            return known.then(|| parameters.get(index).map_or_else(|| Cow::Owned(literal("")), Cow::Borrowed));
        }
        (name == "PWD" && !self.cwd.is_empty()).then(|| Cow::Owned(literal(&self.cwd)))
    }

    fn elements(&self, name: &str) -> Option<Vec<&Word>> {
        if name == "@" {
            return self.parameters.as_ref().map(|words| words.iter().collect());
        }
        match self.variables.get(self.referred(name))? {
            Value::Array(elements) => Some(elements.iter().map(|(_, word)| word).collect()),
            Value::Scalar(word) => Some(vec![&**word]),
            Value::Reference(_) => None,
        }
    }

    fn element(&self, name: &str, subscript: &str) -> Option<&Word> {
        match self.variables.get(self.referred(name))? {
            Value::Array(elements) => {
                elements.iter().find(|(known, _)| known == subscript.trim_matches(['"', '\''])).map(|(_, word)| word)
            }
            Value::Scalar(word) => (subscript == "0").then_some(&**word),
            Value::Reference(_) => None,
        }
    }

    fn subscripts(&self, name: &str) -> Option<Vec<&str>> {
        match self.variables.get(self.referred(name))? {
            Value::Array(elements) => Some(elements.iter().map(|(subscript, _)| subscript.as_str()).collect()),
            Value::Scalar(_) => Some(vec!["0"]),
            Value::Reference(_) => None,
        }
    }

    fn separators(&self) -> Option<&str> {
        match self.variables.get(IFS) {
            Some(Value::Scalar(word)) => (!word.dynamic).then_some(word.text.as_str()),
            Some(_) => None,
            None => Some(" \t\n"),
        }
    }

    fn home(&self) -> Home<'_> {
        match self.variables.get(HOME) {
            None => Home::Usual,
            Some(Value::Scalar(word)) if !word.dynamic => Home::Is(word),
            Some(_) => Home::Unknown,
        }
    }
}

impl Shell {
    pub(crate) fn new(cwd: &str, home: &str) -> Self {
        Shell {
            cwd: cwd.to_owned(),
            view: None,
            previous: String::new(),
            home: home.into(),
            variables: Rc::default(),
            exported: Rc::default(),
            exports_all: false,
            attributes: Rc::default(),
            runs_last: false,
            parameters: None,
            functions: Rc::default(),
            aliases: Rc::default(),
        }
    }

    /// Returns the names of the variables that the text sets.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.variables.keys().map(|name| name.to_string()).collect()
    }

    /// Sets the parameters `$1`, `$2`, ...
    pub(crate) fn set_parameters(&mut self, words: &[Word]) {
        // A tilde is the home here, but not in a quoted `$1`. The home is one word.
        let is_home = |part: &Part| part.kind == "tilde" || part.kind == "variable" && part.text == HOME;
        let at_home = |word: &Word| word.parts.first().is_some_and(is_home);
        let expanded = |word: &Word| {
            self.plain(word).filter(|_| at_home(word)).map_or_else(|| word.clone(), |text| literal(&text))
        };
        self.parameters = (words.len() <= limits::ELEMENTS).then(|| words.iter().map(expanded).collect());
        if self.parameters.is_none() {
            limits::reached("too many parameters to follow");
        }
    }

    /// Returns whether the shell has parameters.
    pub(crate) fn has_parameters(&self) -> bool {
        self.parameters.as_ref().is_some_and(|words| !words.is_empty())
    }

    /// Removes the parameters, to be restored later.
    pub(crate) fn take_parameters(&mut self) -> Option<Rc<[Word]>> {
        self.parameters.take()
    }

    /// Restores the parameters from [`Shell::take_parameters`].
    pub(crate) fn restore_parameters(&mut self, parameters: Option<Rc<[Word]>>) {
        self.parameters = parameters;
    }

    /// Applies `shift`, with a number if it is known.
    pub(crate) fn shift(&mut self, by: Option<usize>) {
        let words = self.parameters.take();
        let left = |(words, by): (Rc<[Word]>, usize)| {
            words.get(..by).filter(|taken| taken.iter().all(is_one))?;
            words.get(by..).map(Into::into)
        };
        self.parameters = words.zip(by).and_then(left);
    }

    /// Assigns a word to a variable. `append` is for `+=`.
    pub(crate) fn assign(&mut self, name: &str, word: &Word, append: bool) {
        let name = &*self.referred(name).to_owned();
        let word = match self.plain(word) {
            Some(text) => literal(&text),
            None => word.clone(),
        };
        let word = match (append, self.value(name)) {
            (false, _) => Some(word),
            (true, Some(before)) if !matches!(self.variables.get(name), Some(Value::Array(_))) => {
                Some(concatenated(&before, &word))
            }
            (true, _) => None,
        };
        // A value without literal text is unknown.
        let told =
            |part: &Part| part.kind == "literal" || part.kind == "variable" && parameter::default(&part.text).is_some();
        let worth = |word: &Word| !word.dynamic || word.parts.iter().any(told);
        // Unknown separators are recorded, because the usual ones no longer apply.
        let kept = word.filter(|word| (name == IFS || worth(word)) && fits(word) && self.keeps_text(name, word));
        match kept {
            Some(word) => self.set(name, Value::Scalar(Rc::new(word))),
            None => self.forget(name),
        }
    }

    /// Applies `declare -l NAME` and similar attributes.
    pub(crate) fn set_attribute(&mut self, name: &str, letter: char) {
        Rc::make_mut(&mut self.attributes).insert(name.into(), letter);
        if self.value(name).is_some_and(|word| !self.keeps_text(name, &word)) {
            self.forget(name);
        }
    }

    /// Returns whether the variable's attribute leaves this value as it is.
    fn keeps_text(&self, name: &str, word: &Word) -> bool {
        let is_all = |fits: fn(char) -> bool| !word.dynamic && word.text.chars().all(fits);
        match self.attributes.get(name) {
            None => true,
            Some('i') => is_all(|char| char.is_ascii_digit()) && !word.text.starts_with('0'),
            Some('l') => is_all(|char| !char.is_uppercase()),
            Some('u') => is_all(|char| !char.is_lowercase()),
            Some(_) => is_all(|char| !char.is_alphabetic()),
        }
    }

    /// Assigns the files that a pattern selects to a loop variable. Quotes around the variable don't matter, because
    /// the pattern was expanded before.
    pub(crate) fn assign_selected(&mut self, name: &str, pattern: &Word) {
        if fits(pattern) {
            self.set(name, Value::Scalar(Rc::new(pattern.clone())));
        } else {
            self.forget(name);
        }
    }

    /// Applies `declare -n NAME=OTHER`.
    pub(crate) fn refer(&mut self, name: &str, other: &str) {
        self.set(name, Value::Reference(other.into()));
    }

    /// Returns the variable that a name refers to.
    pub(crate) fn referred<'s>(&'s self, name: &'s str) -> &'s str {
        let mut name = name;
        for _ in 0..HANDS {
            match self.variables.get(name) {
                Some(Value::Reference(other)) if !other.is_empty() => name = other,
                _ => break,
            }
        }
        name
    }

    fn set(&mut self, name: &str, value: Value) {
        if self.exports_all {
            self.export(name);
        }
        if self.variables.len() < limits::VARIABLES || self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).insert(name.into(), value);
        } else {
            limits::reached("too many variables to follow");
            self.forget(name);
        }
    }

    /// Marks the variable's value as unknown.
    pub(crate) fn forget(&mut self, name: &str) {
        match name {
            // Without an entry, the user's value would apply.
            HOME | IFS => self.refer(name, ""),
            _ => self.remove(name),
        }
    }

    fn remove(&mut self, name: &str) {
        if self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).remove(name);
        }
    }

    /// Applies `unset`: the variable no longer has a value.
    pub(crate) fn unset(&mut self, name: &str) {
        match name {
            HOME => self.forget(HOME),
            _ => self.remove(name),
        }
    }

    /// Marks all variables as unknown.
    pub(crate) fn forget_all(&mut self) {
        self.forget_all_but(&BTreeSet::new());
    }

    /// Returns the variables with these names, with their values.
    pub(crate) fn values(&self, names: &BTreeSet<String>) -> Vec<(Rc<str>, Value)> {
        let named = self.variables.iter().filter(|(name, _)| names.contains(&***name));
        named.map(|(name, value)| (Rc::clone(name), value.clone())).collect()
    }

    /// Returns whether the variable has this value.
    pub(crate) fn has(&self, name: &str, value: &Value) -> bool {
        self.variables.get(name) == Some(value)
    }

    /// Marks all variables except these as unknown.
    pub(crate) fn forget_all_but(&mut self, names: &BTreeSet<String>) {
        let is_odd = self.variables.contains_key(HOME) && !names.contains(HOME);
        if !self.variables.is_empty() {
            Rc::make_mut(&mut self.variables).retain(|name, _| names.contains(&**name));
        }
        self.parameters = None;
        if is_odd {
            self.forget(HOME);
        }
    }

    /// Forgets the variables that `body`, which may run again, could set: the names without a `$`.
    pub(crate) fn forget_named_in(&mut self, body: &str) {
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let mut before = ' ';
        let mut named = BTreeSet::new();
        for piece in body.split_inclusive(|char: char| !is_part(char)) {
            let name = piece.trim_end_matches(|char: char| !is_part(char));
            if !matches!(before, '$' | '{') {
                named.insert(name);
            }
            before = piece.chars().next_back().unwrap_or(' ');
        }
        let names = |name: &str| named.contains(name);
        let is_odd = self.variables.contains_key(HOME) && names(HOME);
        if self.variables.keys().any(|name| names(name)) {
            Rc::make_mut(&mut self.variables).retain(|name, _| !names(name));
        }
        if is_odd {
            self.forget(HOME);
        }
        if names("shift") || names("set") {
            self.parameters = None;
        }
    }

    /// Returns the text of a word, with a leading home made absolute. `None` if a part of it is unknown.
    pub(crate) fn plain(&self, word: &Word) -> Option<String> {
        self.plain_text(word).map(Cow::into_owned)
    }

    /// Like [`Shell::plain`], without a copy if the word is already plain.
    pub(crate) fn plain_text<'w>(&self, word: &'w Word) -> Option<Cow<'w, str>> {
        let tilde = |part: &Part| part.kind == "tilde";
        if !word.dynamic && !word.parts.iter().any(tilde) {
            return Some(Cow::Borrowed(&word.text));
        }
        let mut text = String::new();
        for (index, part) in word.parts.iter().enumerate() {
            match part.kind.as_str() {
                "literal" | "glob" => text.push_str(&part.text),
                "tilde" if index == 0 && part.text == "~" => text.push_str(&self.home_text()?),
                "variable" if part.text == HOME => text.push_str(&self.home_text()?),
                "command" if is_pwd(&part.text) && !self.cwd.is_empty() => text.push_str(&self.cwd),
                _ => return None,
            }
        }
        Some(Cow::Owned(text))
    }

    /// Returns the words with the home in place of its variable.
    pub(crate) fn at_home(&self, words: &[Word]) -> Vec<Word> {
        let plain = |word: &Word| self.plain(word).filter(|_| word.dynamic && !word.glob);
        words.iter().map(|word| plain(word).map_or_else(|| word.clone(), |text| literal(&text))).collect()
    }

    /// Returns the home, if known. The text may have changed it.
    pub(crate) fn home_text(&self) -> Option<String> {
        let home = match self.home() {
            Home::Usual => self.home.to_string(),
            Home::Is(word) => word.text.clone(),
            Home::Unknown => String::new(),
        };
        Some(home).filter(|home| !home.is_empty())
    }

    /// Applies `cd` with these operands.
    pub(crate) fn change_directory(&mut self, operands: &[Word]) {
        let operands: Vec<&Word> =
            operands.iter().filter(|word| !matches!(word.text.as_str(), "-L" | "-P" | "-e" | "-@" | "--")).collect();
        let target = match operands.as_slice() {
            [] => self.home_text(),
            [word] if word.text == "-" => Some(self.previous.clone()),
            [word] if self.variables.contains_key("CDPATH") && !word.text.starts_with(['/', '.', '~', '$']) => {
                // With several folders, the target may be in any of them.
                let folder = self.value("CDPATH").and_then(|folder| self.plain(&folder));
                let folder = folder.filter(|folder| folder.starts_with('/') && !folder.contains(':'));
                folder.and_then(|folder| resolve(&folder, &self.plain(word)?))
            }
            [word] => self.plain(word).and_then(|path| resolve(&self.cwd, &path)),
            _ => None,
        };
        self.previous = std::mem::replace(&mut self.cwd, target.unwrap_or_default());
    }

    /// Marks the directory as unknown.
    pub(crate) fn lose_directory(&mut self) {
        self.cwd.clear();
    }
}

/// Returns whether a substitution prints the working directory.
fn is_pwd(substitution: &str) -> bool {
    let inner = substitution.trim_start_matches("$(").trim_end_matches(')').trim_matches('`');
    matches!(inner.trim(), "pwd" | "pwd -L" | "pwd -P")
}

/// Returns whether a value is short enough to be followed.
fn fits(word: &Word) -> bool {
    let fits = word.text.len() <= limits::VALUE && word.parts.len() <= limits::PARTS;
    if !fits {
        limits::reached("a value is too long to follow");
    }
    fits
}

/// Concatenates two values.
fn concatenated(first: &Word, second: &Word) -> Word {
    let mut word = first.clone();
    word.text.push_str(&second.text);
    word.dynamic |= second.dynamic;
    if word.dynamic {
        word.parts.extend(second.parts.iter().cloned());
    } else {
        word = literal(&word.text);
    }
    word
}

/// Returns whether a path has no empty step, `.` or `..`.
fn is_straight(path: &str) -> bool {
    let mut steps = path.strip_prefix('/').unwrap_or(path).split('/');
    path.is_empty() || steps.all(|step| !matches!(step, "" | "." | ".."))
}

/// Makes `path` absolute against `cwd` and removes `.` and `..` lexically.
pub(crate) fn resolve(cwd: &str, path: &str) -> Option<String> {
    if !path.starts_with('/') && (cwd.is_empty() || path.is_empty()) {
        return None;
    }
    let base = if path.starts_with('/') { "" } else { cwd };
    if (base.is_empty() || base.starts_with('/')) && is_straight(base) && is_straight(path) {
        let between = if path.starts_with('/') { "" } else { "/" };
        return Some([base, between, path].concat());
    }
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
