//! The two programs: `guard-host`, which is the hook, and beside it `guard-host-tools`, which has all other commands.

use std::path::PathBuf;
use std::thread;

use guard_contract::exit::Exit;
use guard_state::environment::Environment;
use rustix::process::{Resource, getrlimit};

/// The name of the second program.
pub const TOOLS: &str = "guard-host-tools";

/// The name of the first program.
pub const HOOK: &str = "guard-host";

/// The first argument of the second program, before the path of the first one: as what it was started.
pub const STARTED_AS: &str = "--started-as";

/// The stack that a guest's recursion limit and the host's own frames fit in with room to spare.
pub(crate) const STACK_BYTES: u64 = 8 << 20;

/// Runs `body` on a stack on which every guest reaches its own limit first, and gives the exit code.
#[must_use]
pub fn on_a_sound_stack(body: impl FnOnce() -> u8 + Send) -> u8 {
    if getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= STACK_BYTES) {
        return body();
    }
    let bytes = usize::try_from(STACK_BYTES).unwrap_or(usize::MAX);
    thread::scope(|scope| {
        let own = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, body);
        own.map_or(Exit::Software.code(), |thread| thread.join().unwrap_or(Exit::Software.code()))
    })
}

/// The second program, beside the first one.
pub(crate) fn tools(environment: &Environment) -> PathBuf {
    environment.program.with_file_name(TOOLS)
}
