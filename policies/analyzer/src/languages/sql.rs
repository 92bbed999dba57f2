//! SQL: which statements of a text lose something.
//!
//! A tokenizer and the few statement shapes that matter; no grammar. The dialects' ways to quote and to comment are
//! read together, so a text of any of them is split right in the ordinary case.

mod bounds;
mod changes;
mod drops;
mod functions;
mod reader;
mod tokens;

use guard_sdk::syntax::Severity;

use super::Found;
use crate::draft::Draft;
use reader::Reader;
use tokens::{Dialect, Token, Tokens};

/// The most statements of one text that are looked at.
const MAX_STATEMENTS: usize = 4096;

/// The most tokens of one statement that are kept.
const MAX_TOKENS: usize = 4096;

/// What the statements of a text do. `client` is the program that sends them.
pub(crate) fn effects(client: &str, text: &str, certain: bool) -> Vec<Found> {
    let mut found = Vec::new();
    let mysql = matches!(client, "mysql" | "mariadb" | "mycli");
    read(&mut found, client, text, certain, Dialect { mysql, escapes: mysql });
    // Whether a backslash hides a quote depends on settings of the server, so the other reading counts as well.
    if text.contains("\\'") {
        read(&mut found, client, text, false, Dialect { mysql, escapes: !mysql });
    }
    found
}

fn read(found: &mut Vec<Found>, client: &str, text: &str, certain: bool, dialect: Dialect) {
    let mut texts = vec![(text.to_owned(), 0_u32)];
    let mut left = MAX_STATEMENTS;
    while let Some((text, depth)) = texts.pop() {
        let mut tokens = Tokens::new(&text, dialect);
        while let Some(statement) = next_statement(&mut tokens) {
            if left == 0 {
                found.push(Found::Unseen("a text has more SQL statements than are looked at".to_owned()));
                return;
            }
            left -= 1;
            for draft in changes_of(&statement) {
                found.push(Found::Effect(draft.tag("client", client).certain(certain && depth == 0)));
            }
            functions::find(found, client, &statement, certain);
            if depth < MAX_DEPTH {
                texts.extend(run_by(&statement).map(|inner| (inner, depth + 1)));
            }
        }
    }
}

/// How deep texts that statements run are followed.
const MAX_DEPTH: u32 = 3;

/// The texts that a statement runs: the body of a block, and what it executes.
fn run_by(statement: &[Token<'_>]) -> impl Iterator<Item = String> {
    let runs = ["do", "execute", "exec", "prepare", "begin", "declare", "immediate", "sp_executesql", "set"];
    let first = statement.first().is_some_and(|first| runs.iter().any(|word| first.is(word)));
    let executes = statement.iter().any(|token| token.is("execute") || token.is("exec") || token.is("sp_executesql"));
    let defines =
        statement.first().is_some_and(|first| ["create", "comment", "insert"].iter().any(|word| first.is(word)));
    statement.iter().filter_map(move |token| match token {
        Token::Text(text) if (first || executes) && !defines && text.len() > 4 => Some(text.replace("''", "'")),
        _ => None,
    })
}

/// The tokens up to the next semicolon; `None` at the end of the text.
fn next_statement<'t>(tokens: &mut Tokens<'t>) -> Option<Vec<Token<'t>>> {
    let mut statement = Vec::new();
    loop {
        match tokens.next() {
            None if statement.is_empty() => return None,
            None | Some(Token::End) => return Some(statement),
            Some(token) if statement.len() < MAX_TOKENS => statement.push(token),
            Some(_) => {}
        }
    }
}

/// The most changes inside one statement that are looked at.
const MAX_CHANGES: usize = 16;

/// What a statement does. One that begins with a common table expression may hold several changes.
fn changes_of(statement: &[Token<'_>]) -> Vec<Draft> {
    let statement = skip_words(statement);
    let Some(first) = statement.first() else { return Vec::new() };
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

/// Steps over what opens a block, so that the statement behind it shows.
fn skip_words<'s, 't>(statement: &'s [Token<'t>]) -> &'s [Token<'t>] {
    let opens = |token: &Token<'_>| ["begin", "then", "else", "loop", "go"].iter().any(|word| token.is(word));
    let start = statement.iter().position(|token| !opens(token)).unwrap_or(statement.len());
    statement.get(start..).unwrap_or_default()
}

/// The tokens up to the bracket that closes what encloses them.
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
            let name = reader.name();
            let cascade = reader.contains("cascade");
            let draft = Draft::catastrophic("database", "sql.truncate").target(&name).flag("cascade", cascade);
            (!name.is_empty()).then_some(draft)
        }
        "delete" => {
            reader.take_all(&["low_priority", "quick", "ignore"]);
            // MySQL names the tables before `FROM` when it joins several.
            if !reader.take("from") && !reader.contains("from") {
                return None;
            }
            reader.take("only");
            let name = reader.name();
            let draft = with_where(Draft::destructive("database", "sql.delete"), &reader);
            (!name.is_empty()).then(|| draft.target(&name))
        }
        "update" => {
            reader.take_all(&["only", "or", "replace", "ignore", "low_priority"]);
            let name = reader.name();
            let draft = with_where(Draft::destructive("database", "sql.update"), &reader);
            (!name.is_empty() && reader.contains("set")).then(|| draft.target(&name))
        }
        "merge" if reader.contains("delete") => {
            reader.take("into");
            let name = reader.name();
            Some(Draft::destructive("database", "sql.delete").target(&name).flag("merge", true))
        }
        "alter" => changes::alter(&mut reader),
        "rename" => {
            reader.take_all(&["table", "tables"]);
            let name = reader.name();
            (!name.is_empty()).then(|| Draft::destructive("database", "sql.rename").target(&name))
        }
        "grant" | "revoke" | "shutdown" | "reset" | "purge" | "set" | "flashback" | "restore" | "copy" | "create"
        | "uninstall" | "system" | "reassign" | "match" | "optional" | "select" => changes::other(verb, &mut reader),
        _ => None,
    }
}

fn with_where(draft: Draft, reader: &Reader<'_, '_>) -> Draft {
    let bounded = bounds::is_bounded(reader.tokens);
    draft.severe(Severity::Notable, bounded).flag("where", bounded)
}
