//! Checks the names in a text before the first call: each function must exist, each literal key must be in the document
//! or the data, and each literal pattern must compile.
//!
//! The engine reports unknown functions and invalid patterns only when it reaches the call, which may be at the one
//! command that a rule is for. It treats an unknown key as false.

use policy_input_document::unknown_name;
use regex::RegexBuilder;
use std::collections::BTreeMap;

use regorus::unstable::{AssignOp, BUILTINS, BoolOp, Expr, Module, Ref, Rule, Span};

use crate::helpers::{Helpers, Parts};
use crate::names::{Names, alias, package, path, resolve_path};
use crate::own;
use crate::shapes::Locals;
use crate::walk;

/// The engine's size limit for a compiled pattern in bytes.
const PATTERN_BYTES: usize = 100 << 10;

/// Functions with a regular expression, and the index of that argument.
const PATTERNS: [(&str, usize); 5] = [
    ("regex.find_all_string_submatch_n", 0),
    ("regex.find_n", 0),
    ("regex.match", 0),
    ("regex.replace", 1),
    ("regex.split", 0),
];

/// A name or a call that can't work: its location, and the error.
type Broken = (Span, String);

/// Returns the first name or call that can't work.
pub(crate) fn find_broken(modules: &[Ref<Module>], names: &Names) -> Option<Broken> {
    let helpers = Helpers::new(modules, names);
    modules.iter().find_map(|module| check_module(module, names, &helpers))
}

fn check_module<'a>(module: &'a Module, names: &'a Names, helpers: &'a Helpers<'a>) -> Option<Broken> {
    let nothing = Locals::empty(helpers);
    let imports = module.imports.iter().map(|import| import.refr.as_ref());
    let broken =
        imports.flat_map(steps).find_map(|one| Calls { module, names, locals: &nothing }.check_expression(one));
    broken.or_else(|| {
        module.policy.iter().find_map(|rule| {
            let Parts { expressions, bound, function } = Parts::new(module, rule);
            let locals = Locals::new(module, helpers, function.as_deref(), &bound);
            let calls = Calls { module, names, locals: &locals };
            calls
                .check_head_value(rule, &expressions)
                .or_else(|| expressions.into_iter().find_map(|one| calls.check_expression(one)))
        })
    })
}

/// Returns `a.b.c`, `a.b` and `a` for `a.b.c`.
fn steps(expression: &Expr) -> Vec<&Expr> {
    let mut steps = vec![expression];
    while let Some(Expr::RefDot { refr, .. }) = steps.last() {
        steps.push(refr);
    }
    steps
}

/// Returns a string literal.
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
    /// The rule's local names, which shadow imports.
    locals: &'a Locals<'a>,
}

impl Calls<'_> {
    fn check_expression(&self, expression: &Expr) -> Option<Broken> {
        match expression {
            Expr::Call { span, fcn, params, .. } => {
                let name = path(fcn)?;
                self.call(span, &name, params).or_else(|| self.argument(&name, params))
            }
            Expr::RefDot { refr, field, .. } => self.key(refr, &field.0, field.0.text()),
            Expr::RefBrack { refr, index, .. } => match literal(index) {
                Some((span, text)) => self.key(refr, span, text),
                // `names[e.operation]` with literal names.
                None => self.check_membership(index, refr),
            },
            Expr::BoolExpr { op: BoolOp::Eq | BoolOp::Ne, lhs, rhs, .. }
            | Expr::AssignExpr { op: AssignOp::Eq, lhs, rhs, .. } => {
                self.check_comparison(lhs, rhs).or_else(|| self.check_comparison(rhs, lhs))
            }
            Expr::Membership { key: None, value, collection, .. } => match literal(value) {
                Some((span, text)) => {
                    let element = self.locals.shape(self.module, collection)?.element()?;
                    Some((span.clone(), element.refuse(text)?))
                }
                None => self.check_membership(value, collection),
            },
            _ => None,
        }
    }

    /// Checks whether a value is looked up in texts that it can never equal.
    fn check_membership(&self, value: &Expr, texts: &Expr) -> Option<Broken> {
        let shape = self.locals.shape(self.module, value)?;
        let mut texts = self.locals.literal_elements(self.module, texts).into_iter().filter_map(literal);
        texts.find_map(|(span, text)| Some((span.clone(), shape.refuse(text)?)))
    }

    /// Checks for a name in a rule's head without a value. In a body, an index or a unification binds a name, so only a
    /// name that occurs nowhere else is unbound.
    fn check_head_value(&self, rule: &Rule, expressions: &[&Expr]) -> Option<Broken> {
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
        walk::visit_head_names(rule, &mut |span| {
            let name = span.text();
            if broken.is_none() && counts.get(name) == Some(&1) && !is_known(name) {
                broken =
                    Some((span.clone(), format!("`{name}` never gets a value: bind it in the body, `{name} := ...`")));
            }
        });
        broken
    }

    /// Checks a key of the value `of`.
    fn key(&self, of: &Expr, place: &Span, key: &str) -> Option<Broken> {
        let known: Vec<&str> = match self.locals.shape(self.module, of) {
            Some(shape) => shape.key(key).err()?,
            None => self
                .names
                .names_below(&resolve_path(self.module, self.locals, &path(of)?))?
                .iter()
                .map(String::as_str)
                .collect(),
        };
        (!known.contains(&key)).then(|| (place.clone(), unknown_name("name", key, &known)))
    }

    /// Checks whether a value is compared with a text that it can never equal.
    fn check_comparison(&self, value: &Expr, text: &Expr) -> Option<Broken> {
        let shape = self.locals.shape(self.module, value)?;
        let (span, text) = literal(self.locals.literal_elements(self.module, text).first()?)?;
        Some((span.clone(), shape.refuse(text)?))
    }

    /// Checks whether an argument of a built-in function can never match another one: a prefix, a pattern, or a key.
    fn argument(&self, function: &str, params: &[Ref<Expr>]) -> Option<Broken> {
        let text = |one: &Expr| {
            let written = self.locals.literal_elements(self.module, one);
            written.first().copied().and_then(literal).map(|(span, text)| (span.clone(), text.to_owned()))
        };
        let shape = |one: &Expr| self.locals.shape(self.module, one);
        match (function, params) {
            ("startswith", [value, start]) => {
                let (span, start) = text(start)?;
                Some((span, shape(value)?.refuse_start(&start)?))
            }
            ("regex.match", [pattern, value]) => {
                let (span, pattern) = text(pattern)?;
                Some((span, shape(value)?.refuse_pattern(&pattern)?))
            }
            ("glob.match", [pattern, _, value]) => {
                let (span, pattern) = text(pattern)?;
                Some((span, shape(value)?.refuse_wildcards(&pattern)?))
            }
            ("object.get", [of, keys, _]) => {
                let keys = match keys.as_ref() {
                    Expr::Array { items, .. } => items.iter().map(AsRef::as_ref).collect(),
                    key => vec![key],
                };
                let mut shape = shape(of)?;
                for (span, key) in keys.into_iter().map_while(literal) {
                    shape = match shape.key(key) {
                        Ok(below) => below?,
                        Err(known) => return Some((span.clone(), unknown_name("name", key, &known))),
                    };
                }
                None
            }
            _ => None,
        }
    }

    fn call(&self, span: &Span, name: &str, params: &[Ref<Expr>]) -> Option<Broken> {
        let path = resolve_path(self.module, self.locals, name);
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
