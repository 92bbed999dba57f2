//! Help, and invalid command lines.

use std::io::Read;
use std::process::Stdio;

use crate::support::guests;
use crate::support::terminal::attended;
use crate::support::texts::Transcript;
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// The commands on the first screen.
const COMMANDS: [&str; 20] = [
    "install",
    "uninstall",
    "doctor",
    "check",
    "explain",
    "allow",
    "confirm",
    "pause",
    "undo",
    "audit",
    "config",
    "new",
    "test",
    "replay",
    "policy",
    "ci",
    "trust",
    "serve",
    "sync",
    "self",
];

/// The other commands, which the first screen only names.
const OTHERS: [&str; 8] = ["cache", "completions", "hook", "run", "sandbox", "session", "settings", "statusline"];

#[test]
fn the_help_of_each_command_shows_two_examples() {
    let world = World::new();
    let mut lines: Vec<Vec<&str>> = COMMANDS.iter().chain(&OTHERS).map(|command| vec![*command]).collect();
    lines.push(Vec::new());
    lines.extend(["show", "stats", "suggest", "watch", "report", "verify"].map(|command| vec!["audit", command]));
    lines.extend(["init", "schema"].map(|command| vec!["config", command]));
    lines.extend(["render", "init", "path", "args"].map(|command| vec!["settings", command]));
    lines.extend(
        ["list", "inspect", "add", "remove", "conformance", "rates", "bundle", "wit"]
            .map(|command| vec!["policy", command]),
    );
    lines.extend([vec!["sandbox", "new"], vec!["self", "version"], vec!["man"]]);
    for arguments in lines {
        let ended = world.run(&[arguments.as_slice(), &["--help"]].concat(), "");
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{arguments:?}");
        let examples = ended.stdout.split_once("Examples:\n").map(|(_, after)| after).unwrap_or_default();
        let examples = examples.lines().take_while(|line| line.starts_with("  "));
        assert!(examples.filter(|line| line.contains("guard-host ")).count() >= 2, "{arguments:?}: {}", ended.stdout);
    }
}

#[test]
fn the_help_names_every_command_and_the_exit_codes() {
    let text = World::new().run(&["--help"], "").stdout;
    for command in COMMANDS {
        assert!(text.contains(&format!("\n  {command} ")), "{command}: {text}");
    }
    assert!(text.contains(&format!("\nAlso: {}\n", OTHERS.join(", "))), "{text}");
    assert!(text.contains("64") && text.lines().count() <= 50, "{text}");
}

#[test]
fn the_version_is_that_of_the_package() {
    let ended = World::new().run(&["--version"], "");
    assert_eq!((ended.exit, ended.stdout), (0, format!("guard-host {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn every_shell_gets_completions_that_name_every_command() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let ended = world.run(&["completions", shell], "");
        assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{shell}");
        for command in COMMANDS.iter().chain(&OTHERS) {
            assert!(ended.stdout.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_64() {
    let world = World::new();
    let lines: [&[&str]; 31] = [
        &[],
        &["no-such-command"],
        &["check"],
        &["check", "--batch", "ls"],
        &["check", "ls", "--format", "xml"],
        &["check", "ls", "--no-such-flag"],
        &["explain"],
        &["test"],
        &["test", "chain"],
        &["test", "chain", "x.toml", "--format", "xml"],
        &["test", "chain", "x.toml", "--threshold", "101"],
        &["policy"],
        &["policy", "inspect"],
        &["cache", "melt"],
        &["config"],
        &["--config"],
        &["settings"],
        &["settings", "render"],
        &["sandbox"],
        &["self"],
        &["self", "version", "--check"],
        &["man"],
        &["config", "schema", "--fixtures", "guard.toml"],
        &["session"],
        &["confirm", "x", "--code", "y"],
        &["confirm", "x", "--list"],
        &["audit"],
        &["audit", "show", "--since", "tomorrow"],
        &["audit", "show", "--action", "melt"],
        &["audit", "show", "--follow", "--last", "3"],
        &["cache", "clear", "--older-than", "x"],
    ];
    for arguments in lines {
        let ended = world.run(arguments, "");
        assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""), "{arguments:?}: {ended:?}");
        assert!(!ended.stderr.is_empty());
    }
}

#[test]
fn an_input_that_makes_no_sense_ends_with_65() {
    let world = World::new();
    let mut transcript = Transcript::default();
    for input in ["{oops", "[]", "\"x\"", "5", "", "null"] {
        transcript.add(&world, 65, &world.run(&["check", "--tool", "Write", input], ""));
    }
    assert_text!("usage_input", transcript.0);
}

#[test]
fn an_error_is_never_taken_for_a_verdict() {
    let world = World::new();
    world.write(".local/state/guard-host", "a file");
    for arguments in [&["cache", "verify"][..], &["policy", "inspect", "/dev/null"]] {
        let ended = world.run(arguments, "");
        assert!(ended.exit >= 64 && ended.exit != 101, "{arguments:?}: {ended:?}");
    }
    // Built-in policies need no folder. Without a policy that answers, the verdict is ask.
    assert_eq!(world.run(&["check", "ls"], "").exit, 0);
    guests::configure(&world, &["shell"], "");
    assert_eq!(world.run(&["check", "ls"], "").exit, 1);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let world = World::new();
    let lines: [&[&str]; 6] = [
        &["explain", "git push"],
        &["explain", "--format", "json", "git push"],
        &["policy", "list"],
        &["policy", "inspect", "command-guard"],
        &["config", "show"],
        &["config", "show", "--format", "json"],
    ];
    for arguments in lines {
        let mut command = world.command(arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_command_needs_no_quotes_until_it_has_options() {
    let world = World::new();
    assert_eq!(world.run(&["check", "git", "push", "origin", "topic"], "").exit, 1);
    assert_eq!(world.run(&["check", "echo", "a; rm -rf ~"], "").exit, 0);
    let ended = world.run(&["explain", "git", "push"], "");
    assert!(ended.exit == 0 && ended.stdout.contains("git-push"), "{ended:?}");
    let mut transcript = Transcript::default();
    for command in ["check", "explain"] {
        transcript.add(&world, 64, &world.run(&[command, "git", "push", "--force"], ""));
    }
    assert_text!("usage_quotes", transcript.0);
}

#[test]
fn completions_without_a_shell_list_the_shells() {
    let ended = World::new().run(&["completions"], "");
    assert!(ended.exit == 0 && ended.stdout.lines().any(|line| line == "fish"), "{ended:?}");
}

#[test]
fn the_former_name_of_a_command_works_and_says_the_present_one() {
    let world = World::new();
    for (old, new) in [
        (&["resume"][..], "pause --end"),
        (&["watch"], "audit watch"),
        (&["report", "--help"], "audit report"),
        (&["untrust"], "trust --remove"),
        (&["conformance", "--help"], "policy conformance"),
        (&["rates", "--help"], "policy rates"),
        (&["wit", "--help"], "policy wit"),
        (&["service", "build", "--help"], "policy bundle"),
    ] {
        let before = world.run(old, "");
        let hint = format!("hint: `guard-host {}` is now `guard-host {new}`\n", old[0]);
        assert!(before.stderr.starts_with(&hint), "{before:?}");
        let words: Vec<&str> = new.split(' ').chain(old.iter().copied().filter(|word| *word == "--help")).collect();
        let now = world.run(&words, "");
        assert_eq!((before.exit, before.stdout), (now.exit, now.stdout), "{new}");
    }
}

#[test]
fn quiet_prints_results_and_errors_only_and_verbose_the_files_that_are_read() {
    let world = World::new();
    let run = |arguments: &[&str]| world.run(arguments, "");
    let quiet = run(&["check", "ls", "-q"]);
    assert!(quiet.is_silent(), "{quiet:?}");
    assert_eq!(run(&["--quiet", "config", "init"]).stdout, "");
    assert!(run(&["-q", "check", "--tool", "Write", "{oops"]).stderr.starts_with("error: "));
    let plain = run(&["check", "ls"]);
    let verbose = run(&["check", "-v", "ls"]);
    assert_eq!((verbose.exit, &verbose.stdout), (plain.exit, &plain.stdout));
    let config = format!("config   {}\n", world.path(".config/guard-host/guard.toml").display());
    assert!(verbose.stderr.starts_with(&config) && plain.stderr.is_empty(), "{verbose:?}");
    assert_eq!(run(&["check", "-q", "-v", "ls"]).exit, 64);
}

#[test]
fn colors_are_printed_when_they_are_asked_for() {
    let world = World::new();
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = world.command(arguments);
        command.envs(variables.iter().copied());
        let ended = end(command, "");
        format!("{}{}", ended.stdout, ended.stderr).contains('\u{1b}')
    };
    for command in [&["check", "ls"][..], &["check", "--no-such-option"], &["--help"]] {
        let with = |when: &'static str| [&["--color", when], command].concat();
        assert!(!colored(command, &[]), "{command:?}");
        assert!(colored(&with("always"), &[("NO_COLOR", "1")]), "{command:?}");
        assert!(!colored(&with("never"), &[]), "{command:?}");
    }
    let at_terminal = |arguments: &[&str]| attended(&world, arguments).stdout.contains('\u{1b}');
    assert!(at_terminal(&["check", "ls"]) && !at_terminal(&["check", "ls", "--color=never"]));
}

#[test]
fn the_global_options_are_one_block_of_every_help() {
    let world = World::new();
    for command in [&["check"][..], &["test"], &["policy", "update"], &["audit", "show"]] {
        let help = world.run(&[command, &["-h"]].concat(), "").stdout;
        let (_, block) = help.split_once("Global options:\n").unwrap_or_else(|| panic!("{command:?}: {help}"));
        let block = block.split("\n\n").next().unwrap_or_default();
        let options = block.lines().filter(|line| line.trim_start().starts_with('-')).count();
        assert_eq!((options, block.matches("--color <WHEN>").count()), (6, 1), "{command:?}: {block}");
    }
}
