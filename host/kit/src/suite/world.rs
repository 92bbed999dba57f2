//! The world of a case: the context of its call, and the machine.

use guard_contract::call::CallContext;
use guard_facts::fixed::FixedFacts;

use super::WorldFacts;

/// Returns the context of calls in a world.
pub(super) fn world_context(world: &WorldFacts) -> CallContext {
    let or = |value: &Option<String>, default: &str| value.clone().unwrap_or_else(|| default.to_owned());
    CallContext {
        cwd: or(&world.cwd, "/repo"),
        project_root: or(&world.project_root, "/repo"),
        repository: String::new(),
        home: or(&world.home, "/home/u"),
        account_home: String::new(),
        session: or(&world.session, "s1"),
        harness: or(&world.harness, "claude"),
        permission_mode: or(&world.permission_mode, "default"),
        agent: String::new(),
    }
}

/// Returns the machine of a world. The project is a git repository unless the world defines `.git`.
pub(super) fn machine(world: &WorldFacts) -> FixedFacts {
    let mut dirs = world.dirs.clone();
    let root = world.project_root.as_deref().unwrap_or("/repo");
    let git = format!("{root}/.git");
    if !world.files.contains_key(&git) && !world.links.contains_key(&git) {
        dirs.insert(git);
    }
    FixedFacts {
        env: world.env.clone(),
        files: world.files.clone(),
        dirs,
        links: world.links.clone(),
        program: world.program.clone(),
        git: world.git.clone(),
        history: world.history.clone(),
        history_is_damaged: world.history_is_damaged,
    }
}
