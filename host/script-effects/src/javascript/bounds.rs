//! Whether a text can be parsed without running out of stack: the parser recurses. One pass over the characters, which
//! passes over texts, comments and regular expressions.

/// Brackets inside each other.
const NESTED: usize = 40;
/// Signs and words in one expression, of which each one may hold all that follows.
const DEEP: usize = 120;
/// Words that begin a statement which holds the next one, without a bracket around that.
const HEADS: usize = 120;

/// Words that may hold all that follows, in an expression.
const PREFIXES: &[&str] = &["typeof", "void", "delete", "await", "yield", "new", "in", "of", "instanceof", "return"];

/// The same, of statements.
const STATEMENTS: &[&str] = &["if", "else", "for", "while", "do", "with"];

#[derive(Default)]
struct Counts {
    /// Open brackets and templates.
    open: Vec<char>,
    deep: usize,
    heads: usize,
    word: String,
    /// The last character that is no blank.
    last: char,
}

/// The reason why the text is not parsed, if there is one.
pub(super) fn check(code: &str) -> Result<(), &'static str> {
    let mut counts = Counts { last: ';', ..Counts::default() };
    let mut rest = code;
    while let Some(char) = rest.chars().next() {
        let in_template = counts.open.last() == Some(&'`');
        let width = if in_template { template(rest, &mut counts) } else { step(rest, &mut counts) };
        rest = rest.get(width.max(char.len_utf8())..).unwrap_or_default();
        if counts.open.len() > NESTED || counts.deep > DEEP || counts.heads > HEADS {
            return Err("the code is nested too deeply");
        }
    }
    Ok(())
}

/// Takes in what a template begins with, and gives its width.
fn template(rest: &str, counts: &mut Counts) -> usize {
    if rest.starts_with('`') {
        counts.open.pop();
        counts.last = '`';
    } else if rest.starts_with("${") {
        counts.open.push('{');
        return 2;
    } else if rest.starts_with('\\') {
        return 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
    }
    1
}

/// Takes in what other code begins with, and gives its width.
fn step(rest: &str, counts: &mut Counts) -> usize {
    let char = rest.chars().next().unwrap_or_default();
    if char.is_alphanumeric() || matches!(char, '_' | '$') {
        counts.word.push(char);
        counts.last = char;
        return char.len_utf8();
    }
    let word = std::mem::take(&mut counts.word);
    counts.deep += usize::from(PREFIXES.contains(&word.as_str()));
    counts.heads += usize::from(STATEMENTS.contains(&word.as_str()));
    let holds = PREFIXES.contains(&word.as_str()) || STATEMENTS.contains(&word.as_str());
    let width = match char {
        '\'' | '"' => quoted_width(rest, char),
        '/' if rest.starts_with("//") => return rest.find('\n').unwrap_or(rest.len()),
        '/' if rest.starts_with("/*") => return rest.find("*/").map_or(rest.len(), |at| at + 2),
        '/' if holds || !(counts.last.is_alphanumeric() || ")]}_$'\"`".contains(counts.last)) => regex(rest),
        _ => char.len_utf8(),
    };
    match char {
        '(' | '[' | '{' | '`' => counts.open.push(char),
        ')' | ']' | '}' => {
            counts.open.pop();
            if char == '}' {
                counts.heads = 0;
            }
        }
        ';' => (counts.deep, counts.heads) = (0, 0),
        ',' => counts.deep = 0,
        // Nothing that stands before goes on in the next line.
        '\n' if !holds && begins_anew(rest, counts.last) => counts.deep = 0,
        '!' | '~' | '?' | '=' | '-' | '+' | '*' | '<' | ':' => counts.deep += 1,
        _ => {}
    }
    if !char.is_whitespace() {
        counts.last = char;
    }
    width
}

/// Returns whether a line after one that ends with `last` begins something of its own.
fn begins_anew(rest: &str, last: char) -> bool {
    let next = rest.trim_start().chars().next().unwrap_or(';');
    let ends = last.is_alphanumeric() || ")]}_$'\"`;".contains(last);
    ends && (next.is_alphanumeric() || "_$'\"{}@".contains(next))
}

/// The width of a text between quotes.
fn quoted_width(rest: &str, quote: char) -> usize {
    let mut escaped = true;
    for (at, char) in rest.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            char if char == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The width of a regular expression.
fn regex(rest: &str) -> usize {
    let (mut escaped, mut class) = (true, false);
    for (at, char) in rest.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => return at + 1,
            '\n' => break,
            _ => {}
        }
    }
    1
}
