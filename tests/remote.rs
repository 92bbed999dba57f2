//! `[remote]`: whether a server decides the calls of this machine.

mod children;
mod configured;
mod facts;
mod failures;
mod managed;
mod relay;
mod severity;
mod stub;
mod tls;
mod policy_commands;

use crate::support::world::World;

/// The stubs' token.
const TOKEN: &str = "a-token-of-the-tests";

/// Creates a world whose calls the server at this address decides. `more` is appended to its `[remote]`.
fn asking(url: &str, more: &str) -> World {
    let world = World::new();
    ask(&world, url, more);
    world
}

/// Configures the server at this address to decide this world's calls.
pub(crate) fn ask(world: &World, url: &str, more: &str) {
    let token = world.path("remote.token");
    if !token.exists() {
        world.write("remote.token", format!("{TOKEN}\n"));
    }
    world.configure(&format!("[remote]\nurl = \"{url}\"\ntoken-file = \"~/remote.token\"\n{more}\n"));
}
