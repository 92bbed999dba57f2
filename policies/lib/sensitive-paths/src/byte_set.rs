//! [`ByteSet`]: tells most names apart without comparing them.

/// The bytes that some names begin or end with, ASCII case folded. Several bytes share a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSet(u64);

impl ByteSet {
    /// The empty set.
    pub(crate) const NONE: Self = ByteSet(0);

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

    /// The set of what may begin as this name does, which may begin with a wildcard.
    #[must_use]
    pub fn of_start(name: &str) -> Self {
        name.bytes().next().map_or(Self::ANY, |byte| Self::NONE.with(byte))
    }

    /// The set with this byte as well; a wildcard may be any.
    pub(crate) fn with(self, byte: u8) -> Self {
        if matches!(byte, b'*' | b'?') { Self::ANY } else { ByteSet(self.0 | bit(byte)) }
    }

    /// Whether the sets may have a byte in common.
    #[must_use]
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The place of its only bit; 64 if it is empty.
    pub(crate) fn place(self) -> usize {
        usize::try_from(self.0.trailing_zeros()).unwrap_or(64)
    }

    /// The places of its bits.
    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        (0..64).filter(move |place| self.0 & (1 << place) != 0)
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
