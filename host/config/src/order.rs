//! The order of a layer's entries, from their requested positions.

use std::path::Path;

use super::options::PolicyOptions;
use guard_contract::Layer;
use guard_contract::Problem;
use guard_contract::policy::Entry;

/// The requested position of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryPosition {
    name: String,
    before: Option<String>,
    after: Option<String>,
}

impl EntryPosition {
    /// Returns the requested position of an entry, if any.
    pub(super) fn from_options(policy: &PolicyOptions) -> Option<Self> {
        let position =
            EntryPosition { name: policy.name.clone(), before: policy.before.clone(), after: policy.after.clone() };
        (position.before.is_some() || position.after.is_some()).then_some(position)
    }

    /// The names of the entries that must be placed first.
    fn anchors(&self) -> impl Iterator<Item = &String> {
        self.before.iter().chain(&self.after)
    }
}

/// Moves entries directly before or after the entry that they name. All others keep their order. A position beside a
/// disabled policy is ignored.
///
/// # Errors
///
/// A name is unknown, or the positions contradict each other. The entries stay unchanged.
pub(super) fn sort(entries: &mut Vec<Entry>, positions: &[EntryPosition], disabled: &[String]) -> Result<(), String> {
    let is_entry = |name: &String| entries.iter().any(|entry| entry.name == *name);
    let applies =
        |position: &&EntryPosition| is_entry(&position.name) && position.anchors().any(|name| !disabled.contains(name));
    let positions: Vec<&EntryPosition> = positions.iter().filter(applies).collect();
    for position in &positions {
        if let Some(unknown) = position.anchors().find(|name| !is_entry(name) && !disabled.contains(name)) {
            let known: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            let (name, known) = (&position.name, known.join(", "));
            return Err(format!(
                "policy `{name}`: no policy `{unknown}` in its layer for `before` or `after`, only: {known}"
            ));
        }
    }
    let (mut waiting, mut sorted): (Vec<Entry>, Vec<Entry>) =
        entries.clone().into_iter().partition(|entry| positions.iter().any(|position| position.name == entry.name));
    let mut placed_after: Vec<(String, String)> = Vec::new();
    while !waiting.is_empty() {
        let are_anchors_placed = |entry: &Entry| {
            let own = positions.iter().filter(|position| position.name == entry.name);
            own.flat_map(|position| position.anchors())
                .all(|name| disabled.contains(name) || sorted.iter().any(|placed| placed.name == *name))
        };
        let Some(next) = waiting.iter().position(are_anchors_placed) else {
            let names: Vec<&str> = waiting.iter().map(|entry| entry.name.as_str()).collect();
            return Err(format!("`before` and `after` go round in a circle: {}", names.join(", ")));
        };
        let entry = waiting.remove(next);
        let Some(position) = positions.iter().find(|position| position.name == entry.name) else { continue };
        let at = index_for(position, &sorted, &mut placed_after)?;
        sorted.insert(at, entry);
    }
    *entries = sorted;
    Ok(())
}

/// Returns the index in the sorted entries for an entry's position. `placed_after` has the entries that were placed
/// after another one so far, with that one's name.
fn index_for(
    position: &EntryPosition,
    sorted: &[Entry],
    placed_after: &mut Vec<(String, String)>,
) -> Result<usize, String> {
    let index_of = |anchor: &Option<String>| {
        let name = anchor.as_ref()?;
        sorted.iter().position(|placed| placed.name == *name)
    };
    match (index_of(&position.before), index_of(&position.after)) {
        (Some(before), Some(after)) if before <= after => {
            let [before, after] = [&position.before, &position.after].map(|name| name.as_deref().unwrap_or_default());
            Err(format!("policy `{}` cannot stand before `{before}` and after `{after}`", position.name))
        }
        (Some(before), _) => Ok(before),
        (None, Some(after)) => {
            // Entries that were placed after the same one earlier stay before this one.
            let anchor = position.after.clone().unwrap_or_default();
            let followers = sorted
                .iter()
                .skip(after + 1)
                .take_while(|placed| placed_after.iter().any(|(name, of)| *name == placed.name && *of == anchor))
                .count();
            placed_after.push((position.name.clone(), anchor));
            Ok(after + 1 + followers)
        }
        (None, None) => Ok(sorted.len()),
    }
}

/// Creates the problem of a layer whose entries can't be sorted.
pub(super) fn problem(layer: Layer, file: &Path, text: String) -> Problem {
    let hint = "`before` and `after` name another policy of the same layer".to_owned();
    Problem { layer, place: file.to_string_lossy().into_owned(), text, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unconfigured;
    use guard_contract::policy::Source;

    fn wish(text: &str) -> EntryPosition {
        let words: Vec<&str> = text.split(' ').collect();
        let anchor = |word| words.iter().position(|other| *other == word).map(|at| words[at + 1].to_owned());
        EntryPosition { name: words[0].to_owned(), before: anchor("before"), after: anchor("after") }
    }

    fn sorted(names: &str, wishes: &[&str], disabled: &[&str]) -> Result<String, String> {
        let entry = |name: &str| unconfigured(name.to_owned(), Source::Builtin(name.to_owned()), Layer::User);
        let mut entries: Vec<Entry> = names.split(' ').map(entry).collect();
        let wishes: Vec<EntryPosition> = wishes.iter().map(|text| wish(text)).collect();
        let disabled: Vec<String> = disabled.iter().map(|&name| name.to_owned()).collect();
        sort(&mut entries, &wishes, &disabled)?;
        Ok(entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn who_asks_for_a_place_gets_it_and_the_others_keep_theirs() {
        for (names, wishes, disabled, expected) in [
            ("a b c", &[][..], &[][..], "a b c"),
            ("a b c x", &["x before b"], &[], "a x b c"),
            ("x a b c", &["x after b"], &[], "a b x c"),
            ("a x y", &["x before a", "y before a"], &[], "x y a"),
            ("a b x y", &["x after a", "y after a"], &[], "a x y b"),
            ("a x y", &["x before y", "y before a"], &[], "x y a"),
            ("a b c x", &["x after a before c"], &[], "a b x c"),
            ("a x b", &["x before off"], &["off"], "a x b"),
            ("a b x", &["x before off after a"], &["off"], "a x b"),
        ] {
            assert_eq!(sorted(names, wishes, disabled).as_deref(), Ok(expected), "{names} {wishes:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_told_with_the_names() {
        for (names, wishes, told) in [
            ("a x", &["x before nobody"][..], &["`x`", "`nobody`", "a, x"][..]),
            ("x y", &["x before y", "y before x"], &["circle", "x, y"]),
            ("x", &["x after x"], &["circle", "x"]),
            ("a b x", &["x before a after b"], &["`x`", "before `a`", "after `b`"]),
        ] {
            let error = sorted(names, wishes, &[]).unwrap_err();
            assert!(told.iter().all(|word| error.contains(word)), "{error}");
        }
    }
}
