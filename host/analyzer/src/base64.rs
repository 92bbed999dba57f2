//! Base64 decoding.

/// Decodes base64 in either alphabet. White space is skipped. `None` if the text is invalid.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut bits, mut width) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        width += 6;
        if width >= 8 {
            width -= 8;
            bytes.push(u8::try_from(bits >> width & 0xff).ok()?);
        }
    }
    Some(bytes)
}
