//! [`Lowering`]: statements of the intermediate representation, as far as a text is lowered.
//!
//! An expression that needs statements, such as a function, puts them before the statement that it is in.

mod expressions;
mod patterns;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use oxc_allocator::Vec as Row;
use oxc_ast::ast;
use oxc_span::Span;

use crate::ir::{Block, Expression, Function, Parameters, Script, Statement};

/// Statements and expressions inside each other.
const DEEP: usize = 60;

/// The name of the object that a method is called on.
const THIS: &str = "this";

/// The names of a function, as far as it is lowered.
#[derive(Default)]
struct Names {
    /// Names that it declares.
    own: BTreeSet<String>,
    /// Names that it sets.
    set: BTreeSet<String>,
}

#[derive(Default)]
pub(super) struct Lowering {
    block: Block,
    depth: usize,
    /// How many names were made.
    made: usize,
    /// The functions around.
    functions: Vec<Names>,
    /// New names for the names that the enclosing blocks declare for themselves.
    scopes: Vec<BTreeMap<String, String>>,
    /// Names and texts that the source writes with escapes.
    unescaped: String,
}

impl Lowering {
    pub(super) fn script(mut self, statements: &Row<'_, ast::Statement<'_>>) -> Script {
        self.statements(statements);
        Script { body: Some(self.block), reason: None, unescaped: self.unescaped }
    }

    /// Goes one deeper, unless that is too deep.
    fn deeper<T>(&mut self, otherwise: T, lower: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEP {
            self.ignore(Expression::TooDeep);
            return otherwise;
        }
        self.depth += 1;
        let lowered = lower(self);
        self.depth -= 1;
        lowered
    }

    /// The statements that lowering something adds.
    fn collect(&mut self, lower: impl FnOnce(&mut Self)) -> Block {
        let around = std::mem::take(&mut self.block);
        lower(self);
        std::mem::replace(&mut self.block, around)
    }

    /// A text or a name of the source.
    fn text(&mut self, text: &str, span: Span) -> Expression {
        self.note(text, span);
        Expression::text(text)
    }

    /// Notes a name or a text whose source is longer than it and its quotes: escapes may hide a word.
    fn note(&mut self, text: &str, span: Span) {
        if usize::try_from(span.size()).is_ok_and(|size| size > text.len() + 2) {
            self.unescaped.extend(["'", text, "'\n"]);
        }
    }

    /// Evaluates a value, and ignores it.
    fn ignore(&mut self, value: Expression) {
        self.block.push(Statement::Expression(Box::new(value)));
    }

    /// The value of a statement. That of the last one is what `eval` gives.
    fn set_result(&mut self, value: Expression) {
        if self.functions.is_empty() {
            self.store(Expression::Name(crate::ir::RESULT.to_owned()), value);
        } else {
            self.ignore(value);
        }
    }

    /// Sets a target.
    fn store(&mut self, target: Expression, value: Expression) {
        self.block.push(Statement::Assign { targets: vec![target], value: Box::new(value) });
    }

    /// Sets a target, which may be a name of a function around.
    fn assign(&mut self, target: Expression, value: Expression) {
        if let (Expression::Name(name), Some(function)) = (&target, self.functions.last_mut())
            && !name.starts_with('#')
        {
            function.set.insert(name.clone());
        }
        self.store(target, value);
    }

    /// A value under a name, so that it is evaluated once.
    fn store_in_variable(&mut self, value: Expression) -> Expression {
        let name = Expression::Name(self.fresh());
        self.store(name.clone(), value);
        name
    }

    /// Adds a function. A name that it sets and doesn't declare belongs to the functions around it.
    fn function(
        &mut self,
        name: &str,
        decorator: Option<&'static str>,
        parameters: Parameters,
        lower: impl FnOnce(&mut Self),
    ) {
        let mut names = Names::default();
        names.own.extend(parameters.all.iter().map(|parameter| parameter.name.clone()));
        names.own.extend(parameters.rest.clone());
        self.functions.push(names);
        let mut body = self.collect(lower);
        let Names { own, set } = self.functions.pop().unwrap_or_default();
        let outer: Vec<String> = set.difference(&own).cloned().collect();
        // What stands around sets it as well.
        if let Some(around) = self.functions.last_mut() {
            around.set.extend(outer.iter().cloned());
        }
        if !outer.is_empty() {
            body.insert(0, Statement::Nonlocal(outer));
        }
        self.block.push(Statement::Function(Box::new(Function {
            name: name.to_owned(),
            decorators: decorator.map(Expression::Library).into_iter().collect(),
            parameters,
            body,
        })));
    }

    /// Returns whether a block around has names of its own, of which code in a text doesn't know.
    fn is_in_scope(&self) -> bool {
        self.scopes.iter().any(|names| !names.is_empty())
    }

    /// A block inside a function or a script, with the names that it declares for itself.
    fn scope<'n>(&mut self, declared: impl Iterator<Item = &'n str>, lower: impl FnOnce(&mut Self)) {
        let mut names = BTreeMap::new();
        for name in declared {
            self.made += 1;
            names.insert(name.to_owned(), format!("{name}#{}", self.made));
        }
        self.scopes.push(names);
        lower(self);
        self.scopes.pop();
    }

    /// The name of a variable.
    fn variable(&self, name: &str) -> String {
        self.scopes.iter().rev().find_map(|names| names.get(name)).map_or(name, String::as_str).to_owned()
    }

    /// The name of a variable that the function declares.
    fn declare(&mut self, name: &str) -> String {
        let name = self.variable(name);
        self.declare_own(&name);
        name
    }

    /// A name that no script has.
    fn fresh(&mut self) -> String {
        self.made += 1;
        let name = format!("#{}", self.made);
        self.declare_own(&name);
        name
    }

    fn declare_own(&mut self, name: &str) {
        if let Some(function) = self.functions.last_mut() {
            function.own.insert(name.to_owned());
        }
    }
}
