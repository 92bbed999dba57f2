//! The hook as a process: what a harness sends, and what it is told.
//!
//! The verdicts of the built-ins are tested where the built-ins are; here a verdict only stands for its kind of reply.

mod overrides;
mod claude;
mod confined;
mod history;
mod limits;
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
