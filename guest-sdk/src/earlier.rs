//! Which effects of a text come before one of its commands.
//!
//! The host and the tests of a policy have commands of different types, so both give them as [`Seat`]s.

/// Where a command of a text stands.
#[derive(Debug, Clone, Copy)]
pub struct Seat<'a> {
    /// Its number.
    pub id: u32,
    /// The command that runs it or whose word holds it; 0 for none.
    pub parent: u32,
    /// Its pipeline.
    pub pipeline: u32,
    /// The operator before its pipeline.
    pub operator: &'a str,
    /// It runs in the background.
    pub background: bool,
    /// What encloses it, outermost first.
    pub within: &'a [String],
}

/// What runs once or not at all, or at another time than where it stands.
const MAYBE: [&str; 6] = ["condition", "loop", "case", "function", "coprocess", "trap"];

/// What comes before one command of a text.
#[derive(Debug)]
pub struct Earlier<'a> {
    seats: Vec<Seat<'a>>,
    now: Option<Seat<'a>>,
}

impl<'a> Earlier<'a> {
    /// What comes before the command `id`; all of the text if there is no such command.
    pub fn than(id: u32, seats: impl Iterator<Item = Seat<'a>>) -> Self {
        let seats: Vec<Seat<'a>> = seats.collect();
        let now = seats.iter().find(|seat| seat.id == id).copied();
        Earlier { seats, now }
    }

    /// Whether the command `id` comes before: none if it does not, `Some(true)` if it certainly runs, and then.
    #[must_use]
    pub fn is_certain(&self, id: u32) -> Option<bool> {
        let seat = self.seats.iter().find(|seat| seat.id == id)?;
        let is_sure = !seat.background
            && !matches!(seat.operator, "&&" | "||")
            && !seat.within.iter().any(|place| MAYBE.contains(&place.as_str()));
        let Some(now) = self.now else { return Some(is_sure) };
        if seat.id == now.id {
            return None;
        }
        let is_part_of_it = self.is_inside(seat, now.id);
        if is_part_of_it || seat.id > now.id {
            // A substitution runs before the command that holds it.
            let is_word = is_part_of_it && seat.within.len() > now.within.len() && is_in(seat, "substitution");
            let comes_again = is_in(seat, "function") || is_in(seat, "loop") && is_in(&now, "loop");
            return (is_word || comes_again).then_some(is_word && is_sure);
        }
        Some(is_sure && seat.pipeline != now.pipeline)
    }

    /// The command `id` runs this one, or holds it in a word.
    fn is_inside(&self, seat: &Seat<'_>, id: u32) -> bool {
        let mut parent = seat.parent;
        // A parent comes first, so the chain ends.
        while parent > 0 {
            if parent == id {
                return true;
            }
            let above = self.seats.iter().find(|above| above.id == parent).map_or(0, |above| above.parent);
            parent = if above < parent { above } else { 0 };
        }
        false
    }
}

fn is_in(seat: &Seat<'_>, place: &str) -> bool {
    seat.within.iter().any(|one| one == place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [String; 0] = [];

    fn seat(id: u32) -> Seat<'static> {
        Seat { id, parent: 0, pipeline: id, operator: "", background: false, within: &NONE }
    }

    fn asked(now: u32, seats: &[Seat<'_>]) -> Vec<Option<bool>> {
        let earlier = Earlier::than(now, seats.iter().copied());
        seats.iter().map(|seat| earlier.is_certain(seat.id)).collect()
    }

    #[test]
    fn what_stands_before_comes_before() {
        assert_eq!(asked(2, &[seat(1), seat(2), seat(3)]), [Some(true), None, None]);
        assert_eq!(asked(1, &[seat(1), seat(2)]), [None, None]);
    }

    #[test]
    fn what_need_not_run_is_not_certain() {
        let behind = Seat { operator: "&&", ..seat(1) };
        let away = Seat { background: true, ..seat(2) };
        let within = ["case".to_owned()];
        let chosen = Seat { within: &within, ..seat(3) };
        let beside = Seat { pipeline: 9, ..seat(4) };
        let now = Seat { pipeline: 9, ..seat(5) };
        assert_eq!(
            asked(5, &[behind, away, chosen, beside, now]),
            [Some(false), Some(false), Some(false), Some(false), None]
        );
    }

    #[test]
    fn what_a_loop_or_a_function_holds_may_come_again() {
        let (circle, function) = (["loop".to_owned()], ["function".to_owned()]);
        let later = Seat { within: &circle, ..seat(2) };
        assert_eq!(asked(1, &[Seat { within: &circle, ..seat(1) }, later]), [None, Some(false)]);
        assert_eq!(asked(1, &[seat(1), later]), [None, None]);
        assert_eq!(asked(1, &[seat(1), Seat { within: &function, ..seat(2) }]), [None, Some(false)]);
    }

    #[test]
    fn a_substitution_comes_before_its_command_and_what_a_wrapper_runs_does_not() {
        let word = ["substitution".to_owned()];
        let held = Seat { parent: 1, within: &word, ..seat(2) };
        assert_eq!(asked(1, &[seat(1), held]), [None, Some(true)]);
        assert_eq!(asked(1, &[seat(1), Seat { parent: 1, ..seat(2) }]), [None, None]);
    }

    #[test]
    fn without_such_a_command_all_of_the_text_comes_before() {
        assert_eq!(asked(0, &[seat(1), Seat { operator: "||", ..seat(2) }]), [Some(true), Some(false)]);
    }
}
