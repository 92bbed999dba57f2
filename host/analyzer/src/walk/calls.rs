//! Calls of functions that the text defines, and variables that a builtin reads from a known input.

use guard_sdk::syntax::{Command, Via, Word};

use super::output::Input;
use super::started;
use super::{Origin, Unit, Walker};
use crate::limits;
use crate::word::expand::{self, Values as _};
use crate::word::is_name;

/// Builtins that declare local variables of a function.
const OWN: &[&str] = &["local", "declare", "typeset", "integer", "float", "readonly", "private"];

impl Walker {
    /// Walks a function's body with the arguments of a call. Returns whether the function is known and was followed.
    pub(super) fn call(&mut self, command: &Command, input: &Input) -> bool {
        let name = command.word(0);
        let Some(body) = self.shell.function(name) else { return false };
        // A function that redefines itself is another one.
        let running = format!("{name}() {body}");
        if self.deferred.defining || self.scope.expanding.contains(&running) {
            return false;
        }
        if self.scope.expanding.len() >= limits::CALL_DEPTH || self.budget.calls_left == 0 {
            self.partial("too many calls of functions to follow");
            return false;
        }
        self.budget.calls_left -= 1;
        let parameters = self.shell.take_parameters();
        self.shell.set_parameters(command.argv.get(1..).unwrap_or_default());
        self.scope.expanding.push(running);
        self.scope.via.push(Via { kind: "function".to_owned(), detail: name.to_owned() });
        let texts_via = std::mem::replace(&mut self.scope.texts_via, self.scope.via.len());
        let parent = std::mem::replace(&mut self.scope.parent, command.id);
        let outer = std::mem::replace(&mut self.input, input.clone());
        self.inside("function", |walker| {
            walker.unit(Unit { text: &body, origin: Origin::Inside(command.span) });
        });
        self.input = outer;
        self.scope.parent = parent;
        self.scope.texts_via = texts_via;
        self.scope.via.pop();
        self.scope.expanding.pop();
        self.shell.restore_parameters(parameters);
        if OWN.iter().any(|word| body.contains(word)) {
            // Some of its variables are local.
            let known = self.shell.clone();
            self.shell.forget_named_in(&body);
            let mut shell = self.shell.clone();
            self.keep_harmful(&mut shell, known.besides(&self.shell));
            self.shell = shell;
        }
        true
    }

    /// Applies `read NAMES`: splits the first line of the input at the separators.
    pub(super) fn take_line(&mut self, command: &Command, input: &Input) {
        let words = command.argv.get(1..).unwrap_or_default();
        // `-u` selects another descriptor.
        let number = started::values(words, "-u").first().and_then(|number| number.text.parse().ok());
        let input = &number.map_or_else(|| input.clone(), |number| self.behind(number, command, input));
        let read = match input {
            Input::Here(word) => self.shell.plain(word),
            input => input.text().map(str::to_owned),
        };
        let Some(line) = read.map(|text| text.lines().next().unwrap_or_default().to_owned()) else { return };
        let (names, array) = names(words, "adinNptu");
        let raw = words.iter().any(|word| word.text.strip_prefix('-').is_some_and(|letters| letters.contains('r')));
        // Without `-r`, a backslash escapes the next character, and continues the line at its end.
        let line = if raw { Some(line) } else { unescaped(&line) };
        let names = if names.is_empty() { vec!["REPLY"] } else { names };
        let Some(line) = line else { return names.into_iter().for_each(|name| self.shell.forget(name)) };
        // Separators assigned before `read` only apply to it.
        let own = command.assignments.iter().rev().find(|assignment| assignment.name == "IFS");
        let separators = match own {
            Some(own) => (!own.value.dynamic).then(|| own.value.text.clone()),
            None => self.shell.separators().map(str::to_owned),
        };
        let Some(separators) = separators else { return };
        let fields: Vec<String> = expand::fields(&line, &separators).into_iter().map(|word| word.text).collect();
        if array && let [name, ..] = names.as_slice() {
            let elements = fields.iter().map(|field| (None, expand::literal(field))).collect();
            return self.shell.assign_array(name, elements, false);
        }
        // The last name gets the rest of the line, including separators.
        let splits = |char: char| separators.contains(char) && char.is_whitespace();
        if separators.contains(|char: char| !char.is_whitespace()) && names.len() > 1 {
            for (index, name) in names.iter().enumerate() {
                match fields.get(index) {
                    _ if index + 1 == names.len() && fields.len() > names.len() => self.shell.forget(name),
                    field => self.shell.assign(name, &expand::literal(field.map_or("", String::as_str)), false),
                }
            }
            return;
        }
        let mut rest = line.as_str();
        for (index, name) in names.iter().enumerate() {
            rest = rest.trim_start_matches(splits);
            let (field, tail) = match rest.split_once(splits) {
                Some((field, tail)) if index + 1 < names.len() => (field, tail),
                _ => (rest.trim_end_matches(splits), ""),
            };
            self.shell.assign(name, &expand::literal(field), false);
            rest = tail;
        }
    }

    /// Applies `mapfile NAME`: the lines of the input.
    pub(super) fn take_lines(&mut self, words: &[Word], input: &Input) {
        let Some(text) = input.text() else { return };
        let (names, _) = names(words, "dnOsuCc");
        let name = names.last().copied().unwrap_or("MAPFILE");
        let delimiter = started::values(words, "-d").into_iter().next().filter(|word| !word.dynamic);
        let delimiter = delimiter.map_or('\n', |word| word.text.chars().next().unwrap_or('\0'));
        let removes = words.iter().any(|word| word.text.starts_with('-') && word.text.contains('t'));
        let text = text.strip_suffix(delimiter).unwrap_or(text);
        let elements = text.split(delimiter).take(limits::ELEMENTS + 1).map(|line| {
            // Without `-t`, elements keep their delimiter. A newline is dropped anyway, because it splits like a blank.
            let kept = if removes || delimiter == '\n' { line.to_owned() } else { format!("{line}{delimiter}") };
            (None, expand::literal(&kept))
        });
        let elements = elements.collect();
        self.shell.assign_array(name, elements, false);
    }
}

/// Returns a line without the backslashes that `read` removes. `None` if one of them escapes a separator or continues
/// the line.
fn unescaped(line: &str) -> Option<String> {
    let mut plain = String::new();
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        plain.push(if char == '\\' { chars.next().filter(|next| !next.is_whitespace())? } else { char });
    }
    Some(plain)
}

/// Returns the operands that are names, and whether `-a` was given. `takes` are the letters that take a value.
fn names<'w>(words: &'w [Word], takes: &str) -> (Vec<&'w str>, bool) {
    let mut found = Vec::new();
    let mut array = false;
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word.strip_prefix('-').and_then(|letters| letters.chars().next_back()) {
            Some('a') => array = true,
            Some(letter) if takes.contains(letter) => drop(words.next()),
            Some(_) => {}
            None if is_name(word) => found.push(word),
            None => {}
        }
    }
    (found, array)
}
