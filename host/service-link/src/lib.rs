//! One policy of a row: the first place is the policy's, and the others are those of the row behind it.
//!
//! A component has a fixed list of imports, and a service any number of policies. So each policy gets a link before it.

#![cfg(target_arch = "wasm32")]

#[expect(
    clippy::all,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    unreachable_pub,
    unsafe_code,
    reason = "generated from the service's wit/: the glue of the canonical ABI"
)]
#[rustfmt::skip]
mod bindings;

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

#[expect(unsafe_code, unreachable_pub, reason = "generated: the exported symbols of the canonical ABI")]
mod export {
    use super::Component;

    crate::bindings::export_component!(Component with_types_in crate::bindings);
}
