//! Determines a call's context, and which of its paths contain no link.

use std::cell::OnceCell;

use guard_contract::Presence;
use guard_contract::call::CallContext;
use guard_contract::paths::lexical;
use guard_facts::{Facts, Resolver};
use guard_harness::{Harness, Payload};
use guard_platform::paths::judged_text;
use guard_state::environment::Environment;

/// Returns the call's context: from the payload first, then from the machine.
pub(super) fn call_context(
    harness: &dyn Harness,
    payload: &Payload,
    environment: &Environment,
    facts: &dyn Facts,
) -> CallContext {
    let variables = harness.capabilities().project_variables.iter().filter_map(|name| environment.variables.get(*name));
    let mut roots = variables.into_iter().map(|root| judged_text(root));
    let named = roots.find(|root| root.starts_with('/')).map(|root| lexical(&root, "/", ""));
    let told = judged_text(&payload.cwd);
    let session = match &named {
        _ if told.starts_with('/') => told.into_owned(),
        Some(root) if !harness.capabilities().runs_in_cwd => root.clone(),
        _ => environment.cwd.clone(),
    };
    let root = |cwd: &str| guard_facts::git_root(facts, cwd, &environment.home).unwrap_or_else(|| cwd.to_owned());
    let (cwd, named) = match payload.directory.as_str() {
        "" => (session, named),
        // A call's working directory isn't the project's root.
        directory => {
            (lexical(&judged_text(directory), &session, &environment.home), named.or_else(|| Some(root(&session))))
        }
    };
    let own = root(&cwd);
    let repository = if named.as_ref().is_some_and(|named| *named != own) { own.clone() } else { String::new() };
    CallContext {
        cwd,
        project_root: named.unwrap_or(own),
        repository,
        home: environment.home.clone(),
        account_home: environment.account_home.clone(),
        session: payload.session.clone(),
        harness: harness.name().to_owned(),
        permission_mode: payload.permission_mode.clone(),
        agent: payload.agent.clone(),
    }
}

/// Returns a function that converts a word to a path, if the disk shows that it contains no link below the working
/// directory.
pub(super) fn unlinked_path<'a>(at: &'a CallContext, facts: &'a dyn Facts) -> impl Fn(&str) -> Option<String> + 'a {
    let end = OnceCell::new();
    move |word| {
        let resolver = end.get_or_init(|| {
            let cwd = Resolver::new(&at.cwd, &at.home, "").resolve(facts, ".").canonical;
            Resolver::new(&cwd, &at.home, "")
        });
        // A link in the path of the working directory affects every path below it equally.
        let inner = word
            .strip_prefix(&at.cwd)
            .and_then(|rest| if rest.is_empty() { Some(".") } else { rest.strip_prefix('/') });
        let found = resolver.resolve(facts, inner.filter(|_| at.cwd.len() > 1).unwrap_or(word));
        let is_known = found.exists != Presence::Unknown && !found.canonical.is_empty();
        (is_known && found.canonical == found.lexical).then_some(found.canonical)
    }
}
