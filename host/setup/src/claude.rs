//! Registration with Claude Code.

mod flaw;
mod plugin;
pub(crate) mod registration;
mod script;
mod settings;
mod survey;
mod version;
