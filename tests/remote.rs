//! `[remote]`: a server decides the calls of this machine, or does not.

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

/// The token of the stubs.
const TOKEN: &str = "a-token-of-the-tests";

/// A world whose calls the server at this address decides. `more` goes into its `[remote]`, and what follows it.
fn asking(url: &str, more: &str) -> World {
    let world = World::new();
    ask(&world, url, more);
    world
}

/// The calls of this world are decided by the server at this address from now on.
pub(crate) fn ask(world: &World, url: &str, more: &str) {
    let token = world.path("remote.token");
    if !token.exists() {
        world.write("remote.token", format!("{TOKEN}\n"));
    }
    world.configure(&format!("[remote]\nurl = \"{url}\"\ntoken-file = \"~/remote.token\"\n{more}\n"));
}
