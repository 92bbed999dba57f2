//! [`Sources`]: reads the files that a call runs, and finds the ones that match the last commit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use guard_contract::syntax::{Analysis, Command, Coverage};
use guard_contract::{FactFault, Presence};
use guard_sdk::resolve::{LIST, listed_paths};

use crate::{Facts, Resolver, Scene, View};

/// The maximum size of a file in bytes, the same as of a text that the analyzer parses.
pub const SOURCE_BYTES: usize = 128 << 10;

/// The start of a native Linux program.
const MACHINE_CODE: &str = "\u{7f}ELF";

/// The maximum size of a file that is compared with the last commit, in bytes.
pub(crate) const COMPARED_BYTES: usize = 1 << 20;

/// Folders of installed packages and toolchains.
const INSTALLED: [&str; 20] = [
    ".asdf",
    ".bun",
    ".cargo",
    ".gradle",
    ".local",
    ".m2",
    ".nox",
    ".npm",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".tox",
    ".venv",
    "dist-packages",
    "node_modules",
    "site-packages",
    "vendor",
    "venv",
];

/// Startup files of shells.
const START: [&str; 9] = [
    ".bash_aliases",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".profile",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// The contents of a file that a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Its text.
    Text(String),
    /// There is no file, or it is a native program or installed.
    None,
    /// The file exists, but wasn't read, with the reason as a clause.
    Unread(String),
}

/// Reads the files that a call runs, each once.
#[derive(Debug)]
pub struct Sources {
    facts: Arc<dyn Facts>,
    resolver: Arc<Resolver>,
    home: String,
    /// The texts by requested path. `None` for a file that is too long.
    read: Mutex<BTreeMap<String, Option<String>>>,
}

impl Sources {
    /// Creates a reader of this machine's files, for a call with the home `home`.
    #[must_use]
    pub fn new(facts: Arc<dyn Facts>, resolver: Arc<Resolver>, home: &str) -> Self {
        Sources { facts, resolver, home: home.to_owned(), read: Mutex::default() }
    }

    /// Reads the file at this absolute path, or lists the paths that match the pattern after [`LIST`].
    pub fn read(&self, path: &str) -> Source {
        if let Some(pattern) = path.strip_prefix(LIST) {
            let names = self.facts.held(pattern);
            return names.map_or(Source::None, |names| Source::Text(listed_paths(pattern, &names)));
        }
        if path.split('/').any(|name| INSTALLED.contains(&name)) || self.starts_shell(path) {
            return Source::None;
        }
        let found = self.resolver.resolve(&*self.facts, path);
        let is_installed = found.canonical.split('/').any(|name| INSTALLED.contains(&name));
        let is_file = matches!(found.kind.as_str(), "file" | "link") || found.exists == Presence::Unknown;
        if found.canonical.is_empty() || !is_file || is_installed {
            return Source::None;
        }
        match self.facts.read_source(&found.canonical, SOURCE_BYTES) {
            Ok(text) if is_machine_code(&text) => Source::None,
            Ok(text) => {
                self.note(path, Some(text.clone()));
                Source::Text(text)
            }
            Err(FactFault::Absent) => Source::None,
            Err(FactFault::TooLarge) => {
                self.note(path, None);
                Source::Unread(format!("it is longer than {} KiB", SOURCE_BYTES >> 10))
            }
            Err(FactFault::Denied) => Source::Unread("its machine does not tell it".to_owned()),
            Err(FactFault::NotText | FactFault::Failed) => Source::Unread("it cannot be opened".to_owned()),
        }
    }

    /// Returns the files with commands in the analysis that match the last commit.
    #[must_use]
    pub fn committed_files(&self, scene: &Scene) -> BTreeSet<String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Asking git about a file starts a process.
        let Analysis { commands, reasons, .. } = &*scene.analysis;
        let files: BTreeSet<&str> = commands.iter().flat_map(command_files).collect();
        read.retain(|path, _| files.contains(path.as_str()) || reasons.iter().any(|reason| reason.contains(path)));
        let mut view = View::ungranted(scene.clone());
        let mut is_own = |path: &str, text: Option<String>| {
            let whole = || self.facts.read_source(&self.resolver.resolve(&*self.facts, path).canonical, COMPARED_BYTES);
            let text = text.or_else(|| whole().ok());
            text.is_some() && view.head(path).is_ok_and(|head| head == text)
        };
        read.into_iter().filter_map(|(path, text)| is_own(&path, text).then_some(path)).collect()
    }

    fn note(&self, path: &str, text: Option<String>) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), text);
    }

    fn starts_shell(&self, path: &str) -> bool {
        let name = path.strip_prefix(self.home.as_str()).and_then(|rest| rest.strip_prefix('/'));
        name.is_some_and(|name| START.contains(&name))
    }
}

/// Returns the files that contain a command.
fn command_files(command: &Command) -> impl Iterator<Item = &str> {
    command.via.iter().filter(|via| via.kind == "script").map(|via| via.detail.as_str())
}

/// Returns the analysis without the effects of these files. Their commands stay in place without words.
///
/// Effects on something that the caller passed to a file are the caller's.
#[must_use]
pub fn without_files(analysis: &Analysis, files: &BTreeSet<String>) -> Analysis {
    let mut rest = analysis.clone();
    let is_theirs = |command: &Command| {
        let Some(at) = command.via.iter().rposition(|via| via.kind == "script") else { return false };
        let mut behind = command.via.iter().skip(at);
        behind.next().is_some_and(|via| files.contains(&via.detail)) && behind.all(|via| via.kind != "given")
    };
    let theirs: BTreeSet<u32> =
        rest.commands.iter().filter(|command| is_theirs(command)).map(|command| command.id).collect();
    for command in rest.commands.iter_mut().filter(|command| theirs.contains(&command.id)) {
        command.argv.clear();
        command.assignments.clear();
        command.redirections.clear();
    }
    rest.effects.retain(|effect| !theirs.contains(&effect.command_id));
    rest.scripts.retain(|script| !theirs.contains(&script.command_id));
    // Beyond a limit, it isn't known what runs, even in a committed file.
    let is_limit = |reason: &str| reason.contains("too ") || reason.contains("more ");
    // A committed file that is too long to be read counts as the person's own.
    let is_long = |reason: &str| {
        let path =
            reason.split_once(" runs, and it was not read").map(|(path, _)| path.rsplit(": ").next().unwrap_or(path));
        path.is_some_and(|path| files.contains(path))
    };
    rest.reasons.retain(|reason| {
        !is_long(reason) && reason.split_once(": ").is_none_or(|(path, why)| !files.contains(path) || is_limit(why))
    });
    if rest.reasons.is_empty() {
        rest.coverage = Coverage::Complete;
    }
    rest
}

/// Returns whether a file isn't a text for an interpreter. NUL bytes don't count, because some shells run a text with
/// NUL bytes.
fn is_machine_code(text: &str) -> bool {
    text.starts_with(MACHINE_CODE) || text.starts_with("MZ") && text.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::FixedFacts;

    fn sources(world: &str) -> Sources {
        let facts: Arc<dyn Facts> = Arc::new(toml::from_str::<FixedFacts>(world).unwrap());
        Sources::new(facts, Arc::new(Resolver::new("/repo", "/home/u", "/repo")), "/home/u")
    }

    #[test]
    fn texts_are_read_and_what_is_installed_is_not() {
        let world = "files = { '/repo/x.sh' = 'ls', '/repo/node_modules/y.sh' = 'ls', '/home/u/.bashrc' = 'ls', \
                     '/repo/prog' = \"\\u007FELF\", '/repo/odd' = \"a\\u0000b\" }\ndirs = ['/repo/d']\n\
                     links = { '/repo/l' = 'x.sh', '/repo/m' = 'node_modules/y.sh' }";
        let sources = sources(world);
        let text = Source::Text("ls".to_owned());
        for (path, expected) in [
            ("/repo/x.sh", &text),
            ("/repo/l", &text),
            ("/repo/m", &Source::None),
            ("/repo/node_modules/y.sh", &Source::None),
            ("/home/u/.bashrc", &Source::None),
            ("/repo/prog", &Source::None),
            ("/repo/odd", &Source::Text("a\0b".to_owned())),
            ("/repo/d", &Source::None),
            ("/repo/gone", &Source::None),
        ] {
            assert_eq!(sources.read(path), *expected, "{path}");
        }
    }

    #[test]
    fn patterns_list_paths() {
        let world = "files = { '/repo/p/a/package.json' = '{}', '/repo/p/x' = '' }";
        for (pattern, expected) in [
            ("/repo/p/*", Source::Text("/repo/p/a/\n/repo/p/x\n".to_owned())),
            ("/repo/*/*/package.json", Source::Text("/repo/p/a/package.json\n".to_owned())),
            ("/repo/q/*", Source::Text(String::new())),
        ] {
            assert_eq!(sources(world).read(&format!("{LIST}{pattern}")), expected, "{pattern}");
        }
    }

    #[test]
    fn a_file_that_is_too_long_says_so() {
        let world = format!("files = {{ '/repo/x' = '{}' }}", "a".repeat(SOURCE_BYTES + 1));
        assert_eq!(sources(&world).read("/repo/x"), Source::Unread("it is longer than 128 KiB".to_owned()));
    }
}
