//! [`Linked`]: the sandbox in which each policy is a component linked to this one.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use crate::convert::Convert;
use crate::generated::guard::bundle::{analyzer, policies as bundled};
use crate::generated::guard::service::{policies as row, scene};
use guard_chain::embedded::{ComponentLocation, EmbeddedChain, EmbeddedPolicy};
use guard_chain::{DEFAULTS, Sandbox, SettingsToUse};
use guard_contract::call::CallContext;
use guard_contract::manifest::check_decision;
use guard_contract::policy::Entry;
use guard_contract::syntax::Analysis;
use guard_contract::{FaultKind, JournalLine, LogLine, Problem};
use guard_facts::recorded::{Missing, Record};
use guard_facts::sources::Sources;
use guard_facts::{Answer, Question, Scene, Used};

/// The policies of one request.
#[derive(Debug)]
pub(crate) struct Linked<'a> {
    embedded: &'a EmbeddedChain,
    /// The facts about the machine as JSON, until the policies get them.
    record: RefCell<Option<String>>,
    /// Whether the policies have the record.
    is_open: Cell<bool>,
    /// The analysis of the scene that the policies have.
    begun: RefCell<Option<Arc<Analysis>>>,
}

impl<'a> Linked<'a> {
    pub(crate) fn new(embedded: &'a EmbeddedChain, record: &Record) -> Self {
        // A record consists of maps of texts, which JSON can represent.
        let record = serde_json::to_string(record).unwrap_or_default();
        Linked { embedded, record: RefCell::new(Some(record)), is_open: Cell::new(false), begun: RefCell::default() }
    }

    /// Returns the facts that policies requested and that aren't in the record.
    pub(crate) fn missing(&self) -> Missing {
        match self.is_open.get() {
            true => postcard::from_bytes(&scene::missing()).unwrap_or_default(),
            false => Missing::default(),
        }
    }

    /// Gives the policies the record and the call's context. With a context, the files that the call runs are read.
    fn open(&self, at: Option<&CallContext>) -> Result<(), FaultKind> {
        let record = self.record.take();
        let place = at.map(|at| (&at.cwd, &at.home, &at.project_root));
        scene::open(&postcard::to_stdvec(&(record, place)).map_err(form)?);
        self.is_open.set(true);
        Ok(())
    }

    /// Gives the policies the scene of a call, once.
    fn begin(&self, shown: &Scene) -> Result<(), FaultKind> {
        let mut begun = self.begun.borrow_mut();
        if !begun.as_ref().is_some_and(|begun| Arc::ptr_eq(begun, &shown.analysis)) {
            if !self.is_open.get() {
                self.open(None)?;
            }
            let bytes = postcard::to_stdvec(&(&shown.context, &*shown.analysis)).map_err(form)?;
            scene::begin(&bytes);
            *begun = Some(shown.analysis.clone());
        }
        Ok(())
    }
}

/// Converts the error for a value that can't be passed between two parts of the service.
fn form(error: postcard::Error) -> FaultKind {
    FaultKind::Artifact(error.to_string())
}

impl Sandbox for Linked<'_> {
    type Shared = ();

    fn analyze(
        &self,
        (): &mut (),
        command: &str,
        dialect: &str,
        at: &CallContext,
        sources: Option<&Arc<Sources>>,
    ) -> Result<Analysis, FaultKind> {
        self.open(sources.is_some().then_some(at))?;
        Ok(analyzer::analyze(command, dialect, &at.cwd, &at.home).convert())
    }

    fn ask(&self, (): &mut (), place: usize, given: SettingsToUse, question: &Question<'_>) -> Answer {
        let Some(EmbeddedPolicy { entry, component, .. }) = self.embedded.members.get(place) else {
            return Answer::fault(FaultKind::NotReady);
        };
        let settings = match given {
            SettingsToUse::Own => entry.settings.as_str(),
            SettingsToUse::Defaults => DEFAULTS,
        };
        scene::meet(None);
        let configured = match component {
            ComponentLocation::Bundle(name) => bundled::configure(name, settings),
            ComponentLocation::Row(place) => row::configure(*place, settings),
        };
        let decision = configured.map_err(|text| FaultKind::refused("configure", &text)).and_then(|()| {
            self.begin(&question.scene)?;
            scene::meet(Some(&postcard::to_stdvec(&*question.grants).map_err(form)?));
            let decided = match component {
                ComponentLocation::Bundle(name) => bundled::decide(name, question.tool, question.input),
                ComponentLocation::Row(place) => row::decide(*place, question.tool, question.input),
            };
            let decision = decided.map_err(|text| FaultKind::refused("decide", &text))?;
            check_decision(question.manifest, decision.convert())
        });
        let left: (Vec<JournalLine>, Vec<LogLine>, Vec<String>) =
            postcard::from_bytes(&scene::leave()).unwrap_or_default();
        let (journal, log, asked) = left;
        Answer { decision, journal, log, asked, used: Used::default() }
    }

    fn refused_settings(&self, entry: &Entry, refusal: &str) -> Problem {
        // The settings were checked when the service was built, and there is no file to look at here.
        let hint = "correct the settings of the policy, and rebuild the service".to_owned();
        Problem { layer: entry.layer, place: String::new(), text: refusal.to_owned(), hint }
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}
