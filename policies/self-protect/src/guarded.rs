//! [`Guarded`]: the list of protected files and folders.

use std::borrow::Cow;

use crate::harnesses::{REGISTRATIONS, SCRIPTS};
use crate::names::{Names, Relation, Start, component_matches, last_component};
use crate::settings::ProtectedPaths;

/// The kind of a protected file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardedKind {
    /// The configuration of guard-host: the user's, a project's or the managed one, and the files that it names.
    Config,
    /// A file outside of `.guard` that a project's configuration uses.
    Project,
    /// The key, the sessions and the audit log.
    State,
    /// The compiled policies, which can be rebuilt.
    Cache,
    /// The program.
    Program,
    /// The place where a harness, with this name, looks for hooks.
    Registration(&'static str),
    /// Scripts that the hooks of a harness run.
    Scripts(&'static str),
}

impl GuardedKind {
    /// Returns whether it belongs to guard-host itself.
    pub(crate) fn is_own(self) -> bool {
        !matches!(self, GuardedKind::Registration(_) | GuardedKind::Scripts(_))
    }
}

/// A protected file or folder, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guarded<'a> {
    /// In the form for [`Names::relation`].
    pub(crate) entry: &'a str,
    pub(crate) what: GuardedKind,
}

/// The usual places of guard-host's own files, below any home.
const USUAL: &[(&str, GuardedKind)] = &[
    (".config/guard-host/", GuardedKind::Config),
    (".guard/", GuardedKind::Config),
    ("/etc/guard-host/", GuardedKind::Config),
    (".local/state/guard-host/", GuardedKind::State),
    (".cache/guard-host/", GuardedKind::Cache),
    ("bin/guard-host", GuardedKind::Program),
];

/// Everything that is protected: the usual places, those that the host names, and the registrations.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    entries: Vec<Entry>,
    /// The name of the program's file, if it isn't the usual one and long enough to search for.
    file_name: Option<String>,
}

/// An entry, and its start, which rules out nearly all paths.
#[derive(Debug, Clone)]
struct Entry {
    text: Cow<'static, str>,
    what: GuardedKind,
    start: Start,
}

impl Entry {
    fn new(text: impl Into<Cow<'static, str>>, what: GuardedKind) -> Self {
        let text = text.into();
        Entry { start: Start::parse(&text), text, what }
    }

    fn as_guarded(&self) -> Guarded<'_> {
        Guarded { entry: &self.text, what: self.what }
    }
}

impl Guard {
    pub(crate) fn new(places: &ProtectedPaths) -> Self {
        let folder = |path: &str| if path.starts_with('/') { format!("{path}/") } else { String::new() };
        let beside = |path: &str, end: &str| if path.is_empty() { String::new() } else { format!("{path}{end}") };
        let named = [
            (places.config.clone(), GuardedKind::Config),
            (places.managed.clone(), GuardedKind::Config),
            (folder(&places.state), GuardedKind::State),
            (folder(&places.cache), GuardedKind::Cache),
            (places.audit.clone(), GuardedKind::State),
            (beside(&places.audit, ".1"), GuardedKind::State),
            (places.sessions.clone(), GuardedKind::State),
            (places.program.clone(), GuardedKind::Program),
            (companion_path(&places.program), GuardedKind::Program),
        ];
        let policies = places.policies.iter().map(|path| (path.clone(), GuardedKind::Config));
        let of_project = places.project.iter().map(|path| (path.clone(), GuardedKind::Project));
        let registered = |path: &String| (path.clone(), GuardedKind::Registration(REGISTERED));
        let registrations = places.registrations.iter().filter(|path| !is_usual(path)).map(registered);
        let named = named.into_iter().chain(policies).chain(of_project).chain(registrations);
        let named = named.filter(|(entry, _)| entry.starts_with('/')).map(|(entry, what)| Entry::new(entry, what));
        let usual = USUAL.iter().map(|(entry, what)| Entry::new(*entry, *what));
        let scripts = SCRIPTS.iter().map(|(entry, name)| Entry::new(*entry, GuardedKind::Scripts(name)));
        let registrations =
            REGISTRATIONS.iter().map(|(entry, name)| Entry::new(*entry, GuardedKind::Registration(name)));
        let entries: Vec<Entry> = usual.chain(named).chain(scripts).chain(registrations).collect();
        let file = entries.iter().find(|entry| entry.what == GuardedKind::Program && entry.text.starts_with('/'));
        let file = file.and_then(|entry| entry.text.rsplit('/').next());
        let file_name = file.filter(|name| *name != PROGRAM && name.len() >= TELLING).map(str::to_owned);
        Guard { entries, file_name }
    }

    /// All protected files and folders.
    pub(crate) fn all(&self) -> impl Iterator<Item = Guarded<'_>> {
        self.entries.iter().map(Entry::as_guarded)
    }

    /// Returns the state folder that the host names, with a trailing slash.
    pub(crate) fn state(&self) -> Option<&str> {
        let is_state = |entry: &&Entry| entry.what == GuardedKind::State && entry.text.starts_with('/');
        self.entries.iter().filter(is_state).map(|entry| &*entry.text).find(|text| text.ends_with('/'))
    }

    /// Those that may be related to one of the paths, judged by the start of names.
    pub(crate) fn related<'g, 'p>(&'g self, paths: &'p [Names<'p>]) -> impl Iterator<Item = Guarded<'g>> + use<'g, 'p> {
        let may_relate = |entry: &&Entry| paths.iter().any(|names| names.may_relate(entry.start));
        self.entries.iter().filter(may_relate).map(Entry::as_guarded)
    }

    /// Returns the protected file or folder that a path is or is in.
    pub(crate) fn find_covering(&self, path: &str) -> Option<Guarded<'_>> {
        let names = [Names::new(path)];
        let [own] = &names;
        // A pattern that matches a protected name by chance has no meaning.
        let is_in = |guarded: &Guarded<'_>| {
            let found = own.relation(guarded.entry).filter(|found| found.relation != Relation::Above);
            found.is_some_and(|found| !found.guessed || (guarded.entry.starts_with('.') && path.contains('/')))
        };
        self.related(&names).find(is_in)
    }

    /// Returns whether a program with this name, as a command spells it, is guard-host.
    pub(crate) fn is_program(&self, word: &str) -> bool {
        let name = last_component(word);
        self.program_names().any(|program| program.eq_ignore_ascii_case(name))
    }

    /// Returns whether a shell pattern matches the program's name.
    pub(crate) fn matches_program(&self, pattern: &str) -> bool {
        self.program_names().any(|program| component_matches(program, last_component(pattern)))
    }

    /// The names of the program: its usual one, and its file's name.
    pub(crate) fn program_names(&self) -> impl Iterator<Item = &str> {
        [PROGRAM, TOOLS].into_iter().chain(self.file_name.as_deref())
    }

    /// Returns whether a text names the program.
    pub(crate) fn is_program_name(&self, text: &str) -> bool {
        self.program_names().any(|name| text.contains(name))
    }
}

/// The harness of a file that only the host names.
const REGISTERED: &str = "a harness";

/// Returns whether the file is in a usual place of a harness, whose name is then known.
fn is_usual(path: &str) -> bool {
    let names = Names::new(path);
    let within = |entry: &str| names.relation(entry).is_some_and(|found| found.relation != Relation::Above);
    REGISTRATIONS.iter().chain(SCRIPTS).any(|(entry, _)| within(entry))
}

/// The minimum length of the file's name: shorter ones occur in too many texts.
const TELLING: usize = 5;

/// The program's name.
const PROGRAM: &str = "guard-host";

/// The name of the companion program with the commands.
const TOOLS: &str = "guard-host-tools";

/// Returns the path of the companion program, in the same folder. Empty if unknown.
fn companion_path(program: &str) -> String {
    program.rsplit_once('/').map(|(folder, _)| format!("{folder}/{TOOLS}")).unwrap_or_default()
}
