//! The left side of `=`: names, members, and patterns that take a value apart.

use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern, ForStatementLeft,
    FormalParameters, PropertyKey, SimpleAssignmentTarget,
};

use super::Lowering;
use crate::ir::{Expression, Parameter, Parameters};

impl Lowering {
    /// Declares the names of a pattern and gives them their parts of a value.
    pub(super) fn bind(&mut self, pattern: &BindingPattern<'_>, value: Expression) {
        self.deeper((), |lower| match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let name = lower.declare(&name.name);
                lower.assign(Expression::Name(name), value);
            }
            BindingPattern::ObjectPattern(pattern) => {
                let whole = lower.store_in_variable(value);
                for property in &pattern.properties {
                    let part = lower.part(&whole, &property.key);
                    lower.bind(&property.value, part);
                }
                if let Some(rest) = &pattern.rest {
                    lower.bind(&rest.argument, whole);
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                let whole = lower.store_in_variable(value);
                for (at, element) in pattern.elements.iter().enumerate() {
                    if let Some(element) = element {
                        lower.bind(element, whole.clone().index(index_expression(at)));
                    }
                }
                if let Some(rest) = &pattern.rest {
                    lower.bind(&rest.argument, slice_from(whole, pattern.elements.len()));
                }
            }
            BindingPattern::AssignmentPattern(pattern) => {
                let default = lower.expression(&pattern.right);
                lower.bind(&pattern.left, Expression::Logical(vec![value, default]));
            }
        });
    }

    /// Binds the patterns among the parameters of a function.
    pub(super) fn bind_all(&mut self, patterns: Vec<(String, &BindingPattern<'_>)>) {
        for (name, pattern) in patterns {
            self.bind(pattern, Expression::Name(name));
        }
    }

    /// Gives what stands on the left of `=` its value.
    pub(super) fn assign_target(&mut self, target: &AssignmentTarget<'_>, value: Expression) {
        self.deeper((), |lower| match target {
            AssignmentTarget::ArrayAssignmentTarget(pattern) => {
                let whole = lower.store_in_variable(value);
                for (at, element) in pattern.elements.iter().enumerate() {
                    if let Some(element) = element {
                        lower.assign_or_default(element, whole.clone().index(index_expression(at)));
                    }
                }
                if let Some(rest) = &pattern.rest {
                    lower.assign_target(&rest.target, slice_from(whole, pattern.elements.len()));
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(pattern) => {
                let whole = lower.store_in_variable(value);
                for property in &pattern.properties {
                    match property {
                        AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                            let name = &property.binding.name;
                            let target = Expression::Name(lower.variable(name));
                            lower.note(name, property.binding.span);
                            lower.assign(target, whole.clone().member(name));
                        }
                        AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                            let part = lower.part(&whole, &property.name);
                            lower.assign_or_default(&property.binding, part);
                        }
                    }
                }
                if let Some(rest) = &pattern.rest {
                    lower.assign_target(&rest.target, whole);
                }
            }
            target => {
                if let Some(place) = target.as_simple_assignment_target().map(|target| lower.place(target)) {
                    lower.assign(place, value);
                }
            }
        });
    }

    fn assign_or_default(&mut self, target: &AssignmentTargetMaybeDefault<'_>, value: Expression) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(target) => {
                let default = self.expression(&target.init);
                self.assign_target(&target.binding, Expression::Logical(vec![value, default]));
            }
            target => {
                if let Some(target) = target.as_assignment_target() {
                    self.assign_target(target, value);
                }
            }
        }
    }

    /// A name or a member as it stands on the left, or as a value.
    pub(super) fn place(&mut self, target: &SimpleAssignmentTarget<'_>) -> Expression {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => Expression::Name(self.variable(&name.name)),
            target => match (target.as_member_expression(), target.get_expression()) {
                (Some(place), _) => self.member(place),
                (None, Some(inner)) => self.expression(inner),
                (None, None) => Expression::Unknown,
            },
        }
    }

    /// Assigns the variables of one turn of a loop.
    pub(super) fn assign_loop_variables(&mut self, left: &ForStatementLeft<'_>, value: Expression) {
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                if let Some(declarator) = declaration.declarations.first() {
                    self.bind(&declarator.id, value);
                }
            }
            left => {
                if let Some(target) = left.as_assignment_target() {
                    self.assign_target(target, value);
                }
            }
        }
    }

    /// The parameters of a function, and the patterns among them with the names that stand for them.
    pub(super) fn parameters<'p, 'a>(
        &mut self,
        parameters: &'p FormalParameters<'a>,
    ) -> (Parameters, Vec<(String, &'p BindingPattern<'a>)>) {
        let mut all = Parameters { by_place: parameters.items.len(), ..Parameters::default() };
        let mut patterns = Vec::new();
        let mut is_optional = false;
        for parameter in &parameters.items {
            let name = match &parameter.pattern {
                BindingPattern::BindingIdentifier(name) => self.variable(&name.name),
                pattern => {
                    let name = self.fresh();
                    patterns.push((name.clone(), pattern));
                    name
                }
            };
            let default = parameter.initializer.as_ref().map(|default| self.expression(default));
            is_optional |= default.is_some();
            let default = default.or(is_optional.then_some(Expression::None));
            all.all.push(Parameter { name, default });
        }
        if let Some(rest) = &parameters.rest {
            let name = self.fresh();
            all.rest = Some(name.clone());
            patterns.push((name, &rest.rest.argument));
        }
        (all, patterns)
    }

    /// The part of a value that a key of a pattern names.
    fn part(&mut self, whole: &Expression, key: &PropertyKey<'_>) -> Expression {
        match key {
            PropertyKey::StaticIdentifier(name) => {
                self.note(&name.name, name.span);
                whole.clone().member(&name.name)
            }
            key => whole.clone().index(self.key(key)),
        }
    }

    /// The key of an object, as a value.
    pub(super) fn key(&mut self, key: &PropertyKey<'_>) -> Expression {
        match key {
            PropertyKey::StaticIdentifier(name) => self.text(&name.name, name.span),
            PropertyKey::PrivateIdentifier(name) => self.text(&name.name, name.span),
            key => self.optional(key.as_expression()),
        }
    }
}

/// A place in a row.
fn index_expression(at: usize) -> Expression {
    i64::try_from(at).map_or(Expression::Unknown, Expression::Int)
}

/// The elements of a row from a place on.
fn slice_from(row: Expression, from: usize) -> Expression {
    Expression::Slice(Box::new(row), Box::new([Some(index_expression(from)), None, None]))
}
