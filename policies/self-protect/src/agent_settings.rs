//! Commands that change an agent's own settings so that it calls no hook.

use guard_sdk::Outcome;

use crate::guarded::Guard;

/// Names of hooks and their containers, in commands and settings' keys.
const HOLDERS: &[&str] = &["extension", "extensions", "hook", "hooks", "plugin", "plugins"];

/// Commands whose arguments are a key and a value.
const SETTINGS: &[&str] = &["config", "settings"];

/// Words that set a setting.
const SETS: &[&str] = &["set", "put", "add", "apply", "patch", "merge", "write"];

/// Words that unset a setting.
const UNSETS: &[&str] = &["unset", "delete", "del", "remove", "rm", "reset", "clear"];

/// Words that disable or remove something.
const REMOVALS: &[&str] = &[
    "disable",
    "delete",
    "deny",
    "off",
    "remove",
    "remove-all",
    "revoke",
    "rm",
    "uninstall",
    "disable-all",
    "revoke-all",
];

/// Words for everything.
const ALL: &[&str] = &["all", "--all", "-a", "*"];

/// Parts of a key that don't identify a single hook or plugin.
const GENERAL: &[&str] = &["enabled", "enable", "disabled", "entries", "allow", "deny", "load", "paths", "internal"];

/// Values that disable or empty a setting.
const OFF: &[&str] = &["false", "off", "0", "no", "none", "null", "[]", "{}", ""];

/// The maximum number of words before the command, such as values of global options.
const BEFORE: usize = 3;

/// Returns whether the words of an agent's command disable guard-host's hook. `None` if they don't. Ask if the
/// remaining hooks are unknown.
pub(crate) fn switches_off(words: &[&str], guard: &Guard) -> Option<Outcome> {
    let starts = 0..words.len().min(2 * BEFORE);
    let starts = starts.filter(|at| words.get(*at).is_some_and(|word| !word.starts_with('-'))).take(BEFORE);
    starts
        .filter_map(|at| command_outcome(words.get(at..).unwrap_or_default(), guard))
        .max_by_key(|outcome| *outcome == Outcome::Deny)
}

fn command_outcome(words: &[&str], guard: &Guard) -> Option<Outcome> {
    let mut plain = words.iter().copied().filter(|word| !word.starts_with('-'));
    let (first, second) = (plain.next()?, plain.next()?);
    if SETTINGS.contains(&first) {
        let (key, value) = (plain.next().unwrap_or_default(), plain.next());
        return setting_outcome(second, key, value, guard);
    }
    if first == "features" && second == "disable" {
        return plain.next().filter(|feature| feature.contains("hooks")).map(|_| Outcome::Deny);
    }
    if !HOLDERS.contains(&first) || !REMOVALS.contains(&second) {
        return None;
    }
    let rest = || words.iter().copied().skip_while(|word| *word != second).skip(1);
    let is_all = second.ends_with("-all") || rest().any(|word| ALL.contains(&word));
    (is_all || rest().any(|word| guard.is_program_name(word))).then_some(Outcome::Deny)
}

fn setting_outcome(verb: &str, key: &str, value: Option<&str>, guard: &Guard) -> Option<Outcome> {
    // Without its own verb, the command sets: `config KEY VALUE`.
    let (key, value) = match (SETS.contains(&verb), UNSETS.contains(&verb)) {
        (true, _) => match key.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (key, value),
        },
        (_, true) => (key, Some("")),
        _ => return None,
    };
    let value = value?.to_ascii_lowercase();
    let is_off = OFF.contains(&value.trim());
    let lower = key.to_ascii_lowercase();
    if lower.contains("disable") && lower.contains("hook") {
        return (!is_off).then_some(Outcome::Deny);
    }
    let mut parts = lower.split(['.', '/']).skip_while(|part| !HOLDERS.contains(part));
    parts.next()?;
    let is_general = parts.all(|part| GENERAL.contains(&part) || guard.is_program_name(part));
    match (is_general, is_off, value.as_str()) {
        (false, _, _) | (true, _, "true" | "on" | "1" | "yes") => None,
        (true, true, _) => Some(Outcome::Deny),
        // For example, a list of allowed ones.
        (true, false, _) => (!guard.is_program_name(&value)).then_some(Outcome::Ask),
    }
}
