//! Another name for the program: a copy, a link or a move under a name by which its commands would not be known.

use guard_sdk::syntax::{Command, Effect};

use crate::call_view::{CallView, is_remote};
use crate::names::{is_pattern, last_of, spells_letters};
use crate::rules::guard_command::is_confirming_script;
use crate::search::Search;
use crate::supplying_searches;

/// Programs that put what they read, as it is, where they write.
const COPIERS: &[&str] = &[
    "bun", "cat", "cp", "dd", "deno", "ditto", "gcp", "gdd", "ginstall", "gln", "gmv", "gtee", "head", "install",
    "link", "ln", "mv", "node", "perl", "php", "pv", "python", "python2", "python3", "rsync", "ruby", "sponge", "tail",
    "tee",
];

/// The most sources of a command that are looked at: each costs a question to the machine.
const SOURCES: usize = 32;

/// The new name, where a command gives the program one.
pub(crate) fn other_name<'a>(command: &'a Command, view: &CallView<'a>) -> Option<&'a str> {
    if is_remote(command) || !copies(command) {
        return None;
    }
    let written: Vec<&Effect> = of_command(command, view).filter(|effect| effect.kind == "write").collect();
    if written.is_empty() {
        return None;
    }
    let is_given = |source: &&str| is_program(source, view) || leads_to_program(source, view);
    let mut given = sources(command, view).take(SOURCES).filter(is_given).peekable();
    given.peek()?;
    let several = given.all(is_pattern);
    let other = written.iter().find(|effect| !keeps_name(effect, several, &written, view))?;
    Some(other.target.as_str())
}

/// Whether the command hands on what it is given.
fn copies(command: &Command) -> bool {
    COPIERS.contains(&command.program())
}

fn of_command<'a>(command: &Command, view: &CallView<'a>) -> impl Iterator<Item = &'a Effect> {
    view.index().effects(command).iter().copied().filter(|effect| effect.tag("where").is_none())
}

/// The files that the command copies, links or moves, or gets through pipes from others that copy.
fn sources<'a>(command: &'a Command, view: &CallView<'a>) -> impl Iterator<Item = &'a str> {
    let place = command.position.clone();
    let earlier: Vec<&Command> = view
        .analysis
        .commands
        .iter()
        .filter(|other| other.position.pipeline == place.pipeline && other.position.index < place.index)
        .collect();
    let through = if earlier.iter().all(|other| copies(other)) { earlier } else { Vec::new() };
    let effects: Vec<&'a Effect> =
        std::iter::once(command).chain(through).flat_map(|command| of_command(command, view)).collect();
    effects.into_iter().filter_map(|effect| match effect.kind.as_str() {
        "read" | "delete" => Some(effect.target.as_str()),
        "write" => effect.tag("link-to"),
        _ => None,
    })
}

/// Whether a path, which may be a pattern of the shell, is the program or the script that confirms, or a text of the shell
/// in its place names the program.
fn is_program(path: &str, view: &CallView<'_>) -> bool {
    let is =
        |word: &str| view.guard.is_program(word) || (spells_letters(last_of(word)) && view.guard.fits_program(word));
    is(path) || is_confirming_script(path, view) || (path.starts_with(['$', '`']) && words_of(path).any(is))
}

/// Whether a path leads to the program by a link.
fn leads_to_program(path: &str, view: &CallView<'_>) -> bool {
    let canonical = view.call.resolve(path).canonical;
    !canonical.is_empty() && view.guard.is_program(&canonical)
}

/// The words of a text of the shell, roughly.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | '=');
    text.split(ends).filter(|word| !word.is_empty())
}

/// Whether the program has its own name there. `several`: only a pattern says what is put there.
fn keeps_name(effect: &Effect, several: bool, written: &[&Effect], view: &CallView<'_>) -> bool {
    let target = effect.target.as_str();
    let is_folder = target.ends_with(['/', '.', '~']) || effect.path.kind == "dir";
    let in_it = |other: &&Effect| {
        let below = other.target.strip_prefix(target).is_some_and(|rest| !rest.is_empty());
        below && is_program(&other.target, view)
    };
    is_program(target, view) || is_folder || (!several && written.iter().any(in_it))
}

/// How sure it is that a command runs the program, which it does not spell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    /// The name fits.
    Fits,
    /// Nothing is said of the name.
    Any,
    /// Nothing is said of the name or of the program. The name may be that of a link or a copy.
    Link,
}

/// How a command that does not spell the program's name may still run it.
pub(crate) fn guess<'a>(command: &'a Command, view: &CallView<'a>) -> Option<Guess> {
    let first = command.argv.first()?;
    if first.glob {
        let fits = view.guard.fits_program(&first.text);
        let guess = if spells_letters(last_of(&first.text)) { Guess::Fits } else { Guess::Any };
        return Some(if fits { guess } else { Guess::Link });
    }
    if !first.dynamic {
        // The host looked the name up in the `PATH` that it has itself.
        return view.sets_path().then_some(Guess::Link);
    }
    if !supplying_searches::is_supplied(command) || !first.text.contains("{}") {
        return Some(if view.names_program() { Guess::Any } else { Guess::Link });
    }
    let names: Vec<&str> = view.guard.program_names().collect();
    let searches = supplying_searches::of_words(command, view);
    let searched = searches.iter().any(|search| names.iter().any(|name| search.names(name)));
    if searched || (searches.is_empty() && view.names_program()) {
        return Some(Guess::Fits);
    }
    let takes_any = searches.is_empty() || searches.iter().any(Search::takes_all);
    Some(if takes_any { Guess::Any } else { Guess::Link })
}

/// Whether a command sets where programs are looked for.
pub(crate) fn sets_path(command: &Command) -> bool {
    command.assignments.iter().any(|given| given.name == "PATH")
        || command.argv.iter().skip(1).any(|word| word.text.starts_with("PATH="))
}

/// Whether some word of the text is the program's name, or a pattern that fits it.
pub(crate) fn names_program(view: &CallView<'_>) -> bool {
    words_of(view.text()).any(|word| is_program(word, view))
}
