//! The table of programs: the effects of each one, by its name and arguments.
//!
//! Most programs are data: a file in `programs/` at the top of this crate, whose README explains how to add one.
//! Programs that a table can't express are in a family here: their names, the options with a value, and a small
//! function that adds the effects. A program in neither is unknown, and only its verb can indicate that it publishes or
//! loses something.

mod archive;
mod cloud;
mod config_editors;
mod consoles;
pub(crate) mod container;
mod database;
mod debug_ports;
mod disk;
mod editors;
mod environment;
pub(crate) mod fetch;
mod files;
pub(crate) mod find;
mod formatters;
mod git;
pub(crate) mod interpreters;
mod machine;
mod installs;
mod migrations;
pub(crate) mod named_tasks;
mod new_folders;
mod new_migrations;
mod opened_access;
mod outputs;
mod outward_verbs;
mod plain;
mod plists;
mod process;
pub(crate) mod program;
mod production_migrations;
mod publish;
mod readers;
mod scripts;
pub(crate) mod secrets;
mod secret_verbs;
mod sockets;
pub(crate) mod placeholder_operands;
mod system;
mod table;
pub(crate) mod temporary;
pub(crate) mod text;
mod trees;
mod unknown_losses;
mod uploads;

use crate::by_name;
use crate::run::Run;
pub(crate) use database::remote_host::is_remote as is_remote_host;
pub(crate) use process::is_runtime;
use program::{Program, unversioned};

/// All families.
const FAMILIES: &[&[Program]] = &[
    files::TABLE,
    readers::TABLE,
    text::TABLE,
    git::TABLE,
    find::TABLE,
    interpreters::TABLE,
    fetch::TABLE,
    archive::TABLE,
    database::TABLE,
    system::TABLE,
    sockets::TABLE,
    process::TABLE,
    disk::TABLE,
    editors::TABLE,
    temporary::TABLE,
    plists::TABLE,
];

/// The programs by name.
static BY_NAME: [(u64, &Program); named::<0>().1] = by_name::sorted(named().0);

/// Returns the programs of the first `N` names, and the number of names.
#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
const fn named<const N: usize>() -> ([(u64, &'static Program); N], usize) {
    let mut first = [(0, &FAMILIES[0][0]); N];
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut program = 0;
        while program < FAMILIES[family].len() {
            let names = FAMILIES[family][program].names;
            let mut name = 0;
            while name < names.len() {
                if count < N {
                    first[count] = (by_name::key(names[name]), &FAMILIES[family][program]);
                }
                (count, name) = (count + 1, name + 1);
            }
            program += 1;
        }
        family += 1;
    }
    (first, count)
}

/// Adds the effects of the command's program.
pub(crate) fn find(run: &mut Run<'_>) {
    if run.name.is_empty() || run.command.argv.first().is_some_and(|word| word.dynamic) {
        return;
    }
    if files::has_switches(run) {
        return;
    }
    machine::find(run);
    debug_ports::find(run);
    installs::find(run);
    trees::find(run);
    container::definitions::find(run);
    outputs::find(run);
    formatters::find(run);
    new_folders::find(run);
    new_migrations::find(run);
    config_editors::find(run);
    named_tasks::find(run);
    production_migrations::find(run);
    let before = run.count();
    scripts::bare_sql(run);
    secrets::find(run);
    let called = run.name.clone();
    consoles::find(run, &called, run.arguments());
    let spoken = run.count() > before;
    let name = run.name.strip_suffix(".exe").unwrap_or(&run.name).to_owned();
    // A package runner accepts a version after the name: `npx tool@latest`.
    let name = name.split_once('@').map_or(name.as_str(), |(package, _)| package).to_owned();
    let is_known = act(run, &name) || act(run, unversioned(&name));
    if !is_known && !spoken {
        plain::note_unknown(run);
    }
    let is_described = lookup(&name).is_some() || lookup(unversioned(&name)).is_some();
    if !spoken && !is_described {
        unknown_losses::sql(run);
    }
}

/// Adds the command's effects as the program `name`. Returns false if there is no such program.
fn act(run: &mut Run<'_>, name: &str) -> bool {
    let Some(program) = lookup(name) else {
        let before = run.count();
        let known = table::find(run, name, run.arguments());
        if known && run.count() == before {
            opened_access::find(run);
        }
        if known && name != "aws" {
            uploads::find(run, run.arguments());
        }
        if matches!(name, "kubectl" | "oc") {
            uploads::into_pod(run, run.arguments());
        }
        if known {
            uploads::forms(run, run.arguments());
        }
        return known;
    };
    let mut parsed = run.parse(run.arguments(), program.options);
    placeholder_operands::fill(run, &mut parsed);
    (program.act)(run, &parsed);
    table::find(run, name, run.arguments());
    true
}

fn lookup(name: &str) -> Option<&'static Program> {
    let name = if name.starts_with("mkfs.") || name.starts_with("newfs_") { "mkfs" } else { name };
    by_name::candidates(&BY_NAME, name).find(|program| program.names.contains(&name))
}

/// Returns whether the effects of the program with this lowercase name are known.
pub(crate) fn is_known(name: &str) -> bool {
    lookup(name).is_some() || table::entry(name).is_some()
}

/// Returns the names of all programs with known effects.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().flat_map(|program| program.names.iter().copied()).chain(table::names())
}

/// Returns whether it is a git subcommand that loses, publishes or writes something.
pub(crate) fn is_verb_of_git(name: &str) -> bool {
    git::is_verb(name)
}

/// Returns whether the program is known to have no relevant effects.
pub(crate) fn is_plain(name: &str) -> bool {
    plain::is_plain(name)
}

#[cfg(test)]
mod tests {
    use super::FAMILIES;

    #[test]
    fn every_name_stands_in_the_table_once_and_in_lower_case() {
        let mut names: Vec<_> = FAMILIES.iter().copied().flatten().flat_map(|program| program.names).collect();
        names.sort();
        assert!(names.iter().all(|name| super::lookup(name).is_some_and(|program| program.names.contains(name))));
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        assert!(names.iter().all(|name| **name == name.to_ascii_lowercase()));
        assert!(
            names.iter().all(|name| super::table::entry(name).is_none_or(|entry| entry.beside)),
            "a name stands in programs/, too"
        );
    }
}
