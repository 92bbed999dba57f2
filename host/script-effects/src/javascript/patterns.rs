//! The left side of `=`: names, members, and patterns that take a value apart.

use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern, Expression,
    ForStatementLeft, FormalParameters, PropertyKey, SimpleAssignmentTarget,
};

use super::writer::{Writer, member, quoted};

impl Writer {
    /// Declares the names of a pattern and gives them their parts of a value.
    pub(super) fn bind(&mut self, pattern: &BindingPattern<'_>, value: &str) {
        self.deeper((), |writer| match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let name = writer.declare(&name.name);
                writer.assign(&name, value);
            }
            BindingPattern::ObjectPattern(pattern) => {
                let whole = writer.kept(value);
                for property in &pattern.properties {
                    let part = writer.part(&whole, &property.key);
                    writer.bind(&property.value, &part);
                }
                if let Some(rest) = &pattern.rest {
                    writer.bind(&rest.argument, &whole);
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                let whole = writer.kept(value);
                for (at, element) in pattern.elements.iter().enumerate() {
                    if let Some(element) = element {
                        writer.bind(element, &format!("{whole}[{at}]"));
                    }
                }
                if let Some(rest) = &pattern.rest {
                    writer.bind(&rest.argument, &format!("{whole}[{}:]", pattern.elements.len()));
                }
            }
            BindingPattern::AssignmentPattern(pattern) => {
                let default = writer.expression(&pattern.right);
                writer.bind(&pattern.left, &format!("({value} or {default})"));
            }
        });
    }

    /// Gives what stands on the left of `=` its value.
    pub(super) fn set(&mut self, target: &AssignmentTarget<'_>, value: &str) {
        self.deeper((), |writer| match target {
            AssignmentTarget::ArrayAssignmentTarget(pattern) => {
                let whole = writer.kept(value);
                for (at, element) in pattern.elements.iter().enumerate() {
                    if let Some(element) = element {
                        writer.set_or_default(element, &format!("{whole}[{at}]"));
                    }
                }
                if let Some(rest) = &pattern.rest {
                    writer.set(&rest.target, &format!("{whole}[{}:]", pattern.elements.len()));
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(pattern) => {
                let whole = writer.kept(value);
                for property in &pattern.properties {
                    match property {
                        AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(property) => {
                            let name = &property.binding.name;
                            let place = writer.variable(name);
                            writer.assign(&place, &format!("{whole}.{}", member(name)));
                        }
                        AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                            let part = writer.part(&whole, &property.name);
                            writer.set_or_default(&property.binding, &part);
                        }
                    }
                }
                if let Some(rest) = &pattern.rest {
                    writer.set(&rest.target, &whole);
                }
            }
            target => {
                if let Some(place) = target.as_simple_assignment_target().map(|target| writer.place(target)) {
                    writer.assign(&place, value);
                }
            }
        });
    }

    fn set_or_default(&mut self, target: &AssignmentTargetMaybeDefault<'_>, value: &str) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(target) => {
                let default = self.expression(&target.init);
                self.set(&target.binding, &format!("({value} or {default})"));
            }
            target => {
                if let Some(target) = target.as_assignment_target() {
                    self.set(target, value);
                }
            }
        }
    }

    /// A name or a member as it stands on the left, or as a value.
    pub(super) fn place(&mut self, target: &SimpleAssignmentTarget<'_>) -> String {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => self.variable(&name.name),
            target => match (target.as_member_expression(), target.get_expression()) {
                (Some(place), _) => self.member_of(place),
                (None, Some(inner)) => self.expression(inner),
                (None, None) => "js_nothing".to_owned(),
            },
        }
    }

    /// Assigns the variables of one turn of a loop.
    pub(super) fn each(&mut self, left: &ForStatementLeft<'_>, value: &str) {
        match left {
            ForStatementLeft::VariableDeclaration(declaration) => {
                if let Some(declarator) = declaration.declarations.first() {
                    self.bind(&declarator.id, value);
                }
            }
            left => {
                if let Some(target) = left.as_assignment_target() {
                    self.set(target, value);
                }
            }
        }
    }

    /// The parameters of a function, and the patterns among them with the names that stand for them.
    pub(super) fn parameters<'p, 'a>(
        &mut self,
        parameters: &'p FormalParameters<'a>,
    ) -> (String, Vec<(String, &'p BindingPattern<'a>)>) {
        let mut names = Vec::new();
        let mut patterns = Vec::new();
        let mut optional = false;
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
            optional |= default.is_some();
            let default = default.or_else(|| optional.then(|| "None".to_owned()));
            names.push(default.map_or_else(|| name.clone(), |default| format!("{name}={default}")));
        }
        if let Some(rest) = &parameters.rest {
            let name = self.fresh();
            names.push(format!("*{name}"));
            patterns.push((name, &rest.rest.argument));
        }
        (names.join(", "), patterns)
    }

    /// A value under a name, so that it is written once.
    pub(super) fn kept(&mut self, value: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {value}"));
        name
    }

    /// The part of a value that a key of a pattern names.
    fn part(&mut self, whole: &str, key: &PropertyKey<'_>) -> String {
        match key {
            PropertyKey::StaticIdentifier(name) => format!("{whole}.{}", member(&name.name)),
            key => format!("{whole}[{}]", self.key(key)),
        }
    }

    /// The key of an object, as a value.
    pub(super) fn key(&mut self, key: &PropertyKey<'_>) -> String {
        match key {
            PropertyKey::StaticIdentifier(name) => quoted(&name.name),
            PropertyKey::PrivateIdentifier(name) => quoted(&name.name),
            key => key.as_expression().map_or_else(|| "None".to_owned(), |key: &Expression<'_>| self.expression(key)),
        }
    }
}
