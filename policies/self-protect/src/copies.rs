//! Other names for the program: a copy, a link or a move to a name that hides its commands.

use guard_sdk::syntax::{Command, Effect};

use crate::call_view::{CallView, is_remote};
use crate::names::{is_pattern, last_component, spells_letters};
use crate::rules::guard_command::is_confirming_script;
use crate::search::Search;
use crate::supplying_searches;

/// Programs that write their input unchanged.
const COPIERS: &[&str] = &[
    "bun", "cat", "cp", "dd", "deno", "ditto", "gcp", "gdd", "ginstall", "gln", "gmv", "gtee", "head", "install",
    "link", "ln", "mv", "node", "perl", "php", "pv", "python", "python2", "python3", "rsync", "ruby", "sponge", "tail",
    "tee",
];

/// The maximum number of a command's sources that are examined: each one requires a request to the host.
const SOURCES: usize = 32;

/// Returns the new name that a command gives the program.
pub(crate) fn new_name<'a>(command: &'a Command, view: &CallView<'a>) -> Option<&'a str> {
    if is_remote(command) || !copies(command) {
        return None;
    }
    let written: Vec<&Effect> = local_effects(command, view).filter(|effect| effect.kind == "write").collect();
    if written.is_empty() {
        return None;
    }
    let is_given = |source: &&str| is_program(source, view) || is_program_link(source, view);
    let mut sources = sources(command, view).take(SOURCES).filter(is_given).peekable();
    sources.peek()?;
    let several = sources.all(is_pattern);
    let other = written.iter().find(|effect| !keeps_name(effect, several, &written, view))?;
    Some(other.target.as_str())
}

/// Returns whether the command passes on its input.
fn copies(command: &Command) -> bool {
    COPIERS.contains(&command.program())
}

fn local_effects<'a>(command: &Command, view: &CallView<'a>) -> impl Iterator<Item = &'a Effect> {
    view.index().effects(command).iter().copied().filter(|effect| effect.tag("where").is_none())
}

/// Returns the files that the command copies, links or moves, or gets through pipes from other copying commands.
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
        std::iter::once(command).chain(through).flat_map(|command| local_effects(command, view)).collect();
    effects.into_iter().filter_map(|effect| match effect.kind.as_str() {
        "read" | "delete" => Some(effect.target.as_str()),
        "write" => effect.tag("link-to"),
        _ => None,
    })
}

/// Returns whether a path, which may be a shell pattern, is the program or the confirming script, or an inline shell
/// text that names the program.
fn is_program(path: &str, view: &CallView<'_>) -> bool {
    let is = |word: &str| {
        view.guard.is_program(word) || (spells_letters(last_component(word)) && view.guard.matches_program(word))
    };
    is(path) || is_confirming_script(path, view) || (path.starts_with(['$', '`']) && split_words(path).any(is))
}

/// Returns whether a path is a link to the program.
fn is_program_link(path: &str, view: &CallView<'_>) -> bool {
    let canonical = view.call.resolve(path).canonical;
    !canonical.is_empty() && view.guard.is_program(&canonical)
}

/// Splits a shell text roughly into words.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | '=');
    text.split(ends).filter(|word| !word.is_empty())
}

/// Returns whether the program keeps its own name. With `several`, only a pattern describes the written files.
fn keeps_name(effect: &Effect, several: bool, written: &[&Effect], view: &CallView<'_>) -> bool {
    let target = effect.target.as_str();
    let is_folder = target.ends_with(['/', '.', '~']) || effect.path.kind == "dir";
    let in_it = |other: &&Effect| {
        let below = other.target.strip_prefix(target).is_some_and(|rest| !rest.is_empty());
        below && is_program(&other.target, view)
    };
    is_program(target, view) || is_folder || (!several && written.iter().any(in_it))
}

/// The probability that a command runs the program without spelling its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    /// The name's pattern matches.
    Fits,
    /// The name is unknown.
    Any,
    /// The name could be that of a link or a copy.
    Link,
}

/// Returns how a command that doesn't spell the program's name may still run it.
pub(crate) fn guess<'a>(command: &'a Command, view: &CallView<'a>) -> Option<Guess> {
    let first = command.argv.first()?;
    if first.glob {
        let fits = view.guard.matches_program(&first.text);
        let guess = if spells_letters(last_component(&first.text)) { Guess::Fits } else { Guess::Any };
        return Some(if fits { guess } else { Guess::Link });
    }
    if !first.dynamic {
        // The host looked up the name in its own `PATH`.
        return view.sets_path().then_some(Guess::Link);
    }
    if !supplying_searches::is_supplied(command) || !first.text.contains("{}") {
        return Some(if view.mentions_program() { Guess::Any } else { Guess::Link });
    }
    let names: Vec<&str> = view.guard.program_names().collect();
    let searches = supplying_searches::words_searches(command, view);
    let searched = searches.iter().any(|search| names.iter().any(|name| search.matches_name(name)));
    if searched || (searches.is_empty() && view.mentions_program()) {
        return Some(Guess::Fits);
    }
    let takes_any = searches.is_empty() || searches.iter().any(Search::matches_all);
    Some(if takes_any { Guess::Any } else { Guess::Link })
}

/// Returns whether a command sets the search path for programs.
pub(crate) fn sets_path(command: &Command) -> bool {
    command.assignments.iter().any(|assignment| assignment.name == "PATH")
        || command.argv.iter().skip(1).any(|word| word.text.starts_with("PATH="))
}

/// Returns whether a word of the text is the program's name, or a pattern that matches it.
pub(crate) fn mentions_program(view: &CallView<'_>) -> bool {
    split_words(view.text()).any(|word| is_program(word, view))
}
