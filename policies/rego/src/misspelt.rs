//! Names that are valid for the engine but must be typos: an unused rule with a name similar to `deny`, and an unknown
//! key of a finding.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use policy_input_document::{misspelt, unknown_name};
use regorus::unstable::{Expr, Module, Ref, Rule, RuleHead, Span};

use crate::names::{head, head_name};
use crate::walk::{self, Node};

/// The keys of a finding.
const KEYS: [&str; 3] = ["message", "remedy", "rule"];

/// Returns the location and description of the first misspelled name in the queried package. `heads` are the queried
/// rules.
pub(crate) fn find_misspelled<'a>(
    modules: &'a [Ref<Module>],
    is_asked: impl Fn(&Module) -> bool,
    heads: &[&'static str],
) -> Option<(&'a Span, String)> {
    let queried = modules.iter().filter(|module| is_asked(module)).flat_map(|module| &module.policy);
    let used = OnceCell::new();
    queried.filter_map(|rule| Some((rule, head_name(head(rule))?))).find_map(|(rule, span)| {
        let name = span.text();
        if heads.contains(&name) {
            return key(rule);
        }
        let similar = misspelt(name, heads)?;
        let is_used = used.get_or_init(|| used_names(modules)).contains(name);
        (!is_used).then(|| (span, unknown_name("rule", name, &[similar])))
    })
}

/// Returns the names that the rules of all modules refer to.
fn used_names(modules: &[Ref<Module>]) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for rule in modules.iter().flat_map(|module| &module.policy) {
        let own = head_name(head(rule)).map(|span| (span.line, span.col));
        walk::rule(rule, &mut |node| {
            let Node::Expression(expression) = node else { return };
            used.extend(match expression {
                Expr::Var { span, .. } if own != Some((span.line, span.col)) => Some(span.text().to_owned()),
                Expr::RefDot { field, .. } => Some(field.0.text().to_owned()),
                Expr::String { value, .. } => value.as_string().ok().map(|text| text.to_string()),
                _ => None,
            });
        });
    }
    used
}

/// Returns the first misspelled key of a rule's finding.
fn key(rule: &Rule) -> Option<(&Span, String)> {
    let Rule::Spec { head, .. } = rule else { return None };
    let value = match head {
        RuleHead::Compr { assign, .. } => assign.as_ref().map(|assign| &assign.value),
        RuleHead::Set { key, .. } => key.as_ref(),
        RuleHead::Func { .. } => None,
    };
    let Expr::Object { fields, .. } = value?.as_ref() else { return None };
    let text = |key: &Expr| match key {
        Expr::String { value, .. } => Some(value.as_string().ok()?.to_string()),
        _ => None,
    };
    let has = |name: &str| fields.iter().any(|(_, key, _)| text(key).as_deref() == Some(name));
    fields.iter().find_map(|(_, key, _)| {
        let name = text(key)?;
        let similar = misspelt(&name, &KEYS).filter(|similar| !has(similar))?;
        Some((key.span(), unknown_name("key", &name, &[similar])))
    })
}
