//! The host's side of the contract: what a guest's imports do.
//!
//! A guest learns only what the call's [`Scene`] holds. Nothing here writes to the machine: journal and log lines are
//! collected and given back with the answer.

use std::sync::Arc;

use wasmtime::Result;
use wasmtime::component::{HasData, Linker};
use wasmtime::error::format_err;

use super::bindings::{Guest, facts, interfaces, scripts};
use super::meter::Bounds;
use super::policy::Question;
use super::scripts::Scripts;
use super::wasi::Given;
use crate::bindings::interfaces::types::{Fault as FactFault, Level, ResolvedPath};
use crate::convert::Convert;
use crate::facts::{Entry, Facts, GitAsked, GitQuestion, Resolver, manifests};
use guard_contract::grants::Grants;
use guard_contract::limits::{FILE_BYTES, GIT_QUESTIONS, JOURNAL_LINE_BYTES, LINES, LOG_LINE_BYTES, Limits};
use guard_contract::paths::{is_below, parent};
use guard_contract::syntax::{Analysis, Command};
use guard_contract::{CallFacts, JournalLine, LogLine, Presence};
use guard_sdk::earlier::{Earlier, FOR_EACH, Seat};

/// All that the policies of a chain can learn of one call.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Where the call happens.
    pub context: CallFacts,
    /// What it does; none if no policy of the chain asks for it.
    pub analysis: Arc<Analysis>,
    /// The machine, or the world of a test.
    pub facts: Arc<dyn Facts>,
    /// Paths that were resolved already.
    pub resolver: Arc<Resolver>,
}

/// What the store of one instance holds.
pub(super) struct State {
    pub(super) limits: Bounds,
    /// The reader of scripts, for the analyzer.
    pub(super) scripts: Option<Scripts>,
    /// None while a policy is described or configured: only `log` works then.
    pub(super) scene: Option<Scene>,
    pub(super) grants: Arc<Grants>,
    pub(super) journal: Vec<JournalLine>,
    pub(super) log: Vec<LogLine>,
    pub(super) asked: Vec<String>,
    /// How often git was asked.
    git_questions: usize,
    /// What a frozen WASI gave.
    pub(super) wasi: Given,
}

impl State {
    pub(super) fn new(limits: Limits) -> Self {
        State {
            limits: Bounds::new(limits),
            scripts: None,
            scene: None,
            grants: Arc::default(),
            journal: Vec::new(),
            log: Vec::new(),
            asked: Vec::new(),
            git_questions: 0,
            wasi: Given::default(),
        }
    }

    /// Gives what this holds, and holds nothing of it any more but the size of the memory and the reader of scripts.
    pub(super) fn renew(&mut self, limits: Limits) -> State {
        let memory = self.limits.memory;
        let mut old = std::mem::replace(self, State::new(limits));
        self.limits.memory = memory;
        self.scripts = old.scripts.take();
        old
    }

    /// From now on the guest decides this question, and can learn of its call.
    pub(super) fn meet(&mut self, question: &Question<'_>) {
        self.scene = Some(question.scene.clone());
        self.grants = question.grants.clone();
    }

    fn scene(&mut self, question: &str) -> Result<&Scene> {
        if self.asked.len() < LINES {
            self.asked.push(question.to_owned());
        }
        self.scene.as_ref().ok_or_else(|| format_err!("`{question}` was called outside `decide`"))
    }
}

impl HasData for State {
    type Data<'a> = &'a mut State;
}

/// Defines the imports of the bundle: those of the contract's first version, and the reader of scripts.
pub(super) fn define_for_bundle(linker: &mut Linker<State>) -> Result<()> {
    interfaces::types::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::syntax::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::analysis::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::context::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::files::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::env::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::journal::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::log::add_to_linker::<State, State>(linker, |state| state)?;
    scripts::add_to_linker::<State, State>(linker, |state| state)
}

/// Defines the contract's imports.
pub(super) fn define(linker: &mut Linker<State>) -> Result<()> {
    Guest::add_to_linker::<State, State>(linker, |state| state)
}

impl scripts::Host for State {
    fn read(&mut self, language: String, code: String) -> Result<Option<String>> {
        Ok(self.scripts.as_ref().and_then(|scripts| scripts.read(&language, &code)))
    }
}

impl interfaces::types::Host for State {}

impl interfaces::syntax::Host for State {}

impl interfaces::analysis::Host for State {
    fn current(&mut self) -> Result<interfaces::syntax::Analysis> {
        let scene = self.scene("analysis.current")?;
        Ok(Analysis::clone(&scene.analysis).convert())
    }
}

impl interfaces::context::Host for State {
    fn get(&mut self) -> Result<interfaces::context::Facts> {
        Ok(self.scene("context.get")?.context.clone().convert())
    }
}

impl interfaces::files::Host for State {
    fn resolve(&mut self, path: String) -> Result<ResolvedPath> {
        let scene = self.scene("files.resolve")?;
        Ok(scene.resolver.resolve(&*scene.facts, &path).convert())
    }

    fn read_text(&mut self, path: String) -> Result<Result<String, FactFault>> {
        let grants = self.grants.clone();
        let scene = self.scene("files.read-text")?;
        let resolved = scene.resolver.resolve(&*scene.facts, &path);
        Ok(match grants.read_root(&resolved.lexical) {
            Some(root) => scene.facts.read_granted(root, &resolved.lexical, FILE_BYTES).map_err(Convert::convert),
            None => Err(FactFault::Denied),
        })
    }
}

impl interfaces::env::Host for State {
    fn get(&mut self, name: String) -> Result<Result<String, FactFault>> {
        let granted = self.grants.allows_env(&name);
        let scene = self.scene("env.get")?;
        Ok(if granted { scene.facts.env(&name).ok_or(FactFault::Absent) } else { Err(FactFault::Denied) })
    }
}

impl interfaces::journal::Host for State {
    fn append(&mut self, stream: String, object: String) -> Result<Result<(), FactFault>> {
        self.scene("journal.append")?;
        if !self.grants.allows_journal(&stream) {
            return Ok(Err(FactFault::Denied));
        }
        if self.journal.len() >= LINES || object.len() > JOURNAL_LINE_BYTES {
            return Ok(Err(FactFault::TooLarge));
        }
        let is_object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&object).is_ok();
        if !is_object {
            return Ok(Err(FactFault::Failed));
        }
        self.journal.push(JournalLine { stream, object });
        Ok(Ok(()))
    }
}

impl interfaces::log::Host for State {
    fn log(&mut self, level: Level, mut message: String) -> Result<()> {
        if self.log.len() < LINES {
            let end = message.floor_char_boundary(LOG_LINE_BYTES.min(message.len()));
            message.truncate(end);
            self.log.push(LogLine { level: level.convert(), message });
        }
        Ok(())
    }
}

impl State {
    /// What git says of a path; none if it is not known.
    fn git(&mut self, name: &str, path: &str, question: GitQuestion) -> Result<Option<String>> {
        self.git_questions += 1;
        let has_room = self.git_questions <= GIT_QUESTIONS;
        let scene = self.scene(name)?;
        let (facts, resolver) = (&*scene.facts, &scene.resolver);
        // Of a link git keeps the link, not what lies behind it.
        let lexical = resolver.resolve(facts, path).lexical;
        let held = resolver.resolve(facts, parent(&lexical).unwrap_or("/"));
        let name = lexical.rsplit('/').next().unwrap_or_default();
        let whole = format!("{}/{name}", held.canonical.trim_end_matches('/'));
        let is_root =
            facts.entry(&whole) == Entry::Dir && !matches!(facts.entry(&format!("{whole}/.git")), Entry::Absent);
        let root = if is_root { resolver.resolve(facts, path).git_root } else { held.git_root };
        // A repository in between, which the host does not take for one, is one for git.
        let mut between = std::iter::successors(Some(held.canonical.as_str()), |folder| parent(folder))
            .take_while(|folder| is_below(folder, &root) && *folder != root);
        let is_mine = |folder: &str| !matches!(facts.entry(&format!("{folder}/.git")), Entry::Absent);
        let is_known = !root.is_empty() && !held.canonical.is_empty() && (!is_root || root == whole);
        if !has_room || !is_known || between.any(is_mine) {
            return Ok(None);
        }
        let at = &scene.context;
        let of_call = resolver.resolve(facts, &at.cwd).git_root;
        let own = [root.clone(), at.project_root.clone(), at.cwd.clone(), of_call];
        let own: Vec<String> = own.into_iter().filter(|folder| !matches!(folder.as_str(), "" | "/")).collect();
        Ok(resolver.ask_git(facts, GitAsked { root: &root, path: &whole, question, own: &own }))
    }

    fn git_presence(&mut self, name: &str, path: &str, question: GitQuestion) -> Result<interfaces::types::Presence> {
        Ok(match self.git(name, path, question)?.as_deref() {
            Some("yes") => Presence::Yes,
            Some("no") => Presence::No,
            _ => Presence::Unknown,
        }
        .convert())
    }
}

impl facts::git::Host for State {
    fn branch(&mut self, path: String) -> Result<String> {
        Ok(self.git("git.branch", &path, GitQuestion::Branch)?.unwrap_or_default())
    }

    fn tracked(&mut self, path: String) -> Result<interfaces::types::Presence> {
        self.git_presence("git.tracked", &path, GitQuestion::Tracked)
    }

    fn staged(&mut self, path: String) -> Result<interfaces::types::Presence> {
        self.git_presence("git.staged", &path, GitQuestion::Staged)
    }

    fn ignored(&mut self, path: String) -> Result<interfaces::types::Presence> {
        self.git_presence("git.ignored", &path, GitQuestion::Ignored)
    }
}

impl facts::project::Host for State {
    fn manifests(&mut self, path: String) -> Result<Result<Vec<facts::project::Manifest>, FactFault>> {
        let grants = self.grants.clone();
        let scene = self.scene("project.manifests")?;
        let found = scene.resolver.resolve(&*scene.facts, &path);
        // A project may be called by another name than the path.
        let start = if is_below(&found.lexical, &scene.context.project_root) { found.lexical } else { found.canonical };
        let read = |path: &str| match grants.read_root(path) {
            Some(root) => scene.facts.read_granted(root, path, FILE_BYTES),
            None => Err(guard_contract::FactFault::Denied),
        };
        let project = &scene.context.project_root;
        Ok(manifests::nearest(&start, project, &*scene.facts, &read).map_err(Convert::convert).map(Convert::convert))
    }
}

impl facts::earlier::Host for State {
    fn effects(&mut self, command_id: u32, path: String) -> Result<Vec<interfaces::syntax::Effect>> {
        let scene = self.scene("earlier.effects")?;
        let about = scene.resolver.resolve(&*scene.facts, &path);
        let seats = scene.analysis.commands.iter().map(seat);
        let earlier = Earlier::than(command_id, seats);
        let is_near = |one: &str, other: &str| {
            !one.is_empty() && !other.is_empty() && (is_below(one, other) || is_below(other, one))
        };
        let mut found = Vec::new();
        for effect in &scene.analysis.effects {
            let concerns =
                is_near(&effect.path.lexical, &about.lexical) || is_near(&effect.path.canonical, &about.canonical);
            if let Some(is_certain) = concerns.then(|| earlier.is_certain(effect.command_id)).flatten() {
                let mut effect = effect.clone();
                effect.certain &= is_certain;
                found.push(effect);
            }
        }
        Ok(found.convert())
    }
}

fn seat(command: &Command) -> Seat<'_> {
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
