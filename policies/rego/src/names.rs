//! The names below `data`: packages, their rules, and the data. Also resolves names in a module.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::serde_json::{Map, Value};
use regorus::unstable::{Expr, Import, Module, Ref, Rule, RuleHead, Span};

use crate::shapes::Locals;

/// The names of all modules.
pub(crate) struct Names {
    /// The names below `data` and below each package.
    below: BTreeMap<String, BTreeSet<String>>,
    /// The modules' functions.
    functions: BTreeSet<String>,
}

/// Returns `a.b.c`, the form in which a call names a function. `a["b"].c` gives the same.
pub(crate) fn path(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Var { span, .. } => Some(span.text().to_owned()),
        Expr::RefDot { refr, field, .. } => Some(format!("{}.{}", path(refr)?, field.0.text())),
        Expr::RefBrack { refr, index, .. } => match index.as_ref() {
            Expr::String { value, .. } => Some(format!("{}.{}", path(refr)?, value.as_string().ok()?)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns `data.a.b` for a module in `package a.b`.
pub(crate) fn package(module: &Module) -> Option<String> {
    Some(format!("data.{}", path(&module.package.refr)?))
}

/// Returns the reference in a rule's head.
pub(crate) fn head(rule: &Rule) -> &Expr {
    match rule {
        Rule::Default { refr, .. } => refr,
        Rule::Spec { head, .. } => match head {
            RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. } | RuleHead::Func { refr, .. } => refr,
        },
    }
}

/// Returns the first name in a rule's head.
pub(crate) fn head_name(expression: &Expr) -> Option<&Span> {
    match expression {
        Expr::Var { span, .. } => Some(span),
        Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } => head_name(refr),
        _ => None,
    }
}

/// Returns the local name of an import.
pub(crate) fn alias(import: &Import) -> Option<&str> {
    match (&import.r#as, import.refr.as_ref()) {
        (Some(name), _) => Some(name.text()),
        (None, Expr::RefDot { field, .. }) => Some(field.0.text()),
        _ => None,
    }
}

impl Names {
    /// Collects the names of `modules`, and `data`.
    ///
    /// # Errors
    ///
    /// If a package and the data have the same path.
    pub(crate) fn collect(modules: &[Ref<Module>], data: &Map<String, Value>) -> Result<Self, String> {
        let mut names = Self { below: BTreeMap::new(), functions: BTreeSet::new() };
        names.below.insert("data".to_owned(), data.keys().cloned().collect());
        for module in modules {
            let Some(package) = package(module) else { continue };
            let (mut at, mut node) = ("data".to_owned(), Some(data));
            for part in package.split('.').skip(1) {
                names.below.entry(at.clone()).or_default().insert(part.to_owned());
                at = format!("{at}.{part}");
                node = match node.and_then(|node| node.get(part)) {
                    None => None,
                    Some(Value::Object(below)) => Some(below),
                    Some(_) => return Err(format!("`{at}` is a package, and a value of the data as well")),
                };
                let below = names.below.entry(at.clone()).or_default();
                below.extend(node.into_iter().flat_map(Map::keys).cloned());
            }
            for rule in &module.policy {
                let refr = head(rule);
                let Some(first) = head_name(refr) else { continue };
                if node.is_some_and(|node| node.contains_key(first.text())) {
                    return Err(format!("`{package}.{}` is a rule, and a value of the data as well", first.text()));
                }
                names.below.entry(package.clone()).or_default().insert(first.text().to_owned());
                if let (Rule::Spec { head: RuleHead::Func { .. }, .. }, Some(name)) = (rule.as_ref(), path(refr)) {
                    names.functions.insert(format!("{package}.{name}"));
                }
            }
        }
        Ok(names)
    }

    /// Returns the names below a path from `data`. `None` if they are unknown.
    pub(crate) fn names_below(&self, path: &str) -> Option<&BTreeSet<String>> {
        self.below.get(path).filter(|below| !below.is_empty())
    }

    /// Returns whether a path from `data` is a rule, a package or a value.
    pub(crate) fn has(&self, path: &str) -> bool {
        let parts = path.rsplit_once('.');
        parts.is_some_and(|(at, name)| self.below.get(at).is_some_and(|below| below.contains(name)))
    }

    /// Returns whether a path from `data` is one of the modules' functions.
    pub(crate) fn is_function(&self, path: &str) -> bool {
        self.functions.contains(path)
    }
}

/// Resolves a path in a module by the module's imports.
pub(crate) fn resolve_path(module: &Module, locals: &Locals<'_>, path: &str) -> String {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let mut imports = module.imports.iter().filter(|import| alias(import) == Some(first));
    let imported = if locals.has(first) { None } else { imports.find_map(|import| self::path(&import.refr)) };
    match (imported, rest) {
        (Some(imported), Some(rest)) => format!("{imported}.{rest}"),
        (Some(imported), None) => imported,
        (None, _) => path.to_owned(),
    }
}
