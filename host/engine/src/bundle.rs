//! [`Bundle`]: the embedded component with the analyzer and the policies of the presets. [`SharedInstance`]: the one
//! instance of it that serves a call.

use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::Linker;

use crate::bindings::{Bundle as Guest, BundlePre};
use crate::convert::Convert;
use crate::embedded::EmbeddedComponent;
use crate::guest::GuestPre;
use crate::imports::{self, State, bound};
use crate::meter::Meter;
use crate::policy::{Policy, end};
use crate::scripts::Scripts;
use crate::{Engine, fault};
use guard_contract::limits::Limits;
use guard_contract::manifest;
use guard_contract::syntax::Analysis;
use guard_contract::{Decision, FaultKind};
use guard_facts::sources::Sources;
use guard_facts::{Answer, Question};

/// The embedded component, linked.
#[derive(Clone)]
pub struct Bundle {
    pre: BundlePre<State>,
    ends_soon: bool,
    scripts: Scripts,
}

impl std::fmt::Debug for Bundle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bundle")
    }
}

impl Engine {
    /// Links the bundle, once for each engine. Its artifact comes from the source passed to
    /// [`Engine::load_embedded_from`].
    ///
    /// # Errors
    ///
    /// [`FaultKind::Component`] without an artifact, [`FaultKind::Artifact`] if this engine can't load it.
    pub fn bundle(&self) -> Result<Bundle, FaultKind> {
        let link = || {
            let code = self.embedded.code(EmbeddedComponent::Bundle)?;
            let mut linker = Linker::new(self.embedded.engine.get()?);
            let linked = imports::define_for_bundle(&mut linker).and_then(|()| linker.instantiate_pre(&code.component));
            let pre = linked.and_then(BundlePre::new);
            let pre = pre.map_err(|error| FaultKind::Artifact(format!("{error:#}")))?;
            Ok(Bundle { pre, ends_soon: self.ends_soon, scripts: self.scripts.clone() })
        };
        self.bundle.get_or_init(link).clone()
    }
}

impl Bundle {
    /// Returns the policy of this name. An unknown name is reported as an error when the policy is asked.
    #[must_use]
    pub fn policy(&self, name: &'static str) -> Policy {
        Policy { pre: GuestPre::Bundled(self.pre.clone(), name), ends_soon: self.ends_soon }
    }

    /// Returns the analyzer of shell text.
    #[must_use]
    pub fn analyzer(&self) -> Analyzer {
        Analyzer { bundle: self.clone() }
    }
}

/// The analyzer of shell text.
#[derive(Debug, Clone)]
pub struct Analyzer {
    bundle: Bundle,
}

impl Analyzer {
    /// Analyzes one text. `sources` reads the files that it runs. Without it, no file is read.
    ///
    /// # Errors
    ///
    /// The analyzer exceeded its limits or trapped. The caller must treat the text as unparsed.
    pub fn analyze(
        &self,
        shared: &mut SharedInstance,
        source: &str,
        dialect: &str,
        (cwd, home): (&str, &str),
        sources: Option<Arc<Sources>>,
    ) -> Result<Analysis, FaultKind> {
        let (running, _) = shared.begin(&self.bundle.pre, Limits::ANALYZER, self.bundle.ends_soon)?;
        running.store.data_mut().scripts.get_or_insert_with(|| self.bundle.scripts.clone());
        running.store.data_mut().sources = sources;
        let analyzer = running.guest.guard_bundle_analyzer();
        let analysis = analyzer.call_analyze(&mut running.store, source, dialect, cwd, home);
        running.store.data_mut().sources = None;
        analysis.map(Convert::convert).map_err(|error| {
            shared.discard();
            fault::run_fault(&error, None)
        })
    }
}

/// The instance of the bundle that serves one call. The first request starts it. It ends with the call, or when
/// something in it fails. A later request then starts a new one.
#[derive(Default)]
pub struct SharedInstance(Option<Running>);

struct Running {
    store: Store<State>,
    guest: Guest,
    ends_soon: bool,
}

impl std::fmt::Debug for SharedInstance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Drop for SharedInstance {
    fn drop(&mut self) {
        self.discard();
    }
}

impl SharedInstance {
    /// Returns the instance, prepared for the next policy under that policy's time limit. All policies share its memory
    /// and the memory limit.
    fn begin(
        &mut self,
        pre: &BundlePre<State>,
        limits: Limits,
        ends_soon: bool,
    ) -> Result<(&mut Running, Meter), FaultKind> {
        let of_all = Limits { memory_mib: Limits::ANALYZER.memory_mib, ..limits };
        let (running, meter) = match self.0.take() {
            Some(mut running) => {
                let _ = running.store.data_mut().renew(of_all);
                let meter = bound(&mut running.store, limits);
                (running, meter)
            }
            None => {
                let mut store = Store::new(pre.engine(), State::new(of_all));
                let meter = bound(&mut store, limits);
                let guest = pre.instantiate(&mut store).map_err(|error| fault::start_fault(&error, true))?;
                (Running { store, guest, ends_soon }, meter)
            }
        };
        Ok((self.0.insert(running), meter))
    }

    fn discard(&mut self) {
        if let Some(running) = self.0.take() {
            let _ = end(running.store, running.ends_soon);
        }
    }

    /// Asks a policy in this instance. `None` if it must be asked in an instance of its own: its memory limit isn't the
    /// default, or it failed in a way that another policy may have caused.
    pub(crate) fn ask(
        &mut self,
        pre: &BundlePre<State>,
        name: &str,
        limits: Limits,
        settings: &str,
        question: &Question<'_>,
        ends_soon: bool,
    ) -> Option<Answer> {
        if limits.memory_mib != Limits::DEFAULT.memory_mib {
            return None;
        }
        let (running, meter) = self.begin(pre, limits, ends_soon).ok()?;
        let answered = running.ask(name, settings, question);
        let state = running.store.data_mut();
        let used = meter.usage(&state.limits);
        let left = state.renew(limits);
        let decision = match answered {
            Ok(decision) => decision.and_then(|decision| manifest::check_decision(question.manifest, decision)),
            Err(error) => {
                self.discard();
                match fault::run_fault(&error, None) {
                    // The time limit was its own, so a second attempt would take as long.
                    FaultKind::Time => Err(FaultKind::Time),
                    _ => return None,
                }
            }
        };
        Some(Answer::new(decision, left.view, used))
    }
}

impl Running {
    /// The inner error is one that the policy returned.
    fn ask(
        &mut self,
        name: &str,
        settings: &str,
        question: &Question<'_>,
    ) -> wasmtime::Result<Result<Decision, FaultKind>> {
        let policies = self.guest.guard_bundle_policies();
        if let Err(text) = policies.call_configure(&mut self.store, name, settings)? {
            return Ok(Err(FaultKind::refused("configure", &text)));
        }
        self.store.data_mut().begin(question);
        let decision = policies.call_decide(&mut self.store, name, question.tool, question.input)?;
        Ok(decision.convert().map_err(|text| FaultKind::refused("decide", &text)))
    }
}
