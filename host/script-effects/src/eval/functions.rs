//! Functions of the script: what they are, and what a call of one does.

use std::rc::Rc;

use super::calls::Args;
use super::evaluator::Evaluator;
use super::state::{Kind as Place, Scope};
use super::value::{ELEMENTS, Names, Value};
use crate::ir::{self, Block, Expression, FIELD, INITIALIZER};

/// The maximum number of calls that are evaluated again at the end.
const LATER: usize = 256;

/// The maximum number of recorded calls of a function.
const KNOWN: usize = 8;

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// It takes an object of its class.
    Method,
    /// It takes its class.
    OfClass,
    /// Asking for it calls it.
    Property,
}

/// A function of the script.
#[derive(Debug, Clone)]
pub(super) struct Function<'a> {
    code: &'a ir::Function,
    pub(super) kind: Kind,
    /// Values of parameters that are not given.
    defaults: Rc<Names>,
    /// The scope in which it stands, and the class.
    scope: usize,
    class: Option<usize>,
    /// `with` gives the value that it yields.
    enters: bool,
    /// Something may call it with other arguments.
    wrapped: bool,
    /// The type of the first argument that a task runner gives it.
    context: Option<&'static str>,
    /// It has a name that nothing was seen to ask for.
    unasked: bool,
    /// It is called by an operator or a statement.
    implied: bool,
    called: bool,
    /// How many of its calls are being followed.
    active: usize,
    /// Results of calls that changed nothing.
    known: Rc<Vec<Known>>,
}

/// A call that changed nothing.
#[derive(Debug, Clone)]
struct Known {
    args: Args,
    /// The state, and whether the call was certain.
    start: (usize, bool),
    value: Value,
}

/// The type of the object that a task runner gives to the functions with this decorator.
fn context(decorator: &Value) -> Option<&'static str> {
    match decorator {
        Value::Named(name) => match name.as_str() {
            "nox.session" => Some("nox.Session"),
            "invoke.task" | "fabric.task" => Some("invoke.Context"),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Evaluator<'a> {
    /// A function that may be called.
    pub(super) fn function(&mut self, code: &'a ir::Function) -> Value {
        let mut defaults = Names::new();
        for parameter in &code.parameters.all {
            if let Some(default) = &parameter.default {
                let value = self.evaluate(default);
                let value = self.store_value(value);
                defaults.insert(parameter.name.clone(), value);
            }
        }
        // A function does not see the names of the class around it.
        let scope = self.scope().filter(|scope| scope.kind == Place::Class);
        let class = scope.and_then(|scope| scope.this.as_ref()).map(|(class, _)| *class);
        let around = scope.and_then(|scope| scope.parent).unwrap_or(self.current);
        let kind = if class.is_some() { Kind::Method } else { Kind::Plain };
        self.functions.push(Function {
            code,
            kind,
            defaults: Rc::new(defaults),
            scope: around,
            class,
            enters: false,
            wrapped: false,
            context: None,
            unasked: false,
            implied: false,
            called: false,
            active: 0,
            known: Rc::default(),
        });
        Value::Function(self.functions.len().saturating_sub(1))
    }

    /// A function with a name, and what its decorators make of it.
    pub(super) fn define(&mut self, definition: &'a ir::Function) {
        let decorators: Vec<Value> = definition.decorators.iter().map(|decorator| self.evaluate(decorator)).collect();
        let context = definition.decorators.iter().find_map(|decorator| match decorator {
            Expression::Call(callee, _) => context(&self.evaluate(callee)),
            decorator => context(&self.evaluate(decorator)),
        });
        let name = definition.name.trim_start_matches(FIELD);
        let mut value = self.function(definition);
        let Value::Function(at) = value else { return };
        let class = self.functions.get(at).and_then(|function| function.class);
        if let Some(class) = class {
            self.methods.entry(name).or_default().push((class, at));
        }
        if let Some(function) = self.functions.get_mut(at) {
            let dunder = name.starts_with("__") && name.ends_with("__");
            function.implied =
                class.is_some() && dunder && !matches!(name, INITIALIZER | "__enter__" | "__call__" | "__exit__");
            function.unasked = class.is_none() && decorators.is_empty();
            function.context = context;
        }
        for decorator in decorators.into_iter().rev() {
            value = self.decorate(&decorator, value);
        }
        self.set(&definition.name, value);
    }

    fn decorate(&mut self, decorator: &Value, value: Value) -> Value {
        let name = match decorator {
            Value::Named(name) => name.trim_start_matches("builtins."),
            Value::Method(_, name) => name,
            _ => "",
        };
        let Value::Function(at) = value else { return self.apply(decorator, &Args::new(vec![value])) };
        let Some(function) = self.functions.get_mut(at) else { return Value::Unknown };
        match name {
            "staticmethod" | "abc.abstractstaticmethod" => function.kind = Kind::Plain,
            "classmethod" => function.kind = Kind::OfClass,
            "property" | "functools.cached_property" | "abc.abstractproperty" => function.kind = Kind::Property,
            "contextlib.contextmanager" | "contextlib.asynccontextmanager" => function.enters = true,
            "functools.cache"
            | "functools.lru_cache"
            | "abc.abstractmethod"
            | "typing.overload"
            | "typing.no_type_check"
            | "atexit.register" => {}
            // A setter is asked for by its property's name.
            "setter" | "getter" | "deleter" => function.implied = true,
            _ => match decorator {
                Value::Function(_) | Value::Partial(..) | Value::Ref(_) | Value::OneOf(_) | Value::Hidden => {
                    return self.apply(decorator, &Args::new(vec![value]));
                }
                _ => function.wrapped = true,
            },
        }
        value
    }

    /// Notes that something asks for functions by their names.
    pub(super) fn mention(&mut self, value: &Value) {
        for one in value.alternatives() {
            if let Value::Function(at) = one
                && let Some(function) = self.functions.get_mut(*at)
            {
                function.unasked = false;
            }
        }
    }

    /// Notes that something may call a function that was not seen to do so.
    pub(super) fn imply(&mut self, at: usize) {
        self.functions.get_mut(at).into_iter().for_each(|function| function.implied = true);
    }

    /// Notes a call that may be done when the rest of the code has run.
    pub(super) fn defer_call(&mut self, callee: &Value, args: &Args) {
        let function = match callee {
            Value::Function(at) => Some(*at),
            Value::Partial(callee, _) => match **callee {
                Value::Function(at) => Some(at),
                _ => None,
            },
            _ => None,
        };
        // What is no function of the script does the same at any time.
        let Some(function) = function else { return };
        let one = (callee.clone(), args.clone());
        if self.later.contains(&one) {
            return;
        }
        self.spend(1 + self.later.len() / 4);
        if self.later.len() >= LATER {
            return self.imply(function);
        }
        self.later.push(one);
    }

    /// Follows the functions that nothing was seen to call, and what may be called at the end.
    pub(super) fn follow_all_uncalled(&mut self) {
        // One may set what another one uses.
        for pass in 0..2 {
            let mut at = 0;
            while let Some(function) = self.functions.get(at) {
                if !function.called || function.implied {
                    self.follow_uncalled(at);
                    if let Some(function) = self.functions.get_mut(at) {
                        function.called = pass > 0;
                    }
                }
                at += 1;
            }
            let mut next = 0;
            while let Some((callee, args)) = self.later.get(next).cloned() {
                self.perhaps(|eval| eval.apply(&callee, &args));
                next += 1;
            }
        }
    }

    fn follow_uncalled(&mut self, at: usize) {
        let Some(function) = self.functions.get(at) else { return };
        let (class, kind, unasked) = (function.class, function.kind, function.unasked);
        let mut args = Args { open: true, ..Args::default() };
        args.values.extend(function.context.map(Value::named));
        if let Some(class) = class
            && let Value::Object(object) = &*self.value_at(class)
        {
            match kind {
                Kind::OfClass => args.values.push(Value::Ref(class)),
                Kind::Plain => {}
                _ => args.values.extend(object.any.map(Value::Ref)),
            }
        }
        let follow = |eval: &mut Self| {
            eval.perhaps(|eval| eval.call_function(at, &args));
        };
        if unasked {
            self.quietly(follow)
        } else {
            follow(self)
        }
        self.touch();
    }

    /// Follows a call of a function of the script.
    pub(super) fn call_function(&mut self, at: usize, args: &Args) -> Value {
        let Some(function) = self.functions.get_mut(at) else { return Value::Unknown };
        function.called = true;
        let start = (self.state.version, self.branches == 0);
        let known = function.known.iter().find(|known| known.start == start && known.args == *args);
        if let Some(known) = known {
            let value = known.value.clone();
            self.spend(1);
            return value;
        }
        let cuts = self.cuts;
        let value = self.call_anew(at, args);
        // What it did once without a change of anything, it does again.
        if self.cuts == cuts
            && self.state.version == start.0
            && !value.contains_place()
            && let Some(function) = self.functions.get_mut(at).filter(|function| function.scope == 0)
        {
            let known = Rc::make_mut(&mut function.known);
            known.truncate(KNOWN);
            known.insert(0, Known { args: args.clone(), start, value: value.clone() });
        }
        value
    }

    fn call_anew(&mut self, at: usize, args: &Args) -> Value {
        let Some(function) = self.functions.get(at) else { return Value::Unknown };
        let again = function.active > 0;
        self.cuts += usize::from(again);
        let mut args = args.clone();
        args.open |= function.wrapped;
        if again {
            // What a function makes of its arguments before it calls itself again is not known.
            let open = |value: Value| if matches!(value, Value::Ref(_)) { value } else { Value::Unknown };
            args.values = args.values.into_iter().map(open).collect();
            args.named = args.named.into_iter().map(|(name, value)| (name, open(value))).collect();
        }
        if again && self.repeats > 0 || self.is_deep() {
            self.cuts += 1;
            for value in &mut args.values {
                if self.load(value).is_row() {
                    *value = Value::Unknown;
                }
            }
            self.defer_call(&Value::Function(at), &args);
            return Value::Unknown;
        }
        if !self.enter() {
            return Value::Unknown;
        }
        let Some(function) = self.functions.get_mut(at) else { return Value::Unknown };
        function.active += 1;
        let function = function.clone();
        self.repeats += usize::from(again);
        let names = self.parameters(&function, &args, again);
        let this = function.class.map(|class| (class, args.values.first().cloned().unwrap_or(Value::Unknown)));
        let scope = Scope { names, parent: Some(function.scope), this, ..Scope::default() };
        self.yielded.push(Vec::new());
        let value = self.within(scope, |eval| eval.follow(&function.code.body));
        let yielded = self.yielded.pop().unwrap_or_default();
        self.repeats -= usize::from(again);
        if let Some(function) = self.functions.get_mut(at) {
            function.active = function.active.saturating_sub(1);
        }
        self.leave();
        if yielded.is_empty() {
            return value.truncate();
        }
        // What it does between two values, it does when they are asked for.
        if self.functions.len() <= ELEMENTS && !again {
            self.defer_call(&Value::Function(at), &args);
        }
        let one = Value::join(yielded);
        if function.enters { one.truncate() } else { Value::many(one).truncate() }
    }

    fn follow(&mut self, body: &'a Block) -> Value {
        self.returned.push(Vec::new());
        self.exits.push(Vec::new());
        self.block(body);
        let returned = self.returned.pop().unwrap_or_default();
        let exits = self.exits.pop().unwrap_or_default();
        let now = self.state.clone();
        self.merge(exits.into_iter().chain([now]));
        if returned.is_empty() { Value::None } else { Value::join(returned) }
    }

    /// The parameters with what they stand for.
    fn parameters(&mut self, function: &Function<'a>, args: &Args, again: bool) -> Names {
        let mut names = Names::new();
        let parameters = &function.code.parameters;
        let positional = parameters.by_place;
        for (place, parameter) in parameters.all.iter().enumerate() {
            let name = parameter.name.as_str();
            let default = function.defaults.get(name).filter(|_| !again).cloned();
            let at = args.argument(place).filter(|_| place < positional);
            let argument = args.named_argument(name).or(at).cloned();
            let open = argument.is_none().then_some(Value::Unknown).filter(|_| args.open || default.is_none());
            let default = default.filter(|_| argument.is_none());
            let value = Value::join(argument.into_iter().chain(default).chain(open));
            let value = self.store_value(value);
            names.insert(name.to_owned(), value);
        }
        if let Some(rest) = &parameters.rest {
            let mut values: Vec<Value> = args.values.iter().skip(positional).cloned().collect();
            values.extend(args.open.then_some(Value::Unknown));
            let row = if args.open { Value::many(Value::join(values)) } else { Value::List(values) };
            let row = self.store_value(row);
            names.insert(rest.clone(), row);
        }
        if let Some(rest) = &parameters.named_rest {
            let free = |name: &String| !names.contains_key(name);
            let argument = args.named.iter().filter(|(name, _)| free(name));
            let mut items: Vec<(Value, Value)> =
                argument.map(|(name, value)| (Value::text(name), value.clone())).collect();
            items.extend(args.open.then_some((Value::Unknown, Value::Unknown)));
            let table = self.store_value(Value::Dict(items));
            names.insert(rest.clone(), table);
        }
        names
    }

    /// Gives back a value from the function.
    pub(super) fn return_(&mut self, value: Value) {
        let value = self.store_value(value);
        if let Some(returned) = self.returned.last_mut() {
            if returned.len() >= ELEMENTS {
                returned.truncate(1);
                returned.push(Value::Hidden);
            }
            returned.push(value);
        }
        let now = self.state.clone();
        self.exits.last_mut().into_iter().for_each(|exits| exits.push(now.clone()));
    }

    /// Gives a value to what goes through the function.
    pub(super) fn yield_(&mut self, value: Value) {
        let value = self.store_value(value);
        if let Some(yielded) = self.yielded.last_mut()
            && !yielded.contains(&value)
        {
            if yielded.len() < ELEMENTS {
                yielded.push(value);
            } else {
                yielded.push(Value::Hidden);
            }
        }
    }
}
