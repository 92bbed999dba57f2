//! The reader of scripts as a component of its own, which a call maps only when it holds a script.

#![cfg(target_arch = "wasm32")]

#[expect(
    clippy::all,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    unreachable_pub,
    unsafe_code,
    reason = "generated from the bundle's wit/: the glue of the canonical ABI"
)]
#[rustfmt::skip]
mod bindings;

use bindings::exports::guard::bundle::scripts::Guest;

struct Component;

impl Guest for Component {
    fn read(language: String, code: String) -> Option<String> {
        serde_json::to_string(&guard_script_effects::read(&language, &code)?).ok()
    }
}

#[expect(unsafe_code, reason = "generated: the exported symbols of the canonical ABI")]
mod export {
    use super::Component;

    crate::bindings::export_component!(Component with_types_in crate::bindings);
}
