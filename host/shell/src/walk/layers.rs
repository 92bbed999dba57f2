//! From a command as it is written to what runs: layer by layer, until no wrapper is left.

use guard_sdk::syntax::{Assignment, Command, Part, Position, Redirection, Span, Via, Word};

use super::output::{self, Input};
use super::shell::Shell;
use super::{Place, Unit, Walker, state};
use crate::limits;
use crate::word::{Child, is_name};
use crate::wrappers::{self, Layer, What, shells};

/// A command on its way through the wrappers.
pub(super) struct Pending<'t> {
    pub(super) argv: Vec<Word>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) redirections: Vec<Redirection>,
    pub(super) span: Span,
    pub(super) certain: bool,
    pub(super) input: Input,
    /// What runs because the words are expanded; taken by the first command that is listed.
    pub(super) children: Option<(Unit<'t>, Vec<Child>)>,
    pub(super) level: usize,
}

impl Walker {
    /// Takes the wrappers off a command and lists what is left.
    pub(super) fn dispatch(&mut self, mut pending: Pending<'_>, place: Place<'_>) -> Input {
        if let Some(name) = wrappers::program(&pending.argv) {
            let name = name.to_owned();
            self.names.insert(name);
        }
        if let Some(input) = output::redirected(&pending.redirections, &self.shell) {
            pending.input = input;
        }
        let shadowed = pending.argv.first().is_some_and(|name| self.defined.contains_key(&name.text));
        let layer = if shadowed || pending.level >= limits::WRAPPERS { None } else { wrappers::peel(&pending.argv) };
        if pending.level >= limits::WRAPPERS {
            self.partial("too many wrappers around one command");
        }
        let Some(layer) = layer else { return self.plain(pending, place) };
        let (before, level) = (self.parent, pending.level + 1);
        let Layer { outer, runs } = layer;
        let texts = runs.iter().any(|run| matches!(run.what, What::Text { .. }));
        let stays = outer.is_some();
        if stays || texts {
            let argv = outer.unwrap_or_default();
            let carries = stays || !pending.redirections.is_empty() || !pending.assignments.is_empty();
            if carries {
                let assignments = pending.assignments.clone();
                let redirections = std::mem::take(&mut pending.redirections);
                let id = self.push(argv, assignments, redirections, pending.span, pending.certain, place);
                self.run_children(&mut pending, id);
                if stays {
                    self.parent = id;
                    pending.assignments.clear();
                }
            }
            self.run_children(&mut pending, before);
        }
        let mut output = Input::Pipe;
        let certain = self.certain;
        for run in runs {
            let shell = self.shell.clone();
            match &run.place {
                wrappers::Place::Here | wrappers::Place::Apart => {}
                wrappers::Place::Directory(directory) => {
                    self.shell.change_directory(std::slice::from_ref(directory));
                }
                wrappers::Place::Unknown => self.shell.lose_directory(),
                wrappers::Place::Elsewhere => self.shell = Shell::new("", ""),
            }
            let late = run.via.kind == "trap";
            self.via.push(run.via);
            self.certain &= run.certain && pending.certain;
            let marks = self.marks.len();
            self.marks.extend(run.mark);
            match run.what {
                What::Words { assignments, words } => {
                    let mut inner = Pending {
                        argv: words,
                        assignments: pending.assignments.clone(),
                        redirections: std::mem::take(&mut pending.redirections),
                        span: pending.span,
                        certain: pending.certain,
                        input: pending.input.clone(),
                        children: pending.children.take(),
                        level,
                    };
                    inner.assignments.extend(assignments);
                    output = self.dispatch(inner, place);
                }
                What::Text { text, parameters } => {
                    for assignment in &pending.assignments {
                        self.shell.assign(&assignment.name, &assignment.value, false);
                    }
                    if let Some(parameters) = parameters {
                        self.shell.set_parameters(&parameters);
                    }
                    let outer = std::mem::replace(&mut self.input, pending.input.clone());
                    if late {
                        self.inside("trap", |walker| walker.run_text(&text, pending.span));
                    } else {
                        self.run_text(&text, pending.span);
                    }
                    self.input = outer;
                }
            }
            self.via.pop();
            self.marks.truncate(marks);
            self.certain = certain;
            if run.place != wrappers::Place::Here {
                self.shell = shell;
            }
        }
        self.parent = before;
        output
    }

    /// Analyses a word that becomes shell.
    fn run_text(&mut self, word: &Word, span: Span) {
        let certain = self.certain;
        let mut text = String::with_capacity(word.text.len());
        for part in &word.parts {
            match part.kind.as_str() {
                "literal" | "glob" | "tilde" | "brace" => text.push_str(&part.text),
                "variable" if is_name(&part.text) => {
                    text.push('$');
                    text.push_str(&part.text);
                }
                "variable" if part.text == "{}" => text.push_str("{}"),
                // It ran already; what it gave is not known.
                _ => text.push_str("$_"),
            }
        }
        let runs_late = |part: &Part| {
            matches!(part.kind.as_str(), "variable" | "command" | "arithmetic" | "process" | "array")
                && part.text != "{}"
        };
        if word.parts.iter().any(runs_late) {
            self.certain = false;
            self.partial("a text with parts known only at run time becomes shell");
        }
        let texts_via = std::mem::replace(&mut self.texts_via, self.via.len());
        self.text(&text, span);
        self.texts_via = texts_via;
        self.certain = certain;
    }

    fn run_children(&mut self, pending: &mut Pending<'_>, parent: u32) {
        if let Some((unit, children)) = pending.children.take() {
            self.children(unit, &children, parent);
        }
    }

    /// Lists a command that is no wrapper.
    fn plain(&mut self, mut pending: Pending<'_>, place: Place<'_>) -> Input {
        let mut certain = pending.certain;
        if let Some(name) = pending.argv.first() {
            if name.dynamic && !only_the_folder_is_dynamic(name) {
                self.partial("the name of a command is known only at run time");
            }
            if name.glob {
                self.partial("the name of a command is a pattern");
            }
            let folder_is_home =
                matches!(name.parts.first(), Some(part) if part.text == "HOME") && name.parts.len() == 2;
            certain &= !name.glob && (!name.dynamic || folder_is_home);
            certain &= !self.defined.contains_key(&name.text);
        }
        if pending.argv.is_empty() && pending.assignments.is_empty() && pending.redirections.is_empty() {
            let parent = self.parent;
            self.run_children(&mut pending, parent);
            return Input::Pipe;
        }
        let reads = shells::reads_input(&pending.argv);
        let from_pipe = reads && matches!(pending.input, Input::Pipe | Input::Piped(_));
        if from_pipe {
            self.via.push(Via { kind: "pipe".to_owned(), detail: String::new() });
        }
        let argv = std::mem::take(&mut pending.argv);
        let process = shells::reads_process(&argv);
        if state::expands_again(&argv) {
            self.partial("a builtin expands a quoted text");
        }
        let assignments = std::mem::take(&mut pending.assignments);
        let redirections = std::mem::take(&mut pending.redirections);
        let id = self.push(argv, assignments, redirections, pending.span, certain, place);
        if from_pipe {
            self.via.pop();
        }
        let listed = self.commands.last().filter(|command| command.id == id);
        let output = listed.map_or(Input::Pipe, |command| output::of(command, &pending.input));
        // Only a builtin of this very shell changes it.
        let own = self.via.iter().skip(self.texts_via);
        let ours = own.into_iter().all(|via| matches!(via.kind.as_str(), "command" | "builtin" | "eval" | "time"));
        let kept = listed.filter(|command| reads || (ours && self.concerns_shell(command.word(0)))).cloned();
        self.run_children(&mut pending, id);
        if process {
            self.partial("a shell reads a process substitution");
        }
        if let Some(command) = kept {
            if reads {
                self.run_input(&command, &pending.input);
            } else {
                self.follow(&command);
            }
        }
        output
    }

    /// What a shell reads from its standard input runs.
    fn run_input(&mut self, command: &Command, input: &Input) {
        let (kind, word) = match input {
            Input::Outer | Input::File => return,
            Input::Pipe => return self.partial("a shell reads commands from a pipe"),
            Input::Piped(word) => ("pipe", word),
            Input::Here(word) => ("heredoc", word),
        };
        let remote = command.program() == "ssh";
        let before = std::mem::replace(&mut self.parent, command.id);
        let input = std::mem::replace(&mut self.input, Input::Pipe);
        if remote {
            self.via.push(Via {
                kind: "ssh".to_owned(),
                detail: command.argv.last().map(|host| host.text.clone()).unwrap_or_default(),
            });
        }
        self.via.push(Via { kind: kind.to_owned(), detail: String::new() });
        self.apart(|walker| {
            if remote {
                walker.shell = Shell::new("", "");
            }
            walker.run_text(word, command.span);
        });
        self.via.pop();
        if remote {
            self.via.pop();
        }
        self.input = input;
        self.parent = before;
    }

    /// Lists a command. Gives its id, or the parent's if there is no room.
    fn push(
        &mut self,
        argv: Vec<Word>,
        assignments: Vec<Assignment>,
        redirections: Vec<Redirection>,
        span: Span,
        certain: bool,
        place: Place<'_>,
    ) -> u32 {
        self.words += argv.len();
        self.bytes += argv.iter().map(|word| 64 + 2 * word.text.len()).sum::<usize>()
            + assignments.iter().map(|assignment| 2 * assignment.value.text.len()).sum::<usize>()
            + redirections
                .iter()
                .map(|redirection| redirection.body.len() + 2 * redirection.target.text.len())
                .sum::<usize>();
        if self.commands.len() >= limits::COMMANDS || self.words > limits::WORDS || self.bytes > limits::RESULT {
            self.partial("more commands than can be listed");
            self.full = true;
            return self.parent;
        }
        let id = super::offset(self.commands.len() + 1);
        self.commands.push(Command {
            id,
            parent: self.parent,
            argv,
            assignments,
            redirections,
            position: Position {
                pipeline: place.pipeline,
                index: place.index,
                length: place.length,
                operator: place.item.operator.to_owned(),
                background: place.item.background,
                within: self.within.iter().map(|what| (*what).to_owned()).collect(),
            },
            via: self.via.clone(),
            span,
            cwd: self.shell.cwd.clone(),
            certain: certain && self.certain,
        });
        id
    }
}

/// Whether a dynamic word still ends in a literal name after a `/`: `"$DIR/run.sh"`.
fn only_the_folder_is_dynamic(word: &Word) -> bool {
    word.parts.last().is_some_and(|part| {
        part.kind == "literal" && part.text.rsplit_once('/').is_some_and(|(_, name)| !name.is_empty())
    }) && word.parts.iter().all(|part| matches!(part.kind.as_str(), "literal" | "variable"))
}
