//! Programs that create a migration file: the folder to which they write it.
//!
//! All programs share one table and one parser.

use crate::options::{Operand, Options};
use crate::run::{Run, here};

/// The syntax with which a program creates migrations.
struct MigrationTool {
    names: &'static [&'static str],
    /// Verbs that create migrations, with their words separated by spaces. The operands must start with one of these.
    verbs: &'static [&'static str],
    options: Options,
    /// Options that set the folder.
    folder: &'static [&'static str],
    /// The folder if none is named. Empty: unknown.
    usual: &'static str,
}

const NONE: MigrationTool = MigrationTool { names: &[], verbs: &[], options: Options::NONE, folder: &[], usual: "" };

const MIGRATION_TOOLS: &[MigrationTool] = &[
    MigrationTool {
        names: &["knex"],
        verbs: &["migrate:make"],
        options: Options::new("x", "migrations-directory knexfile cwd env stub"),
        folder: &["migrations-directory"],
        usual: "migrations",
    },
    MigrationTool {
        names: &["sqlx", "cargo-sqlx"],
        verbs: &["migrate add", "mig add"],
        options: Options::new("D", "source database-url"),
        folder: &["source"],
        usual: "migrations",
    },
    MigrationTool {
        names: &["diesel"],
        verbs: &["migration generate"],
        options: Options::new("", "migration-dir config-file database-url version"),
        folder: &["migration-dir"],
        usual: "migrations",
    },
    MigrationTool {
        names: &["sea-orm-cli"],
        verbs: &["migrate generate"],
        options: Options::new("d", "migration-dir"),
        folder: &["d", "migration-dir"],
        usual: "migration",
    },
    MigrationTool {
        names: &["rails"],
        verbs: &["generate migration", "g migration", "generate model", "g model"],
        usual: "db/migrate",
        ..NONE
    },
    MigrationTool {
        names: &["dbmate"],
        verbs: &["new", "n"],
        options: Options::new("deus", "migrations-dir env url schema-file"),
        folder: &["d", "migrations-dir"],
        usual: "db/migrations",
    },
    MigrationTool {
        names: &["migrate", "goose"],
        verbs: &["create", "postgres create", "sqlite3 create", "mysql create"],
        options: Options { single: true, ..Options::new("", "dir path database source ext digits format") },
        folder: &["dir", "path"],
        ..NONE
    },
    MigrationTool {
        names: &["sequelize", "sequelize-cli"],
        verbs: &["migration:generate", "migration:create", "model:generate"],
        options: Options::new("", "migrations-path name config options-path url env"),
        folder: &["migrations-path"],
        usual: "migrations",
    },
    MigrationTool { names: &["supabase"], verbs: &["migration new"], usual: "supabase/migrations", ..NONE },
    MigrationTool {
        names: &["drizzle-kit"],
        verbs: &["generate"],
        options: Options::new("", "out schema config dialect name"),
        folder: &["out"],
        usual: "drizzle",
    },
    MigrationTool { names: &["phinx"], verbs: &["create"], usual: "db/migrations", ..NONE },
];

/// Adds a write of the folder in which the command creates a migration.
pub(super) fn find(run: &mut Run<'_>) {
    let name = run.name.clone();
    for maker in MIGRATION_TOOLS.iter().filter(|maker| maker.names.contains(&name.as_str())) {
        let parsed = run.parse(run.arguments(), maker.options);
        let makes = maker.verbs.iter().any(|verb| super::trees::leads(verb, &parsed).is_some());
        if !makes || ["help", "dry-run", "pretend"].iter().any(|name| parsed.is("", name)) {
            continue;
        }
        let start = here();
        let named = parsed.flag(maker.folder).and_then(|flag| flag.operand().cloned());
        let folder = named.unwrap_or_else(|| Operand::of(&start).renamed(maker.usual.to_owned()));
        if !folder.text.is_empty() {
            run.write_tree(&folder);
        }
        return;
    }
}
