//! The name that a rule reports, if the text determines it.

use std::collections::BTreeMap;

use regorus::unstable::{Expr, Rule, RuleHead};

use crate::names::head_name;
use crate::walk::{self, Node};

/// The expressions that a rule's names are bound to. `None` for names with several bindings.
type Values<'a> = BTreeMap<&'a str, Option<&'a Expr>>;

/// Returns the name that the rule reports: the key or the `rule` of its value, or else the name of its head. `None` if
/// it depends on the call, or isn't in `heads`.
pub(crate) fn name(rule: &Rule, heads: &[&str]) -> Option<String> {
    named(rule, heads).map(|(name, _)| name)
}

/// Returns the name in the `rule` of the rule's value. `None` if it depends on the call, or isn't in `heads`.
pub(crate) fn own_name(rule: &Rule, heads: &[&str]) -> Option<String> {
    named(rule, heads).filter(|(_, is_own)| *is_own).map(|(name, _)| name)
}

/// Returns the name that the rule reports, and whether it is the `rule` of its value.
fn named(rule: &Rule, heads: &[&str]) -> Option<(String, bool)> {
    let Rule::Spec { head, .. } = rule else { return None };
    let (refr, value) = match head {
        RuleHead::Compr { refr, assign, .. } => (refr, assign.as_ref().map(|assign| &assign.value)),
        RuleHead::Set { refr, key, .. } => (refr, key.as_ref()),
        RuleHead::Func { .. } => return None,
    };
    let head = head_name(refr)?.text();
    if !heads.contains(&head) {
        return None;
    }
    let mut values = Values::new();
    walk::rule(rule, &mut |node| {
        if let Node::Expression(Expr::AssignExpr { lhs, rhs, .. }) = node
            && let Expr::Var { span, .. } = lhs.as_ref()
        {
            values.entry(span.text()).and_modify(|value| *value = None).or_insert(Some(rhs));
        }
    });
    let key = match refr.as_ref() {
        Expr::RefBrack { index, .. } => text(index, &values)?,
        Expr::RefDot { field, .. } => field.0.text().to_owned(),
        _ => head.to_owned(),
    };
    let Some(value) = value else { return Some((key, false)) };
    match bound_expression(value, &values)? {
        Expr::Object { fields, .. } => {
            let named = fields.iter().find(|(_, name, _)| text(name, &values).as_deref() == Some("rule"));
            named.map_or(Some((key, false)), |(.., name)| Some((text(name, &values)?, true)))
        }
        // A list, a set or a reference to another rule can contain any names.
        Expr::String { .. } | Expr::RawString { .. } | Expr::Bool { .. } | Expr::Call { .. } => Some((key, false)),
        _ => None,
    }
}

/// Returns the expression that a name of the rule is bound to, or the expression itself.
fn bound_expression<'a>(expression: &'a Expr, values: &Values<'a>) -> Option<&'a Expr> {
    match expression {
        Expr::Var { span, .. } => *values.get(span.text())?,
        other => Some(other),
    }
}

fn text(expression: &Expr, values: &Values<'_>) -> Option<String> {
    match bound_expression(expression, values)? {
        Expr::String { value, .. } | Expr::RawString { value, .. } => Some(value.as_string().ok()?.to_string()),
        _ => None,
    }
}
