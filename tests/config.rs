//! The configuration: what each layer may say, what becomes of a broken one, and that a project can only tighten.
//!
//! Mostly through the library, because no command line moves the managed file.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

#[expect(unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/layers.rs"]
mod layers;
#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/reply.rs"]
mod reply;
#[expect(dead_code, unreachable_pub, reason = "shared by several test binaries")]
#[path = "support/world.rs"]
mod world;

#[path = "config/broken.rs"]
mod broken;
#[path = "config/honest.rs"]
mod honest;
#[path = "config/managed.rs"]
mod managed;
#[path = "config/presets.rs"]
mod presets;
#[path = "config/project.rs"]
mod project;
#[path = "config/settings.rs"]
mod settings;
#[path = "config/tighten.rs"]
mod tighten;
