//! What wasmtime makes of `wit/`, and nothing else.

#[expect(unreachable_pub, reason = "generated from wit/, where each item is documented")]
mod generated {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "guest",
        imports: { default: trappable },
    });

    pub mod analyzer {
        wasmtime::component::bindgen!({
            path: "../../wit",
            world: "analyzer-guest",
            with: {
                "guard:policy/types@0.1.0": super::guard::policy::types,
                "guard:policy/syntax@0.1.0": super::guard::policy::syntax,
            },
        });
    }
}

pub(crate) use generated::analyzer::{AnalyzerGuest, AnalyzerGuestPre};
pub(crate) use generated::guard::policy as interfaces;
pub(crate) use generated::{Guest, GuestPre};
