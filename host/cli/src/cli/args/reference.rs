//! Generates `docs/reference.md`: every command with its arguments and options, from the clap types.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

use super::Cli;

const START: &str = "\
# Command reference

Look up every command, argument and option of `guard-host`, as `--help` prints them.
[The overview](commands.md) groups the commands by task, and explains the exit codes.

<!-- Written by `UPDATE_PAGES=1 cargo test --release -p guard-host --lib reference`. -->
";

const UPDATE: &str = "UPDATE_PAGES=1 cargo test --release -p guard-host --lib reference";

#[test]
fn the_page_of_the_reference_says_what_the_help_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let mut command = Cli::command();
    command.build();
    let mut page = START.to_owned();
    page.push_str("\n## Global options\n\nEvery command accepts these options.\n\n");
    command.get_arguments().filter(|argument| argument.is_global_set()).for_each(|argument| item(argument, &mut page));
    command.get_subcommands_mut().for_each(|command| section(command, 2, &mut page));
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{} differs from the help; run `{UPDATE}`", path.display());
}

/// Returns the section of one command, and those of the commands below it.
fn section(command: &mut Command, level: usize, page: &mut String) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace("\n       ", "\n");
    let name = command.get_bin_name().unwrap_or_default();
    writeln!(page, "\n{} {name}\n\n```text\n{usage}\n```", "#".repeat(level)).unwrap();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    prose(&about, page);
    let own = |argument: &&Arg| {
        !argument.is_global_set() && !argument.is_hide_set() && !matches!(argument.get_long(), Some("help" | "version"))
    };
    let mut arguments = command.get_arguments().filter(own).peekable();
    if arguments.peek().is_some() {
        page.push('\n');
    }
    arguments.for_each(|argument| item(argument, page));
    prose(&command.get_after_help().map(ToString::to_string).unwrap_or_default(), page);
    command.get_subcommands_mut().for_each(|command| section(command, level + 1, page));
}

/// Formats a list item: an argument or option, with its values.
fn item(argument: &Arg, page: &mut String) {
    let value = match argument.get_value_names() {
        Some([name, ..]) if argument.get_action().takes_values() => name.to_string(),
        _ => String::new(),
    };
    let mut name = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("`-{short}`, `--{long} {value}`"),
        (None, Some(long)) => format!("`--{long} {value}`"),
        _ => format!("`{value}`"),
    };
    name = name.replace(" `", "`").replace(",`", ", `");
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut help = help.replace("\n\n", ". ").replace('\n', " ");
    let has_default = argument.get_action().takes_values() && !argument.is_hide_default_value_set();
    if let Some(default) = argument.get_default_values().first().filter(|_| has_default) {
        write!(help, " [default: {}]", default.to_string_lossy()).unwrap();
    }
    writeln!(page, "- {name}: {help}").unwrap();
    for value in argument.get_possible_values().iter().filter(|_| !argument.is_hide_possible_values_set()) {
        let Some(help) = value.get_help().filter(|_| argument.get_action().takes_values()) else { continue };
        writeln!(page, "  - `{}`: {help}", value.get_name()).unwrap();
    }
}

/// Formats a help text: indented lines are a code block, and prose has one sentence on each line.
fn prose(text: &str, page: &mut String) {
    let is_block = |line: &&str| line.starts_with("  ");
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let lines: Vec<&str> = paragraph.lines().collect();
        for chunk in lines.chunk_by(|one, other| is_block(one) == is_block(other)) {
            let text = if chunk.first().is_some_and(is_block) {
                let lines: Vec<&str> = chunk.iter().map(|line| line.get(2..).unwrap_or_default()).collect();
                format!("```text\n{}\n```", lines.join("\n"))
            } else {
                chunk.join(" ").replace(". ", ".\n")
            };
            writeln!(page, "\n{text}").unwrap();
        }
    }
}
