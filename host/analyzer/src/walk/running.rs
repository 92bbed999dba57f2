//! The content of files that a text runs: text that it wrote to them, or otherwise their existing content.

use std::collections::BTreeSet;
use std::rc::Rc;

use guard_sdk::syntax::{Command, Via, Word};

use super::Walker;
use super::content::Content;
use super::output::Input;
use super::script_arguments;
use crate::limits;
use crate::sources::{self, Source};
use crate::word::expand::literal;
use crate::word::is_name;
use crate::wrappers::layer::place_of;

/// A file of the machine whose text is being walked.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
    /// The offsets of its lines.
    starts: Vec<usize>,
    pub(super) given: RunArguments,
}

/// The arguments and variables that a file gets from its caller.
#[derive(Debug, Default)]
pub(super) struct RunArguments {
    /// Whether it has parameters.
    pub(super) parameters: bool,
    /// The variables set by the caller.
    pub(super) variables: BTreeSet<String>,
    /// Whether any part of the file may use them.
    pub(super) everywhere: bool,
}

/// A command's position in a file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SourceLine {
    /// The line, starting at 1. 0 if unknown.
    pub(super) line: u32,
    /// Whether the command's words contain the file's arguments.
    pub(super) uses_arguments: bool,
}

impl RunArguments {
    /// Returns whether a piece of the file's text refers to an argument.
    pub(super) fn is_in(&self, text: &str) -> bool {
        if self.everywhere {
            return true;
        }
        if !self.parameters && self.variables.is_empty() {
            return false;
        }
        text.match_indices('$').any(|(at, _)| {
            let rest = text.get(at + 1..).unwrap_or_default().trim_start_matches(['{', '!', '#']);
            let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default();
            let is_parameter = rest.starts_with(['@', '*'])
                || name == "OPTARG"
                || name.starts_with(|char: char| matches!(char, '1'..='9'));
            self.parameters && is_parameter || self.variables.contains(name)
        })
    }

    /// Adds the variables to which the text assigns its arguments.
    fn spread(&mut self, text: &str) {
        for _ in 0..HANDS {
            let before = self.variables.len();
            for line in text.lines() {
                if self.is_in(line) {
                    self.variables.extend(assigned(line).map(str::to_owned));
                }
            }
            if self.variables.len() == before || self.variables.len() > limits::VARIABLES {
                break;
            }
        }
        self.everywhere |= self.variables.len() > limits::VARIABLES;
    }
}

/// The maximum number of variables through which a value is followed.
const HANDS: usize = 8;

/// Returns the names that a line assigns, with `=`, a loop or `read`.
fn assigned(line: &str) -> impl Iterator<Item = &str> {
    let mut listed = false;
    line.split(|char: char| char.is_whitespace() || matches!(char, ';' | '(' | '|' | '&')).filter_map(move |word| {
        let name = word.split_once('=').map(|(name, _)| name.trim_end_matches('+'));
        let name = name.map(|name| name.split('[').next().unwrap_or(name)).or(listed.then_some(word));
        listed = matches!(word, "for" | "select" | "read") || listed && !matches!(word, "in" | "do" | "");
        name.filter(|name| is_name(name))
    })
}

impl File {
    pub(super) fn new(path: &str, text: &str, given: RunArguments) -> File {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        File { path: path.to_owned(), text: text.to_owned(), starts: std::iter::once(0).chain(breaks).collect(), given }
    }

    /// Returns the line of an offset, starting at 1.
    pub(super) fn line(&self, at: usize) -> u32 {
        super::offset(self.starts.partition_point(|&start| start <= at))
    }
}

/// The maximum number of parent folders searched for a task runner's file.
const ABOVE: usize = 8;

impl Walker {
    /// Returns the path on this machine of a word's file. `None` if it is elsewhere or unknown.
    pub(super) fn path_here(&self, file: &Word) -> Option<String> {
        if !self.is_here(file) {
            return None;
        }
        self.path_of(file).filter(|path| path.starts_with('/'))
    }

    /// Returns whether the file is on this machine.
    fn is_here(&self, file: &Word) -> bool {
        !file.glob
            && match &self.shell.view {
                Some(view) => self.inner_path(file).is_some_and(|path| view.host(&path).is_some()),
                None => place_of(&self.scope.via).is_empty(),
            }
    }

    /// Returns the content of a file that runs.
    pub(super) fn running(&mut self, path: &str) -> Option<Content> {
        let written = self.files.get(path).cloned();
        match written {
            Some(content) if content.appends => {
                let mut before = self.preexisting(path).unwrap_or_else(Content::nothing);
                before.append(&content);
                Some(before)
            }
            None => self.preexisting(path),
            written => written,
        }
    }

    /// Like [`Walker::running`], for a word's file.
    pub(super) fn running_file(&mut self, file: &Word) -> Option<(String, Content)> {
        let path = self.path_of(file)?;
        if self.files.get(&path).is_none() && !(path.starts_with('/') && self.is_here(file)) {
            return None;
        }
        self.running(&path).map(|content| (path, content))
    }

    /// Like [`Walker::running`], for a plain name in the working directory.
    pub(super) fn running_name(&mut self, name: &str) -> Option<(String, Content)> {
        let path = super::shell::resolve(&self.shell.cwd, name).filter(|_| self.shell.view.is_none());
        let Some(path) = path else { return self.running_file(&literal(name)) };
        let path = self.files.links.follow(&path, true).unwrap_or(path);
        if !place_of(&self.scope.via).is_empty() && self.files.get(&path).is_none() {
            return None;
        }
        self.running(&path).map(|content| (path, content))
    }

    /// Returns the existing content at this path, or at the source of a file that was copied there.
    fn preexisting(&mut self, path: &str) -> Option<Content> {
        match self.files.origins.is_empty() {
            true => self.lying_at(path),
            false => self.files.sources(path).iter().find_map(|path| self.lying_at(path)),
        }
    }

    /// Returns the text that a file, or the source of its copy, had before this text. It may never run, so nothing is
    /// said if it can't be read.
    pub(super) fn text_before(&self, path: &str) -> Option<String> {
        let path = self.files.origin(path).unwrap_or(path);
        if self.is_probe || !path.starts_with('/') || sources::is_of_system(path) {
            return None;
        }
        match sources::read(path) {
            Source::Text(text) => Some(text),
            Source::None | Source::Unread(_) => None,
        }
    }

    /// Returns whether no file is known to exist at this path.
    pub(super) fn is_absent(&self, path: &str) -> bool {
        !self.is_probe && matches!(sources::read(path), Source::None)
    }

    fn lying_at(&mut self, path: &str) -> Option<Content> {
        if self.is_probe || !path.starts_with('/') || sources::is_of_system(path) {
            return None;
        }
        match sources::read(path) {
            Source::Text(text) => Some(Content::preexisting(literal(&text))),
            Source::None => None,
            Source::Unread(why) => {
                self.partial(&format!("{path} runs, and it was not read because {why}"));
                None
            }
        }
    }

    /// Returns the nearest of these files, in the folder or its parents, and its content.
    pub(super) fn nearest(&mut self, folder: Option<&Word>, names: &[&str]) -> Option<(String, Content)> {
        let mut folder = match folder {
            Some(folder) => self.path_here(folder)?,
            None => self.path_here(&literal("."))?,
        };
        folder.truncate(folder.trim_end_matches('/').len());
        let mut path = String::new();
        for _ in 0..ABOVE {
            for name in names {
                path.clear();
                path.extend([&folder, "/", *name]);
                if let Some(content) = self.running(&path) {
                    return Some((path, content));
                }
            }
            folder.truncate(folder.rfind('/')?);
        }
        None
    }

    /// Returns all of these files in the nearest folder that has one, and their contents.
    pub(super) fn nearest_all(&mut self, names: &[&str]) -> Vec<(String, Content)> {
        let Some((first, _)) = self.nearest(None, names) else { return Vec::new() };
        // A name may itself contain a folder.
        let own = names.iter().filter(|name| first.ends_with(**name)).map(|name| name.len()).max().unwrap_or(0);
        let folder = first.get(..first.len().saturating_sub(own)).unwrap_or_default().to_owned();
        let paths = names.iter().map(|name| format!("{folder}{name}"));
        paths.filter_map(|path| self.running(&path).map(|content| (path, content))).collect()
    }

    /// Returns the path of a command's standard input, or of the file that the preceding `cat` prints. It is on this
    /// machine, even if the command isn't.
    pub(super) fn input_file(&self, command: &Command, input: &Input) -> Option<String> {
        let path = |by: &Command, file: &Word| {
            let is_here = place_of(&by.via).is_empty() && !file.glob;
            let plain = self.shell.plain(file).filter(|_| is_here)?;
            let path = super::shell::resolve(&by.cwd, &plain).filter(|path| path.starts_with('/'))?;
            Some(self.files.links.follow(&path, true).unwrap_or(path))
        };
        match input {
            Input::File => {
                let mut by = command;
                for _ in 0..ABOVE {
                    if let Some(read) = by.redirections.iter().rev().find(|read| read.fd == 0) {
                        return if read.operator == "<" { path(by, &read.target) } else { None };
                    }
                    // A wrapper passes its input on.
                    by = self.found.commands.get(usize::try_from(by.parent).ok()?.checked_sub(1)?)?;
                }
                None
            }
            Input::Stage(pipeline, index) => {
                let mut before = self.found.commands.iter().rev().take_while(|before| before.id + 64 > command.id);
                let printer = before
                    .find(|before| before.position.pipeline == *pipeline && before.position.index + 1 == *index)?;
                match printer.argv.as_slice() {
                    [cat, file] if cat.text == "cat" && !file.text.starts_with('-') => path(printer, file),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Makes this file the current one. Returns the previous one.
    pub(super) fn enter_file(
        &mut self,
        path: &str,
        content: &Content,
        given: RunArguments,
    ) -> (Option<Rc<File>>, SourceLine) {
        let mut given = given;
        given.spread(&content.text.text);
        // Text that was just written to a file isn't part of the existing file.
        let is_changed = !content.is_preexisting && sources::is_known(path);
        let spot = SourceLine { line: 0, uses_arguments: given.everywhere || is_changed };
        // The position of a task in its file is unknown.
        let text = if content.is_excerpt { "" } else { content.text.text.as_str() };
        let file = content.is_preexisting.then(|| Rc::new(File::new(path, text, given)));
        (std::mem::replace(&mut self.scope.file, file), std::mem::replace(&mut self.scope.spot, spot))
    }

    /// Records whether the text that a program runs for a command uses the command's arguments.
    pub(super) fn note_use_of_arguments(&mut self, id: u32, program: &str, content: &Content) {
        let uses = |text: &str| script_arguments::uses_arguments(program, text);
        let known = Some(&content.text.text).filter(|_| content.complete && !content.is_excerpt);
        *self.found.uses_arguments.entry(id).or_default() |= known.and_then(|text| uses(text)).unwrap_or(true);
    }

    /// Returns how a command came to run: `via`, with the file, the line, and whether the command uses the file's
    /// arguments at the end.
    pub(super) fn ways(&self) -> Vec<Via> {
        let mut ways = self.scope.via.clone();
        let SourceLine { line, uses_arguments } = self.scope.spot;
        if (self.scope.file.is_some() || uses_arguments)
            && let Some(at) = ways.iter().rposition(|via| via.kind == "script")
        {
            let told = [("line", line.to_string(), line > 0), ("given", String::new(), uses_arguments)];
            let told = told.into_iter().filter(|(.., is_so)| *is_so);
            ways.splice(at + 1..at + 1, told.map(|(kind, detail, _)| Via { kind: kind.to_owned(), detail }));
        }
        ways
    }
}

/// Returns the program in a text's first line.
pub(super) fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let named = |word: &'_ str| word.rsplit('/').next().is_some_and(|name| name != "env");
    if named(first) {
        return first.rsplit('/').next();
    }
    let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    program.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_a_program() {
        for (text, expected) in [
            ("#!/bin/sh\n", Some("sh")),
            ("#!/bin/bash -eu\nls", Some("bash")),
            ("#! /usr/bin/env python3", Some("python3")),
            ("#!/usr/bin/env -S X=1 deno run\n", Some("deno")),
            ("ls", None),
            ("#!", None),
        ] {
            assert_eq!(interpreter(text), expected, "{text}");
        }
    }

    #[test]
    fn what_a_file_is_given_is_seen_in_its_words() {
        let given = RunArguments { parameters: true, variables: ["D".to_owned()].into(), everywhere: false };
        for text in ["rm \"$1\"", "$@", "${@:2}", "${1:-x}", "a$D", "${D}", "${#D}", "$*"] {
            assert!(given.is_in(text), "{text}");
        }
        for text in ["rm x", "$0", "$E", "$$", "${DD}", "$"] {
            assert!(!given.is_in(text), "{text}");
        }
        assert!(!RunArguments::default().is_in("$1 $D"));
    }

    #[test]
    fn an_offset_has_a_line() {
        let file = File::new("/a", "a\nb\n\nc", RunArguments::default());
        assert_eq!([0, 1, 2, 4, 5, 9].map(|at| file.line(at)), [1, 1, 2, 3, 4, 4]);
    }
}
