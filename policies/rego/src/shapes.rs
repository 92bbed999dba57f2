//! [`Locals`]: the names in a rule, and the part of the call's document that each refers to.
//!
//! A name with several bindings, or one that depends on the call, has no shape.

use std::collections::BTreeMap;

use policy_input_document::Shape;
use regorus::unstable::{Expr, Module};

use crate::helpers::Helpers;
use crate::names::{path, resolve_path};
use crate::walk::Bound;

/// The maximum length of a chain of names: `a := input.analysis; b := a.effects`.
const STEPS: usize = 8;

/// The local names of a rule.
pub(crate) struct Locals<'a> {
    helpers: &'a Helpers<'a>,
    shapes: BTreeMap<&'a str, Option<Shape>>,
    /// Names with a single binding to an expression.
    values: BTreeMap<&'a str, &'a Expr>,
}

impl<'a> Locals<'a> {
    /// Creates an empty scope.
    pub(crate) fn empty(helpers: &'a Helpers<'a>) -> Self {
        Locals { helpers, shapes: BTreeMap::new(), values: BTreeMap::new() }
    }

    /// Collects the names of a rule. `function` is its path from `data` if it is a function.
    pub(crate) fn new(
        module: &Module,
        helpers: &'a Helpers<'a>,
        function: Option<&str>,
        bound: &[(&'a str, Option<Bound<'a>>)],
    ) -> Self {
        let shapes: BTreeMap<&str, Option<Shape>> = bound.iter().map(|(name, _)| (*name, None)).collect();
        let mut locals = Locals { helpers, shapes, values: BTreeMap::new() };
        for _ in 0..STEPS {
            let mut shapes: BTreeMap<&str, Option<Shape>> = BTreeMap::new();
            for (name, value) in bound {
                let shape = match value {
                    Some(Bound::Whole(of)) => locals.shape(module, of),
                    Some(Bound::Element(of)) => locals.shape(module, of).and_then(|list| list.element()),
                    Some(Bound::Argument(place)) => function.and_then(|function| helpers.argument(function, *place)),
                    None => None,
                };
                let known = shapes.entry(name).or_insert_with(|| shape.clone());
                if *known != shape {
                    *known = None;
                }
            }
            if shapes == locals.shapes {
                break;
            }
            locals.shapes = shapes;
        }
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        bound.iter().for_each(|(name, _)| *times.entry(name).or_default() += 1);
        for (name, value) in bound {
            if let (Some(Bound::Whole(of)), Some(1)) = (value, times.get(name)) {
                locals.values.insert(name, of);
            }
        }
        locals
    }

    /// Returns whether the name is local to the rule.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.shapes.contains_key(name)
    }

    /// Returns the shape of an expression. `None` if it is unknown.
    pub(crate) fn shape(&self, module: &Module, expression: &Expr) -> Option<Shape> {
        match expression {
            Expr::Var { span, .. } if self.has(span.text()) => self.shapes.get(span.text())?.clone(),
            Expr::Var { .. } => {
                let path = resolve_path(module, self, &path(expression)?);
                let mut steps = path.split('.');
                if steps.next() != Some("input") {
                    return self.helpers.value(module, &path);
                }
                steps.try_fold(Shape::document(), |shape, step| shape.key(step).ok()?)
            }
            Expr::RefDot { refr, field, .. } => match self.shape(module, refr) {
                Some(shape) => shape.key(field.0.text()).ok()?,
                None => self.helpers.value(module, &resolve_path(module, self, &short_path(expression)?)),
            },
            Expr::RefBrack { refr, index, .. } => {
                let of = self.shape(module, refr)?;
                of.element().or_else(|| match index.as_ref() {
                    Expr::String { value, .. } | Expr::RawString { value, .. } => {
                        of.key(value.as_string().ok()?).ok()?
                    }
                    _ => None,
                })
            }
            Expr::ArrayCompr { term, .. } | Expr::SetCompr { term, .. } => {
                Some(Shape::List(Box::new(self.shape(module, term)?)))
            }
            _ => None,
        }
    }

    /// Returns the literal elements or keys of an expression, or of the constant that it refers to.
    pub(crate) fn literal_elements<'e>(&'e self, module: &Module, expression: &'e Expr) -> Vec<&'e Expr> {
        let value = match expression {
            Expr::Var { span, .. } if self.has(span.text()) => self.values.get(span.text()).copied(),
            Expr::Var { .. } | Expr::RefDot { .. } => short_path(expression)
                .and_then(|path| self.helpers.constant(module, &resolve_path(module, self, &path))),
            _ => Some(expression),
        };
        match value {
            Some(Expr::Array { items, .. } | Expr::Set { items, .. }) => items.iter().map(AsRef::as_ref).collect(),
            Some(Expr::Object { fields, .. }) => fields.iter().map(|(_, key, _)| key.as_ref()).collect(),
            Some(value) => vec![value],
            None => Vec::new(),
        }
    }
}

/// Returns the path of an expression with few steps, as references to rules have.
fn short_path(expression: &Expr) -> Option<String> {
    let mut at = expression;
    for _ in 0..STEPS {
        match at {
            Expr::RefDot { refr, .. } => at = refr,
            _ => return path(expression),
        }
    }
    None
}
