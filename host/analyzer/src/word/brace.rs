//! Brace expansion of one word, with limits.

use super::{Piece, PieceKind};
use crate::limits;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// An unquoted character.
    Char(char),
    Piece(Piece),
}

/// Returns the words that a word expands to, in order, and whether they are complete. Returns the word itself if it has
/// no brace expression.
///
/// With more than [`limits::VARIANTS`] results, each sequence of numbers only gives its ends, as pieces of kind
/// [`PieceKind::Brace`]. If there are still too many, the first results represent all.
pub(super) fn expand(pieces: Vec<Piece>) -> (Vec<Vec<Piece>>, bool) {
    let opens = pieces.iter().any(|piece| is_bare(piece) && piece.text.contains('{'));
    let closes = pieces.iter().any(|piece| is_bare(piece) && piece.text.contains('}'));
    if !opens || !closes {
        return (vec![pieces], true);
    }
    let mut tokens = Vec::new();
    for piece in &pieces {
        if is_bare(piece) {
            tokens.extend(piece.text.chars().map(Token::Char));
        } else {
            tokens.push(Token::Piece(piece.clone()));
        }
    }
    let mut found = Vec::new();
    let mut all = false;
    for ends_only in [false, true] {
        let mut run = Run { ends_only, whole: true };
        found = run.variants(&tokens, 0);
        all = run.whole;
        if all {
            break;
        }
    }
    (found.into_iter().map(collect).collect(), all)
}

/// The maximum number of elements of a sequence such as `{1..9}`. The ends of a longer one represent all.
const SEQUENCE: i64 = 64;

/// One attempt to expand a word.
struct Run {
    /// Whether a long sequence of numbers only gives its ends.
    ends_only: bool,
    /// Whether the expansion is complete.
    whole: bool,
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

impl Run {
    fn variants(&mut self, tokens: &[Token], depth: usize) -> Vec<Vec<Token>> {
        let Some((open, close, alternatives)) = expression(tokens, self.ends_only) else {
            return vec![tokens.to_vec()];
        };
        if depth > limits::BRACE_DEPTH {
            self.whole = false;
            return vec![tokens.get(..limits::VARIANTS).unwrap_or(tokens).to_vec()];
        }
        let alternatives = alternatives.unwrap_or_else(|| {
            self.whole = false;
            Vec::new()
        });
        let head = tokens.get(..open).unwrap_or_default();
        let tails = self.variants(tokens.get(close + 1..).unwrap_or_default(), depth + 1);
        let mut result = Vec::new();
        for alternative in alternatives {
            for middle in self.variants(&alternative, depth + 1) {
                for tail in &tails {
                    if result.len() >= limits::VARIANTS {
                        self.whole = false;
                        return result;
                    }
                    result.push([head, &middle, tail].concat());
                }
            }
        }
        result
    }
}

type Alternatives = Option<Vec<Vec<Token>>>;

/// Returns the first brace expression: its start, end and alternatives.
fn expression(tokens: &[Token], ends_only: bool) -> Option<(usize, usize, Alternatives)> {
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
                let valid =
                    !commas.is_empty() || sequence(tokens.get(start + 1..at).unwrap_or_default(), ends_only).is_some();
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
        return Some((start, end, sequence(tokens.get(start + 1..end).unwrap_or_default(), ends_only).flatten()));
    }
    let mut alternatives = Vec::new();
    let mut from = start + 1;
    for at in commas.into_iter().chain([end]) {
        alternatives.push(tokens.get(from..at).unwrap_or_default().to_vec());
        from = at + 1;
    }
    Some((start, end, Some(alternatives)))
}

/// Reads `1..5` or `a..e`, with an optional step. The outer `None` means no sequence, and the inner one that it is too
/// long. `ends_only`: only the first and last of more than a few numbers.
fn sequence(tokens: &[Token], ends_only: bool) -> Option<Alternatives> {
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
    let spelled = |value: i64| render(value, width).chars().map(Token::Char).collect::<Vec<_>>();
    if ends_only && count.is_none_or(|count| count > 1) {
        let end = |value: i64| {
            let text = render(value, width);
            vec![Token::Piece(Piece { kind: PieceKind::Brace, text, quoted: false, output: None })]
        };
        return Some(Some(vec![end(from), end(to)]));
    }
    let Some(count) = count.filter(|count| *count < SEQUENCE) else { return Some(None) };
    let step = if from <= to { step } else { -step };
    let values = (0..=count).filter_map(|index| from.checked_add(index.checked_mul(step)?));
    Some(Some(values.map(spelled).collect()))
}
