//! The hook as a process: what a harness sends, and what it is told.
//!
//! The verdicts of the built-ins are tested where the built-ins are; here a verdict only stands for its kind of reply.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/guests.rs"]
mod guests;
#[expect(unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/reply.rs"]
mod reply;
#[expect(unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/world.rs"]
mod world;

#[path = "hook/claude.rs"]
mod claude;
#[path = "hook/limits.rs"]
mod limits;
#[path = "hook/log.rs"]
mod log;
#[path = "hook/malformed.rs"]
mod malformed;
#[path = "hook/plan.rs"]
mod plan;
#[path = "hook/record.rs"]
mod record;
#[path = "hook/rows.rs"]
mod rows;
#[path = "hook/secrets.rs"]
mod secrets;
#[path = "hook/seed.rs"]
mod seed;
#[path = "hook/started.rs"]
mod started;
#[path = "hook/swapped.rs"]
mod swapped;
