//! The configuration: what each layer may say, what becomes of a broken one, and that a project can only tighten.
//!
//! Mostly through the library, because no command line moves the managed file.

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
#[path = "config/managed.rs"]
mod managed;
#[path = "config/project.rs"]
mod project;
#[path = "config/settings.rs"]
mod settings;
#[path = "config/tighten.rs"]
mod tighten;
