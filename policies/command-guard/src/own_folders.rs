//! Folders that a text creates under a name that only the shell knows: `/tmp/build-$$`, or the output of `mktemp`.

use guard_sdk::syntax::{Assignment, Command, Effect};

use crate::call_view::CallView;

/// Folders for temporary files.
const TEMPORARY: &[&str] = &["/tmp/", "/private/tmp/", "/var/tmp/", "/dev/shm/"];

/// Spellings of a number that differs between runs, longer ones first.
const NUMBERS: &[&str] = &[
    "$(date +%s%N)",
    "$(date +%s)",
    "$(date +%Y%m%d%H%M%S)",
    "${EPOCHSECONDS}",
    "$EPOCHSECONDS",
    "${BASHPID}",
    "$BASHPID",
    "${RANDOM}",
    "$RANDOM",
    "${$}",
    "$$",
];

/// Programs that move or link existing things into a folder.
pub(crate) const BRING: &[&str] = &["ln", "link", "mount", "mv", "rename", "rsync"];

/// The maximum number of commands that are searched for an assignment.
const MOST: usize = 256;

/// Returns whether the deletion targets a folder that the same text creates and doesn't move anything into.
pub(crate) fn is_own_folder(effect: &Effect, view: &CallView<'_>) -> bool {
    let target = effect.target.trim_end_matches('/');
    if effect.operation != "fs.delete.recursive" || ["glob", "where"].iter().any(|tag| effect.tag(tag).is_some()) {
        return false;
    }
    is_numbered(target) && makes_numbered(target, effect, view) || is_of_mktemp(target, effect, view)
}

/// Returns whether the target is one variable that only contains the output of `mktemp -d`. If `mktemp` fails, the
/// variable is empty, and nothing is deleted.
fn is_of_mktemp(target: &str, effect: &Effect, view: &CallView<'_>) -> bool {
    let Some(name) = variable(target).filter(|_| effect.target == target) else { return false };
    let commands = || view.analysis.commands.iter().take(MOST);
    let assignments = || commands().flat_map(|command| command.assignments.iter().map(move |one| (command.id, one)));
    let mut own = assignments().filter(|(_, one)| one.name == name).peekable();
    // A trap runs when the text ends, and the body of a function may never run.
    let is_late = |command: &Command| {
        let within = |what: &str| command.position.within.iter().any(|place| place == what);
        within("trap") || within("function") && !command.via.iter().any(|via| via.kind == "function")
    };
    let is_behind = |id: &u32| *id < effect.command_id || view.command(effect).is_some_and(is_late);
    let Some(first) = own.peek().map(|(id, _)| *id).filter(is_behind) else { return false };
    let count = own.clone().count();
    // Without quotes, the shell splits a path with spaces, which only a quoted template can produce.
    let is_split = view.command(effect).is_none_or(|command| {
        command.argv.iter().any(|word| word.text == effect.target && !word.quoted && word.dynamic)
    });
    let is_whole = |one: &Assignment| !is_split || !one.value.parts.iter().any(|part| part.text.contains(['"', '\'']));
    let is_made = own.all(|(_, one)| makes_folder(one) && is_whole(one)) && mentions(view.raw_text(), name) == count;
    // Another program with this name may run instead.
    let is_other = view.raw_text().contains("alias") || assignments().any(|(_, one)| one.name == "PATH") || {
        let mut found = view.raw_text().split("mktemp").skip(1);
        found.any(|rest| rest.trim_start().starts_with('(')) || view.raw_text().contains("function mktemp")
    };
    // A file that is sourced afterwards may set the variable.
    let reads = |command: &Command| command.id > first && matches!(command.word(0), "." | "source" | "eval");
    let is_hidden = || commands().any(reads);
    // Inside the folder, changes don't mention its name.
    let enters = || commands().any(|command| matches!(command.word(0), "cd" | "pushd"));
    let brings = |other: &Effect| {
        other.kind == "write"
            && other.tag("by").is_some_and(|by| BRING.contains(&by))
            && (other.target.contains(name) || enters())
    };
    is_made && !is_other && !is_hidden() && !view.analysis.effects.iter().any(brings)
}

/// Returns the name in `$name` or `${name}`.
fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let name = name.strip_prefix('{').map_or(Some(name), |inner| inner.strip_suffix('}'))?;
    let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    (is_name && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')).then_some(name)
}

/// Returns whether the value is the output of `mktemp -d`: `$(mktemp -d -p "$1")`.
fn makes_folder(assignment: &Assignment) -> bool {
    let mut parts = assignment.value.parts.iter().filter(|part| !part.text.is_empty());
    let (Some(part), None) = (parts.next(), parts.next()) else { return false };
    let text = part.text.trim_start_matches("$(").trim_start_matches('`').trim_end_matches([')', '`']);
    let text = text.replace("2>/dev/null", "");
    let makes = |one: &str| {
        let mut words = one.split_whitespace();
        let is_mktemp = matches!(words.next(), Some("mktemp" | "gmktemp"));
        let is_short = |word: &str, letter| word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
        let options: Vec<&str> = words.take_while(|word| *word != "--").collect();
        is_mktemp
            && options.iter().any(|word| *word == "--directory" || is_short(word, 'd'))
            && !options.iter().any(|word| *word == "--dry-run" || is_short(word, 'u'))
    };
    let is_plain = !text.contains([';', '|', '&', '(', ')', '`', '\n', '<', '>']);
    part.kind == "command" && is_plain && makes(&text)
}

/// Counts the uses of a variable's name other than reading it.
fn mentions(text: &str, name: &str) -> usize {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let found = text.match_indices(name).filter(|(at, _)| {
        let (before, rest) = text.split_at(*at);
        let is_whole =
            !before.ends_with(is_part) && !rest.get(name.len()..).is_some_and(|rest| rest.starts_with(is_part));
        is_whole && !before.ends_with('$') && !before.ends_with("${")
    });
    found.count()
}

/// Returns whether the text creates the folder with a number in its name.
fn makes_numbered(target: &str, effect: &Effect, view: &CallView<'_>) -> bool {
    let assigns = |name: &str| view.raw_text().contains(&format!("{name}="));
    let writes = || view.analysis.effects.iter().filter(|other| other.kind == "write");
    let makes = |other: &Effect| {
        let by_mkdir = other.tag("by") == Some("mkdir") && other.tag("directory").is_some();
        by_mkdir && other.command_id < effect.command_id && other.target.trim_end_matches('/') == target
    };
    let brings = |other: &Effect| {
        other.tag("by").is_some_and(|by| BRING.contains(&by))
            && (other.target.starts_with(target) || other.target == ".")
    };
    !["RANDOM", "BASHPID", "EPOCHSECONDS"].into_iter().any(assigns) && writes().any(makes) && !writes().any(brings)
}

/// Returns whether the path is below a folder for temporary files, and its unknown parts are all numbers.
fn is_numbered(target: &str) -> bool {
    let target = target.replacen("${TMPDIR:-/tmp}/", "/tmp/", 1);
    let plain = NUMBERS.iter().fold(target.clone(), |text, number| text.replace(number, "0"));
    let below = TEMPORARY.iter().find_map(|folder| plain.strip_prefix(folder));
    plain != target
        && below.is_some_and(|below| !below.is_empty() && below.split('/').all(|name| !matches!(name, "" | "." | "..")))
        && !plain.contains(['$', '`', '{', '*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::{is_numbered, mentions, variable};

    #[test]
    fn a_name_is_counted_where_it_is_not_read() {
        assert_eq!(mentions("w=1; rm $w ${w}; read w; ww=2; echo w_", "w"), 2);
        assert_eq!(mentions("w=$(mktemp -d); rm -rf \"$w\"", "w"), 1);
        assert_eq!(variable("${a_1}"), Some("a_1"));
        assert!(["$", "$1", "${a", "$a/b", "a", "${a:-b}", "$@"].into_iter().all(|text| variable(text).is_none()));
    }

    #[test]
    fn a_name_is_numbered_if_nothing_else_is_unknown() {
        for target in ["/tmp/build-$$", "/tmp/a/${RANDOM}/b", "/var/tmp/t.$(date +%s)", "/dev/shm/x$EPOCHSECONDS"] {
            assert!(is_numbered(target), "{target}");
        }
        for target in ["/tmp/build", "/tmp/$X-$$", "/srv/build-$$", "/tmp/$$/../x", "/tmp/$$*", "/tmp/", "$$"] {
            assert!(!is_numbered(target), "{target}");
        }
    }
}
