//! `DROP`, by the kind of the dropped object.

use super::reader::Reader;
use super::tokens::Token;
use crate::draft::Draft;

/// Reads `DROP`, after its verb.
pub(super) fn statement(reader: &mut Reader<'_, '_>) -> Option<Draft> {
    reader.take_all(&["temporary", "materialized", "foreign", "unique"]);
    let (first, rest) = reader.tokens.split_first()?;
    let what = match first {
        Token::Word(what) => what,
        // The kind is only known at run time. A sentence with a number isn't a statement: `drop {count} rows`.
        Token::Unknown(kind) if is_object(kind, rest.first()) => {
            reader.tokens = rest;
            reader.take_all(&["if", "exists"]);
            return Some(Draft::destructive("database", "sql.drop-object").target(&reader.name()));
        }
        _ => return None,
    };
    reader.tokens = rest;
    let draft = match what.to_ascii_lowercase().as_str() {
        "database" => Draft::catastrophic("database", "sql.drop-database"),
        "schema" => Draft::catastrophic("database", "sql.drop-schema"),
        "table" => Draft::destructive("database", "sql.drop-table"),
        "view" => Draft::notable("database", "sql.drop-view"),
        "index" => Draft::notable("database", "sql.drop-index"),
        "role" | "user" | "owned" | "login" => Draft::destructive("database", "sql.drop-role"),
        other if PARTS.contains(&other) => Draft::notable("database", "sql.drop-object"),
        "keyspace" | "tablespace" | "collection" => Draft::destructive("database", "sql.drop-object"),
        _ => return None,
    };
    reader.take_all(&[
        "trigger",
        "data",
        "wrapper",
        "mapping",
        "class",
        "family",
        "search",
        "policy",
        "concurrently",
        "by",
        "if",
    ]);
    reader.take_all(&["exists", "for"]);
    // `DROP SERIES FROM /.*/`, with a pattern.
    let is_series = what.eq_ignore_ascii_case("series") && reader.take("from");
    let name = reader.object().or_else(|| is_series.then(String::new))?;
    Some(draft.target(&name).flag("cascade", reader.contains("cascade")))
}

/// Returns whether a name follows a kind that is only known at run time.
fn is_object(kind: &str, next: Option<&Token<'_>>) -> bool {
    let is_variable = kind.starts_with('$') && !kind.starts_with("${");
    match next {
        Some(Token::Unknown(_)) => true,
        Some(Token::Word(_) | Token::Name(_)) => is_variable || next.is_some_and(|next| next.is("if")),
        _ => false,
    }
}

/// Other objects that can be dropped, by the word for their kind.
const PARTS: &[&str] = &[
    "access",
    "aggregate",
    "assembly",
    "cast",
    "certificate",
    "collation",
    "column",
    "constraint",
    "continuous",
    "conversion",
    "credential",
    "data",
    "dictionary",
    "directory",
    "domain",
    "event",
    "extension",
    "foreign",
    "function",
    "language",
    "measurement",
    "operator",
    "package",
    "partition",
    "pipe",
    "policy",
    "procedure",
    "profile",
    "publication",
    "retention",
    "routine",
    "row",
    "rule",
    "sequence",
    "series",
    "server",
    "stage",
    "statistics",
    "stream",
    "subscription",
    "synonym",
    "task",
    "text",
    "transform",
    "trigger",
    "type",
    "warehouse",
];
