//! Expressions, each as one expression of Python. What has no place in one, such as a function, becomes lines before it.

use oxc_ast::ast::{
    Argument, ArrayExpression, ArrayExpressionElement, ArrowFunctionExpression, AssignmentExpression,
    AssignmentOperator, AssignmentTarget, BinaryExpression, BinaryOperator, CallExpression, ChainElement, Expression,
    LogicalOperator, MemberExpression, ObjectExpression, ObjectPropertyKind, PropertyKind, SimpleAssignmentTarget,
    TemplateLiteral, UnaryOperator, UpdateOperator,
};

use super::statements::This;
use super::writer::{Writer, member, quoted};

/// A value of which nothing is known, and that does nothing.
const NOTHING: &str = "js_nothing";

impl Writer {
    pub(super) fn expression(&mut self, expression: &Expression<'_>) -> String {
        self.deeper(NOTHING.to_owned(), |writer| writer.text_of(expression))
    }

    fn text_of(&mut self, expression: &Expression<'_>) -> String {
        match expression {
            Expression::BooleanLiteral(literal) => if literal.value { "True" } else { "False" }.to_owned(),
            Expression::NullLiteral(_) => "None".to_owned(),
            Expression::NumericLiteral(literal) => number(literal.value),
            Expression::StringLiteral(literal) => quoted(&literal.value),
            Expression::TemplateLiteral(template) => self.template(template),
            Expression::Identifier(name) if name.name == "undefined" => "None".to_owned(),
            Expression::Identifier(name) => self.variable(&name.name),
            Expression::ThisExpression(_) => "js_this".to_owned(),
            Expression::Super(_) => "super()".to_owned(),
            Expression::ArrayExpression(array) => self.array(array),
            Expression::ObjectExpression(object) => self.object(object),
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow),
            Expression::FunctionExpression(function) => self.named(function),
            Expression::ClassExpression(class) => self.class(class),
            Expression::AssignmentExpression(assignment) => self.assignment(assignment),
            Expression::AwaitExpression(inner) => self.expression(&inner.argument),
            Expression::YieldExpression(inner) => {
                inner.argument.as_ref().map_or("None".to_owned(), |value| self.expression(value))
            }
            Expression::BinaryExpression(binary) => self.binary(binary),
            Expression::LogicalExpression(logical) => {
                let word = if logical.operator == LogicalOperator::And { "and" } else { "or" };
                let (left, right) = (self.expression(&logical.left), self.expression(&logical.right));
                format!("({left} {word} {right})")
            }
            Expression::ConditionalExpression(choice) => {
                let test = self.expression(&choice.test);
                let (one, other) = (self.expression(&choice.consequent), self.expression(&choice.alternate));
                format!("({one} if {test} else {other})")
            }
            Expression::CallExpression(call) => self.call(call),
            Expression::NewExpression(call) => {
                format!("{}({})", self.expression(&call.callee), self.arguments(&call.arguments))
            }
            Expression::TaggedTemplateExpression(tagged) => {
                format!("{}({})", self.expression(&tagged.tag), self.template(&tagged.quasi))
            }
            Expression::ImportExpression(import) => format!("js_require({})", self.expression(&import.source)),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => {
                    format!("{}({})", self.expression(&call.callee), self.arguments(&call.arguments))
                }
                ChainElement::TSNonNullExpression(inner) => self.expression(&inner.expression),
                chain => chain.as_member_expression().map_or(NOTHING.to_owned(), |place| self.member_of(place)),
            },
            Expression::ParenthesizedExpression(inner) => self.expression(&inner.expression),
            Expression::SequenceExpression(row) => {
                let values: Vec<String> = row.expressions.iter().map(|value| self.expression(value)).collect();
                format!("[{}][-1]", values.join(", "))
            }
            Expression::UnaryExpression(unary) => {
                let value = self.expression(&unary.argument);
                match unary.operator {
                    UnaryOperator::UnaryNegation => format!("(-{value})"),
                    UnaryOperator::Void => format!("[{value}, None][-1]"),
                    _ => format!("(not {value})"),
                }
            }
            Expression::UpdateExpression(update) => {
                let place = self.place(&update.argument);
                let sign = if update.operator == UpdateOperator::Increment { "+" } else { "-" };
                let before = if update.prefix { None } else { Some(self.kept(&place)) };
                self.assign_to(&update.argument, &place, &format!("({place} {sign} 1)"));
                before.unwrap_or(place)
            }
            Expression::TSAsExpression(inner) => self.expression(&inner.expression),
            Expression::TSSatisfiesExpression(inner) => self.expression(&inner.expression),
            Expression::TSTypeAssertion(inner) => self.expression(&inner.expression),
            Expression::TSNonNullExpression(inner) => self.expression(&inner.expression),
            Expression::TSInstantiationExpression(inner) => self.expression(&inner.expression),
            Expression::ImportMeta(_) => "js_meta".to_owned(),
            expression => expression.as_member_expression().map_or(NOTHING.to_owned(), |place| self.member_of(place)),
        }
    }

    /// A member as a value, or on the left of `=`.
    pub(super) fn member_of(&mut self, place: &MemberExpression<'_>) -> String {
        match place {
            MemberExpression::ComputedMemberExpression(place) => {
                let object = self.expression(&place.object);
                let key = self.expression(&place.expression);
                format!("{object}[{key}]")
            }
            MemberExpression::StaticMemberExpression(place) => {
                format!("{}.{}", self.operand(&place.object), member(&place.property.name))
            }
            MemberExpression::PrivateFieldExpression(place) => {
                format!("{}.{}", self.operand(&place.object), member(&place.field.name))
            }
        }
    }

    /// A value that a dot may follow.
    fn operand(&mut self, expression: &Expression<'_>) -> String {
        let text = self.expression(expression);
        if text.starts_with(|c: char| c.is_ascii_digit()) { format!("({text})") } else { text }
    }

    fn array(&mut self, array: &ArrayExpression<'_>) -> String {
        let element = |element: &ArrayExpressionElement<'_>| match element {
            ArrayExpressionElement::SpreadElement(spread) => format!("*{}", self.expression(&spread.argument)),
            element => element.as_expression().map_or("None".to_owned(), |value| self.expression(value)),
        };
        format!("[{}]", array.elements.iter().map(element).collect::<Vec<String>>().join(", "))
    }

    /// Writes an arrow function and gives its name.
    fn arrow(&mut self, arrow: &ArrowFunctionExpression<'_>) -> String {
        let name = self.fresh();
        let (parameters, patterns) = self.parameters(&arrow.params);
        self.function(&name, &parameters, |writer| {
            writer.own(&parameters);
            for (name, pattern) in &patterns {
                writer.bind(pattern, name);
            }
            match (arrow.body.as_expression(), arrow.body.as_function_body()) {
                (Some(value), _) => {
                    let value = writer.expression(value);
                    writer.line(&format!("return {value}"));
                }
                (None, Some(body)) => writer.body(body),
                (None, None) => {}
            }
        });
        name
    }

    fn call(&mut self, call: &CallExpression<'_>) -> String {
        let callee = match &call.callee {
            Expression::Super(_) => "super().__init__".to_owned(),
            callee => self.expression(callee),
        };
        let arguments = self.arguments(&call.arguments);
        if self.is_in_scope() && matches!(&call.callee, Expression::Identifier(name) if name.name == "eval") {
            // Its code means names of this block, which are called otherwise here.
            self.line("js_hidden()");
        }
        format!("{callee}({arguments})")
    }

    fn object(&mut self, object: &ObjectExpression<'_>) -> String {
        // A copy of a module has what the module has.
        if let [ObjectPropertyKind::SpreadProperty(spread)] = object.properties.as_slice() {
            return self.expression(&spread.argument);
        }
        let mut items = Vec::new();
        let whole = self.fresh();
        let mut has_methods = false;
        for property in &object.properties {
            items.push(match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    let key = self.key(&property.key);
                    let value = match &property.value {
                        Expression::FunctionExpression(function) => {
                            has_methods = true;
                            let name = self.fresh();
                            self.method(&name, function, Some(This::Object(&whole)));
                            // What asks for it calls it.
                            if property.kind == PropertyKind::Get { format!("{name}()") } else { name }
                        }
                        value => self.expression(value),
                    };
                    format!("{key}: {value}")
                }
                ObjectPropertyKind::SpreadProperty(spread) => format!("**{}", self.expression(&spread.argument)),
            });
        }
        let table = format!("{{{}}}", items.join(", "));
        if !has_methods {
            return table;
        }
        self.line(&format!("{whole} = {table}"));
        whole
    }

    fn arguments(&mut self, arguments: &[Argument<'_>]) -> String {
        let one = |argument: &Argument<'_>| match argument {
            Argument::SpreadElement(spread) => format!("*{}", self.expression(&spread.argument)),
            argument => argument.as_expression().map_or(NOTHING.to_owned(), |value| self.expression(value)),
        };
        arguments.iter().map(one).collect::<Vec<String>>().join(", ")
    }

    fn template(&mut self, template: &TemplateLiteral<'_>) -> String {
        let mut parts = Vec::new();
        for (at, quasi) in template.quasis.iter().enumerate() {
            let text = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
            if !text.is_empty() {
                parts.push(quoted(text));
            }
            if let Some(value) = template.expressions.get(at) {
                parts.push(self.expression(value));
            }
        }
        match parts.as_slice() {
            [] => "''".to_owned(),
            [one] if one.starts_with('\'') => one.clone(),
            parts => format!("js_text({})", parts.join(", ")),
        }
    }

    /// Operators. Those on the left are taken in a loop, for a text may be joined of very many.
    fn binary(&mut self, binary: &BinaryExpression<'_>) -> String {
        if binary.operator == BinaryOperator::Addition {
            let mut operands = vec![&binary.right];
            let mut first = &binary.left;
            while let Expression::BinaryExpression(inner) = first {
                if inner.operator != BinaryOperator::Addition {
                    break;
                }
                operands.push(&inner.right);
                first = &inner.left;
            }
            operands.push(first);
            let is_text = |operand: &&Expression<'_>| {
                matches!(operand, Expression::StringLiteral(_) | Expression::TemplateLiteral(_))
            };
            let joined = operands.iter().any(is_text);
            let operands: Vec<String> = operands.into_iter().rev().map(|operand| self.expression(operand)).collect();
            return if joined {
                format!("js_text({})", operands.join(", "))
            } else {
                format!("({})", operands.join(" + "))
            };
        }
        let (left, right) = (self.expression(&binary.left), self.expression(&binary.right));
        let sign = match binary.operator {
            BinaryOperator::Subtraction => "-",
            BinaryOperator::Multiplication => "*",
            // Nothing is known of what it gives.
            _ => "==",
        };
        format!("({left} {sign} {right})")
    }

    fn assignment(&mut self, assignment: &AssignmentExpression<'_>) -> String {
        let value = self.expression(&assignment.right);
        if assignment.operator == AssignmentOperator::Assign {
            if let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left {
                let name = self.variable(&name.name);
                self.assign(&name, &value);
                return name;
            }
            let name = self.fresh();
            self.line(&format!("{name} = {value}"));
            self.set(&assignment.left, &name);
            return name;
        }
        let Some(target) = assignment.left.as_simple_assignment_target() else { return NOTHING.to_owned() };
        let place = self.place(target);
        let value = match assignment.operator {
            AssignmentOperator::Addition => format!("({place} + {value})"),
            AssignmentOperator::Subtraction => format!("({place} - {value})"),
            AssignmentOperator::LogicalOr | AssignmentOperator::LogicalNullish => format!("({place} or {value})"),
            AssignmentOperator::LogicalAnd => format!("({place} and {value})"),
            _ => format!("({place} == {value})"),
        };
        self.assign_to(target, &place, &value);
        place
    }

    fn assign_to(&mut self, target: &SimpleAssignmentTarget<'_>, place: &str, value: &str) {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(_) => self.assign(place, value),
            _ if target.as_member_expression().is_some() => self.line(&format!("{place} = {value}")),
            _ => self.line(value),
        }
    }
}

/// A number as Python writes it.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 9e15 { format!("{value:.0}") } else { "0.5".to_owned() }
}
