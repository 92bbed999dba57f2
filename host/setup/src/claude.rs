//! Claude Code's own ways of registering hooks.

mod flaw;
mod plugin;
pub(crate) mod registration;
mod script;
mod settings;
mod survey;
mod version;
