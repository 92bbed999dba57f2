//! Visits every expression of a rule, in the order of the text.

use regorus::unstable::{Expr, Literal, Query, Ref, Rule, RuleAssign, RuleHead, Span};

/// A part of a rule.
pub(crate) enum Node<'a> {
    /// An expression. Its parts follow.
    Expression(&'a Expr),
    /// A local name of the rule, and its binding if the text determines it.
    Local(&'a Span, Option<Bound<'a>>),
}

/// The binding of a name.
#[derive(Clone, Copy)]
pub(crate) enum Bound<'a> {
    /// The expression.
    Whole(&'a Expr),
    /// Each element of the expression.
    Element(&'a Expr),
    /// The function's argument at this index.
    Argument(usize),
}

/// Visits each expression of a rule.
pub(crate) fn rule<'a>(rule: &'a Rule, see: &mut dyn FnMut(Node<'a>)) {
    match rule {
        Rule::Default { value, args, .. } => {
            visit_all(args, see);
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
                    visit_all(key, see);
                }
                RuleHead::Func { args, assign: value, .. } => {
                    let arguments = args.iter().enumerate();
                    arguments.for_each(|(place, argument)| locals(argument, Some(Bound::Argument(place)), see));
                    visit_all(args, see);
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

/// Visits each name that a rule's head takes from its body.
pub(crate) fn visit_head_names<'a>(rule: &'a Rule, see: &mut dyn FnMut(&'a Span)) {
    let Rule::Spec { head, .. } = rule else { return };
    let (refr, value) = match head {
        RuleHead::Compr { refr, assign, .. } => (refr, assign.as_ref().map(|assign| &assign.value)),
        RuleHead::Set { refr, key, .. } => (refr, key.as_ref()),
        RuleHead::Func { .. } => return,
    };
    visit_all([refr].into_iter().chain(value), &mut |node| {
        if let Node::Expression(Expr::Var { span, .. }) = node {
            see(span);
        }
    });
}

fn assign<'a>(assign: Option<&'a RuleAssign>, see: &mut dyn FnMut(Node<'a>)) {
    visit_all(assign.map(|assign| &assign.value), see);
}

fn query<'a>(statements: &'a Query, see: &mut dyn FnMut(Node<'a>)) {
    for statement in &statements.stmts {
        match &statement.literal {
            Literal::SomeVars { vars, .. } => vars.iter().for_each(|name| see(Node::Local(name, None))),
            Literal::SomeIn { key, value, collection, .. } => {
                key.iter().for_each(|name| locals(name, None, see));
                locals(value, Some(Bound::Element(collection)), see);
                visit_all(key.iter().chain([value, collection]), see);
            }
            Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => expression(expr, see),
            Literal::Every { key, value, domain, query: inner, .. } => {
                key.iter().for_each(|name| see(Node::Local(name, None)));
                see(Node::Local(value, Some(Bound::Element(domain))));
                expression(domain, see);
                query(inner, see);
            }
        }
        visit_all(statement.with_mods.iter().map(|with| &with.r#as), see);
    }
}

fn visit_all<'a>(expressions: impl IntoIterator<Item = &'a Ref<Expr>>, see: &mut dyn FnMut(Node<'a>)) {
    expressions.into_iter().for_each(|one| expression(one, see));
}

/// Visits the names that a pattern binds.
fn locals<'a>(pattern: &'a Expr, bound: Option<Bound<'a>>, see: &mut dyn FnMut(Node<'a>)) {
    match pattern {
        Expr::Var { span, .. } => see(Node::Local(span, bound)),
        Expr::Array { items, .. } => items.iter().for_each(|item| locals(item, None, see)),
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| locals(value, None, see)),
        _ => {}
    }
}

fn expression<'a>(one: &'a Expr, see: &mut dyn FnMut(Node<'a>)) {
    see(Node::Expression(one));
    match one {
        Expr::Call { params, .. } => visit_all(params, see),
        Expr::Array { items, .. } | Expr::Set { items, .. } => visit_all(items, see),
        Expr::Object { fields, .. } => visit_all(fields.iter().flat_map(|(_, key, value)| [key, value]), see),
        Expr::ArrayCompr { term, query: inner, .. } | Expr::SetCompr { term, query: inner, .. } => {
            expression(term, see);
            query(inner, see);
        }
        Expr::ObjectCompr { key, value, query: inner, .. } => {
            visit_all([key, value], see);
            query(inner, see);
        }
        Expr::UnaryExpr { expr, .. } => expression(expr, see),
        Expr::RefDot { refr, .. } => expression(refr, see),
        Expr::RefBrack { refr, index, .. } => visit_all([refr, index], see),
        Expr::AssignExpr { lhs, rhs, .. } => {
            locals(lhs, Some(Bound::Whole(rhs)), see);
            visit_all([lhs, rhs], see);
        }
        Expr::BinExpr { lhs, rhs, .. } | Expr::BoolExpr { lhs, rhs, .. } | Expr::ArithExpr { lhs, rhs, .. } => {
            visit_all([lhs, rhs], see);
        }
        Expr::Membership { key, value, collection, .. } => visit_all(key.iter().chain([value, collection]), see),
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => {}
    }
}
