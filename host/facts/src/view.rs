//! [`View`]: one policy's access to a call's facts, and its output.

use std::sync::Arc;

use crate::sources::Sources;
use crate::{Entry, Facts, GitAsked, GitQuestion, Resolver, manifests};
use guard_contract::grants::Grants;
use guard_contract::limits::{FILE_BYTES, GIT_QUESTIONS, JOURNAL_LINE_BYTES, LINES, LOG_LINE_BYTES};
use guard_contract::paths::{below, is_below, parent};
use guard_contract::syntax::{Analysis, Command, Effect};
use guard_contract::{CallFacts, Event, FactFault, JournalLine, Level, LogLine, Presence, ResolvedPath};
use guard_sdk::earlier::{Earlier, FOR_EACH, Seat};

/// All facts that a chain's policies can learn about one call.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The call's context.
    pub context: CallFacts,
    /// The call's analysis, with partial coverage and without effects if no policy of the chain requests it.
    pub analysis: Arc<Analysis>,
    /// The machine, or its replacement in a test.
    pub facts: Arc<dyn Facts>,
    /// The resolver, with the paths resolved so far.
    pub resolver: Arc<Resolver>,
    /// The files that the call runs.
    pub sources: Arc<Sources>,
}

impl Scene {
    /// Returns the facts about a call on this machine.
    #[must_use]
    pub fn new(context: CallFacts, analysis: Analysis, facts: Arc<dyn Facts>, resolver: Resolver) -> Self {
        let resolver = Arc::new(resolver);
        let sources = Arc::new(Sources::new(facts.clone(), resolver.clone(), &context.home));
        Scene { context, analysis: Arc::new(analysis), facts, resolver, sources }
    }

    /// Returns the same call, with its paths relative to another project's root.
    #[must_use]
    pub fn with_project_root(&self, project_root: &str) -> Self {
        let mut analysis = Analysis::clone(&self.analysis);
        for effect in &mut analysis.effects {
            let path = &mut effect.path;
            path.project_relative = below(&path.canonical, project_root).unwrap_or_default().to_owned();
        }
        Scene {
            context: CallFacts { project_root: project_root.to_owned(), ..self.context.clone() },
            analysis: Arc::new(analysis),
            resolver: Arc::new(self.resolver.with_project_root(project_root)),
            ..self.clone()
        }
    }
}

/// The facts that one policy may request, and the lines that it writes.
#[derive(Debug, Default)]
pub struct View {
    /// The call, or `None` during `describe` and `configure`, when only `log` works.
    pub scene: Option<Scene>,
    /// The grants of the policy.
    pub grants: Arc<Grants>,
    /// The journal lines that the policy wants to write.
    pub journal: Vec<JournalLine>,
    /// The policy's log.
    pub log: Vec<LogLine>,
    /// The imports that the policy called, in order.
    pub asked: Vec<String>,
    /// The number of questions to git.
    git_questions: usize,
}

/// The error of an import that was called outside `decide`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideDecide(String);

impl std::fmt::Display for OutsideDecide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` was called outside `decide`", self.0)
    }
}

impl std::error::Error for OutsideDecide {}

/// The answer of an import that only works in `decide`.
type InDecide<T> = Result<T, OutsideDecide>;

#[expect(clippy::missing_errors_doc, reason = "each fails for one reason: there is no call")]
impl View {
    /// Creates a view of this scene without grants.
    pub(crate) fn ungranted(scene: Scene) -> Self {
        View { scene: Some(scene), ..View::default() }
    }

    fn scene(&mut self, question: &str) -> InDecide<&Scene> {
        if self.asked.len() < LINES {
            self.asked.push(question.to_owned());
        }
        self.scene.as_ref().ok_or_else(|| OutsideDecide(question.to_owned()))
    }

    /// `analysis.current`.
    pub fn analysis(&mut self) -> InDecide<Arc<Analysis>> {
        Ok(self.scene("analysis.current")?.analysis.clone())
    }

    /// `context.get`.
    pub fn context(&mut self) -> InDecide<CallFacts> {
        Ok(self.scene("context.get")?.context.clone())
    }

    /// `files.resolve`.
    pub fn resolve(&mut self, path: &str) -> InDecide<ResolvedPath> {
        let scene = self.scene("files.resolve")?;
        Ok(scene.resolver.resolve(&*scene.facts, path))
    }

    /// `files.read-text`.
    pub fn read_text(&mut self, path: &str) -> InDecide<Result<String, FactFault>> {
        let grants = self.grants.clone();
        let scene = self.scene("files.read-text")?;
        let resolved = scene.resolver.resolve(&*scene.facts, path);
        Ok(match grants.read_root(&resolved.lexical) {
            Some(root) => scene.facts.read_granted(root, &resolved.lexical, FILE_BYTES),
            None => Err(FactFault::Denied),
        })
    }

    /// `env.get`.
    pub fn env(&mut self, name: &str) -> InDecide<Result<String, FactFault>> {
        let granted = self.grants.allows_env(name);
        let scene = self.scene("env.get")?;
        Ok(if granted { scene.facts.env(name).ok_or(FactFault::Absent) } else { Err(FactFault::Denied) })
    }

    /// `journal.append`.
    pub fn append(&mut self, stream: String, object: String) -> InDecide<Result<(), FactFault>> {
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

    /// `log.log`, which works at any time.
    pub fn log(&mut self, level: Level, mut message: String) {
        if self.log.len() < LINES {
            let end = message.floor_char_boundary(LOG_LINE_BYTES.min(message.len()));
            message.truncate(end);
            self.log.push(LogLine { level, message });
        }
    }

    /// `git.branch`.
    pub fn branch(&mut self, path: &str) -> InDecide<String> {
        Ok(self.git("git.branch", path, GitQuestion::Branch)?.unwrap_or_default())
    }

    /// Returns a file's content in the last commit, or `None` if the commit has no such file or it isn't known.
    pub(crate) fn head(&mut self, path: &str) -> InDecide<Option<String>> {
        self.git("git.head", path, GitQuestion::Head)
    }

    /// `git.tracked`.
    pub fn tracked(&mut self, path: &str) -> InDecide<Presence> {
        self.git_presence("git.tracked", path, GitQuestion::Tracked)
    }

    /// `git.staged`.
    pub fn staged(&mut self, path: &str) -> InDecide<Presence> {
        self.git_presence("git.staged", path, GitQuestion::Staged)
    }

    /// `git.ignored`.
    pub fn ignored(&mut self, path: &str) -> InDecide<Presence> {
        self.git_presence("git.ignored", path, GitQuestion::Ignored)
    }

    /// `history.events`.
    pub fn events(&mut self, kind: &str) -> InDecide<Result<Vec<Event>, FactFault>> {
        let scene = self.scene("history.events")?;
        Ok(scene.facts.history(kind))
    }

    /// `project.manifests`.
    pub fn manifests(&mut self, path: &str) -> InDecide<Result<Vec<manifests::Manifest>, FactFault>> {
        let grants = self.grants.clone();
        let scene = self.scene("project.manifests")?;
        let found = scene.resolver.resolve(&*scene.facts, path);
        // The project's root may be another spelling of the path.
        let start = if is_below(&found.lexical, &scene.context.project_root) { found.lexical } else { found.canonical };
        let read = |path: &str| match grants.read_root(path) {
            Some(root) => scene.facts.read_granted(root, path, FILE_BYTES),
            None => Err(FactFault::Denied),
        };
        Ok(manifests::find_nearest(&start, &scene.context.project_root, &*scene.facts, &read))
    }

    /// `earlier.effects`.
    pub fn earlier(&mut self, command_id: u32, path: &str) -> InDecide<Vec<Effect>> {
        let scene = self.scene("earlier.effects")?;
        let about = scene.resolver.resolve(&*scene.facts, path);
        let seats = scene.analysis.commands.iter().map(to_seat);
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
        Ok(found)
    }

    /// Returns git's answer about a path, or `None` if it is unknown.
    fn git(&mut self, name: &str, path: &str, question: GitQuestion) -> InDecide<Option<String>> {
        self.git_questions += 1;
        let has_room = self.git_questions <= GIT_QUESTIONS;
        let scene = self.scene(name)?;
        let at = &scene.context;
        let ask = || ask_git_about(path, question, (&*scene.facts, &scene.resolver), (&at.cwd, &at.project_root));
        Ok(has_room.then(ask).flatten())
    }

    fn git_presence(&mut self, name: &str, path: &str, question: GitQuestion) -> InDecide<Presence> {
        Ok(match self.git(name, path, question)?.as_deref() {
            Some("yes") => Presence::Yes,
            Some("no") => Presence::No,
            _ => Presence::Unknown,
        })
    }
}

/// Returns git's answer about a path, in a call in this folder and project, or `None` if it is unknown.
pub(crate) fn ask_git_about(
    path: &str,
    question: GitQuestion,
    (facts, resolver): (&dyn Facts, &Resolver),
    (cwd, project_root): (&str, &str),
) -> Option<String> {
    // git tracks a link itself, not its target.
    let lexical = resolver.resolve(facts, path).lexical;
    let parent_path = resolver.resolve(facts, parent(&lexical).unwrap_or("/"));
    let name = lexical.rsplit('/').next().unwrap_or_default();
    let whole = format!("{}/{name}", parent_path.canonical.trim_end_matches('/'));
    let is_root = facts.entry(&whole) == Entry::Dir && !matches!(facts.entry(&format!("{whole}/.git")), Entry::Absent);
    let root = if is_root { resolver.resolve(facts, path).git_root } else { parent_path.git_root };
    // A repository in between, which the host doesn't recognize, is one for git.
    let mut between = std::iter::successors(Some(parent_path.canonical.as_str()), |folder| parent(folder))
        .take_while(|folder| is_below(folder, &root) && *folder != root);
    let is_mine = |folder: &str| !matches!(facts.entry(&format!("{folder}/.git")), Entry::Absent);
    let is_known = !root.is_empty() && !parent_path.canonical.is_empty() && (!is_root || root == whole);
    if !is_known || between.any(is_mine) {
        return None;
    }
    let of_call = resolver.resolve(facts, cwd).git_root;
    let own = [root.clone(), project_root.to_owned(), cwd.to_owned(), of_call];
    let own: Vec<String> = own.into_iter().filter(|folder| !matches!(folder.as_str(), "" | "/")).collect();
    resolver.ask_git(facts, GitAsked { root: &root, path: &whole, question, own: &own })
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
