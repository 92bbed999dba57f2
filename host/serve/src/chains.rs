//! [`ChainCache`]: prepared chains in memory, checked against the files that they depend on at every call.
//! [`EpochTicker`]: the clock for guests' time limits, which ticks only while a call is decided.

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

/// The maximum number of projects with their own file whose chains are cached.
const KEPT: usize = 64;

/// The chains of a long-running process.
pub(crate) struct ChainCache {
    dirs: AppDirs,
    environment: Arc<Environment>,
    now: Mutex<Generation>,
    pulse: Arc<EpochTicker>,
}

/// An engine and its chains.
struct Generation {
    engine: Engine,
    kept: HashMap<Vec<String>, CachedChain>,
}

/// A chain and the key's state when the chain was prepared.
#[derive(Clone)]
struct CachedChain {
    chain: Arc<Chain>,
    key: FileState,
}

impl ChainCache {
    /// # Errors
    ///
    /// The sandbox can't start on this machine.
    pub(crate) fn new(
        dirs: &AppDirs,
        environment: Arc<Environment>,
        pulse: Arc<EpochTicker>,
    ) -> Result<Self, FaultKind> {
        let now = Generation::new(dirs, &pulse)?;
        Ok(ChainCache { dirs: dirs.clone(), environment, now: Mutex::new(now), pulse })
    }

    /// Replaces the engine and all chains, because a call that never ends may hold a part of them.
    pub(crate) fn renew(&self) {
        // If there is no new engine, the old one stays.
        if let Ok(new) = Generation::new(&self.dirs, &self.pulse) {
            *self.lock_current() = new;
        }
    }

    /// Returns the chain of these projects for a call in `cwd`.
    pub(crate) fn chain_for(&self, projects: &[String], cwd: &str) -> Arc<Chain> {
        let projects = effective(projects);
        let key = FileState::read(&Seal::file(&self.dirs.state));
        let (engine, kept) = {
            let now = self.lock_current();
            (now.engine.clone(), now.kept.get(&projects).cloned())
        };
        if let Some(kept) = kept.filter(|kept| kept.key == key && kept.chain.prepared.is_current(&self.dirs)) {
            return kept.chain;
        }
        let chain = Arc::new(Chain::new(engine, self.prepare(&projects, cwd)));
        if chain.prepared.is_settled() {
            let mut now = self.lock_current();
            if now.kept.len() >= KEPT {
                now.kept.clear();
            }
            now.kept.insert(projects, CachedChain { chain: chain.clone(), key });
        }
        chain
    }

    fn prepare(&self, projects: &[String], cwd: &str) -> Prepared {
        let overrides = Overrides::default();
        let (prepared, compiling) = open_chain(&self.dirs, &self.environment, projects, cwd, &overrides);
        if let Some(mut child) = compiling {
            // Waits for the child, so that it doesn't stay a zombie.
            let _ = thread::Builder::new().spawn(move || child.wait());
        }
        prepared
    }

    fn lock_current(&self) -> MutexGuard<'_, Generation> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chains for ChainCache {
    fn chain(&self, at: &CallContext) -> Arc<Chain> {
        self.chain_for(&at.projects(), &at.cwd)
    }

    fn nested(&self, folders: &[String]) -> Prepared {
        let inner = folders.last().map_or("/", String::as_str);
        self.chain_for(folders, inner).prepared.clone()
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
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The thread can't be started.
    pub(crate) fn start() -> std::io::Result<Arc<Self>> {
        let pulse = Arc::new(EpochTicker::default());
        let own = pulse.clone();
        thread::Builder::new().spawn(move || own.beat())?;
        Ok(pulse)
    }

    /// Counts a call that begins to be decided.
    pub(crate) fn begin(&self) {
        let mut state = self.state();
        state.running += 1;
        if state.running == 1 {
            self.began.notify_one();
        }
    }

    /// Counts a call that was decided or given up.
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
            // Includes the engines of older generations, on which a call may still be running.
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
