//! The matcher says what `globset` says, with `*` kept within a component and empty choices taken.

#![cfg(test)]

use globset::GlobBuilder;
use guard_sdk::globs::Glob;

/// A sequence that looks random and is the same each time.
struct Sequence(u64);

impl Sequence {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        from[(self.0 % from.len() as u64) as usize]
    }
}

#[test]
fn both_say_the_same() {
    let segments = [
        "a",
        "b",
        "ab",
        "*",
        "**",
        "*b",
        "a*",
        "?",
        "[ab]",
        "[!a]b",
        "a*b*",
        "{a,b}",
        "{ab,b*}c",
        ".*",
        "*.x",
        "{a,{b,c}}",
        "{a,}b",
    ];
    let names = ["a", "b", "ab", "abb", "c", "bc", "abc", ".a", "a.x", ".x", "ba"];
    let mut sequence = Sequence(0x2545_f491_4f6c_dd1d);
    let mut matched = 0;
    for _ in 0..60_000 {
        let mut join = |from: &[&'static str], most: usize| {
            let count = 1 + (sequence.pick(&["1", "22", "333", "4444", "55555"]).len() - 1) % most;
            (0..count).map(|_| sequence.pick(from)).collect::<Vec<_>>().join("/")
        };
        let (pattern, path) = (join(&segments, 4), join(&names, 5));
        let theirs = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .empty_alternates(true)
            .build()
            .unwrap()
            .compile_matcher();
        let expected = theirs.is_match(&path);
        assert_eq!(Glob::new(&pattern).unwrap().matches(&path), expected, "`{pattern}` and `{path}`");
        matched += usize::from(expected);
    }
    assert!(matched > 1_000, "only {matched} of the pairs match");
}
