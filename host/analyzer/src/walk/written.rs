//! Code that a text writes and then runs: code in a file, rules for `make`, package scripts, a copy of a program.
//!
//! Shell that is written and run is followed in [`super::plain`], because it may run in the current shell.

use guard_sdk::syntax::{Command, Redirection, Span, Via, Word};

use super::content::Content;
use super::layers::Pending;
use super::output::Input;
use super::plain::NOT_KNOWN;
use super::readers::is_foreign;
use super::running::RunArguments;
use super::started::{PACKAGERS, Started};
use super::{Place, Walker};
use crate::limits;
use crate::word::expand::literal;

/// The default files of `make`. The first existing one is used.
pub(super) const MAKE: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// The default files of `just`.
pub(super) const JUST: &[&str] = &["justfile", "Justfile", ".justfile"];

impl Walker {
    /// Records the scripts that a command sets in a package manifest.
    pub(super) fn keep_settings(&mut self, command: &Command) {
        if !PACKAGERS.contains(&command.program()) {
            return;
        }
        let words = command.argv.get(1..).unwrap_or_default();
        let operands: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
        match operands.as_slice() {
            [pkg, set, settings @ ..] if pkg.text == "pkg" && set.text == "set" => {
                for setting in settings {
                    let Some((name, text)) = setting.text.split_once('=') else { continue };
                    let Some(script) = name.strip_prefix("scripts.") else { continue };
                    self.files.insert(&format!("{SCRIPT}{script}"), Content::known(literal(text)));
                }
            }
            [set, script, text] if set.text == "set-script" => {
                self.files.insert(&format!("{SCRIPT}{}", script.text), Content::known(literal(&text.text)));
            }
            _ => {}
        }
    }

    /// Replaces a copy of or link to a program with the program. Returns whether it did.
    pub(super) fn name_is_copied(&self, argv: &mut [Word]) -> bool {
        let Some(first) = argv.first_mut().filter(|_| !self.files.copies.is_empty()) else { return false };
        let known = if first.text.contains('/') {
            let own = self.place_of(first).and_then(|path| self.files.copies.get(&path));
            own.or_else(|| self.files.copies.get(&self.path_of(first)?))
        } else {
            self.files.copies.iter().find(|(path, _)| self.is_found(path, &first.text)).map(|(_, name)| name)
        };
        let Some(known) = known else { return false };
        *first = literal(known);
        true
    }

    /// Runs the code that a command reads from files.
    pub(super) fn run_written(&mut self, command: &Command, input: &Input, place: Place<'_>) {
        if self.deferred.defining {
            return;
        }
        let is_steered = command.assignments.iter().any(|set| steers_tasks(&set.name));
        for mut started in self.started(command, input) {
            started.sure &= !is_steered;
            let is_set = !command.assignments.is_empty();
            self.run_started(started, (command.id, command.span), is_set, place);
        }
    }

    pub(super) fn run_started(&mut self, started: Started, (id, span): (u32, Span), is_set: bool, place: Place<'_>) {
        let Started { name, argv, content, sure, is_given, folder } = started;
        if self.scope.expanding.contains(&name) {
            return;
        }
        if !content.complete {
            self.partial(NOT_KNOWN);
        }
        if self.budget.calls_left == 0 || self.scope.expanding.len() >= limits::CALL_DEPTH {
            return self.partial("too many files run to follow all of them");
        }
        self.budget.calls_left -= 1;
        let certain = self.scope.certain;
        // The rules or package scripts that run may differ from the known ones.
        self.scope.certain &= sure && !self.shell.names().iter().any(|name| steers_tasks(name));
        let outside = folder.map(|folder| std::mem::replace(&mut self.shell.cwd, folder));
        let parent = std::mem::replace(&mut self.scope.parent, id);
        let path = name.split_once(GOAL).map_or(name.as_str(), |(path, _)| path);
        // A file in another language may use its arguments anywhere.
        let is_set = is_set || !self.shell.names().is_empty();
        let given = RunArguments { everywhere: is_given || is_set || self.files.stirred, ..RunArguments::default() };
        let outer = self.enter_file(path, &content, given);
        if let Some(program) = argv.first() {
            self.note_use_of_arguments(id, program, &content);
        }
        self.scope.via.push(Via { kind: "script".to_owned(), detail: path.to_owned() });
        let word = with_own_path(content.text, argv.first(), path);
        self.scope.expanding.push(name);
        let shell = argv.first().filter(|name| is_foreign(name)).map_or("", String::as_str);
        let is_plain = argv.is_empty();
        if is_plain || !shell.is_empty() {
            let shell = if is_plain { "sh" } else { shell };
            self.apart(|walker| {
                walker.shell.enter_process();
                walker.as_process(&word.text, |walker| walker.run_text_of(shell, &word, span));
            });
        } else {
            let target = Redirection {
                fd: 0,
                operator: "<<<".to_owned(),
                target: word,
                body: String::new(),
                body_quoted: false,
            };
            let pending = Pending {
                argv: argv.iter().map(|word| literal(word)).collect(),
                assignments: Vec::new(),
                redirections: vec![target],
                span,
                certain: true,
                input: Input::Outer,
                children: None,
                level: 0,
            };
            self.dispatch(pending, place);
        }
        self.scope.expanding.pop();
        self.scope.via.pop();
        (self.scope.file, self.scope.spot) = outer;
        self.scope.parent = parent;
        self.scope.certain = certain;
        if let Some(outside) = outside {
            self.shell.cwd = outside;
        }
    }
}

/// Names in code for its own file, or for the folder of the file.
const OWN_PATHS: &[(&str, bool)] = &[
    ("import.meta.dirname", true),
    ("import.meta.filename", false),
    ("__dirname", true),
    ("__filename", false),
    ("__file__", false),
    ("__FILE__", false),
    ("__DIR__", true),
    ("__dir__", true),
];

/// Puts the path of a code file in the place of the names for it.
fn with_own_path(mut code: Word, program: Option<&String>, path: &str) -> Word {
    if program.is_none() || !path.starts_with('/') || path.contains(['"', '\\', '$', '#', '\n']) {
        return code;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (name, is_folder) in OWN_PATHS.iter().filter(|(name, _)| code.text.contains(name)).collect::<Vec<_>>() {
        let value = if *is_folder { folder } else { path };
        code = literal(&replaced(&code.text, name, &format!("\"{value}\"")));
    }
    if code.text.contains("import.meta.url") {
        code = literal(&replaced(&code.text, "import.meta.url", &format!("\"file://{path}\"")));
    }
    code
}

/// Replaces a name that stands alone, outside of a longer name.
fn replaced(code: &str, name: &str, value: &str) -> String {
    let mut result = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let after = found.get(name.len()..).unwrap_or_default();
        let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '"' | '\'' | '.');
        let is_name = !before.ends_with(is_part) && !after.starts_with(|char: char| is_part(char) && char != '.');
        result.push_str(before);
        result.push_str(if is_name { value } else { name });
        rest = after;
    }
    result.push_str(rest);
    result
}

/// Returns whether a variable adds options to a task runner.
fn steers_tasks(name: &str) -> bool {
    const VARIABLES: &[&str] = &["GNUMAKEFLAGS", "MAKEFILES", "MAKEFLAGS"];
    let is_setting = |prefix: &str| {
        name.len() > prefix.len() && name.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix))
    };
    VARIABLES.contains(&name) || is_setting("npm_config_") || is_setting("just_")
}

/// The separator between a file's path and its goals.
pub(super) const GOAL: &str = "\n";

/// The prefix of package script names, among the files.
pub(super) const SCRIPT: &str = "script of the package: ";
