//! Runs a policy natively, in an ordinary `#[test]`.
//!
//! A [`World`] is all that the policy can see; the machine of the test is never asked.
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

mod suite;

use std::cell::RefCell;
use std::collections::BTreeMap;

pub use suite::{Case, Suite, SuiteFacts};

use crate::bindings::guard::policy::context::Facts;
use crate::syntax::{Analysis, Coverage};
use crate::{Decision, Policy, Presence, ResolvedPath, guest};

/// All that a policy can see in a test.
#[derive(Debug, Clone)]
pub struct World {
    /// What the call does. guard-shell's `analyze` makes one of a command.
    pub analysis: Analysis,
    /// Where the call happens.
    pub facts: Facts,
    /// Files that `read_text` gives, by path.
    pub files: BTreeMap<String, String>,
    /// Directories that exist.
    pub dirs: Vec<String>,
    /// Links, from the link's absolute path to where it leads.
    pub links: BTreeMap<String, String>,
    /// Paths that `resolve` knows. Another one is made absolute by its text, and follows `links`.
    pub paths: BTreeMap<String, ResolvedPath>,
    /// Variables that `env` gives.
    pub env: BTreeMap<String, String>,
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
            paths: BTreeMap::new(),
            env: BTreeMap::new(),
        }
    }
}

impl World {
    /// Configures a fresh policy and has it answer one call.
    ///
    /// # Errors
    ///
    /// The text that the host would show as the policy's fault.
    pub fn decide<P: Policy>(&self, settings: &str, tool: &str, input: &str) -> Result<Decision, String> {
        host::WORLD.with(|world| *world.borrow_mut() = self.clone());
        let slot = guest::Slot::<P>::new(None);
        guest::configure(&slot, settings)?;
        guest::decide(&slot, tool, input)
    }

    /// Fills the paths of the analysis's effects, as the host does from the machine before a policy is asked.
    pub fn fill_paths(&mut self) {
        let mut effects = std::mem::take(&mut self.analysis.effects);
        for effect in &mut effects {
            if !effect.path.raw.is_empty() && effect.path.lexical.is_empty() {
                effect.path = self.resolve(&effect.path.raw);
            }
        }
        self.analysis.effects = effects;
    }

    fn resolve(&self, path: &str) -> ResolvedPath {
        if let Some(known) = self.paths.get(path) {
            return known.clone();
        }
        let lexical = lexical(&self.facts.cwd, path);
        let canonical = self.follow(&lexical);
        let root = format!("{}/", self.facts.project_root);
        let (exists, kind) = if self.files.contains_key(&canonical) {
            (Presence::Yes, "file")
        } else if self.dirs.contains(&canonical) {
            (Presence::Yes, "dir")
        } else {
            (Presence::No, "none")
        };
        ResolvedPath {
            raw: path.to_owned(),
            project_relative: canonical.strip_prefix(&root).unwrap_or_default().to_owned(),
            lexical,
            canonical,
            git_root: String::new(),
            exists,
            kind: kind.to_owned(),
        }
    }

    fn follow(&self, path: &str) -> String {
        let below = |link: &str| path.strip_prefix(link).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let followed = self.links.iter().find_map(|(link, to)| below(link).map(|rest| format!("{to}{rest}")));
        followed.unwrap_or_else(|| path.to_owned())
    }
}

/// The absolute path of `path` seen from `cwd`, by text alone.
fn lexical(cwd: &str, path: &str) -> String {
    let base = if path.starts_with('/') { "" } else { cwd };
    let mut components: Vec<&str> = Vec::new();
    for component in base.split('/').chain(path.split('/')) {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()),
            name => components.push(name),
        }
    }
    format!("/{}", components.join("/"))
}

/// The host's functions over the world of the running test.
#[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a component has the real host"))]
pub(crate) mod host {
    use super::{Analysis, Facts, RefCell, ResolvedPath, World};
    use crate::{Fault, Level};

    thread_local! {
        pub(super) static WORLD: RefCell<World> = RefCell::new(World::default());
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

    pub(crate) fn read_text(path: &str) -> Result<String, Fault> {
        ask(|world| world.files.get(path).cloned().ok_or(Fault::Absent))
    }

    pub(crate) fn env(name: &str) -> Result<String, Fault> {
        ask(|world| world.env.get(name).cloned().ok_or(Fault::Absent))
    }

    pub(crate) fn journal(_: &str, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    pub(crate) fn log(_: Level, _: &str) {}
}
