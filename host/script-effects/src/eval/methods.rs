//! Methods of values: of paths, of texts, and of objects that are known only by what they are asked for.

use super::calls::{Args, DELETES, WRITES, map_alternatives};
use super::evaluator::Evaluator;
use super::fold;
use super::library::is_word;
use super::plain::expand_user;
use super::requests::is_deletion;
use super::rows::view;
use super::value::Value;
use crate::ir::Operator;
use crate::{ActionKind, Piece, Text, Unknown};

/// Methods of libraries that write a file, whose name is their first argument.
const SAVES: &str = "to_csv to_json to_excel to_parquet to_pickle to_feather to_html to_markdown savefig write_image write_html \
    tofile";

/// Methods of connections and cursors that send a statement.
const SENDS: &[&str] = &["execute", "executescript", "executemany", "execute_async", "raw", "sql"];

/// How statements begin.
const STATEMENTS: &[&str] = &[
    "select", "insert", "update", "delete", "drop", "create", "alter", "truncate", "pragma", "with", "begin", "commit",
    "replace", "vacuum", "attach", "detach", "grant", "revoke", "explain", "set", "merge", "call", "do", "show", "use",
    "copy", "analyze", "reindex", "rollback", "rename", "load", "flush", "optimize", "describe", "--", "/*", "(",
];

/// A file that nothing is left in.
pub(super) fn empty_action(path: Text) -> ActionKind {
    ActionKind::Write { path, append: false, empties: true }
}

impl Evaluator<'_> {
    pub(super) fn call_method(&mut self, base: &Value, name: &str, args: &Args) -> Value {
        match base {
            base if base.is_callable() && super::library::node::CALLERS.contains(&name) => {
                self.call_through(base, name, args)
            }
            Value::Path(path) => self.call_path_method(path, name, args),
            Value::Text(text) => match call_text_method(base, text, name, args) {
                Some(value) => value,
                None => self.call_unknown_method(base, name, args),
            },
            Value::Dict(items) => match name {
                "items" | "keys" | "values" => view(items, name),
                "get" | "pop" | "setdefault" => {
                    let found = self.item(base, args.argument(0).unwrap_or(&Value::Unknown));
                    Value::join([found].into_iter().chain(args.argument(1).cloned()))
                }
                _ => Value::Unknown,
            },
            Value::List(_) | Value::Many(_) => self.call_row_method(base, name, args),
            // Its `read` is what the file holds.
            Value::File(_) if matches!(name, "__enter__") => base.clone(),
            // A member of an archive.
            Value::File(_) if name == "extract" => {
                let here = Value::piece(Piece::Literal(".".to_owned()));
                let to = args.get(1, &["path"]).filter(|path| **path != Value::None).unwrap_or(&here).clone();
                self.add_path_action(name, Some(&to), Unknown::default(), |folder| ActionKind::Fill {
                    folder,
                    archive: true,
                });
                Value::Unknown
            }
            Value::File(path) if name == "truncate" && matches!(args.argument(0), None | Some(Value::Int(0))) => {
                self.add_path_action("File.truncate", Some(&Value::Path(path.clone())), WRITES, empty_action);
                Value::Unknown
            }
            Value::Client => {
                match name {
                    "get" | "head" | "options" | "connect" | "connect_ex" => self.connect(args.argument(0), false),
                    "post" | "put" | "patch" | "delete" => {
                        self.request(args.argument(0), true, is_deletion(name, None, args));
                    }
                    "request" => self.request(args.argument(1), true, is_deletion(name, args.argument(0), args)),
                    _ => {}
                }
                Value::Unknown
            }
            base => self.call_unknown_method(base, name, args),
        }
    }

    /// A method of a row.
    fn call_row_method(&mut self, row: &Value, name: &str, args: &Args) -> Value {
        match name {
            "copy" | "flat" | "toSorted" | "toReversed" => row.clone(),
            "pop" | "shift" | "at" | "find" | "findLast" => row.element(),
            "join" => match args.argument(0).map_or_else(|| Some(Text::literal(",")), Value::to_text) {
                Some(by) if matches!(row, Value::List(_)) => {
                    fold::text_method(&by, "join", std::slice::from_ref(row)).unwrap_or(Value::Unknown)
                }
                _ => Value::piece(Piece::Unknown),
            },
            "slice" => fold::slice(row, args.argument(0), args.argument(1), None),
            "concat" => args.values.iter().fold(row.clone(), |row, more| match more {
                Value::List(_) | Value::Many(_) => fold::binary(&row, Operator::Add, more),
                one => fold::binary(&row, Operator::Add, &Value::List(vec![one.clone()])),
            }),
            "map" | "flatMap" | "forEach" | "filter" | "some" | "every" => {
                let callee = args.argument(0).filter(|callee| callee.is_callable());
                let mapped = callee.map_or(Value::Unknown, |callee| self.call_each(callee, row));
                if name == "filter" { Value::many(row.element()) } else { mapped }
            }
            _ => {
                self.call_back(args);
                Value::Unknown
            }
        }
    }

    /// A method of an object of `pathlib`.
    fn call_path_method(&mut self, path: &Text, name: &str, args: &Args) -> Value {
        let own = Value::Path(path.clone());
        let this = Some(&own);
        let write = |append: bool, empties: bool| move |path: Text| ActionKind::Write { path, append, empties };
        let label = format!("Path.{name}");
        match name {
            "unlink" | "rmdir" | "delete" => self.add_path_action(&label, this, DELETES, ActionKind::Delete),
            "rmtree" => self.add_path_action(&label, this, DELETES, ActionKind::DeleteTree),
            "write_text" | "write_bytes" => {
                let empties = args.get(0, &["data"]).and_then(Value::known_text) == Some("");
                self.add_path_action(&label, this, WRITES, write(false, empties));
            }
            "touch" => self.add_path_action(&label, this, WRITES, write(true, false)),
            "read_text" | "read_bytes" | "readlink" | "text" | "json" | "arrayBuffer" | "bytes" | "stream" => {
                self.add_path_action(&label, this, Unknown::default(), ActionKind::Read)
            }
            "mkdir" => self.add_path_action(&label, this, Unknown::default(), ActionKind::MakeFolder),
            "chmod" | "lchmod" => self.add_path_action(&label, this, WRITES, ActionKind::Change),
            "open" => return self.open(&label, this, args.get(0, &["mode"]), "r"),
            "rename" | "replace" | "move" | "move_into" => {
                self.add_path_action(&label, this, DELETES, ActionKind::MoveAway);
                let from = self.resolve_path(path);
                let is_each = self.is_each(&from);
                let transfer = |to| ActionKind::Put { from: from.clone(), to, each: is_each };
                self.add_path_action(&label, args.get(0, &["target"]), WRITES, transfer);
                return args
                    .argument(0)
                    .map_or(Value::Unknown, |to| map_alternatives(Some(to), |to| Value::Path(to.to_text_part())));
            }
            "copy" | "copy_into" => {
                self.add_path_action(&label, this, Unknown::default(), ActionKind::Read);
                let from = self.resolve_path(path);
                let transfer = |to| ActionKind::Put { from: from.clone(), to, each: false };
                self.add_path_action(&label, args.argument(0), WRITES, transfer);
            }
            "symlink_to" | "hardlink_to" | "link_to" => {
                let to = args.argument(0).map_or_else(|| Text::of(Piece::Unknown), Value::to_text_part);
                let is_hard = name != "symlink_to";
                self.add_path_action(&label, this, WRITES, |at| ActionKind::Link { at, to: to.clone(), is_hard });
            }
            "joinpath" => {
                let parts: Vec<Value> = std::iter::once(own).chain(args.values.iter().cloned()).collect();
                return Value::join(fold::join_alternatives(&parts).into_iter().map(Value::Path));
            }
            "expanduser" => return Value::Path(expand_user(path)),
            "resolve" | "absolute" => return Value::Path(self.fix_path(path)),
            "relative_to" => return own,
            "as_posix" | "__str__" | "__fspath__" => return Value::Text(path.clone()),
            "with_name" => {
                return map_alternatives(args.argument(0), |file| {
                    Value::Path(fold::join(fold::parent(path), &file.to_text_part()))
                });
            }
            "with_suffix" | "with_stem" => {
                let changed = path.known().filter(|_| name == "with_suffix").map(|path| {
                    let file_at = path.rfind('/').map_or(0, |at| at + 1);
                    let stem = path.rfind('.').filter(|at| *at > file_at).and_then(|at| path.get(..at)).unwrap_or(path);
                    Text::literal(stem).and(&args.argument(0).map_or_else(Text::default, Value::to_text_part))
                });
                return Value::Path(
                    changed.unwrap_or_else(|| fold::join(fold::parent(path), &Text::of(Piece::Unknown))),
                );
            }
            "iterdir" | "glob" | "rglob" | "walk" => {
                self.add_path_action(&label, this, Unknown::default(), ActionKind::Read);
                let glob = args.argument(0).and_then(Value::known_text).unwrap_or("*");
                let pattern = if name == "rglob" { format!("**/{glob}") } else { glob.to_owned() };
                let found = Value::Path(fold::join(path.clone(), &Text::of(Piece::Pattern(pattern))));
                return Value::many(if name == "walk" {
                    Value::List(vec![found, Value::Unknown, Value::Unknown])
                } else {
                    found
                });
            }
            _ => {}
        }
        Value::Unknown
    }

    /// A method of something that is not known.
    fn call_unknown_method(&mut self, base: &Value, name: &str, args: &Args) -> Value {
        let nowhere = Value::Unknown;
        match name {
            "unlink" | "rmdir" | "rmtree" => {
                self.add_path_action(name, Some(args.argument(0).unwrap_or(&nowhere)), DELETES, ActionKind::Delete)
            }
            "write_text" | "write_bytes" => {
                self.add_path_action(name, Some(&nowhere), WRITES, super::calls::write_action)
            }
            "then" => match args.argument(0).cloned() {
                Some(callee) => return self.apply(&callee, &Args::new(vec![base.clone()])),
                None => return base.clone(),
            },
            "extractall" | "extractAllTo" | "unpack" => {
                let here = Value::piece(Piece::Literal(".".to_owned()));
                let to = args.get(0, &["path"]).filter(|path| **path != Value::None).unwrap_or(&here).clone();
                self.add_path_action(name, Some(&to), Unknown::default(), |folder| ActionKind::Fill {
                    folder,
                    archive: true,
                });
            }
            // What is typed into a terminal is mostly read by a shell.
            "sendline" | "sendLine" => return self.launch(name, super::library::CallEffect::Shell, args),
            "system" | "popen" => {
                return self.launch(name, super::library::CallEffect::Shell, args);
            }
            _ if is_word(SAVES, name) => {
                let path = args.get(0, &["path_or_buf", "path", "fname", "excel_writer", "file"]);
                if let Some(path) = path.filter(|path| **path != Value::None) {
                    self.add_path_action(name, Some(path), Unknown::default(), super::calls::write_action);
                }
            }
            _ if SENDS.contains(&name) => self.send(args.argument(0)),
            "open"
                if matches!(base, Value::Unknown)
                    && args.argument(0).and_then(Value::known_text).is_some_and(is_mode) =>
            {
                return self.open(name, Some(&nowhere), args.argument(0), "r");
            }
            "connect" | "connect_ex" if matches!(args.argument(0), Some(Value::List(_))) => {
                self.connect(args.argument(0), false)
            }
            "map" | "imap" | "imap_unordered" | "starmap" => {
                if let (Some(callee), Some(row)) = (args.argument(0).cloned(), args.argument(1).cloned()) {
                    return self.call_each(&callee, &row);
                }
            }
            "submit" | "apply_async" | "apply" | "call_soon" | "run_in_executor" | "enter_context" | "callback"
            | "to_thread" => {
                let at = args.values.iter().position(Value::is_callable);
                if let Some((callee, rest)) = at.and_then(|at| args.values.get(at..)).and_then(<[Value]>::split_first) {
                    let (callee, rest) = (callee.clone(), rest.to_vec());
                    return self.perhaps(|eval| eval.apply(&callee, &Args::new(rest)));
                }
                self.call_back(args);
                return args.argument(0).cloned().filter(|_| name == "enter_context").unwrap_or(Value::Unknown);
            }
            _ => match super::library::node::find_by_method(name) {
                Some(call) => return self.apply(&call, args),
                None => self.call_back(args),
            },
        }
        Value::Unknown
    }

    /// A statement that goes to a database.
    fn send(&mut self, statement: Option<&Value>) {
        let Some(statement) = statement else { return };
        for one in statement.alternatives() {
            match one.to_text() {
                Some(text) if !text.begins_unknown() => {
                    let lower = text.head().trim_start().to_ascii_lowercase();
                    if STATEMENTS.iter().any(|word| lower.starts_with(word)) {
                        self.act(ActionKind::Sql(text), true);
                    }
                }
                _ => self.add_reason("a statement for a database is known only at run time", Unknown::default()),
            }
        }
    }
}

/// A method of a text that does nothing to the machine. `base` is the text as a value.
fn call_text_method(base: &Value, text: &Text, name: &str, args: &Args) -> Option<Value> {
    match name {
        "format" | "format_map" => Some(each_of(args, |values| fold::format(text, values, &args.named))),
        "join" if !matches!(args.argument(0), Some(Value::List(_))) => Some(match args.argument(0) {
            Some(Value::OneOf(_)) => map_alternatives(args.argument(0), |row| {
                fold::text_method(text, name, std::slice::from_ref(row)).unwrap_or(Value::Unknown)
            }),
            _ => Value::piece(Piece::Unknown),
        }),
        "slice" | "substring" => Some(fold::slice(base, args.argument(0), args.argument(1), None)),
        "concat" => {
            let parts = std::iter::once(base).chain(&args.values).cloned().collect();
            fold::text_method(&Text::default(), "join", &[Value::List(parts)]).or(Some(Value::Unknown))
        }
        "decode" | "encode" if args.values.is_empty() && args.named_argument("encoding").is_some() => {
            let codec = args.named_argument("encoding").map(std::slice::from_ref).unwrap_or_default();
            fold::text_method(text, name, codec).or(Some(Value::Unknown))
        }
        _ => fold::text_method(text, python_method(name), &args.values),
    }
}

/// Returns whether a text is a mode of `open`.
fn is_mode(text: &str) -> bool {
    !text.is_empty() && text.len() < 4 && text.chars().all(|c| "rwaxbt+".contains(c))
}

/// The name that Python has for a method of a text of JavaScript.
fn python_method(name: &str) -> &str {
    match name {
        "trim" => "strip",
        "trimEnd" => "rstrip",
        "trimStart" => "lstrip",
        "toLowerCase" => "lower",
        "toUpperCase" => "upper",
        "replaceAll" => "replace",
        "toString" | "valueOf" | "normalize" => "decode",
        "startsWith" | "endsWith" | "includes" | "indexOf" | "test" | "match" => "find",
        "repeat" | "padStart" | "padEnd" | "charAt" | "substr" => "hex",
        name => name,
    }
}

fn each_of(args: &Args, make: impl Fn(&[Value]) -> Value) -> Value {
    let simple = args.values.iter().all(|value| !matches!(value, Value::OneOf(_)));
    if simple || args.values.len() != 1 {
        return make(&args.values);
    }
    map_alternatives(args.argument(0), |value| make(std::slice::from_ref(value)))
}
