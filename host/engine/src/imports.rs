//! The host's side of the contract: the functions that guests import. Their answers come from the policy's [`View`].

use std::sync::Arc;

use wasmtime::component::{HasData, Linker};
use wasmtime::{Result, Store, Trap, UpdateDeadline};

use super::bindings::{Guest, facts, history, interfaces, scripts, shared_analysis, sources};
use super::meter::{Bounds, Meter};
use super::scripts::Scripts;
use super::wasi::FrozenWasi;
use crate::bindings::interfaces::types::{Fault as FactFault, Level, Presence, ResolvedPath};
use crate::convert::Convert;
use guard_contract::limits::{self, Limits};
use guard_contract::syntax::Analysis;
use guard_facts::sources::{Source, Sources};
use guard_facts::{Question, View};

/// The contents of one instance's store.
pub(super) struct State {
    pub(super) limits: Bounds,
    /// The script analyzer, which the analyzer calls.
    pub(super) scripts: Option<Scripts>,
    /// The files that the call runs, during its analysis.
    pub(super) sources: Option<Arc<Sources>>,
    /// The analysis that was last passed to the bundle's policies. Kept alive so that its address, which identifies it,
    /// isn't reused.
    pub(super) shared_analysis: Option<Arc<Analysis>>,
    pub(super) view: View,
    /// The state of the frozen WASI.
    pub(super) wasi: FrozenWasi,
}

impl State {
    pub(super) fn new(limits: Limits) -> Self {
        State {
            limits: Bounds::new(limits),
            scripts: None,
            sources: None,
            shared_analysis: None,
            view: View::default(),
            wasi: FrozenWasi::default(),
        }
    }

    /// Returns the state, and resets it except for what belongs to the instance: the memory size, the script analyzer
    /// and the shared analysis.
    pub(super) fn renew(&mut self, limits: Limits) -> State {
        let memory = self.limits.memory;
        let mut old = std::mem::replace(self, State::new(limits));
        self.limits.memory = memory;
        self.scripts = old.scripts.take();
        self.shared_analysis = old.shared_analysis.take();
        old
    }

    /// Begins a question: from now on the guest has access to its call.
    pub(super) fn begin(&mut self, question: &Question<'_>) {
        self.view.scene = Some(question.scene.clone());
        self.view.grants = question.grants.clone();
    }
}

/// Sets a store's limits. The time limit begins now.
pub(super) fn bound(store: &mut Store<State>, limits: Limits) -> Meter {
    store.limiter(|state| &mut state.limits);
    let meter = Meter::start(limits);
    store.set_epoch_deadline(meter.first_check());
    store.epoch_deadline_callback(move |_| match meter.remaining_ticks() {
        Some(ticks) => Ok(UpdateDeadline::Continue(ticks)),
        None => Err(Trap::Interrupt.into()),
    });
    store.set_hostcall_fuel(limits::COPY_BYTES);
    meter
}

impl HasData for State {
    type Data<'a> = &'a mut State;
}

/// Defines the bundle's imports: the contract's first version, git facts, the session's history, the script analyzer,
/// and reading of files.
pub(super) fn define_for_bundle(linker: &mut Linker<State>) -> Result<()> {
    interfaces::types::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::syntax::add_to_linker::<State, State>(linker, |state| state)?;
    shared_analysis::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::context::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::files::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::env::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::journal::add_to_linker::<State, State>(linker, |state| state)?;
    interfaces::log::add_to_linker::<State, State>(linker, |state| state)?;
    facts::git::add_to_linker::<State, State>(linker, |state| state)?;
    history::add_to_linker::<State, State>(linker, |state| state)?;
    scripts::add_to_linker::<State, State>(linker, |state| state)?;
    sources::add_to_linker::<State, State>(linker, |state| state)
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

impl sources::Host for State {
    fn read(&mut self, path: String) -> Result<sources::Source> {
        let source = self.sources.as_ref().map_or(Source::None, |sources| sources.read(&path));
        Ok(match source {
            Source::Text(text) => sources::Source::Text(text),
            Source::None => sources::Source::None,
            Source::Unread(why) => sources::Source::Unread(why),
        })
    }
}

impl shared_analysis::Host for State {
    fn current(&mut self) -> Result<Option<interfaces::syntax::Analysis>> {
        let analysis = self.view.analysis()?;
        if self.shared_analysis.as_ref().is_some_and(|last| Arc::ptr_eq(last, &analysis)) {
            return Ok(None);
        }
        self.shared_analysis = Some(analysis.clone());
        Ok(Some(Analysis::clone(&analysis).convert()))
    }
}

impl interfaces::types::Host for State {}

impl interfaces::syntax::Host for State {}

impl interfaces::analysis::Host for State {
    fn current(&mut self) -> Result<interfaces::syntax::Analysis> {
        Ok(Analysis::clone(&*self.view.analysis()?).convert())
    }
}

impl interfaces::context::Host for State {
    fn get(&mut self) -> Result<interfaces::context::Facts> {
        Ok(self.view.context()?.convert())
    }
}

impl interfaces::files::Host for State {
    fn resolve(&mut self, path: String) -> Result<ResolvedPath> {
        Ok(self.view.resolve(&path)?.convert())
    }

    fn read_text(&mut self, path: String) -> Result<Result<String, FactFault>> {
        Ok(self.view.read_text(&path)?.map_err(Convert::convert))
    }
}

impl interfaces::env::Host for State {
    fn get(&mut self, name: String) -> Result<Result<String, FactFault>> {
        Ok(self.view.env(&name)?.map_err(Convert::convert))
    }
}

impl interfaces::journal::Host for State {
    fn append(&mut self, stream: String, object: String) -> Result<Result<(), FactFault>> {
        Ok(self.view.append(stream, object)?.map_err(Convert::convert))
    }
}

impl interfaces::log::Host for State {
    fn log(&mut self, level: Level, message: String) -> Result<()> {
        self.view.log(level.convert(), message);
        Ok(())
    }
}

impl facts::git::Host for State {
    fn branch(&mut self, path: String) -> Result<String> {
        Ok(self.view.branch(&path)?)
    }

    fn tracked(&mut self, path: String) -> Result<Presence> {
        Ok(self.view.tracked(&path)?.convert())
    }

    fn staged(&mut self, path: String) -> Result<Presence> {
        Ok(self.view.staged(&path)?.convert())
    }

    fn ignored(&mut self, path: String) -> Result<Presence> {
        Ok(self.view.ignored(&path)?.convert())
    }
}

impl facts::project::Host for State {
    fn manifests(&mut self, path: String) -> Result<Result<Vec<facts::project::Manifest>, FactFault>> {
        Ok(self.view.manifests(&path)?.map_err(Convert::convert).map(Convert::convert))
    }
}

impl history::Host for State {
    fn events(&mut self, kind: String) -> Result<Result<Vec<history::Event>, FactFault>> {
        Ok(self.view.events(&kind)?.map_err(Convert::convert).map(Convert::convert))
    }
}

impl facts::earlier::Host for State {
    fn effects(&mut self, command_id: u32, path: String) -> Result<Vec<interfaces::syntax::Effect>> {
        Ok(self.view.earlier(command_id, &path)?.convert())
    }
}

#[cfg(test)]
mod tests {
    use guard_contract::call::{CallContext, ToolCall};
    use guard_contract::syntax::Coverage;
    use guard_facts::fixed::FixedFacts;
    use guard_facts::{Resolver, Scene, analysis};

    use super::*;

    #[test]
    fn the_policies_of_the_bundle_are_given_each_analysis_once() {
        let scene = || {
            let context = CallContext::default().facts(&ToolCall::new("Bash", Default::default()));
            let resolver = Resolver::new("/repo", "/home/u", "/repo");
            Scene::new(context, analysis::empty(Coverage::Complete, None), Arc::new(FixedFacts::default()), resolver)
        };
        let mut state = State::new(Limits::DEFAULT);
        let mut given = Vec::new();
        let (one, other) = (scene(), scene());
        for scene in [&one, &one, &other, &one] {
            state.view.scene = Some(scene.clone());
            given.push(shared_analysis::Host::current(&mut state).unwrap().is_some());
            let left = state.renew(Limits::DEFAULT);
            assert_eq!(left.view.asked, ["analysis.current"]);
        }
        assert_eq!(given, [true, false, true, true]);
        assert!(shared_analysis::Host::current(&mut state).is_err(), "there is no call any more");
    }
}
