//! What inline code does to databases and stores: the SQL it holds, and calls of drivers that empty or drop something.
//!
//! String literals and code are told apart, so that a call that is only text, as in a file that the code writes, counts
//! for nothing. Nothing here is certain: the code may never come to the call.

use guard_sdk::code::literal;

use crate::draft::Draft;
use crate::languages::{Found, sql};

/// A call in lower case without its blanks, the kind and the operation of what it does, what that loses, and the
/// harmless way to look first.
type Call = (&'static str, &'static str, &'static str, &'static str, &'static str);

const KEYS: &str = "every key of the store";
const ROWS: &str = "every row of the table";
const COUNT: &str = "count what is there first";
const TABLES: &str = "every table with all its rows";

/// Calls that mean the same in every language.
const CALLS: &[Call] = &[
    (".flushall(", "database", "redis.flush-all", KEYS, COUNT),
    (".flushdb(", "database", "redis.flush", KEYS, COUNT),
    (".deletemany()", "database", "orm.delete-all", ROWS, COUNT),
    (".deletemany({})", "database", "mongo.delete", "every document of the collection", COUNT),
    (".delete_many({})", "database", "mongo.delete", "every document of the collection", COUNT),
    (".dropdatabase(", "database", "mongo.drop-database", "the database with all its collections", COUNT),
    (".drop_database(", "database", "mongo.drop-database", "the database with all its collections", COUNT),
    (".dropcollection(", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
    (".drop_collection(", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
    (".drop_all(", "database", "orm.drop-tables", TABLES, COUNT),
    (".objects.all().delete()", "database", "orm.delete-all", "everything that the table or bucket holds", COUNT),
    (".sync({force:true", "database", "orm.drop-tables", TABLES, COUNT),
    (".destroy({where:{}", "database", "orm.delete-all", ROWS, COUNT),
    (".destroy({truncate:true", "database", "orm.delete-all", ROWS, COUNT),
    (".delete_bucket(", "cloud", "aws.s3.remove-bucket", "the bucket", "list what it holds first"),
    (".deletebucket(", "cloud", "aws.s3.remove-bucket", "the bucket", "list what it holds first"),
    (".delete_objects(", "cloud", "aws.s3.remove", "the objects", "list what it holds first"),
    (".indices.delete(", "database", "elastic.index.delete", "the index with all its documents", COUNT),
];

/// Calls that mean something else in other languages.
const OF_LANGUAGE: &[(&str, &[Call])] = &[
    (
        "ruby",
        &[
            (".delete_all", "database", "orm.delete-all", ROWS, COUNT),
            (".destroy_all", "database", "orm.delete-all", ROWS, COUNT),
            (".drop_table", "database", "orm.drop-tables", "the table with all its rows", COUNT),
        ],
    ),
    (
        "javascript",
        &[
            (".drop()", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
            (".truncate()", "database", "orm.delete-all", ROWS, COUNT),
        ],
    ),
    (
        "php",
        &[
            ("::truncate()", "database", "orm.delete-all", ROWS, COUNT),
            ("->truncate()", "database", "orm.delete-all", ROWS, COUNT),
            ("schema::drop", "database", "orm.drop-tables", "the table with all its rows", COUNT),
        ],
    ),
];

/// Beginnings of calls that send a statement to a database.
const SENDS: &[&str] = &[
    "execute", // with what follows: `executescript`, `executeUpdate`
    ".exec(",
    "->exec(",
    "query",
    ".raw(",
    "->do(",
    ".sql(",
    "read_sql",
    "::statement(",
    "::delete(",
    "::update(",
    "::unprepared(",
    "exec_params(",
    "->prepare(",
    ".prepare(",
];

/// The most literals that are looked at.
const MAX_LITERALS: usize = 256;

/// Adds what the code does to data.
pub(super) fn changes(found: &mut Vec<Found>, language: &str, text: &str) {
    let (code, literals) = split(text, language);
    let in_memory = literals.iter().any(|literal| literal.contains(":memory:") || *literal == "sqlite://");
    if !in_memory && sends(language, &code) {
        for literal in &literals {
            // What is put in at run time is a name to the reader.
            found.extend(sql::effects(language, &literal.replace(['{', '}', '$', '#'], ""), false));
        }
    }
    let own = OF_LANGUAGE.iter().filter(|(name, _)| *name == language).flat_map(|(_, calls)| calls.iter());
    for (call, kind, operation, loses, instead) in CALLS.iter().chain(own) {
        let on_tables = in_memory && operation.starts_with("orm.");
        if code.match_indices(call).any(|(at, _)| !is_bounded(&code, at)) && !on_tables {
            let draft = Draft::destructive(kind, operation).certain(false).tag("client", language);
            found.push(Found::Effect(draft.tag("loses", loses).tag("instead", instead)));
        }
    }
}

/// Whether the code has a call that sends a statement.
fn sends(language: &str, code: &str) -> bool {
    SENDS.iter().any(|call| code.contains(call)) || language == "javascript" && code.contains(".run(")
}

/// Whether a condition stands just before the call, so that it does not empty the whole.
fn is_bounded(code: &str, at: usize) -> bool {
    let before = code.get(..at).unwrap_or_default();
    let statement = before.rfind([';', '\n']).and_then(|end| before.get(end..)).unwrap_or(before);
    [".where(", ".filter(", "->where("].iter().any(|call| statement.contains(call))
}

/// The code in lower case without blanks and comments, and the string literals that stood in it.
fn split<'t>(text: &'t str, language: &str) -> (String, Vec<&'t str>) {
    let hash_comments = matches!(language, "python" | "ruby" | "perl" | "php");
    let mut code = String::with_capacity(text.len());
    let mut literals = Vec::new();
    let mut tried = 0;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        if matches!(char, '\'' | '"' | '`') && tried < MAX_LITERALS {
            tried += 1;
            if let Some((inside, after)) = literal(rest) {
                literals.push(inside);
                code.push('"');
                rest = after;
                continue;
            }
        }
        let mut width = char.len_utf8();
        if char == '#' && hash_comments && !code.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            width = rest.find('\n').unwrap_or(rest.len());
        } else if char == '\\' {
            width += rest.chars().nth(1).map_or(0, char::len_utf8);
        } else if !matches!(char, ' ' | '\t' | '\r') {
            code.push(char.to_ascii_lowercase());
        }
        rest = rest.get(width..).unwrap_or_default();
    }
    (code, literals)
}
