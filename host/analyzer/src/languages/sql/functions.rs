//! Functions and procedures that reach out of the database, or lose something, when a statement calls them.

use super::tokens::Token;
use crate::draft::Draft;
use crate::languages::Found;

/// The effect of a call.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// Reads a file of the machine that the server runs on.
    ReadsFile,
    WritesFile,
    /// Starts a program.
    Executes,
    /// Loses something that a table of the server lists.
    Loses,
}

const CALLS: &[(&str, Does)] = &[
    ("load_file", Does::ReadsFile),
    ("pg_read_file", Does::ReadsFile),
    ("pg_read_binary_file", Does::ReadsFile),
    ("lo_import", Does::ReadsFile),
    ("readfile", Does::ReadsFile),
    ("openrowset", Does::ReadsFile),
    ("lo_export", Does::WritesFile),
    ("writefile", Does::WritesFile),
    ("pg_file_write", Does::WritesFile),
    ("xp_cmdshell", Does::Executes),
    ("sp_oacreate", Does::Executes),
    ("sys_exec", Does::Executes),
    ("sys_eval", Does::Executes),
    ("load_extension", Does::Executes),
    ("lo_unlink", Does::Loses),
    ("pg_drop_replication_slot", Does::Loses),
    ("pg_terminate_backend", Does::Loses),
    ("pg_cancel_backend", Does::Loses),
    ("sp_dropserver", Does::Loses),
    ("xp_regdeletekey", Does::Loses),
];

/// Adds what the calls of a statement do. In a library that is itself the server the files are this machine's.
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
            Does::ReadsFile if is_local => found.push(Found::Read(text.to_owned())),
            Does::WritesFile if is_local => found.push(Found::Write(text.to_owned())),
            _ => {
                let draft = match does {
                    Does::ReadsFile => Draft::destructive("database", "sql.read-file"),
                    Does::WritesFile => Draft::destructive("database", "sql.write-file"),
                    Does::Executes => Draft::destructive("execute", "sql.execute-program"),
                    Does::Loses => Draft::destructive("database", "sql.call"),
                };
                let target = if matches!(does, Does::Loses) { name } else { text };
                found.push(Found::Effect(draft.target(target).tag("client", client).certain(certain)));
            }
        }
    }
}
