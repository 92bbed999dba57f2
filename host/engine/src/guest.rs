//! A policy's three functions, exported by its own component or, under a name, by the bundle.

use wasmtime::{Result, Store};

use crate::bindings::{self, Bundle, BundlePre};
use crate::convert::Convert;
use crate::imports::State;
use guard_contract::{Decision, FaultKind, Manifest};

/// A linked policy.
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

/// A running policy.
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

    /// Passes the settings to the policy. The inner error is one that the policy returned.
    pub(crate) fn configure(
        &self,
        store: &mut Store<State>,
        settings: &str,
    ) -> Result<std::result::Result<(), FaultKind>> {
        let result = match self {
            Guest::Own(guest) => guest.guard_policy_policy().call_configure(store, settings)?,
            Guest::Bundled(bundle, name) => bundle.guard_bundle_policies().call_configure(store, name, settings)?,
        };
        Ok(result.map_err(|text| FaultKind::refused("configure", &text)))
    }

    /// Asks the policy about a call. The inner error is one that the policy returned. The decision isn't checked.
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
