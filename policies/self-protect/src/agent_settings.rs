//! Commands by which an agent changes its own settings: those after which it asks no hook.

use guard_sdk::Outcome;

use crate::guarded::Guard;

/// Names of the things that contain hooks, in commands and keys of settings.
const HOLDERS: &[&str] = &["extension", "extensions", "hook", "hooks", "plugin", "plugins"];

/// Commands whose words are a key and a value.
const SETTINGS: &[&str] = &["config", "settings"];

/// Words with which a setting gets a value.
const SETS: &[&str] = &["set", "put", "add", "apply", "patch", "merge", "write"];

/// Words with which it loses one.
const UNSETS: &[&str] = &["unset", "delete", "del", "remove", "rm", "reset", "clear"];

/// Words that switch off or remove what they name.
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

/// Words that name everything.
const ALL: &[&str] = &["all", "--all", "-a", "*"];

/// Parts of a key that name no single hook or plugin.
const GENERAL: &[&str] = &["enabled", "enable", "disabled", "entries", "allow", "deny", "load", "paths", "internal"];

/// Values that switch a setting off, or leave it empty.
const OFF: &[&str] = &["false", "off", "0", "no", "none", "null", "[]", "{}", ""];

/// How many words may be before the command: values of options that are meant for all commands.
const BEFORE: usize = 3;

/// Whether the words of an agent's command switch off what asks guard-host. None: they don't. What they leave is not known
/// where this is to be asked about.
pub(crate) fn switches_off(words: &[&str], guard: &Guard) -> Option<Outcome> {
    let starts = 0..words.len().min(2 * BEFORE);
    let starts = starts.filter(|at| words.get(*at).is_some_and(|word| !word.starts_with('-'))).take(BEFORE);
    starts
        .filter_map(|at| of_command(words.get(at..).unwrap_or_default(), guard))
        .max_by_key(|outcome| *outcome == Outcome::Deny)
}

fn of_command(words: &[&str], guard: &Guard) -> Option<Outcome> {
    let mut plain = words.iter().copied().filter(|word| !word.starts_with('-'));
    let (first, second) = (plain.next()?, plain.next()?);
    if SETTINGS.contains(&first) {
        let (key, value) = (plain.next().unwrap_or_default(), plain.next());
        return of_setting(second, key, value, guard);
    }
    if first == "features" && second == "disable" {
        return plain.next().filter(|feature| feature.contains("hooks")).map(|_| Outcome::Deny);
    }
    if !HOLDERS.contains(&first) || !REMOVALS.contains(&second) {
        return None;
    }
    let rest = || words.iter().copied().skip_while(|word| *word != second).skip(1);
    let is_all = second.ends_with("-all") || rest().any(|word| ALL.contains(&word));
    (is_all || rest().any(|word| guard.names_program(word))).then_some(Outcome::Deny)
}

fn of_setting(verb: &str, key: &str, value: Option<&str>, guard: &Guard) -> Option<Outcome> {
    // Without a verb of its own the command sets: `config KEY VALUE`.
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
    let is_general = parts.all(|part| GENERAL.contains(&part) || guard.names_program(part));
    match (is_general, is_off, value.as_str()) {
        (false, _, _) | (true, _, "true" | "on" | "1" | "yes") => None,
        (true, true, _) => Some(Outcome::Deny),
        // A list of those that are allowed, for example.
        (true, false, _) => (!guard.names_program(&value)).then_some(Outcome::Ask),
    }
}
