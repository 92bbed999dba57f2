//! Requests that take something away on the other side: by their method, or by a mutation of GraphQL in their body.

use super::calls::Args;
use super::value::Value;
use crate::{Piece, Text};

/// The maximum number of examined values of a body.
const VALUES: usize = 256;

/// Verbs in the name of a mutation that takes something away.
const VERBS: [&str; 6] = ["delete", "remove", "destroy", "purge", "drop", "truncate"];

/// Returns whether a call takes something away. `name` ends with the method unless `method` says it, or an argument of
/// that name.
pub(super) fn is_deletion(name: &str, method: Option<&Value>, args: &Args) -> bool {
    let is_named = name == "delete" || name.ends_with(".delete");
    is_named || has_method(method, args, &["DELETE"]) || has_mutation(args)
}

/// Returns whether the method of a call says that it changes something on the other side.
pub(super) fn changes(args: &Args) -> bool {
    has_method(None, args, &["POST", "PUT", "PATCH"])
}

fn has_method(method: Option<&Value>, args: &Args, names: &[&str]) -> bool {
    let is_any = |method: &str| names.iter().any(|name| method.eq_ignore_ascii_case(name));
    let method = method.or_else(|| args.named_argument("method"));
    method.is_some_and(|method| method.alternatives().iter().filter_map(Value::known_text).any(is_any))
}

/// Returns whether an argument holds a mutation that takes something away.
fn has_mutation(args: &Args) -> bool {
    let mut left: Vec<&Value> = args.values.iter().chain(args.named.iter().map(|(_, value)| value)).collect();
    for _ in 0..VALUES {
        let Some(value) = left.pop() else { return false };
        if let Value::Text(text) = value
            && is_mutation(text)
        {
            return true;
        }
        left.extend(value.parts().into_iter().take(VALUES));
    }
    false
}

fn is_mutation(text: &Text) -> bool {
    let literals = text.pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(text) => Some(text.to_ascii_lowercase()),
        _ => None,
    });
    let text = literals.collect::<String>();
    let rest = text.split_once("mutation").map_or("", |(_, rest)| rest);
    rest.contains('{') && VERBS.iter().any(|verb| rest.contains(verb))
}
