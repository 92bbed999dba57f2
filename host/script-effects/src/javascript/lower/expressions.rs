//! Expressions in the intermediate representation.

use oxc_ast::ast::{
    self, Argument, ArrayExpression, ArrayExpressionElement, ArrowFunctionExpression, AssignmentExpression,
    AssignmentOperator, AssignmentTarget, BinaryExpression, BinaryOperator, CallExpression, ChainElement,
    MemberExpression, ObjectExpression, ObjectPropertyKind, PropertyKind, SimpleAssignmentTarget, TemplateLiteral,
    UnaryExpression, UnaryOperator, UpdateExpression, UpdateOperator,
};

use super::Lowering;
use super::statements::This;
use crate::ir::{Expression, INITIALIZER, Operator, Statement};

impl Lowering {
    pub(super) fn expression(&mut self, expression: &ast::Expression<'_>) -> Expression {
        self.deeper(Expression::Unknown, |lower| lower.lowered(expression))
    }

    fn lowered(&mut self, expression: &ast::Expression<'_>) -> Expression {
        use ast::Expression as Tree;
        match expression {
            Tree::BooleanLiteral(literal) => Expression::Bool(literal.value),
            Tree::NullLiteral(_) => Expression::None,
            Tree::NumericLiteral(literal) => number(literal.value),
            Tree::StringLiteral(literal) => self.text(&literal.value, literal.span),
            Tree::TemplateLiteral(template) => self.template(template),
            Tree::Identifier(name) if name.name == "undefined" => Expression::None,
            Tree::Identifier(name) => Expression::Name(self.variable(&name.name)),
            Tree::ThisExpression(_) => Expression::Name(super::THIS.to_owned()),
            Tree::Super(_) => Expression::Library("builtins.super").call(Vec::new()),
            Tree::ArrayExpression(array) => self.array(array),
            Tree::ObjectExpression(object) => self.object(object),
            Tree::ArrowFunctionExpression(arrow) => self.arrow(arrow),
            Tree::FunctionExpression(function) => Expression::Name(self.declare_function(function)),
            Tree::ClassExpression(class) => Expression::Name(self.class(class)),
            Tree::AssignmentExpression(assignment) => self.assignment(assignment),
            Tree::AwaitExpression(inner) => self.expression(&inner.argument),
            Tree::YieldExpression(inner) => self.optional(inner.argument.as_ref()),
            Tree::BinaryExpression(binary) => self.binary(binary),
            Tree::LogicalExpression(logical) => {
                Expression::Logical(vec![self.expression(&logical.left), self.expression(&logical.right)])
            }
            Tree::ConditionalExpression(choice) => {
                let sides = [&choice.test, &choice.consequent, &choice.alternate];
                Expression::Conditional(Box::new(sides.map(|side| self.expression(side))))
            }
            Tree::CallExpression(call) => self.call(call),
            Tree::NewExpression(call) => self.expression(&call.callee).call(self.arguments(&call.arguments)),
            Tree::TaggedTemplateExpression(tagged) => {
                self.expression(&tagged.tag).call(vec![self.template(&tagged.quasi)])
            }
            Tree::ImportExpression(import) => require(self.expression(&import.source)),
            Tree::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => {
                    self.expression(&call.callee).call(self.arguments(&call.arguments))
                }
                ChainElement::TSNonNullExpression(inner) => self.expression(&inner.expression),
                chain => chain.as_member_expression().map_or(Expression::Unknown, |place| self.member(place)),
            },
            Tree::ParenthesizedExpression(inner) => self.expression(&inner.expression),
            Tree::SequenceExpression(row) => {
                Expression::Sequence(row.expressions.iter().map(|value| self.expression(value)).collect())
            }
            Tree::UnaryExpression(unary) => self.unary(unary),
            Tree::UpdateExpression(update) => self.update(update),
            Tree::TSAsExpression(inner) => self.expression(&inner.expression),
            Tree::TSSatisfiesExpression(inner) => self.expression(&inner.expression),
            Tree::TSTypeAssertion(inner) => self.expression(&inner.expression),
            Tree::TSNonNullExpression(inner) => self.expression(&inner.expression),
            Tree::TSInstantiationExpression(inner) => self.expression(&inner.expression),
            Tree::ImportMeta(_) => Expression::Library("node.meta"),
            expression => expression.as_member_expression().map_or(Expression::Unknown, |place| self.member(place)),
        }
    }

    /// A value that may be missing.
    pub(super) fn optional(&mut self, expression: Option<&ast::Expression<'_>>) -> Expression {
        expression.map_or(Expression::None, |expression| self.expression(expression))
    }

    /// A member as a value, or on the left of `=`.
    pub(super) fn member(&mut self, place: &MemberExpression<'_>) -> Expression {
        let (object, name, span) = match place {
            MemberExpression::ComputedMemberExpression(place) => {
                return self.expression(&place.object).index(self.expression(&place.expression));
            }
            MemberExpression::StaticMemberExpression(place) => {
                (&place.object, &place.property.name, place.property.span)
            }
            MemberExpression::PrivateFieldExpression(place) => (&place.object, &place.field.name, place.field.span),
        };
        self.note(name, span);
        self.expression(object).member(name)
    }

    fn array(&mut self, array: &ArrayExpression<'_>) -> Expression {
        let element = |element: &ArrayExpressionElement<'_>| match element {
            ArrayExpressionElement::SpreadElement(spread) => self.spread(&spread.argument),
            element => self.optional(element.as_expression()),
        };
        Expression::List(array.elements.iter().map(element).collect())
    }

    fn spread(&mut self, row: &ast::Expression<'_>) -> Expression {
        Expression::Spread(Box::new(self.expression(row)))
    }

    /// Adds an arrow function.
    fn arrow(&mut self, arrow: &ArrowFunctionExpression<'_>) -> Expression {
        let name = self.fresh();
        let (parameters, patterns) = self.parameters(&arrow.params);
        self.function(&name, None, parameters, |lower| {
            lower.bind_all(patterns);
            match (arrow.body.as_expression(), arrow.body.as_function_body()) {
                (Some(value), _) => {
                    let value = lower.expression(value);
                    lower.block.push(Statement::Return(Some(Box::new(value))));
                }
                (None, Some(body)) => lower.statements(&body.statements),
                (None, None) => {}
            }
        });
        Expression::Name(name)
    }

    fn call(&mut self, call: &CallExpression<'_>) -> Expression {
        let callee = match &call.callee {
            ast::Expression::Super(_) => Expression::Library("builtins.super").call(Vec::new()).member(INITIALIZER),
            callee => self.expression(callee),
        };
        let arguments = self.arguments(&call.arguments);
        if self.is_in_scope() && matches!(&call.callee, ast::Expression::Identifier(name) if name.name == "eval") {
            // Its code means names of this block, which are called otherwise here.
            self.ignore(Expression::Hidden.call(Vec::new()));
        }
        callee.call(arguments)
    }

    fn object(&mut self, object: &ObjectExpression<'_>) -> Expression {
        // A copy of a module has what the module has.
        if let [ObjectPropertyKind::SpreadProperty(spread)] = object.properties.as_slice() {
            return self.expression(&spread.argument);
        }
        let mut items = Vec::new();
        let whole = Expression::Name(self.fresh());
        let mut has_methods = false;
        for property in &object.properties {
            items.push(match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    let key = self.key(&property.key);
                    let value = match &property.value {
                        ast::Expression::FunctionExpression(function) => {
                            has_methods = true;
                            let name = self.fresh();
                            self.method(&name, function, None, Some(This::Object(&whole)));
                            let method = Expression::Name(name);
                            // What asks for it calls it.
                            if property.kind == PropertyKind::Get { method.call(Vec::new()) } else { method }
                        }
                        value => self.expression(value),
                    };
                    (Some(key), value)
                }
                ObjectPropertyKind::SpreadProperty(spread) => (None, self.expression(&spread.argument)),
            });
        }
        let table = Expression::Table(items);
        if !has_methods {
            return table;
        }
        self.store(whole.clone(), table);
        whole
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) -> Vec<Expression> {
        let one = |argument: &Argument<'_>| match argument {
            Argument::SpreadElement(spread) => self.spread(&spread.argument),
            argument => argument.as_expression().map_or(Expression::Unknown, |value| self.expression(value)),
        };
        arguments.iter().map(one).collect()
    }

    fn template(&mut self, template: &TemplateLiteral<'_>) -> Expression {
        let mut parts = Vec::new();
        for (at, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
            if !text.is_empty() {
                // Its quotes are outside of its span.
                parts.push(self.text(text, quasi.span.expand(1)));
            }
            if let Some(value) = template.expressions.get(at) {
                parts.push(self.expression(value));
            }
        }
        match parts.as_slice() {
            [] => Expression::text(""),
            [text @ Expression::Text(_)] => text.clone(),
            _ => Expression::Template(parts),
        }
    }

    /// Operators. Those on the left are taken in a loop, because a text may be joined of very many.
    fn binary(&mut self, binary: &BinaryExpression<'_>) -> Expression {
        if binary.operator == BinaryOperator::Addition {
            let mut operands = vec![&binary.right];
            let mut first = &binary.left;
            while let ast::Expression::BinaryExpression(inner) = first {
                if inner.operator != BinaryOperator::Addition {
                    break;
                }
                operands.push(&inner.right);
                first = &inner.left;
            }
            operands.push(first);
            let is_text = |operand: &&ast::Expression<'_>| {
                matches!(operand, ast::Expression::StringLiteral(_) | ast::Expression::TemplateLiteral(_))
            };
            let is_joined = operands.iter().any(is_text);
            let mut operands = operands.into_iter().rev().map(|operand| self.expression(operand));
            return if is_joined {
                Expression::Template(operands.collect())
            } else {
                let first = operands.next().unwrap_or(Expression::Unknown);
                operands.fold(first, |left, right| left.binary(Operator::Add, right))
            };
        }
        let (left, right) = (self.expression(&binary.left), self.expression(&binary.right));
        match binary.operator {
            BinaryOperator::Subtraction => left.binary(Operator::Subtract, right),
            BinaryOperator::Multiplication => left.binary(Operator::Multiply, right),
            _ => Expression::Opaque(vec![left, right]),
        }
    }

    fn unary(&mut self, unary: &UnaryExpression<'_>) -> Expression {
        let value = self.expression(&unary.argument);
        match unary.operator {
            UnaryOperator::UnaryNegation => Expression::Negate(Box::new(value)),
            UnaryOperator::Void => Expression::Sequence(vec![value, Expression::None]),
            _ => Expression::Opaque(vec![value]),
        }
    }

    fn update(&mut self, update: &UpdateExpression<'_>) -> Expression {
        let place = self.place(&update.argument);
        let is_increment = update.operator == UpdateOperator::Increment;
        let operator = if is_increment { Operator::Add } else { Operator::Subtract };
        let before = (!update.prefix).then(|| self.store_in_variable(place.clone()));
        self.assign_to(&update.argument, place.clone(), place.clone().binary(operator, Expression::Int(1)));
        before.unwrap_or(place)
    }

    fn assignment(&mut self, assignment: &AssignmentExpression<'_>) -> Expression {
        let value = self.expression(&assignment.right);
        if assignment.operator == AssignmentOperator::Assign {
            if let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left {
                let name = Expression::Name(self.variable(&name.name));
                self.assign(name.clone(), value);
                return name;
            }
            let name = self.store_in_variable(value);
            self.assign_target(&assignment.left, name.clone());
            return name;
        }
        let Some(target) = assignment.left.as_simple_assignment_target() else { return Expression::Unknown };
        let place = self.place(target);
        let own = place.clone();
        let value = match assignment.operator {
            AssignmentOperator::Addition => own.binary(Operator::Add, value),
            AssignmentOperator::Subtraction => own.binary(Operator::Subtract, value),
            AssignmentOperator::LogicalOr | AssignmentOperator::LogicalNullish | AssignmentOperator::LogicalAnd => {
                Expression::Logical(vec![own, value])
            }
            _ => Expression::Opaque(vec![own, value]),
        };
        self.assign_to(target, place.clone(), value);
        place
    }

    fn assign_to(&mut self, target: &SimpleAssignmentTarget<'_>, place: Expression, value: Expression) {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(_) => self.assign(place, value),
            _ if target.as_member_expression().is_some() => self.store(place, value),
            _ => self.ignore(value),
        }
    }
}

/// A call that loads a module.
pub(super) fn require(module: Expression) -> Expression {
    Expression::Library("node.require").call(vec![module])
}

fn number(value: f64) -> Expression {
    if value.fract() == 0.0 && value.abs() < 9e15 { Expression::Int(value as i64) } else { Expression::Float }
}
