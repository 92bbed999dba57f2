//! Deletions of temporary folders: of one session, with a random name, or recreated by the same text.

use guard_contract::Presence;
use guard_contract::paths::is_below;
use guard_contract::syntax::Effect;

use super::{is_brought, is_output, tag};
use crate::Resolver;
use crate::losses::MoveCommands;

/// Folders for temporary files on Linux and macOS.
const FOLDERS: [&str; 5] = ["/tmp/", "/private/tmp/", "/var/tmp/", "/private/var/tmp/", "/dev/shm/"];

/// Returns whether the path is in `/tmp/claude-501/...`, the folder for a user's sessions, which Claude Code creates
/// and deletes itself.
pub(super) fn is_scratch(effect: &Effect) -> bool {
    let is_inside = |path: &str| {
        let rest = path.strip_prefix("/private").unwrap_or(path).strip_prefix("/tmp/claude-");
        let below = rest.and_then(|rest| rest.split_once('/'));
        below.is_some_and(|(user, below)| {
            !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_digit()) && !below.is_empty()
        })
    };
    is_inside(&effect.path.lexical) && is_inside(&effect.path.canonical)
}

/// Returns whether the path is in a folder such as `/tmp/tmp.k3JdP0aQzR` or `/tmp/tmpqw_h7888`, with a name that
/// `mktemp` or Python's `tempfile` generates by default. Files to be kept don't have such names.
pub(super) fn is_random(effect: &Effect, earlier: &[Effect], bringing: &MoveCommands) -> bool {
    let is_inside = |path: &str| {
        let name = below_temporary(path).map(|below| below.split('/').next().unwrap_or_default());
        name.is_some_and(|name| match (name.strip_prefix("tmp."), name.strip_prefix("tmp")) {
            (Some(random), _) => is_of_shell(random),
            (None, Some(random)) => is_of_python(random),
            (None, None) => false,
        })
    };
    is_inside(&effect.path.lexical) && is_inside(&effect.path.canonical) && !is_brought(effect, earlier, bringing)
}

/// Ten letters and digits. If all were of one kind, it could be a word, or the `X`s of a template.
fn is_of_shell(random: &str) -> bool {
    let has = |class: fn(&u8) -> bool| random.bytes().any(|byte| class(&byte));
    let mixed = has(u8::is_ascii_digit) || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    random.len() == 10 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()) && mixed
}

/// Eight lower-case letters, digits and `_`, with a digit among letters, unlike a word or a number.
fn is_of_python(random: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    random.len() == 8
        && random.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
        && random.bytes().any(|byte| byte.is_ascii_digit())
        && random.bytes().any(is_letter)
}

/// Returns whether the text deletes a folder to recreate it, as in `rm -rf out && mkdir out`, and it either doesn't
/// exist or is below a folder for temporary files.
pub(super) fn is_remade(
    effect: &Effect,
    (earlier, later): (&[Effect], &[Effect]),
    bringing: &MoveCommands,
    resolver: &Resolver,
) -> bool {
    let path = &effect.path;
    let target = path.lexical.as_str();
    // A link's target isn't visible in the name.
    if tag(effect, "glob").is_some() || !effect.certain || path.canonical != path.lexical || target.len() < 2 {
        return false;
    }
    let is_throwaway = || below_temporary(target).is_some() && !resolver.is_relevant(target);
    let made = || later.iter().filter(|other| other.kind == "write" && is_below(&other.path.lexical, target));
    let is_made =
        made().any(|other| other.certain || is_output(other)) && made().all(|other| !bringing.moves_in(other));
    (path.exists == Presence::No || is_throwaway()) && is_made && !is_brought(effect, earlier, bringing)
}

/// Returns the part of a path below the folder for temporary files.
fn below_temporary(path: &str) -> Option<&str> {
    FOLDERS.iter().find_map(|folder| path.strip_prefix(folder)).filter(|below| !below.is_empty())
}
