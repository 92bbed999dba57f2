//! The names in a text: each function must be there, each key that is asked for by name must be in the document or in
//! the data, and each pattern that is written out must compile.
//!
//! The engine finds the first and the last only when it comes to the call, which may be at the one command that a rule is
//! for; a key that is not there it takes for false.

use policy_input_document::unknown;
use regex::RegexBuilder;
use std::collections::BTreeMap;

use regorus::unstable::{AssignOp, BUILTINS, BoolOp, Expr, Module, Ref, Rule, Span};

use crate::names::{Names, alias, meant, package, path};
use crate::own;
use crate::shapes::Locals;
use crate::walk::{self, Node};

/// The size limit of the engine for a compiled pattern.
const PATTERN_BYTES: usize = 100 << 10;

/// Functions that take a regular expression, and at which place.
const PATTERNS: [(&str, usize); 5] = [
    ("regex.find_all_string_submatch_n", 0),
    ("regex.find_n", 0),
    ("regex.match", 0),
    ("regex.replace", 1),
    ("regex.split", 0),
];

/// A name or a call that cannot work: where, and why.
type Broken = (Span, String);

/// The first name or call that cannot work.
pub(crate) fn first_broken(modules: &[Ref<Module>], names: &Names) -> Option<Broken> {
    modules.iter().find_map(|module| broken_in(module, names))
}

fn broken_in(module: &Module, names: &Names) -> Option<Broken> {
    let nothing = Locals::default();
    let imports = module.imports.iter().map(|import| import.refr.as_ref());
    let broken = imports.flat_map(steps).find_map(|one| Calls { module, names, locals: &nothing }.broken(one));
    broken.or_else(|| {
        module.policy.iter().find_map(|rule| {
            let (mut expressions, mut bound) = (Vec::new(), Vec::new());
            walk::rule(rule, &mut |node| match node {
                Node::Expression(one) => expressions.push(one),
                Node::Local(name, value) => bound.push((name.text(), value)),
            });
            let locals = Locals::new(module, &bound);
            let calls = Calls { module, names, locals: &locals };
            calls
                .without_value(rule, &expressions)
                .or_else(|| expressions.into_iter().find_map(|one| calls.broken(one)))
        })
    })
}

/// `a.b.c`, `a.b` and `a` of `a.b.c`.
fn steps(expression: &Expr) -> Vec<&Expr> {
    let mut steps = vec![expression];
    while let Some(Expr::RefDot { refr, .. }) = steps.last() {
        steps.push(refr);
    }
    steps
}

/// A text that is written out.
fn literal(expression: &Expr) -> Option<(&Span, &str)> {
    match expression {
        Expr::String { span, value, .. } | Expr::RawString { span, value, .. } => {
            Some((span, value.as_string().ok()?.as_ref()))
        }
        _ => None,
    }
}

struct Calls<'a> {
    module: &'a Module,
    names: &'a Names,
    /// Names of the rule that outrank an import.
    locals: &'a Locals<'a>,
}

impl Calls<'_> {
    fn broken(&self, expression: &Expr) -> Option<Broken> {
        match expression {
            Expr::Call { span, fcn, params, .. } => {
                self.call(span, &path(fcn)?, params).or_else(|| self.start(&path(fcn)?, params))
            }
            Expr::RefDot { refr, field, .. } => self.key(refr, &field.0, field.0.text()),
            Expr::RefBrack { refr, index, .. } => {
                let (span, text) = literal(index)?;
                self.key(refr, span, text)
            }
            Expr::BoolExpr { op: BoolOp::Eq | BoolOp::Ne, lhs, rhs, .. }
            | Expr::AssignExpr { op: AssignOp::Eq, lhs, rhs, .. } => {
                self.compared(lhs, rhs).or_else(|| self.compared(rhs, lhs))
            }
            Expr::Membership { key: None, value, collection, .. } => match collection.as_ref() {
                Expr::Array { items, .. } | Expr::Set { items, .. } => {
                    items.iter().find_map(|item| self.compared(value, item))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A name in the head of a rule that nothing gives a value. In a body an index or a unification gives a name one, so
    /// only a name that stands nowhere else has none.
    fn without_value(&self, rule: &Rule, expressions: &[&Expr]) -> Option<Broken> {
        let own = package(self.module)?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for expression in expressions {
            if let Expr::Var { span, .. } = expression {
                *counts.entry(span.text()).or_default() += 1;
            }
        }
        let is_known = |name: &str| {
            matches!(name, "input" | "data" | "_")
                || self.locals.has(name)
                || self.names.has(&format!("{own}.{name}"))
                || self.module.imports.iter().any(|import| alias(import) == Some(name))
        };
        let mut broken = None;
        walk::names_of_head(rule, &mut |span| {
            let name = span.text();
            if broken.is_none() && counts.get(name) == Some(&1) && !is_known(name) {
                broken =
                    Some((span.clone(), format!("`{name}` never gets a value: bind it in the body, `{name} := ...`")));
            }
        });
        broken
    }

    /// A key of what `of` stands for.
    fn key(&self, of: &Expr, place: &Span, key: &str) -> Option<Broken> {
        let known: Vec<&str> = match self.locals.shape(self.module, of) {
            Some(shape) => shape.key(key).err()?,
            None => {
                self.names.below(&meant(self.module, self.locals, &path(of)?))?.iter().map(String::as_str).collect()
            }
        };
        (!known.contains(&key)).then(|| (place.clone(), unknown("name", key, &known)))
    }

    /// A text that what it is compared with never is.
    fn compared(&self, value: &Expr, text: &Expr) -> Option<Broken> {
        let (span, text) = literal(text)?;
        Some((span.clone(), self.locals.shape(self.module, value)?.refuse(text)?))
    }

    /// A text that what is said to begin with it never does.
    fn start(&self, function: &str, params: &[Ref<Expr>]) -> Option<Broken> {
        let [value, start] = params else { return None };
        let (span, text) = literal(start).filter(|_| function == "startswith")?;
        Some((span.clone(), self.locals.shape(self.module, value)?.refuse_start(text)?))
    }

    fn call(&self, span: &Span, name: &str, params: &[Ref<Expr>]) -> Option<Broken> {
        let path = meant(self.module, self.locals, name);
        let own = || package(self.module).is_some_and(|package| self.names.is_function(&format!("{package}.{path}")));
        let is_given = name == "print" || BUILTINS.contains_key(name) || own::has(name);
        if !(is_given || self.names.is_function(&path) || own()) {
            return Some((span.clone(), format!("could not find function {name}")));
        }
        let (_, place) = PATTERNS.iter().find(|(function, _)| *function == name)?;
        let (span, pattern) = literal(params.get(*place)?)?;
        let error = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build().err()?.to_string();
        let why = error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let why = why.trim().trim_start_matches("error: ");
        Some((span.clone(), format!("`{pattern}` is no regular expression here: {why}")))
    }
}
