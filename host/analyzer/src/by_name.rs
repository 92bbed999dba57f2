//! Tables that are searched by a name, in the order of numbers that stand for names.
//!
//! A search through the rows themselves would read all of them for each command.

/// A number for a name: its first eight bytes. Names that begin alike have the same one.
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

/// The rows in the order of their numbers, and of equal ones in their own.
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

/// The rows whose number is that of the name, in their order. Their names are still to be compared.
pub(crate) fn candidates<T: Copy>(rows: &[(u64, T)], name: &str) -> impl Iterator<Item = T> {
    let wanted = key(name);
    let start = rows.partition_point(|(key, _)| *key < wanted);
    rows.get(start..).unwrap_or_default().iter().take_while(move |(key, _)| *key == wanted).map(|(_, row)| *row)
}
