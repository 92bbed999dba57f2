//! Finds the searches that supply the files for a command: by `-exec`, through a pipe, or as the value of a variable.

use guard_sdk::syntax::{Command, Effect};

use crate::call_view::CallView;
use crate::search::Search;

/// The maximum number of searches.
const SEARCHES: usize = 16;

/// Returns the searches that supply the files of a change, and the text after a file's name in its target. `None` if
/// the change names its files itself.
pub(crate) fn find<'a>(effect: &Effect, view: &CallView<'a>) -> Option<(Vec<Search<'a>>, String)> {
    let command = view.command_by_id(effect.command_id)?;
    if effect.tag("by") == Some("find") {
        return Search::from_name_search(command).map(|search| (vec![search], String::new()));
    }
    // `-execdir` runs in the folder of each selected file, regardless of the file's name.
    let beside = is_via(command, "find-exec") && command.cwd.is_empty() && is_beside(&effect.target);
    let tail = if beside { format!("/{}", effect.target) } else { target_tail(effect, command)? };
    let by_text = effect.target.starts_with('$');
    let searches = sources(by_text, command, view).filter_map(Search::from_name_search).take(SEARCHES);
    let unnamed = |search: Search<'a>| if beside { search.with_any_name() } else { search };
    let searches: Vec<Search<'a>> = searches.map(unnamed).collect();
    (!searches.is_empty()).then_some((searches, tail))
}

/// Returns the start of a search by content that supplies the files of a change, if it may select a protected file.
pub(crate) fn content_search_start(effect: &Effect, view: &CallView<'_>) -> Option<String> {
    let command = view.command_by_id(effect.command_id)?;
    let tail = target_tail(effect, command)?;
    let by_text = effect.target.starts_with('$');
    let searches = sources(by_text, command, view).filter_map(Search::from_content_search).take(SEARCHES);
    let mut reaching = searches.filter(|search| search.reaches(&effect.kind, &tail, view).is_some());
    reaching.next().map(|search| search.start_points())
}

/// Returns the start of a search that supplies words of the command, if it searches for a protected file by name.
pub(crate) fn words_search_start<'a>(command: &'a Command, view: &CallView<'a>) -> Option<String> {
    if !is_supplied(command) || !command.argv.iter().skip(1).any(|word| word.text.contains("{}")) {
        return None;
    }
    let searches = words_searches(command, view);
    let mut reaching =
        searches.iter().filter(|search| search.spells_names() && search.reaches("write", "", view).is_some());
    reaching.next().map(Search::start_points)
}

/// Returns the searches that supply words of the command.
pub(crate) fn words_searches<'a>(command: &'a Command, view: &CallView<'a>) -> Vec<Search<'a>> {
    sources(false, command, view).filter_map(Search::from_name_search).take(SEARCHES).collect()
}

/// Returns the text after a supplied name in the effect's target. `None` if the target isn't a supplied name.
fn target_tail(effect: &Effect, command: &Command) -> Option<String> {
    let target = effect.target.as_str();
    if let Some((before, behind)) = target.split_once("{}") {
        return before.is_empty().then(|| behind.to_owned());
    }
    let own = command.argv.iter().skip(1).map(|word| word.text.as_str()).any(|word| {
        let rest = target.strip_prefix(word).filter(|_| !word.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || word.ends_with('/'))
    });
    let redirected = effect.tag("by") == Some("redirect");
    if !own && !redirected {
        return is_supplied(command).then(String::new);
    }
    let by_variable = target.starts_with('$') && effect.path.raw.is_empty() && !effect.certain;
    // Slashes in a substitution belong to it.
    let end = if target.starts_with("$(") { None } else { target.find('/') };
    by_variable.then(|| end.and_then(|end| target.get(end..)).unwrap_or_default().to_owned())
}

/// Returns whether a target is a plain name in the working directory.
fn is_beside(target: &str) -> bool {
    !target.is_empty() && !target.starts_with(['/', '~', '$']) && !target.contains("{}")
}

/// Returns whether another program supplies words of the command.
pub(crate) fn is_supplied(command: &Command) -> bool {
    ["find-exec", "xargs", "parallel"].iter().any(|kind| is_via(command, kind))
}

fn is_via(command: &Command, kind: &str) -> bool {
    command.via.iter().any(|via| via.kind == kind)
}

/// Returns the commands that supply file names for a command, as words or, with `by_text`, as the value of a variable.
fn sources<'a>(by_text: bool, command: &'a Command, view: &CallView<'a>) -> impl Iterator<Item = &'a Command> {
    let (place, supplied) = (&command.position, is_supplied(command));
    let in_loop = by_text && place.within.iter().any(|within| within == "loop");
    // The commands of a shell text from `xargs` have their own pipeline.
    let in_shell = supplied && place.length == 1;
    view.analysis.commands.iter().filter(move |source| {
        let other = &source.position;
        let substituted = other.within.iter().any(|within| matches!(within.as_str(), "substitution" | "process"));
        let piped = other.index + 1 < other.length;
        let earlier = source.id < command.id;
        (other.pipeline == place.pipeline && other.index < place.index)
            || (supplied && source.id == command.parent)
            || (in_shell && earlier && piped)
            || (by_text && substituted && source.parent == command.id)
            || (in_loop && earlier && (substituted || piped))
    })
}
