//! Brace expansion of one word, bounded.

use super::{Piece, PieceKind};
use crate::limits;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// An unquoted character.
    Char(char),
    Piece(Piece),
}

/// The words that a word becomes, in order; the word itself if it holds no brace expression.
///
/// With more than [`limits::VARIANTS`] results the word stays one, with a piece of kind [`PieceKind::Brace`].
pub(super) fn expand(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let opens = pieces.iter().any(|piece| is_bare(piece) && piece.text.contains('{'));
    let closes = pieces.iter().any(|piece| is_bare(piece) && piece.text.contains('}'));
    if !opens || !closes {
        return vec![pieces];
    }
    let mut tokens = Vec::new();
    for piece in &pieces {
        if is_bare(piece) {
            tokens.extend(piece.text.chars().map(Token::Char));
        } else {
            tokens.push(Token::Piece(piece.clone()));
        }
    }
    match variants(&tokens, 0) {
        Some(variants) => variants.into_iter().map(collect).collect(),
        None => {
            // Sequences alone give numbers and letters, which name nothing.
            if tokens.contains(&Token::Char(',')) {
                limits::reached("a word has too many variants to follow");
            }
            let kind = PieceKind::Brace;
            let mark = |piece: Piece| if is_bare(&piece) { Piece { kind, ..piece } } else { piece };
            vec![pieces.into_iter().map(mark).collect()]
        }
    }
}

fn is_bare(piece: &Piece) -> bool {
    piece.kind == PieceKind::Literal && !piece.quoted
}

fn collect(tokens: Vec<Token>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for token in tokens {
        match token {
            Token::Piece(piece) => pieces.push(piece),
            Token::Char(char) => match pieces.last_mut() {
                Some(last) if is_bare(last) => last.text.push(char),
                _ => {
                    pieces.push(Piece { kind: PieceKind::Literal, text: char.to_string(), quoted: false, output: None })
                }
            },
        }
    }
    pieces
}

/// `None`: too many.
fn variants(tokens: &[Token], depth: usize) -> Option<Vec<Vec<Token>>> {
    if depth > limits::BRACE_DEPTH {
        return None;
    }
    let Some((open, close, alternatives)) = expression(tokens) else { return Some(vec![tokens.to_vec()]) };
    let alternatives = alternatives?;
    let head = tokens.get(..open).unwrap_or_default();
    let tails = variants(tokens.get(close + 1..).unwrap_or_default(), depth + 1)?;
    let mut result = Vec::new();
    for alternative in alternatives {
        for middle in variants(&alternative, depth + 1)? {
            for tail in &tails {
                if result.len() >= limits::VARIANTS {
                    return None;
                }
                result.push([head, &middle, tail].concat());
            }
        }
    }
    Some(result)
}

type Alternatives = Option<Vec<Vec<Token>>>;

/// The first brace expression: where it opens and closes, and what stands in it.
fn expression(tokens: &[Token]) -> Option<(usize, usize, Alternatives)> {
    // One pass with a stack: each opener that closes with a comma, or as a sequence, is a candidate.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Char('{') => open.push((at, Vec::new())),
            Token::Char(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            Token::Char('}') => {
                let Some((start, commas)) = open.pop() else { continue };
                let valid = !commas.is_empty() || sequence(tokens.get(start + 1..at).unwrap_or_default()).is_some();
                if valid && best.as_ref().is_none_or(|(first, ..)| start < *first) {
                    best = Some((start, at, commas));
                }
                if open.is_empty() && best.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    let (start, end, commas) = best?;
    if commas.is_empty() {
        return Some((start, end, sequence(tokens.get(start + 1..end).unwrap_or_default()).flatten()));
    }
    let mut alternatives = Vec::new();
    let mut from = start + 1;
    for at in commas.into_iter().chain([end]) {
        alternatives.push(tokens.get(from..at).unwrap_or_default().to_vec());
        from = at + 1;
    }
    Some((start, end, (alternatives.len() <= limits::VARIANTS).then_some(alternatives)))
}

/// `1..5`, `a..e`, with an optional step. The outer `None`: no sequence; the inner one: too long.
fn sequence(tokens: &[Token]) -> Option<Alternatives> {
    if tokens.len() > 64 {
        return None;
    }
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Char(char) => text.push(*char),
            Token::Piece(_) => return None,
        }
    }
    let mut ends = text.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step = step.map_or(Ok(1), str::parse::<i64>).ok()?.checked_abs()?.max(1);
    let render: fn(i64, usize) -> String;
    let (from, to, width);
    if let (Ok(low), Ok(high)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        (from, to) = (low, high);
        render = |value, width| format!("{value:0width$}");
    } else {
        let (mut low, mut high) = (first.chars(), last.chars());
        let (start, end) = (low.next()?, high.next()?);
        if low.next().is_some() || high.next().is_some() || !start.is_ascii_alphabetic() || !end.is_ascii_alphabetic() {
            return None;
        }
        (from, to, width) = (i64::from(start as u32), i64::from(end as u32), 0);
        render = |value, _| u32::try_from(value).ok().and_then(char::from_u32).map(String::from).unwrap_or_default();
    }
    let count = from.checked_sub(to).and_then(i64::checked_abs).map(|distance| distance / step);
    let Some(count) = count.filter(|count| *count < limits::SEQUENCE as i64) else { return Some(None) };
    let step = if from <= to { step } else { -step };
    let values = (0..=count).filter_map(|index| from.checked_add(index.checked_mul(step)?));
    Some(Some(values.map(|value| render(value, width).chars().map(Token::Char).collect()).collect()))
}
