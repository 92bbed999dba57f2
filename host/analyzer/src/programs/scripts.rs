//! Adds the effects of texts in other languages to the command that contains them.

use guard_script_summary::{ActionKind, Piece, Text};
use guard_sdk::syntax::Word;

use super::{fetch, files};
use crate::draft::Draft;
use crate::languages::{Found, code, sql};
use crate::options::Operand;
use crate::run::{Run, here};
use crate::summaries;
use crate::wrappers::code::languages::LOADED;

/// Records a text of SQL and adds the effects of its statements.
pub(super) fn sql(run: &mut Run<'_>, client: &str, text: &str, certain: bool) {
    run.script("sql", text, certain);
    state(run, sql::effects(client, text, certain), false);
}

/// Adds the effects of a text's statements, if it is SQL and its receiver runs it.
pub(super) fn perhaps_sql(run: &mut Run<'_>, client: &str, text: &str) {
    state(run, sql::perhaps_effects(client, text), false);
}

/// Adds the effects of a command that is itself SQL, for example a statement that was pasted without its client.
pub(super) fn bare_sql(run: &mut Run<'_>) {
    if !matches!(
        run.name.as_str(),
        "drop" | "truncate" | "delete" | "update" | "alter" | "merge" | "explain" | "prepare"
    ) {
        return;
    }
    let second = run.command.word(1).to_ascii_lowercase();
    let is_sql = match run.name.as_str() {
        "truncate" => !second.starts_with('-') && !second.is_empty(),
        "delete" => second == "from",
        "merge" => second == "into",
        "prepare" => run.command.argv.iter().any(|word| word.text.eq_ignore_ascii_case("as")),
        "explain" => second == "analyze",
        "update" => run.command.argv.iter().any(|word| word.text.eq_ignore_ascii_case("set")),
        _ => true,
    };
    // The coreutils program takes its size as an option, in any position.
    let has_option = run.command.argv.iter().any(|word| word.text.starts_with('-'));
    if is_sql && !(has_option && run.name == "truncate") {
        perhaps_sql(run, "bare", &run.command.text());
    }
}

/// Records code of a general-purpose language and adds its proven effects. `arguments` are those of the code, without
/// its own name.
pub(super) fn code(run: &mut Run<'_>, language: &str, text: &str, certain: bool, arguments: &[Operand<'_>]) {
    run.script(language, text, certain);
    if let Some(language) = summaries::language(language) {
        let arguments: Vec<Word> = arguments.iter().map(|operand| operand.word.clone()).collect();
        read(run, language, text, &arguments);
    }
    // Only code on the command line counts, because a file may print the environment for its own purposes.
    let is_inline = run.arguments().iter().any(|word| word.text.contains(text))
        || run.command.redirections.iter().any(|found| found.operator.starts_with("<<"));
    // The program may load a file itself: `ruby -rdotenv/load`.
    let loads =
        run.name == "bun" || run.arguments().iter().any(|word| word.text.len() < 64 && word.text.contains("dotenv"));
    let prints_all = || is_inline && !run.is_via("script") && code::environment::is_printed(text);
    // A tool that loads tests or modules runs little of their code.
    let prints_loaded = || run.name != LOADED && code::sent_variables::is_printed(text, loads);
    if prints_all() || prints_loaded() {
        let by = run.name.clone();
        run.emit(Draft::notable("read", "secret.read").tag("by", &by));
    }
    if let Some(sent) = code::sent_variables::find(text, loads) {
        let draft = if sent.is_secret {
            Draft::destructive("network", "secret.send").tag("what", "variable").certain(false)
        } else {
            Draft::notable("network", "network.send").tag("what", "variable")
        };
        run.emit(draft.target(&sent.host));
    }
    let found = code::effects(&run.name, language, text, certain);
    // A shell would expand an unquoted `~`. Most languages don't expand it in their literals.
    state(run, found, !matches!(language, "elisp" | "r"));
}

/// Adds the effects that the script analyzer finds. The commands that the script starts are listed separately after
/// this one.
fn read(run: &mut Run<'_>, language: &'static str, code: &str, arguments: &[Word]) {
    let summary = summaries::of(language, code);
    let by = run.name.clone();
    let mut unknown = summary.unknown;
    if summary.actions.iter().any(|action| names_own(&action.what)) {
        let made = Word { text: summaries::OWN.to_owned(), ..here() };
        run.write_as(&Operand::of(&made), Draft::notable("write", "fs.write").flag("directory", true).tag("by", &by));
    }
    for action in &summary.actions {
        match &action.what {
            ActionKind::Read(path) => on(run, path, arguments, |run, file| run.read(file)),
            ActionKind::Write { path, append, empties } => {
                unknown.deletes |= *empties && summaries::begins_unknown(path, arguments);
                let draft = Draft::notable("write", "fs.write").flag("append", *append).flag("truncate", !append);
                let draft = draft.flag("empties", *empties);
                on(run, path, arguments, |run, file| {
                    let many = *empties && file.word.glob;
                    run.write_as(file, draft.flag("glob", many).tag("by", &by));
                });
            }
            ActionKind::Put { from, to, each } => {
                let from = summaries::word(from, arguments);
                on(run, to, arguments, |run, to| files::put(run, &Operand::of(&from), to, *each));
            }
            ActionKind::Fill { folder, archive } => {
                let draft =
                    Draft::notable("write", "fs.write").tag("by", &by).flag("tree", true).flag("archive", *archive);
                on(run, folder, arguments, |run, folder| run.write_as(folder, draft));
            }
            ActionKind::MakeFolder(path) => {
                let draft = Draft::notable("write", "fs.write").flag("directory", true).tag("by", &by);
                on(run, path, arguments, |run, file| run.write_as(file, draft));
            }
            ActionKind::Link { at, to, is_hard } => {
                let to = summaries::word(to, arguments);
                on(run, at, arguments, |run, link| files::link(run, &Operand::of(&to), link, !is_hard));
            }
            ActionKind::Change(path) => change_mode(run, path, arguments, code::opens_all(code)),
            ActionKind::MoveAway(path) => {
                unknown.deletes |= summaries::begins_unknown(path, arguments);
                let draft = Draft::notable("delete", "fs.delete").tag("by", "mv");
                on(run, path, arguments, |run, file| run.emit_on(draft.flag("glob", file.word.glob), file));
            }
            ActionKind::Delete(path) => {
                unknown.deletes |= summaries::begins_unknown(path, arguments);
                on(run, path, arguments, |run, file| run.delete(file, false));
            }
            ActionKind::DeleteTree(path) => {
                unknown.deletes |= summaries::begins_unknown(path, arguments);
                on(run, path, arguments, |run, file| run.delete_tree(file, true, &by));
            }
            ActionKind::Sql(statement) => {
                // Statements that occur literally in the code were already found in the calls of database drivers.
                if !code.contains(statement.head()) {
                    let statement = summaries::word(statement, arguments).text;
                    state(run, sql::perhaps_effects(language, &statement), false);
                }
            }
            // A download alone isn't a loss.
            ActionKind::Connect { to, sends: true, deletes } => {
                send(run, language, code, (to, *deletes, action.certain), arguments);
            }
            ActionKind::Shell { .. } | ActionKind::Program { .. } | ActionKind::Connect { .. } => {}
        }
    }
    if unknown.deletes || unknown.executes {
        let draft = Draft::notable("execute", "code.unknown").tag("by", &by);
        run.emit(draft.flag("deletes", unknown.deletes).flag("executes", unknown.executes));
    }
    for reason in &summary.reasons {
        run.reason(&format!("{language}: {reason}"));
    }
}

/// Adds the effects of sending to a URL. `deletes` and `certain`: whether this deletes something there, and whether it
/// is certain.
fn send(
    run: &mut Run<'_>,
    language: &'static str,
    code: &str,
    (to, deletes, certain): (&Text, bool, bool),
    arguments: &[Word],
) {
    let head = to.head();
    let to = summaries::word(to, arguments);
    let draft = match deletes || fetch::removals::says_removal(&to.text) {
        true => Some(Draft::destructive("network", "http.delete").target(&to.text)),
        false => {
            let is_test = ["'sk_test_", "\"sk_test_", "Bearer sk_test_"].iter().any(|key| code.contains(key));
            let change = || fetch::changes::in_code(code).then(|| fetch::changes::at(&to.text)).flatten();
            fetch::outward::effect(&to.text, true, is_test).or_else(change)
        }
    };
    if let Some(draft) = draft.filter(|_| !code::requests::is_answered(language, code, head)) {
        run.emit(draft.certain(certain));
    }
    let by = run.name.clone();
    let draft = Draft::routine("network", "network.send").target(&to.text).tag("by", &by);
    run.emit(draft.certain(!to.dynamic));
}

/// Adds the change of a file's mode or owner. With `opens`, everyone gets access, also to many files if the path is
/// unknown or a pattern.
fn change_mode(run: &mut Run<'_>, path: &Text, arguments: &[Word], opens: bool) {
    let many = |run: &mut Run<'_>, folder: &str| {
        let folder = Word { text: folder.to_owned(), ..here() };
        run.emit_on(code::opened(), &Operand::of(&folder));
    };
    if opens && summaries::begins_unknown(path, arguments) {
        many(run, ".");
    }
    on(run, path, arguments, |run, file| match file.text.split_once('*').filter(|_| opens && file.word.glob) {
        Some((folder, _)) => many(run, folder),
        None => run.emit_on(Draft::notable("metadata", "fs.mode"), file),
    });
}

/// Returns whether a program gets a path of the code's own temporary files.
fn names_own(what: &ActionKind) -> bool {
    let is_own = |text: &Text| text.pieces.contains(&Piece::Own);
    match what {
        ActionKind::Shell { text, folder, .. } => is_own(text) || folder.as_ref().is_some_and(is_own),
        ActionKind::Program { words, folder, .. } => words.iter().chain(folder).any(is_own),
        _ => false,
    }
}

/// Calls `does` for a file with a known location, unless it is one of the code's own temporary files.
fn on(run: &mut Run<'_>, path: &Text, arguments: &[Word], does: impl FnOnce(&mut Run<'_>, &Operand<'_>)) {
    if !path.is_own() && !summaries::begins_unknown(path, arguments) {
        let word = summaries::word(path, arguments);
        does(run, &Operand::of(&word));
    }
}

fn state(run: &mut Run<'_>, found: Vec<Found>, quoted: bool) {
    found.into_iter().for_each(|found| state_one(run, found, quoted));
}

fn state_one(run: &mut Run<'_>, found: Found, quoted: bool) {
    // The home directory is written as the variable `$HOME`.
    let word =
        |text: String| Word { dynamic: text.starts_with("$HOME/"), text, quoted, glob: false, parts: Vec::new() };
    match found {
        Found::Effect(draft) => run.emit(draft),
        Found::Read(path) => run.read(&Operand::of(&word(path))),
        Found::Write(path) => run.write(&Operand::of(&word(path))),
        Found::WriteAs(path, draft) => run.write_as(&Operand::of(&word(path)), draft),
        Found::On(path, draft) => run.emit_on(draft, &Operand::of(&word(path))),
        Found::Delete(path) => run.delete(&Operand::of(&word(path)), false),
        Found::DeleteTree(path) => {
            let by = run.name.clone();
            run.delete_tree(&Operand::of(&word(path)), true, &by);
        }
        Found::Unseen(reason) => run.reason(&reason),
    }
}
