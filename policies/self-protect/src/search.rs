//! [`Search`]: the files that a program such as `find` selects for itself or for another one to work on.
//!
//! By the words of the command alone. Says which guarded files may be among them; what is done to them is told elsewhere.

mod patterns;

use guard_sdk::Presence;
use guard_sdk::syntax::Command;

use crate::call_view::{CallView, is_remote};
use crate::guarded::{Guarded, GuardedKind};
use crate::names::{Names, Relation, last_of, pattern_fits, spells_letters};
use patterns::{NAME_TESTS, PATH_TESTS, Pattern, name_of_expression};

/// More places where a search starts, and questions to the machine say nothing new.
const STARTS: usize = 16;
const QUESTIONS: usize = 64;

/// Names of files as they lie in the folders of guard-host, and in those of harnesses.
const OWN_FILES: &[&str] = &["guard.toml", "audit.jsonl", "mac.key", "x.cwasm", "x.wasm", "x.json", "sessions/x.json"];
const HOOK_FILES: &[&str] = &["x.json", "x.sh", "x.py", "x.js", "x.ts", "PreToolUse"];

/// Names in the folder with the copies of `guard-host undo`. A copy's own folder is named by its time and size.
const COPIES: &[&str] = &[
    "undo",
    "undo/slot-0",
    "undo/20260101-000000-000-0a0a.1",
    "undo/20260101-000000-000-0a0a.1/manifest",
    "undo/20260101-000000-000-0a0a.1/0",
];

/// Words of `find` that leave no file alone but by its name, its kind or its depth.
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

/// Programs that name the files whose contents fit, those that name all, and those that search a list of all files.
const BY_CONTENT: &[&str] = &["ack", "ag", "egrep", "fgrep", "grep", "rg", "zgrep"];
const LISTS: &[&str] = &["du", "ls", "tree"];
const INDEXES: &[&str] = &["locate", "mdfind", "mlocate", "plocate"];

/// The files that a command selects.
pub(crate) struct Search<'a> {
    command: &'a Command,
    /// Where it starts, as it is written.
    starts: Vec<&'a str>,
    /// One of them fits each selected file; empty if all do.
    patterns: Vec<Pattern>,
    /// Something else than the name decides as well.
    filtered: bool,
    /// Only empty files or broken links are selected, and settings are neither.
    is_special: bool,
    /// Only folders are selected.
    only_folders: bool,
    deepest: Option<usize>,
}

/// How near a search starts to a guarded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distance {
    /// In a guarded folder.
    Inside,
    /// In a folder that is named like one above it.
    Near,
    /// At a home, a project, or above them.
    Far,
}

impl<'a> Search<'a> {
    /// The search that a command makes by names.
    pub(crate) fn by_name(command: &'a Command) -> Option<Self> {
        if is_remote(command) {
            return None;
        }
        match command.program() {
            "find" | "gfind" => Some(Self::of_find(command)),
            "fd" | "fdfind" => Some(Self::of_fd(command)),
            program if INDEXES.contains(&program) => Some(Self::of_index(command)),
            _ => None,
        }
    }

    /// The operands are parts of paths, anywhere.
    fn of_index(command: &'a Command) -> Self {
        let plain = command.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let patterns = plain.map(|word| Pattern { text: format!("*{word}*"), is_path: true });
        Search { patterns: patterns.collect(), filtered: true, ..Self::from(command, vec!["/"]) }
    }

    /// The search that a command makes by contents, or its list of all files.
    pub(crate) fn by_content(command: &'a Command) -> Option<Self> {
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

    fn of_find(command: &'a Command) -> Self {
        let words: Vec<&str> = command.argv.iter().skip(1).map(|word| word.text.as_str()).collect();
        let is_option = |word: &&&str| matches!(**word, "-H" | "-L" | "-P" | "--") || word.starts_with("-O");
        let is_start = |word: &&&str| !word.starts_with('-') && !matches!(**word, "(" | "!");
        let starts = words.iter().skip_while(is_option).take_while(is_start).take(STARTS).copied().collect();
        let value = |test: &str| words.iter().position(|word| *word == test).and_then(|at| words.get(at + 1)).copied();
        let depths = words.windows(2).filter(|pair| pair.first() == Some(&"-maxdepth"));
        // What a test leaves over may be anything.
        let plain = !words.iter().any(|word| matches!(*word, "!" | "-not" | "-o" | "-or" | ","));
        let filtered = words.iter().any(|word| {
            let names = NAME_TESTS.contains(word) || PATH_TESTS.contains(word) || word.starts_with("-O");
            word.starts_with('-') && !names && !NEUTRAL.contains(word)
        });
        Search {
            patterns: patterns::of_find(&words),
            filtered,
            is_special: plain && (words.contains(&"-empty") || value("-xtype") == Some("l")),
            only_folders: plain && value("-type") == Some("d"),
            deepest: depths.filter_map(|pair| pair.last()?.parse().ok()).max(),
            ..Self::from(command, starts)
        }
    }

    /// The first operand of `fd` is a regular expression for names.
    fn of_fd(command: &'a Command) -> Self {
        let mut plain =
            command.argv.iter().skip(1).map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let name = plain.next().map(name_of_expression).filter(|name| !matches!(name.as_str(), "" | "." | "*"));
        let patterns = name.map(|name| Pattern { text: format!("*{name}*"), is_path: false });
        Search { patterns: patterns.into_iter().collect(), ..Self::from(command, plain.take(STARTS).collect()) }
    }

    /// Without regard to names.
    pub(crate) fn of_any_name(self) -> Self {
        Search { patterns: Vec::new(), ..self }
    }

    /// Where it starts, as it is written.
    pub(crate) fn shown(&self) -> String {
        self.starts.join(" ")
    }

    /// Whether every file fits, whatever its name.
    pub(crate) fn takes_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether its names spell more than how they end.
    pub(crate) fn spells_names(&self) -> bool {
        let stem = |pattern: &Pattern| {
            let name = last_of(&pattern.text);
            spells_letters(name.rsplit_once('.').map_or(name, |(stem, _)| stem))
        };
        self.patterns.iter().any(stem)
    }

    /// Whether a file of this name can be selected because its name fits.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern_fits(last_of(&pattern.text), name))
    }

    /// The guarded file that may be among the selected ones when an effect of this kind works on them, and how near it
    /// lies.
    ///
    /// `tail` is what stands behind a selected name in the effect's target.
    pub(crate) fn reaches(&self, kind: &str, tail: &str, view: &CallView<'_>) -> Option<(GuardedKind, Distance)> {
        let lost = kind == "delete";
        let unnamed = self.takes_all() && tail.is_empty();
        // A change of all modes keeps what the files hold.
        if unnamed && (kind == "metadata" || self.is_special || (self.only_folders && !lost)) {
            return None;
        }
        let mut left = QUESTIONS;
        self.starts.iter().find_map(|start| self.reaches_from(start, lost, tail, view, &mut left))
    }

    fn reaches_from(
        &self,
        start: &str,
        lost: bool,
        tail: &str,
        view: &CallView<'_>,
        left: &mut usize,
    ) -> Option<(GuardedKind, Distance)> {
        let facts = view.facts();
        let folder = place(start, self.command, view)?;
        let names = Names::new(&folder);
        let unnamed = self.takes_all() && tail.is_empty();
        let has_home = facts.home.len() > 1 && names.holds(&Names::new(&facts.home));
        // In a project most files are the agent's own business.
        let all_of_project = (lost && !self.filtered) || (!lost && view.guard.names_program(view.text()));
        let mut roots = vec![folder.as_str()];
        roots.extend(
            [&facts.project_root, &facts.cwd]
                .map(String::as_str)
                .into_iter()
                .filter(|root| root.len() > 1 && *root != folder && names.holds(&Names::new(root))),
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
                places.extend(names.place(found, guarded.entry).map(|place| (place, Distance::Near)));
            } else if rooted && names.holds(&Names::new(guarded.entry)) {
                places.push((guarded.entry.trim_end_matches('/').to_owned(), Distance::Far));
            }
            if !rooted {
                places.extend(roots.iter().map(|root| (under(root, guarded.entry), Distance::Far)));
            }
            let found = places.into_iter().find(|(place, _)| {
                self.selects(&folder, start, place, guarded, lost, tail)
                    && left.checked_sub(1).is_some_and(|rest| {
                        *left = rest;
                        view.call.resolve(place).exists != Presence::No
                    })
            });
            found.map(|(_, distance)| (guarded.what, distance))
        })
    }

    /// Whether the guarded file at `place`, or a folder with it, can be selected.
    fn selects(&self, folder: &str, start: &str, place: &str, guarded: Guarded<'_>, lost: bool, tail: &str) -> bool {
        let mut files: Vec<String> = match guarded.entry.ends_with('/') || guarded.entry.contains('*') {
            true => {
                let inside = if guarded.what.is_own() { OWN_FILES } else { HOOK_FILES };
                let copies = if guarded.what == GuardedKind::State { COPIES } else { &[] };
                inside.iter().chain(copies).map(|file| format!("{place}/{file}")).collect()
            }
            false => vec![place.to_owned()],
        };
        if lost {
            let ends = place.match_indices('/').map(|(at, _)| at).filter(|at| *at > folder.len());
            files.extend(ends.filter_map(|end| place.get(..end)).map(str::to_owned));
            files.push(place.to_owned());
        }
        files.iter().any(|file| {
            let rest = file.strip_prefix(folder.trim_end_matches('/')).unwrap_or(file);
            let steps = tail.matches('/').count();
            let depth = rest.split('/').filter(|name| !name.is_empty()).count();
            let printed = format!("{}{rest}", start.trim_end_matches('/'));
            self.deepest.is_none_or(|deepest| depth <= deepest.saturating_add(steps)) && self.fits(file, &printed, tail)
        })
    }

    fn fits(&self, file: &str, printed: &str, tail: &str) -> bool {
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
                pattern_fits(&text, last_of(file))
            }
        })
    }
}

/// Where a word of a command points.
fn place(word: &str, command: &Command, view: &CallView<'_>) -> Option<String> {
    let facts = view.facts();
    let homes = ["~", "$HOME", "${HOME}"];
    let behind =
        homes.iter().find_map(|home| word.strip_prefix(home).filter(|rest| rest.is_empty() || rest.starts_with('/')));
    if let Some(rest) = behind {
        return facts.home.starts_with('/').then(|| under(&facts.home, rest));
    }
    if word.starts_with('/') {
        return Some(under(word, ""));
    }
    let cwd = if command.cwd.is_empty() { &facts.cwd } else { &command.cwd };
    (cwd.starts_with('/') && !word.starts_with('$')).then(|| under(cwd, word))
}

/// A path below a folder, without dots and empty names, and without the pattern that ends an entry.
fn under(folder: &str, rest: &str) -> String {
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
