//! Finds the effects of a text that precede one of its commands.
//!
//! The host and policies' tests have different command types, so both convert them to [`Seat`]s.

/// The position of a command in a text.
#[derive(Debug, Clone, Copy)]
pub struct Seat<'a> {
    /// The command's id.
    pub id: u32,
    /// The command that runs it, or whose word contains it. 0 for none.
    pub parent: u32,
    /// Its pipeline.
    pub pipeline: u32,
    /// The operator before its pipeline.
    pub operator: &'a str,
    /// Whether it runs in the background.
    pub background: bool,
    /// The enclosing constructs, outermost first.
    pub within: &'a [String],
    /// Whether a wrapper runs it for each item that it finds or reads, possibly never.
    pub is_for_each: bool,
}

/// The kinds of wrappers that run a command for each item that they find or read.
pub const FOR_EACH: [&str; 4] = ["find-exec", "xargs", "parallel", "watch"];

/// Constructs that run a command in place. Any other enclosing construct may run it later, or concurrently with the
/// text after it.
const IN_PLACE: [&str; 3] = ["condition", "loop", "case"];

/// The commands before one command of a text.
#[derive(Debug)]
pub struct Earlier<'a> {
    /// Sorted by id.
    seats: Vec<Seat<'a>>,
    now: Option<Seat<'a>>,
}

impl<'a> Earlier<'a> {
    /// Returns the commands before the command `id`, or the whole text if there is no such command.
    pub fn than(id: u32, seats: impl Iterator<Item = Seat<'a>>) -> Self {
        let mut seats: Vec<Seat<'a>> = seats.collect();
        seats.sort_by_key(|seat| seat.id);
        let mut earlier = Earlier { seats, now: None };
        earlier.now = earlier.find_seat(id).copied();
        earlier
    }

    /// Returns whether the command `id` precedes: `None` if it doesn't, `Some(true)` if it certainly runs, and runs
    /// before.
    #[must_use]
    pub fn is_certain(&self, id: u32) -> Option<bool> {
        let seat = self.find_seat(id)?;
        let is_sure = self.is_sure(seat);
        let Some(now) = &self.now else { return Some(is_sure) };
        if seat.id == now.id {
            return None;
        }
        let is_beside = seat.pipeline == now.pipeline;
        let is_part_of_it = self.is_inside(seat, now.id);
        if is_part_of_it || seat.id > now.id {
            // A substitution runs before the command that contains it.
            let is_word = is_part_of_it && seat.within.len() > now.within.len() && is_in(seat, "substitution");
            let comes_again = is_in(seat, "function") || is_in(seat, "loop") && is_in(now, "loop");
            let is_late = !is_part_of_it && (is_beside || self.is_late(now));
            return (is_word || comes_again || is_late).then_some(false);
        }
        Some(is_sure && !is_beside)
    }

    /// Returns whether the command runs exactly once, at its position. The conditions of enclosing constructs are
    /// unknown.
    fn is_sure(&self, seat: &Seat<'_>) -> bool {
        let is_plain = |seat: &Seat<'_>| {
            !seat.background && !seat.is_for_each && !matches!(seat.operator, "&&" | "||") && seat.within.is_empty()
        };
        is_plain(seat) && self.enclosing_seats(seat).all(is_plain)
    }

    /// Returns whether the command may run later than the text after it.
    fn is_late(&self, seat: &Seat<'_>) -> bool {
        let may_wait =
            |seat: &Seat<'_>| seat.background || seat.within.iter().any(|place| !IN_PLACE.contains(&place.as_str()));
        may_wait(seat) || self.enclosing_seats(seat).any(may_wait)
    }

    fn find_seat(&self, id: u32) -> Option<&Seat<'a>> {
        let at = self.seats.binary_search_by_key(&id, |seat| seat.id).ok()?;
        self.seats.get(at)
    }

    /// Returns the commands that run this one or contain it in a word, innermost first.
    fn enclosing_seats(&self, seat: &Seat<'_>) -> impl Iterator<Item = &Seat<'a>> {
        // A parent precedes its child, so the loop ends.
        let parent =
            |seat: &Seat<'_>| (seat.parent > 0 && seat.parent < seat.id).then(|| self.find_seat(seat.parent)).flatten();
        std::iter::successors(parent(seat), move |seat| parent(seat))
    }

    /// Returns whether the command `id` runs this one, or contains it in a word.
    fn is_inside(&self, seat: &Seat<'_>, id: u32) -> bool {
        self.enclosing_seats(seat).any(|above| above.id == id)
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
        Seat { id, parent: 0, pipeline: id, operator: "", background: false, within: &NONE, is_for_each: false }
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
        assert_eq!(asked(1, &[seat(1), held]), [None, Some(false)]);
        assert_eq!(asked(1, &[seat(1), Seat { parent: 1, ..seat(2) }]), [None, None]);
    }

    #[test]
    fn what_something_encloses_or_runs_is_not_certain() {
        let group = ["group".to_owned()];
        let inside = Seat { within: &group, ..seat(1) };
        let wrapper = Seat { operator: "&&", ..seat(2) };
        let run = Seat { parent: 2, ..seat(3) };
        let each = Seat { is_for_each: true, ..seat(4) };
        let seats = [inside, wrapper, run, each, seat(5)];
        assert_eq!(asked(5, &seats), [Some(false), Some(false), Some(false), Some(false), None]);
    }

    #[test]
    fn what_stands_behind_may_run_before_what_waits() {
        let trap = ["trap".to_owned()];
        assert_eq!(asked(1, &[Seat { background: true, ..seat(1) }, seat(2)]), [None, Some(false)]);
        assert_eq!(asked(1, &[Seat { within: &trap, ..seat(1) }, seat(2)]), [None, Some(false)]);
        assert_eq!(
            asked(2, &[Seat { background: true, ..seat(1) }, Seat { parent: 1, ..seat(2) }, seat(3)]),
            [Some(false), None, Some(false)]
        );
        assert_eq!(asked(1, &[seat(1), Seat { pipeline: 1, ..seat(2) }]), [None, Some(false)]);
    }

    #[test]
    fn without_such_a_command_all_of_the_text_comes_before() {
        assert_eq!(asked(0, &[seat(1), Seat { operator: "||", ..seat(2) }]), [Some(true), Some(false)]);
    }
}
