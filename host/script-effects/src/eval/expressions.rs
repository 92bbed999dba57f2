//! Expressions: the value of each, and what evaluating it does.

use ruff_python_ast::{
    Arguments, Comprehension, Expr, ExprCall, ExprDict, ExprFString, ExprIf, ExprSubscript, FStringPart,
    InterpolatedStringElement, Operator, UnaryOp,
};

use super::calls::Args;
use super::evaluator::Evaluator;
use super::fold;
use super::functions::Body;
use super::rows;
use super::state::{Kind, Scope};
use super::statements::number;
use super::value::{ELEMENTS, Value};
use crate::{Piece, Text};

/// The most turns of a comprehension that are followed.
const TURNS: usize = 64;

impl<'a> Evaluator<'a> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &'a Expr) -> Value {
        if !self.enter() {
            return Value::Unknown;
        }
        let around = std::mem::replace(&mut self.site, std::ptr::from_ref(expression).addr());
        let value = self.value(expression);
        self.site = around;
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
                let base = self.evaluate(&attribute.value);
                self.member(&base, attribute.attr.as_str())
            }
            Expr::Call(call) => self.call(call),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::BinOp(_) => self.operators(expression),
            Expr::BoolOp(operation) => self.and_or(&operation.values),
            Expr::UnaryOp(operation) => match (operation.op, self.evaluate(&operation.operand)) {
                (UnaryOp::USub, Value::Int(number)) => number.checked_neg().map_or(Value::Unknown, Value::Int),
                _ => Value::Unknown,
            },
            Expr::If(choice) => self.conditional(choice),
            Expr::Compare(compare) => {
                self.evaluate(&compare.left);
                compare.comparators.iter().for_each(|side| {
                    self.evaluate(side);
                });
                Value::Unknown
            }
            Expr::Named(named) => {
                let value = self.evaluate(&named.value);
                let value = self.keep(value);
                if let Expr::Name(name) = &*named.target {
                    self.set_outside(name.id.as_str(), value.clone());
                }
                value
            }
            Expr::List(list) => {
                let row = self.row(&list.elts);
                self.keep(row)
            }
            Expr::Tuple(tuple) => self.row(&tuple.elts),
            Expr::Set(set) => {
                let row = self.row(&set.elts);
                self.keep(row)
            }
            Expr::Dict(dict) => self.dict(dict),
            Expr::Lambda(lambda) => self.function(lambda.parameters.as_deref(), Body::Value(&lambda.body)),
            Expr::ListComp(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::SetComp(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::Generator(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::DictComp(row) => {
                let pairs = self.comprehension(&row.generators, &row.value, row.key.as_deref());
                let table = rows::table_of(&self.load(&pairs));
                self.keep(table)
            }
            Expr::Await(inner) => self.evaluate(&inner.value),
            Expr::Yield(inner) => {
                let value = inner.value.as_ref().map_or(Value::None, |value| self.evaluate(value));
                self.yield_(value);
                self.point();
                Value::Unknown
            }
            Expr::YieldFrom(inner) => {
                let row = self.evaluate(&inner.value);
                let row = self.load(&row);
                self.yield_(row.element());
                Value::Unknown
            }
            Expr::Starred(starred) => self.evaluate(&starred.value),
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
        let mut value = self.evaluate(first);
        for (operator, right) in rights.into_iter().rev() {
            let right = self.evaluate(right);
            value = self.binary(&value, operator, &right);
        }
        value
    }

    /// One operator.
    pub(super) fn binary(&mut self, left: &Value, operator: Operator, right: &Value) -> Value {
        let (left, right) = (self.load(left), self.load(right));
        if let (Operator::BitOr, Some(both)) = (operator, rows::both(&left, &right)) {
            return both.bounded();
        }
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

    /// An element or a slice of a row.
    fn subscript(&mut self, subscript: &'a ExprSubscript) -> Value {
        let base = self.evaluate(&subscript.value);
        if let Expr::Slice(slice) = &*subscript.slice {
            let mut part = |bound: &'a Option<Box<Expr>>| bound.as_ref().map(|bound| self.evaluate(bound));
            let (from, to, step) = (part(&slice.lower), part(&slice.upper), part(&slice.step));
            let base = self.load(&base);
            return rows::slice(&base, from.as_ref(), to.as_ref(), step.as_ref());
        }
        let key = self.evaluate(&subscript.slice);
        self.item(&base, &key)
    }

    /// Operands of `and` or `or`, of which all but the first one may not be evaluated.
    fn and_or(&mut self, operands: &'a [Expr]) -> Value {
        let mut values = Vec::new();
        for (at, value) in operands.iter().enumerate() {
            values.push(if at == 0 { self.evaluate(value) } else { self.perhaps(|eval| eval.evaluate(value)) });
        }
        Value::join(values)
    }

    /// Either side of a conditional expression.
    fn conditional(&mut self, choice: &'a ExprIf) -> Value {
        self.evaluate(&choice.test);
        let sides = [&choice.body, &choice.orelse];
        let values =
            self.ways(sides.len(), |eval, at| sides.get(at).map_or(Value::Unknown, |side| eval.evaluate(side)));
        Value::join(values)
    }

    /// A table that is written out.
    fn dict(&mut self, dict: &'a ExprDict) -> Value {
        let mut items = Vec::new();
        for item in &dict.items {
            let key = item.key.as_ref().map(|key| self.evaluate(key));
            let value = self.evaluate(&item.value);
            match key {
                Some(key) => items.push((key, self.keep(value))),
                None => match self.load(&value) {
                    Value::Dict(more) => items.extend(more),
                    _ => items.push((Value::Unknown, Value::Unknown)),
                },
            }
        }
        let all = rows::table(items);
        self.keep(all)
    }

    fn row(&mut self, elements: &'a [Expr]) -> Value {
        let (mut values, mut many) = (Vec::new(), false);
        for element in elements {
            // Evaluating one may do something, however many there are.
            let value = self.evaluate(element);
            let value = if element.is_starred_expr() { self.load(&value) } else { self.keep(value) };
            match (element, value.elements()) {
                (Expr::Starred(_), Some(more)) => values.extend(more),
                // There may be several; what stands before counts: a program by its name.
                (Expr::Starred(_), None) => values.push(value.element()),
                _ => values.push(value),
            }
            if values.len() > ELEMENTS {
                values = vec![Value::join(values)];
                many = true;
            }
        }
        if many { Value::many(Value::join(values)).bounded() } else { Value::List(values).bounded() }
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], element: &'a Expr, key: Option<&'a Expr>) -> Value {
        let scope = Scope { parent: Some(self.current), kind: Kind::Row, ..Scope::default() };
        let value = self.within(scope, |eval| eval.generate(generators, element, key));
        value.bounded()
    }

    fn generate(&mut self, generators: &'a [Comprehension], element: &'a Expr, key: Option<&'a Expr>) -> Value {
        let Some((first, rest)) = generators.split_first() else {
            let key = key.map(|key| self.evaluate(key));
            let value = self.evaluate(element);
            let value = self.keep(value);
            return key.map_or_else(|| value.clone(), |key| Value::List(vec![key, value.clone()]));
        };
        if !self.enter() {
            return Value::Unknown;
        }
        let row = self.evaluate(&first.iter);
        let row = self.load(&row);
        let elements = row.elements().filter(|elements| elements.len() <= TURNS && !elements.is_empty());
        let known = elements.is_some();
        let mut found = Vec::new();
        let mut turn = |eval: &mut Self, value: Value| {
            eval.bind(&first.target, value);
            first.ifs.iter().for_each(|test| {
                eval.evaluate(test);
            });
            let inside = |eval: &mut Self| eval.generate(rest, element, key);
            let value = if first.ifs.is_empty() { inside(eval) } else { eval.perhaps(inside) };
            match value {
                Value::List(more) if !rest.is_empty() => found.extend(more),
                Value::Many(one) if !rest.is_empty() => found.push(*one),
                value => found.push(value),
            }
        };
        match elements {
            Some(elements) => elements.into_iter().for_each(|value| turn(self, value)),
            None => {
                let element = row.element();
                let outer = self.turn_branches;
                self.repeat(&mut |eval| {
                    eval.turn_branches = Some(eval.branches);
                    turn(eval, element.clone());
                });
                self.turn_branches = outer;
            }
        }
        self.leave();
        if found.len() > ELEMENTS {
            return Value::many(Value::join(found));
        }
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
                                let value = self.evaluate(&inner.expression);
                                if let Some(form) = &inner.format_spec {
                                    for part in form.elements.interpolations() {
                                        self.evaluate(&part.expression);
                                    }
                                }
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
        let callee = self.evaluate(&call.func);
        let args = self.arguments(&call.arguments);
        // `open(p, 'w').close()`
        if let (Expr::Attribute(attribute), Value::Method(file, name)) = (&*call.func, &callee)
            && let (Expr::Call(opened), "close", Value::File(path)) = (&*attribute.value, name.as_str(), &**file)
            && opened
                .arguments
                .args
                .get(1)
                .or(opened.arguments.find_keyword("mode").map(|mode| &mode.value))
                .is_some_and(is_writing)
        {
            self.on_path("open", Some(&Value::Path(path.clone())), super::calls::WRITES, super::methods::emptied);
        }
        self.apply(&callee, &args)
    }

    pub(super) fn arguments(&mut self, arguments: &'a Arguments) -> Args {
        let mut args = Args::default();
        for argument in &arguments.args {
            let value = self.evaluate(argument);
            let value = if argument.is_starred_expr() { self.load(&value) } else { value };
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
            let value = self.evaluate(&keyword.value);
            let value = if keyword.arg.is_none() { self.load(&value) } else { value };
            match (&keyword.arg, value) {
                (Some(name), value) => args.named.push((name.as_str().to_owned(), value)),
                (None, Value::Dict(items)) => {
                    for (key, value) in items {
                        match key.known() {
                            Some(key) => args.named.push((key.to_owned(), value)),
                            None => args.open = true,
                        }
                    }
                }
                (None, _) => args.open = true,
            }
        }
        args
    }
}

/// Whether a mode of `open` empties the file first.
fn is_writing(mode: &Expr) -> bool {
    matches!(mode, Expr::StringLiteral(mode) if mode.value.to_str().starts_with('w'))
}

/// Each text with each of the parts behind it, as long as they are few.
pub(super) fn add(texts: &mut Vec<Text>, parts: &[Text]) {
    let many = texts.len() * parts.len() > 8;
    let unknown = [Text::of(Piece::Unknown)];
    let parts = if many { &unknown } else { parts };
    let all = texts.iter().flat_map(|text| parts.iter().map(move |part| text.clone().and(part)));
    *texts = all.collect();
}
