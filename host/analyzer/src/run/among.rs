//! The tag `among` of a change: a pattern over absolute paths. The change affects some files that match it, and the
//! text doesn't show which.

use std::borrow::Cow;

use guard_sdk::globs::Glob;
use guard_sdk::syntax::Command;

use super::{Run, here, lists, path, searches};
use crate::draft::Draft;
use crate::options::{Operand, Options, parse};
use crate::programs::placeholder_operands;

/// The maximum number of patterns for one operand.
const PATTERNS: usize = 16;

impl<'a> Run<'a> {
    /// Adds a write of files with one of these names: in a folder and, with `deep`, in the folders below it.
    pub(crate) fn write_among(&mut self, folder: &Operand<'_>, names: &str, deep: bool) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone());
        let is_supplied = placeholder_operands::is_selected(folder) || self.is_placeholder(folder);
        let last = folder.text.rsplit('/').next().unwrap_or_default();
        let is_file = names != "*" && Glob::new(names).is_ok_and(|names| names.folded(last));
        let supplied = if is_supplied { self.supplied(folder) } else { Vec::new() };
        if !supplied.is_empty() {
            // Only the files' location is known, and a formatter preserves their meaning.
            let draft = supplied.iter().fold(draft.certain(false), |draft, pattern| draft.tag("among", pattern));
            return self.emit_on(draft, &Operand::of(&here()));
        }
        if is_supplied || is_file && !folder.text.contains(['*', '{']) {
            return self.write_as(folder, draft);
        }
        let pattern = self.pattern(folder, if deep { "**/" } else { "" }, names);
        let draft = draft.flag("rewrites", true);
        self.write_as(folder, pattern.iter().fold(draft, |draft, pattern| draft.tag("among", pattern)));
    }

    /// Adds a write of files in the working directory that match one of these patterns.
    pub(crate) fn write_here_among(&mut self, patterns: impl Iterator<Item = String>) {
        let draft = Draft::notable("write", "fs.write").tag("by", &self.name.clone()).certain(false);
        self.emit_among(draft, patterns);
    }

    /// Adds the draft for the working directory, limited to files that match the patterns.
    pub(crate) fn emit_among(&mut self, draft: Draft, patterns: impl Iterator<Item = String>) {
        let start = path::lexical(self.cwd());
        let start = Glob::escaped(start.trim_end_matches('/'));
        let whole = |pattern: String| format!("{start}/{}", pattern.trim_start_matches("./"));
        let draft = patterns.map(whole).fold(draft, |draft, pattern| draft.tag("among", &pattern));
        self.emit_on(draft, &Operand::of(&here()));
    }

    /// Returns the pattern of all these names below an operand, which may itself be a pattern.
    fn pattern(&self, folder: &Operand<'_>, deep: &str, names: &str) -> Option<String> {
        let raw = path::place(folder, self.cwd(), self.home).raw;
        let whole = path::lexical(&raw);
        (!raw.is_empty() && whole.starts_with('/')).then(|| match folder.text.contains(['*', '{']) {
            true => whole,
            false => format!("{}/{deep}{names}", Glob::escaped(whole.trim_end_matches('/'))),
        })
    }

    /// Returns whether the operand may be the output of a command that lists files: a substitution, or a single
    /// variable in a loop.
    fn is_listed(&self, operand: &Operand<'_>) -> bool {
        let is_variable = operand.text.starts_with('$') && !operand.text.contains(['/', '(', '.']);
        let in_loop = self.command.position.within.iter().any(|place| place == "loop");
        let is_array = operand.text.ends_with("[@]}") || operand.text.ends_with("[*]}");
        operand.text.starts_with("$(") || operand.text.starts_with('`') || is_variable && (in_loop || is_array)
    }

    /// Returns the commands whose output may be the operand: before `xargs`, in a substitution, or around a loop.
    pub(crate) fn suppliers(&self, operand: &Operand<'_>) -> Vec<&'a Command> {
        let position = &self.command.position;
        if self.is_placeholder(operand) {
            let stages = self.pipelines.stages(self.commands, position.pipeline, position.index);
            return if self.is_via("xargs") { stages.collect() } else { Vec::new() };
        }
        if operand.dynamic && self.is_listed(operand) { searches::suppliers(self, operand) } else { Vec::new() }
    }

    /// Returns the patterns of the files that another program supplies for this operand of a change.
    pub(super) fn supplied(&self, operand: &Operand<'_>) -> Vec<String> {
        let mut found: Vec<String> = if self.is_placeholder(operand) {
            let tested = placeholder_operands::tested(self, operand);
            let mut all: Vec<String> = tested.iter().filter_map(|found| self.deeper(&found.text)).collect();
            if tested.is_empty() {
                let starts = placeholder_operands::starts(self, operand);
                all.extend(starts.iter().filter_map(|start| self.pattern(start, "**/", "*")));
            }
            if all.is_empty() { self.listed_on_input() } else { all }
        } else if placeholder_operands::is_start(operand) {
            self.pattern(operand, "**/", "*").into_iter().collect()
        } else if placeholder_operands::is_selected(operand) {
            self.deeper(&operand.text).into_iter().collect()
        } else if operand.dynamic && self.is_listed(operand) {
            let suppliers = searches::suppliers(self, operand);
            let listed = suppliers.iter().flat_map(|command| self.listed(command)).take(PATTERNS);
            let listed: Vec<String> = listed.collect();
            let is_unseen = suppliers.iter().any(|command| lists::is_of_file(command))
                || suppliers.is_empty() && lists::is_read(self, operand);
            if listed.is_empty() && is_unseen { self.anything() } else { listed }
        } else {
            Vec::new()
        };
        found.truncate(PATTERNS);
        found
    }

    /// Returns whether the operand is every file in the working directory, as a pattern or through another program's
    /// list.
    pub(crate) fn is_anything_here(&self, operand: &Operand<'_>) -> bool {
        let pattern = operand.text.trim_start_matches("./");
        let is_pattern =
            operand.word.glob && !pattern.is_empty() && pattern.split('/').all(|part| matches!(part, "*" | "**"));
        is_pattern || self.anything().iter().any(|all| self.supplied(operand).contains(all))
    }

    /// Returns the patterns of the files whose names a program reads from its input.
    fn listed_on_input(&self) -> Vec<String> {
        match self.before().filter(|_| self.is_via("xargs") || self.is_via("parallel")) {
            Some(before) => match self.listed(before) {
                found if found.is_empty() && lists::comes_from_file(self) => self.anything(),
                found => found,
            },
            None if lists::has_list(self) => self.anything(),
            None => Vec::new(),
        }
    }

    /// Returns the pattern of all files here, because a list that isn't in the text may contain any.
    fn anything(&self) -> Vec<String> {
        self.pattern(&Operand::of(&here()), "**/", "*").into_iter().collect()
    }

    /// Returns the pattern of a name that a search found below a folder: `db/*.sql` is a file in any folder below `db`.
    fn deeper(&self, found: &str) -> Option<String> {
        let end = found.find(['*', '?', '[']).unwrap_or(found.len());
        let (folder, name) = match found.get(..end).and_then(|start| start.rfind('/')) {
            Some(at) => found.split_at_checked(at).map(|(folder, name)| (folder, name.trim_start_matches('/')))?,
            None => (".", found),
        };
        let word = guard_sdk::syntax::Word { text: if folder.is_empty() { "/" } else { folder }.to_owned(), ..here() };
        self.pattern(&Operand::of(&word), "**/", name).filter(|_| !name.is_empty())
    }

    /// Returns the patterns of the files that a command lists: a search, or git.
    fn listed(&self, command: &Command) -> Vec<String> {
        if matches!(command.program(), "find" | "gfind" | "fd" | "fdfind") {
            let found = placeholder_operands::found(command).unwrap_or_default();
            let pattern = |operand: &Operand<'_>| match placeholder_operands::is_start(operand) {
                true => self.pattern(operand, "**/", "*"),
                false => self.deeper(&operand.text),
            };
            return found.iter().take(PATTERNS).filter_map(pattern).collect();
        }
        let Some((roots, names)) = listing(command) else { return Vec::new() };
        let start = here();
        let roots = if roots.is_empty() { vec![Operand::of(&start)] } else { roots };
        let pairs = roots.iter().flat_map(|root| names.iter().map(move |name| (root, name)));
        let pattern = |(root, name): (&Operand<'_>, &Cow<'_, str>)| match root.text.contains('*') {
            true => self.deeper(&root.text),
            false => self.pattern(root, "**/", name),
        };
        pairs.take(PATTERNS).filter_map(pattern).collect()
    }
}

/// Returns the folders of a command that prints file names, and the name patterns that limit it.
fn listing(command: &Command) -> Option<(Vec<Operand<'_>>, Vec<Cow<'_, str>>)> {
    const GREP: Options = Options::new(
        "ABCDdefgmtT",
        "regexp file include exclude exclude-from exclude-dir glob iglob type type-not max-count",
    );
    let words = command.argv.get(1..).unwrap_or_default();
    let (words, skipped) = match (command.program(), command.word(1)) {
        ("grep" | "egrep" | "fgrep" | "ggrep" | "rg" | "ag" | "ack" | "ugrep", _) => (words, 1),
        ("git", "grep") => (words.get(1..)?, 1),
        ("git", "ls-files") => (words.get(1..)?, 0),
        _ => return None,
    };
    let parsed = parse(words, GREP, false);
    let lists = skipped == 0 || parsed.is("lL", "files-with-matches") || parsed.is("", "name-only");
    if !lists || skipped == 0 && parsed.is("dmo", "") {
        return None;
    }
    let elsewhere = parsed.is("ef", "") || parsed.is("", "regexp");
    let roots = parsed.from(if elsewhere { 0 } else { skipped }).to_vec();
    let globs = ["include", "glob", "iglob"].into_iter().flat_map(|name| parsed.values("", name).collect::<Vec<_>>());
    let by_letter = parsed.values("g", "").filter(|_| command.program() == "rg");
    let globs = globs.chain(by_letter).map(|glob| glob.text).filter(|glob| !glob.starts_with('!'));
    let mut names: Vec<Cow<'_, str>> = globs.collect();
    let types = parsed.values("t", "type").filter(|_| command.program() == "rg");
    names.extend(types.map(|kind| Cow::Owned(format!("*.{}", ending(&kind.text)))));
    if names.is_empty() {
        names.push(Cow::Borrowed("*"));
    }
    Some((roots, names))
}

/// Returns the extension of a file type of `rg`.
fn ending(kind: &str) -> String {
    match kind {
        "rust" => "rs".to_owned(),
        "python" => "py".to_owned(),
        "js" => "{js,jsx,mjs,cjs}".to_owned(),
        "ts" | "typescript" => "{ts,tsx,mts,cts}".to_owned(),
        "yaml" => "{yml,yaml}".to_owned(),
        "markdown" => "md".to_owned(),
        "ruby" => "rb".to_owned(),
        kind => format!("*{}*", Glob::escaped(kind)),
    }
}
