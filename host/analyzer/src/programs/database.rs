//! Database clients, and programs that drop a database.

pub(super) mod generated;
mod lines;
mod stores;
pub(super) mod remote_host;

use super::program::Program;
use super::scripts;
use crate::draft::Draft;
use crate::languages::sql;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["psql", "pgcli", "usql", "vsql"], PSQL, psql),
    Program::new(&["mysql", "mariadb", "mycli", "mysqlsh"], MYSQL, mysql),
    Program::new(&["sqlite3", "sqlite", "litecli"], Options::new("", ""), sqlite),
    Program::new(&["duckdb"], Options::new("cs", "cmd init separator"), duckdb),
    Program::new(
        &["sqlcmd", "isql", "tsql"],
        Options::new("SdUPQqiohH", "query input-file server database-name"),
        sqlcmd,
    ),
    Program::new(
        &["clickhouse-client", "clickhouse-local", "clickhouse"],
        Options::new("qhud", "query host user password database port"),
        query,
    ),
    Program::new(&["cockroach", "snowsql", "trino", "presto", "hive", "beeline", "impala-shell"], EXECUTE, query),
    Program::new(&["sqlplus", "cqlsh"], EXECUTE, query),
    Program::new(&["bq"], Options::leading("", "project_id location dataset_id"), bq),
    Program::new(&["dropdb"], Options::new("hpUO", "host port username maintenance-db"), dropdb),
    Program::new(&["dropuser"], Options::new("hpU", "host port username"), dropuser),
    Program::new(&["mysqladmin", "mariadb-admin"], Options::new("huPS", "host user port"), mysqladmin),
    Program::new(&["mongosh", "mongo"], Options::new("up", "eval host port username password file"), stores::mongo),
    Program::new(&["mongoimport"], Options::new("dcuph", "db collection uri file host"), stores::mongoimport),
    Program::new(&["flushall", "flushdb", "config"], Options::NONE, stores::bare),
    Program::new(&["cypher-shell"], Options::new("aupd", "address username password database file"), cypher),
    Program::new(&["influx"], Options::new("e", "execute database host port bucket org"), influx),
    Program::new(&["redis-cli", "valkey-cli"], Options::leading("hpnasuPrid", "user pass pattern eval"), stores::redis),
    Program::new(&["pg_dump", "pg_dumpall"], Options::new("fhpUdnFt", "file host port dbname"), dump),
    Program::new(&["pg_restore"], Options::new("dhpUFfjtn", "dbname host port file"), restore),
];

const PSQL: Options = Options::new(
    "cdfhpULovFPRTv",
    "command dbname file host port username output log-file set variable field-separator pset",
);
const MYSQL: Options =
    Options::new("ehuPSD", "execute host user port socket database defaults-file init-command").with_attached("p");
const EXECUTE: Options = Options::new("eqfhud", "execute query file host user url database server");

/// Adds the effects of statements on standard input.
fn from_input(run: &mut Run<'_>, client: &str) {
    if let Some(input) = run.input() {
        statements(run, client, &input.text, input.certain);
        if !input.certain {
            generated::find(run, client);
        }
    } else if run.command.redirections.iter().any(|redirection| redirection.operator == "<" && redirection.fd == 0)
        || run.command.position.index > 0 && remote_host::shared(run).is_some()
    {
        unseen_statements(run, client);
    } else {
        generated::find(run, client);
    }
}

/// Adds the reads and effects of statement files. The content of a process substitution is known, that of other files
/// isn't.
fn files<'a>(run: &mut Run<'a>, client: &str, files: impl Iterator<Item = Operand<'a>>) {
    for file in files {
        run.read(&file);
        match run.substituted(&file) {
            Some(input) => {
                statements(run, client, &input.text, input.certain);
                let escapes = input.text.lines().filter_map(|line| line.trim_start().strip_prefix("\\!"));
                escapes.take(1).for_each(|program| run.starts_helper(program.trim()));
            }
            None => unseen_statements(run, client),
        }
    }
}

/// Adds the effect of statements with unknown text, if the server is remote. On this machine, they are common.
fn unseen_statements(run: &mut Run<'_>, client: &str) {
    if remote_host::shared(run).is_some() {
        run.emit(Draft::destructive("database", "sql.script").certain(false).tag("client", client));
    }
}

fn given<'a>(run: &mut Run<'a>, client: &str, values: impl Iterator<Item = Operand<'a>>) -> bool {
    let mut any = false;
    for value in values {
        any = true;
        statements(run, client, &value.text, !value.dynamic);
    }
    any
}

/// Adds the effect of a change, if other people use the server.
fn shared_change(run: &mut Run<'_>, client: &str, certain: bool) {
    if let Some(host) = remote_host::shared(run) {
        run.emit(Draft::notable("database", "database.change").target(&host).certain(certain).tag("client", client));
    }
}

/// Adds the effects of statements, and of the client's own commands.
fn statements(run: &mut Run<'_>, client: &str, text: &str, certain: bool) {
    scripts::sql(run, client, text, certain);
    if sql::changes_something(client, text) {
        shared_change(run, client, certain);
    }
    for line in text.lines() {
        let line = line.trim_start();
        let escape = ["\\!", ".shell ", ".system ", "system ", "!!"].iter().find_map(|start| line.strip_prefix(start));
        if let Some(shell) = escape {
            run.script("shell", shell.trim(), certain);
        } else if line.starts_with(['.', '\\']) {
            lines::find(run, line);
        }
        if ["source ", "\\i ", "\\. ", "\\ir ", ".read "].iter().any(|verb| line.starts_with(verb)) {
            unseen_statements(run, client);
        }
    }
}

fn psql<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let client = run.name.clone();
    let any = given(run, &client, parsed.values("c", "command"));
    files(run, &client, parsed.values("f", "file"));
    for file in parsed.values("oL", "output").chain(parsed.values("", "log-file")) {
        // The program that a pipe starts is listed as a command of its own.
        if !file.text.starts_with('|') {
            run.write(&file);
        }
    }
    if !any || parsed.values("f", "file").any(|file| file.text == "-") {
        from_input(run, &client);
    }
}

fn mysql<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let client = run.name.clone();
    let values = parsed.values("e", "execute").chain(parsed.values("", "init-command"));
    if run.name == "mysqlsh" {
        parsed.values("e", "execute").for_each(|code| stores::shell_of_mysql(run, &code.text));
    }
    if !given(run, &client, values) {
        from_input(run, &client);
    }
}

/// Adds the effects of `sqlite3`. Its options start with one dash: `-cmd TEXT` contains statements, and others take one
/// word or none.
fn sqlite<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    if is_read_only(run) {
        return;
    }
    // The options of an archive follow `-A`.
    let archive = run.arguments().iter().position(|word| word.text.starts_with("-A"));
    if let Some(behind) = archive.and_then(|at| run.arguments().get(at..)) {
        let options: Vec<&str> = behind.iter().map(|word| word.text.as_str()).collect();
        return lines::unpacked(run, &options);
    }
    let mut words = run.arguments().iter();
    let mut operands = Vec::new();
    let mut any = false;
    while let Some(word) = words.next() {
        match word.text.trim_start_matches('-') {
            _ if !word.text.starts_with('-') => operands.push(word),
            "cmd" => {
                if let Some(value) = words.next() {
                    any = true;
                    statements(run, "sqlite3", &value.text, !value.dynamic);
                }
            }
            "init" | "separator" | "newline" | "nullvalue" | "mmap" | "vfs" | "maxsize" | "heap" => {
                words.next();
            }
            _ => {}
        }
    }
    // A database in memory is lost anyway, unless a statement opens another one.
    let opens = |word: &&guard_sdk::syntax::Word| {
        [".open", ".load", "attach"].iter().any(|verb| word.text.to_ascii_lowercase().contains(verb))
    };
    if operands.first().is_some_and(|word| word.text == ":memory:") && !operands.iter().any(opens) {
        return;
    }
    for word in operands.iter().skip(1) {
        any = true;
        lines::attached(run, &word.text);
        statements(run, "sqlite3", &word.text, !word.dynamic);
    }
    if !any {
        from_input(run, "sqlite3");
    }
}

/// Returns whether the database was opened as read-only.
fn is_read_only(run: &Run<'_>) -> bool {
    run.arguments().iter().any(|word| matches!(word.text.as_str(), "-readonly" | "--readonly"))
}

fn duckdb<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if is_read_only(run) {
        return;
    }
    let values = parsed.values("cs", "cmd").chain(parsed.operands.iter().skip(1).cloned());
    if !given(run, "duckdb", values) {
        from_input(run, "duckdb");
    }
}

fn sqlcmd<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let client = run.name.clone();
    files(run, &client, parsed.values("i", "input-file"));
    parsed.values("o", "").for_each(|file| run.write(&file));
    if !given(run, &client, parsed.values("Qq", "query")) {
        from_input(run, &client);
    }
}

fn query<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let client = run.name.clone();
    let values = parsed.values("eq", "execute").chain(parsed.values("", "query"));
    if !given(run, &client, values) {
        from_input(run, &client);
    }
}

fn bq<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let rest = run.parse(words, Options::new("", "destination_table format"));
    match first.text.as_str() {
        "query" => drop(given(run, "bq", rest.operands.iter().cloned())),
        "rm" => {
            let whole = rest.has("r", "recursive") || rest.has("d", "dataset");
            let draft = if whole {
                Draft::catastrophic("database", "sql.drop-schema")
            } else {
                Draft::destructive("database", "sql.drop-table")
            };
            run.emit(draft.target(rest.text(0)).tag("client", "bq"));
        }
        "load" | "cp" if rest.has("", "replace") || first.text == "cp" && rest.has("f", "force") => {
            let draft = Draft::destructive("database", "sql.replace-table").target(rest.text(0)).tag("client", "bq");
            run.emit(draft.tag("loses", "the rows that the table has now"));
        }
        _ => {}
    }
}

fn dropdb<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for name in parsed.operands.iter().take(1) {
        let draft = Draft::catastrophic("database", "sql.drop-database").target(&name.text);
        run.emit(draft.tag("client", "dropdb").certain(!name.dynamic));
    }
}

fn dropuser<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let draft = Draft::destructive("database", "sql.drop-role").target(parsed.text(0));
    run.emit(draft.tag("client", "dropuser"));
}

fn mysqladmin<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for pair in parsed.operands.windows(2) {
        let [verb, name] = pair else { continue };
        if verb.text.len() > 1 && "drop".starts_with(verb.text.as_ref()) {
            let draft = Draft::catastrophic("database", "sql.drop-database").target(&name.text);
            run.emit(draft.tag("client", "mysqladmin"));
            return;
        }
    }
}

fn cypher<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !given(run, "cypher-shell", parsed.operands.iter().cloned()) {
        from_input(run, "cypher-shell");
    }
    parsed.values("f", "file").for_each(|file| run.read(&file));
}

fn influx<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // Older versions spell long options with one dash.
    let words = run.arguments();
    let behind = words.iter().zip(words.iter().skip(1)).filter(|(option, _)| option.text == "-execute");
    let queried = parsed.operands.iter().skip_while(|word| word.text != "query").skip(1).cloned();
    let values = parsed.values("", "execute").chain(behind.map(|(_, value)| Operand::of(value))).chain(queried);
    let is_shell = parsed.operands.first().is_none_or(|_| parsed.operands.iter().any(|word| word.text == "shell"));
    if !given(run, "influx", values) && is_shell {
        from_input(run, "influx");
    }
}

fn dump<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("f", "file").for_each(|file| run.write(&file));
}

fn restore<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|file| run.read(file));
    if parsed.has("c", "clean") {
        let to = parsed.value("d", "dbname");
        let draft = Draft::destructive("database", "sql.restore-clean").target(to.as_ref().map_or("", |to| &to.text));
        run.emit(draft.tag("client", "pg_restore"));
    }
}
