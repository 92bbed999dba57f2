//! One policy of a row: the first place is the policy's, and the others are those of the row behind it.
//!
//! A component has a fixed list of imports, and a service any number of policies. So each policy gets a link before it.

#![cfg(target_arch = "wasm32")]

#[expect(unsafe_code, reason = "the exported symbols of the canonical ABI")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "../../policies/bundle/wit", "../service/wit"],
        world: "guard:service/link",
        generate_all,
    });

    use super::Component;

    export!(Component);
}

use bindings::exports::guard::service::policies::{Decision, Guest};
use bindings::guard::policy::policy;
use bindings::guard::service::policies as rest;

struct Component;

impl Guest for Component {
    fn configure(place: u32, settings: String) -> Result<(), String> {
        match place.checked_sub(1) {
            None => policy::configure(&settings),
            Some(place) => rest::configure(place, &settings),
        }
    }

    fn decide(place: u32, tool: String, input: String) -> Result<Decision, String> {
        match place.checked_sub(1) {
            None => policy::decide(&tool, &input),
            Some(place) => rest::decide(place, &tool, &input),
        }
    }
}
