//! Statements that change more than rows: definitions, permissions, settings, logs.

use guard_sdk::syntax::Severity;

use super::bounds;
use super::reader::Reader;
use super::tokens::Token;
use crate::draft::Draft;

fn destructive(operation: &'static str) -> Draft {
    Draft::destructive("database", operation)
}

/// Reads `ALTER`, after its verb.
pub(super) fn alter(reader: &mut Reader<'_, '_>) -> Option<Draft> {
    let what = reader.word()?;
    match what.to_ascii_lowercase().as_str() {
        "table" => alter_table(reader),
        "user" | "role" | "login" => {
            let raises = reader.contains("superuser") || reader.contains("bypassrls") || reader.contains("sysadmin");
            raises.then(|| destructive("sql.grant").target(&reader.name()))
        }
        "system" => Some(destructive("sql.setting").target(&reader.name())),
        "database" => {
            let lost = reader.contains("offline") || reader.contains("rename");
            lost.then(|| destructive("sql.alter-database").target(&reader.name()))
        }
        _ => None,
    }
}

fn alter_table(reader: &mut Reader<'_, '_>) -> Option<Draft> {
    reader.take_all(&["if", "exists", "only"]);
    let name = reader.name();
    let named = |draft: Draft| Some(draft.target(&name));
    // A ClickHouse mutation.
    if reader.take("delete") {
        return named(bounded(destructive("sql.delete"), reader));
    }
    if reader.take("update") {
        return named(bounded(destructive("sql.update"), reader));
    }
    for (at, token) in reader.tokens.iter().enumerate() {
        let next = reader.tokens.get(at + 1);
        let is_next = |words: &[&str]| next.is_some_and(|next| words.iter().any(|word| next.is(word)));
        if token.is("drop") {
            if is_next(&["default", "not", "identity", "expression"]) {
                continue;
            }
            let part = is_next(&["constraint", "index", "key", "primary", "foreign", "check", "trigger", "projection"]);
            return named(match (part, is_next(&["partition", "part"])) {
                (true, _) => Draft::notable("database", "sql.drop-object"),
                (_, true) => destructive("sql.drop-partition"),
                _ => destructive("sql.drop-column"),
            });
        }
        if token.is("truncate") && is_next(&["partition"]) {
            return named(Draft::catastrophic("database", "sql.truncate"));
        }
        if token.is("discard") || token.is("clear") && is_next(&["column", "index"]) {
            return named(destructive("sql.drop-column"));
        }
        if token.is("disable") && is_next(&["trigger", "row", "rule"]) {
            return named(destructive("sql.protection-off"));
        }
    }
    None
}

fn bounded(draft: Draft, reader: &Reader<'_, '_>) -> Draft {
    let bounded = bounds::is_bounded(reader.tokens);
    draft.severe(Severity::Notable, bounded).flag("where", bounded)
}

/// Reads the remaining statements that lose something, after their verb.
pub(super) fn other(verb: &str, reader: &mut Reader<'_, '_>) -> Option<Draft> {
    let holds = |words: &[&str]| words.iter().any(|word| reader.contains(word));
    let next = |word: &str| reader.tokens.first().is_some_and(|token| token.is(word));
    let found = match verb.to_ascii_lowercase().as_str() {
        "grant" => next("all") || holds(&["superuser", "admin", "sysadmin"]),
        "revoke" => true,
        "shutdown" => true,
        "reset" => next("master") || next("slave") || next("replica") || next("persist") || next("binary"),
        "purge" | "flashback" => true,
        "restore" => next("database") || next("log"),
        "set" => next("global") || next("persist") || next("persist_only") || is_guard_off(reader),
        "uninstall" => true,
        "system" => next("shutdown") || next("kill") || next("drop"),
        "reassign" => next("owned"),
        // The previous object with the name is lost. Views and functions have no rows.
        "create" if next("or") => {
            reader.take_all(&["or", "replace"]);
            let is_table = reader.take("table");
            return is_table.then(|| destructive("sql.drop-table").target(&reader.name()));
        }
        "create" => (next("user") || next("role") || next("login")) && holds(&["superuser", "bypassrls"]),
        "copy" => return copy(reader),
        // The graph query language.
        "match" | "optional" => return holds(&["delete"]).then(|| destructive("graph.delete")),
        "select" => return select(reader),
        _ => false,
    };
    let operation = match verb.to_ascii_lowercase().as_str() {
        "grant" | "create" => "sql.grant",
        "revoke" => "sql.revoke",
        "shutdown" | "system" => "sql.shutdown",
        "reset" | "purge" => "sql.purge",
        "set" => "sql.setting",
        "uninstall" => "sql.uninstall",
        "reassign" => "sql.reassign",
        _ => "sql.restore",
    };
    found.then(|| destructive(operation))
}

/// Returns whether the statement disables a setting that prevents statements without a condition.
fn is_guard_off(reader: &Reader<'_, '_>) -> bool {
    let off = |token: &Token<'_>| token.is("0") || token.is("off") || token.is("false");
    reader.contains("sql_safe_updates") && reader.tokens.iter().any(off)
}

/// Reads `COPY ... TO 'file'` and `COPY ... PROGRAM 'command'`, which run on the server.
fn copy(reader: &Reader<'_, '_>) -> Option<Draft> {
    let mut tokens = reader.tokens.iter().zip(reader.tokens.iter().skip(1));
    tokens.find_map(|(word, behind)| match behind {
        Token::Text(command) if word.is("program") => {
            Some(Draft::destructive("execute", "sql.execute-program").target(command))
        }
        Token::Text(file) if word.is("to") => Some(destructive("sql.write-file").target(file)),
        _ => None,
    })
}

/// Reads `SELECT ... INTO OUTFILE 'file'`.
fn select(reader: &Reader<'_, '_>) -> Option<Draft> {
    let mut tokens = reader.tokens.iter().zip(reader.tokens.iter().skip(1));
    tokens.find_map(|(word, behind)| match behind {
        Token::Text(file) | Token::Name(file) if word.is("outfile") || word.is("dumpfile") => {
            Some(destructive("sql.write-file").target(file))
        }
        _ => None,
    })
}
