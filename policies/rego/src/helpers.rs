//! [`Helpers`]: the shapes of rules' values and of functions' arguments, which reveal misspelled keys behind them.
//!
//! An argument has a shape if all calls pass the same one. Calls in tests are ignored, because they pass made-up
//! values.

use std::collections::BTreeMap;

use policy_input_document::Shape;
use regorus::unstable::{Expr, Module, Ref, Rule, RuleHead};

use crate::names::{Names, head, head_name, package, path, resolve_path};
use crate::shapes::Locals;
use crate::trial;
use crate::walk::{self, Bound, Node};

/// The maximum length of a chain of rules and functions.
const STEPS: usize = 4;

/// Shapes by path from `data`. `None` if there are several, or if the shape is unknown.
type Shapes<K> = BTreeMap<K, Option<Shape>>;

/// The rules and functions of all modules.
#[derive(Default)]
pub(crate) struct Helpers<'a> {
    values: Shapes<String>,
    arguments: Shapes<(String, usize)>,
    constants: BTreeMap<String, Option<&'a Expr>>,
}

/// A rule, with the names that it binds.
pub(crate) struct Parts<'a> {
    pub(crate) expressions: Vec<&'a Expr>,
    pub(crate) bound: Vec<(&'a str, Option<Bound<'a>>)>,
    /// The function's path from `data`. `None` for other rules.
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
        let function = if is_function { rule_path(module, rule) } else { None };
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
                if let Some(path) = rule_path(module, rule) {
                    agree(&mut next.values, path, value(module, &locals, rule));
                }
                if head_name(head(rule)).is_some_and(|name| name.text().starts_with(trial::TEST)) {
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

    /// Returns the shape of a rule's value, by a path in a module.
    pub(crate) fn value(&self, module: &Module, path: &str) -> Option<Shape> {
        find_by_path(&self.values, module, path)?.clone()
    }

    /// Returns the shape of a function's argument, by the function's path from `data`.
    pub(crate) fn argument(&self, function: &str, place: usize) -> Option<Shape> {
        self.arguments.get(&(function.to_owned(), place))?.clone()
    }

    /// Returns the value of an unconditional rule, by a path in a module.
    pub(crate) fn constant(&self, module: &Module, path: &str) -> Option<&'a Expr> {
        *find_by_path(&self.constants, module, path)?
    }
}

fn find_by_path<'v, V>(all: &'v BTreeMap<String, V>, module: &Module, path: &str) -> Option<&'v V> {
    all.get(path).or_else(|| all.get(&format!("{}.{path}", package(module)?)))
}

/// Returns a rule's path from `data`.
fn rule_path(module: &Module, rule: &Rule) -> Option<String> {
    Some(format!("{}.{}", package(module)?, path(head(rule))?))
}

fn agree<K: Ord>(shapes: &mut Shapes<K>, key: K, shape: Option<Shape>) {
    let known = shapes.entry(key).or_insert_with(|| shape.clone());
    if *known != shape {
        *known = None;
    }
}

/// Returns the shape of a rule's value.
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

/// Returns the values of the unconditional rules.
fn constants<'a>(rules: &[(&'a Module, &'a Rule, Parts<'a>)]) -> BTreeMap<String, Option<&'a Expr>> {
    let mut constants: BTreeMap<String, Option<&Expr>> = BTreeMap::new();
    for (module, rule, _) in rules {
        let Some(path) = rule_path(module, rule) else { continue };
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

/// Returns the calls of the modules' functions: the path from `data`, and the arguments.
fn calls<'a>(
    module: &Module,
    locals: &Locals<'_>,
    names: &Names,
    expressions: &[&'a Expr],
) -> Vec<(String, &'a [Ref<Expr>])> {
    let call = |one: &&'a Expr| {
        let Expr::Call { fcn, params, .. } = *one else { return None };
        let path = resolve_path(module, locals, &path(fcn)?);
        let own = || Some(format!("{}.{path}", package(module)?));
        let path = if names.is_function(&path) { path.clone() } else { own()? };
        names.is_function(&path).then_some((path, params.as_slice()))
    };
    expressions.iter().filter_map(call).collect()
}
