//! `DROP`: what kinds of things it takes away.

use super::reader::Reader;
use super::tokens::Token;
use crate::draft::Draft;

/// `DROP`, behind its verb.
pub(super) fn statement(reader: &mut Reader<'_, '_>) -> Option<Draft> {
    reader.take_all(&["temporary", "materialized", "foreign", "unique"]);
    let (first, rest) = reader.tokens.split_first()?;
    let Token::Word(what) = first else { return None };
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
    let name = reader.name();
    let cascade = reader.contains("cascade");
    (!name.is_empty()).then(|| draft.target(&name).flag("cascade", cascade))
}

/// What else can be dropped, by the word that names its kind.
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
