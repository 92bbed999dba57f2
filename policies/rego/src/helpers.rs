//! [`Helpers`]: the shapes of the values of rules, and of the arguments of functions, so that a misspelt key behind one of
//! them is found.
//!
//! A function's argument has a shape if all its calls give it the same one. Calls in tests are left out: they give it
//! values of their own.

use std::collections::BTreeMap;

use policy_input_document::Shape;
use regorus::unstable::{Expr, Module, Ref, Rule, RuleHead};

use crate::names::{Names, first, head, meant, package, path};
use crate::shapes::Locals;
use crate::trial;
use crate::walk::{self, Bound, Node};

/// How long a chain of rules and functions is followed.
const STEPS: usize = 4;

/// Shapes by a path from `data`. None: it has several, or one that can't be known.
type Shapes<K> = BTreeMap<K, Option<Shape>>;

/// The rules and functions of all modules.
#[derive(Default)]
pub(crate) struct Helpers<'a> {
    values: Shapes<String>,
    arguments: Shapes<(String, usize)>,
    constants: BTreeMap<String, Option<&'a Expr>>,
}

/// One rule, with the names that it binds.
pub(crate) struct Parts<'a> {
    pub(crate) expressions: Vec<&'a Expr>,
    pub(crate) bound: Vec<(&'a str, Option<Bound<'a>>)>,
    /// Its path from `data`, if it is a function.
    pub(crate) function: Option<String>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(module: &Module, rule: &'a Rule) -> Self {
        let (mut expressions, mut bound) = (Vec::new(), Vec::new());
        walk::rule(rule, &mut |node| match node {
            Node::Expression(one) => expressions.push(one),
            Node::Local(name, value) => bound.push((name.text(), value)),
        });
        let is_function = matches!(rule, Rule::Spec { head: RuleHead::Func { .. }, .. });
        let function = if is_function { own_path(module, rule) } else { None };
        Parts { expressions, bound, function }
    }
}

impl<'a> Helpers<'a> {
    pub(crate) fn new(modules: &'a [Ref<Module>], names: &Names) -> Self {
        let rules = modules.iter().flat_map(|module| module.policy.iter().map(move |rule| (module.as_ref(), rule)));
        let rules: Vec<(&Module, &Rule, Parts<'_>)> =
            rules.map(|(module, rule)| (module, rule.as_ref(), Parts::new(module, rule))).collect();
        let mut known = Helpers { constants: constants(&rules), ..Helpers::default() };
        for _ in 0..STEPS {
            let mut next = Helpers { constants: known.constants.clone(), ..Helpers::default() };
            for (module, rule, parts) in &rules {
                let locals = Locals::new(module, &known, parts.function.as_deref(), &parts.bound);
                if let Some(path) = own_path(module, rule) {
                    agree(&mut next.values, path, value(module, &locals, rule));
                }
                if first(head(rule)).is_some_and(|name| name.text().starts_with(trial::TEST)) {
                    continue;
                }
                for (function, params) in calls(module, &locals, names, &parts.expressions) {
                    for (place, argument) in params.iter().enumerate() {
                        agree(&mut next.arguments, (function.clone(), place), locals.shape(module, argument));
                    }
                }
            }
            if (&next.values, &next.arguments) == (&known.values, &known.arguments) {
                break;
            }
            known = next;
        }
        known
    }

    /// The shape of a rule's value, by a path in a module.
    pub(crate) fn value(&self, module: &Module, path: &str) -> Option<Shape> {
        by_path(&self.values, module, path)?.clone()
    }

    /// The shape of a function's argument, by the function's path from `data`.
    pub(crate) fn argument(&self, function: &str, place: usize) -> Option<Shape> {
        self.arguments.get(&(function.to_owned(), place))?.clone()
    }

    /// The value of a rule that has no condition, by a path in a module.
    pub(crate) fn constant(&self, module: &Module, path: &str) -> Option<&'a Expr> {
        *by_path(&self.constants, module, path)?
    }
}

fn by_path<'v, V>(all: &'v BTreeMap<String, V>, module: &Module, path: &str) -> Option<&'v V> {
    all.get(path).or_else(|| all.get(&format!("{}.{path}", package(module)?)))
}

/// The path of a rule from `data`.
fn own_path(module: &Module, rule: &Rule) -> Option<String> {
    Some(format!("{}.{}", package(module)?, path(head(rule))?))
}

fn agree<K: Ord>(shapes: &mut Shapes<K>, key: K, shape: Option<Shape>) {
    let known = shapes.entry(key).or_insert_with(|| shape.clone());
    if *known != shape {
        *known = None;
    }
}

/// The shape of a rule's value.
fn value(module: &Module, locals: &Locals<'_>, rule: &Rule) -> Option<Shape> {
    let Rule::Spec { head, bodies, .. } = rule else { return None };
    match head {
        RuleHead::Set { key: Some(key), .. } => Some(Shape::List(Box::new(locals.shape(module, key)?))),
        RuleHead::Compr { assign: Some(assign), .. } if bodies.iter().all(|body| body.assign.is_none()) => {
            locals.shape(module, &assign.value)
        }
        _ => None,
    }
}

/// The values of the rules without a condition.
fn constants<'a>(rules: &[(&'a Module, &'a Rule, Parts<'a>)]) -> BTreeMap<String, Option<&'a Expr>> {
    let mut constants: BTreeMap<String, Option<&Expr>> = BTreeMap::new();
    for (module, rule, _) in rules {
        let Some(path) = own_path(module, rule) else { continue };
        let value = match rule {
            Rule::Spec { head: RuleHead::Compr { assign: Some(assign), .. }, bodies, .. } if bodies.is_empty() => {
                Some(assign.value.as_ref())
            }
            _ => None,
        };
        constants.entry(path).and_modify(|known| *known = None).or_insert(value);
    }
    constants
}

/// The calls of the modules' functions: the path from `data`, and the arguments.
fn calls<'a>(
    module: &Module,
    locals: &Locals<'_>,
    names: &Names,
    expressions: &[&'a Expr],
) -> Vec<(String, &'a [Ref<Expr>])> {
    let call = |one: &&'a Expr| {
        let Expr::Call { fcn, params, .. } = *one else { return None };
        let path = meant(module, locals, &path(fcn)?);
        let own = || Some(format!("{}.{path}", package(module)?));
        let path = if names.is_function(&path) { path.clone() } else { own()? };
        names.is_function(&path).then_some((path, params.as_slice()))
    };
    expressions.iter().filter_map(call).collect()
}
