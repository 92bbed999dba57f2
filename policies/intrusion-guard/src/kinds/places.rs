//! Places of a machine outside of projects.

use guard_sdk::syntax::Effect;

use crate::view::{View, is_in_a_container};

/// System folders.
const SYSTEM: &[&str] = &[
    "/etc",
    "/proc",
    "/sys",
    "/boot",
    "/var/log",
    "/var/lib",
    "/var/backups",
    "/var/spool",
    "/var/mail",
    "/var/cache",
    "/usr",
    "/dev/mem",
    "/private/etc",
    "/private/var",
    "/Library",
    "/System",
    "/lib",
    "/root",
    "/home",
    "/Users",
];

/// Returns whether the file belongs to the system or to another user.
pub(crate) fn is_of_the_system(effect: &Effect, view: &View<'_>) -> bool {
    if is_in_a_container(effect) {
        return false;
    }
    effect.spellings().any(|text| is_system_path(text, view))
}

/// Returns whether an absolute path belongs to the system or to another user.
pub(crate) fn is_system_path(text: &str, view: &View<'_>) -> bool {
    let facts = view.facts();
    let own = [&facts.cwd, &facts.project_root, &facts.home];
    let is_own = own.iter().any(|folder| folder.len() > 1 && is_inside(text, folder));
    text.starts_with('/') && !is_own && SYSTEM.iter().any(|folder| is_inside(text, folder))
}

/// Returns whether the file is one that programs keep in the user's home: its name, or a folder's, begins with a dot.
pub(crate) fn is_hidden_in_home(effect: &Effect, view: &View<'_>) -> bool {
    let facts = view.facts();
    let is_own = |text: &str| [&facts.cwd, &facts.project_root].iter().any(|folder| is_inside(text, folder));
    !is_in_a_container(effect)
        && effect.spellings().filter(|text| !is_own(text)).any(|text| {
            let rest = text.strip_prefix("~/").or_else(|| text.strip_prefix(facts.home.as_str())?.strip_prefix('/'));
            rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("Library/"))
        })
}

/// Returns whether the file is known to be outside of the project and of folders for temporary files.
pub(crate) fn is_outside(effect: &Effect, view: &View<'_>) -> bool {
    let facts = view.facts();
    let own = [facts.cwd.as_str(), facts.project_root.as_str(), "/tmp", "/var/tmp", "/private/tmp", "/dev"];
    let mut known = effect.spellings().filter(|text| text.starts_with('/') || text.starts_with("~/")).peekable();
    !is_in_a_container(effect)
        && known.peek().is_some()
        && known.all(|text| own.iter().all(|folder| !is_inside(text, folder)))
}

/// Returns whether a path is a folder, or something below it.
pub(crate) fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether the text is a folder that contains nearly everything: the root, a home, the folder of homes or of
/// settings.
pub(crate) fn is_broad(text: &str, view: &View<'_>) -> bool {
    let text = text.trim_end_matches(['/', '*']);
    let wide =
        ["", "~", "$HOME", "${HOME}", "/home", "/root", "/Users", "/etc", "/var", "/opt", "/mnt", "/srv", "/usr", "C:"];
    let home = &view.facts().home;
    wide.contains(&text) || !home.is_empty() && text == home.trim_end_matches('/')
}
