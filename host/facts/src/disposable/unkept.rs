//! Files of which undo keeps no copy, because git ignores them and they are large.

use guard_contract::syntax::{Analysis, Effect, Severity};

use super::{DELETIONS, TAG, is_ignored, is_replaceable, tag};
use crate::Facts;

/// The tag's name.
pub(crate) const UNKEPT: &str = "unkept";

/// Makes the loss of such a file destructive, as that of a folder is.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts) {
    let files = analysis.effects.iter_mut().filter(|effect| loses_one_file(effect));
    for effect in files.take(DELETIONS).filter(|effect| is_ignored(effect, facts) && !is_replaceable(effect, facts)) {
        effect.severity = Severity::Destructive;
        let loses = "a large file that git ignores and undo doesn't copy";
        let tags = [(UNKEPT, "large"), ("loses", loses), ("instead", "move it aside with `mv`")];
        effect.tags.extend(tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}

fn loses_one_file(effect: &Effect) -> bool {
    let is_loss = match effect.operation.as_str() {
        "fs.delete" => tag(effect, "by") != Some("mv"),
        "fs.write" => tag(effect, "empties").is_some(),
        _ => false,
    };
    let is_one = ["where", "glob", TAG].iter().all(|name| tag(effect, name).is_none());
    is_loss && is_one && effect.certain && effect.severity == Severity::Notable && effect.path.kind == "file"
}
