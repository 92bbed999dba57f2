//! Meanings of names that a text declares: with `alias`, with `hash`, and in the shells' arrays for both.

use std::rc::Rc;

use guard_sdk::syntax::{Command, Span, Word};

use super::Walker;
use super::output::Input;
use crate::options::{Flag, Options, leading};
use crate::word::expand::literal;

/// Functions that bash and zsh call if a command isn't found, with the command's words.
const HANDLERS: &[&str] = &["command_not_found_handle", "command_not_found_handler"];

/// Words that begin, divide or end a compound command, unless they are aliases.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "foreach",
    "function", "if", "in", "repeat", "select", "then", "time", "until", "while",
];

/// Splits `TABLE[NAME]`.
pub(super) fn element(word: &str) -> Option<(&str, &str)> {
    word.strip_suffix(']')?.split_once('[')
}

/// The reason for a name whose meaning is only known at run time.
pub(super) const NOT_KNOWN: &str = "what a name means is known only at run time";

/// Returns whether this is bash's array of aliases or command paths.
pub(super) fn is_table(name: &str) -> bool {
    matches!(name, "BASH_CMDS" | "BASH_ALIASES")
}

/// Returns the text of an alias. If all of it is another program's output, the text is only known at run time.
fn text_of_alias(word: &Word, text: &str) -> Option<Word> {
    if !word.dynamic {
        return Some(literal(text));
    }
    let mut parts = word.parts.iter().skip_while(|part| part.kind == "literal");
    let complete = parts.next().filter(|part| part.kind == "command" && part.text == text)?;
    parts.next().is_none().then(|| Word {
        text: text.to_owned(),
        dynamic: true,
        quoted: word.quoted,
        glob: false,
        parts: vec![complete.clone()],
    })
}

impl Walker {
    /// Applies `alias NAME=TEXT`, and `alias NAME TEXT` of fish.
    pub(super) fn define_aliases(&mut self, words: &[Word], span: Span) {
        // zsh: the alias is replaced anywhere in a line, or opens files with an extension.
        let anywhere = matches!(words.first().map(|word| word.text.as_str()), Some("-g" | "-s"));
        let plain: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
        if let [name, text] = plain.as_slice()
            && !name.text.contains('=')
        {
            return self.define_alias(&name.text, (!text.dynamic).then(|| (*text).clone()), false, span);
        }
        for word in words {
            let Some((name, text)) = word.text.split_once('=') else { continue };
            if anywhere {
                self.define_alias(name, Some(literal(text)), true, span);
            } else {
                self.define_alias(name, text_of_alias(word, text), false, span);
            }
        }
    }

    fn define_alias(&mut self, name: &str, text: Option<Word>, anywhere: bool, span: Span) {
        self.defined.insert(name.to_owned(), true);
        let Some(text) = text else { return };
        if text.text.contains("<<") {
            self.partial("a here-document stands in an alias");
        }
        // With such an alias, the text doesn't parse as it runs, so the alias's commands are listed at once.
        if anywhere || RESERVED.contains(&name) && !RESERVED.contains(&text.text.trim()) {
            let certain = std::mem::replace(&mut self.scope.certain, false);
            let text = literal(text.text.trim_start_matches([' ', ';', '&', '|', '\n']));
            self.apart(|walker| walker.run_text(&text, span));
            self.scope.certain = certain;
        }
        if !anywhere {
            self.shell.alias(name, &Rc::new(text));
        }
    }

    /// Applies `hash -p FILE NAMES`, and `hash NAME=FILE` of zsh.
    pub(super) fn define_files(&mut self, words: &[Word]) {
        let given = leading(words, Options::new("p", ""));
        if let Some(file) = given.flag(&["p"]).map(Flag::word) {
            return given.rest.iter().for_each(|name| self.define_file(&name.text, &file));
        }
        for word in given.rest {
            if let Some((name, file)) = word.text.split_once('=') {
                self.define_file(name, &Word { dynamic: word.dynamic, ..literal(file) });
            }
        }
    }

    fn define_file(&mut self, name: &str, file: &Word) {
        self.defined.insert(name.to_owned(), false);
        if !file.dynamic {
            self.shell.alias(name, &Rc::new(file.clone()));
        }
    }

    /// Applies an assignment to an element of a shell's own table of names.
    pub(super) fn name_means(&mut self, table: &str, name: &str, value: &Word, span: Span) {
        let table = self.shell.referred(table).to_owned();
        let name = &name.replace(['"', '\'', '\\'], "");
        match table.as_str() {
            "BASH_CMDS" | "commands" => self.define_file(name, value),
            "BASH_ALIASES" | "aliases" => self.define_alias(name, (!value.dynamic).then(|| value.clone()), false, span),
            "galiases" | "saliases" => self.define_alias(name, Some(value.clone()), true, span),
            "functions" => {
                self.defined.insert(name.to_owned(), true);
                self.shell.define(name, &value.text);
            }
            _ => return,
        }
        if is_table(&table) && (value.dynamic || name.contains(['$', '`'])) {
            self.partial(NOT_KNOWN);
        }
    }

    /// Applies an assignment to the whole table: elements with subscripts, or names followed by values, as in zsh.
    pub(super) fn names_mean(&mut self, table: &str, elements: &[(Option<String>, Word)], span: Span) {
        let mut names = elements.iter();
        while let Some((subscript, word)) = names.next() {
            match subscript {
                Some(name) => self.name_means(table, name, word, span),
                None => {
                    let Some((None, value)) = names.next() else { return };
                    self.name_means(table, &word.text, value, span);
                }
            }
        }
    }

    /// Returns this text's function that runs in place of a command that may not exist.
    pub(super) fn handler_of(&self, name: &str) -> Option<&'static str> {
        let handler = HANDLERS.iter().copied().find(|handler| self.defined.contains_key(*handler))?;
        (!self.defined.contains_key(name)).then_some(handler)
    }

    /// Follows the function that runs in place of a command that may not exist.
    pub(super) fn call_handler(&mut self, command: &Command, input: &Input) {
        let Some(handler) = self.handler_of(command.word(0)) else { return };
        let argv = std::iter::once(literal(handler)).chain(command.argv.iter().cloned()).collect();
        let call = Command { argv, ..command.clone() };
        let certain = std::mem::replace(&mut self.scope.certain, false);
        self.apart(|walker| _ = walker.call(&call, input));
        self.scope.certain = certain;
    }
}
