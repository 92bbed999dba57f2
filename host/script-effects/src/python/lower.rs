//! Statements and patterns of Python in the intermediate representation.

mod expressions;

use ruff_python_ast::{
    Decorator, ExceptHandler, Expr, Parameters, Pattern as Tree, Stmt, StmtAnnAssign, StmtClassDef, StmtFunctionDef,
    StmtIf, StmtMatch, StmtTry,
};

use crate::ir::{
    Block, Body, Branch, Case, Class, Definition, Expression, Function, Handler, Parameter, Pattern, Statement,
};

#[derive(Default)]
pub(super) struct Lowering {
    /// Expressions around.
    depth: usize,
}

impl Lowering {
    pub(super) fn block(&mut self, statements: &[Stmt]) -> Block {
        let mut block = Block::with_capacity(statements.len());
        for statement in statements {
            self.statement(statement, &mut block);
        }
        block
    }

    fn statement(&mut self, statement: &Stmt, block: &mut Block) {
        block.push(match statement {
            Stmt::Import(import) => {
                let set = import.names.iter().map(|alias| {
                    let name = alias.name.as_str();
                    let first = name.split('.').next().unwrap_or(name);
                    alias.asname.as_ref().map_or((first, first), |own| (own.as_str(), name))
                });
                Statement::Import(set.map(|(name, module)| (name.to_owned(), module.to_owned())).collect())
            }
            Stmt::ImportFrom(import) => {
                let members = import.names.iter().map(|alias| {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    (name.as_str().to_owned(), alias.name.as_str().to_owned())
                });
                let module = import.module.as_ref().map_or("", |module| module.as_str()).to_owned();
                Statement::ImportFrom { module, is_relative: import.level > 0, members: members.collect() }
            }
            Stmt::Expr(statement) => Statement::Expression(self.boxed(&statement.value)),
            Stmt::Assign(assign) => {
                Statement::Assign { targets: self.expressions(&assign.targets), value: self.boxed(&assign.value) }
            }
            Stmt::AnnAssign(assign) => return self.annotated(assign, block),
            Stmt::AugAssign(assign) => Statement::Update {
                target: self.boxed(&assign.target),
                operator: expressions::operator(assign.op),
                value: self.boxed(&assign.value),
            },
            Stmt::Delete(delete) => Statement::Delete(self.expressions(&delete.targets)),
            Stmt::Return(statement) => Statement::Return(statement.value.as_ref().map(|value| self.boxed(value))),
            Stmt::If(statement) => self.if_(statement),
            Stmt::For(statement) => Statement::For {
                target: self.boxed(&statement.target),
                row: self.boxed(&statement.iter),
                body: self.block(&statement.body),
                otherwise: self.block(&statement.orelse),
            },
            Stmt::While(statement) => Statement::While {
                first: false,
                setup: Block::new(),
                test: self.boxed(&statement.test),
                body: self.block(&statement.body),
                otherwise: self.block(&statement.orelse),
            },
            Stmt::With(statement) => {
                let contexts = statement.items.iter().map(|item| {
                    let target = item.optional_vars.as_ref().map(|target| self.expression(target));
                    (self.expression(&item.context_expr), target)
                });
                Statement::With { contexts: contexts.collect(), body: self.block(&statement.body) }
            }
            Stmt::Try(statement) => self.try_(statement),
            Stmt::Match(statement) => self.match_(statement),
            Stmt::FunctionDef(function) => self.definition(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Raise(raise) => {
                let values = raise.exc.iter().chain(&raise.cause);
                Statement::Expression(Box::new(Expression::Opaque(
                    values.map(|value| self.expression(value)).collect(),
                )))
            }
            // The text is evaluated only if the test fails.
            Stmt::Assert(assert) => {
                let values = std::iter::once(&assert.test).chain(&assert.msg);
                Statement::Expression(Box::new(Expression::Logical(
                    values.map(|value| self.expression(value)).collect(),
                )))
            }
            Stmt::Global(global) => Statement::Global(names(&global.names)),
            Stmt::Nonlocal(nonlocal) => Statement::Nonlocal(names(&nonlocal.names)),
            Stmt::Break(_) | Stmt::Continue(_) => Statement::Break,
            Stmt::TypeAlias(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => return,
        });
    }

    fn annotated(&mut self, assign: &StmtAnnAssign, block: &mut Block) {
        let annotation = self.annotation(Some(&assign.annotation));
        block.extend(annotation.map(|annotation| Statement::Expression(Box::new(annotation))));
        if let Some(value) = &assign.value {
            let value = self.boxed(value);
            block.push(Statement::Assign { targets: vec![self.expression(&assign.target)], value });
        }
    }

    /// An annotation that may do something.
    fn annotation(&mut self, annotation: Option<&Expr>) -> Option<Expression> {
        let calls =
            |annotation: &&Expr| !matches!(annotation, Expr::Name(_) | Expr::Attribute(_) | Expr::StringLiteral(_));
        annotation.filter(calls).map(|annotation| self.expression(annotation))
    }

    fn if_(&mut self, statement: &StmtIf) -> Statement {
        let first = Branch { test: Some(self.expression(&statement.test)), body: self.block(&statement.body) };
        let mut branches = vec![first];
        for clause in &statement.elif_else_clauses {
            let test = clause.test.as_ref().map(|test| self.expression(test));
            branches.push(Branch { test, body: self.block(&clause.body) });
        }
        // `if __name__ == "__main__":` holds.
        let is_main = branches.len() == 1 && is_main(&statement.test);
        if !is_main && branches.last().is_some_and(|last| last.test.is_some()) {
            branches.push(Branch { test: None, body: Block::new() });
        }
        Statement::If(branches)
    }

    fn try_(&mut self, statement: &StmtTry) -> Statement {
        let handlers = statement.handlers.iter().map(|ExceptHandler::ExceptHandler(handler)| Handler {
            class: handler.type_.as_ref().map(|class| self.expression(class)),
            name: handler.name.as_ref().map(|name| name.as_str().to_owned()),
            body: self.block(&handler.body),
        });
        Statement::Try {
            handlers: handlers.collect(),
            body: self.block(&statement.body),
            otherwise: self.block(&statement.orelse),
            finally: self.block(&statement.finalbody),
        }
    }

    fn match_(&mut self, statement: &StmtMatch) -> Statement {
        let cases = statement.cases.iter().map(|case| Case {
            pattern: self.pattern(&case.pattern),
            guard: case.guard.as_ref().map(|guard| self.expression(guard)),
            body: self.block(&case.body),
        });
        Statement::Match { cases: cases.collect(), subject: self.boxed(&statement.subject) }
    }

    fn pattern(&mut self, pattern: &Tree) -> Pattern {
        match pattern {
            Tree::MatchAs(one) => {
                let inner = one.pattern.as_ref().map(|inner| self.pattern(inner));
                match &one.name {
                    Some(name) => Pattern::Name(inner.map(Box::new), name.as_str().to_owned()),
                    None => inner.unwrap_or(Pattern::Any),
                }
            }
            Tree::MatchOr(all) => Pattern::Or(self.patterns(&all.patterns)),
            Tree::MatchSequence(all) => Pattern::Row(self.patterns(&all.patterns)),
            Tree::MatchStar(rest) => {
                rest.name.as_ref().map_or(Pattern::Any, |name| Pattern::Rest(name.as_str().to_owned()))
            }
            Tree::MatchMapping(table) => {
                let items = table.keys.iter().zip(&table.patterns);
                let items = items.map(|(key, one)| (self.expression(key), self.pattern(one))).collect();
                Pattern::Table(items, table.rest.as_ref().map(|name| name.as_str().to_owned()))
            }
            Tree::MatchClass(class) => {
                let named = class.arguments.keywords.iter();
                let named = named.map(|one| (one.attr.as_str().to_owned(), self.pattern(&one.pattern))).collect();
                Pattern::Object(self.patterns(&class.arguments.patterns), named)
            }
            Tree::MatchValue(value) => Pattern::Value(self.boxed(&value.value)),
            Tree::MatchSingleton(_) => Pattern::Any,
        }
    }

    fn patterns(&mut self, patterns: &[Tree]) -> Vec<Pattern> {
        patterns.iter().map(|pattern| self.pattern(pattern)).collect()
    }

    fn definition(&mut self, definition: &StmtFunctionDef) -> Statement {
        let function = Function {
            parameters: self.parameters(Some(&definition.parameters)),
            body: Body::Block(self.block(&definition.body)),
        };
        Statement::Function(Box::new(Definition {
            name: definition.name.as_str().to_owned(),
            decorators: self.decorators(&definition.decorator_list),
            function,
            annotation: self.annotation(definition.returns.as_deref()),
        }))
    }

    fn decorators(&mut self, decorators: &[Decorator]) -> Vec<Expression> {
        decorators.iter().map(|decorator| self.expression(&decorator.expression)).collect()
    }

    fn parameters(&mut self, parameters: Option<&Parameters>) -> crate::ir::Parameters {
        let Some(parameters) = parameters else { return crate::ir::Parameters::default() };
        let all = parameters.iter_non_variadic_params().map(|parameter| Parameter {
            name: parameter.parameter.name.as_str().to_owned(),
            annotation: self.annotation(parameter.parameter.annotation.as_deref()),
            default: parameter.default.as_ref().map(|default| self.expression(default)),
        });
        crate::ir::Parameters {
            all: all.collect(),
            by_place: parameters.posonlyargs.len() + parameters.args.len(),
            rest: parameters.vararg.as_ref().map(|rest| rest.name.as_str().to_owned()),
            named_rest: parameters.kwarg.as_ref().map(|rest| rest.name.as_str().to_owned()),
        }
    }

    fn class(&mut self, class: &StmtClassDef) -> Statement {
        let fields = class.body.iter().filter_map(|statement| match statement {
            Stmt::AnnAssign(assign) => match &*assign.target {
                Expr::Name(name) => Some(name.id.as_str().to_owned()),
                _ => None,
            },
            _ => None,
        });
        Statement::Class(Box::new(Class {
            name: class.name.as_str().to_owned(),
            decorators: self.decorators(&class.decorator_list),
            bases: class.arguments.as_ref().map(|arguments| self.arguments(arguments)).unwrap_or_default(),
            fields: fields.collect(),
            body: self.block(&class.body),
        }))
    }
}

fn names(names: &[ruff_python_ast::Identifier]) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}

/// Whether the condition is that the script itself was started.
fn is_main(test: &Expr) -> bool {
    let Expr::Compare(compare) = test else { return false };
    matches!(&*compare.left, Expr::Name(name) if name.id.as_str() == "__name__")
}
