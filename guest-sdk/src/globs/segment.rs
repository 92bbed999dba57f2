//! [`Segment`]: a pattern for one component of a path.

/// A pattern for one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment(Vec<Token>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Any,
    /// `[...]`: ranges, and whether they are included or excluded.
    Set(Vec<(char, char)>, bool),
}

impl Segment {
    pub(crate) fn new(text: &str) -> Result<Self, &'static str> {
        let mut tokens = Vec::new();
        let mut chars = text.chars();
        while let Some(next) = chars.next() {
            tokens.push(match next {
                '\\' => Token::Char(chars.next().ok_or("it ends with a backslash")?),
                '?' => Token::One,
                '*' if tokens.last() == Some(&Token::Any) => continue,
                '*' => Token::Any,
                '[' => set(&mut chars)?,
                other => Token::Char(other),
            });
        }
        Ok(Segment(tokens))
    }

    /// Returns whether the whole text matches, in at most the pattern's length times the text's length steps.
    pub(crate) fn matches(&self, text: &str, fold: bool) -> bool {
        let mut at = 0;
        let mut rest = text.chars();
        let mut retry = None;
        loop {
            let here = rest.clone();
            let fits = match (self.0.get(at), rest.next()) {
                (Some(Token::Any), _) => {
                    if at + 1 == self.0.len() {
                        return true;
                    }
                    rest = here.clone();
                    retry = Some((at + 1, here));
                    at += 1;
                    continue;
                }
                (Some(token), Some(next)) => token.fits(next, fold),
                (None, None) => return true,
                (Some(_), None) => return false,
                (None, Some(_)) => false,
            };
            if fits {
                at += 1;
            } else if let Some((after, from)) = &mut retry {
                // The star takes one more character.
                from.next();
                rest = from.clone();
                at = *after;
            } else {
                return false;
            }
        }
    }
}

impl Segment {
    /// Returns whether some text matches both, in at most the product of their lengths steps.
    pub(crate) fn overlaps(&self, other: &Segment, fold: bool) -> bool {
        // Each entry is whether a text matches the tokens so far and that many tokens of the other.
        let mut row = vec![false; other.0.len() + 1];
        if let Some(start) = row.first_mut() {
            *start = true;
        }
        let is_star = |token: Option<&Token>| token == Some(&Token::Any);
        let set = |row: &mut Vec<bool>, place: usize| {
            if let Some(here) = row.get_mut(place) {
                *here = true;
            }
        };
        for at in 0..=self.0.len() {
            let left = self.0.get(at);
            let mut next = vec![false; other.0.len() + 1];
            for place in 0..=other.0.len() {
                if !row.get(place).is_some_and(|reached| *reached) {
                    continue;
                }
                let right = other.0.get(place);
                if let (Some(left), Some(right)) = (left, right)
                    && left.meets(right, fold)
                {
                    set(&mut next, place + 1);
                }
                // A star ends here, or takes a character of the other.
                if is_star(left) || is_star(right) {
                    set(&mut next, place);
                    set(&mut row, place + 1);
                }
            }
            if left.is_none() {
                break;
            }
            row = next;
        }
        row.last().is_some_and(|reached| *reached)
    }
}

impl Token {
    /// Returns whether a character matches both. Two sets are assumed to share one.
    fn meets(&self, other: &Token, fold: bool) -> bool {
        match (self, other) {
            (Token::Any, _) | (_, Token::Any) => false,
            (Token::Char(one), token) | (token, Token::Char(one)) => token.fits(*one, fold),
            _ => true,
        }
    }

    fn fits(&self, next: char, fold: bool) -> bool {
        let same = |one: char, other: char| one == other || fold && one.eq_ignore_ascii_case(&other);
        match self {
            Token::Char(wanted) => same(*wanted, next),
            Token::One | Token::Any => true,
            Token::Set(ranges, wanted) => {
                let holds = |next: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&next));
                let folded = || holds(next.to_ascii_lowercase()) || holds(next.to_ascii_uppercase());
                (holds(next) || fold && folded()) == *wanted
            }
        }
    }
}

/// Parses the rest of a set, after its `[`. A `]` at the start is literal.
fn set(chars: &mut std::str::Chars<'_>) -> Result<Token, &'static str> {
    let open = "a `[` is not closed";
    let mut next = chars.next().ok_or(open)?;
    let wanted = !matches!(next, '!' | '^');
    if !wanted {
        next = chars.next().ok_or(open)?;
    }
    let mut ranges = Vec::new();
    loop {
        let mut ahead = chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last != ']' && last < next => {
                return Err("a range of a set runs backwards");
            }
            (Some('-'), Some(last)) if last != ']' => {
                ranges.push((next, last));
                *chars = ahead;
            }
            _ => ranges.push((next, next)),
        }
        next = chars.next().ok_or(open)?;
        if next == ']' {
            return Ok(Token::Set(ranges, wanted));
        }
    }
}
