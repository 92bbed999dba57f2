//! Lines that are client commands instead of SQL, and statement ends that only a client knows.

use super::tokens::{Token, Tokens};

/// The lines that a client treats as commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Lines {
    /// None. The text goes to the server unchanged.
    #[default]
    None,
    /// Commands begin with a backslash, and may follow SQL on the line.
    Psql,
    /// Commands are words, or a backslash with a letter. The delimiter can be changed.
    Mysql,
    /// Statements don't need semicolons between them.
    Batches,
    /// Commands are words or begin with a sign, and have their own lines.
    Plain,
}

impl Lines {
    pub(super) fn of(client: &str) -> Lines {
        match client {
            "psql" | "pgcli" | "usql" | "vsql" | "cockroach" | "heroku" => Lines::Psql,
            "mysql" | "mariadb" | "mycli" | "mysqlsh" => Lines::Mysql,
            "sqlcmd" | "isql" | "tsql" => Lines::Batches,
            _ => Lines::Plain,
        }
    }
}

/// Words that begin a statement that may continue on the next line. Any other word begins a client command.
const STARTS: &[&str] = &[
    "alter",
    "call",
    "comment",
    "copy",
    "create",
    "declare",
    "delete",
    "desc",
    "describe",
    "do",
    "drop",
    "exec",
    "execute",
    "explain",
    "flashback",
    "grant",
    "insert",
    "match",
    "merge",
    "optional",
    "prepare",
    "purge",
    "reassign",
    "rename",
    "replace",
    "restore",
    "revoke",
    "select",
    "system",
    "truncate",
    "unwind",
    "update",
    "values",
    "with",
];

/// Returns whether a statement continues on the next line. `first` is its first token, after the words that open a
/// block.
pub(super) fn goes_on(first: Option<Token<'_>>, lines: Lines) -> bool {
    match first {
        None | Some(Token::Sign('(')) => true,
        // Some clients have a command with this name.
        Some(first) if first.is("set") => matches!(lines, Lines::Psql | Lines::Mysql),
        Some(first) => STARTS.iter().any(|word| first.is(word)),
    }
}

/// The token with which `\gexec` ends its statement, whose result rows are statements.
pub(super) const RUNS_ROWS: Token<'static> = Token::Word("\\gexec");

/// psql commands that send the statement before them.
const SENDS: &[&str] = &["g", "gx", "gset", "gdesc", "gexec", "crosstabview", "watch", "r", "reset", "q"];

/// psql commands that take the rest of their line unchanged.
const WHOLE_LINES: &[&str] = &["copy", "ef", "ev", "h", "help", "sf", "sv"];

impl<'t> Tokens<'t> {
    /// Skips a psql command that doesn't affect the statement around it.
    pub(super) fn skip_command(&mut self) -> bool {
        if self.dialect.lines != Lines::Psql {
            return false;
        }
        let Some(behind) = self.rest.strip_prefix('\\') else { return false };
        if let Some(rest) = behind.strip_prefix('\\') {
            self.rest = rest;
            return true;
        }
        let (name, rest) = command_name(behind);
        if behind.starts_with(';') || SENDS.contains(&name) {
            return false;
        }
        self.rest = rest;
        if name == "copy" && self.line().to_ascii_lowercase().contains("from stdin") {
            self.skip_rows();
        } else if behind.starts_with('!') || WHOLE_LINES.contains(&name) {
            self.skip_line();
        } else {
            self.skip_arguments();
        }
        true
    }

    /// Returns the end of the statement, if a client command here sends it.
    pub(super) fn sending_command(&mut self) -> Option<Token<'t>> {
        let behind = self.rest.strip_prefix('\\')?;
        let ends = match self.dialect.lines {
            Lines::Psql => behind.strip_prefix(';'),
            Lines::Mysql => behind.strip_prefix(['g', 'G', 'c']),
            _ => return None,
        };
        if let Some(rest) = ends {
            self.rest = rest;
            return Some(Token::End);
        }
        if self.dialect.lines != Lines::Psql {
            return None;
        }
        let (name, rest) = command_name(behind);
        self.rest = rest;
        self.skip_arguments();
        Some(if name == "gexec" { RUNS_ROWS } else { Token::End })
    }

    /// Returns the rest of the line.
    fn line(&self) -> &'t str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    /// Moves to the end of the line.
    fn skip_line(&mut self) {
        self.rest = self.rest.get(self.line().len()..).unwrap_or_default();
    }

    /// Skips a psql command's arguments: to the end of the line, or to the next command.
    fn skip_arguments(&mut self) {
        let mut quote = None;
        let end = self.rest.find(|letter| match quote {
            _ if letter == '\n' => true,
            Some(open) => {
                if letter == open {
                    quote = None;
                }
                false
            }
            None => {
                quote = matches!(letter, '\'' | '"' | '`').then_some(letter);
                letter == '\\'
            }
        });
        self.rest = self.rest.get(end.unwrap_or(self.rest.len())..).unwrap_or_default();
    }

    /// Skips the data rows after a statement that copies them into a table.
    pub(super) fn skip_rows(&mut self) {
        self.up_to("\n\\.");
    }

    /// Sets the delimiter if a client command here changes it.
    pub(super) fn choose_delimiter(&mut self) -> bool {
        if self.dialect.lines != Lines::Mysql {
            return false;
        }
        self.skip_blank();
        let is_command =
            |command: &&str| self.rest.get(..command.len()).is_some_and(|start| start.eq_ignore_ascii_case(command));
        if !["delimiter ", "delimiter\t", "\\d "].iter().any(is_command) {
            return false;
        }
        let delimiter = self.line().split_whitespace().nth(1).unwrap_or_default();
        self.delimiter = if delimiter == ";" { "" } else { delimiter };
        self.skip_line();
        true
    }

    /// Returns whether the token, which was just read, is alone on its line and ends the batch.
    pub(super) fn ends_batch(&self, token: Token<'_>) -> bool {
        let is_end = token.is("go") || token == Token::Sign('/');
        is_end && self.begins_line && self.line().trim().bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// Returns a command's name after its backslash, and the rest.
fn command_name(behind: &str) -> (&str, &str) {
    let end = behind.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '?' | '+')));
    behind.split_at_checked(end.unwrap_or(behind.len())).unwrap_or((behind, ""))
}

#[cfg(test)]
mod tests {
    use crate::languages::Found;
    use crate::languages::sql::{effects, perhaps_effects};

    /// Returns the operations and targets of the effects, and `unseen` for unknown text.
    fn all(found: Vec<Found>) -> Vec<String> {
        let one = |found| match found {
            Found::Effect(draft) => format!("{} {}", draft.operation, draft.target).trim_end().to_owned(),
            Found::Unseen(_) => "unseen".to_owned(),
            other => format!("{other:?}"),
        };
        found.into_iter().map(one).collect()
    }

    #[test]
    fn a_command_of_a_client_ends_with_its_line() {
        for (client, text) in [
            ("psql", "\\c prod\ndrop table t;"),
            ("psql", "select 1 \\g\ndrop table t"),
            ("psql", "select 1 \\; drop table t"),
            ("psql", "\\set a 'x;' \\timing \\\\ drop table t"),
            ("psql", "drop table \\echo x\nt"),
            ("psql", "copy a from stdin;\n1\tdrop table b;\ndrop table b;\n\\.\ndrop table t"),
            ("pgcli", "\\! ls; drop table b\ndrop table t"),
            ("mysql", "use prod\ndrop table t;"),
            ("mysql", "select 1\\G drop table t"),
            ("mysql", "delimiter //\nselect 1// drop table t//\ndelimiter ;\nselect 2;"),
            ("mariadb", "DELIMITER $$\nselect 1$$drop table t$$"),
            ("sqlite3", ".mode csv\ndrop table t;"),
            ("sqlcmd", "use prod\ndrop table t\ngo"),
            ("sqlcmd", "if 1 = 1 drop table t"),
            ("sqlplus", "set echo on\ndrop table t\n/"),
            ("cqlsh", "CONSISTENCY ONE\ndrop table t"),
        ] {
            assert_eq!(all(effects(client, text, true)), ["sql.drop-table t"], "{client}: {text}");
        }
        for (client, text) in [
            ("psql", "\\echo drop table t\nselect 1"),
            ("psql", "select '\\c x\ndrop table t'"),
            ("psql", "create function f() as $$\ndrop table t\n$$"),
            ("psql", "create rule r as on insert to a do\nnothing"),
            ("psql", "explain\ndelete from t"),
            ("mysql", "select\ndropped\nfrom t"),
            ("sqlcmd", "create procedure p as\ndelete from t"),
        ] {
            assert!(all(effects(client, text, true)).is_empty(), "{client}: {text}");
        }
    }

    #[test]
    fn statements_that_only_the_client_knows_are_unseen() {
        assert_eq!(all(effects("psql", ":q;", true)), ["unseen"]);
        assert_eq!(all(effects("psql", "select 'drop table t' \\gexec", true)), ["unseen", "sql.drop-table t"]);
        assert!(all(effects("psql", "select :a from :b where c = :'d'", true)).is_empty());
    }

    #[test]
    fn an_unknown_object_is_an_object() {
        for (text, expected) in [
            ("drop table $t", "sql.drop-table $t"),
            ("drop table if exists {t} cascade", "sql.drop-table {t}"),
            ("drop table %s", "sql.drop-table %s"),
            ("drop table a.$b$c", "sql.drop-table a.$b"),
            ("drop table 't'", "sql.drop-table"),
            ("drop database :\"d\"", "sql.drop-database :\"d\""),
            ("drop $kind t", "sql.drop-object t"),
            ("delete from ${t}", "sql.delete ${t}"),
            ("truncate ?", "sql.truncate ?"),
            ("update $(cat t) set a = 1", "sql.update $(cat t)"),
            ("$setup drop table t", "sql.drop-table t"),
        ] {
            assert_eq!(all(perhaps_effects("x", text)), [expected], "{text}");
        }
        for text in ["drop table", "drop table #t", "drop {n} rows", "select $a", "truncate(?, 0)", "$t"] {
            assert!(all(perhaps_effects("x", text)).is_empty(), "{text}");
        }
    }

    #[test]
    fn long_lines_of_commands_are_read_in_one_pass() {
        for text in ["\\x", ";", "begin\n", "$a$", "{", ":'", "\\copy t from stdin\n", "go\n", "$a", "delimiter "] {
            for client in ["psql", "mysql", "sqlcmd", "sqlite3"] {
                effects(client, &text.repeat(100_000 / text.len()), true);
            }
        }
    }
}
