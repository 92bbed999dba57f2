//! The inputs of a command's descriptors: here-documents, pipes, and descriptors opened by an earlier `exec`.

use std::collections::BTreeMap;

use guard_sdk::syntax::{Command, Redirection};

use super::Walker;
use super::output::{self, Input};
use crate::word::expand::literal;

/// The input of each descriptor.
pub(super) type Descriptors = BTreeMap<i32, Input>;

/// The maximum number of descriptors that one command opens for writing.
const MOST: usize = 16;

impl Walker {
    /// Returns the input of each descriptor that a command's redirections open. The last redirection wins. `outer` is
    /// the standard input without redirections.
    pub(super) fn opened(&mut self, redirections: &[Redirection], outer: &Input) -> Descriptors {
        let mut content = Descriptors::new();
        for redirection in redirections {
            let target = redirection.target.text.trim_end_matches('-');
            let from = target.parse::<i32>().ok();
            let input = match (redirection.operator.as_str(), from) {
                ("<<" | "<<-" | "<<<", _) => output::here(redirection, &self.shell),
                ("<" | "<>", _) => self.supplied(redirection, &content, outer).unwrap_or(Input::File),
                ("<&" | ">&", Some(0)) => content.get(&0).unwrap_or(outer).clone(),
                ("<&" | ">&", Some(from)) => {
                    content.get(&from).or_else(|| self.descriptors.get(&from)).cloned().unwrap_or(Input::File)
                }
                ("<&", None) => Input::File,
                _ => continue,
            };
            content.insert(redirection.fd, input);
        }
        content
    }

    /// Returns the standard input of a command, as set by its redirections.
    pub(super) fn redirected(&mut self, redirections: &[Redirection], outer: &Input) -> Option<Input> {
        redirections
            .iter()
            .any(|redirection| redirection.fd == 0)
            .then(|| self.opened(redirections, outer).remove(&0))?
    }

    /// Returns the input of a command's descriptor.
    pub(super) fn behind(&mut self, number: i32, command: &Command, input: &Input) -> Input {
        if number == 0 {
            return input.clone();
        }
        let own = self.opened(&command.redirections, input).remove(&number);
        own.or_else(|| self.descriptors.get(&number).cloned()).unwrap_or(Input::File)
    }

    /// Applies `exec` without a program: its descriptors stay open in this shell.
    pub(super) fn keep_open(&mut self, command: &Command) {
        self.open_for_writing(&command.redirections);
        let outer = self.input.clone();
        let mut opened = self.opened(&command.redirections, &outer);
        if let Some(input) = opened.remove(&0) {
            self.input = input;
        }
        self.descriptors.append(&mut opened);
    }

    /// Records the files of descriptors that these redirections open for writing.
    pub(super) fn open_for_writing(&mut self, redirections: &[Redirection]) {
        let opens = |to: &&Redirection| to.fd > 2 && matches!(to.operator.as_str(), ">" | ">>" | ">|" | "<>");
        for to in redirections.iter().filter(opens).take(MOST) {
            if let Some(path) = self.path_of(&to.target) {
                self.files.open.insert(to.fd, path);
            }
        }
    }

    /// Returns the file of the descriptor to which a redirection sends standard output.
    pub(super) fn opened_file(&self, to: &Redirection, own: &[Redirection]) -> Option<String> {
        let number = to.target.text.trim_end_matches('-').parse::<i32>().ok()?;
        if to.operator != ">&" || !output::takes_output(to) || number < 3 {
            return None;
        }
        let named = own.iter().find(|other| other.fd == number && other.operator.starts_with('>'));
        let named = named.filter(|other| other.target.text.parse::<i32>().is_err());
        named.and_then(|file| self.path_of(&file.target)).or_else(|| self.files.open.get(&number).cloned())
    }

    /// Returns the texts for standard input, except the last one, which is bash's input. zsh reads all of them in
    /// order.
    pub(super) fn other_texts(&self, command: &Command) -> Vec<Input> {
        let mut read: Vec<&Redirection> = command.redirections.iter().filter(|read| read.fd == 0).collect();
        read.pop();
        read.into_iter().filter(|read| is_here(read)).map(|text| output::here(text, &self.shell)).collect()
    }

    /// Returns the input from a redirected file, if this text wrote the file or prints the content that is read.
    fn supplied(&mut self, redirection: &Redirection, content: &Descriptors, outer: &Input) -> Option<Input> {
        if let Some(part) = redirection.target.parts.iter().find(|part| part.kind == "process") {
            let text = self.printed(&part.text)?;
            return Some(Input::Here(literal(&text)));
        }
        let path = self.path_of(&redirection.target)?;
        if let Some(number) = crate::wrappers::shells::descriptor(&path) {
            let found = content.get(&number).or_else(|| self.descriptors.get(&number)).cloned();
            return if number == 0 { Some(found.unwrap_or_else(|| outer.clone())) } else { found };
        }
        let content = self.files.get(&path).filter(|content| redirection.operator == "<" && content.complete)?;
        let text = content.text.clone();
        // The text is only a part of a file to which it was appended.
        let is_part = content.appends && !self.is_absent(&path);
        (!is_part).then_some(Input::Here(text))
    }
}

/// Returns whether a redirection is a here-document or here-string.
fn is_here(redirection: &Redirection) -> bool {
    redirection.operator.starts_with("<<")
}
