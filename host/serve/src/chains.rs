//! [`ChainCache`]: prepared chains in memory, each held against the files that it depends on at every call;
//! [`EpochTicker`]: the clock of guests' time limits, which ticks only while a call is decided.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use guard_config::Overrides;
use guard_contract::FaultKind;
use guard_contract::call::CallContext;
use guard_contract::limits::TICK;
use guard_engine::Engine;
use guard_engine::clock::Ticks;
use guard_hook::cache::{Prepared, effective};
use guard_hook::chain::Chain;
use guard_hook::embedded;
use guard_hook::hook::{Chains, open_chain};
use guard_state::environment::Environment;
use guard_state::{AppDirs, FileState, Seal};

/// The most projects with a file of their own whose chains are kept.
const KEPT: usize = 64;

/// The chains of a process that lives on.
pub(crate) struct ChainCache {
    dirs: AppDirs,
    environment: Arc<Environment>,
    now: Mutex<Generation>,
    pulse: Arc<EpochTicker>,
}

/// An engine and the chains that it runs.
struct Generation {
    engine: Engine,
    kept: HashMap<Vec<String>, CachedChain>,
}

/// A chain, and the state of the key when it was prepared.
#[derive(Clone)]
struct CachedChain {
    chain: Arc<Chain>,
    key: FileState,
}

impl ChainCache {
    /// # Errors
    ///
    /// The sandbox cannot start on this machine.
    pub(crate) fn new(
        dirs: &AppDirs,
        environment: Arc<Environment>,
        pulse: Arc<EpochTicker>,
    ) -> Result<Self, FaultKind> {
        let now = Generation::new(dirs, &pulse)?;
        Ok(ChainCache { dirs: dirs.clone(), environment, now: Mutex::new(now), pulse })
    }

    /// Lets go of the engine and all chains: a call that will never end may hold a part of them.
    pub(crate) fn renew(&self) {
        // Without a new engine the old one is as good as none.
        if let Ok(new) = Generation::new(&self.dirs, &self.pulse) {
            *self.now() = new;
        }
    }

    /// The chain of these projects, for a call that happens in `cwd`.
    pub(crate) fn of(&self, projects: &[String], cwd: &str) -> Arc<Chain> {
        let projects = effective(projects);
        let key = FileState::read(&Seal::file(&self.dirs.state));
        let (engine, kept) = {
            let now = self.now();
            (now.engine.clone(), now.kept.get(&projects).cloned())
        };
        if let Some(kept) = kept.filter(|kept| kept.key == key && kept.chain.prepared.is_current(&self.dirs)) {
            return kept.chain;
        }
        let chain = Arc::new(Chain::new(engine, self.prepared(&projects, cwd)));
        if chain.prepared.is_settled() {
            let mut now = self.now();
            if now.kept.len() >= KEPT {
                now.kept.clear();
            }
            now.kept.insert(projects, CachedChain { chain: chain.clone(), key });
        }
        chain
    }

    fn prepared(&self, projects: &[String], cwd: &str) -> Prepared {
        let overrides = Overrides::default();
        let (prepared, compiling) = open_chain(&self.dirs, &self.environment, projects, cwd, &overrides);
        if let Some(mut child) = compiling {
            // Somebody has to wait for it when it ends.
            let _ = thread::Builder::new().spawn(move || child.wait());
        }
        prepared
    }

    fn now(&self) -> MutexGuard<'_, Generation> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chains for ChainCache {
    fn chain(&self, at: &CallContext) -> Arc<Chain> {
        self.of(&at.projects(), &at.cwd)
    }

    fn nested(&self, folders: &[String]) -> Prepared {
        let inner = folders.last().map_or("/", String::as_str);
        self.of(folders, inner).prepared.clone()
    }
}

impl Generation {
    fn new(dirs: &AppDirs, pulse: &EpochTicker) -> Result<Self, FaultKind> {
        let engine = embedded::engine_for_many_replies(dirs)?;
        pulse.drive(engine.clone());
        Ok(Generation { engine, kept: HashMap::new() })
    }
}

/// Ticks on every engine while calls are decided, and sleeps otherwise.
#[derive(Default)]
pub(crate) struct EpochTicker {
    state: Mutex<State>,
    began: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    engines: Vec<Engine>,
}

impl EpochTicker {
    /// Starts its thread.
    ///
    /// # Errors
    ///
    /// There is no room for one.
    pub(crate) fn start() -> std::io::Result<Arc<Self>> {
        let pulse = Arc::new(EpochTicker::default());
        let own = pulse.clone();
        thread::Builder::new().spawn(move || own.beat())?;
        Ok(pulse)
    }

    /// A call begins to be decided.
    pub(crate) fn begin(&self) {
        let mut state = self.state();
        state.running += 1;
        if state.running == 1 {
            self.began.notify_one();
        }
    }

    /// It was decided, or never will be.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
    }

    fn drive(&self, engine: Engine) {
        self.state().engines.push(engine);
    }

    fn beat(&self) {
        loop {
            let mut state = self.state();
            while state.running == 0 {
                state = self.began.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            // Those of older generations, too: a call may still be decided on one.
            let engines = state.engines.clone();
            drop(state);
            let mut clocks: Vec<(Ticks, &Engine)> = engines.iter().map(|engine| (Ticks::start(), engine)).collect();
            loop {
                thread::sleep(TICK);
                clocks.iter_mut().for_each(|(ticks, engine)| ticks.catch_up(engine));
                let state = self.state();
                if state.running == 0 || state.engines.len() != engines.len() {
                    break;
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
