//! [`ByteSet`]: rules out most names without comparing them.

/// The first or last bytes of some names, ASCII case folded. Several bytes share a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSet(u64);

impl ByteSet {
    /// The empty set.
    pub(crate) const NONE: Self = ByteSet(0);

    /// The set that contains every byte.
    pub const ANY: Self = ByteSet(u64::MAX);

    /// Returns the set for these names.
    #[must_use]
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let firsts = names.into_iter().filter_map(|name| name.bytes().next());
        ByteSet(firsts.fold(0, |all, byte| all | bit(byte)))
    }

    /// Returns whether one of the names may match `wanted`, which may begin with a wildcard.
    #[must_use]
    #[inline]
    pub fn may_fit(self, wanted: &str) -> bool {
        wanted.bytes().next().is_none_or(|byte| self.has(byte))
    }

    /// Returns the set of this byte.
    pub(crate) fn from_byte(byte: u8) -> Self {
        ByteSet(bit(byte))
    }

    /// Returns the set of the possible first bytes of a name, which may begin with a wildcard.
    #[must_use]
    pub fn from_first_byte(name: &str) -> Self {
        name.bytes().next().map_or(Self::ANY, |byte| Self::NONE.with_byte(byte))
    }

    /// Returns the set with this byte added. A wildcard adds every byte.
    pub(crate) fn with_byte(self, byte: u8) -> Self {
        if matches!(byte, b'*' | b'?') { Self::ANY } else { ByteSet(self.0 | bit(byte)) }
    }

    /// Returns whether the sets may have a common byte.
    #[must_use]
    #[inline]
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The index of its only bit, or 64 if the set is empty.
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0.trailing_zeros()).unwrap_or(64)
    }

    /// The indexes of its bits.
    pub(crate) fn indexes(self) -> impl Iterator<Item = usize> {
        (0..64).filter(move |place| self.0 & (1 << place) != 0)
    }

    /// Returns whether the byte may be in the set. A wildcard always may.
    #[inline]
    pub(crate) fn has(self, byte: u8) -> bool {
        matches!(byte, b'*' | b'?') || bit(byte) & self.0 != 0
    }
}

fn bit(byte: u8) -> u64 {
    1 << (byte.to_ascii_lowercase() % 64)
}
