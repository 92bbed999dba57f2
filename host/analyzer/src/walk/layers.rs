//! Removes a command's wrappers one by one until the program that runs is found.

use std::collections::BTreeSet;

use guard_sdk::syntax::{Assignment, Command, Part, Position, Redirection, Span, Word};

use super::content::{Capture, Content};
use super::output::Input;
use super::shell::Shell;
use super::{Place, Unit, Walker};
use crate::limits;
use crate::powershell::Translate;
use crate::sources::{self, Source};
use crate::view::{Inside, host_path};
use crate::word::{Child, is_name};
use crate::wrappers;
use crate::wrappers::layer::{self, Layer, Run, Runnable};
use crate::wrappers::shells::is_shell;

/// The descriptor for a wrapper's own output file. Nothing else uses it, so pipes are unaffected.
const WRAPPER_OUTPUT: i32 = 3;

/// A command whose wrappers are being removed.
pub(super) struct Pending<'t> {
    pub(super) argv: Vec<Word>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) redirections: Vec<Redirection>,
    pub(super) span: Span,
    pub(super) certain: bool,
    pub(super) input: Input,
    /// Commands in expanded words. The first listed command takes them.
    pub(super) children: Option<(Unit<'t>, Vec<Child>)>,
    pub(super) level: usize,
}

impl Walker {
    /// Removes the wrappers from a command and lists the rest.
    pub(super) fn dispatch(&mut self, mut pending: Pending<'_>, place: Place<'_>) -> Input {
        if !self.files.copies.is_empty() {
            self.note_name(&pending.argv);
        }
        pending.certain &= !self.name_is_supposed(&mut pending.argv) && !self.name_is_copied(&mut pending.argv);
        self.note_name(&pending.argv);
        if let Some(input) = self.redirected(&pending.redirections, &pending.input) {
            self.note_unknown_input(&pending.argv, &pending.redirections);
            pending.input = input;
        }
        self.add_words(&mut pending.argv, &pending.assignments);
        self.add_listed(&mut pending.argv, &pending.input);
        self.keep_git_alias(&pending.argv);
        let (layer, written) = self.outermost_layer(&mut pending, place);
        let Some(Layer { outer, runs }) = layer else { return self.plain(pending, place) };
        self.run_before(&pending, place);
        let before = self.scope.parent;
        // Files that a wrapper writes in addition to the program's output.
        let files = wrappers::written_files(&pending.argv);
        // A recording of a program's output, as by `script`.
        files.iter().for_each(|file| self.keep_file(file, Content::unknown(), false));
        let files = files.into_iter();
        pending.redirections.extend(files.map(|target| Redirection {
            fd: WRAPPER_OUTPUT,
            operator: ">".to_owned(),
            target,
            body: String::new(),
            body_quoted: false,
        }));
        let texts = runs.iter().any(|run| matches!(run.what, Runnable::Text { .. }));
        let mut fed: Vec<Redirection> = Vec::new();
        let mut capture = None;
        let entry = (!pending.assignments.is_empty()).then(|| self.shell.clone());
        if outer.is_some() || texts {
            (fed, capture) = self.list_outer(outer, &mut pending, place);
            self.run_children(&mut pending, before);
        }
        let mut output = Input::Pipe;
        let certain = self.scope.certain;
        let changes = runs.iter().any(|run| run.place == layer::Place::Here);
        for run in runs {
            if run.place.is_handed_on() && pending.redirections.is_empty() {
                pending.redirections = std::mem::take(&mut fed);
            }
            output = self.run_layer(run, &mut pending, place).unwrap_or(output);
            self.scope.certain = certain;
        }
        self.scope.parent = before;
        if let Some(entry) = entry.filter(|_| !changes) {
            self.shell = entry;
        }
        if let Some(written) = written {
            self.shell.meet(&written);
        }
        self.captured(capture);
        output
    }

    fn note_name(&mut self, argv: &[Word]) {
        if let Some(name) = layer::program(argv) {
            let name = name.to_owned();
            self.found.names.insert(name);
        }
    }

    /// Returns a command's outermost wrapper. If its name may have another meaning in another shell, also returns the
    /// state after it ran as written.
    fn outermost_layer(&mut self, pending: &mut Pending<'_>, place: Place<'_>) -> (Option<Layer>, Option<Shell>) {
        let name = pending.argv.first().map(|name| name.text.clone()).unwrap_or_default();
        let shadowed = self.defined.contains_key(&name)
            && !self.scope.expanding.contains(&name)
            && !self.scope.as_written.contains(&name);
        let is_last = pending.level >= limits::WRAPPERS;
        let unaliased = if is_last { None } else { self.unalias(&pending.argv) };
        // A function may have the name of a program that starts others, so the words after it are analyzed as well.
        let starts = || shadowed && wrappers::peel(&pending.argv, pending.input.text()).is_some();
        let written = (unaliased.is_some() || starts()).then(|| self.as_written(pending, &name, place));
        if is_last {
            self.partial("too many wrappers around one command");
            return (None, written);
        }
        if let Some(layer) = unaliased.or_else(|| self.unalias_git(&pending.argv)) {
            return (Some(layer), written);
        }
        if shadowed {
            return (None, written);
        }
        let code = self.code_in_place(&pending.argv, &pending.redirections);
        let input = code.as_ref().map_or_else(|| pending.input.text(), |code| code.as_deref());
        if layer::program(&pending.argv) == Some("parallel") {
            pending.argv = self.shell.at_home(&pending.argv);
        }
        let known = wrappers::peel(&pending.argv, input);
        let known = known.filter(|_| !self.is_script(&pending.argv));
        (known.or_else(|| self.fitting(&pending.argv)).or_else(|| self.behind_unknown(pending)), written)
    }

    /// Returns whether a program's path leads to a script, even if it has a wrapper's name: `./env`.
    fn is_script(&self, argv: &[Word]) -> bool {
        let Some(program) = argv.first().filter(|word| word.text.contains('/') && !word.dynamic) else { return false };
        let Some(path) = self.path_here(program) else { return false };
        let lies =
            || !self.is_probe && !sources::is_of_system(&path) && matches!(sources::read(&path), Source::Text(_));
        self.files.get(&path).is_some() || lies()
    }

    /// Runs the texts that a wrapper runs before its command: a shell's startup files, or a task's scripts.
    fn run_before(&mut self, pending: &Pending<'_>, place: Place<'_>) {
        let begun = match layer::program(&pending.argv).map(str::to_owned) {
            Some(name) if is_shell(&name) => self.set_up_by(&pending.argv, &pending.assignments),
            Some(name) if name == "parallel" => {
                self.lines_of_parallel(&pending.argv, &pending.redirections).into_iter().collect()
            }
            // `pipenv run NAME` is a script of the project, or a program.
            Some(name) => {
                let mut found = self.tasks(&name, pending.argv.get(1..).unwrap_or_default());
                if !pending.assignments.is_empty() {
                    found.append(&mut self.set_up_by(&pending.argv, &pending.assignments));
                }
                found
            }
            None => Vec::new(),
        };
        for started in begun {
            let is_set = !pending.assignments.is_empty();
            self.run_started(started, (self.scope.parent, pending.span), is_set, place);
        }
    }

    /// Lists a wrapper that is also a command, or otherwise its redirections and assignments. Returns the input of its
    /// command, and the capture of its output.
    fn list_outer(
        &mut self,
        outer: Option<Vec<Word>>,
        pending: &mut Pending<'_>,
        place: Place<'_>,
    ) -> (Vec<Redirection>, Option<Capture>) {
        let stays = outer.is_some();
        if !stays && pending.redirections.is_empty() && pending.assignments.is_empty() {
            return (Vec::new(), None);
        }
        let argv = outer.unwrap_or_default();
        let redirections = std::mem::take(&mut pending.redirections);
        let capture = self.capture(&redirections);
        // The wrapper passes its input on.
        let is_read = |redirection: &&Redirection| stays && redirection.operator.starts_with("<<");
        let fed = redirections.iter().filter(is_read).cloned().collect();
        let certain = pending.certain && !argv.first().is_some_and(|name| name.glob);
        let id = self.push(argv, pending.assignments.clone(), redirections, pending.span, certain, place);
        self.run_children(pending, id);
        self.run_variables(id);
        if stays {
            self.scope.parent = id;
            // The started program gets them in its environment.
            for assignment in std::mem::take(&mut pending.assignments) {
                self.shell.assign(&assignment.name, &assignment.value, false);
                self.shell.export(&assignment.name);
            }
        }
        (fed, capture)
    }

    /// Runs one of a wrapper's commands or texts. Returns the output of words.
    fn run_layer(&mut self, run: Run, pending: &mut Pending<'_>, place: Place<'_>) -> Option<Input> {
        let state = self.shell.clone();
        match &run.place {
            layer::Place::Here | layer::Place::Apart => {}
            layer::Place::Directory(directory) => {
                self.shell.change_directory(std::slice::from_ref(directory));
            }
            layer::Place::Unknown => self.shell.lose_directory(),
            layer::Place::Remote => self.shell = Shell::new("", ""),
            layer::Place::Sandbox(sandbox) => self.enter_sandbox(sandbox),
            layer::Place::Login(user) => self.log_in(user),
            layer::Place::Outside => self.leave_container(),
        }
        let mut via = run.via;
        if let layer::Place::Directory(folder) = &run.place
            && via.detail.is_empty()
            && folder.text.split('/').any(|step| step == "..")
        {
            via.detail.clone_from(&folder.text);
        }
        if run.place == layer::Place::Outside && self.shell.view.is_none() && state.view.is_some() {
            layer::OUTSIDE.clone_into(&mut via.kind);
        }
        let expands = via.kind == "alias";
        if expands {
            self.scope.expanding.push(via.detail.clone());
        }
        self.scope.via.push(via);
        self.scope.certain &= run.certain && pending.certain;
        let marks = self.scope.marks.len();
        self.scope.marks.extend(run.mark);
        let output = match as_text(run.what) {
            Runnable::Words { assignments, words } => {
                let mut inner = Pending {
                    argv: words,
                    assignments: pending.assignments.clone(),
                    redirections: std::mem::take(&mut pending.redirections),
                    span: pending.span,
                    certain: pending.certain,
                    input: pending.input.clone(),
                    children: pending.children.take(),
                    level: pending.level + 1,
                };
                inner.assignments.extend(assignments);
                Some(self.dispatch(inner, place))
            }
            Runnable::Text { text, parameters } => {
                self.run_layer_text(&text, parameters.as_deref(), &run.place, pending);
                None
            }
        };
        self.scope.via.pop();
        if expands {
            self.scope.expanding.pop();
        }
        self.scope.marks.truncate(marks);
        if run.place != layer::Place::Here {
            self.shell = state;
        }
        output
    }

    /// Runs a text that a wrapper passes to a shell, with the parameters that the wrapper sets. The last element of
    /// `via` is the wrapper.
    fn run_layer_text(
        &mut self,
        text: &Word,
        parameters: Option<&[Word]>,
        place: &layer::Place,
        pending: &Pending<'_>,
    ) {
        let is_here = *place == layer::Place::Here;
        let via = self.scope.via.last();
        let kind = via.map(|via| via.kind.as_str()).unwrap_or_default();
        let late = kind == "trap";
        let shell = match kind {
            "shell-c" => via.map(|via| via.detail.clone()).unwrap_or_default(),
            "code" | "ssh" | "login" => "sh".to_owned(),
            // A git alias, which `sh` runs.
            "alias" if *place == layer::Place::Apart => "sh".to_owned(),
            _ => String::new(),
        };
        let is_process = !is_here && !late;
        if is_process {
            self.shell.enter_process();
        }
        for assignment in &pending.assignments {
            self.shell.assign(&assignment.name, &assignment.value, false);
            self.shell.export(&assignment.name);
        }
        if let Some(parameters) = parameters {
            if let Some(name) = parameters.first() {
                self.shell.assign("0", name, false);
            }
            self.shell.set_parameters(parameters.get(1..).unwrap_or_default());
        }
        let outer = std::mem::replace(&mut self.input, pending.input.clone());
        if late {
            self.keep(&text.text);
            self.shell.restore_parameters(None);
            self.inside("trap", |walker| walker.run_text_of("", text, pending.span));
        } else if is_process {
            self.as_process(&text.text, |walker| walker.run_text_of(&shell, text, pending.span));
        } else {
            self.run_text_of(&shell, text, pending.span);
        }
        self.input = outer;
        // After `eval`, some shells keep the assignments and others don't.
        for assignment in pending.assignments.iter().filter(|_| is_here) {
            self.shell.forget(&assignment.name);
        }
    }

    /// Lists a command with its name's original meaning: `bash -c` ignores aliases, and a definition may not have run.
    /// Returns the resulting state.
    fn as_written(&mut self, pending: &Pending<'_>, name: &str, place: Place<'_>) -> Shell {
        let before = self.shell.clone();
        self.scope.as_written.push(name.to_owned());
        let literal = Pending {
            argv: pending.argv.clone(),
            assignments: pending.assignments.clone(),
            redirections: pending.redirections.clone(),
            span: pending.span,
            certain: pending.certain,
            input: pending.input.clone(),
            children: None,
            level: pending.level + 1,
        };
        self.dispatch(literal, place);
        self.scope.as_written.pop();
        std::mem::replace(&mut self.shell, before)
    }

    /// Runs a text in another process, with all variables. If it makes a difference, also without the variables that
    /// the text doesn't export.
    pub(super) fn as_process(&mut self, text: &str, run: impl Fn(&mut Self)) {
        if self.shell.may_lack(text) {
            self.apart(&run);
            self.shell.forget_own();
        }
        run(self);
    }

    /// Discards values and folders recorded since then when the process ends, if they are still current.
    pub(super) fn end_process(&mut self, (count, folders): (usize, BTreeSet<String>)) {
        let mut since = self.deferred.kept.iter().skip(count);
        let mut places = self.deferred.kept_in.difference(&folders);
        if since.all(|(name, value)| self.shell.has(name, value)) && places.all(|place| *place == self.shell.cwd) {
            self.deferred.kept.truncate(count);
            self.deferred.kept_in = folders;
        }
    }

    /// Records the state for a `trap`'s text, which runs with the state at the end.
    fn keep(&mut self, text: &str) {
        if self.deferred.without_kept {
            self.shell.forget_all_but(&BTreeSet::new());
            self.shell.lose_directory();
            return;
        }
        let names = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').map(str::to_owned);
        self.deferred.kept.extend(self.shell.values(&names.collect()));
        self.deferred.kept_in.insert(self.shell.cwd.clone());
    }

    /// Analyzes a word that becomes shell.
    pub(super) fn run_text(&mut self, word: &Word, span: Span) {
        self.run_text_in(word, span, None);
    }

    /// Analyzes a word that becomes shell, or a text in another language that `translate` converts to shell.
    pub(super) fn run_text_in(&mut self, word: &Word, span: Span, translate: Option<Translate>) {
        let certain = self.scope.certain;
        let mut text = String::with_capacity(word.text.len());
        let runs_late = |part: &Part| {
            matches!(part.kind.as_str(), "variable" | "command" | "arithmetic" | "process" | "array")
                && part.text != "{}"
        };
        if !word.dynamic && word.parts.iter().any(runs_late) {
            // Its output is known anyway.
            text.push_str(&word.text);
        } else {
            for part in &word.parts {
                match part.kind.as_str() {
                    "literal" | "glob" | "tilde" | "brace" => text.push_str(&part.text),
                    "variable" if is_name(&part.text) => {
                        text.push('$');
                        text.push_str(&part.text);
                    }
                    "variable" if part.text == "{}" => text.push_str("{}"),
                    // It already ran, and its output is unknown.
                    _ => text.push_str("$_"),
                }
            }
            if word.parts.iter().any(runs_late) {
                self.scope.certain = false;
                self.partial("a text with parts known only at run time becomes shell");
            }
        }
        let texts_via = std::mem::replace(&mut self.scope.texts_via, self.scope.via.len());
        match translate {
            Some(translate) => self.foreign_text(&text, span, translate),
            None => self.text(&text, span),
        }
        self.scope.texts_via = texts_via;
        self.scope.certain = certain;
    }

    pub(super) fn run_children(&mut self, pending: &mut Pending<'_>, parent: u32) {
        if let Some((unit, children)) = pending.children.take() {
            // A substitution has its own shell, which its builtins change, regardless of the wrappers of its command.
            let texts_via = std::mem::replace(&mut self.scope.texts_via, self.scope.via.len());
            self.children(unit, &children, parent);
            self.scope.texts_via = texts_via;
        }
    }

    /// Lists a command. Returns its id, or the parent's if the limit is reached.
    pub(super) fn push(
        &mut self,
        argv: Vec<Word>,
        assignments: Vec<Assignment>,
        redirections: Vec<Redirection>,
        span: Span,
        certain: bool,
        place: Place<'_>,
    ) -> u32 {
        self.budget.words += argv.len();
        self.budget.bytes += argv.iter().map(|word| 64 + 2 * word.text.len()).sum::<usize>()
            + assignments.iter().map(|assignment| 2 * assignment.value.text.len()).sum::<usize>()
            + redirections
                .iter()
                .map(|redirection| redirection.body.len() + 2 * redirection.target.text.len())
                .sum::<usize>();
        let searches = |name: &str| matches!(name, "PATH" | "path" | "fish_user_paths");
        self.files.searched |= assignments.iter().any(|assignment| searches(&assignment.name))
            || argv.iter().any(|word| word.text.split_once('=').is_some_and(|(name, _)| searches(name)));
        if self.found.commands.len() >= limits::COMMANDS
            || self.budget.words > limits::WORDS
            || self.budget.bytes > limits::RESULT
        {
            self.partial("more commands than can be listed");
            self.found.full = true;
            return self.scope.parent;
        }
        let id = super::offset(self.found.commands.len() + 1);
        let mut cwd = self.shell.cwd.clone();
        if let Some(view) = &self.shell.view {
            let inside = Inside { view: view.clone(), cwd };
            cwd = host_path(Some(&inside), &inside.cwd);
            self.files.inside.insert(id, inside);
        }
        self.found.commands.push(Command {
            id,
            parent: self.scope.parent,
            argv,
            assignments,
            redirections,
            position: Position {
                pipeline: place.pipeline,
                index: place.index,
                length: place.length,
                operator: place.item.operator.to_owned(),
                background: place.item.background,
                within: self.scope.within.iter().map(|what| (*what).to_owned()).collect(),
            },
            via: self.ways(),
            span,
            cwd,
            certain: certain && self.scope.certain,
        });
        id
    }
}

/// Converts a runnable whose first word contains spaces, which isn't a program name. The wrapper passes it to a shell,
/// together with the words after it.
fn as_text(what: Runnable) -> Runnable {
    match what {
        Runnable::Words { words, assignments } => match words.as_slice() {
            [text, rest @ ..]
                if !text.dynamic && text.text.trim().contains(' ') && !text.text.starts_with(['/', '.']) =>
            {
                let text = if rest.is_empty() { text.clone() } else { layer::joined(&words) };
                Runnable::Text { text, parameters: None }
            }
            _ => Runnable::Words { words, assignments },
        },
        text => text,
    }
}
