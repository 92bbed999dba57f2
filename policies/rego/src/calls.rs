//! The names in a text: each function must be there, each key that is asked for by name must be in the document or in
//! the data, and each pattern that is written out must compile.
//!
//! The engine finds the first and the last only when it comes to the call, which may be at the one command that a rule is
//! for; a key that is not there it takes for false.

use std::collections::BTreeSet;

use policy_input_document::{KEYS, keys_of};
use regex::RegexBuilder;
use regorus::unstable::{BUILTINS, Expr, Module, Ref, Span};

use crate::names::{Names, meant, package, path};
use crate::own;
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
    let nothing = BTreeSet::new();
    let imports = module.imports.iter().map(|import| import.refr.as_ref());
    let broken = imports.flat_map(steps).find_map(|one| Calls { module, names, locals: &nothing }.broken(one));
    broken.or_else(|| {
        module.policy.iter().find_map(|rule| {
            let (mut expressions, mut locals) = (Vec::new(), BTreeSet::new());
            walk::rule(rule, &mut |node| match node {
                Node::Expression(one) => expressions.push(one),
                Node::Local(name) => drop(locals.insert(name.text())),
            });
            let calls = Calls { module, names, locals: &locals };
            expressions.into_iter().find_map(|one| calls.broken(one))
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

struct Calls<'a> {
    module: &'a Module,
    names: &'a Names,
    /// Names of the rule that outrank an import.
    locals: &'a BTreeSet<&'a str>,
}

impl Calls<'_> {
    fn broken(&self, expression: &Expr) -> Option<Broken> {
        match expression {
            Expr::Call { span, fcn, params, .. } => self.call(span, &path(fcn)?, params),
            Expr::RefDot { refr, field, .. } => self.key(&path(refr)?, &field.0),
            _ => None,
        }
    }

    /// A key of what `path` names.
    fn key(&self, path: &str, key: &Span) -> Option<Broken> {
        let path = meant(self.module, self.locals, path);
        let known: Vec<String> = match path.as_str() {
            "input" => KEYS.map(str::to_owned).into(),
            _ => match path.strip_prefix("input.") {
                Some(path) => keys_of(path),
                None => self.names.below(&path)?.iter().cloned().collect(),
            },
        };
        if known.is_empty() || known.iter().any(|name| name == key.text()) {
            return None;
        }
        let known = known.join("`, `");
        Some((key.clone(), format!("unknown name `{}`, expected one of `{known}`", key.text())))
    }

    fn call(&self, span: &Span, name: &str, params: &[Ref<Expr>]) -> Option<Broken> {
        let path = meant(self.module, self.locals, name);
        let own = || package(self.module).is_some_and(|package| self.names.is_function(&format!("{package}.{path}")));
        let is_given = name == "print" || BUILTINS.contains_key(name) || own::has(name);
        if !(is_given || self.names.is_function(&path) || own()) {
            return Some((span.clone(), format!("could not find function {name}")));
        }
        let (_, place) = PATTERNS.iter().find(|(function, _)| *function == name)?;
        let (Expr::String { span, value, .. } | Expr::RawString { span, value, .. }) = params.get(*place)?.as_ref()
        else {
            return None;
        };
        let pattern = value.as_string().ok()?;
        let error = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build().err()?.to_string();
        let why = error.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let why = why.trim().trim_start_matches("error: ");
        Some((span.clone(), format!("`{pattern}` is no regular expression here: {why}")))
    }
}
