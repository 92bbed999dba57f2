//! Expressions of Python in the intermediate representation.

use ruff_python_ast::{
    self as ast, Comprehension, Expr, ExprFString, ExprSubscript, FStringPart, InterpolatedElement,
    InterpolatedStringElement, Number, UnaryOp,
};

use super::Lowering;
use crate::ir::{Arguments, Expression, Function, Loop, Operator, Statement};

/// Expressions inside each other. The evaluator follows fewer.
const DEEP: usize = 100;

impl Lowering {
    pub(super) fn boxed(&mut self, expression: &Expr) -> Box<Expression> {
        Box::new(self.expression(expression))
    }

    pub(super) fn expressions(&mut self, expressions: &[Expr]) -> Vec<Expression> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    pub(super) fn expression(&mut self, expression: &Expr) -> Expression {
        if self.depth >= DEEP {
            return Expression::TooDeep;
        }
        self.depth += 1;
        let lowered = self.lowered(expression);
        self.depth -= 1;
        lowered
    }

    fn lowered(&mut self, expression: &Expr) -> Expression {
        match expression {
            Expr::StringLiteral(literal) => Expression::text(literal.value.to_str()),
            Expr::BytesLiteral(literal) => {
                let bytes: Vec<u8> = literal.value.bytes().collect();
                Expression::text(&String::from_utf8_lossy(&bytes))
            }
            Expr::FString(string) => self.f_string(string),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(int) => int.as_i64().map_or(Expression::Unknown, Expression::Int),
                _ => Expression::Float,
            },
            Expr::BooleanLiteral(literal) => Expression::Bool(literal.value),
            Expr::NoneLiteral(_) => Expression::None,
            Expr::Name(name) => Expression::Name(name.id.as_str().to_owned()),
            Expr::Attribute(attribute) => self.expression(&attribute.value).member(attribute.attr.as_str()),
            Expr::Call(call) => Expression::Call(self.boxed(&call.func), self.arguments(&call.arguments)),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::BinOp(_) => self.operators(expression),
            Expr::BoolOp(operation) => Expression::Logical(self.expressions(&operation.values)),
            Expr::UnaryOp(operation) => match operation.op {
                UnaryOp::USub => Expression::Negate(self.boxed(&operation.operand)),
                _ => Expression::Opaque(vec![self.expression(&operation.operand)]),
            },
            Expr::If(choice) => {
                let sides = [&choice.test, &choice.body, &choice.orelse];
                Expression::Conditional(Box::new(sides.map(|side| self.expression(side))))
            }
            Expr::Compare(compare) => {
                let sides = std::iter::once(&*compare.left).chain(&compare.comparators);
                Expression::Opaque(sides.map(|side| self.expression(side)).collect())
            }
            Expr::Named(named) => match (&*named.target, self.boxed(&named.value)) {
                (Expr::Name(name), value) => Expression::Assign(name.id.as_str().to_owned(), value),
                (_, value) => *value,
            },
            Expr::List(list) => Expression::List(self.expressions(&list.elts)),
            Expr::Tuple(tuple) => Expression::Tuple(self.expressions(&tuple.elts)),
            Expr::Set(set) => Expression::List(self.expressions(&set.elts)),
            Expr::Dict(dict) => {
                let items = dict.items.iter().map(|item| {
                    let key = item.key.as_ref().map(|key| self.expression(key));
                    (key, self.expression(&item.value))
                });
                Expression::Table(items.collect())
            }
            Expr::Lambda(lambda) => {
                let parameters = self.parameters(lambda.parameters.as_deref());
                let body = vec![Statement::Return(Some(self.boxed(&lambda.body)))];
                let (name, decorators) = (String::new(), Vec::new());
                Expression::Function(Box::new(Function { name, decorators, parameters, body }))
            }
            Expr::ListComp(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::SetComp(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::Generator(row) => self.comprehension(&row.generators, &row.elt, None),
            Expr::DictComp(row) => self.comprehension(&row.generators, &row.value, row.key.as_deref()),
            Expr::Await(inner) => self.expression(&inner.value),
            Expr::Yield(inner) => Expression::Yield(inner.value.as_ref().map(|value| self.boxed(value))),
            Expr::YieldFrom(inner) => Expression::YieldFrom(self.boxed(&inner.value)),
            Expr::Starred(starred) => Expression::Spread(self.boxed(&starred.value)),
            Expr::TString(_) | Expr::Slice(_) | Expr::EllipsisLiteral(_) | Expr::IpyEscapeCommand(_) => {
                Expression::Unknown
            }
        }
    }

    /// Operators between operands: those on the left in a loop, for a text may be joined of very many.
    fn operators(&mut self, expression: &Expr) -> Expression {
        let mut rights = Vec::new();
        let mut first = expression;
        while let Expr::BinOp(operation) = first {
            rights.push((operator(operation.op), &*operation.right));
            first = &operation.left;
        }
        let first = self.boxed(first);
        let rest = rights.into_iter().rev().map(|(operator, right)| (operator, self.expression(right)));
        Expression::Binary(first, rest.collect())
    }

    fn subscript(&mut self, subscript: &ExprSubscript) -> Expression {
        let base = self.boxed(&subscript.value);
        match &*subscript.slice {
            Expr::Slice(slice) => {
                let bounds = [&slice.lower, &slice.upper, &slice.step];
                let bounds = bounds.map(|bound| bound.as_ref().map(|bound| self.expression(bound)));
                Expression::Slice(base, Box::new(bounds))
            }
            key => Expression::Index(base, self.boxed(key)),
        }
    }

    fn comprehension(&mut self, loops: &[Comprehension], element: &Expr, key: Option<&Expr>) -> Expression {
        let loops = loops.iter().map(|one| Loop {
            target: self.expression(&one.target),
            row: self.expression(&one.iter),
            tests: self.expressions(&one.ifs),
        });
        Expression::Comprehension {
            loops: loops.collect(),
            key: key.map(|key| self.boxed(key)),
            element: self.boxed(element),
        }
    }

    fn f_string(&mut self, string: &ExprFString) -> Expression {
        let mut parts = Vec::new();
        for part in string.value.iter() {
            match part {
                FStringPart::Literal(literal) => parts.push(Expression::text(literal.as_str())),
                FStringPart::FString(string) => parts.extend(string.elements.iter().map(|element| match element {
                    InterpolatedStringElement::Literal(literal) => Expression::text(&literal.value),
                    InterpolatedStringElement::Interpolation(inner) => self.interpolation(inner),
                })),
            }
        }
        Expression::Template(parts)
    }

    fn interpolation(&mut self, inner: &InterpolatedElement) -> Expression {
        let value = self.expression(&inner.expression);
        if inner.format_spec.is_some() || inner.debug_text.is_some() {
            let form = inner.format_spec.iter().flat_map(|form| form.elements.interpolations());
            let form = form.map(|part| self.expression(&part.expression));
            return Expression::Opaque(std::iter::once(value).chain(form).collect());
        }
        match inner.conversion.to_byte() {
            None | Some(b's') => value,
            _ => Expression::Quoted(Box::new(value)),
        }
    }

    pub(super) fn arguments(&mut self, arguments: &ast::Arguments) -> Arguments {
        let named = arguments.keywords.iter().map(|keyword| {
            (keyword.arg.as_ref().map(|name| name.as_str().to_owned()), self.expression(&keyword.value))
        });
        Arguments { named: named.collect(), values: self.expressions(&arguments.args) }
    }
}

pub(super) fn operator(operator: ast::Operator) -> Operator {
    match operator {
        ast::Operator::Add => Operator::Add,
        ast::Operator::Sub => Operator::Subtract,
        ast::Operator::Mult => Operator::Multiply,
        ast::Operator::Div => Operator::Divide,
        ast::Operator::Mod => Operator::Remainder,
        ast::Operator::BitOr => Operator::BitOr,
        ast::Operator::BitXor => Operator::BitXor,
        _ => Operator::Other,
    }
}
