//! The bindings that wasmtime generates from `wit/`.

#[expect(unreachable_pub, reason = "generated from wit/, where each item is documented")]
mod generated {
    wasmtime::component::bindgen!({
        path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0"],
        world: "guard:facts/guest@0.3.0",
        imports: { default: trappable },
    });

    pub mod bundle {
        wasmtime::component::bindgen!({
            path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "../../policies/bundle/wit"],
            world: "guard:bundle/bundle",
            imports: { default: trappable },
            with: {
                "guard:policy/types@0.1.0": super::guard::policy::types,
                "guard:policy/syntax@0.1.0": super::guard::policy::syntax,
                "guard:policy/context@0.1.0": super::guard::policy::context,
                "guard:policy/files@0.1.0": super::guard::policy::files,
                "guard:policy/env@0.1.0": super::guard::policy::env,
                "guard:policy/journal@0.1.0": super::guard::policy::journal,
                "guard:policy/log@0.1.0": super::guard::policy::log,
                "guard:facts/git@0.2.0": super::guard::facts0_2_0::git,
                "guard:facts/history@0.3.0": super::guard::facts0_3_0::history,
            },
        });
    }

    pub mod script_reader {
        wasmtime::component::bindgen!({
            path: ["../../wit/0.1.0", "../../wit/0.2.0", "../../wit/0.3.0", "../../policies/bundle/wit"],
            world: "guard:bundle/script-reader",
        });
    }
}

pub(crate) use generated::bundle::guard::bundle::{scripts, shared_analysis, sources};
pub(crate) use generated::bundle::{Bundle, BundlePre};
pub(crate) use generated::guard::{facts0_2_0 as facts, facts0_3_0::history, policy as interfaces};
pub(crate) use generated::script_reader::ScriptReaderPre;
pub(crate) use generated::{Guest, GuestPre};
