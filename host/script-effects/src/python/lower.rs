//! Statements and patterns of Python in the intermediate representation.

mod expressions;

use std::rc::Rc;

use ruff_python_ast::{
    ExceptHandler, Expr, Parameters, Pattern, Stmt, StmtAnnAssign, StmtClassDef, StmtFunctionDef, StmtIf, StmtMatch,
    StmtTry,
};

use crate::ir::{self, Block, Branch, Class, Expression, Function, Parameter, Statement};

#[derive(Default)]
pub(super) struct Lowering {
    /// Expressions around.
    depth: usize,
    /// How many subjects have a name.
    subjects: usize,
}

impl Lowering {
    pub(super) fn block(&mut self, statements: &[Stmt]) -> Block {
        let mut block = Block::with_capacity(statements.len());
        self.add(statements, &mut block);
        block
    }

    fn add(&mut self, statements: &[Stmt], block: &mut Block) {
        statements.iter().for_each(|statement| self.statement(statement, block));
    }

    fn statement(&mut self, statement: &Stmt, block: &mut Block) {
        let lowered = match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.name.as_str();
                    let first = name.split('.').next().unwrap_or(name);
                    let (own, module) = alias.asname.as_ref().map_or((first, first), |own| (own.as_str(), name));
                    block.push(set(own, Expression::Module(module.into())));
                }
                return;
            }
            Stmt::ImportFrom(import) => {
                let module: Rc<str> = import.module.as_ref().map_or("", |module| module.as_str()).into();
                for alias in &import.names {
                    let (own, name) = (alias.asname.as_ref().unwrap_or(&alias.name).as_str(), alias.name.as_str());
                    block.push(match name {
                        "*" => Statement::ImportAll(module.to_string()),
                        _ if import.level > 0 => set(own, Expression::Unknown),
                        _ => set(own, Expression::Module(module.clone()).member(name)),
                    });
                }
                return;
            }
            Stmt::Expr(statement) => Statement::Expression(self.boxed(&statement.value)),
            Stmt::Assign(assign) => {
                Statement::Assign { targets: self.expressions(&assign.targets), value: self.boxed(&assign.value) }
            }
            Stmt::AnnAssign(assign) => return self.annotated_assignment(assign, block),
            Stmt::AugAssign(assign) => Statement::Update {
                target: self.boxed(&assign.target),
                operator: expressions::operator(assign.op),
                value: self.boxed(&assign.value),
            },
            Stmt::Delete(delete) => Statement::Delete(self.expressions(&delete.targets)),
            Stmt::Return(statement) => Statement::Return(statement.value.as_ref().map(|value| self.boxed(value))),
            Stmt::If(statement) => self.if_(statement),
            Stmt::For(statement) => {
                let (target, row) = (self.boxed(&statement.target), self.boxed(&statement.iter));
                block.push(Statement::For { target, row, body: self.block(&statement.body) });
                return self.add(&statement.orelse, block);
            }
            Stmt::While(statement) => {
                let (test, body) = (self.boxed(&statement.test), self.block(&statement.body));
                block.push(Statement::While { first: false, setup: Block::new(), test, body });
                return self.add(&statement.orelse, block);
            }
            Stmt::With(statement) => {
                let contexts = statement.items.iter().map(|item| {
                    let target = item.optional_vars.as_ref().map(|target| self.expression(target));
                    (self.expression(&item.context_expr), target)
                });
                Statement::With { contexts: contexts.collect(), body: self.block(&statement.body) }
            }
            Stmt::Try(statement) => self.try_(statement),
            Stmt::Match(statement) => self.match_(statement, block),
            Stmt::FunctionDef(function) => self.function(function, block),
            Stmt::ClassDef(class) => self.class(class, block),
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
        };
        block.push(lowered);
    }

    fn annotated_assignment(&mut self, assign: &StmtAnnAssign, block: &mut Block) {
        self.annotation(Some(&assign.annotation), block);
        if let Some(value) = &assign.value {
            let value = self.boxed(value);
            block.push(Statement::Assign { targets: vec![self.expression(&assign.target)], value });
        }
    }

    /// Evaluates an annotation, if that may do something.
    fn annotation(&mut self, annotation: Option<&Expr>, block: &mut Block) {
        let calls =
            |annotation: &&Expr| !matches!(annotation, Expr::Name(_) | Expr::Attribute(_) | Expr::StringLiteral(_));
        block.extend(annotation.filter(calls).map(|annotation| self.expression_statement(annotation)));
    }

    /// Evaluates a value, and ignores it.
    fn expression_statement(&mut self, value: &Expr) -> Statement {
        Statement::Expression(self.boxed(value))
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
            branches.push(Branch::default());
        }
        Statement::If(branches)
    }

    fn try_(&mut self, statement: &StmtTry) -> Statement {
        let handlers = statement.handlers.iter().map(|ExceptHandler::ExceptHandler(handler)| {
            let test = handler.type_.as_ref().map(|class| self.expression(class));
            let mut body: Block = handler.name.iter().map(|name| set(name, Expression::Unknown)).collect();
            self.add(&handler.body, &mut body);
            Branch { test, body }
        });
        Statement::Try {
            handlers: handlers.collect(),
            body: self.block(&statement.body),
            otherwise: self.block(&statement.orelse),
            finally: self.block(&statement.finalbody),
        }
    }

    /// Runs one of the cases, or none. Whether a pattern fits isn't known; it sets names to parts of the subject.
    fn match_(&mut self, statement: &StmtMatch, block: &mut Block) -> Statement {
        self.subjects += 1;
        let subject = Expression::Name(format!("#{}", self.subjects));
        block.push(Statement::Assign { targets: vec![subject.clone()], value: self.boxed(&statement.subject) });
        let mut branches = vec![Branch::default()];
        for case in &statement.cases {
            let mut body = Block::new();
            self.pattern(&case.pattern, &subject, &mut body);
            body.extend(case.guard.as_ref().map(|guard| self.expression_statement(guard)));
            self.add(&case.body, &mut body);
            branches.push(Branch { test: None, body });
        }
        branches.rotate_left(1);
        Statement::If(branches)
    }

    fn pattern(&mut self, pattern: &Pattern, subject: &Expression, block: &mut Block) {
        match pattern {
            Pattern::MatchAs(one) => {
                if let Some(name) = &one.name {
                    block.push(set(name, subject.clone()));
                }
                if let Some(inner) = &one.pattern {
                    self.pattern(inner, subject, block);
                }
            }
            Pattern::MatchOr(all) => all.patterns.iter().for_each(|one| self.pattern(one, subject, block)),
            Pattern::MatchSequence(row) => self.row(&row.patterns, subject, block),
            // A star outside of a row.
            Pattern::MatchStar(_) | Pattern::MatchSingleton(_) => {}
            Pattern::MatchMapping(table) => {
                if let Some(rest) = &table.rest {
                    block.push(set(rest, Expression::Unknown));
                }
                for (key, one) in table.keys.iter().zip(&table.patterns) {
                    let part = subject.clone().index(self.expression(key));
                    self.pattern(one, &part, block);
                }
            }
            Pattern::MatchClass(class) => {
                let by_place = class.arguments.patterns.iter();
                by_place.for_each(|one| self.pattern(one, &Expression::Unknown, block));
                for one in &class.arguments.keywords {
                    self.pattern(&one.pattern, &subject.clone().member(one.attr.as_str()), block);
                }
            }
            Pattern::MatchValue(value) => block.push(self.expression_statement(&value.value)),
        }
    }

    /// The patterns of the elements of a row. Those behind a star are counted from the end.
    fn row(&mut self, patterns: &[Pattern], subject: &Expression, block: &mut Block) {
        let mut places = (0..).zip(patterns);
        for (at, one) in places.by_ref() {
            if let Pattern::MatchStar(star) = one {
                let bounds = [Some(Expression::Int(at)), None, None];
                let rest = Expression::Slice(Box::new(subject.clone()), Box::new(bounds));
                let targets: Vec<Expression> =
                    star.name.iter().map(|name| Expression::Name(name.as_str().to_owned())).collect();
                block.push(Statement::Assign { targets, value: Box::new(rest) });
                break;
            }
            self.pattern(one, &subject.clone().index(Expression::Int(at)), block);
        }
        let behind: Vec<&Pattern> = places.map(|(_, one)| one).collect();
        for (at, one) in (1..).zip(behind.into_iter().rev()) {
            self.pattern(one, &subject.clone().index(Expression::Int(-at)), block);
        }
    }

    fn function(&mut self, definition: &StmtFunctionDef, block: &mut Block) -> Statement {
        for parameter in definition.parameters.iter_non_variadic_params() {
            self.annotation(parameter.parameter.annotation.as_deref(), block);
        }
        self.annotation(definition.returns.as_deref(), block);
        Statement::Function(Box::new(Function {
            name: definition.name.as_str().to_owned(),
            decorators: definition.decorator_list.iter().map(|one| self.expression(&one.expression)).collect(),
            parameters: self.parameters(Some(&definition.parameters)),
            body: self.block(&definition.body),
        }))
    }

    fn parameters(&mut self, parameters: Option<&Parameters>) -> ir::Parameters {
        let Some(parameters) = parameters else { return ir::Parameters::default() };
        let all = parameters.iter_non_variadic_params().map(|parameter| Parameter {
            name: parameter.parameter.name.as_str().to_owned(),
            default: parameter.default.as_ref().map(|default| self.expression(default)),
        });
        ir::Parameters {
            all: all.collect(),
            by_place: parameters.posonlyargs.len() + parameters.args.len(),
            rest: parameters.vararg.as_ref().map(|rest| rest.name.as_str().to_owned()),
            named_rest: parameters.kwarg.as_ref().map(|rest| rest.name.as_str().to_owned()),
        }
    }

    fn class(&mut self, class: &StmtClassDef, block: &mut Block) -> Statement {
        block.extend(class.decorator_list.iter().map(|one| self.expression_statement(&one.expression)));
        let fields = class.body.iter().filter_map(|statement| match statement {
            Stmt::AnnAssign(assign) => match &*assign.target {
                Expr::Name(name) => Some(name.id.as_str().to_owned()),
                _ => None,
            },
            _ => None,
        });
        Statement::Class(Box::new(Class {
            name: class.name.as_str().to_owned(),
            bases: class.arguments.as_ref().map(|arguments| self.arguments(arguments)).unwrap_or_default(),
            fields: fields.collect(),
            body: self.block(&class.body),
        }))
    }
}

fn set(name: &str, value: Expression) -> Statement {
    Statement::Assign { targets: vec![Expression::Name(name.to_owned())], value: Box::new(value) }
}

fn names(names: &[ruff_python_ast::Identifier]) -> Vec<String> {
    names.iter().map(|name| name.as_str().to_owned()).collect()
}

/// Returns whether the condition is that the script itself was started.
fn is_main(test: &Expr) -> bool {
    let Expr::Compare(compare) = test else { return false };
    matches!(&*compare.left, Expr::Name(name) if name.id.as_str() == "__name__")
}
