//! A policy's three functions, wherever they are exported: by a component of its own, or by the bundle under a name.

use wasmtime::{Result, Store};

use crate::bindings::{self, Bundle, BundlePre};
use crate::convert::Convert;
use crate::imports::State;
use guard_contract::{Decision, FaultKind, Manifest};

/// A policy that is linked.
#[derive(Clone)]
pub(crate) enum GuestPre {
    Own(bindings::GuestPre<State>),
    Bundled(BundlePre<State>, &'static str),
}

impl GuestPre {
    pub(crate) fn engine(&self) -> &wasmtime::Engine {
        match self {
            GuestPre::Own(pre) => pre.engine(),
            GuestPre::Bundled(pre, _) => pre.engine(),
        }
    }

    pub(crate) fn instantiate(&self, store: &mut Store<State>) -> Result<Guest> {
        Ok(match self {
            GuestPre::Own(pre) => Guest::Own(pre.instantiate(store)?),
            GuestPre::Bundled(pre, name) => Guest::Bundled(pre.instantiate(store)?, name),
        })
    }
}

/// A policy that runs.
pub(crate) enum Guest {
    Own(bindings::Guest),
    Bundled(Bundle, &'static str),
}

impl Guest {
    pub(crate) fn describe(&self, store: &mut Store<State>) -> Result<Manifest> {
        let manifest = match self {
            Guest::Own(guest) => guest.guard_policy_policy().call_describe(store)?,
            Guest::Bundled(bundle, name) => bundle.guard_bundle_policies().call_describe(store, name)?,
        };
        Ok(manifest.convert())
    }

    /// Gives it its settings. The inner error is its own.
    pub(crate) fn configure(
        &self,
        store: &mut Store<State>,
        settings: &str,
    ) -> Result<std::result::Result<(), FaultKind>> {
        let taken = match self {
            Guest::Own(guest) => guest.guard_policy_policy().call_configure(store, settings)?,
            Guest::Bundled(bundle, name) => bundle.guard_bundle_policies().call_configure(store, name, settings)?,
        };
        Ok(taken.map_err(|text| FaultKind::refused("configure", &text)))
    }

    /// Asks it about a call. The inner error is its own. The decision is not checked.
    pub(crate) fn decide(
        &self,
        store: &mut Store<State>,
        tool: &str,
        input: &str,
    ) -> Result<std::result::Result<Decision, FaultKind>> {
        let decision = match self {
            Guest::Own(guest) => guest.guard_policy_policy().call_decide(store, tool, input)?,
            Guest::Bundled(bundle, name) => bundle.guard_bundle_policies().call_decide(store, name, tool, input)?,
        };
        Ok(decision.convert().map_err(|text| FaultKind::refused("decide", &text)))
    }
}
