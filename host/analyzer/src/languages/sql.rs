//! SQL: the statements in a text that lose something.
//!
//! A tokenizer and the relevant statement shapes, without a grammar. The quotes and comments of all dialects are
//! supported at once, so a text in any dialect is usually split correctly.

mod bounds;
mod changes;
mod definitions;
mod drops;
mod functions;
mod lines;
mod placeholders;
mod reader;
mod tokens;

use guard_sdk::syntax::Severity;

use super::Found;
use crate::draft::Draft;
use definitions::Definitions;
use lines::{Lines, RUNS_ROWS};
use reader::Reader;
use tokens::{Dialect, Token, Tokens};

/// The maximum number of examined statements in one text.
const MAX_STATEMENTS: usize = 4096;

/// The maximum number of tokens kept from one statement.
const MAX_TOKENS: usize = 4096;

/// Returns the effects of a text for the program `client`: of its statements, and of lines for the client itself.
pub(crate) fn effects(client: &str, text: &str, certain: bool) -> Vec<Found> {
    both(client, text, certain, Lines::of(client))
}

/// Returns the effects of statements that `sender`, a language or a protocol, may send to a database.
pub(crate) fn perhaps_effects(sender: &str, text: &str) -> Vec<Found> {
    both(sender, text, false, Lines::None)
}

/// Verbs of statements that change data, definitions or permissions.
const CHANGES: &[&str] = &[
    "alter", "create", "delete", "drop", "grant", "insert", "load", "merge", "rename", "replace", "revoke", "truncate",
    "update", "upsert",
];

/// Returns whether a statement of the text changes something on the server.
pub(crate) fn changes_something(client: &str, text: &str) -> bool {
    let lines = Lines::of(client);
    let mysql = lines == Lines::Mysql;
    let mut tokens = Tokens::new(text, Dialect { mysql, escapes: mysql, lines });
    let mut statements = std::iter::from_fn(|| next_statement(&mut tokens)).take(MAX_STATEMENTS);
    statements.any(|statement| is_change(skip_words(&statement)))
}

fn is_change(statement: &[Token<'_>]) -> bool {
    let Some((first, rest)) = statement.split_first() else { return false };
    let has = |words: &[&str]| rest.iter().any(|token| words.iter().any(|word| token.is(word)));
    let is_temporary = rest.iter().take(3).any(|token| token.is("temp") || token.is("temporary"));
    CHANGES.iter().any(|verb| first.is(verb)) && !is_temporary
        || first.is("copy") && has(&["from"]) && rest.first() != Some(&Token::Sign('('))
        || first.is("with") && has(&["delete", "insert", "merge", "update"])
}

fn both(client: &str, text: &str, certain: bool, lines: Lines) -> Vec<Found> {
    let mut found = Vec::new();
    let mysql = lines == Lines::Mysql;
    read(&mut found, client, text, certain, Dialect { mysql, escapes: mysql, lines });
    // Whether a backslash escapes a quote depends on server settings, so the other interpretation is analyzed as well.
    if text.contains("\\'") {
        read(&mut found, client, text, false, Dialect { mysql, escapes: !mysql, lines });
    }
    found
}

fn read(found: &mut Vec<Found>, client: &str, text: &str, certain: bool, dialect: Dialect) {
    let mut texts = vec![(text.to_owned(), 0_u32)];
    let mut left = MAX_STATEMENTS;
    let mut defined = Definitions::default();
    while let Some((text, depth)) = texts.pop() {
        // Text run by a statement goes to the server.
        let dialect = if depth > 0 { Dialect { lines: Lines::None, ..dialect } } else { dialect };
        let mut tokens = Tokens::new(&text, dialect);
        while let Some(statement) = next_statement(&mut tokens) {
            if statement.is_empty() {
                continue;
            }
            if left == 0 {
                found.push(Found::Unseen("a text has more SQL statements than are looked at".to_owned()));
                return;
            }
            left -= 1;
            if let Some(unknown) = unknown_part(&statement, dialect.lines) {
                found.push(Found::Unseen(format!("a statement of SQL is known only at run time: `{unknown}`")));
            }
            if dialect.lines == Lines::Psql && copies_rows(&statement) {
                tokens.skip_rows();
            }
            let parts = if dialect.lines == Lines::Batches { in_batch(&statement) } else { vec![statement.as_slice()] };
            for draft in parts.into_iter().flat_map(changes_of) {
                found.push(Found::Effect(draft.tag("client", client).certain(certain && depth == 0)));
            }
            functions::find(found, client, &statement, certain);
            defined.note(&statement);
            if depth < MAX_DEPTH {
                texts.extend(defined.called(&statement).into_iter().map(|body| (body, depth + 1)));
                texts.extend(run_by(&statement).into_iter().map(|inner| (inner, depth + 1)));
            }
        }
    }
}

/// The maximum nesting of texts that statements run.
const MAX_DEPTH: u32 = 3;

/// Returns the part that a client runs but that isn't in the text: a statement that begins with a client variable, or
/// one for each row.
fn unknown_part<'t>(statement: &[Token<'t>], lines: Lines) -> Option<&'t str> {
    match (statement.first(), statement.last()) {
        (Some(Token::Unknown(variable)), _) if lines == Lines::Psql && variable.starts_with(':') => Some(variable),
        (_, Some(last)) if *last == RUNS_ROWS => Some("\\gexec"),
        _ => None,
    }
}

/// Returns whether data rows follow the statement.
fn copies_rows(statement: &[Token<'_>]) -> bool {
    let mut pairs = statement.windows(2);
    statement.first().is_some_and(|first| first.is("copy"))
        && pairs.any(|pair| matches!(pair, [from, stdin] if from.is("from") && stdin.is("stdin")))
}

/// Splits a batch without semicolons into statements. A definition with its body is one statement.
fn in_batch<'s, 't>(statement: &'s [Token<'t>]) -> Vec<&'s [Token<'t>]> {
    let defines = statement
        .iter()
        .take(4)
        .any(|token| ["procedure", "proc", "function", "trigger"].iter().any(|kind| token.is(kind)));
    if defines && statement.first().is_some_and(|first| first.is("create") || first.is("alter")) {
        return vec![statement];
    }
    let begins = |at: usize| {
        let is_next = |words: &[&str]| statement.get(at + 1).is_some_and(|next| words.iter().any(|word| next.is(word)));
        statement.get(at).is_some_and(|token| {
            token.is("drop") && is_next(&["table", "database", "schema", "view", "login", "user"])
                || token.is("truncate") && is_next(&["table"])
                || token.is("delete") && is_next(&["from"])
                || token.is("alter") && is_next(&["table", "database"])
                || token.is("exec")
                || token.is("update") && statement.get(at + 2).is_some_and(|word| word.is("set"))
        })
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for at in (1..statement.len()).filter(|at| begins(*at)).take(MAX_CHANGES) {
        parts.extend(statement.get(start..at));
        start = at;
    }
    parts.extend(statement.get(start..));
    parts
}

/// Returns the texts that a statement runs: the body of a block, and its executed strings. If a text ends with a blank,
/// the rest is inserted at run time.
fn run_by(statement: &[Token<'_>]) -> Vec<String> {
    let runs = ["do", "execute", "exec", "prepare", "begin", "declare", "immediate", "sp_executesql", "set"];
    let first = statement.first().is_some_and(|first| runs.iter().any(|word| first.is(word)));
    let executes = ["execute", "exec", "sp_executesql"];
    let executes = statement.iter().any(|token| *token == RUNS_ROWS || executes.iter().any(|word| token.is(word)));
    let defines =
        statement.first().is_some_and(|first| ["create", "comment", "insert"].iter().any(|word| first.is(word)));
    if !(first || executes) || defines {
        return Vec::new();
    }
    let mut texts: Vec<String> = Vec::new();
    let mut joined = String::new();
    let mut joins = false;
    for token in statement {
        match token {
            Token::Text(text) => {
                let text = text.replace("''", "'");
                joined.push_str(&text);
                if text.len() > 4 {
                    let cut = text.ends_with(char::is_whitespace);
                    texts.push(if cut { format!("{text}?") } else { text });
                }
            }
            Token::Sign('|') => joins = true,
            Token::Sign(',' | '(' | ')') => {}
            _ if token.is("concat") => joins = true,
            _ if joined.is_empty() || joined.ends_with('?') => {}
            _ => joined.push('?'),
        }
    }
    if joins && texts.first() != Some(&joined) {
        texts.push(joined);
    }
    texts
}

/// Reads the tokens up to the end of the statement. `None` at the end of the text.
fn next_statement<'t>(tokens: &mut Tokens<'t>) -> Option<Vec<Token<'t>>> {
    let mut statement = Vec::new();
    let mut first = None;
    let lines = tokens.dialect.lines;
    if tokens.choose_delimiter() {
        return Some(statement);
    }
    loop {
        let mut ahead = tokens.clone();
        let token = ahead.next();
        let ends_line = lines != Lines::None && ahead.begins_line && !statement.is_empty();
        if ends_line && !lines::goes_on(first, lines) {
            return Some(statement);
        }
        *tokens = ahead;
        first = first.or(token.filter(|token| !opens(token)));
        match token {
            None if statement.is_empty() => return None,
            None | Some(Token::End) => return Some(statement),
            Some(token) if ends_line && tokens.ends_batch(token) => return Some(statement),
            Some(token) if statement.len() < MAX_TOKENS => statement.push(token),
            Some(_) => {}
        }
        if token == Some(RUNS_ROWS) {
            return Some(statement);
        }
    }
}

/// The maximum number of examined changes in one statement.
const MAX_CHANGES: usize = 16;

/// Returns the effects of a statement. One that begins with a common table expression may contain several changes.
fn changes_of(statement: &[Token<'_>]) -> Vec<Draft> {
    let statement = skip_words(statement);
    let Some(first) = statement.first() else { return Vec::new() };
    // `create rule NAME as on EVENT to TABLE do instead STATEMENT`.
    if first.is("create") && statement.iter().take(4).any(|token| token.is("rule")) {
        let at = statement.iter().position(|token| token.is("do")).unwrap_or(statement.len());
        let mut rest = statement.get(at + 1..).unwrap_or_default();
        while let Some((_, tail)) =
            rest.split_first().filter(|(token, _)| ["also", "instead"].iter().any(|word| token.is(word)))
        {
            rest = tail;
        }
        return effect(rest).into_iter().collect();
    }
    let explains = first.is("explain") || first.is("describe") || first.is("desc");
    // A plan alone runs nothing.
    if explains && !statement.iter().take(8).any(|token| token.is("analyze") || token.is("analyse")) {
        return Vec::new();
    }
    if !(explains || first.is("with") || first.is("prepare")) {
        return effect(statement).into_iter().collect();
    }
    let mut found = Vec::new();
    let mut depth = 0_u32;
    let mut before: Option<Token<'_>> = None;
    for (at, token) in statement.iter().enumerate() {
        match token {
            Token::Sign('(') => depth = depth.saturating_add(1),
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let begins = depth == 0 || matches!(before, Some(Token::Sign('(')));
        if begins && ["delete", "update", "merge"].iter().any(|verb| token.is(verb)) {
            let tail = statement.get(at..).unwrap_or_default();
            found.extend(effect(closed(tail)));
            if found.len() >= MAX_CHANGES {
                break;
            }
        }
        before = Some(*token);
    }
    found
}

/// Skips block openers and placeholders before a statement.
fn skip_words<'s, 't>(statement: &'s [Token<'t>]) -> &'s [Token<'t>] {
    let start = statement.iter().position(|token| !opens(token)).unwrap_or(statement.len());
    statement.get(start..).unwrap_or_default()
}

/// Returns whether a statement may begin after the token.
fn opens(token: &Token<'_>) -> bool {
    matches!(token, Token::Unknown(_)) || ["begin", "then", "else", "loop", "go"].iter().any(|word| token.is(word))
}

/// Returns the tokens up to the bracket that closes the enclosing one.
fn closed<'s, 't>(tokens: &'s [Token<'t>]) -> &'s [Token<'t>] {
    let mut depth = 0_i32;
    let end = tokens.iter().position(|token| {
        match token {
            Token::Sign('(') => depth = depth.saturating_add(1),
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth < 0
    });
    tokens.get(..end.unwrap_or(tokens.len())).unwrap_or_default()
}

fn effect(statement: &[Token<'_>]) -> Option<Draft> {
    let mut reader = Reader { tokens: statement };
    let (first, rest) = reader.tokens.split_first()?;
    let Token::Word(verb) = first else { return None };
    reader.tokens = rest;
    match verb.to_ascii_lowercase().as_str() {
        "drop" => drops::statement(&mut reader),
        "truncate" => {
            reader.take_all(&["table", "if", "exists", "only"]);
            let name = reader.object()?;
            let cascade = reader.contains("cascade");
            Some(Draft::catastrophic("database", "sql.truncate").target(&name).flag("cascade", cascade))
        }
        "delete" => {
            reader.take_all(&["low_priority", "quick", "ignore"]);
            // In MySQL, the tables come before `FROM` if several are joined.
            if !reader.take("from") && !reader.contains("from") {
                return None;
            }
            reader.take("only");
            let name = reader.object()?;
            Some(with_where(Draft::destructive("database", "sql.delete"), &reader, &name).target(&name))
        }
        "update" => {
            reader.take_all(&["only", "or", "replace", "ignore", "low_priority"]);
            let name = reader.object()?;
            let draft = with_where(Draft::destructive("database", "sql.update"), &reader, &name);
            reader.contains("set").then(|| draft.target(&name))
        }
        "merge" if reader.contains("delete") => {
            reader.take("into");
            let name = reader.name();
            Some(Draft::destructive("database", "sql.delete").target(&name).flag("merge", true))
        }
        "alter" => changes::alter(&mut reader),
        "rename" => {
            reader.take_all(&["table", "tables"]);
            let name = reader.object()?;
            Some(Draft::destructive("database", "sql.rename").target(&name))
        }
        "grant" | "revoke" | "shutdown" | "reset" | "purge" | "set" | "flashback" | "restore" | "copy" | "create"
        | "uninstall" | "system" | "reassign" | "match" | "optional" | "select" => changes::other(verb, &mut reader),
        _ => None,
    }
}

fn with_where(draft: Draft, reader: &Reader<'_, '_>, table: &str) -> Draft {
    let bounded = bounds::is_bounded(reader.tokens) && !bounds::is_its_own(reader.tokens, table);
    draft.severe(Severity::Notable, bounded).flag("where", bounded)
}
