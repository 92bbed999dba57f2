//! The first screen of the help: common commands in groups, and the names of the others.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Cli;

/// The template of the first screen. `{before-help}` is the list of commands.
pub(super) const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}";

/// The groups of commands on the first screen.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Use",
        &["install", "uninstall", "doctor", "check", "explain", "allow", "confirm", "pause", "undo", "audit", "config"],
    ),
    ("Write policies", &["new", "test", "replay", "policy"]),
    ("Work as a team", &["ci", "trust"]),
    ("Administer", &["serve", "sync", "self"]),
];

/// Returns the command line with the commands in groups.
pub(in crate::cli) fn command() -> Command {
    let command = Cli::command();
    let list = list(&command);
    command.before_help(list)
}

fn list(command: &Command) -> String {
    let mut list = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(list, "{group}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {name:<10} {about}");
        }
        list.push('\n');
    }
    let _ = write!(list, "Also: {}", ungrouped_commands(command).join(", "));
    list
}

/// Returns the commands that aren't in a group.
fn ungrouped_commands(command: &Command) -> Vec<&str> {
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let mut names: Vec<&str> = shown.map(Command::get_name).filter(|name| !is_grouped(name)).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_in_a_group_is_a_command_and_the_list_is_short() {
        let command = Cli::command();
        let names: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert!(names.iter().all(|name| command.find_subcommand(name).is_some()), "{names:?}");
        assert!(names.len() <= 20, "{}", names.len());
        assert!(list(&command).lines().all(|line| line.len() <= 100));
    }
}
