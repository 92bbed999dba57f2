//! Every expression of a rule, in the order of the text.

use regorus::unstable::{Expr, Literal, Query, Ref, Rule, RuleAssign, RuleHead, Span};

/// What stands in a rule.
pub(crate) enum Node<'a> {
    /// An expression. Those in it follow.
    Expression(&'a Expr),
    /// A name that holds in this rule alone.
    Local(&'a Span),
}

/// Shows each expression of a rule.
pub(crate) fn rule<'a>(rule: &'a Rule, see: &mut dyn FnMut(Node<'a>)) {
    match rule {
        Rule::Default { value, args, .. } => {
            all(args, see);
            expression(value, see);
        }
        Rule::Spec { head, bodies, .. } => {
            match head {
                RuleHead::Compr { refr, assign: value, .. } => {
                    expression(refr, see);
                    assign(value.as_ref(), see);
                }
                RuleHead::Set { refr, key, .. } => {
                    expression(refr, see);
                    all(key, see);
                }
                RuleHead::Func { args, assign: value, .. } => {
                    args.iter().for_each(|argument| locals(argument, see));
                    all(args, see);
                    assign(value.as_ref(), see);
                }
            }
            for body in bodies {
                assign(body.assign.as_ref(), see);
                query(&body.query, see);
            }
        }
    }
}

fn assign<'a>(assign: Option<&'a RuleAssign>, see: &mut dyn FnMut(Node<'a>)) {
    all(assign.map(|assign| &assign.value), see);
}

fn query<'a>(statements: &'a Query, see: &mut dyn FnMut(Node<'a>)) {
    for statement in &statements.stmts {
        match &statement.literal {
            Literal::SomeVars { vars, .. } => vars.iter().for_each(|name| see(Node::Local(name))),
            Literal::SomeIn { key, value, collection, .. } => {
                key.iter().chain([value]).for_each(|name| locals(name, see));
                all(key.iter().chain([value, collection]), see);
            }
            Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => expression(expr, see),
            Literal::Every { key, value, domain, query: inner, .. } => {
                key.iter().chain([value]).for_each(|name| see(Node::Local(name)));
                expression(domain, see);
                query(inner, see);
            }
        }
        all(statement.with_mods.iter().map(|with| &with.r#as), see);
    }
}

fn all<'a>(expressions: impl IntoIterator<Item = &'a Ref<Expr>>, see: &mut dyn FnMut(Node<'a>)) {
    expressions.into_iter().for_each(|one| expression(one, see));
}

/// The names that a pattern binds.
fn locals<'a>(pattern: &'a Expr, see: &mut dyn FnMut(Node<'a>)) {
    match pattern {
        Expr::Var { span, .. } => see(Node::Local(span)),
        Expr::Array { items, .. } => items.iter().for_each(|item| locals(item, see)),
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| locals(value, see)),
        _ => {}
    }
}

fn expression<'a>(one: &'a Expr, see: &mut dyn FnMut(Node<'a>)) {
    see(Node::Expression(one));
    match one {
        Expr::Call { params, .. } => all(params, see),
        Expr::Array { items, .. } | Expr::Set { items, .. } => all(items, see),
        Expr::Object { fields, .. } => all(fields.iter().flat_map(|(_, key, value)| [key, value]), see),
        Expr::ArrayCompr { term, query: inner, .. } | Expr::SetCompr { term, query: inner, .. } => {
            expression(term, see);
            query(inner, see);
        }
        Expr::ObjectCompr { key, value, query: inner, .. } => {
            all([key, value], see);
            query(inner, see);
        }
        Expr::UnaryExpr { expr, .. } => expression(expr, see),
        Expr::RefDot { refr, .. } => expression(refr, see),
        Expr::RefBrack { refr, index, .. } => all([refr, index], see),
        Expr::AssignExpr { lhs, rhs, .. } => {
            locals(lhs, see);
            all([lhs, rhs], see);
        }
        Expr::BinExpr { lhs, rhs, .. } | Expr::BoolExpr { lhs, rhs, .. } | Expr::ArithExpr { lhs, rhs, .. } => {
            all([lhs, rhs], see);
        }
        Expr::Membership { key, value, collection, .. } => all(key.iter().chain([value, collection]), see),
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => {}
    }
}
