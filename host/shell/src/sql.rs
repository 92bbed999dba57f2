//! SQL: which statements of a text lose something.
//!
//! A tokenizer and the few statement shapes that matter; no grammar. The dialects' ways to quote and to comment are
//! read together, so a text of any of them is split right in the ordinary case.

mod tokens;

use guard_sdk::syntax::Severity;

use crate::effects::draft::Draft;
use crate::effects::run::Run;
use tokens::{Dialect, Token, Tokens};

/// The most statements of one text that are looked at.
const MAX_STATEMENTS: usize = 4096;

/// The most tokens of one statement that are kept.
const MAX_TOKENS: usize = 4096;

/// Notes the script and adds what its statements do.
pub(crate) fn script(run: &mut Run<'_>, client: &str, text: &str, certain: bool) {
    run.script("sql", text, certain);
    statements(run, client, text, certain);
}

/// Adds the effects of a command that is itself SQL, as when a statement is pasted without its client.
pub(crate) fn bare(run: &mut Run<'_>) {
    if !matches!(run.name.as_str(), "drop" | "truncate" | "delete" | "update" | "alter" | "merge" | "explain") {
        return;
    }
    let second = run.command.word(1).to_ascii_lowercase();
    let is_sql = match run.name.as_str() {
        "truncate" => !second.starts_with('-') && !second.is_empty(),
        "delete" => second == "from",
        "merge" => second == "into",
        "explain" => second == "analyze",
        "update" => run.command.argv.iter().any(|word| word.text.eq_ignore_ascii_case("set")),
        _ => true,
    };
    // The coreutil takes its size by an option, wherever it stands.
    let has_option = run.command.argv.iter().any(|word| word.text.starts_with('-'));
    if is_sql && !(has_option && run.name == "truncate") {
        let text = run.command.text();
        statements(run, "bare", &text, false);
    }
}

fn statements(run: &mut Run<'_>, client: &str, text: &str, certain: bool) {
    let mysql = matches!(client, "mysql" | "mariadb" | "mycli");
    read(run, client, text, certain, Dialect { mysql, escapes: mysql });
    // Whether a backslash hides a quote depends on settings of the server, so the other reading counts as well.
    if text.contains("\\'") {
        read(run, client, text, false, Dialect { mysql, escapes: !mysql });
    }
}

fn read(run: &mut Run<'_>, client: &str, text: &str, certain: bool, dialect: Dialect) {
    let mut tokens = Tokens::new(text, dialect);
    for _ in 0..MAX_STATEMENTS {
        let Some(statement) = next_statement(&mut tokens) else { return };
        if let Some(draft) = effect(&statement) {
            run.emit(draft.tag("client", client).certain(certain));
        }
    }
    run.reason("a text has more SQL statements than are looked at");
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

/// A statement read from left to right.
struct Reader<'s, 't> {
    tokens: &'s [Token<'t>],
}

impl<'t> Reader<'_, 't> {
    /// Steps over the word if it comes next.
    fn take(&mut self, word: &str) -> bool {
        match self.tokens.split_first() {
            Some((token, rest)) if token.is(word) => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }

    fn take_all(&mut self, words: &[&str]) {
        for word in words {
            self.take(word);
        }
    }

    /// A name, with its schema: `public.users`.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some((Token::Word(text) | Token::Name(text), rest)) = self.tokens.split_first() {
            name.push_str(text);
            self.tokens = rest;
            match rest.split_first() {
                Some((Token::Sign('.'), rest)) => {
                    name.push('.');
                    self.tokens = rest;
                }
                _ => break,
            }
        }
        name
    }

    fn contains(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.is(word))
    }
}

fn effect(statement: &[Token<'_>]) -> Option<Draft> {
    let mut reader = Reader { tokens: skip_prelude(statement) };
    let (first, rest) = reader.tokens.split_first()?;
    let Token::Word(verb) = first else { return None };
    reader.tokens = rest;
    match verb.to_ascii_lowercase().as_str() {
        "drop" => drop_statement(&mut reader),
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
        "alter" => {
            if !reader.take("table") {
                return None;
            }
            reader.take_all(&["if", "exists", "only"]);
            let name = reader.name();
            // A mutation of ClickHouse.
            if reader.take("delete") {
                return Some(with_where(Draft::destructive("database", "sql.delete").target(&name), &reader));
            }
            let drops = reader.contains("drop") && !reader.contains("constraint") && !reader.contains("index");
            drops.then(|| Draft::destructive("database", "sql.drop-column").target(&name))
        }
        _ => None,
    }
}

/// Skips what may stand before the verb: a plan that is also run, a name for the statement, a common table expression.
fn skip_prelude<'s, 't>(statement: &'s [Token<'t>]) -> &'s [Token<'t>] {
    let first = statement.first();
    let explains = first.is_some_and(|token| token.is("explain"));
    // A plan alone runs nothing.
    if explains && !statement.iter().take(8).any(|token| token.is("analyze") || token.is("analyse")) {
        return &[];
    }
    let has_prelude = explains || first.is_some_and(|token| token.is("with") || token.is("prepare"));
    if !has_prelude {
        return statement;
    }
    let mut depth = 0_u32;
    let start = statement.iter().position(|token| {
        match token {
            Token::Sign('(') => depth = depth.saturating_add(1),
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (token.is("delete") || token.is("update") || token.is("merge"))
    });
    start.and_then(|start| statement.get(start..)).unwrap_or(statement)
}

fn with_where(draft: Draft, reader: &Reader<'_, '_>) -> Draft {
    let bounded = reader.contains("where");
    draft.severe(Severity::Notable, bounded).flag("where", bounded)
}

fn drop_statement(reader: &mut Reader<'_, '_>) -> Option<Draft> {
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
        "role" | "user" | "owned" => Draft::destructive("database", "sql.drop-role"),
        "function" | "procedure" | "trigger" | "sequence" | "type" | "extension" | "column" => {
            Draft::notable("database", "sql.drop-object")
        }
        "keyspace" | "tablespace" | "collection" => Draft::destructive("database", "sql.drop-object"),
        _ => return None,
    };
    reader.take_all(&["concurrently", "by", "if", "exists"]);
    let name = reader.name();
    let cascade = reader.contains("cascade");
    (!name.is_empty()).then(|| draft.target(&name).flag("cascade", cascade))
}
