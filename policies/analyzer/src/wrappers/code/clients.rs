//! Clients of databases: their own commands and options that start a program, besides lines that begin with an escape.

use guard_sdk::syntax::Word;

use super::super::layer::Run;
use crate::options::{Options, parse};

/// The most commands of one client; further ones count as a text that is not known.
const MOST: usize = 64;

/// What the client `name` starts.
pub(super) fn runs(name: &str, words: &[Word], input: Option<&str>) -> Vec<Run> {
    let mut texts: Vec<String> = Vec::new();
    let mut started: Vec<String> = Vec::new();
    let spec = match name {
        "psql" => Options::new("cdfFhLopPRTUv", "command dbname file host output"),
        "mysql" | "mariadb" => {
            Options::new("DehPuS", "execute database host user pager init-command").with_attached("p")
        }
        "sqlite3" | "sqlite" | "duckdb" => Options { single: true, ..Options::new("", "cmd c s") },
        _ => return Vec::new(),
    };
    let parsed = parse(words, spec, false);
    for flag in &parsed.flags {
        if flag.is_any(&["c", "command", "e", "execute", "init-command", "cmd", "s"]) {
            texts.push(flag.text().to_owned());
        } else if flag.is_any(&["o", "output"]) {
            started.extend(flag.text().strip_prefix('|').map(str::to_owned));
        } else if flag.is("pager") {
            started.push(flag.text().to_owned());
        }
    }
    if name != "psql" && !name.starts_with('m') {
        texts.extend(parsed.from(1).iter().map(|operand| operand.text.to_string()));
    }
    for line in texts.iter().flat_map(|text| text.lines()) {
        started.extend(escape(name, line.trim_start()).map(str::to_owned));
        started.extend(of_line(name, line));
    }
    for line in input.unwrap_or_default().lines() {
        started.extend(of_line(name, line));
    }
    let unknown = started.len() > MOST;
    let mut found: Vec<Run> = started.iter().take(MOST).map(|command| super::run(name, super::text(command))).collect();
    if unknown {
        let text = crate::languages::pieces::Pieces::unknown().word();
        found.push(super::run(name, super::What::Text { text, parameters: None }));
    }
    found
}

/// The command behind an escape to the shell.
fn escape<'t>(name: &str, line: &'t str) -> Option<&'t str> {
    let (_, starts) = super::LINES.iter().find(|(programs, _)| programs.contains(&name))?;
    starts.iter().find_map(|start| line.strip_prefix(start))
}

/// The command that a line of the client starts, other than by an escape.
fn of_line(name: &str, line: &str) -> Option<String> {
    let line = line.trim();
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    match name {
        "psql" => {
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
        "mysql" | "mariadb" => match command {
            "pager" | "\\P" => (!rest.is_empty()).then(|| rest.trim_end_matches(';').to_owned()),
            _ => None,
        },
        _ => {
            let is = |full: &str, least: usize| command.len() >= least && full.starts_with(command);
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

/// The string that the text begins with, or its first word.
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
    use super::of_line;

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
        ] {
            assert_eq!(of_line(client, line).as_deref(), Some("ls x"), "{line}");
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
        ] {
            assert_eq!(of_line(client, line), None, "{line}");
        }
    }
}
