//! The commands besides the hook: their exit codes, the shape of what they print for machines, and their help.

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
#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/reply.rs"]
mod reply;
#[expect(unreachable_pub, reason = "as the other helpers")]
#[path = "support/schema.rs"]
mod schema;
#[expect(unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/world.rs"]
mod world;

#[path = "cli/audit.rs"]
mod audit;
#[path = "cli/batch.rs"]
mod batch;
#[path = "cli/cached.rs"]
mod cached;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/policy.rs"]
mod policy;
#[path = "cli/sandbox.rs"]
mod sandbox;
#[path = "cli/settings.rs"]
mod settings;
#[path = "cli/show.rs"]
mod show;
#[path = "cli/starter.rs"]
mod starter;
#[path = "cli/usage.rs"]
mod usage;
