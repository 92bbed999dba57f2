//! Whether a text can be parsed without running out of stack: the parser recurses. One pass over the bytes, which takes
//! what stands in texts and comments for code as well.

/// Brackets inside each other.
const NESTED: usize = 40;
/// Words and signs in one statement, of which each one may hold all that follows.
const DEEP: usize = 120;

/// Words that may hold all that follows.
const PREFIXES: &[&str] =
    &["typeof", "void", "delete", "await", "yield", "new", "if", "else", "for", "while", "do", "with"];

/// The reason why the text is not parsed, if there is one.
pub(super) fn check(code: &str) -> Result<(), &'static str> {
    let (mut nested, mut deep) = (0_usize, 0_usize);
    let mut word = String::new();
    let mut before = b' ';
    for byte in code.bytes().chain([b' ']) {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') {
            word.push(char::from(byte));
        } else {
            deep += usize::from(PREFIXES.contains(&word.as_str()));
            word.clear();
        }
        match byte {
            b'(' | b'[' | b'{' => nested += 1,
            b')' | b']' | b'}' => nested = nested.saturating_sub(1),
            b';' | b',' => deep = 0,
            // A line of its own, if nothing opens at its end.
            b'\n' if matches!(before, b';' | b'}' | b')' | b'\n') => deep = 0,
            b'!' | b'~' | b'?' | b'=' | b'-' | b'+' | b'*' | b'<' | b'`' => deep += 1,
            _ => {}
        }
        if nested > NESTED || deep > DEEP {
            return Err("the code is nested too deeply");
        }
        if !byte.is_ascii_whitespace() || byte == b'\n' {
            before = byte;
        }
    }
    Ok(())
}
