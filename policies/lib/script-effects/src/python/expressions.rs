//! Expressions: the value of each, and what evaluating it does.

use ruff_python_ast::{
    Arguments, Comprehension, Expr, ExprCall, ExprFString, FStringPart, InterpolatedStringElement, Operator, UnaryOp,
};

use super::calls::Args;
use super::fold;
use super::names::{canonical, constant};
use super::reader::{Body, Names, Reader, Scope};
use super::statements::number;
use super::value::{ELEMENTS, Value};
use crate::{Piece, Text};

/// The most turns of a comprehension that are followed.
const TURNS: usize = 64;

/// Members by which code goes around the names of things.
const AROUND: &[&str] =
    &["__subclasses__", "__globals__", "__code__", "__reduce__", "gi_frame", "f_globals", "f_builtins"];

impl<'a> Reader<'a> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expression: &'a Expr) -> Value {
        if !self.enter() {
            return Value::Unknown;
        }
        let value = self.value(expression);
        self.leave();
        value
    }

    fn value(&mut self, expression: &'a Expr) -> Value {
        match expression {
            Expr::StringLiteral(literal) => Value::text(literal.value.to_str()),
            Expr::BytesLiteral(literal) => {
                let bytes: Vec<u8> = literal.value.bytes().collect();
                Value::text(&String::from_utf8_lossy(&bytes))
            }
            Expr::FString(string) => self.f_string(string),
            Expr::NumberLiteral(literal) => number(&literal.value),
            Expr::BooleanLiteral(literal) => Value::Bool(literal.value),
            Expr::NoneLiteral(_) => Value::None,
            Expr::Name(name) => self.get(name.id.as_str()),
            Expr::Attribute(attribute) => {
                let base = self.eval(&attribute.value);
                self.member(&base, attribute.attr.as_str())
            }
            Expr::Call(call) => self.call(call),
            Expr::Subscript(subscript) => {
                let base = self.eval(&subscript.value);
                if let Expr::Slice(slice) = &*subscript.slice {
                    let mut part = |bound: &'a Option<Box<Expr>>| bound.as_ref().map(|bound| self.eval(bound));
                    let (from, to, step) = (part(&slice.lower), part(&slice.upper), part(&slice.step));
                    return fold::slice(&base, from.as_ref(), to.as_ref(), step.as_ref());
                }
                let key = self.eval(&subscript.slice);
                self.item(&base, &key)
            }
            Expr::BinOp(_) => self.operators(expression),
            Expr::BoolOp(operation) => {
                let values: Vec<Value> =
                    operation.values.iter().map(|value| self.perhaps(|reader| reader.eval(value))).collect();
                Value::join(values)
            }
            Expr::UnaryOp(operation) => match (operation.op, self.eval(&operation.operand)) {
                (UnaryOp::USub, Value::Int(number)) => number.checked_neg().map_or(Value::Unknown, Value::Int),
                _ => Value::Unknown,
            },
            Expr::If(choice) => {
                self.eval(&choice.test);
                let values = [&choice.body, &choice.orelse].map(|side| self.perhaps(|reader| reader.eval(side)));
                Value::join(values)
            }
            Expr::Compare(compare) => {
                self.eval(&compare.left);
                compare.comparators.iter().for_each(|side| {
                    self.eval(side);
                });
                Value::Unknown
            }
            Expr::Named(named) => {
                let value = self.eval(&named.value);
                self.bind(&named.target, value.clone());
                value
            }
            Expr::List(list) => self.row(&list.elts),
            Expr::Tuple(tuple) => self.row(&tuple.elts),
            Expr::Set(set) => self.row(&set.elts),
            Expr::Dict(dict) => {
                let mut items = Vec::new();
                for item in &dict.items {
                    let key = item.key.as_ref().map(|key| self.eval(key));
                    let value = self.eval(&item.value);
                    match (key, value) {
                        (Some(key), value) => items.push((key, value)),
                        (None, Value::Dict(more)) => items.extend(more),
                        (None, _) => items.push((Value::Unknown, Value::Unknown)),
                    }
                }
                items.truncate(ELEMENTS);
                Value::Dict(items).bounded()
            }
            Expr::Lambda(lambda) => self.function(lambda.parameters.as_deref(), Body::Value(&lambda.body)),
            Expr::ListComp(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::SetComp(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::Generator(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::DictComp(row) => {
                self.comprehension(&row.generators, &row.value, row.key.as_deref());
                Value::Unknown
            }
            Expr::Await(inner) => self.eval(&inner.value),
            Expr::Yield(inner) => inner.value.as_ref().map_or(Value::None, |value| self.eval(value)),
            Expr::YieldFrom(inner) => self.eval(&inner.value),
            Expr::Starred(starred) => self.eval(&starred.value),
            Expr::TString(_) | Expr::Slice(_) | Expr::EllipsisLiteral(_) | Expr::IpyEscapeCommand(_) => Value::Unknown,
        }
    }

    /// Operators between operands: those on the left in a loop, for a text may be joined of very many.
    fn operators(&mut self, expression: &'a Expr) -> Value {
        let mut rights: Vec<(Operator, &'a Expr)> = Vec::new();
        let mut first = expression;
        while let Expr::BinOp(operation) = first {
            rights.push((operation.op, &operation.right));
            first = &operation.left;
        }
        let mut value = self.eval(first);
        for (operator, right) in rights.into_iter().rev() {
            let right = self.eval(right);
            value = self.binary(&value, operator, &right);
        }
        value
    }

    /// One operator.
    pub(super) fn binary(&mut self, left: &Value, operator: Operator, right: &Value) -> Value {
        let mut found = Vec::new();
        for left in left.alternatives() {
            for right in right.alternatives() {
                if !self.spend(1 + (left.weight(4) + right.weight(4)) / 16) {
                    return Value::Unknown;
                }
                found.push(fold::binary(left, operator, right));
            }
        }
        Value::join(found).bounded()
    }

    fn row(&mut self, elements: &'a [Expr]) -> Value {
        let mut values = Vec::new();
        let mut open = false;
        for element in elements {
            let value = self.eval(element);
            match (element, value.elements()) {
                (Expr::Starred(_), Some(more)) => values.extend(more),
                (Expr::Starred(_), None) => {
                    open = true;
                    values.push(value.element());
                }
                _ => values.push(value),
            }
            if values.len() > ELEMENTS {
                return Value::many(Value::join(values)).bounded();
            }
        }
        // The number of words may differ, but what stands before counts: a program by its name.
        let _ = open;
        Value::List(values).bounded()
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], element: &'a Expr, key: Option<&'a Expr>) -> Value {
        self.scopes.push(Scope::default());
        let value = self.generate(generators, element, key);
        self.scopes.pop();
        value.bounded()
    }

    fn generate(&mut self, generators: &'a [Comprehension], element: &'a Expr, key: Option<&'a Expr>) -> Value {
        let Some((first, rest)) = generators.split_first() else {
            key.map(|key| self.eval(key));
            return self.eval(element);
        };
        if !self.enter() {
            return Value::Unknown;
        }
        let row = self.eval(&first.iter);
        let elements = row.elements().filter(|elements| elements.len() <= TURNS);
        let known = elements.is_some();
        let mut found = Vec::new();
        for value in elements.unwrap_or_else(|| vec![row.element()]) {
            self.bind(&first.target, value);
            first.ifs.iter().for_each(|test| {
                self.eval(test);
            });
            let uncertain = usize::from(!known || !first.ifs.is_empty());
            self.branches += uncertain;
            match self.generate(rest, element, key) {
                Value::List(more) if !rest.is_empty() => found.extend(more),
                value => found.push(value),
            }
            self.branches -= uncertain;
        }
        self.leave();
        found.truncate(ELEMENTS);
        if known { Value::List(found) } else { Value::many(Value::join(found)) }
    }

    fn f_string(&mut self, string: &'a ExprFString) -> Value {
        let mut texts = vec![Text::default()];
        for part in string.value.iter() {
            match part {
                FStringPart::Literal(literal) => add(&mut texts, &[Text::literal(literal.as_str())]),
                FStringPart::FString(string) => {
                    for element in string.elements.iter() {
                        match element {
                            InterpolatedStringElement::Literal(literal) => {
                                add(&mut texts, &[Text::literal(&literal.value)])
                            }
                            InterpolatedStringElement::Interpolation(inner) => {
                                let value = self.eval(&inner.expression);
                                let plain = inner.format_spec.is_none() && inner.debug_text.is_none();
                                let part = |value: &Value| match inner.conversion.to_byte() {
                                    _ if !plain => Text::of(Piece::Unknown),
                                    None | Some(b's') => value.as_part(),
                                    _ => fold::represented(value),
                                };
                                let parts: Vec<Text> = value.alternatives().iter().map(part).collect();
                                add(&mut texts, &parts);
                            }
                        }
                    }
                }
            }
        }
        let weight: usize = texts.iter().map(Text::weight).sum();
        if !self.spend(weight / 16) {
            return Value::Unknown;
        }
        Value::join(texts.into_iter().map(Value::Text))
    }

    fn call(&mut self, call: &'a ExprCall) -> Value {
        let callee = self.eval(&call.func);
        let args = self.arguments(&call.arguments);
        if let Expr::Attribute(attribute) = &*call.func
            && let Expr::Name(name) = &*attribute.value
            && self.grows(name.id.as_str(), attribute.attr.as_str(), &args)
        {
            return Value::None;
        }
        self.apply(&callee, &args)
    }

    fn arguments(&mut self, arguments: &'a Arguments) -> Args {
        let mut args = Args::default();
        for argument in &arguments.args {
            let value = self.eval(argument);
            match (argument, value.elements()) {
                (Expr::Starred(_), Some(more)) => args.values.extend(more),
                (Expr::Starred(_), None) => {
                    args.values.push(value.element());
                    args.open = true;
                }
                _ => args.values.push(value),
            }
        }
        for keyword in &arguments.keywords {
            let value = self.eval(&keyword.value);
            match (&keyword.arg, value) {
                (Some(name), value) => args.named.push((name.as_str().to_owned(), value)),
                (None, Value::Dict(items)) => {
                    let named = |(key, value): (Value, Value)| Some((key.known()?.to_owned(), value));
                    args.named.extend(items.into_iter().filter_map(named));
                }
                (None, _) => args.open = true,
            }
        }
        args
    }

    /// Whether the call makes a row longer that a name stands for.
    fn grows(&mut self, name: &str, method: &str, args: &Args) -> bool {
        let Value::List(_) = self.get(name) else { return false };
        let more = match method {
            "append" | "add" | "push" => args.at(0).cloned().map(|value| vec![value]),
            "extend" | "update" => args.at(0).map(|value| value.elements().unwrap_or_else(|| vec![value.element()])),
            "insert" => args.at(1).cloned().map(|value| vec![value]),
            "clear" | "pop" | "remove" | "sort" | "reverse" | "unshift" | "splice" | "shift" => {
                let more = args.values.clone();
                self.change(name, |old| Value::many(Value::join([old.element()].into_iter().chain(more))));
                return true;
            }
            _ => return false,
        };
        let first = method == "insert" && args.at(0) == Some(&Value::Int(0));
        let elsewhere = method == "insert" && !first;
        self.change(name, |old| match (old, more) {
            (Value::List(values), Some(more)) if !elsewhere && values.len() + more.len() <= ELEMENTS => {
                let (mut row, rest) = if first { (more, values) } else { (values, more) };
                row.extend(rest);
                Value::List(row)
            }
            (old, more) => Value::many(Value::join([old.element()].into_iter().chain(more.unwrap_or_default()))),
        });
        true
    }

    /// What a value is asked for by a name.
    pub(super) fn member(&mut self, base: &Value, name: &str) -> Value {
        if AROUND.contains(&name) {
            return Value::Hidden;
        }
        let mut found = Vec::new();
        for base in base.alternatives() {
            found.push(match base {
                _ if name == "__call__" => base.clone(),
                Value::Hidden => Value::Hidden,
                Value::Named(module) if module.starts_with("node.") => super::node::member(module, name),
                Value::Named(module) if module == "os.environ" && is_variable(name) => {
                    self.item(base, &Value::text(name))
                }
                Value::Named(module) => {
                    let full = canonical(&format!("{module}.{name}"));
                    constant(&full).unwrap_or(Value::Named(full))
                }
                Value::Path(text) => fold::path_member(text, name)
                    .unwrap_or_else(|| Value::Method(Box::new(base.clone()), name.to_owned())),
                Value::File(text) if name == "name" => Value::Text(text.clone()),
                Value::Function(_) | Value::Partial(..) | Value::Method(..) if super::node::CALLERS.contains(&name) => {
                    Value::Method(Box::new(base.clone()), name.to_owned())
                }
                Value::Function(_) | Value::Partial(..) | Value::Method(..) => Value::Unknown,
                // Of an object of JavaScript a key is a member.
                Value::Dict(items) if items.iter().any(|(key, _)| key.known() == Some(name)) => {
                    self.item(base, &Value::text(name))
                }
                Value::Unknown if self.members.contains_key(name) => {
                    self.members.get(name).cloned().unwrap_or(Value::Unknown)
                }
                base => Value::Method(Box::new(base.clone()), name.to_owned()),
            });
        }
        Value::join(found)
    }

    /// What a value holds at a key.
    pub(super) fn item(&mut self, base: &Value, key: &Value) -> Value {
        match base {
            Value::OneOf(values) => {
                let values: Vec<Value> = values.iter().map(|base| self.item(base, key)).collect();
                Value::join(values)
            }
            Value::Named(name) => match (name.as_str(), key.known()) {
                ("os.environ" | "os.environb", Some("HOME")) => Value::piece(Piece::Home),
                ("os.environ" | "os.environb", Some(name)) => Value::piece(Piece::Variable(name.to_owned())),
                ("sys.argv", _) => match key {
                    Value::Int(at) => {
                        usize::try_from(*at).map_or(Value::Unknown, |at| Value::piece(Piece::Argument(at)))
                    }
                    _ => Value::Unknown,
                },
                ("sys.modules", Some(module)) => Value::Named(canonical(module)),
                ("builtins.globals()", Some(name)) => self.get(name),
                ("sys.modules" | "builtins.globals()", None) => Value::Hidden,
                (full, Some(name)) if full.starts_with("node.") => self.member(base, name),
                (full, None) if full.starts_with("node.") => Value::Hidden,
                (full, key) if full.ends_with(".__dict__") => {
                    let module = full.trim_end_matches(".__dict__");
                    key.map_or(Value::Hidden, |name| Value::Named(canonical(&format!("{module}.{name}"))))
                }
                _ => Value::Unknown,
            },
            Value::Dict(items) => {
                let known = items.iter().rev().find(|(known, _)| known == key && *key != Value::Unknown);
                known.map_or_else(
                    || Value::join(items.iter().map(|(_, value)| value.clone())),
                    |(_, value)| value.clone(),
                )
            }
            Value::List(values) => {
                let at = match key {
                    Value::Int(at) if *at < 0 => {
                        usize::try_from(at.unsigned_abs()).ok().and_then(|at| values.len().checked_sub(at))
                    }
                    Value::Int(at) => usize::try_from(*at).ok(),
                    _ => None,
                };
                at.and_then(|at| values.get(at).cloned()).unwrap_or_else(|| base.element())
            }
            _ => base.element(),
        }
    }

    /// Follows a function of the script; without arguments, all of them are unknown.
    pub(super) fn call_function(&mut self, at: usize, args: Option<&Args>) -> Value {
        let Some(function) = self.functions.get_mut(at) else { return Value::Unknown };
        function.called = true;
        if function.active > 1 || !self.enter() {
            return Value::Unknown;
        }
        let Some(function) = self.functions.get_mut(at) else { return Value::Unknown };
        // What a function makes of its arguments before it calls itself again is not known.
        let args = args.filter(|_| function.active == 0);
        function.active += 1;
        let function = *function;
        let mut names = Names::new();
        if let Some(parameters) = function.parameters {
            for (place, parameter) in parameters.iter_non_variadic_params().enumerate() {
                let name = parameter.parameter.name.as_str();
                let default = parameter.default.as_ref().map(|default| self.eval(default));
                let given = args.and_then(|args| args.named(name).or_else(|| args.at(place)).cloned());
                let open = args.is_none_or(|args| args.open);
                let value = given.or(default.filter(|_| !open)).unwrap_or(Value::Unknown);
                names.insert(name.to_owned(), value.bounded());
            }
            if let Some(rest) = &parameters.vararg {
                let taken = parameters.posonlyargs.len() + parameters.args.len();
                let rest_values = args.map(|args| Value::List(args.values.iter().skip(taken).cloned().collect()));
                names.insert(rest.name.as_str().to_owned(), rest_values.unwrap_or(Value::Unknown).bounded());
            }
            if let Some(rest) = &parameters.kwarg {
                names.insert(rest.name.as_str().to_owned(), Value::Unknown);
            }
        }
        self.scopes.push(Scope { names, outer: Vec::new() });
        let value = match function.body {
            Body::Value(expression) => self.eval(expression),
            Body::Block(block) => {
                self.returned.push(Vec::new());
                self.block(block);
                let returned = self.returned.pop().unwrap_or_default();
                if returned.is_empty() { Value::None } else { Value::join(returned) }
            }
        };
        self.scopes.pop();
        if let Some(function) = self.functions.get_mut(at) {
            function.active = function.active.saturating_sub(1);
        }
        self.leave();
        value.bounded()
    }
}

/// Whether a name is one of a variable of the environment, as these are written.
fn is_variable(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Each text with each of the parts behind it, as long as they are few.
pub(super) fn add(texts: &mut Vec<Text>, parts: &[Text]) {
    let many = texts.len() * parts.len() > 8;
    let unknown = [Text::of(Piece::Unknown)];
    let parts = if many { &unknown } else { parts };
    let all = texts.iter().flat_map(|text| parts.iter().map(move |part| text.clone().and(part)));
    *texts = all.collect();
}
