//! Removes effects in folders that don't exist.
//!
//! The analyzer doesn't access the machine: for `cp a b`, it lists a write to `b` and, with the tag `into`, one to
//! `b/a`. The second one only applies if `b` is a folder, which is known once the host has resolved the paths.

use std::collections::BTreeSet;

use crate::syntax::{Analysis, Effect};

/// Removes effects below paths that are no folders, neither on the machine nor after the text's earlier commands.
pub(crate) fn remove_impossible(analysis: &mut Analysis) {
    if analysis.effects.iter().all(|effect| effect.tag("into").is_none()) {
        return;
    }
    // Paths that earlier commands wrote, which may be folders now.
    let mut written: BTreeSet<String> = BTreeSet::new();
    let mut own: Vec<String> = Vec::new();
    let mut id = 0;
    // The last write, which is the one to the target itself, and whether that may be a folder.
    let mut last = (String::new(), true);
    analysis.effects.retain(|effect| {
        if effect.command_id != id {
            written.extend(own.drain(..));
            id = effect.command_id;
        }
        if let Some(folder) = effect.tag("into") {
            return last.0 != folder || last.1;
        }
        if effect.kind == "write" {
            last = (effect.target.clone(), may_be_folder(effect, &written));
            own.push(effect.path.lexical.clone());
        }
        true
    });
}

fn may_be_folder(effect: &Effect, written: &BTreeSet<String>) -> bool {
    let path = effect.path.lexical.as_str();
    let below = format!("{path}/");
    let is_known = matches!(effect.path.kind.as_str(), "file" | "none" | "other");
    !is_known
        || written.contains(path)
        || written.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResolvedPath;
    use crate::syntax::{Coverage, Severity};

    fn write(command_id: u32, target: &str, kind: &str, into: Option<&str>) -> Effect {
        let mut path = ResolvedPath::unresolved(target);
        path.lexical = format!("/repo/{target}");
        kind.clone_into(&mut path.kind);
        Effect {
            kind: "write".to_owned(),
            operation: "fs.write".to_owned(),
            severity: Severity::Notable,
            target: target.to_owned(),
            path,
            command_id,
            certain: true,
            tags: into.map(|folder| ("into".to_owned(), folder.to_owned())).into_iter().collect(),
        }
    }

    fn kept(effects: Vec<Effect>) -> Vec<String> {
        let mut analysis = Analysis {
            coverage: Coverage::Complete,
            reasons: Vec::new(),
            commands: Vec::new(),
            effects,
            scripts: Vec::new(),
        };
        remove_impossible(&mut analysis);
        analysis.effects.into_iter().map(|effect| effect.target).collect()
    }

    #[test]
    fn a_file_in_what_is_no_folder_is_not_written() {
        for (kind, count) in [("dir", 2), ("", 2), ("link", 2), ("file", 1), ("none", 1), ("other", 1)] {
            let effects = vec![write(1, "b", kind, None), write(1, "b/a", "none", Some("b"))];
            assert_eq!(kept(effects).len(), count, "{kind}");
        }
    }

    #[test]
    fn what_the_text_made_before_may_be_a_folder() {
        let copy = || [write(2, "b", "none", None), write(2, "b/a", "none", Some("b"))];
        for (before, count) in [("b", 3), ("b/c/d", 3), ("bb", 2), ("b-c", 2)] {
            let effects = std::iter::once(write(1, before, "none", None)).chain(copy()).collect();
            assert_eq!(kept(effects).len(), count, "{before}");
        }
    }
}
