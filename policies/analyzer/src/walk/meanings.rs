//! What a text has a name mean: aliases, the table of files that `hash` fills, and the arrays in which shells keep both.

use guard_sdk::syntax::{Command, Span, Word};

use super::Walker;
use super::output::Input;
use crate::programs;
use crate::word::expand::literal;

/// What bash and zsh call when a command is not found, with the command's words.
const HANDLERS: &[&str] = &["command_not_found_handle", "command_not_found_handler"];

/// Words that begin, divide or end a compound command, unless they are aliases.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "foreach",
    "function", "if", "in", "repeat", "select", "then", "time", "until", "while",
];

/// `TABLE[NAME]`.
pub(super) fn element(word: &str) -> Option<(&str, &str)> {
    word.strip_suffix(']')?.split_once('[')
}

impl Walker {
    /// `alias NAME=TEXT`, and `alias NAME TEXT` of fish.
    pub(super) fn define_aliases(&mut self, words: &[Word], span: Span) {
        // zsh: it stands for its text anywhere in a line, or for what opens files of a kind.
        let anywhere = matches!(words.first().map(|word| word.text.as_str()), Some("-g" | "-s"));
        if let [name, text] = words
            && !name.text.starts_with('-')
            && !name.text.contains('=')
        {
            return self.define_alias(&name.text, (!text.dynamic).then(|| text.clone()), false, span);
        }
        for word in words {
            let Some((name, text)) = word.text.split_once('=') else { continue };
            if anywhere {
                self.define_alias(name, Some(literal(text)), true, span);
            } else {
                self.define_alias(name, (!word.dynamic).then(|| literal(text)), false, span);
            }
        }
    }

    fn define_alias(&mut self, name: &str, text: Option<Word>, anywhere: bool, span: Span) {
        self.defined.insert(name.to_owned(), true);
        // Where such a word stands, the text does not parse as it runs: its commands count at once.
        if let Some(text) = text.as_ref().filter(|_| anywhere || RESERVED.contains(&name)) {
            let certain = std::mem::replace(&mut self.certain, false);
            let text = literal(text.text.trim_start_matches([' ', ';', '&', '|', '\n']));
            self.apart(|walker| walker.run_text(&text, span));
            self.certain = certain;
        }
        if !anywhere {
            self.shell.alias(name, text);
        }
    }

    /// `hash -p FILE NAME`, and `hash NAME=FILE` of zsh.
    pub(super) fn define_files(&mut self, words: &[Word]) {
        if let [option, file, name] = words
            && option.text == "-p"
        {
            return self.define_file(&name.text, file);
        }
        for word in words {
            if let Some((name, file)) = word.text.split_once('=') {
                self.define_file(name, &Word { dynamic: word.dynamic, ..literal(file) });
            }
        }
    }

    fn define_file(&mut self, name: &str, file: &Word) {
        self.defined.insert(name.to_owned(), false);
        self.shell.alias(name, (!file.dynamic).then(|| file.clone()));
    }

    /// Follows an assignment to an element of a shell's own table of names.
    pub(super) fn name_means(&mut self, table: &str, name: &str, value: &Word, span: Span) {
        let table = self.shell.referred(table).to_owned();
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
        if table.starts_with("BASH_") && (value.dynamic || name.contains(['$', '`'])) {
            self.partial("what a name means is known only at run time");
        }
    }

    /// The same for all elements: with their names, or each behind its name, as zsh takes them.
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

    /// The function of this text that runs in place of a command that may not exist.
    pub(super) fn handler_of(&self, name: &str) -> Option<&'static str> {
        let handler = HANDLERS.iter().copied().find(|handler| self.defined.contains_key(*handler))?;
        let exists = self.defined.contains_key(name) || programs::is_known(&name.to_ascii_lowercase());
        (!exists).then_some(handler)
    }

    /// Follows the function that runs in place of a command that may not exist.
    pub(super) fn call_handler(&mut self, command: &Command, input: &Input) {
        let Some(handler) = self.handler_of(command.word(0)) else { return };
        let argv = std::iter::once(literal(handler)).chain(command.argv.iter().cloned()).collect();
        let call = Command { argv, ..command.clone() };
        let certain = std::mem::replace(&mut self.certain, false);
        self.apart(|walker| drop(walker.call(&call, input)));
        self.certain = certain;
    }
}
