//! Database clients: their commands, lines and options that start a program.

use guard_sdk::syntax::Word;

use super::super::layer::Run;
use crate::options::{Options, parse};

/// A family of clients with the same commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Psql,
    Mysql,
    Sqlite,
    /// Others, with the prefixes of lines that a shell runs.
    Other(&'static [&'static str]),
}

/// Returns the family of the client `name`.
fn family(name: &str) -> Option<Family> {
    Some(match name {
        "psql" | "pgcli" | "usql" | "vsql" | "cockroach" => Family::Psql,
        "mysql" | "mariadb" | "mycli" | "mysqlsh" => Family::Mysql,
        "sqlite3" | "sqlite" | "litecli" | "duckdb" => Family::Sqlite,
        "sqlplus" => Family::Other(&["host ", "ho ", "!", "$"]),
        "sqlcmd" | "isql" | "tsql" => Family::Other(&["!!"]),
        "snowsql" => Family::Other(&["!system "]),
        "hive" | "beeline" => Family::Other(&["!sh ", "!"]),
        "impala-shell" => Family::Other(&["shell ", "!"]),
        _ => return None,
    })
}

pub(super) fn is_client(name: &str) -> bool {
    family(name).is_some()
}

/// Returns everything that the client `name` starts.
pub(super) fn runs(name: &str, words: &[Word], input: Option<&str>) -> Vec<Run> {
    let Some(family) = family(name) else { return Vec::new() };
    let mut texts: Vec<String> = Vec::new();
    let mut started: Vec<String> = Vec::new();
    let spec = match family {
        Family::Psql => Options::new("cdfFhLopPRTUv", "command dbname file host output"),
        Family::Mysql => Options::new("DehPuS", "execute database host user pager init-command").with_attached("p"),
        Family::Sqlite => Options { single: true, ..Options::new("", "cmd c s") },
        Family::Other(_) => Options::new("QqeSUPdi", "query execute"),
    };
    let parsed = parse(words, spec, false);
    for flag in &parsed.flags {
        if flag.is_any(&["c", "command", "e", "execute", "init-command", "cmd", "s", "q", "Q", "query"]) {
            texts.push(flag.text().to_owned());
        } else if flag.is_any(&["o", "output"]) {
            started.extend(flag.text().strip_prefix('|').map(str::to_owned));
        } else if flag.is("pager") {
            started.push(flag.text().to_owned());
        }
    }
    if family == Family::Sqlite {
        texts.extend(parsed.from(1).iter().map(|operand| operand.text.to_string()));
    }
    texts.extend(input.map(str::to_owned));
    for line in texts.iter().flat_map(|text| text.lines()) {
        started.extend(escape(family, line).map(str::to_owned));
        started.extend(of_line(family, line));
    }
    started.iter().map(|command| super::run(name, super::text(command))).collect()
}

/// Returns the command after a shell escape.
fn escape(family: Family, line: &str) -> Option<&str> {
    fn behind<'t>(line: &'t str, starts: &[&str]) -> Option<&'t str> {
        let line = line.trim_start();
        starts.iter().find_map(|start| line.strip_prefix(start))
    }
    match family {
        Family::Psql => behind_backslash(line),
        Family::Mysql => behind_backslash(line).or_else(|| line.split(';').find_map(|part| behind(part, &["system "]))),
        Family::Sqlite => behind(line, &[".shell ", ".system "]),
        Family::Other(starts) => behind(line, starts),
    }
}

/// Returns the text after `\!`, unless it is in a string.
fn behind_backslash(line: &str) -> Option<&str> {
    let (before, command) = line.split_once("\\!")?;
    (before.matches('\'').count() % 2 == 0).then_some(command)
}

/// Returns the command that a client's line starts, other than by an escape.
fn of_line(family: Family, line: &str) -> Option<String> {
    let line = line.trim();
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    match family {
        Family::Psql => {
            let lower = line.to_ascii_lowercase();
            let program = |at: usize| line.get(at + "program".len()..).map(unquoted);
            let piped = |verb: &str| {
                let tail = line
                    .get(line.find(verb)? + verb.len()..)?
                    .trim_start_matches(|char: char| char != '|' && char != ' ');
                tail.trim_start().strip_prefix('|').map(str::to_owned)
            };
            if let Some(at) = lower.find(" program ").filter(|_| command == "\\copy") {
                return program(at + 1);
            }
            let ticked = || line.split_once('`')?.1.split_once('`').map(|(inside, _)| inside.to_owned());
            ["\\o", "\\g", "\\w"]
                .iter()
                .find_map(|verb| piped(verb))
                .or_else(|| ticked().filter(|_| command.starts_with('\\')))
        }
        Family::Mysql => match command {
            "pager" | "\\P" => (!rest.is_empty()).then(|| rest.trim_end_matches(';').to_owned()),
            _ => None,
        },
        Family::Other(_) => None,
        Family::Sqlite => {
            let is = |full: &str, least: usize| command.len() >= least && full.starts_with(command);
            // `edit(VALUE, EDITOR)` starts the editor.
            if let Some((_, arguments)) = line.split_once("edit(") {
                let (_, editor) = arguments.rsplit_once(',')?;
                return Some(unquoted(editor)).filter(|editor| !editor.is_empty() && editor.contains(' '));
            }
            if is(".shell", 3) || is(".system", 3) {
                let whole = matches!(command, ".shell" | ".system");
                return (!whole).then(|| rest.to_owned());
            }
            let opens = is(".once", 3) || is(".output", 3) || is(".import", 3) || is(".read", 4);
            let place = rest.find('|').filter(|at| {
                opens
                    && rest
                        .get(..*at)
                        .is_some_and(|head| !head.contains(char::is_alphanumeric) || head.starts_with('-'))
            })?;
            let quote =
                rest.get(..place).and_then(|head| head.chars().next_back()).filter(|char| matches!(char, '"' | '\''));
            let tail = rest.get(place + 1..)?;
            Some(match quote {
                Some(quote) => tail.split(quote).next().unwrap_or_default().to_owned(),
                None => tail.to_owned(),
            })
        }
    }
}

/// Returns the string at the start of the text, or its first word.
fn unquoted(text: &str) -> String {
    let text = text.trim_start();
    match text.chars().next() {
        Some(quote @ ('\'' | '"')) => {
            text.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default().to_owned()
        }
        _ => text.split_whitespace().next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{escape, family, of_line};

    #[test]
    fn commands_of_clients_start_programs() {
        for (client, line) in [
            ("psql", "\\o |ls x"),
            ("psql", "select 1 \\g |ls x"),
            ("psql", "\\copy t from program 'ls x'"),
            ("psql", "\\copy (select 1) TO PROGRAM 'ls x'"),
            ("psql", "\\set a `ls x`"),
            ("mysql", "pager ls x"),
            ("sqlite3", ".once |ls x"),
            ("sqlite3", ".output -e |ls x"),
            ("sqlite3", ".import \"|ls x\" t"),
            ("sqlite3", ".im '|ls x' t"),
            ("sqlite3", ".read '|ls x'"),
            ("sqlite3", ".sy ls x"),
            ("sqlite3", "select edit(a, 'ls x') from t"),
        ] {
            assert_eq!(of_line(family(client).unwrap(), line).as_deref(), Some("ls x"), "{line}");
        }
        for (client, line) in [
            ("psql", "select a || b from t"),
            ("psql", "\\o out"),
            ("psql", "\\gdesc"),
            ("mysql", "pager"),
            ("mysql", "select 1"),
            ("sqlite3", "select 'a' || 'b'"),
            ("sqlite3", ".once a|b"),
            ("sqlite3", ".separator |"),
            ("sqlite3", ".schema"),
            ("sqlite3", "select edit(a) from t"),
            ("sqlite3", "select edit(a, 'vi') from t"),
        ] {
            assert_eq!(of_line(family(client).unwrap(), line), None, "{line}");
        }
    }

    #[test]
    fn escapes_start_programs() {
        for (client, line) in [
            ("psql", "\\! ls"),
            ("usql", "\\timing \\! ls"),
            ("psql", "select 'a' \\! ls"),
            ("mysql", "select 1; \\! ls"),
            ("mariadb", "select 1; system ls"),
            ("litecli", "  .shell ls"),
            ("sqlplus", "host ls"),
            ("sqlcmd", "!! ls"),
        ] {
            assert_eq!(escape(family(client).unwrap(), line).map(str::trim), Some("ls"), "{line}");
        }
        for (client, line) in [
            ("psql", "select '\\! ls'"),
            ("mysql", "select system from t"),
            ("sqlite3", "select '.shell ls'"),
            ("sqlplus", "select 1 from host"),
        ] {
            assert_eq!(escape(family(client).unwrap(), line), None, "{line}");
        }
    }
}
