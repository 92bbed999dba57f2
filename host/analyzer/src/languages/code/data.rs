//! Effects of inline code on databases and stores: the SQL in it, and driver calls that empty or drop something.
//!
//! String literals and code are separated, so that a call in a literal, such as code that is written to a file, has no
//! effect. No effect is certain, because the call may never run.

use guard_sdk::code::literal;

use crate::draft::Draft;
use crate::languages::{Found, sql};
use crate::programs::is_runtime;
use crate::wrappers::code::client_libraries::Services;
use crate::wrappers::code::live::live;

/// A call in lower case without blanks, the effect's kind and operation, the loss, and a harmless way to check first.
type Call = (&'static str, &'static str, &'static str, &'static str, &'static str);

const KEYS: &str = "every key of the store";
const ROWS: &str = "every row of the table";
const BIN: &str = "files that could still be restored";
const SEE_BIN: &str = "see what is in it first";
const EVERYTHING: &str = "everything that this user runs, the session included";
const COUNT: &str = "count what is there first";
const ITEMS: &str = "what the app is told to delete";
const SESSION: &str = "what every program of the session is doing";
const WHO: &str = "see who is logged in with `who`";
const SENT: &str = "nothing yet: people get the message in the user's name";
const SHOW: &str = "show the text to the user first";
const TABLES: &str = "every table with all its rows";

/// Calls with the same meaning in every language.
const CALLS: &[Call] = &[
    (".flushall(", "database", "redis.flush-all", KEYS, COUNT),
    (".flushdb(", "database", "redis.flush", KEYS, COUNT),
    (".deletemany()", "database", "orm.delete-all", ROWS, COUNT),
    (".deletemany({})", "database", "mongo.delete", "every document of the collection", COUNT),
    (".delete_many({})", "database", "mongo.delete", "every document of the collection", COUNT),
    (".dropdatabase(", "database", "mongo.drop-database", "the database with all its collections", COUNT),
    (".drop_database(", "database", "mongo.drop-database", "the database with all its collections", COUNT),
    ("._dropdatabase(", "database", "mongo.drop-database", "the database with all its collections", COUNT),
    (".dropschema(", "database", "mongo.drop-database", "the schema with all its tables", COUNT),
    ("._drop(", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
    (".dropcollection(", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
    (".drop_collection(", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
    (".drop_all(", "database", "orm.drop-tables", TABLES, COUNT),
    (".drop_tables(", "database", "orm.drop-tables", TABLES, COUNT),
    (".drop_all_tables(", "database", "orm.drop-tables", TABLES, COUNT),
    (".updatemany({}", "database", "mongo.update", "the old values of every document", COUNT),
    (".update_many({}", "database", "mongo.update", "the old values of every document", COUNT),
    (".filter().delete()", "database", "orm.delete-all", ROWS, COUNT),
    (".deletemany({where:{}", "database", "orm.delete-all", ROWS, COUNT),
    (".all().delete()", "database", "orm.delete-all", "everything that the table or bucket holds", COUNT),
    (".sync({force:true", "database", "orm.drop-tables", TABLES, COUNT),
    (".destroy({where:{}", "database", "orm.delete-all", ROWS, COUNT),
    (".destroy({truncate:true", "database", "orm.delete-all", ROWS, COUNT),
    (".delete_bucket(", "cloud", "aws.s3.remove-bucket", "the bucket", "list what it holds first"),
    (".deletebucket(", "cloud", "aws.s3.remove-bucket", "the bucket", "list what it holds first"),
    (".delete_objects(", "cloud", "aws.s3.remove", "the objects", "list what it holds first"),
    (".indices.delete(", "database", "elastic.index.delete", "the index with all its documents", COUNT),
];

/// Calls whose meaning depends on the language.
const OF_LANGUAGE: &[(&str, &[Call])] = &[
    (
        "ruby",
        &[
            (".delete_all", "database", "orm.delete-all", ROWS, COUNT),
            (".destroy_all", "database", "orm.delete-all", ROWS, COUNT),
            (".flushall", "database", "redis.flush-all", KEYS, COUNT),
            (".flushdb", "database", "redis.flush", KEYS, COUNT),
            (".drop_table", "database", "orm.drop-tables", "the table with all its rows", COUNT),
            (".truncate_tables", "database", "orm.delete-all", ROWS, COUNT),
            ("connection.truncate(", "database", "orm.delete-all", ROWS, COUNT),
            ("process.kill(9,-1)", "process", "process.kill", EVERYTHING, WHO),
            ("process.kill(\",-1)", "process", "process.kill", EVERYTHING, WHO),
            (".find_each(&:destroy", "database", "orm.delete-all", ROWS, COUNT),
            (".find_each(&:delete", "database", "orm.delete-all", ROWS, COUNT),
            (".all.each(&:destroy", "database", "orm.delete-all", ROWS, COUNT),
            (".all.each(&:delete", "database", "orm.delete-all", ROWS, COUNT),
        ],
    ),
    (
        "python",
        &[
            (".objects.delete()", "database", "orm.delete-all", ROWS, COUNT),
            (".delete_all()", "database", "orm.delete-all", ROWS, COUNT),
            (".drop_table(", "database", "orm.drop-tables", "the table with all its rows", COUNT),
            ("._drop_databases(", "database", "orm.drop-tables", TABLES, COUNT),
        ],
    ),
    (
        "perl",
        &[
            ("kill9,-1", "process", "process.kill", EVERYTHING, WHO),
            ("kill(9,-1", "process", "process.kill", EVERYTHING, WHO),
            ("kill\",-1", "process", "process.kill", EVERYTHING, WHO),
            ("kill(\",-1", "process", "process.kill", EVERYTHING, WHO),
        ],
    ),
    ("elixir", &[("repo.delete_all(", "database", "orm.delete-all", ROWS, COUNT)]),
    (
        "javascript",
        &[
            (".drop()", "database", "mongo.drop-collection", "the collection with all its documents", COUNT),
            (".truncate()", "database", "orm.delete-all", ROWS, COUNT),
            (".synchronize(true)", "database", "orm.drop-tables", TABLES, COUNT),
            (".schema.droptable(", "database", "orm.drop-tables", "the table with all its rows", COUNT),
            (".schema.droptableifexists(", "database", "orm.drop-tables", "the table with all its rows", COUNT),
            ("queryinterface.droptable(", "database", "orm.drop-tables", "the table with all its rows", COUNT),
            (".dropalltables(", "database", "orm.drop-tables", TABLES, COUNT),
            (".refreshdatabase(", "database", "orm.drop-tables", TABLES, COUNT),
            (".migrate.rollback(null,true", "database", "orm.drop-tables", TABLES, COUNT),
            ("repository.clear()", "database", "orm.delete-all", ROWS, COUNT),
            ("repo.clear()", "database", "orm.delete-all", ROWS, COUNT),
        ],
    ),
    (
        "applescript",
        &[
            ("emptythetrash", "delete", "trash.empty", BIN, SEE_BIN),
            ("emptytrash", "delete", "trash.empty", BIN, SEE_BIN),
            ("deleteevery", "delete", "remote.delete", "everything of its kind that the app has", COUNT),
            ("deleteallof", "delete", "remote.delete", "everything of its kind that the app has", COUNT),
            ("moveevery", "delete", "remote.delete", "the place of everything of its kind", COUNT),
            ("erasedisk", "device", "device.format", "the disk", COUNT),
            ("\"todelete", "delete", "remote.delete", ITEMS, COUNT),
            ("\ndelete", "delete", "remote.delete", ITEMS, COUNT),
            ("\"toshutdown", "power", "power.off", SESSION, WHO),
            ("\"torestart", "power", "power.reboot", SESSION, WHO),
            ("\"tologout", "power", "power.off", SESSION, WHO),
            ("\nshutdown", "power", "power.off", SESSION, WHO),
            ("\nrestart", "power", "power.reboot", SESSION, WHO),
            ("\nlogout", "power", "power.off", SESSION, WHO),
            ("eventaevtrsdn", "power", "power.off", SESSION, WHO),
            ("eventaevtrrst", "power", "power.reboot", SESSION, WHO),
            ("eventaevtrlgo", "power", "power.off", SESSION, WHO),
            ("\"tosend", "cloud", "message.send", SENT, SHOW),
            ("\nsend\"", "cloud", "message.send", SENT, SHOW),
            ("\nsendnew", "cloud", "message.send", SENT, SHOW),
            ("\nsendthe", "cloud", "message.send", SENT, SHOW),
        ],
    ),
    (
        "jxa",
        &[
            (".delete()", "delete", "remote.delete", ITEMS, COUNT),
            (").delete(", "delete", "remote.delete", ITEMS, COUNT),
            (".removeitem", "delete", "remote.delete", ITEMS, COUNT),
            (".send(", "cloud", "message.send", SENT, SHOW),
            (".send()", "cloud", "message.send", SENT, SHOW),
            (".shutdown()", "power", "power.off", SESSION, WHO),
            (".restart()", "power", "power.reboot", SESSION, WHO),
            (".logout()", "power", "power.off", SESSION, WHO),
        ],
    ),
    (
        "php",
        &[
            ("->flushall(", "database", "redis.flush-all", KEYS, COUNT),
            ("->flushdb(", "database", "redis.flush", KEYS, COUNT),
            ("->dropdatabase(", "database", "mongo.drop-database", "the database with all its collections", COUNT),
            ("::truncate()", "database", "orm.delete-all", ROWS, COUNT),
            ("->truncate()", "database", "orm.delete-all", ROWS, COUNT),
            ("::query()->delete()", "database", "orm.delete-all", ROWS, COUNT),
            ("posix_kill(-1,", "process", "process.kill", EVERYTHING, WHO),
            ("schema::drop", "database", "orm.drop-tables", "the table with all its rows", COUNT),
        ],
    ),
];

/// Calls that run a framework's commands, and the commands that empty a database.
const COMMANDS: &[(&str, &str, &[&str])] = &[
    ("python", "django.core.management", &["flush", "reset_db", "sqlflush", "drop_test_database"]),
    ("python", "call_command(\"", &["flush", "reset_db", "sqlflush", "drop_test_database"]),
    ("php", "artisan::call(\"", &["migrate:fresh", "migrate:reset", "migrate:refresh", "db:wipe"]),
    ("ruby", "rake::task[\"", &["db:drop", "db:reset", "db:purge", "db:schema:load", "db:truncate_all"]),
    ("elixir", "mix.task.run(\"", &["ecto.drop", "ecto.reset"]),
];

/// Prefixes of calls that send a statement to a database.
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

/// Prefixes of method names that send a statement to a database.
const STATEMENTS: &[&str] = &["exec", "query", "prepare", "raw", "run", "sql", "unsafe"];

/// The maximum number of examined literals.
const MAX_LITERALS: usize = 256;

/// Adds the code's effects on data.
pub(super) fn changes(found: &mut Vec<Found>, language: &str, text: &str) {
    let text = &*live(language, text);
    let services = Services::of(language, text);
    let (code, literals) = split(text, language);
    super::requests::changes(found, language, text, &literals);
    let code = services.plain.as_ref().unwrap_or(&code);
    // Each `-e` is a line.
    let code = if language == "applescript" { &format!("\n{code}") } else { code };
    let in_memory = literals.iter().any(|literal| literal.contains(":memory:") || literal == "sqlite://")
        || services.has_doubles_for(STATEMENTS);
    if !in_memory && sends(language, code) {
        for literal in &literals {
            found.extend(sql::perhaps_effects(language, literal));
        }
    }
    for (of, call, commands) in COMMANDS.iter().filter(|(of, ..)| *of == language) {
        if code.contains(call) && literals.iter().any(|literal| commands.contains(&literal.as_str())) {
            let draft = Draft::destructive("database", "database.reset").certain(false).tag("client", of);
            found.push(Found::Effect(draft.tag("loses", TABLES).tag("instead", COUNT)));
        }
    }
    let deletes = literals.iter().any(|literal| matches!(literal.as_str(), "unlink" | "rmdir"));
    if language == "php" && deletes && code.contains("array_map(\",glob(") {
        found.push(Found::Effect(Draft::destructive("delete", "files.delete-listed").certain(false)));
    }
    if !in_memory && deletes_query(language, code) {
        let draft = Draft::destructive("database", "orm.delete-all").certain(false).tag("client", language);
        found.push(Found::Effect(draft.tag("loses", ROWS).tag("instead", COUNT)));
    }
    if language == "applescript" && quits_runtime(code, &literals) {
        let draft = Draft::destructive("process", "process.kill").certain(false).tag("client", language);
        found.push(Found::Effect(draft.tag("loses", "what runs in the app, perhaps this session")));
    }
    // Mac apps can also be scripted in JavaScript.
    let is_jxa = language == "applescript" && (code.contains("application(\"") || code.contains("objc.import("));
    let is_own = |name: &str| name == language || name == "jxa" && is_jxa;
    let own = OF_LANGUAGE.iter().filter(|(name, _)| is_own(name)).flat_map(|(_, calls)| calls.iter());
    for (call, kind, operation, loses, instead) in CALLS.iter().chain(own) {
        let is_gone = || match *kind {
            _ if services.is_double(name_of(call)) => true,
            "cloud" => services.is_rehearsal(),
            _ => in_memory && operation.starts_with("orm."),
        };
        if code.match_indices(call).any(|(at, _)| !is_bounded(code, at)) && !is_gone() {
            let draft = Draft::destructive(kind, operation).certain(false).tag("client", language);
            found.push(Found::Effect(draft.tag("loses", loses).tag("instead", instead)));
        }
    }
}

/// Returns the last method's name in a call of the table.
fn name_of(call: &str) -> &str {
    let name = call.rsplit_once('(').map_or(call, |(name, _)| name);
    name.rsplit(['.', '>', ':']).next().unwrap_or_default()
}

/// Endings of calls that delete every row of a query, by language, and a required earlier call in the statement.
const QUERIES: &[(&str, &str, &[&str])] = &[
    ("python", ").delete()", &[".query("]),
    ("javascript", ").clear()", &[".getrepository("]),
    ("php", ")->delete()", &["db::table("]),
];

/// Returns whether a query's rows are deleted: `session.query(User).delete()`.
fn deletes_query(language: &str, code: &str) -> bool {
    QUERIES.iter().filter(|(of, ..)| *of == language).any(|(_, end, begins)| {
        let mut calls = code.match_indices(end).take(MAX_LITERALS);
        let begins = |at| begins.iter().any(|call| statement(code, at).contains(call));
        calls.any(|(at, _)| begins(at) && !is_bounded(code, at))
    })
}

/// Returns whether AppleScript quits an app in which an agent may run.
fn quits_runtime(code: &str, literals: &[String]) -> bool {
    let quits = ["quitapp", "toquit", "\nquit"].iter().any(|verb| code.contains(verb));
    quits && literals.iter().any(|app| is_runtime(app.strip_suffix(".app").unwrap_or(app)))
}

/// JavaScript prefixes of calls that send a statement. A tag may precede its template: ``sql`...` ``.
const SENDS_OF_JAVASCRIPT: &[&str] = &[".run(", ".unsafe(", "sql\"", ".sql\"", "executeraw\"", "queryraw\""];

/// Returns whether the code has a call that sends a statement.
fn sends(language: &str, code: &str) -> bool {
    let has = |calls: &[&str]| calls.iter().any(|call| code.contains(call));
    has(SENDS) || language == "javascript" && has(SENDS_OF_JAVASCRIPT)
}

/// Returns the statement up to an offset in it.
fn statement(code: &str, at: usize) -> &str {
    let before = code.get(..at).unwrap_or_default();
    before.rfind([';', '\n']).and_then(|end| before.get(end..)).unwrap_or(before)
}

/// Returns whether a condition directly precedes the call, so that it affects only a part.
fn is_bounded(code: &str, at: usize) -> bool {
    let statement = statement(code, at);
    let is_condition = |rest: &str| !["nil)", "{})", ")"].iter().any(|none| rest.starts_with(none));
    let given = |call: &&str| {
        statement.match_indices(*call).any(|(at, call)| statement.get(at + call.len()..).is_some_and(is_condition))
    };
    [".where(", ".filter(", "->where("].iter().any(given)
}

/// Returns the code in lower case without blanks and comments, and its string literals. Joined literals are one text,
/// with [`UNKNOWN`] for the other operands.
fn split(text: &str, language: &str) -> (String, Vec<String>) {
    let hash_comments = matches!(language, "python" | "ruby" | "perl" | "php");
    let mut code = String::with_capacity(text.len());
    let mut texts = Vec::new();
    let mut tried = 0;
    let mut rest = text;
    // Literals that are already part of a text, by the length of the code after them.
    let mut parts: Vec<usize> = Vec::new();
    while let Some(char) = rest.chars().next() {
        if matches!(char, '\'' | '"' | '`') && tried < MAX_LITERALS {
            tried += 1;
            if let Some((inside, after)) = literal(rest) {
                if !parts.contains(&after.len()) {
                    parts.retain(|left| *left < after.len());
                    texts.push(joined(inside, after, language, &mut parts));
                }
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
    (code, texts)
}

/// The placeholder that the SQL analyzer treats as known only at run time.
const UNKNOWN: &str = "?";

/// The maximum number of operands joined into one text.
const MAX_OPERANDS: usize = 64;

/// The maximum length of an operand that isn't a literal, in bytes.
const MAX_OPERAND: usize = 256;

/// Returns the operator that concatenates texts.
fn operator(language: &str) -> &'static str {
    match language {
        "php" | "perl" => ".",
        "lua" => "..",
        "elixir" => "<>",
        _ => "+",
    }
}

/// Returns the literal `first` with the operands joined to it. A literal with a trailing blank continues with an
/// unknown text, from a call or a later statement.
fn joined(first: &str, behind: &str, language: &str, parts: &mut Vec<usize>) -> String {
    let mut text = first.to_owned();
    let mut rest = behind;
    let mut blank = first.ends_with([' ', '\t']);
    for _ in 0..MAX_OPERANDS {
        let next = rest.trim_start();
        let operand = match next.strip_prefix(operator(language)) {
            Some(operand) => operand.trim_start(),
            // Adjacent literals, as in Python.
            None if literal(unmarked(next)).is_some() => next,
            None => break,
        };
        blank = false;
        // A literal with a method call, as in `', '.join(...)`, isn't an operand.
        let is_whole = |after: &str| operator(language) == "." || !after.starts_with(['.', '[']);
        if let Some((inside, after)) = literal(unmarked(operand)).filter(|(_, after)| is_whole(after)) {
            text.push_str(inside);
            parts.push(after.len());
            blank = inside.ends_with([' ', '\t']);
            rest = after;
        } else {
            text.push_str(UNKNOWN);
            rest = behind_operand(operand, language);
        }
    }
    if blank {
        text.push_str(UNKNOWN);
    }
    text
}

/// Returns the text without a Python literal's prefix.
fn unmarked(text: &str) -> &str {
    let letters = text.bytes().take(2).take_while(|byte| b"frbuFRBU".contains(byte)).count();
    text.get(letters..).filter(|rest| rest.starts_with(['\'', '"'])).unwrap_or(text)
}

/// Returns the text after an operand: an operator, or anything that ends the expression.
fn behind_operand<'t>(operand: &'t str, language: &str) -> &'t str {
    let mut depth = 0_u32;
    let mut rest = operand;
    while let Some(char) = rest.chars().next().filter(|_| operand.len() - rest.len() < MAX_OPERAND) {
        if matches!(char, '\'' | '"' | '`')
            && let Some((_, after)) = literal(rest)
        {
            rest = after;
            continue;
        }
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return rest,
            ')' | ']' | '}' => depth -= 1,
            ',' | ';' if depth == 0 => return rest,
            '\n' if depth == 0 => return rest.trim_start(),
            _ if depth == 0 && rest.starts_with(operator(language)) => return rest,
            _ => {}
        }
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn joined_literals_are_one_text() {
        for (language, code, texts) in [
            ("python", "f('a ' + t + ' b', 'c')", vec!["a ? b", "c"]),
            ("python", "f('a ' 'b'\n  f'c{d}')", vec!["a bc{d}"]),
            ("python", "f('a' + g(x, y[1]) + f'b')", vec!["a?b"]),
            ("python", "f('a ' + t)", vec!["a ?"]),
            ("python", "f('a', t)", vec!["a"]),
            ("python", "x = 'a'; y = 'b '", vec!["a", "b ?"]),
            ("php", "f('a ' . $t . ' b')", vec!["a ? b"]),
            ("php", "f('a' + 'b')", vec!["a", "b"]),
            ("python", "f('a ' + ', '.join(k + '=?' for k in d) + ' b')", vec!["a ? b", ", ?", "=?"]),
            ("python", "x = 'a ' + t\ny = u + ' b'", vec!["a ?", " b"]),
            ("javascript", "f('a ' + t\n  + ` b` + c.d('e'))", vec!["a ? b?", "e"]),
            ("javascript", "f('a'.concat(t), 'b')", vec!["a", "b"]),
        ] {
            assert_eq!(split(code, language).1, texts, "{code}");
        }
    }
}
