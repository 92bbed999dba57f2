//! Calls that start programs: their words, or the text that becomes shell.

use super::calls::{Args, EXECUTES};
use super::evaluator::Evaluator;
use super::fold;
use super::library::CallEffect;
use super::value::Value;
use crate::ir::Operator;
use crate::{ActionKind, Piece, Text};

impl Evaluator<'_> {
    /// Starts what a call names.
    pub(super) fn launch(&mut self, name: &str, does: CallEffect, args: &Args) -> Value {
        let first = args.get(0, &["args", "cmd", "command", "path", "file", "program", "argv"]).cloned();
        let first = first.unwrap_or(Value::Unknown);
        match does {
            CallEffect::Shell => {
                self.shell(name, &first, args);
                // What is opened for writing is sent to it.
                let mode = args.get(1, &["mode"]).filter(|_| name == "os.popen").and_then(Value::known_text);
                if mode.is_some_and(|mode| mode.contains('w')) {
                    self.add_reason(&format!("what is sent to `{name}` is not followed"), EXECUTES);
                }
            }
            CallEffect::Popen => match args.named_argument("shell") {
                None | Some(Value::Bool(false) | Value::None | Value::Int(0)) => {
                    let program = args.named_argument("executable").cloned();
                    self.program(name, &first, program.as_ref(), args);
                }
                Some(Value::Bool(true) | Value::Int(1)) => self.shell(name, &first, args),
                Some(_) => self.perhaps(|eval| match &first {
                    Value::Text(_) => eval.shell(name, &first, args),
                    first => eval.program(name, first, None, args),
                }),
            },
            CallEffect::Kill => {
                let signal = match args.get(1, &["sig"]) {
                    Some(Value::Int(number)) => Value::text(&format!("-{number}")),
                    Some(Value::Named(signal)) => Value::text(&signal.replace("signal.SIG", "-")),
                    _ => Value::text("-TERM"),
                };
                // `killpg` takes the number of a group, which `kill` takes with a sign.
                let of = args.argument(0).cloned().unwrap_or(Value::Unknown);
                let of = match of {
                    Value::Int(group) if name == "os.killpg" => Value::text(&format!("-{group}")),
                    Value::Int(process) => Value::text(&process.to_string()),
                    other => other,
                };
                self.program(name, &Value::List(vec![Value::text("kill"), signal, Value::text("--"), of]), None, args);
            }
            CallEffect::Start => self.start(name, &first, args),
            CallEffect::Program if name == "runpy.run_module" => {
                let row = Value::List(vec![Value::text("python3"), Value::text("-m"), first]);
                self.program(name, &row, None, args);
            }
            CallEffect::Program if name == "runpy.run_path" => {
                let row = Value::List(vec![Value::text("python3"), first]);
                self.program(name, &row, None, args);
            }
            CallEffect::Program => {
                let row = Value::List(args.values.clone());
                self.program(name, &row, None, args);
            }
            // The first is where the program lies, and the words begin with its name again.
            CallEffect::Exec => self.execute(name, &args.values, args),
            _ => self.execute(name, args.values.get(1..).unwrap_or_default(), args),
        }
        Value::Unknown
    }

    /// Starts a program with its arguments in a row behind it, or all in one row, or by a shell.
    fn start(&mut self, name: &str, first: &Value, args: &Args) {
        let options = args.named_argument("cmd").or_else(|| args.named_argument("args"));
        let behind = args.argument(1).filter(|row| !matches!(row, Value::Dict(_) | Value::None) && !row.is_callable());
        let one = Value::List(vec![first.clone()]);
        let row = match (first, behind.or(options)) {
            (Value::List(_) | Value::Many(_), _) => first.clone(),
            (Value::Dict(_), Some(row)) => row.clone(),
            (_, Some(rows)) => Value::join(rows.alternatives().iter().map(|row| match row {
                Value::List(_) | Value::Many(_) => fold::binary(&one, Operator::Add, row),
                _ => {
                    self.add_reason(&format!("what `{name}` starts is known only at run time"), EXECUTES);
                    one.clone()
                }
            })),
            (_, None) => one,
        };
        match (args.named_argument("shell"), &row) {
            (None | Some(Value::Bool(false)), _) if name.ends_with("fork") => {
                let node = Value::List(vec![Value::text("node")]);
                self.program(name, &fold::binary(&node, Operator::Add, &row), None, args);
            }
            (Some(Value::Bool(true) | Value::Text(_)), Value::List(_)) => {
                let text = fold::text_method(&Text::literal(" "), "join", &[row]).unwrap_or(Value::Unknown);
                self.shell(name, &text, args);
            }
            _ => self.program(name, &row, None, args),
        }
    }

    fn execute(&mut self, name: &str, values: &[Value], args: &Args) {
        let Some((program, rest)) = values.split_first() else {
            return self.add_reason(&format!("what `{name}` starts is not written out"), EXECUTES);
        };
        let listed = rest.first().and_then(|row| match row {
            Value::List(row) => Some(row.clone()),
            _ => None,
        });
        let words = listed.unwrap_or_else(|| rest.to_vec());
        // An environment may follow.
        let words = words.into_iter().skip(1).filter(|word| !matches!(word, Value::Dict(_)));
        let row = Value::List(std::iter::once(program.clone()).chain(words).collect());
        self.program(name, &row, None, args);
    }

    fn shell(&mut self, name: &str, command: &Value, args: &Args) {
        let several = command.alternatives().len() > 1;
        for one in command.alternatives() {
            let text = match one {
                Value::List(values) => match values.first() {
                    Some(Value::Text(text)) => Some(text.clone()),
                    _ => None,
                },
                Value::Many(value) => value.to_text(),
                value => value.to_text(),
            };
            match text {
                Some(text) if !text.begins_unknown() => {
                    let (folder, input) = self.folder_and_input(args);
                    self.act(ActionKind::Shell { text, folder, input }, !several);
                }
                _ => self.add_reason(&format!("what `{name}` runs is known only at run time"), EXECUTES),
            }
        }
    }

    pub(super) fn program(&mut self, name: &str, words: &Value, program: Option<&Value>, args: &Args) {
        let mut rows = Vec::new();
        for one in words.alternatives() {
            rows.push(match one {
                Value::List(values) => values.clone(),
                Value::Many(_) => vec![match one.element() {
                    Value::OneOf(_) => Value::Unknown,
                    element => element,
                }],
                Value::Text(_) | Value::Path(_) => vec![one.clone()],
                _ => Vec::new(),
            });
        }
        // One of several programs with the same words is one of several rows.
        let rows: Vec<Vec<Value>> = rows
            .into_iter()
            .flat_map(|row| match row.split_first() {
                Some((first, rest)) => first
                    .alternatives()
                    .iter()
                    .map(|first| std::iter::once(first).chain(rest).cloned().collect())
                    .collect(),
                None => vec![row],
            })
            .collect();
        let several = rows.len() > 1;
        for row in rows {
            let word = |value: &Value| match value {
                Value::Many(value) => Value::join([(**value).clone()]).to_text_part(),
                Value::OneOf(_) => Text::of(Piece::Unknown),
                value => value.to_text_part(),
            };
            let mut words: Vec<Text> = row.iter().map(word).collect();
            if let (Some(program), Some(first)) = (program.and_then(Value::to_text), words.first_mut()) {
                *first = program;
            }
            if words.first().is_none_or(Text::begins_unknown) {
                self.add_reason(&format!("what `{name}` starts is known only at run time"), EXECUTES);
                if words.len() < 2 {
                    continue;
                }
            }
            if is_fed(name, &words, args) {
                self.add_reason(&format!("what `{name}` starts runs what it is sent"), EXECUTES);
            }
            if runs_created_file(&words) {
                self.add_reason(&format!("what `{name}` starts was made by the code itself"), EXECUTES);
            }
            let (folder, input) = self.folder_and_input(args);
            self.act(ActionKind::Program { words, folder, input }, !several);
        }
    }

    /// Where it runs, and what it reads.
    fn folder_and_input(&self, args: &Args) -> (Option<Text>, Option<Text>) {
        let own = args.named_argument("cwd").filter(|folder| **folder != Value::None).map(Value::to_text_part);
        let folder = own.map(|folder| self.resolve_path(&folder)).or_else(|| self.state.folder.clone());
        (folder, args.named_argument("input").filter(|input| **input != Value::None).map(Value::to_text_part))
    }
}

/// Programs that run a file that they are given.
const RUNNERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "node", "perl", "ruby", "php", "env",
    "sudo",
];

/// Returns whether a program is started that runs what it reads, and reads what the code sends, or what an open file
/// holds.
fn is_fed(name: &str, words: &[Text], args: &Args) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let program = first.known().and_then(|path| path.rsplit('/').next());
    let option = |word: &Text| word.known().is_some_and(|word| word.starts_with('-') && !word.ends_with('c'));
    let reads = program.is_some_and(|program| RUNNERS.contains(&program)) && rest.iter().all(option);
    // In Node the code holds the other end, if nothing else is said.
    if name.starts_with("node.") {
        let sync =
            name.ends_with("Sync") || args.named_argument("stdio").is_some() || args.named_argument("input").is_some();
        return reads && !sync;
    }
    let stdin = args.named_argument("stdin");
    reads && stdin.is_some_and(|stdin| *stdin != Value::None && *stdin != Value::named("subprocess.DEVNULL"))
}

/// Returns whether the started program or script is in a temporary folder that the code created.
fn runs_created_file(words: &[Text]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let program = first.known().and_then(|path| path.rsplit('/').next());
    let runs = program.is_some_and(|program| RUNNERS.contains(&program));
    first.is_own() || runs && rest.iter().any(Text::is_own)
}
