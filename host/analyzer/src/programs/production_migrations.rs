//! Migrations that run in production, according to a command's variables or options.

use guard_sdk::syntax::Command;

use crate::draft::Draft;
use crate::run::Run;
use crate::run::production::is_production;

/// Programs that run migrations, directly or through a script.
const TOOLS: &[&str] = &[
    "alembic",
    "artisan",
    "console",
    "db-migrate",
    "dbt",
    "hasura",
    "dbmate",
    "diesel",
    "django-admin",
    "drizzle-kit",
    "flask",
    "flyway",
    "goose",
    "knex",
    "liquibase",
    "manage.py",
    "migrate",
    "mix",
    "phinx",
    "prisma",
    "rails",
    "rake",
    "sequelize",
    "sequelize-cli",
    "sqlx",
    "typeorm",
];

/// Verbs that change the schema, as a whole word or as the last part of a name: `db:migrate`.
const VERBS: &[&str] =
    &["migrate", "upgrade", "up", "latest", "deploy", "run", "apply", "push", "build", "rollback", "downgrade"];

/// Variables and options that set the environment.
const VARIABLES: &[&str] = &["ENV", "ENVIRONMENT", "DJANGO_SETTINGS_MODULE", "STAGE", "DATABASE_URL", "DB_URL"];
const OPTIONS: &[&str] = &[
    "--env",
    "--environment",
    "-e",
    "-n",
    "--name",
    "--settings",
    "--url",
    "--database-url",
    "--config",
    "--connection",
    "--endpoint",
    "--target",
    "-t",
];

/// The maximum number of commands that are searched for one that sets a variable.
const MOST: usize = 64;

/// Adds the effect of a migration that runs in production.
pub(super) fn find(run: &mut Run<'_>) {
    if migrates(run.command) && (names_production(run.command) || is_set_before(run)) {
        let draft = Draft::destructive("database", "database.migrate.deploy").tag("environment", "production");
        let draft = draft.tag("loses", "nothing yet: the migrations change the schema that production runs on");
        run.emit(draft.tag("instead", "have the user run them, or run them against a copy first"));
    }
}

/// Returns whether the command is a tool that runs migrations.
fn migrates(command: &Command) -> bool {
    let words = || command.argv.iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
    let is_tool = |word: &str| TOOLS.contains(&word.rsplit('/').next().unwrap_or(word));
    let tool = words().take(3).position(is_tool);
    tool.is_some_and(|at| {
        let rest: Vec<&str> = words().skip(at).collect();
        let names = |word: &&str| word.contains("migrat") || *word == "db" || word.starts_with("db:");
        let acts = |word: &&str| VERBS.contains(&word.rsplit([':', '.']).next().unwrap_or(word));
        let is_read = |word: &&str| word.contains("status") || word.ends_with("make:migration");
        let single =
            matches!(rest.first().copied(), Some("alembic" | "dbt" | "dbmate" | "flyway" | "goose" | "liquibase"));
        (single || rest.iter().any(names)) && rest.iter().skip(1).any(acts) && !rest.iter().any(is_read)
    })
}

fn is_variable(name: &str) -> bool {
    name.ends_with("_ENV") || VARIABLES.contains(&name)
}

/// Returns whether the command's own words and variables name production.
fn names_production(command: &Command) -> bool {
    let set = command.assignments.iter().any(|set| is_variable(&set.name) && is_production(&set.value.text));
    let mut before = "";
    let given = command.argv.iter().skip(1).any(|word| {
        let (name, value) = word.text.split_once('=').unwrap_or((before, &word.text));
        let is_option = OPTIONS.contains(&name) || is_variable(name) || name == "-environment";
        before = &word.text;
        is_option && is_production(value)
    });
    set || given
}

/// Returns whether an earlier command sets such a variable for later ones.
fn is_set_before(run: &Run<'_>) -> bool {
    let place = usize::try_from(run.command.id).map_or(0, |id| id.saturating_sub(1));
    let before = run.commands.get(..place).unwrap_or_default().iter().rev().take(MOST);
    before.into_iter().any(|command| {
        let exports = command.program() == "export"
            && command.argv.iter().skip(1).any(|word| {
                word.text.split_once('=').is_some_and(|(name, value)| is_variable(name) && is_production(value))
            });
        exports || command.argv.is_empty() && names_production(command)
    })
}
