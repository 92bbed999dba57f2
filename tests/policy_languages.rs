//! Policies in Rego and in CEL: the policy that all languages share, and their settings in a whole process.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at a surprise"
)]

#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/reply.rs"]
mod reply;
#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/world.rs"]
mod world;

#[path = "policy_languages/same.rs"]
mod same;
#[path = "policy_languages/settings.rs"]
mod settings;
