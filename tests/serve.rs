//! `guard-host serve`: the hook's answers over HTTP, for whom it answers, and what becomes of it.

mod answers;
pub(crate) mod client;
mod decide;
mod installed;
mod life;
mod limits;
mod metrics;
