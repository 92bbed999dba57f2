//! What Python does to paths that are put together of literals, and to objects of `pathlib`.

use super::{Does, MAX_CALLS, MAX_PATH, apply, called};
use crate::languages::Found;
use crate::languages::constants::Constants;
use crate::languages::python_paths::{Known, path};

/// Methods by which a path is read, written or deleted.
const METHODS: &[&str] =
    &[".write_text(", ".write_bytes(", ".read_text(", ".read_bytes(", ".touch(", ".unlink(", ".rmdir(", ".open("];

/// The first argument of a call is a path that is put together.
pub(super) fn argument(found: &mut Vec<Found>, program: &str, does: Does, arguments: &str) {
    let short = arguments.get(..arguments.floor_char_boundary(MAX_PATH)).unwrap_or_default();
    let Some((known, rest)) = path(short) else { return };
    let rest = rest.trim_start();
    if !rest.starts_with([',', ')']) {
        return;
    }
    let mut more = Vec::new();
    apply(&mut more, program, does, true, &known.path, rest);
    // Where something is moved or copied to stands by itself.
    let mut more = more.into_iter();
    found.extend(more.next().map(|first| at(&known, first)));
    found.extend(more);
}

/// Methods of paths: of what is written there, or of a name that stands for it.
pub(super) fn methods(found: &mut Vec<Found>, text: &str, constants: &Constants<'_>) {
    for method in METHODS {
        for (dot, _) in text.match_indices(method).take(MAX_CALLS) {
            let (before, from) = text.split_at_checked(dot).unwrap_or_default();
            let call = from.get(1..).unwrap_or_default();
            let begins = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
            let name = before.get(begins..).unwrap_or_default();
            let attribute = before.get(..begins).unwrap_or_default().ends_with('.');
            let known = match constants.value(dot, name).filter(|_| !attribute) {
                Some(value) => path(value).filter(|(_, rest)| rest.is_empty()).map(|(known, _)| known),
                None => joined(before),
            };
            found.extend(known.and_then(|known| Some(at(&known, called(known.path.clone(), call)?))));
        }
    }
}

/// The path that the text ends with, if it is put together: `(Path.home() / 'a')`, but not the plain `Path('a')`.
fn joined(before: &str) -> Option<Known> {
    let near = before.get(before.ceil_char_boundary(before.len().saturating_sub(MAX_PATH))..)?;
    let line = near.rsplit(['\n', ';', '=']).next()?;
    let start = ["(Path", "(pathlib.Path", "Path.home()", "Path("].iter().find_map(|start| line.find(start))?;
    let from = line.get(start..)?;
    let plain =
        from.strip_prefix("Path(").is_some_and(|inside| super::literal(inside).is_some_and(|(_, rest)| rest == ")"));
    let (known, rest) = path(from)?;
    (rest.is_empty() && !plain).then_some(known)
}

/// What is done, at a place that may be below the home.
fn at(known: &Known, found: Found) -> Found {
    if known.home { Found::Home(Box::new(found)) } else { found }
}
