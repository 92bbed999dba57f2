//! [`Locals`]: the names of one rule, and what of the call's document each of them stands for.
//!
//! A name that is bound to different things, or to something that only a call can tell, stands for nothing here.

use std::collections::BTreeMap;

use policy_input_document::Shape;
use regorus::unstable::{Expr, Module};

use crate::names::{meant, path};
use crate::walk::Bound;

/// How long a chain of names is followed: `a := input.analysis; b := a.effects`.
const STEPS: usize = 8;

/// The names that hold in a rule alone.
#[derive(Default)]
pub(crate) struct Locals<'a> {
    shapes: BTreeMap<&'a str, Option<Shape>>,
}

impl<'a> Locals<'a> {
    pub(crate) fn new(module: &Module, bound: &[(&'a str, Option<Bound<'a>>)]) -> Self {
        let mut locals = Locals { shapes: bound.iter().map(|(name, _)| (*name, None)).collect() };
        for _ in 0..STEPS {
            let mut shapes: BTreeMap<&str, Option<Shape>> = BTreeMap::new();
            for (name, value) in bound {
                let shape = match value {
                    Some(Bound::Whole(of)) => locals.shape(module, of),
                    Some(Bound::Element(of)) => locals.shape(module, of).and_then(|list| list.element()),
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
        locals
    }

    /// Whether the name is one of the rule's own.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.shapes.contains_key(name)
    }

    /// The shape of an expression; `None` if it can't be known.
    pub(crate) fn shape(&self, module: &Module, expression: &Expr) -> Option<Shape> {
        match expression {
            Expr::Var { span, .. } if self.has(span.text()) => self.shapes.get(span.text())?.clone(),
            Expr::Var { .. } => {
                let path = meant(module, self, &path(expression)?);
                let mut steps = path.split('.');
                steps.next().filter(|first| *first == "input")?;
                steps.try_fold(Shape::document(), |shape, step| shape.key(step).ok()?)
            }
            Expr::RefDot { refr, field, .. } => self.shape(module, refr)?.key(field.0.text()).ok()?,
            Expr::RefBrack { refr, index, .. } => {
                let of = self.shape(module, refr)?;
                of.element().or_else(|| match index.as_ref() {
                    Expr::String { value, .. } | Expr::RawString { value, .. } => {
                        of.key(value.as_string().ok()?).ok()?
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }
}
