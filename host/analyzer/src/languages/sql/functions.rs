//! Functions and procedures that have effects outside the database, or lose something, when a statement calls them.

use super::tokens::Token;
use crate::draft::Draft;
use crate::languages::Found;

/// The effect of a call.
#[derive(Debug, Clone, Copy)]
enum CallEffect {
    /// Reads a file on the server's machine.
    ReadsFile,
    WritesFile,
    Executes,
    /// Loses something that a server's table lists.
    Loses,
}

const CALLS: &[(&str, CallEffect)] = &[
    ("load_file", CallEffect::ReadsFile),
    ("pg_read_file", CallEffect::ReadsFile),
    ("pg_read_binary_file", CallEffect::ReadsFile),
    ("lo_import", CallEffect::ReadsFile),
    ("readfile", CallEffect::ReadsFile),
    ("openrowset", CallEffect::ReadsFile),
    ("lo_export", CallEffect::WritesFile),
    ("writefile", CallEffect::WritesFile),
    ("pg_file_write", CallEffect::WritesFile),
    ("xp_cmdshell", CallEffect::Executes),
    ("sp_oacreate", CallEffect::Executes),
    ("sys_exec", CallEffect::Executes),
    ("sys_eval", CallEffect::Executes),
    ("load_extension", CallEffect::Executes),
    ("lo_unlink", CallEffect::Loses),
    ("pg_drop_replication_slot", CallEffect::Loses),
    ("pg_terminate_backend", CallEffect::Loses),
    ("pg_cancel_backend", CallEffect::Loses),
    ("sp_dropserver", CallEffect::Loses),
    ("xp_regdeletekey", CallEffect::Loses),
];

/// Adds the effects of a statement's calls. With an embedded database, the files are on this machine.
pub(super) fn find(found: &mut Vec<Found>, client: &str, statement: &[Token<'_>], certain: bool) {
    let defines = statement.first().is_some_and(|first| first.is("create") || first.is("drop") || first.is("comment"));
    if defines {
        return;
    }
    let is_local = matches!(client, "sqlite3" | "duckdb");
    for (at, token) in statement.iter().enumerate() {
        let Token::Word(name) = token else { continue };
        let Some((_, does)) = CALLS.iter().find(|(call, _)| call.eq_ignore_ascii_case(name)) else { continue };
        let behind = statement.get(at + 1..).unwrap_or_default();
        let is_call = matches!(behind.first(), Some(Token::Sign('(') | Token::Text(_)));
        if !is_call {
            continue;
        }
        let text = behind.iter().take(8).find_map(|token| match token {
            Token::Text(text) => Some(*text),
            _ => None,
        });
        let text = text.unwrap_or_default();
        match does {
            CallEffect::ReadsFile if is_local => found.push(Found::Read(text.to_owned())),
            CallEffect::WritesFile if is_local => found.push(Found::Write(text.to_owned())),
            _ => {
                let draft = match does {
                    CallEffect::ReadsFile => Draft::destructive("database", "sql.read-file"),
                    CallEffect::WritesFile => Draft::destructive("database", "sql.write-file"),
                    CallEffect::Executes => Draft::destructive("execute", "sql.execute-program"),
                    CallEffect::Loses => Draft::destructive("database", "sql.call"),
                };
                let target = if matches!(does, CallEffect::Loses) { name } else { text };
                found.push(Found::Effect(draft.target(target).tag("client", client).certain(certain)));
            }
        }
    }
}
