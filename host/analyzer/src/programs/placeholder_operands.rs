//! Operands that `find -exec` and `xargs` supply, where the text determines them.
//!
//! `{}` becomes the start paths of a `find` without filters, or the names in its tests. Otherwise, it stays `{}`,
//! because the files are unknown. Words that the text itself pipes to `xargs` are already in its command.

use std::borrow::Cow;

use guard_sdk::syntax::{Command, Word};

use super::find::{self, SoleName};
use crate::options::{Operand, Options, Parsed, parse};
use crate::run::{Run, lists};

/// The maximum number of operands that replace a placeholder.
const MAX_SUPPLIED: usize = 64;

/// Replaces a placeholder with the operands that it stands for.
pub(super) fn fill<'a>(run: &Run<'a>, parsed: &mut Parsed<'a>) {
    let is_supplied = run.is_via("find-exec") || run.is_via("xargs");
    let Some(at) = parsed.operands.iter().position(|operand| is_supplied && operand.text == "{}") else { return };
    let Some(placeholder) = parsed.operands.get(at).cloned() else { return };
    let unknown = || vec![Operand { word: &SELECTED, ..placeholder.clone() }];
    let known = known(run).unwrap_or_else(unknown);
    parsed.operands.splice(at..=at, known);
}

/// A word for files that another program selects.
static SELECTED: Word = Word { text: String::new(), dynamic: false, quoted: false, glob: true, parts: Vec::new() };

fn selected<'a>(text: String) -> Operand<'a> {
    Operand { text: Cow::Owned(text), word: &SELECTED, dynamic: false }
}

/// Returns whether the operand is a start path of a `find` that selects everything below it.
pub(crate) fn is_start(operand: &Operand<'_>) -> bool {
    std::ptr::eq(operand.word, &raw const SELECTED) && !operand.dynamic && operand.text != "{}"
}

/// Returns whether the operand is a name in a search, which may match deeper than the path in the text.
pub(crate) fn is_selected(operand: &Operand<'_>) -> bool {
    std::ptr::eq(operand.word, &raw const SELECTED) && operand.dynamic
}

/// Returns the start paths of the `find` that supplies a placeholder, if its selection is unknown.
pub(crate) fn starts<'a>(run: &Run<'a>, operand: &Operand<'a>) -> Vec<Operand<'a>> {
    if operand.text != "{}" {
        return Vec::new();
    }
    let words = finder(run).filter(|finder| !is_fd(finder)).and_then(|finder| finder.argv.get(1..)).unwrap_or_default();
    find::starts(words).take(MAX_SUPPLIED).map(Operand::of).collect()
}

/// Returns the names in the tests of the `find` that supplies a placeholder, regardless of its other tests.
pub(crate) fn tested<'a>(run: &Run<'a>, operand: &Operand<'a>) -> Vec<Operand<'a>> {
    let words =
        finder(run).filter(|finder| operand.text == "{}" && !is_fd(finder)).and_then(|finder| finder.argv.get(1..));
    words.filter(|words| !find::names(words).is_empty()).and_then(names_below).unwrap_or_default()
}

/// A `find` or `fd` that supplies an operand.
pub(crate) struct Search<'a> {
    /// The start path.
    pub(crate) start: String,
    /// The common properties of everything that it finds.
    pub(crate) sole: SoleName<'a>,
}

/// Returns the `find` that supplies the operand, if all its results have one name.
pub(crate) fn search<'a>(run: &Run<'a>, operand: &Operand<'_>) -> Option<Search<'a>> {
    let substituted = substituted_finder(run, operand);
    let in_turn = substituted.is_some() || lists::is_found(run, operand);
    let finder = substituted.or_else(|| finder(run)).or_else(|| in_turn.then(|| only_finder(run)).flatten())?;
    let words = finder.argv.get(1..)?;
    let (starts, names) = if is_fd(finder) {
        let parsed = parse(words, FD, false);
        (starts_of_fd(&parsed), names_of_fd(&parsed))
    } else {
        (find::starts(words).map(|start| start.text.clone()).collect::<Vec<_>>(), find::sole_names(words))
    };
    // A program that `find` starts may print something else, `xargs` may read a file, and a test may come too late.
    let starts_none = || !run.commands.iter().any(|command| command.parent == finder.id);
    let is_piped = !run.command.redirections.iter().any(|found| found.operator.starts_with('<'));
    let is_plain = run.command.via.iter().all(|via| !SUPPLIERS.contains(&via.kind.as_str()) || via.detail.is_empty());
    if !is_plain || run.is_via("xargs") && !(is_piped && starts_none()) {
        return None;
    }
    let starts = if starts.is_empty() { vec![".".to_owned()] } else { starts };
    if operand.text == "{}" || in_turn {
        let ([start], Ok([sole])) = (starts.as_slice(), <[_; 1]>::try_from(names)) else { return None };
        return Some(Search { start: start.clone(), sole });
    }
    names.into_iter().find_map(|sole| {
        let is_start = |start: &&String| operand.text == below(start, &sole.name);
        let start = starts.iter().find(is_start)?.clone();
        Some(Search { start, sole })
    })
}

/// The options of `fd` with a value.
pub(crate) const FD: Options = Options::new("edEtcjSo", "extension max-depth exclude type size");

const SUPPLIERS: [&str; 2] = ["find-exec", "xargs"];

/// The `find` or `fd` whose results replace the placeholder.
fn finder<'a>(run: &Run<'a>) -> Option<&'a Command> {
    let parent = usize::try_from(run.command.parent).ok().and_then(|id| id.checked_sub(1));
    let parent = parent.and_then(|place| run.commands.get(place)).filter(|_| run.is_via("find-exec"));
    let finder = parent.or_else(|| run.before().filter(|_| run.is_via("xargs")));
    finder.filter(|finder| finder.program().ends_with("find") || is_fd(finder))
}

/// Returns the only command of the text that lists files, if it is a `find` or `fd`.
fn only_finder<'a>(run: &Run<'a>) -> Option<&'a Command> {
    let mut finders =
        run.commands.iter().take(MAX_SUPPLIED).filter(|one| one.program().ends_with("find") || is_fd(one));
    finders.next().filter(|_| finders.next().is_none())
}

/// Returns the `find` or `fd` whose output is the whole operand: `rm -r $(find . -name x)`. `None` if the command has
/// other substitutions, or the results pass through another program.
fn substituted_finder<'a>(run: &Run<'a>, operand: &Operand<'_>) -> Option<&'a Command> {
    let [part] = operand.word.parts.as_slice() else { return None };
    let mut children = run.pipelines.children(run.commands, run.command.id);
    let child = children.next().filter(|_| part.kind == "command" && children.next().is_none())?;
    let is_alone = child.position.length <= 1 && child.position.within.last().is_some_and(|at| at == "substitution");
    (is_alone && (child.program().ends_with("find") || is_fd(child))).then_some(child)
}

fn below(start: &str, name: &str) -> String {
    format!("{}/{name}", start.trim_end_matches('/'))
}

fn known<'a>(run: &Run<'a>) -> Option<Vec<Operand<'a>>> {
    if run.is_via("find-exec") {
        let place = usize::try_from(run.command.parent).ok()?.checked_sub(1)?;
        return found(run.commands.get(place).filter(|command| command.id == run.command.parent)?);
    }
    if let Some(before) = run.before() {
        let program = before.program();
        if program.ends_with("find") || is_fd(before) {
            return found(before);
        }
        let words = || before.argv.get(1..).unwrap_or_default().iter().filter(|word| !word.text.starts_with('-'));
        match program {
            "ls" if words().next().is_none() => return Some(vec![selected(".".to_owned())]),
            "ls" | "locate" | "mdfind" => {
                let named: Vec<Operand<'a>> = words().take(MAX_SUPPLIED).map(Operand::of).collect();
                return (!named.is_empty()).then_some(named);
            }
            _ => {}
        }
    }
    None
}

fn is_fd(command: &Command) -> bool {
    matches!(command.program(), "fd" | "fdfind")
}

/// Returns the operands that a `find` or `fd` supplies. `None` for other commands, and if they are unknown.
pub(crate) fn found(command: &Command) -> Option<Vec<Operand<'_>>> {
    let words: &[Word] = command.argv.get(1..).unwrap_or_default();
    if is_fd(command) {
        return Some(found_by_fd(words));
    }
    command.program().ends_with("find").then(|| names_below(words))?
}

/// Returns the names in the tests of a `find`, or its start paths if it has no filters.
fn names_below(words: &[Word]) -> Option<Vec<Operand<'_>>> {
    let starts = || find::starts(words).map(|start| start.text.as_str());
    let starts = || starts().chain(starts().next().is_none().then_some("."));
    let names = find::names(words);
    if names.is_empty() {
        let all: Vec<Operand<'_>> = starts().take(MAX_SUPPLIED).map(|start| selected(start.to_owned())).collect();
        return (!find::is_filtered(words)).then_some(all);
    }
    let found = |start: &str, is_path: bool, name: &str| match is_path {
        true => name.to_owned(),
        false => below(start, name),
    };
    let pairs = starts().flat_map(|start| names.iter().map(move |(is_path, name)| found(start, *is_path, name)));
    // The names may match deeper than the start path.
    Some(pairs.take(MAX_SUPPLIED).map(|text| Operand { dynamic: true, ..selected(text) }).collect())
}

/// Returns the files that `fd` finds, as patterns, or `*` if it has no pattern.
fn found_by_fd(words: &[Word]) -> Vec<Operand<'_>> {
    let parsed = parse(words, FD, false);
    let start = starts_of_fd(&parsed).into_iter().next().unwrap_or_else(|| ".".to_owned());
    let mut names: Vec<String> = names_of_fd(&parsed).into_iter().map(|sole| sole.name.into_owned()).collect();
    if names.is_empty() {
        names.push(match find::last_name(parsed.text(0)).as_str() {
            "" | "." => "*".to_owned(),
            name => name.to_owned(),
        });
    }
    names.iter().map(|name| Operand { dynamic: true, ..selected(below(&start, name)) }).take(MAX_SUPPLIED).collect()
}

fn starts_of_fd(parsed: &Parsed<'_>) -> Vec<String> {
    parsed.from(1).iter().map(|start| start.text.trim_end_matches('/').to_owned()).collect()
}

/// Returns the names of which every result of `fd` has one: from its extensions, a glob, or a regular expression
/// without special characters.
fn names_of_fd<'a>(parsed: &Parsed<'a>) -> Vec<SoleName<'a>> {
    let pattern = parsed.text(0);
    let extensions = parsed.values("e", "extension").map(|end| format!("*.{}", end.text.trim_start_matches('.')));
    let mut names: Vec<String> = extensions.collect();
    if names.is_empty() {
        let is_glob = parsed.is("g", "glob") && !pattern.is_empty();
        names.extend(if is_glob { Some(pattern.to_owned()) } else { spelled(pattern) });
    }
    if parsed.is("p", "full-path") || parsed.operands.iter().any(|word| word.dynamic) {
        return Vec::new();
    }
    let kind = match parsed.value("t", "type").as_ref().map(|kind| kind.text.as_ref()) {
        Some("d" | "directory") => "d",
        Some("f" | "file") => "f",
        _ => "",
    };
    let sole = |name: String| {
        let is_exact = parsed.is("s", "case-sensitive") || name.chars().any(char::is_uppercase);
        SoleName { tag: if is_exact { "every" } else { "every-ignore-case" }, name: Cow::Owned(name), kind }
    };
    names.into_iter().map(sole).collect()
}

/// Converts a regular expression without special characters to a pattern for names: `^a\.b$` becomes `a.b`.
fn spelled(expression: &str) -> Option<String> {
    let (begins, ends) = (expression.starts_with('^'), expression.ends_with('$'));
    let bare = expression.trim_start_matches('^').trim_end_matches('$');
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    let name = bare.replace("\\.", "\0");
    (!name.is_empty() && name.chars().all(|char| is_plain(char) || char == '\0')).then(|| {
        let name = name.replace('\0', ".");
        format!("{}{name}{}", if begins { "" } else { "*" }, if ends { "" } else { "*" })
    })
}
