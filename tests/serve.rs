//! `guard-host serve`: the hook's answers over HTTP, its clients, and its life.

mod answers;
pub(crate) mod client;
mod decide;
mod installed;
mod life;
mod limits;
mod metrics;
