//! Statements that another program generates for a client: `psql -c "select 'drop table '||..." | psql`.
//!
//! Their text is only known at run time. The words of the generating program show that they remove tables.

use guard_sdk::syntax::{Command, Word};

use crate::draft::Draft;
use crate::run::Run;

/// The maximum number of stages of a pipeline, and of words of each, that are examined.
const STAGES: usize = 16;
const WORDS: usize = 256;

/// Starts of statements that lose data.
const LOSING: [&str; 4] = ["drop ", "truncate ", "delete from ", "alter table "];

/// Adds the effect of statements that earlier stages generate, if they lose data.
pub(crate) fn find(run: &mut Run<'_>, client: &str) {
    let position = &run.command.position;
    let mut stages = run.pipelines.stages(run.commands, position.pipeline, position.index).take(STAGES);
    if stages.any(|stage| writes_losses(stage) || rewrites_loss(stage)) {
        let draft = Draft::destructive("database", "sql.script").certain(false).tag("client", client);
        let draft = draft.tag("loses", "the tables or rows that the generated statements take away");
        run.emit(draft.tag("instead", "print the statements first, and read them"));
    }
}

/// Commands that lose keys.
const KEYS: [&str; 4] = ["del ", "unlink ", "flushall", "flushdb"];

/// Adds the removal of keys whose commands earlier stages generate: `sed 's/^/DEL /' | redis-cli`.
pub(super) fn find_keys(run: &mut Run<'_>) {
    let position = &run.command.position;
    let mut stages = run.pipelines.stages(run.commands, position.pipeline, position.index).take(STAGES);
    let is_key = |text: &str| {
        let text = text.to_ascii_lowercase();
        KEYS.iter().any(|verb| text.trim_start_matches(['^', ' ']).starts_with(verb))
    };
    let writes = |command: &Command| {
        let words = command.argv.iter().skip(1).take(WORDS);
        matches!(command.program(), "awk" | "gawk" | "mawk" | "jq" | "perl" | "python3" | "sed" | "gsed" | "xargs")
            && words.flat_map(|word| word.text.split(['"', '\'', '/', '|', '#'])).any(is_key)
    };
    if stages.any(writes) {
        let draft = Draft::destructive("database", "redis.delete").certain(false).tag("client", "redis-cli");
        run.emit(draft.tag("loses", "the keys that the generated commands name"));
    }
}

/// Returns whether a command's words show that it generates statements that lose data.
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
        | "clickhouse-client" | "jq" | "perl" | "python" | "python3" | "node" | "ruby" | "php" | "deno" | "bun"
        | "lua" => words().any(|word| quotes_loss(&word) || word == "sqlflush"),
        _ => words().any(|word| word == "sqlflush"),
    }
}

/// Returns whether a filter rewrites a text that loses data, and passes most of it on.
fn rewrites_loss(command: &Command) -> bool {
    let is_filter = matches!(command.program(), "sed" | "gsed" | "tr" | "envsubst" | "iconv" | "rev");
    let texts = command.redirections.iter().filter(|redirection| redirection.operator.starts_with("<<"));
    let mut texts = texts.flat_map(|redirection| [redirection.target.text.as_str(), redirection.body.as_str()]);
    let loses = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.split([';', '\n']).take(WORDS).any(|text| LOSING.iter().any(|verb| text.trim_start().starts_with(verb)))
    };
    is_filter && texts.any(loses)
}

/// Returns whether a quoted text in the word starts a statement that loses data.
fn quotes_loss(word: &str) -> bool {
    ['\'', '"', '$'].iter().any(|quote| {
        word.split(*quote)
            .skip(1)
            .take(WORDS)
            .any(|inside| LOSING.iter().any(|verb| inside.trim_start_matches('$').starts_with(verb)))
    })
}

/// Returns whether a replacement such as `s/x/DROP TABLE &/` generates the statement.
fn replaces_by_loss(script: &str) -> bool {
    let mut parts = script.strip_prefix('s').and_then(|rest| {
        let divider = rest.chars().next().filter(|char| matches!(char, '/' | '|' | '#' | ',' | ':' | '@'))?;
        Some(rest.split(divider).skip(2).take(1))
    });
    let loses = |text: &str| LOSING.iter().any(|verb| text.contains(verb) || text == verb.trim_end());
    parts.as_mut().and_then(Iterator::next).is_some_and(loses)
}
