//! All three layers of a configuration, and the chain over them inside this process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use guard_config::{Config, load};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::verdict::Verdict;
use guard_engine::Engine;
use guard_engine::clock::Clock;
use guard_facts::Facts;
use guard_facts::real::RealFacts;
use guard_hook::cache::prepare;
use guard_hook::chain::{AskOptions, Chain};
use guard_kit::compile::making;
use guard_setup::check::{Depth, Mistake, check};
use guard_setup::findings::{Inspection, mistakes};
use guard_setup::install::HookLocation;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use serde_json::Value;

use crate::support::texts::normalize;
use crate::support::world::World;

/// A world with a writable managed file.
pub struct Layers {
    pub world: World,
    pub dirs: AppDirs,
}

impl Layers {
    pub fn new() -> Self {
        let world = World::new();
        let mut dirs = AppDirs::under_home(&world.home.path().to_string_lossy());
        dirs.managed = world.path("managed/guard.toml");
        Layers { world, dirs }
    }

    pub fn managed(self, text: impl AsRef<[u8]>) -> Self {
        self.world.write("managed/guard.toml", text);
        self
    }

    pub fn user(self, text: impl AsRef<[u8]>) -> Self {
        self.world.write(".config/guard-host/guard.toml", text);
        self
    }

    pub fn project(self, text: impl AsRef<[u8]>) -> Self {
        self.world.write("repo/.guard/guard.toml", text);
        self
    }

    pub fn load(&self) -> Config {
        load(&self.dirs, &[self.world.repo().to_string_lossy().into_owned()])
    }

    /// Returns the names of the chain, in order.
    pub fn names(&self) -> Vec<String> {
        self.load().entries.into_iter().map(|entry| entry.name).collect()
    }

    /// Returns the problems, one text each: location, text and hint.
    pub fn problems(&self) -> Vec<String> {
        self.load().problems.iter().map(|problem| format!("{problem}\n{}", problem.hint)).collect()
    }

    /// Returns the only problem, for a snapshot.
    #[track_caller]
    pub fn problem(&self) -> String {
        let problems = self.problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        normalize(&self.world, &format!("{}\n", problems[0]))
    }

    /// Asserts that there is one problem with all these words, and that every entry of the layer is dropped.
    #[track_caller]
    pub fn assert_problem(&self, words: &[&str]) {
        let problems = self.problems();
        assert_eq!(problems.len(), 1, "{problems:?}");
        for word in words {
            assert!(problems[0].contains(word), "`{word}` is missing in: {}", problems[0]);
        }
    }

    /// Returns all mistakes in the chain.
    pub fn check(&self) -> Vec<Mistake> {
        let root = self.world.repo().to_string_lossy().into_owned();
        let environment = self.environment(&root);
        let prepared = prepare(&self.dirs, &environment.program, std::slice::from_ref(&root), Some(making()));
        check(prepared, &environment, &root, Depth::Calls)
    }

    /// Returns all mistakes of the configuration, as `config check` reports them for another machine.
    pub fn mistakes(&self) -> Vec<Mistake> {
        let root = self.world.repo().to_string_lossy().into_owned();
        let environment = self.environment(&root);
        let prepared = prepare(&self.dirs, &environment.program, std::slice::from_ref(&root), Some(making()));
        let site = HookLocation { environment: &environment, project: Path::new(&root), dirs: &self.dirs };
        let inspection = Inspection { depth: Depth::Calls, of_machine: false, making: Some(making()) };
        mistakes(prepared, site, std::slice::from_ref(&root), inspection)
    }

    fn environment(&self, root: &str) -> Environment {
        Environment {
            home: self.dirs.home.clone(),
            account_home: String::new(),
            cwd: root.to_owned(),
            variables: Arc::default(),
            program: Path::new(env!("CARGO_BIN_EXE_guard-host")).to_path_buf(),
            started: std::time::Instant::now(),
        }
    }

    /// Returns the verdicts on tool calls by the chain of all layers.
    pub fn decide<'a>(&self, calls: impl IntoIterator<Item = &'a (&'a str, Value)>) -> Vec<Verdict> {
        self.decide_only(None, calls)
    }

    /// Like [`Layers::decide`], as a hook with `--only` decides.
    pub fn decide_only<'a>(
        &self,
        only: Option<&[String]>,
        calls: impl IntoIterator<Item = &'a (&'a str, Value)>,
    ) -> Vec<Verdict> {
        let root = self.world.repo().to_string_lossy().into_owned();
        let program = Path::new(env!("CARGO_BIN_EXE_guard-host"));
        let prepared = prepare(&self.dirs, program, std::slice::from_ref(&root), Some(making()));
        let engine = Engine::new().unwrap();
        let _clock = Clock::start(engine.clone());
        let chain = Chain::new(engine, prepared);
        let facts: Arc<dyn Facts> = Arc::new(RealFacts::new(BTreeMap::new()));
        let at = CallContext {
            cwd: root.clone(),
            project_root: root,
            home: self.dirs.home.clone(),
            account_home: String::new(),
            repository: String::new(),
            session: "s1".to_owned(),
            harness: "claude".to_owned(),
            permission_mode: "default".to_owned(),
            agent: String::new(),
        };
        let decide = |(tool, input): &(&str, Value)| {
            let call = ToolCall::new(tool, input.as_object().unwrap().clone());
            chain.decide(&call, &at, &facts, AskOptions { only, ..AskOptions::default() }).verdict
        };
        calls.into_iter().map(decide).collect()
    }

    /// Removes the project's file.
    pub fn without_project(&self) {
        let _ = fs::remove_dir_all(self.world.path("repo/.guard"));
    }
}
