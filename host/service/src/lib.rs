//! A chain behind `wasi:http/incoming-handler`. It keeps no state between requests and has no access to the machine.
//!
//! `guard-host policy bundle` links it with the policies. It uses the hook's own chain. This crate is the chain's
//! sandbox, in which each policy is a separate component.

#![cfg(target_arch = "wasm32")]

mod generated {
    wit_bindgen::generate!({
        path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "../../policies/bundle/wit", "wit"],
        world: "guard:service/service",
        with: {
            "guard:policy/types@0.1.0": guard_sdk::bindings::guard::policy::types,
            "guard:policy/syntax@0.1.0": guard_sdk::bindings::guard::policy::syntax,
        },
        generate_all,
    });
}

mod bindings {
    pub(crate) use guard_sdk::bindings::guard::facts0_2_0 as facts;
    pub(crate) use guard_sdk::bindings::guard::facts0_3_0::history;
    pub(crate) use guard_sdk::bindings::guard::policy as interfaces;
}

#[path = "../../engine/src/convert.rs"]
mod convert;
mod http;
mod linked;

use guard_chain::Chain;
use guard_chain::embedded::EmbeddedChain;
use guard_chain::exchange::{Request, Response, Undecided};
use guard_contract::FaultKind;
use jiff::Timestamp;
use linked::Linked;
use wasip2::clocks::wall_clock;

use generated::guard::service::config;

/// Returns the chain that this service was built with.
fn embedded_chain() -> Result<EmbeddedChain, FaultKind> {
    EmbeddedChain::from_bytes(&config::chain())
}

/// Answers a request with this chain.
fn answer(embedded: &EmbeddedChain, request: Request) -> Result<Response, Undecided> {
    let linked = Linked::new(embedded, &request.facts);
    let chain = Chain { sandbox: &linked, config: embedded.config(today), members: embedded.members() };
    // The engine limits a request's time.
    chain.answer(request, embedded.bypass_ask, || false, || linked.missing()).map(|answered| answered.response)
}

/// Returns the current date in UTC, such as `2026-01-31`.
fn today() -> String {
    let seconds = i64::try_from(wall_clock::now().seconds).unwrap_or_default();
    format!("{:.10}", Timestamp::from_second(seconds).unwrap_or_default())
}

struct Component;

impl wasip2::exports::http::incoming_handler::Guest for Component {
    fn handle(request: wasip2::http::types::IncomingRequest, out: wasip2::http::types::ResponseOutparam) {
        http::handle(&request, out);
    }
}

wasip2::http::proxy::export!(Component);
