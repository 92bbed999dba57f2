//! [`Files`]: the known files that a text creates.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;

use super::content::Content;
use crate::limits;
use crate::links::Links;
use crate::view::{Inside, View};

/// Returns the entries whose paths begin with `from`.
fn below<'t, T>(table: &'t BTreeMap<String, T>, from: &str) -> impl Iterator<Item = (&'t String, &'t T)> {
    let start = (Bound::Included(from), Bound::Unbounded);
    table.range::<str, _>(start).take_while(move |(path, _)| path.starts_with(from))
}

/// Files, programs and links that a text creates, by path.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    known: BTreeMap<String, Content>,
    /// The original paths of files that the text copied or moved.
    pub(super) origins: BTreeMap<String, String>,
    /// Copies of programs and links to them, with the programs' names.
    pub(super) copies: BTreeMap<String, String>,
    pub(super) links: Links,
    /// Whether files in a folder may have unknown changes.
    pub(super) stirred: bool,
    /// The files of descriptors that stay open for writing.
    pub(super) open: BTreeMap<i32, String>,
    /// Whether the text changes the folders searched for programs.
    pub(super) searched: bool,
    /// The file systems of commands for which it isn't just this machine's.
    pub(super) inside: BTreeMap<u32, Inside>,
    /// The file systems of containers, by name.
    pub(super) containers: BTreeMap<String, Rc<View>>,
    pub(super) full: bool,
}

impl Files {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.copies.is_empty()
    }

    pub(super) fn get(&self, path: &str) -> Option<&Content> {
        self.known.get(path)
    }

    /// Returns the original path of the file that is at this path now.
    pub(super) fn origin(&self, path: &str) -> Option<&str> {
        self.origins.get(path).map(String::as_str)
    }

    /// Returns the possible original paths of the file at this path: the recorded one, or otherwise those in moved or
    /// copied parent folders, and this path itself.
    pub(super) fn sources(&self, path: &str) -> Vec<String> {
        if let Some(origin) = self.origin(path) {
            return vec![origin.to_owned()];
        }
        let behind = |(end, _)| {
            let (folder, rest) = path.split_at_checked(end)?;
            Some(format!("{}{rest}", self.origin(folder)?.trim_end_matches('/')))
        };
        // Most of the folders are above all files of the text.
        let shortest = self.origins.keys().map(String::len).min().unwrap_or(usize::MAX);
        let mut found: Vec<String> =
            path.match_indices('/').filter(|(end, _)| *end >= shortest).filter_map(behind).collect();
        found.push(path.to_owned());
        found
    }

    pub(super) fn insert(&mut self, path: &str, content: Content) {
        if self.known.len() < limits::FILES || self.known.contains_key(path) {
            self.known.insert(path.to_owned(), content);
        } else {
            self.full = true;
        }
    }

    pub(super) fn copy_program(&mut self, path: &str, name: &str) {
        if self.copies.len() < limits::FILES || self.copies.contains_key(path) {
            self.copies.insert(path.to_owned(), name.to_owned());
        } else {
            self.full = true;
        }
    }

    pub(super) fn forget(&mut self, path: &str) {
        self.known.remove(path);
        self.origins.remove(path);
        self.copies.remove(path);
    }

    /// Returns all files and their contents.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Content)> {
        self.known.iter()
    }

    /// Records everything at or below `from` at `to` as well.
    pub(super) fn copy(&mut self, from: &str, to: &str) {
        if from == to {
            return;
        }
        let behind = |path: &str| match path.strip_prefix(from) {
            Some("") => Some(to.to_owned()),
            Some(rest) if rest.starts_with('/') => Some(format!("{to}{rest}")),
            _ => None,
        };
        if !self.known.contains_key(from) && from.starts_with('/') && self.origins.len() < limits::FILES {
            let origin = self.origins.get(from).cloned().unwrap_or_else(|| from.to_owned());
            self.origins.insert(to.to_owned(), origin);
        }
        let content: Vec<_> =
            below(&self.known, from).filter_map(|(path, content)| Some((behind(path)?, content.clone()))).collect();
        let names: Vec<_> =
            below(&self.copies, from).filter_map(|(path, name)| Some((behind(path)?, name.clone()))).collect();
        content.into_iter().for_each(|(path, content)| self.insert(&path, content));
        names.iter().for_each(|(path, name)| self.copy_program(path, name));
    }
}
