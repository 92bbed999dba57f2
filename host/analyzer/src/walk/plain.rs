//! Lists a command that isn't a wrapper, and follows its input, variables and files.
//!
//! Its other effects are determined in [`crate::effects`].

use guard_sdk::syntax::{Command, Redirection, Via, Word};

use super::content::Content;
use super::layers::Pending;
use super::output::{self, Input};
use super::readers::{by_ending, is_foreign};
use super::running::{RunArguments, interpreter};
use super::shell::Shell;
use super::{Place, Walker, content, started, state};
use crate::limits;
use crate::programs::named_tasks::is_rehearsal;
use crate::word::expand::{Values as _, literal};
use crate::wrappers;
use crate::wrappers::layer::place_of;
use crate::wrappers::shells::{self, Script};

/// The reason for a file that runs although its content can't be known.
pub(super) const NOT_KNOWN: &str = "a file that the text itself writes runs, and what it holds is not known";

impl Walker {
    /// Lists a command that isn't a wrapper.
    pub(super) fn plain(&mut self, mut pending: Pending<'_>, place: Place<'_>) -> Input {
        let certain = pending.certain && pending.argv.first().is_none_or(|name| self.is_certain_name(name));
        if pending.argv.is_empty() && pending.assignments.is_empty() && pending.redirections.is_empty() {
            let parent = self.scope.parent;
            self.run_children(&mut pending, parent);
            return Input::Pipe;
        }
        let reads = shells::reads_input(&pending.argv);
        let script = shells::script(&pending.argv);
        let id = self.list(&mut pending, reads, certain, place);
        let searches = |command: &&Command| {
            let own = command.assignments.iter().any(|assignment| assignment.name == "PATH");
            script.is_none() && command.id == id && (own || self.shell.value("PATH").is_some())
        };
        let named = self.found.commands.last().filter(searches).cloned();
        let on_path = named.and_then(|command| self.on_path(&command));
        if let Input::Stage(pipeline, index) = pending.input {
            self.found.feeds.insert(id, (pipeline, index));
        }
        let listed = self.found.commands.last().filter(|command| command.id == id);
        let mut output = listed.map_or(Input::Pipe, |command| self.output_of(command, &pending.input));
        let several = listed.is_some_and(|command| !self.other_texts(command).is_empty());
        if several {
            output = Input::Pipe;
        }
        let unread = several && listed.is_some_and(|command| wrappers::reads_program(&command.argv));
        // Only a builtin of the current shell changes its state.
        let own = self.scope.via.iter().skip(self.scope.texts_via);
        let ours = own.into_iter().all(|via| matches!(via.kind.as_str(), "command" | "builtin" | "eval" | "time"));
        let script = script.or_else(|| self.found(&listed?.argv)).or(on_path);
        let concerns = |command: &Command| script.is_some() || (ours && self.concerns_shell(command.word(0)));
        let kept = listed.filter(|command| reads || concerns(command)).cloned();
        let redirected = listed.is_some_and(|command| command.redirections.iter().any(output::takes_output));
        let is_watched = redirected || !self.files.is_empty() || self.sink.is_some();
        let keeps = |command: &&Command| is_watched || content::writes(command) || started::may_start(command);
        let complete = listed.filter(keeps).cloned();
        let written = complete.as_ref().map(|command| {
            if let Some(text) = self.concatenated(command) {
                output = Input::Piped(text);
            }
            self.shown(command, &pending.input, &output)
        });
        let piped = place.index + 1 < place.length;
        let depends =
            self.found.commands.last().filter(|command| command.id == id).is_some_and(output::depends_on_speaker);
        self.echo_differs |= (redirected || piped || self.is_probe || self.sink.is_some()) && depends;
        if unread {
            self.partial("more than one text is given to one program to read");
        }
        // zsh writes to the pipe as well as to the file.
        if redirected && !piped {
            output = Input::Pipe;
        }
        self.run_children(&mut pending, id);
        self.run_variables(id);
        if let (Some(command), Some(shown)) = (&complete, &written) {
            self.keep_written(command, &pending.input, shown);
            if !redirected {
                self.collect(shown);
            }
            self.run_written(command, &pending.input, place);
        }
        if let Some(command) = kept {
            self.follow_listed(script.as_ref(), &command, &pending.input, reads);
        }
        output
    }

    /// Lists a command, and returns its id.
    fn list(&mut self, pending: &mut Pending<'_>, reads: bool, certain: bool, place: Place<'_>) -> u32 {
        let from_pipe = reads && matches!(pending.input, Input::Pipe | Input::Stage(..) | Input::Piped(_));
        if from_pipe {
            self.scope.via.push(Via { kind: "pipe".to_owned(), detail: String::new() });
        }
        let argv = std::mem::take(&mut pending.argv);
        if state::expands_again(&argv, &self.shell) {
            self.partial("a builtin expands a quoted text");
        }
        let assignments = std::mem::take(&mut pending.assignments);
        let mut redirections = std::mem::take(&mut pending.redirections);
        redirections.extend(self.inherited(&argv, &redirections, &pending.input, place));
        let id = self.push(argv, assignments, redirections, pending.span, certain, place);
        if from_pipe {
            self.scope.via.pop();
        }
        id
    }

    /// Returns whether a name's program is known.
    fn is_certain_name(&mut self, name: &Word) -> bool {
        if name.dynamic && !only_the_folder_is_dynamic(name) {
            self.partial("the name of a command is known only at run time");
        }
        if name.glob {
            self.partial("the name of a command is a pattern");
        }
        let folder_is_home = matches!(name.parts.first(), Some(part) if part.text == "HOME") && name.parts.len() == 2;
        !name.glob && (!name.dynamic || folder_is_home) && !self.defined.contains_key(&name.text)
    }

    /// Returns the output of a command, if known.
    fn output_of(&self, command: &Command, input: &Input) -> Input {
        let is_printer = matches!(command.program(), "echo" | "printf") && command.argv.iter().any(|word| word.dynamic);
        let at_home = is_printer.then(|| Command { argv: self.shell.at_home(&command.argv), ..command.clone() });
        output::of(at_home.as_ref().unwrap_or(command), input, self.echo_dialect)
    }

    /// Runs a listed command's script or input, or applies a builtin.
    fn follow_listed(&mut self, script: Option<&Script>, command: &Command, input: &Input, reads: bool) {
        if script.is_some_and(|script| self.run_script(script, command, input)) {
            return;
        }
        if reads {
            for other in self.other_texts(command) {
                self.run_input(command, &other);
            }
            self.run_input(command, input);
        } else if command.argv.len() == 1 && command.word(0) == "exec" {
            self.keep_open(command);
        } else {
            self.follow(command, input);
        }
    }

    /// Walks the code that a shell reads from its standard input and runs.
    fn run_input(&mut self, command: &Command, input: &Input) {
        let file = self.input_file(command, input).filter(|path| self.files.get(path).is_none());
        if let Some((path, content)) = file.and_then(|path| self.running(&path).map(|content| (path, content))) {
            if command.program() == "ssh" || !place_of(&command.via).is_empty() {
                return self.run_input(command, &Input::Here(content.text));
            }
            let script = Script { file: literal(&path), parameters: Vec::new(), here: false };
            self.run_held(&script, &content, &path, command, &Input::Outer);
            return;
        }
        let (kind, word) = match input {
            Input::Outer | Input::File => return,
            Input::Pipe | Input::Stage(..) => return self.partial("a shell reads commands from a pipe"),
            Input::Piped(word) => ("pipe", word),
            Input::Here(word) => ("heredoc", word),
        };
        let remote = command.program() == "ssh";
        let login = wrappers::remote::login(&command.argv);
        let before = std::mem::replace(&mut self.scope.parent, command.id);
        let input = std::mem::replace(&mut self.input, Input::Pipe);
        if remote {
            self.scope.via.push(Via {
                kind: if login.is_some() { "login" } else { "ssh" }.to_owned(),
                detail: command.argv.last().map(|host| host.text.clone()).unwrap_or_default(),
            });
        }
        self.scope.via.push(Via { kind: kind.to_owned(), detail: String::new() });
        self.apart(|walker| {
            match &login {
                Some(user) => walker.log_in(user),
                None if remote => walker.shell = Shell::new("", ""),
                None => {}
            }
            // The other machine's shell is unknown.
            let shell = if remote { "sh" } else { command.program() };
            if matches!(shell, "." | "source") {
                return walker.run_text_of("", word, command.span);
            }
            walker.shell.enter_process();
            walker.as_process(&word.text, |walker| walker.run_text_of(shell, word, command.span));
        });
        self.scope.via.pop();
        if remote {
            self.scope.via.pop();
        }
        self.input = input;
        self.scope.parent = before;
    }

    /// Adds a reason if a program gets a file to run that this text writes, and whose content is unknown.
    pub(super) fn note_unknown_input(&mut self, argv: &[Word], redirections: &[Redirection]) {
        let Some(input) = redirections.iter().rev().find(|redirection| redirection.fd == 0) else { return };
        let content = self.path_of(&input.target).and_then(|path| self.files.get(&path));
        let is_unknown = input.operator == "<" && content.is_some_and(|content| !content.complete);
        let runs = || shells::reads_input(argv) || wrappers::layer::program(argv).is_some_and(wrappers::reads_code);
        if is_unknown && runs() {
            self.partial(NOT_KNOWN);
        }
    }

    /// Runs the text of a file written by this text, or the output of a process substitution. Returns whether it is
    /// known.
    fn run_script(&mut self, script: &Script, command: &Command, input: &Input) -> bool {
        let process = script.file.parts.iter().find(|part| part.kind == "process");
        let text = if let Some(part) = process {
            let text = self.printed(&part.text);
            if text.is_none()
                && let Some(file) = shown_file(&part.text)
            {
                let shown = Script { file: literal(file), parameters: script.parameters.clone(), here: script.here };
                return self.run_files(&shown, command, input);
            }
            if text.is_none() {
                self.partial("a shell reads a process substitution");
            }
            text
        } else {
            let path = self.path_of(&script.file).unwrap_or_else(|| script.file.text.clone());
            match shells::descriptor(&path).map(|number| self.behind(number, command, input)) {
                Some(Input::Pipe | Input::Stage(..)) => {
                    self.partial("a shell reads commands from a pipe");
                    None
                }
                Some(input) if input.text().is_none() && matches!(input, Input::Piped(_) | Input::Here(_)) => {
                    self.run_input(command, &input);
                    return true;
                }
                Some(input) => input.text().map(str::to_owned),
                None => return self.run_files(script, command, input),
            }
        };
        let Some(text) = text else { return false };
        self.run_held(script, &Content::known(literal(&text)), &script.file.text, command, input)
    }

    /// Runs the files written by this text that a script's name may refer to. Returns whether all of them are known.
    fn run_files(&mut self, script: &Script, command: &Command, input: &Input) -> bool {
        let mut files = self.meant(&script.file);
        if files.is_empty() {
            files.extend(self.path_here(&script.file));
        }
        let mut all = !files.is_empty();
        for path in files {
            let Some(content) = self.running(&path) else {
                all = false;
                continue;
            };
            if !content.complete {
                self.partial(NOT_KNOWN);
            }
            all &= self.run_held(script, &content, &path, command, input);
            if content.is_preexisting && is_settings_name(&path) {
                // The values are as secret as the file, so the text must not be judged by them.
                self.shell.forget_named_in(&content.text.text);
            }
        }
        all
    }

    /// Returns the arguments and variables that a script gets from its caller.
    fn arguments_of(&self, script: &Script, command: &Command, input: &Input) -> RunArguments {
        let is_fed = matches!(input, Input::Pipe | Input::Stage(..) | Input::Piped(_) | Input::Here(_));
        let mut given = RunArguments {
            parameters: script.parameters.iter().any(|word| !is_rehearsal(&word.text))
                || script.here && self.shell.has_parameters(),
            variables: self.shell.names(),
            everywhere: is_fed || self.files.stirred || script.parameters.iter().any(|word| word.text.contains("{}")),
        };
        given.variables.extend(command.assignments.iter().map(|assignment| assignment.name.clone()));
        given
    }

    /// Runs the text in a file. Returns whether it is shell.
    fn run_held(&mut self, script: &Script, content: &Content, name: &str, command: &Command, input: &Input) -> bool {
        let text = &content.text;
        let named = interpreter(&text.text);
        // If the first line specifies another interpreter, the text is in another language.
        let is_read_by_name = !shells::is_shell(command.program()) && !matches!(command.program(), "." | "source");
        if is_read_by_name && named.is_some_and(|name| !shells::is_shell(name)) {
            return false;
        }
        // The extension also does, if another shell reads it.
        let foreign = by_ending(name).filter(|name| is_foreign(name) || *name == "nu").filter(|_| named.is_none());
        if is_read_by_name && foreign.is_some() {
            return false;
        }
        // A file that overwrites itself and runs again has another text.
        let running = format!("{name}\n{}", text.text);
        if self.scope.expanding.contains(&running) {
            return true;
        }
        if self.scope.expanding.len() >= limits::CALL_DEPTH {
            self.partial("files that run files are nested too deeply to follow");
            return true;
        }
        if self.budget.calls_left == 0 {
            self.partial("too many files run to follow all of them");
            return true;
        }
        self.budget.calls_left -= 1;
        let name = name.to_owned();
        let certain = self.scope.certain;
        self.scope.certain &= content.is_preexisting;
        let parent = std::mem::replace(&mut self.scope.parent, command.id);
        let given = self.arguments_of(script, command, input);
        let outer = self.enter_file(&name, content, given);
        self.note_use_of_arguments(command.id, "sh", content);
        let shell = (!script.here).then(|| self.shell.clone());
        let parameters = self.shell.take_parameters();
        if !script.here {
            self.shell.enter_process();
        }
        let kept = (self.deferred.kept.len(), self.deferred.kept_in.clone());
        if script.here && script.parameters.is_empty() {
            // A sourced file has its caller's parameters.
            self.shell.restore_parameters(parameters.clone());
        } else {
            self.shell.set_parameters(&script.parameters);
        }
        self.give_variables(script, content, &name, command);
        self.scope.via.push(Via { kind: "script".to_owned(), detail: name });
        self.scope.expanding.push(running);
        let reader = match command.program() {
            "source" | "." => foreign.unwrap_or_default(),
            shell if shells::is_shell(shell) => shell,
            // Without an informative first line, bash runs the file itself, and zsh passes it to `sh`.
            _ => named.unwrap_or("sh"),
        };
        if script.here {
            self.run_text_of(reader, text, command.span);
        } else {
            self.as_process(&text.text, |walker| walker.run_text_of(reader, text, command.span));
        }
        self.scope.expanding.pop();
        self.scope.via.pop();
        (self.scope.file, self.scope.spot) = outer;
        if !script.here {
            self.end_process(kept);
        }
        self.shell.restore_parameters(parameters);
        if let Some(shell) = shell {
            self.shell = shell;
        }
        self.scope.parent = parent;
        self.scope.certain = certain;
        true
    }

    /// Sets the variables of a script: its name, if it is on the machine, and those before the command.
    fn give_variables(&mut self, script: &Script, content: &Content, name: &str, command: &Command) {
        let names: &[&str] = match (content.is_preexisting, script.here) {
            (false, _) => &[],
            (true, true) => &["BASH_SOURCE"],
            (true, false) => &["0", "BASH_SOURCE"],
        };
        let own = literal(name);
        let set = names.iter().map(|name| (*name, &own));
        let before = command.assignments.iter().map(|assignment| (assignment.name.as_str(), &assignment.value));
        for (name, value) in set.chain(before) {
            self.shell.assign(name, value, false);
            self.shell.export(name);
        }
    }
}

/// Returns the file that a process substitution prints in full: `<(cat FILE)`.
fn shown_file(part: &str) -> Option<&str> {
    let body = part.trim_start_matches('<').strip_prefix('(')?.strip_suffix(')')?.trim();
    let file = body.strip_prefix("cat ")?.trim();
    (!file.is_empty() && !file.contains(|char: char| !char.is_alphanumeric() && !"/._-+".contains(char)))
        .then_some(file)
}

/// Returns whether a dynamic word ends in a literal name after a `/`: `"$DIR/run.sh"`.
fn only_the_folder_is_dynamic(word: &Word) -> bool {
    word.parts.last().is_some_and(|part| {
        part.kind == "literal" && part.text.rsplit_once('/').is_some_and(|(_, name)| !name.is_empty())
    }) && word.parts.iter().all(|part| matches!(part.kind.as_str(), "literal" | "variable"))
}

/// Returns whether a file has the name of secret settings: `.env`, `.env.local`, `prod.env`. `.envrc` is code.
fn is_settings_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
}
