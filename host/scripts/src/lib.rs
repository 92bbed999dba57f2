//! The reader of scripts as a component of its own, which a call maps only when it holds a script.

#![cfg(target_arch = "wasm32")]

#[expect(unsafe_code, reason = "the exported symbols of the canonical ABI")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "../../policies/bundle/wit"],
        world: "guard:bundle/script-reader",
        generate_all,
    });

    use super::Component;

    export!(Component);
}

use bindings::exports::guard::bundle::scripts::Guest;

struct Component;

impl Guest for Component {
    fn read(language: String, code: String) -> Option<String> {
        serde_json::to_string(&guard_script_effects::read(&language, &code)?).ok()
    }
}
