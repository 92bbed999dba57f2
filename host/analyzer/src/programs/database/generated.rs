//! Statements that another program writes into a client: `psql -c "select 'drop table '||..." | psql`.
//!
//! Their text is known only at run time. That they take tables away shows in the words of what writes them.

use guard_sdk::syntax::{Command, Word};

use crate::draft::Draft;
use crate::run::Run;

/// The most commands of a pipeline, and the most words of each, that are looked at.
const STAGES: usize = 16;
const WORDS: usize = 256;

/// Beginnings of statements that lose data.
const LOSING: [&str; 4] = ["drop ", "truncate ", "delete from ", "alter table "];

/// Adds the effect of statements that commands before this one write, if they lose data.
pub(crate) fn find(run: &mut Run<'_>, client: &str) {
    let position = &run.command.position;
    let mut stages = run.pipelines.stages(run.commands, position.pipeline, position.index).take(STAGES);
    if stages.any(writes_losses) {
        let draft = Draft::destructive("database", "sql.script").certain(false).tag("client", client);
        let draft = draft.tag("loses", "the tables or rows that the generated statements take away");
        run.emit(draft.tag("instead", "print the statements first, and read them"));
    }
}

/// Whether the words of a command show that it writes statements that lose data.
fn writes_losses(command: &Command) -> bool {
    let words: &[Word] = command.argv.get(1..).unwrap_or_default();
    let words = || words.iter().take(WORDS).map(|word| word.text.to_ascii_lowercase());
    match command.program() {
        "grep" | "egrep" | "rg" | "ag" => {
            let inverts = |word: &String| {
                word == "--invert-match" || !word.starts_with("--") && word.starts_with('-') && word.contains('v')
            };
            let named = ["drop", "truncate", "delete from"];
            !words().any(|word| inverts(&word))
                && words()
                    .find(|word| !word.starts_with('-'))
                    .is_some_and(|word| named.iter().any(|verb| word.contains(verb)))
        }
        "sed" | "gsed" => words().any(|script| replaces_by_loss(&script)),
        "awk" | "gawk" | "mawk" | "psql" | "mysql" | "mariadb" | "sqlite3" | "duckdb" | "sqlcmd"
        | "clickhouse-client" | "jq" | "perl" => words().any(|word| quotes_loss(&word)),
        _ => words().any(|word| word == "sqlflush"),
    }
}

/// Whether a text within the word begins a statement that loses data.
fn quotes_loss(word: &str) -> bool {
    ['\'', '"', '$'].iter().any(|quote| {
        word.split(*quote)
            .skip(1)
            .take(WORDS)
            .any(|inside| LOSING.iter().any(|verb| inside.trim_start_matches('$').starts_with(verb)))
    })
}

/// Whether `s/x/DROP TABLE &/` puts the statement in.
fn replaces_by_loss(script: &str) -> bool {
    let mut parts = script.strip_prefix('s').and_then(|rest| {
        let divider = rest.chars().next().filter(|char| matches!(char, '/' | '|' | '#' | ',' | ':' | '@'))?;
        Some(rest.split(divider).skip(2).take(1))
    });
    parts.as_mut().and_then(Iterator::next).is_some_and(|text| LOSING.iter().any(|verb| text.contains(verb)))
}
