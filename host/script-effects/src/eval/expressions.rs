//! Expressions: the value of each, and what evaluating it does.

use super::calls::Args;
use super::evaluator::Evaluator;
use super::fold;
use super::library::python::canonical;
use super::rows;
use super::state::{Kind, Scope};
use super::value::{ELEMENTS, Value};
use crate::ir::{Arguments, Expression, Loop, Operator};
use crate::{Piece, Text, Unknown};

/// The maximum number of evaluated iterations of a comprehension.
const TURNS: usize = 64;

impl<'a> Evaluator<'a> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expression: &'a Expression) -> Value {
        if !self.enter() {
            return Value::Unknown;
        }
        let around = std::mem::replace(&mut self.site, std::ptr::from_ref(expression).addr());
        let value = self.value(expression);
        self.site = around;
        self.leave();
        value
    }

    /// Evaluates expressions in order, and gives the value of the last one.
    fn evaluate_all(&mut self, expressions: &'a [Expression]) -> Value {
        expressions.iter().map(|expression| self.evaluate(expression)).last().unwrap_or(Value::Unknown)
    }

    fn value(&mut self, expression: &'a Expression) -> Value {
        match expression {
            Expression::Unknown => Value::Unknown,
            Expression::TooDeep => {
                self.add_reason("the code is nested too deeply", Unknown::ALL);
                Value::Unknown
            }
            Expression::Hidden => Value::Hidden,
            Expression::None => Value::None,
            Expression::Bool(value) => Value::Bool(*value),
            Expression::Int(number) => Value::Int(*number),
            Expression::Float => Value::piece(Piece::Unknown),
            Expression::Text(text) => Value::text(text),
            Expression::Template(parts) => self.template(parts),
            Expression::Quoted(value) => {
                let value = self.evaluate(value);
                Value::join(value.alternatives().iter().map(|value| Value::Text(fold::repr(value))))
            }
            Expression::Name(name) => self.get(name),
            Expression::Library(name) => Value::named(name),
            Expression::Module(name) => Value::Named(canonical(name)),
            Expression::Member(base, name) => {
                let base = self.evaluate(base);
                self.member(&base, name)
            }
            Expression::Index(base, key) => {
                let base = self.evaluate(base);
                let key = self.evaluate(key);
                self.item(&base, &key)
            }
            Expression::Slice(base, bounds) => {
                let base = self.evaluate(base);
                let [from, to, step] = bounds.each_ref().map(|bound| bound.as_ref().map(|bound| self.evaluate(bound)));
                let base = self.load(&base);
                rows::slice(&base, from.as_ref(), to.as_ref(), step.as_ref())
            }
            Expression::Call(callee, arguments) => self.call(callee, arguments),
            Expression::Binary(first, rest) => {
                let first = self.evaluate(first);
                rest.iter().fold(first, |left, (operator, right)| {
                    let right = self.evaluate(right);
                    self.binary(&left, *operator, &right)
                })
            }
            Expression::Negate(operand) => match self.evaluate(operand) {
                Value::Int(number) => number.checked_neg().map_or(Value::Unknown, Value::Int),
                _ => Value::Unknown,
            },
            Expression::Logical(operands) => self.logical(operands),
            Expression::Conditional(choice) => self.conditional(choice),
            Expression::Sequence(values) => {
                let last = self.evaluate_all(values);
                self.store_value(last)
            }
            Expression::Opaque(operands) => {
                self.evaluate_all(operands);
                Value::Unknown
            }
            Expression::Assign(name, value) => {
                let value = self.evaluate(value);
                let value = self.store_value(value);
                self.set_outside(name, value.clone());
                value
            }
            Expression::Tuple(elements) => self.row(elements),
            Expression::Function(function) => self.function(function),
            expression => self.collection(expression),
        }
    }

    /// The value of an expression that makes or goes through a row or a table.
    fn collection(&mut self, expression: &'a Expression) -> Value {
        match expression {
            Expression::List(elements) => {
                let row = self.row(elements);
                self.store_value(row)
            }
            Expression::Table(items) => self.table(items),
            Expression::Spread(row) => self.evaluate(row),
            Expression::Comprehension { loops, key: None, element } => self.comprehension(loops, element, None),
            Expression::Comprehension { loops, key, element } => {
                let pairs = self.comprehension(loops, element, key.as_deref());
                let table = rows::table_from_pairs(&self.load(&pairs));
                self.store_value(table)
            }
            Expression::Yield(value) => {
                let value = value.as_ref().map_or(Value::None, |value| self.evaluate(value));
                self.yield_(value);
                self.point();
                Value::Unknown
            }
            Expression::YieldFrom(row) => {
                let row = self.evaluate(row);
                let row = self.load(&row);
                self.yield_(row.element());
                Value::Unknown
            }
            // The others make no row.
            _ => Value::Unknown,
        }
    }

    /// One operator.
    pub(super) fn binary(&mut self, left: &Value, operator: Operator, right: &Value) -> Value {
        let (left, right) = (self.load(left), self.load(right));
        if let (Operator::BitOr, Some(both)) = (operator, rows::concatenate(&left, &right)) {
            return both.truncate();
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
        Value::join(found).truncate()
    }

    /// Operands of `and` or `or`, of which all but the first one may not be evaluated.
    fn logical(&mut self, operands: &'a [Expression]) -> Value {
        let mut values = Vec::new();
        for (at, value) in operands.iter().enumerate() {
            values.push(if at == 0 { self.evaluate(value) } else { self.perhaps(|eval| eval.evaluate(value)) });
        }
        Value::join(values)
    }

    /// Either side of a conditional expression.
    fn conditional(&mut self, [test, one, other]: &'a [Expression; 3]) -> Value {
        self.evaluate(test);
        let values = self.ways(2, |eval, at| eval.evaluate(if at == 0 { one } else { other }));
        Value::join(values)
    }

    /// A table that is written out.
    fn table(&mut self, pairs: &'a [(Option<Expression>, Expression)]) -> Value {
        let mut items = Vec::new();
        for (key, value) in pairs {
            let key = key.as_ref().map(|key| self.evaluate(key));
            let value = self.evaluate(value);
            match key {
                Some(key) => items.push((key, self.store_value(value))),
                None => match self.load(&value) {
                    Value::Dict(more) => items.extend(more),
                    _ => items.push((Value::Unknown, Value::Unknown)),
                },
            }
        }
        let all = rows::table(items);
        self.store_value(all)
    }

    fn row(&mut self, elements: &'a [Expression]) -> Value {
        let (mut values, mut many) = (Vec::new(), false);
        for element in elements {
            // Evaluating one may do something, however many there are.
            let value = self.evaluate(element);
            let value = if element.is_spread() { self.load(&value) } else { self.store_value(value) };
            match (element, value.elements()) {
                (Expression::Spread(_), Some(more)) => values.extend(more),
                // There may be several; what stands before counts: a program by its name.
                (Expression::Spread(_), None) => values.push(value.element()),
                _ => values.push(value),
            }
            if values.len() > ELEMENTS {
                values = vec![Value::join(values)];
                many = true;
            }
        }
        if many { Value::many(Value::join(values)).truncate() } else { Value::List(values).truncate() }
    }

    fn comprehension(&mut self, loops: &'a [Loop], element: &'a Expression, key: Option<&'a Expression>) -> Value {
        let scope = Scope { parent: Some(self.current), kind: Kind::Row, ..Scope::default() };
        let value = self.within(scope, |eval| eval.generate(loops, element, key));
        value.truncate()
    }

    fn generate(&mut self, loops: &'a [Loop], element: &'a Expression, key: Option<&'a Expression>) -> Value {
        let Some((first, rest)) = loops.split_first() else {
            let key = key.map(|key| self.evaluate(key));
            let value = self.evaluate(element);
            let value = self.store_value(value);
            return key.map_or_else(|| value.clone(), |key| Value::List(vec![key, value.clone()]));
        };
        if !self.enter() {
            return Value::Unknown;
        }
        let row = self.evaluate(&first.row);
        let row = self.load(&row);
        let elements = row.elements().filter(|elements| elements.len() <= TURNS && !elements.is_empty());
        let known = elements.is_some();
        let mut found = Vec::new();
        let mut turn = |eval: &mut Self, value: Value| {
            eval.bind(&first.target, value);
            first.tests.iter().for_each(|test| {
                eval.evaluate(test);
            });
            let inside = |eval: &mut Self| eval.generate(rest, element, key);
            let value = if first.tests.is_empty() { inside(eval) } else { eval.perhaps(inside) };
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

    /// A text of others.
    fn template(&mut self, parts: &'a [Expression]) -> Value {
        let mut texts = vec![Text::default()];
        for part in parts {
            match part {
                Expression::Text(text) => add(&mut texts, &[Text::literal(text)]),
                part => {
                    let value = self.evaluate(part);
                    let parts: Vec<Text> = value.alternatives().iter().map(Value::to_text_part).collect();
                    add(&mut texts, &parts);
                }
            }
        }
        let weight: usize = texts.iter().map(Text::weight).sum();
        if !self.spend(weight / 16) {
            return Value::Unknown;
        }
        Value::join(texts.into_iter().map(Value::Text))
    }

    fn call(&mut self, function: &'a Expression, arguments: &'a Arguments) -> Value {
        let callee = self.evaluate(function);
        let args = self.arguments(arguments);
        // `open(p, 'w').close()`
        if let (Expression::Member(opened, _), Value::Method(file, name)) = (function, &callee)
            && let (Expression::Call(_, opened), "close", Value::File(path)) = (&**opened, name.as_str(), &**file)
            && opened.get(1, "mode").is_some_and(is_writing)
        {
            self.add_path_action(
                "open",
                Some(&Value::Path(path.clone())),
                super::calls::WRITES,
                super::methods::empty_action,
            );
        }
        self.apply(&callee, &args)
    }

    pub(super) fn arguments(&mut self, arguments: &'a Arguments) -> Args {
        let mut args = Args::default();
        for argument in &arguments.values {
            let value = self.evaluate(argument);
            let value = if argument.is_spread() { self.load(&value) } else { value };
            match (argument, value.elements()) {
                (Expression::Spread(_), Some(more)) => args.values.extend(more),
                (Expression::Spread(_), None) => {
                    args.values.push(value.element());
                    args.open = true;
                }
                _ => args.values.push(value),
            }
        }
        for (name, value) in &arguments.named {
            let value = self.evaluate(value);
            let value = if name.is_none() { self.load(&value) } else { value };
            match (name, value) {
                (Some(name), value) => args.named.push((name.clone(), value)),
                (None, Value::Dict(items)) => {
                    for (key, value) in items {
                        match key.known_text() {
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

/// Returns whether a mode of `open` empties the file first.
fn is_writing(mode: &Expression) -> bool {
    matches!(mode, Expression::Text(mode) if mode.starts_with('w'))
}

/// Each text with each of the parts behind it, as long as they are few.
fn add(texts: &mut Vec<Text>, parts: &[Text]) {
    let many = texts.len() * parts.len() > 8;
    let unknown = [Text::of(Piece::Unknown)];
    match if many { &unknown } else { parts } {
        [part] => texts.iter_mut().for_each(|text| *text = std::mem::take(text).and(part)),
        parts => *texts = texts.iter().flat_map(|text| parts.iter().map(|part| text.clone().and(part))).collect(),
    }
}
