//! Runs a policy natively, in an ordinary `#[test]`.
//!
//! A [`World`] contains everything that the policy can see. The test's machine isn't accessed.
//!
//! ```
//! # use guard_sdk::{Call, Decision, Error, Manifest, NoSettings, Policy};
//! # struct Mine;
//! # impl Policy for Mine {
//! #     type Settings = NoSettings;
//! #     const MANIFEST: Manifest = Manifest::EMPTY;
//! #     fn configure(_: NoSettings) -> Result<Self, Error> { Ok(Mine) }
//! #     fn decide(&self, _: &Call<'_>) -> Result<Decision, Error> { Ok(Decision::abstain()) }
//! # }
//! use guard_sdk::testing::World;
//!
//! let world = World::default();
//! let decision = world.decide::<Mine>("{}", "Write", r#"{"file_path": "a.txt"}"#).unwrap();
//! assert!(decision.findings.is_empty());
//! ```

pub mod cases;

mod paths;
mod program;
mod suite;

use std::cell::RefCell;
use std::collections::BTreeMap;

pub use cases::{Case, GitFacts, PastEvent, Suite, WorldFacts};
pub use program::Program;

use serde_json::Value;

use crate::bindings::guard::policy::context::Facts;
use crate::resolve::{Disk, HOLDS, Taken, command_path, held};
use crate::syntax::{Analysis, Coverage, Effect, Severity};
use crate::{Decision, Event, Fault, Policy, ProjectManifest, ResolvedPath, guest};

/// Everything that a policy can see in a test.
#[derive(Debug, Clone)]
pub struct World {
    /// The analysis of the call. Add effects and commands to it: [`Effect::new`],
    /// [`Command::new`](crate::syntax::Command).
    ///
    /// The analyzer is part of the host and not of any crate, so a world doesn't turn a command's text into effects.
    /// [`Suite::failures_with_program`] and `guard-host test` do.
    pub analysis: Analysis,
    /// The context of the call.
    pub facts: Facts,
    /// The files for `read_text`, by path.
    pub files: BTreeMap<String, String>,
    /// Directories that exist.
    pub dirs: Vec<String>,
    /// Links and their targets, by absolute path.
    pub links: BTreeMap<String, String>,
    /// Whether the project is a git repository. `files` or `links` with its `.git` override this.
    pub project_is_repository: bool,
    /// The results of `resolve`. Other paths are made absolute by their text, and follow `links`.
    pub paths: BTreeMap<String, ResolvedPath>,
    /// The environment variables for `env`.
    pub env: BTreeMap<String, String>,
    /// The git facts. `None` if they are unknown.
    pub git: Option<GitFacts>,
    /// The file of guard-host's program. Other files with its text are copies.
    pub program: Option<String>,
    /// The session's events before the call, or the fault.
    pub history: Result<Vec<Event>, Fault>,
    /// The manifests of the project, by folder.
    pub manifests: BTreeMap<String, Vec<ProjectManifest>>,
}

/// A policy's decision on a call, and its journal lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The policy's decision.
    pub decision: Decision,
    /// The journal lines in order, as the stream's name and the object.
    pub journal: Vec<(String, Value)>,
}

/// The directory `/repo`, which is the project, with the home `/home/u` and an empty analysis.
impl Default for World {
    fn default() -> Self {
        World {
            analysis: Analysis {
                coverage: Coverage::Complete,
                reasons: Vec::new(),
                commands: Vec::new(),
                effects: Vec::new(),
                scripts: Vec::new(),
            },
            facts: Facts {
                cwd: "/repo".to_owned(),
                project_root: "/repo".to_owned(),
                home: "/home/u".to_owned(),
                session: "s1".to_owned(),
                harness: "claude".to_owned(),
                permission_mode: "default".to_owned(),
                original_tool: String::new(),
            },
            files: BTreeMap::new(),
            dirs: Vec::new(),
            links: BTreeMap::new(),
            project_is_repository: false,
            paths: BTreeMap::new(),
            env: BTreeMap::new(),
            git: None,
            program: None,
            history: Ok(Vec::new()),
            manifests: BTreeMap::new(),
        }
    }
}

impl World {
    /// Configures a new policy and lets it decide on one call.
    ///
    /// # Errors
    ///
    /// The text that the host would show as the policy's fault.
    pub fn decide<P: Policy>(&self, settings: &str, tool: &str, input: &str) -> Result<Decision, String> {
        self.answer::<P>(settings, tool, input).map(|answer| answer.decision)
    }

    /// Like [`World::decide`], with the policy's journal lines.
    ///
    /// # Errors
    ///
    /// As [`World::decide`].
    pub fn answer<P: Policy>(&self, settings: &str, tool: &str, input: &str) -> Result<Answer, String> {
        host::WORLD.with(|world| *world.borrow_mut() = self.clone());
        host::JOURNAL.with(|journal| journal.borrow_mut().clear());
        let slot = guest::Slot::<P>::new(None);
        guest::configure(&slot, settings)?;
        let decision = guest::decide(&slot, tool, input)?;
        let journal = host::JOURNAL.with(|journal| journal.borrow_mut().drain(..).collect());
        Ok(Answer { decision, journal })
    }

    /// Resolves the paths of the analysis's effects and lists the files in folders, as the host does before policies
    /// decide.
    pub fn fill_paths(&mut self) {
        let mut effects = std::mem::take(&mut self.analysis.effects);
        for effect in &mut effects {
            if !effect.path.raw.is_empty() && effect.path.lexical.is_empty() {
                effect.path = self.resolve(&effect.path.raw);
            }
            self.list_files(effect);
        }
        self.analysis.effects = effects;
        self.mark_own_program();
    }

    /// Lists the files that an effect takes, as the host does.
    fn list_files(&self, effect: &mut Effect) {
        let (path, at) = (&effect.path, &self.facts);
        let roots = [at.project_root.as_str(), at.home.as_str()];
        let (lexical, canonical) = (&path.lexical, &path.canonical);
        let (kind, operation, is_folder) = (&effect.kind, &effect.operation, path.kind == "dir");
        let taken = Taken { kind, operation, lexical, canonical, is_folder, roots };
        if let Some(names) = taken.holds(self, |name| effect.tag(name), |pattern| held(self, pattern)) {
            effect.tags.push((HOLDS.to_owned(), names));
        }
    }

    /// Marks the commands that run guard-host's program, as the host does.
    fn mark_own_program(&mut self) {
        let found = self.analysis.commands.iter().filter_map(|command| {
            let word = command.argv.first()?;
            let path = command_path(&word.text, &command.cwd, &self.facts.home)?;
            self.runs_own_program(&path).then(|| Effect {
                kind: "execute".to_owned(),
                operation: "execute.guard-host".to_owned(),
                severity: Severity::Notable,
                target: word.text.clone(),
                path: ResolvedPath::unresolved(""),
                command_id: command.id,
                certain: command.certain,
                tags: Vec::new(),
            })
        });
        let found: Vec<Effect> = found.collect();
        self.analysis.effects.extend(found);
    }
}

/// The host's functions for the world of the running test.
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a component has the real host"))]
pub(crate) mod host {
    use super::{Analysis, Facts, GitFacts, RefCell, ResolvedPath, Value, World};
    use crate::earlier::{Earlier, FOR_EACH, Seat};
    use crate::paths::{below, parent};
    use crate::syntax::{Command, Effect};
    use crate::{Event, Fault, Level, Presence, ProjectManifest};

    const LINES: usize = 64;
    const LINE_BYTES: usize = 16 << 10;

    thread_local! {
        pub(super) static WORLD: RefCell<World> = RefCell::new(World::default());
        pub(super) static JOURNAL: RefCell<Vec<(String, Value)>> = const { RefCell::new(Vec::new()) };
    }

    fn ask<T>(question: impl FnOnce(&World) -> T) -> T {
        WORLD.with(|world| question(&world.borrow()))
    }

    pub(crate) fn analysis() -> Analysis {
        ask(|world| world.analysis.clone())
    }

    pub(crate) fn context() -> Facts {
        ask(|world| world.facts.clone())
    }

    pub(crate) fn resolve(path: &str) -> ResolvedPath {
        ask(|world| world.resolve(path))
    }

    pub(crate) fn branch(path: &str) -> String {
        ask(|world| git(world, path).map(|(git, _)| git.branch.clone()).unwrap_or_default())
    }

    pub(crate) fn tracked(path: &str) -> Presence {
        ask(|world| presence(git(world, path).map(|(git, path)| git.is_tracked(&path))))
    }

    pub(crate) fn staged(path: &str) -> Presence {
        ask(|world| presence(git(world, path).map(|(git, path)| git.is_staged(&path))))
    }

    pub(crate) fn ignored(path: &str) -> Presence {
        ask(|world| presence(git(world, path).map(|(git, path)| git.is_ignored(&path))))
    }

    /// Returns the git facts of the world, and the path to look up in them.
    fn git<'a>(world: &'a World, path: &str) -> Option<(&'a GitFacts, String)> {
        let resolved = world.resolve(path);
        world.git.as_ref().filter(|_| !resolved.git_root.is_empty()).map(|git| (git, resolved.lexical))
    }

    fn presence(is_so: Option<bool>) -> Presence {
        match is_so {
            Some(true) => Presence::Yes,
            Some(false) => Presence::No,
            None => Presence::Unknown,
        }
    }

    pub(crate) fn events(kind: &str) -> Result<Vec<Event>, Fault> {
        let is_meant = |event: &Event| kind.is_empty() || event.kind == kind;
        ask(|world| world.history.clone()).map(|events| events.into_iter().filter(is_meant).collect())
    }

    pub(crate) fn manifests(path: &str) -> Result<Vec<ProjectManifest>, Fault> {
        ask(|world| {
            let start = world.resolve(path).lexical;
            let mut folders = std::iter::successors(Some(start.as_str()), |folder| parent(folder));
            Ok(folders.find_map(|folder| world.manifests.get(folder)).cloned().unwrap_or_default())
        })
    }

    pub(crate) fn earlier(command_id: u32, path: &str) -> Vec<Effect> {
        let is_near = |one: &str, other: &str| below(one, other).is_some() || below(other, one).is_some();
        ask(|world| {
            let about = world.resolve(path).lexical;
            let earlier = Earlier::than(command_id, world.analysis.commands.iter().map(to_seat));
            let near = world.analysis.effects.iter().filter(|effect| is_near(&effect.path.lexical, &about));
            let found = near.filter_map(|effect| {
                let is_certain = earlier.is_certain(effect.command_id)?;
                Some(Effect { certain: effect.certain && is_certain, ..effect.clone() })
            });
            found.collect()
        })
    }

    fn to_seat(command: &Command) -> Seat<'_> {
        Seat {
            id: command.id,
            parent: command.parent,
            pipeline: command.position.pipeline,
            operator: &command.position.operator,
            background: command.position.background,
            within: &command.position.within,
            is_for_each: command.via.iter().any(|via| FOR_EACH.contains(&via.kind.as_str())),
        }
    }

    pub(crate) fn read_text(path: &str) -> Result<String, Fault> {
        ask(|world| world.files.get(path).cloned().ok_or(Fault::Absent))
    }

    pub(crate) fn env(name: &str) -> Result<String, Fault> {
        ask(|world| world.env.get(name).cloned().ok_or(Fault::Absent))
    }

    /// Applies the real host's limits.
    pub(crate) fn journal(stream: &str, line: &str) -> Result<(), Fault> {
        JOURNAL.with(|journal| {
            let mut journal = journal.borrow_mut();
            if journal.len() >= LINES || line.len() > LINE_BYTES {
                return Err(Fault::TooLarge);
            }
            let object = serde_json::from_str::<Value>(line).ok().filter(Value::is_object).ok_or(Fault::Failed)?;
            journal.push((stream.to_owned(), object));
            Ok(())
        })
    }

    pub(crate) fn log(_: Level, _: &str) {}
}
