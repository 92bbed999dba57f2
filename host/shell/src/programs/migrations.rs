//! Frameworks and migration tools: the subcommands that empty, drop or roll back a whole database.

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["rails", "rake", "artisan", "mix"], Options::NONE, task),
    Program::new(&["django-admin", "manage.py"], Options::new("", &["settings", "database", "pythonpath"]), manage),
    Program::new(&["flask"], Options::new("Ae", &["app", "env-file"]), tool),
    Program::new(
        &["prisma", "sequelize", "sequelize-cli", "knex", "typeorm", "drizzle-kit", "supabase", "alembic", "dbmate"],
        OPTIONS,
        tool,
    ),
    Program::new(&["flyway", "liquibase", "migrate", "goose", "atlas", "diesel", "sqlx", "sea-orm-cli"], OPTIONS, tool),
    Program::new(&["mongorestore"], Options::new("dcuph", &["db", "collection", "uri", "dir", "host"]), mongorestore),
    Program::new(&["etcdctl"], Options::new("", &["endpoints", "cacert", "cert", "key", "user"]), etcd),
    Program::new(&["pg_resetwal", "pg_resetxlog"], Options::new("celmoxO", &[]), write_ahead_log),
    Program::new(&["wrangler"], Options::new("", &["command", "file", "env", "name"]), wrangler),
];

const OPTIONS: Options = Options::new(
    "deucx",
    &["url", "db-url", "config", "schema", "migrations-dir", "env", "datasource", "database", "path", "source", "dir"],
);

fn loses(run: &mut Run<'_>, verb: &str) {
    let client = run.name.clone();
    let draft = Draft::catastrophic("database", "database.reset").tag("client", &client);
    run.emit(draft.tag("verb", verb));
}

/// Tasks of the form `db:drop`, `migrate:fresh`, `ecto.reset`.
fn task<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for task in &parsed.operands {
        if is_losing_task(&task.text) {
            loses(run, &task.text);
        }
    }
    if parsed.text(0) == "hex.publish" {
        run.emit(Draft::notable("package", "package.publish").tag("manager", "mix"));
    }
}

fn is_losing_task(task: &str) -> bool {
    let (family, verb) = match task.split_once([':', '.']) {
        Some(split) => split,
        None => return false,
    };
    let verb = verb.rsplit_once(':').filter(|(_, last)| *last == "all").map_or(verb, |(verb, _)| verb);
    let is_database = matches!(family, "db" | "migrate" | "ecto" | "schema" | "database" | "doctrine");
    let loses = ["drop", "reset", "wipe", "fresh", "purge", "truncate", "truncate_all", "setup:reset", "refresh"];
    let verb = verb.strip_prefix("migrate:").or_else(|| verb.strip_prefix("database:")).unwrap_or(verb);
    is_database && (loses.contains(&verb) || verb.ends_with("undo"))
}

/// `manage.py flush`, `manage.py migrate app zero`.
fn manage<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    django(run, &parsed.operands);
}

pub(super) fn django(run: &mut Run<'_>, words: &[Operand<'_>]) {
    let verb = words.first().map_or("", |verb| verb.text.as_ref());
    let rolls_back = verb == "migrate" && words.last().is_some_and(|last| last.text == "zero");
    if matches!(verb, "flush" | "reset_db" | "sqlflush") || rolls_back {
        loses(run, verb);
    }
}

/// A script of a framework that an interpreter is given: `python manage.py flush`, `php artisan migrate:fresh`.
pub(super) fn of_script<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.text(0).rsplit('/').next().unwrap_or_default() {
        "manage.py" => django(run, parsed.from(1)),
        "artisan" | "rails" | "rake" => {
            let tasks = parsed.from(1).iter().filter(|task| is_losing_task(&task.text));
            tasks.for_each(|task| loses(run, &task.text));
        }
        _ => {}
    }
}

fn tool<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let words: Vec<&str> = parsed.operands.iter().take(3).map(|operand| operand.text.as_ref()).collect();
    let verb = match words.as_slice() {
        [task, ..] if is_losing_task(task) => *task,
        ["migrate", "reset", ..] | ["db", "push" | "drop" | "reset", ..] | ["database", "reset" | "drop", ..] => {
            "reset"
        }
        ["schema:drop", ..] | ["schema", "clean" | "drop", ..] => "drop",
        ["downgrade", "base", ..] | ["db", "downgrade", "base"] => "downgrade",
        ["clean" | "drop" | "drop-all" | "dropAll" | "reset" | "fresh", ..] => "drop",
        words if run.name == "migrate" && words.contains(&"drop") => "drop",
        ["migrate:rollback", ..] if parsed.is("", "all") => "rollback",
        ["migrate", "fresh" | "refresh", ..] => "fresh",
        _ => return,
    };
    // `prisma db push` only loses data when it is told to.
    let keeps = words.as_slice().starts_with(&["db", "push"])
        && !parsed.is("", "force-reset")
        && !parsed.is("", "accept-data-loss");
    if !keeps {
        let verb = verb.to_owned();
        loses(run, &verb);
    }
}

fn mongorestore<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("", "drop") && !parsed.is("", "dryRun") {
        loses(run, "drop");
    }
}

fn etcd<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match (parsed.text(0), parsed.text(1)) {
        ("del", key) => {
            let draft = Draft::destructive("database", "etcd.delete").target(key);
            run.emit(draft.flag("prefix", parsed.is("", "prefix")).flag("from-key", parsed.is("", "from-key")));
        }
        ("snapshot", "restore") => loses(run, "restore"),
        _ => {}
    }
}

fn wrangler<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match (parsed.text(0), parsed.text(1)) {
        ("d1", "execute") => {
            for text in parsed.values("", "command") {
                crate::sql::script(run, "wrangler", &text.text, !text.dynamic);
            }
        }
        ("d1" | "kv" | "r2" | "queues", "delete") | ("delete", _) => {
            run.emit(Draft::destructive("cloud", "cloud.delete").target(parsed.text(2)).tag("client", "wrangler"));
        }
        _ => {}
    }
}

fn write_ahead_log<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let is_dry = parsed.is("", "dry-run") && !parsed.is("", "no-dry-run");
    if !is_dry && !parsed.is("nV", "") {
        loses(run, "reset");
    }
}
