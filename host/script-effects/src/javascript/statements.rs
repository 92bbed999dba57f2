//! Statements, each as lines.

use oxc_allocator::Vec as Row;
use oxc_ast::ast::{
    BindingPattern, Class, ClassElement, Declaration, ExportDefaultDeclarationKind, Expression, ForStatement,
    ForStatementInit, ForStatementLeft, Function, FunctionBody, IfStatement, ImportDeclaration,
    ImportDeclarationSpecifier, MethodDefinitionKind, Statement, SwitchStatement, TSModuleReference,
    TSNamespaceDeclarationBody, TryStatement, VariableDeclaration,
};

use super::writer::{Writer, member, quoted};

impl Writer {
    /// Statements in the order in which they run: functions are there before all others.
    pub(super) fn block(&mut self, statements: &Row<'_, Statement<'_>>) {
        for statement in statements.iter().filter(|statement| is_function(statement)) {
            self.statement(statement);
        }
        for statement in statements.iter().filter(|statement| !is_function(statement)) {
            self.statement(statement);
        }
    }

    /// The same of a block inside others.
    fn inner(&mut self, statements: &Row<'_, Statement<'_>>) {
        self.scope(declared(statements), |writer| writer.block(statements));
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        self.deeper((), |writer| writer.lines_of(statement));
    }

    fn lines_of(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::BlockStatement(block) => self.inner(&block.body),
            Statement::ExpressionStatement(statement) => {
                let value = self.expression(&statement.expression);
                self.given(&value);
            }
            Statement::IfStatement(statement) => self.if_(statement),
            Statement::ForStatement(statement) => self.for_(statement),
            Statement::ForInStatement(statement) => {
                let row = self.expression(&statement.right);
                let row = format!("js_Object.keys({row})");
                self.turns(&row, &statement.left, &statement.body);
            }
            Statement::ForOfStatement(statement) => {
                let row = self.expression(&statement.right);
                self.turns(&row, &statement.left, &statement.body);
            }
            Statement::WhileStatement(statement) => {
                self.while_(Some(&statement.test), |writer| writer.statement(&statement.body));
            }
            Statement::DoWhileStatement(statement) => {
                self.statement(&statement.body);
                self.while_(Some(&statement.test), |writer| writer.statement(&statement.body));
            }
            Statement::LabeledStatement(statement) => self.statement(&statement.body),
            Statement::ReturnStatement(statement) => {
                let value = statement.argument.as_ref().map_or("None".to_owned(), |value| self.expression(value));
                match self.functions.is_empty() {
                    true => self.given(&value),
                    false => self.line(&format!("return {value}")),
                }
            }
            Statement::SwitchStatement(statement) => self.switch(statement),
            Statement::ThrowStatement(statement) => {
                let value = self.expression(&statement.argument);
                self.line(&format!("raise {value}"));
            }
            Statement::TryStatement(statement) => self.try_(statement),
            Statement::WithStatement(statement) => {
                self.line("js_hidden()");
                self.statement(&statement.body);
            }
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => self.export_default(&export.declaration),
            Statement::TSExportAssignment(export) => {
                let value = self.expression(&export.expression);
                self.line(&value);
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
                self.named(function);
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
                    self.block(&block.body);
                }
            }
            Declaration::TSImportEqualsDeclaration(import) => {
                if let TSModuleReference::ExternalModuleReference(module) = &import.module_reference {
                    let name = self.declare(&import.id.name);
                    self.assign(&name, &format!("js_require({})", quoted(&module.expression.value)));
                }
            }
            // Types do nothing.
            _ => {}
        }
    }

    fn export_default(&mut self, declaration: &ExportDefaultDeclarationKind<'_>) {
        match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.named(function);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.class(class);
            }
            kind => {
                if let Some(value) = kind.as_expression().map(|value| self.expression(value)) {
                    self.line(&value);
                }
            }
        }
    }

    fn variables(&mut self, declaration: &VariableDeclaration<'_>) {
        for declarator in &declaration.declarations {
            let value = declarator.init.as_ref().map_or("None".to_owned(), |value| self.expression(value));
            self.bind(&declarator.id, &value);
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        let module = format!("js_require({})", quoted(&import.source.value));
        if import.specifiers.is_none() {
            self.line(&module);
        }
        for specifier in import.specifiers.iter().flatten() {
            let (name, value) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    let imported = specifier.imported.name();
                    (&specifier.local.name, format!("{module}.{}", member(&imported)))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    (&specifier.local.name, module.clone())
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                    (&specifier.local.name, module.clone())
                }
            };
            let name = self.declare(name);
            self.assign(&name, &value);
        }
    }

    fn if_(&mut self, statement: &IfStatement<'_>) {
        let test = self.expression(&statement.test);
        self.below(&format!("if {test}:"), |writer| writer.statement(&statement.consequent));
        if let Some(other) = &statement.alternate {
            self.below("else:", |writer| writer.statement(other));
        }
    }

    fn switch(&mut self, statement: &SwitchStatement<'_>) {
        let on = self.expression(&statement.discriminant);
        // A case may fall through, so that each may be done, or not.
        self.scope(statement.cases.iter().flat_map(|case| declared(&case.consequent)), |writer| {
            for case in &statement.cases {
                let test = case.test.as_ref().map_or("None".to_owned(), |test| writer.expression(test));
                writer.below(&format!("if {on} == {test}:"), |writer| writer.block(&case.consequent));
            }
        });
    }

    fn try_(&mut self, statement: &TryStatement<'_>) {
        self.below("try:", |writer| writer.inner(&statement.block.body));
        self.below("except Exception:", |writer| {
            let Some(handler) = &statement.handler else { return };
            let parameter = handler.param.as_ref().map(|parameter| &parameter.pattern);
            writer.scope(parameter.into_iter().flat_map(names), |writer| {
                if let Some(parameter) = parameter {
                    writer.bind(parameter, "js_Error()");
                }
                writer.inner(&handler.body.body);
            });
        });
        if let Some(last) = &statement.finalizer {
            self.inner(&last.body);
        }
    }

    /// The turns of a loop over a row.
    fn turns(&mut self, row: &str, left: &ForStatementLeft<'_>, body: &Statement<'_>) {
        let name = self.fresh();
        let own = match left {
            ForStatementLeft::VariableDeclaration(declaration) => Some(&**declaration),
            _ => None,
        };
        self.scope(own.into_iter().flat_map(of_block), |writer| {
            writer.below(&format!("for {name} in {row}:"), |writer| {
                writer.each(left, &name);
                writer.statement(body);
            });
        });
    }

    fn for_(&mut self, statement: &ForStatement<'_>) {
        let own = match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => Some(&**declaration),
            _ => None,
        };
        self.scope(own.into_iter().flat_map(of_block), |writer| writer.counted(statement));
    }

    fn counted(&mut self, statement: &ForStatement<'_>) {
        match &statement.init {
            Some(ForStatementInit::VariableDeclaration(declaration)) => self.variables(declaration),
            Some(init) => {
                if let Some(value) = init.as_expression().map(|value| self.expression(value)) {
                    self.line(&value);
                }
            }
            None => {}
        }
        self.while_(statement.test.as_ref(), |writer| {
            writer.statement(&statement.body);
            if let Some(update) = &statement.update {
                let update = writer.expression(update);
                writer.line(&update);
            }
        });
    }

    /// A loop. What its test does is done at each turn.
    fn while_(&mut self, test: Option<&Expression<'_>>, body: impl FnOnce(&mut Self)) {
        let before = self.length();
        let text = test.map_or("True".to_owned(), |test| self.expression(test));
        let again = test.filter(|_| self.length() > before);
        self.below(&format!("while {text}:"), |writer| {
            body(writer);
            if let Some(test) = again {
                let text = writer.expression(test);
                writer.line(&text);
            }
        });
    }

    /// Writes a function and gives its name.
    pub(super) fn named(&mut self, function: &Function<'_>) -> String {
        let name = match &function.id {
            Some(name) => self.declare(&name.name),
            None => self.fresh(),
        };
        self.method(&name, function, None);
        name
    }

    /// Writes a function. `this`: its first parameter, if it is one of a class, or what holds it, if that is an object.
    pub(super) fn method(&mut self, name: &str, function: &Function<'_>, this: Option<This<'_>>) {
        let (mut parameters, patterns) = self.parameters(&function.params);
        if let Some(This::Parameter) = this {
            parameters = if parameters.is_empty() { THIS.to_owned() } else { format!("{THIS}, {parameters}") };
        }
        self.function(name, &parameters, |writer| {
            writer.own(&parameters);
            writer.own(THIS);
            if let Some(This::Object(object)) = this {
                writer.line(&format!("{THIS} = {object}"));
            }
            for (name, pattern) in &patterns {
                writer.bind(pattern, name);
            }
            if let Some(body) = &function.body {
                writer.body(body);
            }
        });
    }

    pub(super) fn body(&mut self, body: &FunctionBody<'_>) {
        self.block(&body.statements);
    }

    /// Takes the names of parameters for the function's own.
    pub(super) fn own(&mut self, parameters: &str) {
        if let Some(function) = self.functions.last_mut() {
            let names = parameters.split(", ").map(|name| name.split('=').next().unwrap_or(name));
            function.own.extend(names.map(|name| name.trim_start_matches('*').to_owned()));
        }
    }

    /// Writes a class and gives its name.
    pub(super) fn class(&mut self, class: &Class<'_>) -> String {
        let name = match &class.id {
            Some(name) => self.declare(&name.name),
            None => self.fresh(),
        };
        let base = class.heritage.as_ref().map(|heritage| self.expression(&heritage.expression)).unwrap_or_default();
        self.below(&format!("class {name}({base}):"), |writer| {
            for element in &class.body.body {
                match element {
                    ClassElement::MethodDefinition(method) => {
                        let name = match (&method.kind, method.key.static_name()) {
                            (MethodDefinitionKind::Constructor, _) => "__init__".to_owned(),
                            (_, Some(name)) => plain(&member(&name)),
                            (_, None) => writer.fresh(),
                        };
                        if method.r#static {
                            writer.line("@staticmethod");
                        } else if method.kind == MethodDefinitionKind::Get {
                            writer.line("@property");
                        }
                        let this = (!method.r#static).then_some(This::Parameter);
                        writer.method(&name, &method.value, this);
                    }
                    ClassElement::PropertyDefinition(property) => {
                        let value: Option<&Expression<'_>> = property.value.as_ref();
                        if let (Some(name), Some(value)) = (property.key.static_name(), value) {
                            let value = writer.expression(value);
                            writer.line(&format!("{} = {value}", plain(&member(&name))));
                        }
                    }
                    ClassElement::StaticBlock(block) => writer.block(&block.body),
                    _ => {}
                }
            }
        });
        name
    }
}

/// The meaning of `this` in a function.
#[derive(Clone, Copy)]
pub(super) enum This<'t> {
    Parameter,
    Object(&'t str),
}

const THIS: &str = "js_this";

/// The same as a name, whatever a key holds.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// The names that statements declare for their block alone.
fn declared<'s>(statements: &'s Row<'_, Statement<'_>>) -> impl Iterator<Item = &'s str> {
    statements.iter().flat_map(|statement| {
        let (variables, class) = match statement {
            Statement::VariableDeclaration(declaration) => (Some(&**declaration), None),
            Statement::ClassDeclaration(class) => (None, class.id.as_ref()),
            _ => (None, None),
        };
        variables.into_iter().flat_map(of_block).chain(class.map(|name| name.name.as_str()))
    })
}

/// The names of a declaration that holds in its block alone.
fn of_block<'d>(declaration: &'d VariableDeclaration<'_>) -> impl Iterator<Item = &'d str> {
    let holds = !declaration.kind.is_var();
    declaration.declarations.iter().filter(move |_| holds).flat_map(|declarator| names(&declarator.id))
}

/// The names of a pattern.
fn names<'p>(pattern: &'p BindingPattern<'_>) -> impl Iterator<Item = &'p str> {
    pattern.get_binding_identifiers().into_iter().map(|name| name.name.as_str())
}

fn is_function(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::FunctionDeclaration(_))
}
