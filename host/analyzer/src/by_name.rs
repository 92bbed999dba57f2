//! Tables that are searched by name, sorted by a numeric key of the name.
//!
//! A search through the rows would compare all of them for each command.

/// Returns the key of a name: its first eight bytes. Names with the same prefix have the same key.
#[expect(clippy::indexing_slicing, reason = "the place is below the length")]
pub(crate) const fn key(name: &str) -> u64 {
    let name = name.as_bytes();
    let (mut key, mut at) = (0, 0);
    while at < 8 {
        key = key << 8 | if at < name.len() { name[at] as u64 } else { 0 };
        at += 1;
    }
    key
}

/// Sorts the rows by key. Rows with equal keys keep their order.
#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
pub(crate) const fn sorted<T: Copy, const N: usize>(mut rows: [(u64, T); N]) -> [(u64, T); N] {
    let mut next = 1;
    while next < N {
        let mut at = next;
        while at > 0 && rows[at - 1].0 > rows[at].0 {
            (rows[at - 1], rows[at]) = (rows[at], rows[at - 1]);
            at -= 1;
        }
        next += 1;
    }
    rows
}

/// Returns the rows with the name's key, in order. The caller must still compare the names.
pub(crate) fn candidates<T: Copy>(rows: &[(u64, T)], name: &str) -> impl Iterator<Item = T> {
    let wanted = key(name);
    let start = rows.partition_point(|(key, _)| *key < wanted);
    rows.get(start..).unwrap_or_default().iter().take_while(move |(key, _)| *key == wanted).map(|(_, row)| *row)
}
