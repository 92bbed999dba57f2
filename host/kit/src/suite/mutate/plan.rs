//! Samples the mutants if there are more than may be run: evenly over rewrites and cases, and reproducibly for a seed.

/// The default number of mutants, which takes some seconds on two cores.
pub const MUTANTS: usize = 10_000;

/// A reproducible pseudorandom number generator (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct SplitMix(u64);

impl SplitMix {
    /// Creates a generator from a seed and a stream number.
    pub(super) fn new(seed: u64, within: u64) -> Self {
        let mut draw = SplitMix(seed ^ within.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        draw.next();
        draw
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            let other = self.next() % (end as u64 + 1);
            list.swap(end, usize::try_from(other).unwrap_or(0));
        }
    }
}

/// Returns at most `max` of these pairs of a case and a rewrite, in their original order.
///
/// Takes one pair of each rewrite in turn. Each rewrite starts at a different case.
pub(super) fn sample(mut pairs: Vec<(usize, usize)>, max: usize, seed: u64) -> Vec<(usize, usize)> {
    if pairs.len() <= max {
        return pairs;
    }
    let count = pairs.iter().map(|(case, _)| case + 1).max().unwrap_or(0);
    let mut order: Vec<usize> = (0..count).collect();
    SplitMix::new(seed, 0).shuffle(&mut order);
    let mut place = vec![0; count];
    for (at, case) in order.into_iter().enumerate() {
        if let Some(place) = place.get_mut(case) {
            *place = at;
        }
    }
    let turns = pairs.iter().map(|(_, rewrite)| rewrite + 1).max().unwrap_or(1);
    // The position of the pair's case in the order in which its rewrite takes the cases.
    let key = |&(case, rewrite): &(usize, usize)| {
        let start = count * rewrite / turns;
        (rewrite, (place.get(case).copied().unwrap_or(0) + count - start) % count)
    };
    pairs.sort_by_key(key);
    let mut rounds: Vec<(usize, (usize, usize))> = Vec::with_capacity(pairs.len());
    for group in pairs.chunk_by(|one, other| one.1 == other.1) {
        rounds.extend(group.iter().copied().enumerate());
    }
    rounds.sort_by_key(|(round, (_, rewrite))| (*round, *rewrite));
    rounds.truncate(max);
    let mut chosen: Vec<(usize, usize)> = rounds.into_iter().map(|(_, pair)| pair).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Vec<(usize, usize)> {
        // Rewrite 4 only applies to three cases.
        (0..100)
            .flat_map(|case| (0..5).map(move |rewrite| (case, rewrite)))
            .filter(|pair| pair.1 < 4 || pair.0 < 3)
            .collect()
    }

    #[test]
    fn all_are_kept_while_there_is_room() {
        assert_eq!(sample(pairs(), 403, 7), pairs());
    }

    #[test]
    fn each_rewrite_and_many_cases_get_their_share() {
        let chosen = sample(pairs(), 83, 7);
        let of = |rewrite| chosen.iter().filter(|pair| pair.1 == rewrite).count();
        assert_eq!([of(0), of(1), of(2), of(3), of(4)], [20, 20, 20, 20, 3]);
        let mut cases: Vec<usize> = chosen.iter().map(|pair| pair.0).collect();
        cases.dedup();
        assert!(cases.len() >= 70, "{}", cases.len());
    }

    #[test]
    fn a_seed_is_a_choice() {
        assert_eq!(sample(pairs(), 50, 7), sample(pairs(), 50, 7));
        assert_ne!(sample(pairs(), 50, 7), sample(pairs(), 50, 8));
    }
}
