//! Files that a program reads first because of a variable or an option.

use std::borrow::Cow;

use guard_sdk::syntax::{Assignment, Redirection, Word};

use super::Walker;
use super::readers::reader;
use super::started::{PACKAGERS, Started, values};
use crate::word::expand::{Values as _, literal};
use crate::wrappers::layer::program;
use crate::wrappers::shells;

/// Variables that make a program read a file, or find one.
pub(super) const STARTS: &[&str] =
    &["PATH", "NODE_OPTIONS", "RUBYOPT", "PERL5OPT", "PSQLRC", "PYTHONSTARTUP", "BASH_ENV", "ENV"];

/// Programs that start Ruby.
const RUBIES: &[&str] = &["ruby", "rake", "bundle", "rails", "rspec", "irb", "gem", "jekyll"];

impl Walker {
    /// Returns the file whose lines `parallel` runs: an argument file without a command, or the input.
    pub(super) fn lines_of_parallel(&mut self, argv: &[Word], redirections: &[Redirection]) -> Option<Started> {
        let words = argv.get(1..)?;
        let of_input = || {
            let input = redirections.iter().rev().find(|read| read.fd == 0 && read.operator == "<");
            input.map(|read| read.target.clone())
        };
        let behind = |mark: &str| {
            let at = words.iter().position(|word| word.text == mark)?;
            Some((words.get(at + 1)?.clone(), at))
        };
        let (file, at) = behind("::::")
            .or_else(|| behind("-a"))
            .or_else(|| behind("--arg-file"))
            .or_else(|| of_input().map(|file| (file, words.len())))?;
        let is_bare = words.get(..at)?.iter().all(|word| word.text.starts_with('-')) && words.len() <= at + 2;
        let (name, content) = is_bare.then(|| self.running_file(&file))??;
        Some(Started { name, argv: Vec::new(), content, sure: true, is_given: false, folder: None })
    }

    /// Returns the files that a program reads first because of a variable or an option.
    pub(super) fn set_up_by(&mut self, argv: &[Word], assignments: &[Assignment]) -> Vec<Started> {
        let Some((name, words)) = program(argv).zip(argv.get(1..)) else { return Vec::new() };
        let value = |variable: &str| {
            let own = assignments.iter().find(|assignment| assignment.name == variable);
            own.map(|own| own.value.clone()).or_else(|| self.shell.value(variable).map(Cow::into_owned))
        };
        // The values of these options in a variable's words.
        let set = |variable: &str, options: &[&str]| {
            let text = value(variable).map(|word| word.text).unwrap_or_default();
            let set: Vec<Word> = text.split_whitespace().map(literal).collect();
            options.iter().flat_map(|option| values(&set, option)).collect::<Vec<Word>>()
        };
        let mut files: Vec<(Word, &str)> = Vec::new();
        let mut add =
            |found: Vec<Word>, reader: &'static str| files.extend(found.into_iter().map(|file| (file, reader)));
        // Every program that starts `node` makes it read them.
        add(set("NODE_OPTIONS", &["-r", "--require", "--import"]), "node");
        if shells::is_shell(name) {
            add(["BASH_ENV", "ENV"].iter().filter_map(|variable| value(variable)).collect(), "");
            add(["--rcfile", "--init-file"].iter().flat_map(|option| values(words, option)).collect(), "");
        } else if name.starts_with("python") {
            add(value("PYTHONSTARTUP").into_iter().collect(), "python3");
        } else if RUBIES.contains(&name) {
            add(set("RUBYOPT", &["-r"]), "ruby");
        } else if name == "perl" {
            let folders = set("PERL5OPT", &["-I"]);
            let folders = folders.iter().map(|folder| folder.text.as_str()).chain([".", "lib"]);
            let folders: Vec<String> = folders.map(str::to_owned).collect();
            let modules = set("PERL5OPT", &["-M", "-m"]);
            let modules =
                modules.iter().map(|module| module.text.split('=').next().unwrap_or_default().replace("::", "/"));
            let of = |module: String| {
                folders.iter().map(move |folder| literal(&format!("{folder}/{module}.pm"))).collect::<Vec<_>>()
            };
            add(modules.flat_map(of).collect(), "perl");
        } else if name == "php" {
            let set = words.iter().filter_map(|word| word.text.split_once("pend_file=")).map(|(_, file)| literal(file));
            add(set.collect(), "php");
        } else if name == "psql" {
            add(value("PSQLRC").into_iter().collect(), "psql");
        } else if matches!(name, "make" | "gmake") {
            add(words.iter().filter_map(|word| word.text.strip_prefix("SHELL=")).map(literal).collect(), "");
        } else if PACKAGERS.contains(&name) {
            add(values(words, "--script-shell"), "");
        }
        let mut started = Vec::new();
        for (file, program) in files {
            let Some((name, content)) = self.running_file(&file) else { continue };
            let argv = match program {
                "" => Vec::new(),
                // A database client reads its input by default.
                "psql" => vec!["psql".to_owned()],
                program => reader(program),
            };
            started.push(Started { name, argv, content, sure: true, is_given: true, folder: None });
        }
        started
    }
}
