//! Writes down what texts in other languages do, as effects of the command that holds them.

use guard_sdk::syntax::Word;

use crate::languages::{Found, code, sql};
use crate::options::Operand;
use crate::run::Run;

/// Notes a text of SQL and adds what its statements do.
pub(super) fn sql(run: &mut Run<'_>, client: &str, text: &str, certain: bool) {
    run.script("sql", text, certain);
    state(run, sql::effects(client, text, certain), false);
}

/// Adds what the statements of a text do, if it is SQL and its receiver runs it.
pub(super) fn perhaps_sql(run: &mut Run<'_>, client: &str, text: &str) {
    state(run, sql::effects(client, text, false), false);
}

/// Adds the effects of a command that is itself SQL, as when a statement is pasted without its client.
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
    // The coreutil takes its size by an option, wherever it stands.
    let has_option = run.command.argv.iter().any(|word| word.text.starts_with('-'));
    if is_sql && !(has_option && run.name == "truncate") {
        perhaps_sql(run, "bare", &run.command.text());
    }
}

/// Notes code of a general language and adds what it provably does.
pub(super) fn code(run: &mut Run<'_>, language: &str, text: &str, certain: bool) {
    run.script(language, text, certain);
    let found = code::effects(&run.name, language, text, certain);
    // A shell would replace `~` in a word without quotes; most languages take their literals as they are.
    state(run, found, !matches!(language, "elisp" | "r"));
}

fn state(run: &mut Run<'_>, found: Vec<Found>, quoted: bool) {
    found.into_iter().for_each(|found| state_one(run, found, quoted));
}

fn state_one(run: &mut Run<'_>, found: Found, quoted: bool) {
    // The home is written as a shell's variable.
    let word =
        |text: String| Word { dynamic: text.starts_with("$HOME/"), text, quoted, glob: false, parts: Vec::new() };
    match found {
        Found::Effect(draft) => run.emit(draft),
        Found::Read(path) => run.read(&Operand::of(&word(path))),
        Found::Write(path) => run.write(&Operand::of(&word(path))),
        Found::WriteAs(path, draft) => run.write_as(&Operand::of(&word(path)), draft),
        Found::Delete(path) => run.delete(&Operand::of(&word(path)), false),
        Found::DeleteTree(path) => {
            let by = run.name.clone();
            run.delete_tree(&Operand::of(&word(path)), true, &by);
        }
        // A home is never inside another one.
        Found::Home(found) if quoted => state_one(run, *found, false),
        Found::Home(_) => {}
        Found::Unseen(reason) => run.reason(&reason),
    }
}
