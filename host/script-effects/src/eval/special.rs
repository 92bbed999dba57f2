//! Calls that change objects, rows or names of the script, and other spellings of calls.

use super::calls::Args;
use super::evaluator::Evaluator;
use super::state::{ANY, Scope};
use super::value::{Names, Object, Value};
use crate::{Piece, Text};

/// Types whose methods may be called by their full names, with the value as the first argument.
const TYPES: &[&str] = &[
    "builtins.list.",
    "builtins.dict.",
    "builtins.set.",
    "builtins.str.",
    "builtins.tuple.",
    "builtins.object.",
    "collections.deque.",
    "builtins.type.",
];

impl Evaluator<'_> {
    /// Calls an object, or makes one of a class.
    pub(super) fn call_object(&mut self, place: usize, args: &Args) -> Value {
        let stored = self.value_at(place);
        let mut found = Vec::new();
        for one in stored.alternatives() {
            found.push(match one {
                Value::Object(object) if object.any.is_some() => self.instance(place, args),
                Value::Object(_) => match self.member(&Value::Ref(place), "__call__") {
                    callee @ (Value::Partial(..) | Value::Function(_)) => self.apply(&callee, args),
                    _ => Value::Unknown,
                },
                _ => Value::Unknown,
            });
        }
        Value::join(found)
    }

    /// Calls that want their arguments as they are held; none if it is not one of them.
    pub(super) fn call_special(&mut self, name: &str, args: &Args) -> Option<Value> {
        let first = args.argument(0).unwrap_or(&Value::Unknown);
        let value = self.call_environment(name, first, args).or_else(|| self.call_on_rows(name, first, args));
        let value = value.or_else(|| self.call_on_objects(name, first, args));
        value.or_else(|| match name {
            "builtins.exec" | "builtins.eval" => {
                let code = args.values.first().map(|code| self.load(code));
                let values = code.into_iter().chain(args.values.iter().skip(1).cloned()).collect();
                Some(self.run_in_namespace(name, &Args { values, ..args.clone() }))
            }
            // What is printed is not called.
            "builtins.print" | "builtins.len" => Some(Value::Unknown),
            "os.fchdir" => {
                self.state.folder = Some(Text::of(Piece::Unknown));
                self.touch();
                Some(Value::None)
            }
            _ => self.call_by_full_name(name, args),
        })
    }

    /// Calls that read or set variables of the environment.
    fn call_environment(&mut self, name: &str, variable: &Value, args: &Args) -> Option<Value> {
        let environment = || Value::named("os.environ");
        Some(match name {
            "os.getenv" | "os.environ.get" | "os.environ.pop" | "os.environ.__getitem__" | "os.getenvb" => {
                let found = self.item(&environment(), variable);
                Value::join([found].into_iter().chain(args.argument(1).cloned()))
            }
            "os.putenv" | "os.environ.__setitem__" => {
                self.set_item(&environment(), variable, args.argument(1).unwrap_or(&Value::Unknown));
                Value::None
            }
            "os.environ.setdefault" => {
                let found = self.item(&environment(), variable);
                let all = Value::join([found, args.argument(1).cloned().unwrap_or(Value::Unknown)]);
                self.set_item(&environment(), variable, &all);
                all
            }
            _ => return None,
        })
    }

    /// Calls that make or change a row or a table.
    fn call_on_rows(&mut self, name: &str, row: &Value, args: &Args) -> Option<Value> {
        let rest = || Args { values: args.values.iter().skip(1).cloned().collect(), ..args.clone() };
        Some(match name {
            "operator.setitem" => {
                let (key, value) =
                    (args.argument(1).unwrap_or(&Value::Unknown), args.argument(2).unwrap_or(&Value::Unknown));
                self.set_item(row, key, value);
                Value::None
            }
            "operator.iadd" | "operator.iconcat" | "operator.ior" => {
                let method = if name == "operator.ior" { "__ior__" } else { "__iadd__" };
                self.call_method_of(row, method, &rest())
            }
            "heapq.heappush" | "bisect.insort" | "bisect.insort_left" | "bisect.insort_right" => {
                self.call_method_of(row, "append", &rest());
                self.call_method_of(row, "sort", &Args::default())
            }
            "heapq.heappop" | "heapq.heapify" | "random.shuffle" => {
                let stored = self.load(row);
                self.call_method_of(row, "sort", &Args::default());
                stored.element()
            }
            "collections.deque" | "builtins.frozenset" | "builtins.set" | "builtins.list" | "builtins.tuple"
                if !args.values.is_empty() =>
            {
                let stored = self.load(row);
                stored.elements().map_or_else(|| Value::many(stored.element()), Value::List)
            }
            "collections.deque" | "queue.Queue" | "asyncio.Queue" => Value::List(Vec::new()),
            "builtins.dict" | "collections.OrderedDict" => {
                let this = self.store_value(Value::Dict(Vec::new()));
                self.call_method_of(&this, "update", args);
                this
            }
            _ => return None,
        })
    }

    /// Calls that make, copy or change an object, or get something of one.
    fn call_on_objects(&mut self, name: &str, object: &Value, args: &Args) -> Option<Value> {
        Some(match name {
            "builtins.setattr" | "builtins.object.__setattr__" => {
                let member = args.argument(1).and_then(Value::known_text).unwrap_or(ANY);
                self.set_member(object, member, args.argument(2).cloned().unwrap_or(Value::Unknown));
                Value::None
            }
            "builtins.delattr" => Value::None,
            "builtins.vars" if matches!(object, Value::Ref(_)) => self.member(object, "__dict__"),
            "builtins.super" => match args.values.as_slice() {
                [Value::Ref(class), this] => Value::Super(Box::new(this.clone()), *class),
                _ => self.super_value(),
            },
            "inspect.getmembers" if matches!(object, Value::Named(_)) => {
                let all = if *object == Value::named("__main__") { "builtins.globals()" } else { "" };
                Value::many(Value::List(vec![Value::piece(Piece::Unknown), self.all_values(all)]))
            }
            "types.SimpleNamespace" | "argparse.Namespace" => {
                let this = self.store_value(Value::Object(Box::default()));
                for (name, value) in &args.named {
                    self.set_member(&this, name, value.clone());
                }
                if args.open || !args.values.is_empty() {
                    self.set_member(&this, ANY, Value::Unknown);
                }
                this
            }
            "collections.namedtuple" => self.named_tuple_class(args),
            "dataclasses.field" => Value::Partial(Box::new(Value::named(name)), Box::new(args.clone())),
            "dataclasses.replace" | "copy.replace" => self.replace_fields(object, args),
            "copy.copy" | "copy.deepcopy" => match self.load(object) {
                Value::Ref(place) => {
                    let stored = (*self.value_at(place)).clone();
                    self.store_value(stored)
                }
                other => other,
            },
            "operator.attrgetter" | "operator.methodcaller" | "operator.itemgetter" => {
                Value::Partial(Box::new(Value::Named(format!("{name}()"))), Box::new(args.clone()))
            }
            "operator.attrgetter()" | "operator.methodcaller()" | "operator.itemgetter()" => {
                self.call_getter(name, args)
            }
            _ => return None,
        })
    }

    /// The value that a getter gives for the value after its own arguments.
    fn call_getter(&mut self, name: &str, args: &Args) -> Value {
        let Some((what, base)) = args.values.first().zip(args.values.last()).filter(|_| args.values.len() > 1) else {
            return Value::Hidden;
        };
        if name == "operator.itemgetter()" {
            return self.item(base, what);
        }
        match what.known_text() {
            Some(path) if name == "operator.attrgetter()" => {
                path.split('.').fold(base.clone(), |base, member| self.member(&base, member))
            }
            Some(method) => {
                let callee = self.member(base, method);
                let inner = args.values.get(1..args.values.len().saturating_sub(1)).unwrap_or_default();
                self.apply(&callee, &Args { values: inner.to_vec(), ..args.clone() })
            }
            None if matches!(base, Value::Named(_) | Value::Hidden) => Value::Hidden,
            None => Value::Unknown,
        }
    }

    /// All that a table of names holds, one of which is meant.
    fn all_values(&mut self, table: &str) -> Value {
        if table != "builtins.globals()" {
            return Value::Hidden;
        }
        let values = self.state.scopes.first().map(|scope| scope.names.values().cloned().collect::<Vec<Value>>());
        let all = Value::join(values.unwrap_or_default().into_iter().filter(Value::is_callable));
        self.mention(&all);
        all
    }

    fn call_method_of(&mut self, base: &Value, method: &str, args: &Args) -> Value {
        let callee = self.member(base, method);
        self.apply(&callee, args)
    }

    /// A method under the full name of its type, or a lookup in what a module holds.
    fn call_by_full_name(&mut self, name: &str, args: &Args) -> Option<Value> {
        let names = Value::piece(Piece::Unknown);
        let all = |table: &str| table.ends_with(".__dict__") || matches!(table, "builtins.globals()" | "sys.modules");
        match name.rsplit_once('.').filter(|(table, _)| all(table)) {
            Some((table, "values")) => return Some(Value::many(self.all_values(table))),
            Some((table, "items")) => return Some(Value::many(Value::List(vec![names, self.all_values(table)]))),
            Some((table, "copy")) => return Some(Value::named(table)),
            _ => {}
        }
        let none = Value::Dict(Vec::new());
        let first = args.argument(0).or_else(|| Some(&none).filter(|_| name.ends_with(".update")))?;
        let rest = Args { values: args.values.iter().skip(1).cloned().collect(), ..args.clone() };
        if let Some((table, method)) = name.rsplit_once('.')
            && (table.ends_with(".__dict__") || matches!(table, "builtins.globals()" | "sys.modules" | "os.environ"))
        {
            return match method {
                "get" | "pop" | "__getitem__" | "setdefault" => {
                    let found = self.item(&Value::named(table), first);
                    Some(Value::join([found].into_iter().chain(args.argument(1).cloned())))
                }
                "update" => {
                    let more = self.load(first);
                    let items =
                        if let Value::Dict(items) = more { items } else { vec![(Value::Unknown, Value::Unknown)] };
                    let named = args.named.iter().map(|(name, value)| (Value::text(name), value.clone()));
                    for (key, value) in items.into_iter().chain(named) {
                        self.set_item(&Value::named(table), &key, &value);
                    }
                    Some(Value::None)
                }
                "__setitem__" => {
                    self.set_item(&Value::named(table), first, args.argument(1).unwrap_or(&Value::Unknown));
                    Some(Value::None)
                }
                _ => None,
            };
        }
        if let Some(module) = name.strip_suffix(".__getattribute__").or_else(|| name.strip_suffix(".__getattr__")) {
            let (base, key) = match (module, args.argument(1)) {
                ("builtins.object" | "builtins.type", Some(key)) => (first.clone(), key),
                _ => (Value::named(module), first),
            };
            return Some(key.known_text().map_or(Value::Hidden, |key| self.member(&base, key)));
        }
        if let Some(method) = name.strip_prefix("pathlib.Path.").filter(|method| !matches!(*method, "home" | "cwd")) {
            let paths = first.alternatives().iter().map(|path| match path {
                Value::Text(text) => Value::Path(text.clone()),
                Value::Unknown => Value::Path(Text::of(Piece::Unknown)),
                other => other.clone(),
            });
            let base = Value::join(paths);
            return Some(self.call_method_of(&base, method, &rest));
        }
        let own = TYPES.iter().find_map(|kind| name.strip_prefix(kind))?;
        (!matches!(own, "fromkeys" | "maketrans" | "__new__" | "__init__"))
            .then(|| self.call_method_of(first, own, &rest))
    }

    /// A class whose fields are named in a row.
    fn named_tuple_class(&mut self, args: &Args) -> Value {
        let names = args.argument(1).map(|names| self.load(names)).unwrap_or(Value::Unknown);
        let row: Vec<String> = match names.known_text() {
            Some(text) => text.replace(',', " ").split_whitespace().map(str::to_owned).collect(),
            None => {
                names.elements().unwrap_or_default().iter().filter_map(Value::known_text).map(str::to_owned).collect()
            }
        };
        let any = self.store_value(Value::Object(Box::default()));
        let Value::Ref(any) = any else { return Value::Unknown };
        self.store_value(Value::Object(Box::new(Object { row, any: Some(any), ..Object::default() })))
    }

    /// A copy of an object of which some fields are others.
    fn replace_fields(&mut self, object: &Value, args: &Args) -> Value {
        let Value::Ref(place) = object else { return Value::Unknown };
        let stored = (*self.value_at(*place)).clone();
        let this = self.store_value(stored);
        for (name, value) in &args.named {
            self.set_member(&this, name, value.clone());
        }
        if args.open {
            self.set_member(&this, ANY, Value::Unknown);
        }
        this
    }

    /// Code that is run from a text, in names of its own if they are given.
    pub(super) fn run_in_namespace(&mut self, name: &str, args: &Args) -> Value {
        let Some(code) = args.argument(0) else { return Value::Unknown };
        let tables: Vec<Value> =
            args.values.iter().skip(1).filter(|table| matches!(table, Value::Ref(_))).cloned().collect();
        if tables.is_empty() {
            return self.run_code(name, code);
        }
        let mut names = Names::new();
        for table in &tables {
            if let Value::Dict(items) = self.load(table) {
                names.extend(items.into_iter().filter_map(|(key, value)| Some((key.known_text()?.to_owned(), value))));
            }
        }
        let scope = Scope { names, parent: Some(self.current), ..Scope::default() };
        let (value, names) = self.within(scope, |eval| {
            let value = eval.run_code(name, code);
            (value, eval.scope().map(|scope| scope.names.clone()).unwrap_or_default())
        });
        for (name, value) in names {
            tables.iter().for_each(|table| self.set_item(table, &Value::text(&name), &value));
        }
        value
    }
}
