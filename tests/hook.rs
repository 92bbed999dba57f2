//! The hook as a process: a harness's input, and the reply.
//!
//! The built-ins' verdicts are tested elsewhere. Here, a verdict only represents its kind of reply.

mod overrides;
mod claude;
mod confined;
mod history;
mod journal;
mod limits;
mod listed;
mod log;
mod malformed;
mod plan;
mod record;
mod rows;
mod secrets;
mod scripts;
mod seed;
mod settings_change;
mod started;
mod swapped;
mod unasked;
mod unlogged;
mod unwritable;
