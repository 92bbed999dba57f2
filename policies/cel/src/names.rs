//! Checks the outside names and the patterns of an expression, so that mistakes are found before the first call.
//!
//! Doesn't check functions: whether one applies depends on its arguments.

use cel::IdedExpr;
use cel::common::ast::{EntryExpr, Expr, LiteralValue};

/// Returns the first name that is neither in `known` nor bound by an enclosing macro.
pub(crate) fn unknown_name(expression: &IdedExpr, known: &[&str]) -> Option<String> {
    first_unknown(expression, &mut known.to_vec()).map(str::to_owned)
}

fn first_unknown<'a>(expression: &'a IdedExpr, bound: &mut Vec<&'a str>) -> Option<&'a str> {
    match &expression.expr {
        Expr::Ident(name) => Some(name.as_str()).filter(|name| !bound.contains(name)),
        Expr::Unspecified | Expr::Literal(_) => None,
        Expr::Select(select) => first_unknown(&select.operand, bound),
        Expr::List(list) => list.elements.iter().find_map(|element| first_unknown(element, bound)),
        Expr::Map(map) => map.entries.iter().find_map(|entry| first_unknown_in_entry(&entry.expr, bound)),
        Expr::Struct(of) => of.entries.iter().find_map(|entry| first_unknown_in_entry(&entry.expr, bound)),
        Expr::Call(call) => {
            call.target.iter().map(AsRef::as_ref).chain(&call.args).find_map(|part| first_unknown(part, bound))
        }
        Expr::Comprehension(of) => {
            first_unknown(&of.iter_range, bound).or_else(|| first_unknown(&of.accu_init, bound)).or_else(|| {
                let before = bound.len();
                let variables = [Some(&of.iter_var), of.iter_var2.as_ref(), Some(&of.accu_var)];
                bound.extend(variables.into_iter().flatten().map(String::as_str));
                let found =
                    [&of.loop_cond, &of.loop_step, &of.result].into_iter().find_map(|part| first_unknown(part, bound));
                bound.truncate(before);
                found
            })
        }
    }
}

/// Returns the literal patterns that are passed to `matches`.
pub(crate) fn patterns(expression: &IdedExpr) -> Vec<&str> {
    let mut found = Vec::new();
    collect(expression, &mut found);
    found
}

fn collect<'a>(expression: &'a IdedExpr, found: &mut Vec<&'a str>) {
    let mut all = |parts: &mut dyn Iterator<Item = &'a IdedExpr>| parts.for_each(|part| collect(part, found));
    match &expression.expr {
        Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
        Expr::Select(select) => all(&mut std::iter::once(select.operand.as_ref())),
        Expr::List(list) => all(&mut list.elements.iter()),
        Expr::Map(map) => all(&mut map.entries.iter().flat_map(|entry| parts(&entry.expr))),
        Expr::Struct(of) => all(&mut of.entries.iter().flat_map(|entry| parts(&entry.expr))),
        Expr::Comprehension(of) => {
            let parts: [&IdedExpr; 5] = [&of.iter_range, &of.accu_init, &of.loop_cond, &of.loop_step, &of.result];
            all(&mut parts.into_iter());
        }
        Expr::Call(call) => {
            all(&mut call.target.iter().map(AsRef::as_ref).chain(&call.args));
            if call.func_name == "matches"
                && let Some(Expr::Literal(LiteralValue::String(pattern))) = call.args.last().map(|last| &last.expr)
            {
                found.push(pattern.inner());
            }
        }
    }
}

fn parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

fn first_unknown_in_entry<'a>(entry: &'a EntryExpr, bound: &mut Vec<&'a str>) -> Option<&'a str> {
    match entry {
        EntryExpr::StructField(field) => first_unknown(&field.value, bound),
        EntryExpr::MapEntry(entry) => first_unknown(&entry.key, bound).or_else(|| first_unknown(&entry.value, bound)),
    }
}

#[cfg(test)]
mod tests {
    use cel::parser::PrattParser;

    use super::*;

    #[test]
    fn what_macros_bind_is_known_inside_of_them_and_nothing_else_is() {
        let unknown = |text: &str| unknown_name(&PrattParser::new().parse(text).unwrap(), &["a", "b"]);
        for text in [
            "a.exists(x, x.c == b && a.all(y, y == x))",
            "a.map(x, [x, {'k': x, b: [x]}]).filter(x, has(x.k) && size(x) > 1)[0] == 'z'",
            "a.exists_one(x, x ? true : b)",
        ] {
            assert_eq!(unknown(text), None, "{text}");
        }
        for (text, name) in [
            ("a.exists(x, x == c)", "c"),
            ("a.exists(x, true) && x", "x"),
            ("x.exists(x, true)", "x"),
            ("[a, {'k': c}]", "c"),
            ("false && c.d.e == 1", "c"),
            ("has(c.d)", "c"),
            ("c.size() == a", "c"),
            ("b ? a : c", "c"),
        ] {
            assert_eq!(unknown(text).as_deref(), Some(name), "{text}");
        }
    }
}
