//! The answers to the imports of a service's policies: the [`View`] of the hook, behind the component model.
//!
//! It is a component of its own, because the chain calls the policies, and what they import must be there before them.
//! It is also the end of the row of policies.

#![cfg(target_arch = "wasm32")]

#[expect(unsafe_code, reason = "the exported symbols of the canonical ABI")]
mod generated {
    wit_bindgen::generate!({
        path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "../../policies/bundle/wit", "../service/wit"],
        world: "guard:service/view",
        generate_all,
    });

    use super::Component;

    export!(Component);
}

mod bindings {
    pub(crate) use crate::generated::exports::guard::facts0_2_0 as facts;
    pub(crate) use crate::generated::exports::guard::facts0_3_0::history;
    pub(crate) use crate::generated::exports::guard::policy as interfaces;
}

#[path = "../../engine/src/convert.rs"]
mod convert;

use std::cell::RefCell;
use std::sync::Arc;

use bindings::facts::{earlier, git, project};
use bindings::history;
use bindings::interfaces::types::{Fault, Level, Presence, ResolvedPath};
use bindings::interfaces::{analysis, context, env, files, journal, log, syntax};
use convert::Convert;
use generated::exports::guard::bundle::{shared_analysis, sources};
use generated::exports::guard::service::policies::Decision;
use generated::exports::guard::service::{policies, scene};
use guard_contract::grants::Grants;
use guard_contract::syntax::Analysis;
use guard_contract::{CallFacts, JournalLine, LogLine};
use guard_facts::recorded::{Record, Recorded};
use guard_facts::sources::{Source, Sources};
use guard_facts::{OutsideDecide, Resolver, Scene, View};

/// The arguments of `open`: the JSON of the record, or none if the one before is still valid; and the directory, the
/// home and the root of the project of the call whose files are read.
type Opened = (Option<String>, Option<(String, String, String)>);

/// The arguments of `begin`: the context of the call, and its analysis.
type Begun = (CallFacts, Analysis);

/// The result of `leave`.
type Left = (Vec<JournalLine>, Vec<LogLine>, Vec<String>);

#[derive(Default)]
struct State {
    view: View,
    scene: Option<Scene>,
    /// The facts of the machine in all scenes of a request.
    facts: Option<Arc<Recorded>>,
    /// The files that the call runs.
    sources: Option<Sources>,
}

std::thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<T>(body: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(body)
}

/// Answers an import of a policy. Outside of `decide` an import traps.
fn with_view<T>(body: impl FnOnce(&mut View) -> Result<T, OutsideDecide>) -> T {
    match with(|state| body(&mut state.view)) {
        Ok(told) => told,
        Err(outside) => broken(&outside.to_string()),
    }
}

#[expect(clippy::panic, reason = "a trap is what the contract says")]
fn broken(text: &str) -> ! {
    panic!("{text}")
}

fn current_analysis() -> analysis::Analysis {
    Analysis::clone(&with_view(View::analysis)).convert()
}

struct Component;

impl scene::Guest for Component {
    fn open(bytes: Vec<u8>) {
        let opened: Result<Opened, _> = postcard::from_bytes(&bytes);
        let Ok((record, place)) = opened else { broken("the machine cannot be read") };
        with(|state| {
            if let Some(record) = record {
                let Ok(record) = serde_json::from_str::<Record>(&record) else { broken("the record cannot be read") };
                state.facts = Some(Arc::new(Recorded::from_record(record)));
            }
            let Some(facts) = state.facts.clone() else { broken("the first call comes without its record") };
            state.sources = place.map(|(cwd, home, root)| {
                let resolver = Arc::new(Resolver::new(&cwd, &home, &root));
                Sources::new(facts, resolver, &home)
            });
        });
    }

    fn begin(bytes: Vec<u8>) {
        let begun: Result<Begun, _> = postcard::from_bytes(&bytes);
        let Ok((context, analysis)) = begun else { broken("the scene cannot be read") };
        let resolver = Resolver::new(&context.cwd, &context.home, &context.project_root);
        with(|state| {
            let Some(facts) = state.facts.clone() else { broken("the first scene comes without its record") };
            state.scene = Some(Scene::new(context, analysis, facts, resolver));
        });
    }

    fn meet(grants: Option<Vec<u8>>) {
        with(|state| match grants {
            None => state.view = View::default(),
            Some(bytes) => {
                let Ok(grants) = postcard::from_bytes::<Grants>(&bytes) else { broken("the grants cannot be read") };
                state.view.grants = Arc::new(grants);
                state.view.scene = state.scene.clone();
            }
        });
    }

    fn leave() -> Vec<u8> {
        let view = with(|state| std::mem::take(&mut state.view));
        let left: Left = (view.journal, view.log, view.asked);
        postcard::to_stdvec(&left).unwrap_or_default()
    }

    fn missing() -> Vec<u8> {
        let missing = with(|state| state.facts.as_ref().map(|facts| facts.missing()));
        postcard::to_stdvec(&missing.unwrap_or_default()).unwrap_or_default()
    }
}

impl policies::Guest for Component {
    fn configure(_: u32, _: String) -> Result<(), String> {
        Err("there is no policy at this place".to_owned())
    }

    fn decide(_: u32, _: String, _: String) -> Result<Decision, String> {
        Err("there is no policy at this place".to_owned())
    }
}

impl analysis::Guest for Component {
    fn current() -> analysis::Analysis {
        current_analysis()
    }
}

impl shared_analysis::Guest for Component {
    fn current() -> Option<analysis::Analysis> {
        // Which instance asks is not known here.
        Some(current_analysis())
    }
}

impl sources::Guest for Component {
    fn read(path: String) -> sources::Source {
        let source = with(|state| state.sources.as_ref().map_or(Source::None, |sources| sources.read(&path)));
        match source {
            Source::Text(text) => sources::Source::Text(text),
            Source::None => sources::Source::None,
            Source::Unread(why) => sources::Source::Unread(why),
        }
    }
}

impl context::Guest for Component {
    fn get() -> context::Facts {
        with_view(View::context).convert()
    }
}

impl files::Guest for Component {
    fn resolve(path: String) -> ResolvedPath {
        with_view(|view| view.resolve(&path)).convert()
    }

    fn read_text(path: String) -> Result<String, Fault> {
        with_view(|view| view.read_text(&path)).map_err(Convert::convert)
    }
}

impl env::Guest for Component {
    fn get(name: String) -> Result<String, Fault> {
        with_view(|view| view.env(&name)).map_err(Convert::convert)
    }
}

impl journal::Guest for Component {
    fn append(stream: String, object: String) -> Result<(), Fault> {
        with_view(|view| view.append(stream, object)).map_err(Convert::convert)
    }
}

impl log::Guest for Component {
    fn log(level: Level, message: String) {
        with(|state| state.view.log(level.convert(), message));
    }
}

impl git::Guest for Component {
    fn branch(path: String) -> String {
        with_view(|view| view.branch(&path))
    }

    fn tracked(path: String) -> Presence {
        with_view(|view| view.tracked(&path)).convert()
    }

    fn staged(path: String) -> Presence {
        with_view(|view| view.staged(&path)).convert()
    }

    fn ignored(path: String) -> Presence {
        with_view(|view| view.ignored(&path)).convert()
    }
}

impl project::Guest for Component {
    fn manifests(path: String) -> Result<Vec<project::Manifest>, Fault> {
        with_view(|view| view.manifests(&path)).map_err(Convert::convert).map(Convert::convert)
    }
}

impl history::Guest for Component {
    fn events(kind: String) -> Result<Vec<history::Event>, Fault> {
        with_view(|view| view.events(&kind)).map_err(Convert::convert).map(Convert::convert)
    }
}

impl earlier::Guest for Component {
    fn effects(command_id: u32, path: String) -> Vec<syntax::Effect> {
        with_view(|view| view.earlier(command_id, &path)).convert()
    }
}
