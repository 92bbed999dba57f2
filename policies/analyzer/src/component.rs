//! The component's side: the export of `guard:policy/analyzer`.

use guard_sdk::syntax::Analysis;

use crate::bindings::exports::guard::policy::analyzer::Guest;

struct Component;

impl Guest for Component {
    fn analyze(source: String, dialect: String, cwd: String, home: String) -> Analysis {
        crate::analyze(&source, &dialect, &cwd, &home)
    }
}

#[expect(unsafe_code, reason = "generated: the exported symbols of the canonical ABI")]
mod export {
    use super::Component;

    crate::bindings::export_component!(Component with_types_in crate::bindings);
}
