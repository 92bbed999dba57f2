//! `$'...'`: ANSI C escapes as in bash.

/// Decodes the text between the quotes.
///
/// Invalid UTF-8 becomes U+FFFD. A NUL ends the text, as in bash.
pub(super) fn decode(raw: &str) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let Some(escape) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |radix: u32, most: usize, start: u32| {
            let (mut value, mut count) = (start, 0);
            while count < most
                && let Some(digit) = chars.peek().and_then(|digit| digit.to_digit(radix))
            {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                count += 1;
                chars.next();
            }
            (count > 0).then_some(value)
        };
        let code = match escape {
            'a' => Some(7),
            'b' => Some(8),
            'e' | 'E' => Some(27),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            '\\' | '\'' | '"' | '?' => Some(escape as u32),
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or(0);
                Some(digits(8, 2, first).unwrap_or(first) & 0xff)
            }
            'x' => digits(16, 2, 0),
            'u' | 'U' => match digits(16, if escape == 'u' { 4 } else { 8 }, 0) {
                Some(value) if value >= 0x80 => {
                    let char = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    continue;
                }
                other => other,
            },
            'c' => chars.next().map(|control| control as u32 & 0x1f),
            _ => None,
        };
        match code.map(|code| u8::try_from(code).unwrap_or(b'?')) {
            Some(0) => break,
            Some(byte) => bytes.push(byte),
            None => {
                bytes.push(b'\\');
                bytes.extend_from_slice(escape.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn every_escape_is_read_as_bash_reads_it() {
        for (raw, expected) in [
            (r"rm", "rm"),
            (r"\x72\155", "rm"),
            (r"\u0072\U0000006d", "rm"),
            (r"a\tb\n", "a\tb\n"),
            (r"\x", r"\x"),
            (r"\'\q", r"'\q"),
            (r"\xc3\xa9", "é"),
            (r"\u00e9", "é"),
            (r"rm\0tail", "rm"),
            (r"\ca", "\u{1}"),
        ] {
            assert_eq!(decode(raw), expected, "{raw}");
        }
    }
}
