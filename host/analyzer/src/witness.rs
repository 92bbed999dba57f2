//! A second parser with a single purpose: to find commands that the first one missed.
//!
//! If it finds none, that proves nothing. A text that it can't parse isn't evidence either.

use std::collections::BTreeSet;

use rable::{Node, NodeKind};

use crate::limits;
use crate::parse::tree::Range;
use crate::word::{self, Mode, expand};

/// The maximum nesting of texts passed to the witness.
const DEPTH: usize = 10;

/// Returns a command's name that the witness finds and that isn't in `names`.
pub(crate) fn missed(source: &str, depth: usize, names: &BTreeSet<String>) -> Option<String> {
    if source.len() > limits::WITNESS || depth > DEPTH {
        return None;
    }
    let nodes = rable::parse(source, true).ok()?;
    let mut stack: Vec<&Node> = nodes.iter().collect();
    while let Some(node) = stack.pop() {
        if let NodeKind::Command { words, .. } = &node.kind
            && let Some(Node { kind: NodeKind::Word { value, .. }, .. }) = words.first()
            && let Some(name) = name(value)
            && !names.contains(&name)
        {
            return Some(name);
        }
        push_inner(&node.kind, &mut stack);
    }
    None
}

/// Returns the program in a raw word, if the word alone determines it.
fn name(raw: &str) -> Option<String> {
    let raw = raw.replace("\\\n", "");
    let reading = word::read(&raw, Range { start: 0, end: raw.len() }, Mode::Word);
    let first = expand::words(reading.pieces, &expand::NoVariables).words.into_iter().next()?;
    if first.dynamic || first.glob || first.text.is_empty() {
        return None;
    }
    Some(first.text.rsplit('/').next().unwrap_or_default().to_owned())
}

fn push_inner<'n>(kind: &'n NodeKind, stack: &mut Vec<&'n Node>) {
    match kind {
        NodeKind::Word { parts, .. } => stack.extend(parts),
        NodeKind::Command { assignments, words, redirects } => {
            stack.extend(assignments.iter().chain(words).chain(redirects));
        }
        NodeKind::Pipeline { commands, .. } => stack.extend(commands),
        NodeKind::List { items } => stack.extend(items.iter().map(|item| &item.command)),
        NodeKind::If { condition, then_body, else_body, redirects } => {
            stack.extend([&**condition, &**then_body]);
            stack.extend(else_body.as_deref());
            stack.extend(redirects);
        }
        NodeKind::While { condition, body, redirects } | NodeKind::Until { condition, body, redirects } => {
            stack.extend([&**condition, &**body]);
            stack.extend(redirects);
        }
        NodeKind::For { words, body, redirects, .. } | NodeKind::Select { words, body, redirects, .. } => {
            stack.extend(words.iter().flatten().chain(redirects));
            stack.push(body);
        }
        NodeKind::ForArith { body, redirects, .. }
        | NodeKind::Subshell { body, redirects }
        | NodeKind::BraceGroup { body, redirects }
        | NodeKind::ConditionalExpr { body, redirects } => {
            stack.push(body);
            stack.extend(redirects);
        }
        NodeKind::Case { word, patterns, redirects } => {
            stack.push(word);
            stack.extend(redirects);
            for pattern in patterns {
                stack.extend(&pattern.patterns);
                stack.extend(pattern.body.as_ref());
            }
        }
        NodeKind::Function { body: inner, .. }
        | NodeKind::Coproc { command: inner, .. }
        | NodeKind::CommandSubstitution { command: inner, .. }
        | NodeKind::ProcessSubstitution { command: inner, .. }
        | NodeKind::Redirect { target: inner, .. }
        | NodeKind::Negation { pipeline: inner }
        | NodeKind::Time { pipeline: inner, .. }
        | NodeKind::UnaryTest { operand: inner, .. }
        | NodeKind::CondNot { operand: inner }
        | NodeKind::CondParen { inner } => stack.push(inner),
        NodeKind::BinaryTest { left, right, .. }
        | NodeKind::CondAnd { left, right }
        | NodeKind::CondOr { left, right } => stack.extend([&**left, &**right]),
        NodeKind::Array { elements } => stack.extend(elements),
        _ => {}
    }
}
