//! [`ByteSet`]: tells most names apart without comparing them.

/// The bytes that some names begin or end with, ASCII case folded. Several bytes share a bit.
#[derive(Debug, Clone, Copy)]
pub struct ByteSet(u64);

impl ByteSet {
    /// The set for any name.
    pub const ANY: Self = ByteSet(u64::MAX);

    /// The set for these names.
    #[must_use]
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let firsts = names.into_iter().filter_map(|name| name.bytes().next());
        ByteSet(firsts.fold(0, |all, byte| all | bit(byte)))
    }

    /// Whether one of the names may fit `wanted`, which may begin with a wildcard. If not, none does.
    #[must_use]
    #[inline]
    pub fn may_fit(self, wanted: &str) -> bool {
        wanted.bytes().next().is_none_or(|byte| self.has(byte))
    }

    /// The set of this byte.
    pub(crate) fn of_byte(byte: u8) -> Self {
        ByteSet(bit(byte))
    }

    /// Whether the byte may be one of the set; a wildcard may be.
    #[inline]
    pub(crate) fn has(self, byte: u8) -> bool {
        matches!(byte, b'*' | b'?') || bit(byte) & self.0 != 0
    }
}

fn bit(byte: u8) -> u64 {
    1 << (byte.to_ascii_lowercase() % 64)
}
