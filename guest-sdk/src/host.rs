//! The host's functions: the imports of a component, or the world of [`crate::testing`] in a native test.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use crate::testing::host::{
    analysis, branch, context, earlier, env, events, ignored, journal, log, manifests, read_text, resolve, staged,
    tracked,
};

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::guard::facts0_2_0::{
    earlier::effects as earlier, git::branch, git::ignored, git::staged, git::tracked, project::manifests,
};

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::guard::facts0_3_0::history::events;

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::guard::policy::{
    analysis::current as analysis, context::get as context, env::get as env, files::read_text, files::resolve,
    journal::append as journal, log::log,
};
