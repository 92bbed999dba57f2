//! [`Recording`]: records the facts that a decision requests. [`Recorded`]: replays them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use guard_contract::{Event, FactFault};

use crate::{Disk, Entry, Facts, GitAsked};

/// The facts that a decision learned about the machine. Only facts that it requested are included.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Record {
    /// The object at each path: `file`, `dir`, `other`, `absent`, `unknown`, or `link:` and its text.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub entries: BTreeMap<String, String>,
    /// The starts of files, by path and requested length.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub heads: BTreeMap<String, Option<String>>,
    /// The texts of files that policies may read, or the reasons why they are missing, by path and requested length.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Result<String, FactFault>>,
    /// The variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Option<String>>,
    /// git's answers, by question and path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub git: BTreeMap<String, Option<String>>,
    /// Whether a copy can hold what git ignores, by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub small: BTreeMap<String, bool>,
    /// The files that a command takes without naming them, by pattern.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub held: BTreeMap<String, Option<Vec<String>>>,
    /// The commands that run guard-host.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub own_program: BTreeSet<String>,
    /// The session's events, or the reasons why there are none, by requested kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub history: BTreeMap<String, Result<Vec<Event>, FactFault>>,
}

const LINK: &str = "link:";

impl Record {
    /// Returns the texts in the record with their names, so that secrets in them can be redacted.
    pub fn texts(&mut self) -> impl Iterator<Item = (&str, &mut String)> {
        let heads = self.heads.iter_mut().filter_map(|(key, text)| Some((key.as_str(), text.as_mut()?)));
        let files = self.files.iter_mut().filter_map(|(key, text)| Some((key.as_str(), text.as_mut().ok()?)));
        let links = self.entries.values_mut().filter(|entry| entry.starts_with(LINK)).map(|entry| ("", entry));
        let env = self.env.iter_mut().filter_map(|(key, text)| Some((key.as_str(), text.as_mut()?)));
        let git = self.git.values_mut().filter_map(|text| Some(("", text.as_mut()?)));
        let events = self.history.values_mut().flat_map(|events| events.iter_mut().flatten());
        let past = events.flat_map(|event| {
            let tags = event.tags.iter_mut().map(|(name, text)| (name.as_str(), text));
            std::iter::once(("", &mut event.target)).chain(tags)
        });
        heads.chain(files).chain(links).chain(env).chain(git).chain(past)
    }
}

fn entry_name(entry: &Entry) -> String {
    match entry {
        Entry::File => "file".to_owned(),
        Entry::Dir => "dir".to_owned(),
        Entry::Other => "other".to_owned(),
        Entry::Absent => "absent".to_owned(),
        Entry::Unknown => "unknown".to_owned(),
        Entry::Link(text) => format!("{LINK}{text}"),
    }
}

fn parse_entry(name: &str) -> Entry {
    match name {
        "file" => Entry::File,
        "dir" => Entry::Dir,
        "other" => Entry::Other,
        "absent" => Entry::Absent,
        _ => name.strip_prefix(LINK).map_or(Entry::Unknown, |text| Entry::Link(text.to_owned())),
    }
}

/// Formats the key for a path and a requested length.
fn content_key(path: &str, cap: usize) -> String {
    format!("{cap}:{path}")
}

/// Formats the key for a question to git and its path.
fn git_key(query: GitAsked<'_>) -> String {
    format!("{}:{}", query.question.name(), query.path)
}

/// Facts that record every request and answer.
#[derive(Debug)]
pub struct Recording {
    facts: Arc<dyn Facts>,
    record: Mutex<Record>,
}

impl Recording {
    /// Creates a recording of these facts.
    #[must_use]
    pub fn new(facts: Arc<dyn Facts>) -> Self {
        Recording { facts, record: Mutex::default() }
    }

    /// Returns the facts learned so far.
    #[must_use]
    pub fn record(&self) -> Record {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Disk for Recording {
    fn entry(&self, path: &str) -> Entry {
        // A repeated request gets the same answer, as in a replay.
        if let Some(known) = self.lock().entries.get(path) {
            return parse_entry(known);
        }
        let entry = self.facts.entry(path);
        self.lock().entries.insert(path.to_owned(), entry_name(&entry));
        entry
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        let key = content_key(path, cap);
        if let Some(known) = self.lock().heads.get(&key) {
            return known.clone();
        }
        let head = self.facts.read_head(path, cap);
        self.lock().heads.insert(key, head.clone());
        head
    }

    fn judged<'a>(&self, path: &'a str) -> Cow<'a, str> {
        self.facts.judged(path)
    }

    fn spelled(&self, path: String) -> String {
        self.facts.spelled(path)
    }

    fn runs_own_program(&self, command: &str) -> bool {
        let runs = self.facts.runs_own_program(command);
        if runs {
            self.lock().own_program.insert(command.to_owned());
        }
        runs
    }
}

impl Facts for Recording {
    fn read_granted(&self, root: &str, path: &str, cap: usize) -> Result<String, FactFault> {
        let key = content_key(path, cap);
        if let Some(known) = self.lock().files.get(&key) {
            return known.clone();
        }
        let text = self.facts.read_granted(root, path, cap);
        self.lock().files.insert(key, text.clone());
        text
    }

    fn read_source(&self, path: &str, cap: usize) -> Result<String, FactFault> {
        let key = content_key(path, cap);
        if let Some(known) = self.lock().files.get(&key) {
            return known.clone();
        }
        let text = self.facts.read_source(path, cap);
        self.lock().files.insert(key, text.clone());
        text
    }

    fn env(&self, name: &str) -> Option<String> {
        if let Some(known) = self.lock().env.get(name) {
            return known.clone();
        }
        let value = self.facts.env(name);
        self.lock().env.insert(name.to_owned(), value.clone());
        value
    }

    fn history(&self, kind: &str) -> Result<Vec<Event>, FactFault> {
        if let Some(known) = self.lock().history.get(kind) {
            return known.clone();
        }
        let history = self.facts.history(kind);
        self.lock().history.insert(kind.to_owned(), history.clone());
        history
    }

    fn is_small(&self, path: &str) -> bool {
        if let Some(known) = self.lock().small.get(path) {
            return *known;
        }
        let is_small = self.facts.is_small(path);
        self.lock().small.insert(path.to_owned(), is_small);
        is_small
    }

    fn held(&self, pattern: &str) -> Option<Vec<String>> {
        if let Some(known) = self.lock().held.get(pattern) {
            return known.clone();
        }
        let held = self.facts.held(pattern);
        self.lock().held.insert(pattern.to_owned(), held.clone());
        held
    }

    fn git(&self, query: GitAsked<'_>, wait: Duration) -> Option<String> {
        let key = git_key(query);
        if let Some(known) = self.lock().git.get(&key) {
            return known.clone();
        }
        let answer = self.facts.git(query, wait);
        self.lock().git.insert(key, answer.clone());
        answer
    }
}

/// Requests that aren't in a record. The fields are those of a [`Record`], without answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Missing {
    /// Paths.
    pub entries: BTreeSet<String>,
    /// Starts of files: the requested length, a colon, and the path.
    pub heads: BTreeSet<String>,
    /// Texts of files, in the same form.
    pub files: BTreeSet<String>,
    /// Variables.
    pub env: BTreeSet<String>,
    /// Paths of what git ignores.
    pub small: BTreeSet<String>,
    /// Patterns of files that a command takes.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub held: BTreeSet<String>,
    /// Questions to git: the question, a colon, and the path, with the work tree.
    pub git: BTreeMap<String, String>,
}

impl Missing {
    /// Returns whether no request is missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Missing::default()
    }

    /// Adds the requests of another one.
    pub fn add(&mut self, other: Missing) {
        self.entries.extend(other.entries);
        self.heads.extend(other.heads);
        self.files.extend(other.files);
        self.env.extend(other.env);
        self.small.extend(other.small);
        self.held.extend(other.held);
        self.git.extend(other.git);
    }
}

/// The answer to a request that isn't in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// The request wasn't made then, so it is treated as absent.
    Absent,
    /// The machine isn't here, and hasn't been asked yet.
    Unknown,
}

/// A machine's facts from a record. Requests that aren't in the record are collected.
#[derive(Debug)]
pub struct Recorded {
    record: Record,
    beyond: Beyond,
    missing: Mutex<Missing>,
}

impl Recorded {
    /// Returns the machine of this record. Anything not in the record is absent.
    #[must_use]
    pub fn new(record: Record) -> Self {
        Recorded { record, beyond: Beyond::Absent, missing: Mutex::default() }
    }

    /// Returns a machine elsewhere, known only by this record so far. Anything not in the record is unknown.
    #[must_use]
    pub fn from_record(record: Record) -> Self {
        Recorded { beyond: Beyond::Unknown, ..Recorded::new(record) }
    }

    /// Returns whether a request wasn't in the record.
    #[must_use]
    pub fn lacks(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Returns the requests that are not in the record.
    #[must_use]
    pub fn missing(&self) -> Missing {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Missing> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_up<T: Clone>(&self, known: Option<&T>, note: impl FnOnce(&mut Missing)) -> Option<T> {
        if known.is_none() {
            note(&mut self.lock());
        }
        known.cloned()
    }
}

impl Disk for Recorded {
    fn entry(&self, path: &str) -> Entry {
        let known = self.look_up(self.record.entries.get(path), |missing| {
            missing.entries.insert(path.to_owned());
        });
        match (known, self.beyond) {
            (Some(name), _) => parse_entry(&name),
            (None, Beyond::Absent) => Entry::Absent,
            (None, Beyond::Unknown) => Entry::Unknown,
        }
    }

    fn read_head(&self, path: &str, cap: usize) -> Option<String> {
        let key = content_key(path, cap);
        self.look_up(self.record.heads.get(&key), |missing| {
            missing.heads.insert(key.clone());
        })
        .flatten()
    }

    fn runs_own_program(&self, command: &str) -> bool {
        self.record.own_program.contains(command)
    }
}

impl Facts for Recorded {
    fn read_granted(&self, _: &str, path: &str, cap: usize) -> Result<String, FactFault> {
        let key = content_key(path, cap);
        let known = self.look_up(self.record.files.get(&key), |missing| {
            missing.files.insert(key.clone());
        });
        known.unwrap_or(Err(match self.beyond {
            Beyond::Absent => FactFault::Absent,
            Beyond::Unknown => FactFault::Failed,
        }))
    }

    fn env(&self, name: &str) -> Option<String> {
        self.look_up(self.record.env.get(name), |missing| {
            missing.env.insert(name.to_owned());
        })
        .flatten()
    }

    fn history(&self, kind: &str) -> Result<Vec<Event>, FactFault> {
        // A session's history stays on its machine.
        self.record.history.get(kind).cloned().unwrap_or(Err(FactFault::Absent))
    }

    fn is_small(&self, path: &str) -> bool {
        let known = self.look_up(self.record.small.get(path), |missing| {
            missing.small.insert(path.to_owned());
        });
        known.unwrap_or(true)
    }

    fn held(&self, pattern: &str) -> Option<Vec<String>> {
        self.look_up(self.record.held.get(pattern), |missing| {
            missing.held.insert(pattern.to_owned());
        })
        .flatten()
    }

    fn git(&self, query: GitAsked<'_>, _: Duration) -> Option<String> {
        let key = git_key(query);
        self.look_up(self.record.git.get(&key), |missing| {
            missing.git.insert(key.clone(), query.root.to_owned());
        })
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::FixedFacts;

    #[test]
    fn what_was_learned_is_told_again_and_nothing_else() {
        let world = "history = [{ kind = 'write', target = '/repo/x' }]\nenv = { A = 'a' }\ngit = { tracked = ['/repo/x'] }\ndirs = ['/repo/.git']\n[files]\n'/repo/x' = 'text'\n[links]\n'/repo/l' = '../o'";
        let world: Arc<dyn Facts> = Arc::new(toml::from_str::<FixedFacts>(world).unwrap());
        let ask = |facts: &dyn Facts| {
            let entries = ["/repo/x", "/repo/.git", "/repo/l", "/gone"].map(|path| facts.entry(path));
            let heads = [("/repo/x", 2), ("/repo/x", 9), ("/gone", 9)].map(|(path, cap)| facts.read_head(path, cap));
            let files =
                [("/repo/x", 9), ("/repo/x", 2), ("/gone", 9)].map(|(path, cap)| facts.read_granted("/", path, cap));
            let git = ["/repo/x", "/gone"].map(|path| {
                let question = crate::GitQuestion::Tracked;
                facts.git(GitAsked { root: "/repo", path, question, own: &[] }, crate::git::WAIT)
            });
            (entries, heads, files, ["A", "B"].map(|name| facts.env(name)), git, facts.history("write"))
        };
        let recording = Recording::new(world.clone());
        let first = ask(&recording);
        assert_eq!(first, ask(&*world));
        let text = serde_json::to_string(&recording.record()).unwrap();
        let recorded = Recorded::new(serde_json::from_str(&text).unwrap());
        assert_eq!(ask(&recorded), first);
        assert!(!recorded.lacks());
        assert_eq!(recorded.entry("/other"), Entry::Absent);
        assert!(recorded.lacks());
    }

    #[test]
    fn what_is_not_known_of_a_machine_elsewhere_is_unknown_and_named() {
        let record = Record { entries: [("/a".to_owned(), "file".to_owned())].into(), ..Record::default() };
        let elsewhere = Recorded::from_record(record);
        assert_eq!(elsewhere.entry("/a"), Entry::File);
        assert!(elsewhere.missing().is_empty());
        assert_eq!(elsewhere.entry("/b"), Entry::Unknown);
        assert_eq!(elsewhere.read_head("/b", 7), None);
        assert_eq!(elsewhere.read_granted("/", "/b", 9), Err(FactFault::Failed));
        assert_eq!(elsewhere.env("A"), None);
        let asked = GitAsked { root: "/r", path: "/r/b", question: crate::GitQuestion::Staged, own: &[] };
        assert_eq!(elsewhere.git(asked, crate::git::WAIT), None);
        assert_eq!(elsewhere.history(""), Err(FactFault::Absent));
        let expected = Missing {
            entries: ["/b".to_owned()].into(),
            heads: ["7:/b".to_owned()].into(),
            files: ["9:/b".to_owned()].into(),
            env: ["A".to_owned()].into(),
            small: BTreeSet::new(),
            held: BTreeSet::new(),
            git: [("staged:/r/b".to_owned(), "/r".to_owned())].into(),
        };
        assert_eq!(elsewhere.missing(), expected);
    }
}
