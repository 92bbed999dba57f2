//! [`Glob::overlaps`]: whether some path matches two patterns.

use super::segment::Segment;
use super::{Glob, Step};

/// The maximum number of components. Longer patterns are assumed to overlap.
const COMPONENTS: usize = 256;

/// A step of a pattern.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// Any number of components.
    Many,
    /// Any component.
    Any,
    One(&'a Segment),
}

impl Glob {
    /// Returns whether a path can match both patterns. With `fold`, the case of ASCII letters is ignored.
    ///
    /// ```
    /// use guard_sdk::globs::Glob;
    ///
    /// let protected = Glob::new("infra/*.tf").unwrap();
    /// assert!(protected.overlaps(&Glob::new("**/*.{tf,tfvars}").unwrap(), false));
    /// assert!(!protected.overlaps(&Glob::new("**/*.py").unwrap(), false));
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: &Glob, fold: bool) -> bool {
        let theirs: Vec<Vec<Part<'_>>> = other.alternatives.iter().map(|steps| parts(steps)).collect();
        let mut ours = self.alternatives.iter().map(|steps| parts(steps));
        ours.any(|one| theirs.iter().any(|two| parts_overlap(&one, two, fold)))
    }
}

/// Returns the steps, with a trailing `**` as at least one component.
fn parts(steps: &[Step]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::with_capacity(steps.len() + 1);
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::One(segment) => parts.push(Part::One(segment)),
            Step::Any => {
                if index + 1 == steps.len() {
                    parts.push(Part::Any);
                }
                parts.push(Part::Many);
            }
        }
    }
    parts
}

fn parts_overlap(one: &[Part<'_>], two: &[Part<'_>], fold: bool) -> bool {
    if one.len() > COMPONENTS || two.len() > COMPONENTS {
        return true;
    }
    // Each entry is whether a path matches the parts of `one` so far and that many parts of `two`.
    let mut row = vec![false; two.len() + 1];
    if let Some(start) = row.first_mut() {
        *start = true;
    }
    for at in 0..=one.len() {
        let left = one.get(at);
        let mut next = vec![false; two.len() + 1];
        for place in 0..=two.len() {
            if !row.get(place).is_some_and(|reached| *reached) {
                continue;
            }
            let right = two.get(place);
            let is_many = |part: Option<&Part<'_>>| matches!(part, Some(Part::Many));
            let both_advance = match (left, right) {
                (Some(Part::One(left)), Some(Part::One(right))) => left.overlaps(right, fold),
                (Some(Part::Any | Part::One(_)), Some(Part::Any | Part::One(_))) => true,
                _ => false,
            };
            set(&mut next, place + 1, both_advance);
            // `**` ends here, or takes a component of the other pattern.
            set(&mut next, place, left.is_some() && (is_many(left) || is_many(right)));
            set(&mut row, place + 1, right.is_some() && (is_many(left) || is_many(right)));
        }
        if left.is_none() {
            break;
        }
        row = next;
    }
    row.last().is_some_and(|reached| *reached)
}

fn set(row: &mut [bool], place: usize, reached: bool) {
    if let Some(here) = row.get_mut(place) {
        *here |= reached;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(one: &str, two: &str) -> bool {
        let (one, two) = (Glob::new(one).unwrap(), Glob::new(two).unwrap());
        assert_eq!(one.overlaps(&two, false), two.overlaps(&one, false), "{one:?} {two:?}");
        one.overlaps(&two, false)
    }

    #[test]
    fn two_patterns_overlap_if_one_path_matches_both() {
        for (one, two) in [
            ("a/b", "a/b"),
            ("a/*", "*/b"),
            ("a/**", "**/*.py"),
            ("db/migrations/**", "db/**/*.sql"),
            ("db/**/x/*.sql", "db/*/x/1*"),
            ("infra/*.tf", "infra/**"),
            ("**/*.key", "src/**"),
            ("*a*b*", "*b*a*"),
            ("[a-c]x", "?x"),
            ("{a,b}/c", "b/*"),
            ("a/**/b", "a/b"),
            ("**", "**"),
        ] {
            assert!(overlap(one, two), "{one} {two}");
        }
    }

    #[test]
    fn patterns_without_a_common_path_do_not_overlap() {
        for (one, two) in [
            ("a/b", "a/c"),
            ("LICENSE", "**/*.py"),
            ("infra/*.tf", "infra/modules/**/*.tf"),
            ("a/**", "a"),
            ("db/migrations/**", "src/**/*.sql"),
            ("*.tf", "*.py"),
            ("a*", "b*"),
            ("[ab]", "c"),
            ("a/*", "a/b/**"),
        ] {
            assert!(!overlap(one, two), "{one} {two}");
        }
        let (mixed, upper) = (Glob::new("License").unwrap(), Glob::new("LICENSE*").unwrap());
        assert!(mixed.overlaps(&upper, true) && !mixed.overlaps(&upper, false));
    }

    #[test]
    fn long_patterns_end_soon() {
        let start = std::time::Instant::now();
        let stars = Glob::new(&format!("{}b", "**/*a*/".repeat(100))).unwrap();
        assert!(!stars.overlaps(&Glob::new(&format!("{}c", "x/".repeat(200))).unwrap(), false));
        assert!(!Glob::new(&"*a".repeat(500)).unwrap().overlaps(&Glob::new(&"*b".repeat(500)).unwrap(), false));
        assert!(start.elapsed().as_secs() < 5);
    }
}
