//! [`Search`]: the files that a program such as `find` selects for itself or for another one.
//!
//! Uses only the command's words. Returns the protected files that may be selected. What is done to them is decided
//! elsewhere.

mod patterns;

use guard_sdk::Presence;
use guard_sdk::syntax::Command;

use crate::call_view::{CallView, is_remote};
use crate::guarded::{Guarded, GuardedKind};
use crate::names::{Names, Relation, last_component, pattern_fits, spells_letters};
use patterns::{NAME_TESTS, PATH_TESTS, Pattern, name_of_expression};

/// The maximum number of start points, and of requests to the host.
const STARTS: usize = 16;
const QUESTIONS: usize = 64;

/// Sample names of files in the folders of guard-host and of harnesses.
const OWN_FILES: &[&str] = &["guard.toml", "audit.jsonl", "mac.key", "x.cwasm", "x.wasm", "x.json", "sessions/x.json"];
const HOOK_FILES: &[&str] = &["x.json", "x.sh", "x.py", "x.js", "x.ts", "PreToolUse"];

/// Names in the folder with the copies of `guard-host undo`. A copy's folder is named after its time and size.
const COPIES: &[&str] = &[
    "undo",
    "undo/slot-0",
    "undo/20260101-000000-000-0a0a.1",
    "undo/20260101-000000-000-0a0a.1/manifest",
    "undo/20260101-000000-000-0a0a.1/0",
];

/// Tests and options of `find` that select only by name, type or depth.
const NEUTRAL: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "-a",
    "-and",
    "-daystart",
    "-delete",
    "-depth",
    "-follow",
    "-maxdepth",
    "-mindepth",
    "-mount",
    "-not",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-true",
    "-type",
    "-xdev",
];

/// Programs that list files by their content, list all files, or search an index of all files.
const BY_CONTENT: &[&str] = &["ack", "ag", "egrep", "fgrep", "grep", "rg", "zgrep"];
const LISTS: &[&str] = &["du", "ls", "tree"];
const INDEXES: &[&str] = &["locate", "mdfind", "mlocate", "plocate"];

/// The files that a command selects.
pub(crate) struct Search<'a> {
    command: &'a Command,
    /// The start points, as written.
    starts: Vec<&'a str>,
    /// Each selected file matches one of them. Empty if all files are selected.
    patterns: Vec<Pattern>,
    /// Whether the selection also depends on more than the name.
    filtered: bool,
    /// Whether only empty files or broken links are selected, which settings never are.
    is_special: bool,
    /// Whether only folders are selected.
    only_folders: bool,
    deepest: Option<usize>,
}

/// The distance between a search's start and a protected file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distance {
    /// In a protected folder.
    Inside,
    /// In a folder with the name of one above it.
    Near,
    /// At a home or a project, or above them.
    Far,
}

impl<'a> Search<'a> {
    /// Returns the search by name that a command makes.
    pub(crate) fn from_name_search(command: &'a Command) -> Option<Self> {
        if is_remote(command) {
            return None;
        }
        match command.program() {
            "find" | "gfind" => Some(Self::from_find(command)),
            "fd" | "fdfind" => Some(Self::from_fd(command)),
            program if INDEXES.contains(&program) => Some(Self::from_index(command)),
            _ => None,
        }
    }

    /// The operands are parts of paths anywhere.
    fn from_index(command: &'a Command) -> Self {
        let plain = command.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let patterns = plain.map(|word| Pattern { text: format!("*{word}*"), is_path: true });
        Search { patterns: patterns.collect(), filtered: true, ..Self::from(command, vec!["/"]) }
    }

    /// Returns the search by content that a command makes, or its list of all files.
    pub(crate) fn from_content_search(command: &'a Command) -> Option<Self> {
        let program = command.program();
        let lists = LISTS.contains(&program);
        if is_remote(command) {
            return None;
        }
        if program == "git" && command.word(1) == "grep" {
            return Some(Search { filtered: true, ..Self::from(command, Vec::new()) });
        }
        if !lists && !BY_CONTENT.contains(&program) {
            return None;
        }
        let words = command.argv.iter().skip(1).map(|word| word.text.as_str());
        let includes =
            words.clone().filter_map(|word| word.strip_prefix("--include=").or(word.strip_prefix("--glob=")));
        let includes = includes.filter(|glob| !glob.starts_with('!'));
        let patterns = includes.map(|text| Pattern { text: text.to_owned(), is_path: false }).collect();
        let has_pattern = lists || words.clone().any(|word| word == "-e" || word.starts_with("--regexp"));
        let plain = words.filter(|word| !word.starts_with('-')).skip(usize::from(!has_pattern));
        Some(Search { patterns, filtered: true, ..Self::from(command, plain.take(STARTS).collect()) })
    }

    fn from(command: &'a Command, starts: Vec<&'a str>) -> Self {
        let starts = if starts.is_empty() { vec!["."] } else { starts };
        Search {
            command,
            starts,
            patterns: Vec::new(),
            filtered: false,
            is_special: false,
            only_folders: false,
            deepest: None,
        }
    }

    fn from_find(command: &'a Command) -> Self {
        let words: Vec<&str> = command.argv.iter().skip(1).map(|word| word.text.as_str()).collect();
        let is_option = |word: &&&str| matches!(**word, "-H" | "-L" | "-P" | "--") || word.starts_with("-O");
        let is_start = |word: &&&str| !word.starts_with('-') && !matches!(**word, "(" | "!");
        let starts = words.iter().skip_while(is_option).take_while(is_start).take(STARTS).copied().collect();
        let value = |test: &str| words.iter().position(|word| *word == test).and_then(|at| words.get(at + 1)).copied();
        let depths = words.windows(2).filter(|pair| pair.first() == Some(&"-maxdepth"));
        // A negated or alternative test may leave any file.
        let plain = !words.iter().any(|word| matches!(*word, "!" | "-not" | "-o" | "-or" | ","));
        let filtered = words.iter().any(|word| {
            let names = NAME_TESTS.contains(word) || PATH_TESTS.contains(word) || word.starts_with("-O");
            word.starts_with('-') && !names && !NEUTRAL.contains(word)
        });
        Search {
            patterns: patterns::find_patterns(&words),
            filtered,
            is_special: plain && (words.contains(&"-empty") || value("-xtype") == Some("l")),
            only_folders: plain && value("-type") == Some("d"),
            deepest: depths.filter_map(|pair| pair.last()?.parse().ok()).max(),
            ..Self::from(command, starts)
        }
    }

    /// The first operand of `fd` is a regular expression for names.
    fn from_fd(command: &'a Command) -> Self {
        let mut plain =
            command.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let name = plain.next().map(name_of_expression).filter(|name| !matches!(name.as_str(), "" | "." | "*"));
        let patterns = name.map(|name| Pattern { text: format!("*{name}*"), is_path: false });
        Search { patterns: patterns.into_iter().collect(), ..Self::from(command, plain.take(STARTS).collect()) }
    }

    /// Removes the restriction to names.
    pub(crate) fn with_any_name(self) -> Self {
        Search { patterns: Vec::new(), ..self }
    }

    /// The start points, as written.
    pub(crate) fn start_points(&self) -> String {
        self.starts.join(" ")
    }

    /// Returns whether every file matches, regardless of its name.
    pub(crate) fn matches_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns whether its patterns contain more than the endings of names.
    pub(crate) fn spells_names(&self) -> bool {
        let stem = |pattern: &Pattern| {
            let name = last_component(&pattern.text);
            spells_letters(name.rsplit_once('.').map_or(name, |(stem, _)| stem))
        };
        self.patterns.iter().any(stem)
    }

    /// Returns whether a file with this name can be selected by its name.
    pub(crate) fn matches_name(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern_fits(last_component(&pattern.text), name))
    }

    /// Returns the kind and distance of a protected file that may be selected for an effect of this kind.
    ///
    /// `tail` is the text after a selected name in the effect's target.
    pub(crate) fn reaches(&self, kind: &str, tail: &str, view: &CallView<'_>) -> Option<(GuardedKind, Distance)> {
        let is_deletion = kind == "delete";
        let unnamed = self.matches_all() && tail.is_empty();
        // A change of all modes doesn't affect the content.
        if unnamed && (kind == "metadata" || self.is_special || (self.only_folders && !is_deletion)) {
            return None;
        }
        let mut left = QUESTIONS;
        self.starts.iter().find_map(|start| self.reaches_from(start, is_deletion, tail, view, &mut left))
    }

    fn reaches_from(
        &self,
        start: &str,
        is_deletion: bool,
        tail: &str,
        view: &CallView<'_>,
        left: &mut usize,
    ) -> Option<(GuardedKind, Distance)> {
        let facts = view.facts();
        let folder = word_path(start, self.command, view)?;
        let names = Names::new(&folder);
        let unnamed = self.matches_all() && tail.is_empty();
        let has_home = facts.home.len() > 1 && names.contains(&Names::new(&facts.home));
        // In a project, most files are the agent's own.
        let all_of_project =
            (is_deletion && !self.filtered) || (!is_deletion && view.guard.is_program_name(view.text()));
        let mut roots = vec![folder.as_str()];
        roots.extend(
            [&facts.project_root, &facts.cwd]
                .map(String::as_str)
                .into_iter()
                .filter(|root| root.len() > 1 && *root != folder && names.contains(&Names::new(root))),
        );
        let roots = roots.into_iter().filter(|_| !unnamed || all_of_project);
        let roots: Vec<&str> = has_home.then_some(facts.home.as_str()).into_iter().chain(roots).collect();
        view.guard.all().find_map(|guarded| {
            let rooted = guarded.entry.starts_with('/');
            let mut places: Vec<(String, Distance)> = Vec::new();
            if let Some(found) = names.relation(guarded.entry) {
                if found.relation != Relation::Above && !found.guessed {
                    return Some((guarded.what, Distance::Inside));
                }
                places.extend(names.guarded_path(found, guarded.entry).map(|place| (place, Distance::Near)));
            } else if rooted && names.contains(&Names::new(guarded.entry)) {
                places.push((guarded.entry.trim_end_matches('/').to_owned(), Distance::Far));
            }
            if !rooted {
                places.extend(roots.iter().map(|root| (join_path(root, guarded.entry), Distance::Far)));
            }
            let found = places.into_iter().find(|(place, _)| {
                self.selects(&folder, start, place, guarded, is_deletion, tail)
                    && left.checked_sub(1).is_some_and(|rest| {
                        *left = rest;
                        view.call.resolve(place).exists != Presence::No
                    })
            });
            found.map(|(_, distance)| (guarded.what, distance))
        })
    }

    /// Returns whether the protected file at `place`, or a folder that contains it, can be selected.
    fn selects(
        &self,
        folder: &str,
        start: &str,
        place: &str,
        guarded: Guarded<'_>,
        is_deletion: bool,
        tail: &str,
    ) -> bool {
        let mut files: Vec<String> = match guarded.entry.ends_with('/') || guarded.entry.contains('*') {
            true => {
                let inside = if guarded.what.is_own() { OWN_FILES } else { HOOK_FILES };
                let copies = if guarded.what == GuardedKind::State { COPIES } else { &[] };
                inside.iter().chain(copies).map(|file| format!("{place}/{file}")).collect()
            }
            false => vec![place.to_owned()],
        };
        if is_deletion {
            let ends = place.match_indices('/').map(|(at, _)| at).filter(|at| *at > folder.len());
            files.extend(ends.filter_map(|end| place.get(..end)).map(str::to_owned));
            files.push(place.to_owned());
        }
        files.iter().any(|file| {
            let rest = file.strip_prefix(folder.trim_end_matches('/')).unwrap_or(file);
            let steps = tail.matches('/').count();
            let depth = rest.split('/').filter(|name| !name.is_empty()).count();
            let printed = format!("{}{rest}", start.trim_end_matches('/'));
            self.deepest.is_none_or(|deepest| depth <= deepest.saturating_add(steps))
                && self.selects_file(file, &printed, tail)
        })
    }

    fn selects_file(&self, file: &str, printed: &str, tail: &str) -> bool {
        if self.patterns.is_empty() {
            return pattern_fits(&format!("*{tail}"), file);
        }
        self.patterns.iter().any(|pattern| {
            let text = format!("{}{tail}", pattern.text);
            if pattern.is_path {
                pattern_fits(&text, file) || pattern_fits(&text, printed)
            } else if tail.contains('/') {
                pattern_fits(&format!("*/{text}"), file)
            } else {
                pattern_fits(&text, last_component(file))
            }
        })
    }
}

/// Returns the path of a command's word.
fn word_path(word: &str, command: &Command, view: &CallView<'_>) -> Option<String> {
    let facts = view.facts();
    let homes = ["~", "$HOME", "${HOME}"];
    let behind =
        homes.iter().find_map(|home| word.strip_prefix(home).filter(|rest| rest.is_empty() || rest.starts_with('/')));
    if let Some(rest) = behind {
        return facts.home.starts_with('/').then(|| join_path(&facts.home, rest));
    }
    if word.starts_with('/') {
        return Some(join_path(word, ""));
    }
    let cwd = if command.cwd.is_empty() { &facts.cwd } else { &command.cwd };
    (cwd.starts_with('/') && !word.starts_with('$')).then(|| join_path(cwd, word))
}

/// Joins a folder and a path, without dots, empty names, and a trailing pattern in an entry.
fn join_path(folder: &str, rest: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in folder.split('/').chain(rest.split('/')) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name if name.starts_with('*') => break,
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}
