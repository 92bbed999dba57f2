//! Statements and classes in the intermediate representation.

use oxc_allocator::Vec as Row;
use oxc_ast::ast::{
    self, BindingPattern, Class, ClassElement, Declaration, ExportDefaultDeclarationKind, ForStatement,
    ForStatementInit, ForStatementLeft, Function, IfStatement, ImportDeclaration, ImportDeclarationSpecifier,
    MethodDefinitionKind, SwitchStatement, TSModuleReference, TSNamespaceDeclarationBody, TryStatement,
    VariableDeclaration,
};

use oxc_span::GetSpan as _;

use super::expressions::require;
use super::{Lowering, THIS};
use crate::ir::{Arguments, Block, Branch, Class as Definition, Expression, FIELD, INITIALIZER, Parameter, Statement};

impl Lowering {
    /// Statements in the order in which they run: functions are there before all others.
    pub(super) fn statements(&mut self, statements: &Row<'_, ast::Statement<'_>>) {
        for statement in statements.iter().filter(|statement| is_function(statement)) {
            self.statement(statement);
        }
        for statement in statements.iter().filter(|statement| !is_function(statement)) {
            self.statement(statement);
        }
    }

    /// The same of a block inside others.
    fn inner(&mut self, statements: &Row<'_, ast::Statement<'_>>) {
        self.scope(declared_names(statements), |lower| lower.statements(statements));
    }

    fn statement(&mut self, statement: &ast::Statement<'_>) {
        self.deeper((), |lower| lower.lower_one(statement));
    }

    fn lower_one(&mut self, statement: &ast::Statement<'_>) {
        match statement {
            ast::Statement::BlockStatement(block) => self.inner(&block.body),
            ast::Statement::ExpressionStatement(statement) => {
                let value = self.expression(&statement.expression);
                self.set_result(value);
            }
            ast::Statement::IfStatement(statement) => self.if_(statement),
            ast::Statement::ForStatement(statement) => self.for_(statement),
            ast::Statement::ForInStatement(statement) => {
                let row = Expression::Library("node.Object.keys").call(vec![self.expression(&statement.right)]);
                self.turns(row, &statement.left, &statement.body);
            }
            ast::Statement::ForOfStatement(statement) => {
                let row = self.expression(&statement.right);
                self.turns(row, &statement.left, &statement.body);
            }
            ast::Statement::WhileStatement(statement) => {
                self.while_(false, Some(&statement.test), |lower| lower.statement(&statement.body));
            }
            ast::Statement::DoWhileStatement(statement) => {
                self.while_(true, Some(&statement.test), |lower| lower.statement(&statement.body));
            }
            ast::Statement::LabeledStatement(statement) => self.statement(&statement.body),
            ast::Statement::ReturnStatement(statement) => {
                let value = self.optional(statement.argument.as_ref());
                match self.functions.is_empty() {
                    true => self.set_result(value),
                    false => self.block.push(Statement::Return(Some(Box::new(value)))),
                }
            }
            ast::Statement::SwitchStatement(statement) => self.switch(statement),
            ast::Statement::ThrowStatement(statement) => {
                let value = self.expression(&statement.argument);
                self.ignore(value);
            }
            ast::Statement::TryStatement(statement) => self.try_(statement),
            ast::Statement::WithStatement(statement) => {
                self.ignore(Expression::Hidden.call(Vec::new()));
                self.statement(&statement.body);
            }
            ast::Statement::ImportDeclaration(import) => self.import(import),
            ast::Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            ast::Statement::ExportDefaultDeclaration(export) => self.export_default(&export.declaration),
            ast::Statement::TSExportAssignment(export) => {
                let value = self.expression(&export.expression);
                self.ignore(value);
            }
            statement => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            Declaration::VariableDeclaration(declaration) => self.variables(declaration),
            Declaration::FunctionDeclaration(function) => {
                self.declare_function(function);
            }
            Declaration::ClassDeclaration(class) => {
                self.class(class);
            }
            Declaration::TSNamespaceDeclaration(space) => {
                let mut body = &space.body;
                while let TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) = body {
                    body = &inner.body;
                }
                if let TSNamespaceDeclarationBody::TSModuleBlock(block) = body {
                    self.statements(&block.body);
                }
            }
            Declaration::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(module) = &import.module_reference {
                    let name = Expression::Name(self.declare(&import.id.name));
                    let module = require(self.text(&module.expression.value, module.expression.span));
                    self.assign(name, module);
                }
            }
            // Types do nothing.
            _ => {}
        }
    }

    fn export_default(&mut self, declaration: &ExportDefaultDeclarationKind<'_>) {
        match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.declare_function(function);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.class(class);
            }
            kind => {
                if let Some(value) = kind.as_expression().map(|value| self.expression(value)) {
                    self.ignore(value);
                }
            }
        }
    }

    fn variables(&mut self, declaration: &VariableDeclaration<'_>) {
        for declarator in &declaration.declarations {
            let value = self.optional(declarator.init.as_ref());
            self.bind(&declarator.id, value);
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        let module = require(self.text(&import.source.value, import.source.span));
        if import.specifiers.is_none() {
            self.ignore(module.clone());
        }
        for specifier in import.specifiers.iter().flatten() {
            let (name, value) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    let imported = specifier.imported.name();
                    self.note(&imported, specifier.imported.span());
                    (&specifier.local.name, module.clone().member(&imported))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    (&specifier.local.name, module.clone())
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                    (&specifier.local.name, module.clone())
                }
            };
            let name = Expression::Name(self.declare(name));
            self.assign(name, value);
        }
    }

    fn if_(&mut self, statement: &IfStatement<'_>) {
        let test = self.expression(&statement.test);
        let body = self.collect(|lower| lower.statement(&statement.consequent));
        let other = self.collect(|lower| statement.alternate.iter().for_each(|other| lower.statement(other)));
        self.branch(test, body, other);
    }

    fn branch(&mut self, test: Expression, body: Block, other: Block) {
        let branches = vec![Branch { test: Some(test), body }, Branch { test: None, body: other }];
        self.block.push(Statement::If(branches));
    }

    fn switch(&mut self, statement: &SwitchStatement<'_>) {
        let subject = self.expression(&statement.discriminant);
        self.ignore(subject);
        // A case may fall through, so that each may be done, or not.
        self.scope(statement.cases.iter().flat_map(|case| declared_names(&case.consequent)), |lower| {
            for case in &statement.cases {
                let test = case.test.iter().map(|test| lower.expression(test)).collect();
                let body = lower.collect(|lower| lower.statements(&case.consequent));
                lower.branch(Expression::Opaque(test), body, Block::new());
            }
        });
    }

    fn try_(&mut self, statement: &TryStatement<'_>) {
        let body = self.collect(|lower| lower.inner(&statement.block.body));
        let handler = self.collect(|lower| {
            let Some(handler) = &statement.handler else { return };
            let parameter = handler.param.as_ref().map(|parameter| &parameter.pattern);
            lower.scope(parameter.into_iter().flat_map(pattern_names), |lower| {
                if let Some(parameter) = parameter {
                    lower.bind(parameter, Expression::Unknown);
                }
                lower.inner(&handler.body.body);
            });
        });
        self.block.push(Statement::Try {
            body,
            handlers: vec![Branch { test: None, body: handler }],
            otherwise: Block::new(),
            finally: Block::new(),
        });
        if let Some(last) = &statement.finalizer {
            self.inner(&last.body);
        }
    }

    /// The turns of a loop over a row.
    fn turns(&mut self, row: Expression, left: &ForStatementLeft<'_>, body: &ast::Statement<'_>) {
        let name = Expression::Name(self.fresh());
        let own = match left {
            ForStatementLeft::VariableDeclaration(declaration) => Some(&**declaration),
            _ => None,
        };
        self.scope(own.into_iter().flat_map(block_names), |lower| {
            let body = lower.collect(|lower| {
                lower.assign_loop_variables(left, name.clone());
                lower.statement(body);
            });
            let (target, row) = (Box::new(name), Box::new(row));
            lower.block.push(Statement::For { target, row, body });
        });
    }

    fn for_(&mut self, statement: &ForStatement<'_>) {
        let own = match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => Some(&**declaration),
            _ => None,
        };
        self.scope(own.into_iter().flat_map(block_names), |lower| lower.for_loop(statement));
    }

    fn for_loop(&mut self, statement: &ForStatement<'_>) {
        match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => self.variables(declaration),
            Some(init) => {
                if let Some(value) = init.as_expression().map(|value| self.expression(value)) {
                    self.ignore(value);
                }
            }
            None => {}
        }
        self.while_(false, statement.test.as_ref(), |lower| {
            lower.statement(&statement.body);
            if let Some(update) = &statement.update {
                let update = lower.expression(update);
                lower.ignore(update);
            }
        });
    }

    /// A loop with a test. `first`: the body runs before it.
    fn while_(&mut self, first: bool, test: Option<&ast::Expression<'_>>, body: impl FnOnce(&mut Self)) {
        let mut value = Expression::Bool(true);
        let setup = self.collect(|lower| {
            if let Some(test) = test {
                value = lower.expression(test);
            }
        });
        let body = self.collect(body);
        self.block.push(Statement::While { first, setup, test: Box::new(value), body });
    }

    /// Adds a function and gives its name.
    pub(super) fn declare_function(&mut self, function: &Function<'_>) -> String {
        let name = match &function.id {
            Some(name) => self.declare(&name.name),
            None => self.fresh(),
        };
        self.method(&name, function, None, None);
        name
    }

    /// Adds a function with another meaning of `this`.
    pub(super) fn method(
        &mut self,
        name: &str,
        function: &Function<'_>,
        decorator: Option<&'static str>,
        this: Option<This<'_>>,
    ) {
        let (mut parameters, patterns) = self.parameters(&function.params);
        if let Some(This::Parameter) = this {
            parameters.all.insert(0, Parameter { name: THIS.to_owned(), default: None });
            parameters.by_place += 1;
        }
        self.function(name, decorator, parameters, |lower| {
            lower.declare_own(THIS);
            if let Some(This::Object(object)) = this {
                lower.store(Expression::Name(THIS.to_owned()), object.clone());
            }
            lower.bind_all(patterns);
            if let Some(body) = &function.body {
                lower.statements(&body.statements);
            }
        });
    }

    /// Adds a class and gives its name.
    pub(super) fn class(&mut self, class: &Class<'_>) -> String {
        let name = match &class.id {
            Some(name) => self.declare(&name.name),
            None => self.fresh(),
        };
        let base = class.heritage.as_ref().map(|heritage| self.expression(&heritage.expression));
        let body = self.collect(|lower| class.body.body.iter().for_each(|element| lower.element(element)));
        self.block.push(Statement::Class(Box::new(Definition {
            name: name.clone(),
            bases: Arguments { values: base.into_iter().collect(), ..Arguments::default() },
            fields: Vec::new(),
            body,
        })));
        name
    }

    fn element(&mut self, element: &ClassElement<'_>) {
        match element {
            ClassElement::MethodDefinition(method) => {
                let name = match (&method.kind, method.key.static_name()) {
                    (MethodDefinitionKind::Constructor, _) => format!("{FIELD}{INITIALIZER}"),
                    (_, Some(name)) => format!("{FIELD}{name}"),
                    (_, None) => self.fresh(),
                };
                let decorator = match method.kind {
                    _ if method.r#static => Some("builtins.staticmethod"),
                    MethodDefinitionKind::Get => Some("builtins.property"),
                    _ => None,
                };
                self.method(&name, &method.value, decorator, (!method.r#static).then_some(This::Parameter));
            }
            ClassElement::PropertyDefinition(property) => {
                if let (Some(name), Some(value)) = (property.key.static_name(), &property.value) {
                    let value = self.expression(value);
                    self.store(Expression::Name(format!("{FIELD}{name}")), value);
                }
            }
            ClassElement::StaticBlock(block) => self.statements(&block.body),
            _ => {}
        }
    }
}

/// The meaning of `this` in a function.
#[derive(Clone, Copy)]
pub(super) enum This<'t> {
    Parameter,
    Object(&'t Expression),
}

/// The names that statements declare for their block alone.
fn declared_names<'s>(statements: &'s Row<'_, ast::Statement<'_>>) -> impl Iterator<Item = &'s str> {
    statements.iter().flat_map(|statement| {
        let (variables, class) = match statement {
            ast::Statement::VariableDeclaration(declaration) => (Some(&**declaration), None),
            ast::Statement::ClassDeclaration(class) => (None, class.id.as_ref()),
            _ => (None, None),
        };
        variables.into_iter().flat_map(block_names).chain(class.map(|name| name.name.as_str()))
    })
}

/// The names of a declaration that holds in its block alone.
fn block_names<'d>(declaration: &'d VariableDeclaration<'_>) -> impl Iterator<Item = &'d str> {
    let holds = !declaration.kind.is_var();
    declaration.declarations.iter().filter(move |_| holds).flat_map(|declarator| pattern_names(&declarator.id))
}

/// The names of a pattern.
fn pattern_names<'p>(pattern: &'p BindingPattern<'_>) -> impl Iterator<Item = &'p str> {
    pattern.get_binding_identifiers().into_iter().map(|name| name.name.as_str())
}

fn is_function(statement: &ast::Statement<'_>) -> bool {
    matches!(statement, ast::Statement::FunctionDeclaration(_))
}
