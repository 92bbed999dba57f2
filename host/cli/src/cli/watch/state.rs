//! The state of the screen: the decisions, the chosen one, and its details.

use std::collections::VecDeque;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::cli::explain::Parts;
use guard_hook::audit::{Decision, Record};

/// The most decisions that can be looked at: the latest ones.
const KEPT: usize = 2000;

/// The most of them of which all that they rest on is kept, which may be half a mebibyte each.
const KEPT_WHOLE: usize = 64;

/// How far one key moves through a long text, in lines.
const PAGE: u16 = 10;

/// A request of the person that goes beyond the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PersonRequest {
    /// No more.
    End,
    /// To allow the call that was asked about with this id.
    Allow(String),
}

/// The details of a call that its line does not show.
pub(super) struct Detail {
    /// The line's id.
    pub(super) id: String,
    /// Its commands and why it was decided so; `None` if the line does not say enough of the call.
    pub(super) parts: Option<Parts>,
    /// They come from what the log recorded of the machine, and not from what it is like now.
    pub(super) is_recorded: bool,
}

/// A decision of the log.
struct LoggedDecision {
    record: Record,
    decision: Option<Decision>,
}

/// The state of the screen.
#[derive(Default)]
pub(super) struct State {
    seen: VecDeque<LoggedDecision>,
    /// The chosen one's place among those that are shown; `None`: the latest one, whatever comes.
    chosen: Option<usize>,
    /// Only what was stopped is shown.
    pub(super) only_stopped: bool,
    /// Whether the details of the chosen decision fill the screen.
    pub(super) is_explained: bool,
    /// How many lines of it are above the screen.
    pub(super) above: u16,
    pub(super) detail: Option<Detail>,
    /// The reason why the last key had no effect.
    pub(super) note: &'static str,
}

impl State {
    /// Puts a new decision at the end. `decision` gives all that it rests on, if the log has it.
    pub(super) fn add(&mut self, record: Record, decision: impl FnOnce() -> Option<Decision>) {
        if let Some(old) = self.seen.len().checked_sub(KEPT_WHOLE).and_then(|old| self.seen.get_mut(old)) {
            old.decision = None;
        }
        if self.seen.len() == KEPT
            && let Some(gone) = self.seen.pop_front()
            && (!self.only_stopped || is_stopped(&gone.record))
        {
            self.chosen = self.chosen.map(|chosen| chosen.saturating_sub(1));
        }
        self.seen.push_back(LoggedDecision { record, decision: decision() });
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = &LoggedDecision> {
        self.seen.iter().filter(|seen| !self.only_stopped || is_stopped(&seen.record))
    }

    /// Returns the records on the screen, oldest first.
    pub(super) fn records(&self) -> Vec<&Record> {
        self.all().map(|seen| &seen.record).collect()
    }

    /// The place of the chosen one among them.
    pub(super) fn place(&self) -> usize {
        self.chosen.unwrap_or_else(|| self.all().count().saturating_sub(1))
    }

    /// It stays with the latest one.
    pub(super) fn follows(&self) -> bool {
        self.chosen.is_none()
    }

    /// The chosen one, if nothing is known of it yet.
    pub(super) fn undetailed(&self) -> Option<(Record, Option<Decision>)> {
        let chosen = self.all().nth(self.place())?;
        let is_known = self.detail.as_ref().is_some_and(|detail| detail.id == chosen.record.id);
        (!is_known).then(|| (chosen.record.clone(), chosen.decision.clone()))
    }

    fn choose(&mut self, place: usize) {
        let last = self.all().count().saturating_sub(1);
        self.chosen = (place < last).then_some(place);
        self.above = 0;
    }

    /// Does what a key stands for, or gives what is wanted beside that.
    pub(super) fn press(&mut self, key: KeyEvent) -> Option<PersonRequest> {
        self.note = "";
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => return Some(PersonRequest::End),
            KeyCode::Esc | KeyCode::Char('q') if self.is_explained => (self.is_explained, self.above) = (false, 0),
            KeyCode::Esc | KeyCode::Char('q') => return Some(PersonRequest::End),
            KeyCode::Enter | KeyCode::Char('e') => (self.is_explained, self.above) = (!self.is_explained, 0),
            KeyCode::Up | KeyCode::Char('k') => self.choose(self.place().saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.choose(self.place() + 1),
            KeyCode::Home | KeyCode::Char('g') => self.choose(0),
            KeyCode::End | KeyCode::Char('G') => self.choose(usize::MAX),
            KeyCode::PageUp => self.above = self.above.saturating_sub(PAGE),
            KeyCode::PageDown => self.above = self.above.saturating_add(PAGE),
            KeyCode::Char('s') => {
                self.only_stopped = !self.only_stopped;
                self.choose(usize::MAX);
            }
            KeyCode::Char('a') => {
                let chosen = self.all().nth(self.place()).map(|seen| &seen.record);
                if let Some(asked) = chosen.filter(|record| record.action == "confirm_required") {
                    return Some(PersonRequest::Allow(asked.id.clone()));
                }
                self.note = "this call wasn't asked about, so there is nothing to allow";
            }
            _ => {}
        }
        None
    }
}

/// Somebody was kept from something, or asked about it.
fn is_stopped(record: &Record) -> bool {
    matches!(record.action.as_str(), "block" | "confirm_required" | "error")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: usize, action: &str) -> Record {
        Record { id: number.to_string(), action: action.to_owned(), ..Record::default() }
    }

    fn shown(state: &State) -> String {
        state.records().get(state.place()).map(|record| record.id.clone()).unwrap_or_default()
    }

    fn press(state: &mut State, keys: &str) -> Option<PersonRequest> {
        keys.chars().filter_map(|key| state.press(KeyCode::Char(key).into())).last()
    }

    #[test]
    fn the_chosen_call_stays_while_others_come_and_go() {
        let mut state = State::default();
        assert_eq!((state.place(), press(&mut state, "kjgGa"), shown(&state)), (0, None, String::new()));
        (0..10).for_each(|number| state.add(record(number, "allow"), || None));
        assert!(state.follows() && shown(&state) == "9");
        press(&mut state, "kkk");
        assert_eq!((shown(&state), state.follows()), ("6".to_owned(), false));
        (10..KEPT + 4).for_each(|number| state.add(record(number, "allow"), || None));
        assert_eq!((shown(&state), state.records().len()), ("6".to_owned(), KEPT));
        press(&mut state, "G");
        assert!(state.follows() && shown(&state) == (KEPT + 3).to_string());
    }

    #[test]
    fn a_question_is_allowed_and_nothing_else() {
        let mut state = State::default();
        ["confirm_required", "block"].iter().enumerate().for_each(|(number, action)| {
            state.add(record(number, action), || None);
        });
        assert_eq!(press(&mut state, "a"), None);
        assert!(!state.note.is_empty());
        assert_eq!(press(&mut state, "ka"), Some(PersonRequest::Allow("0".to_owned())));
        assert!(state.note.is_empty());
        (2..5).for_each(|number| state.add(record(number, "allow"), || None));
        press(&mut state, "s");
        assert_eq!((state.records().len(), shown(&state)), (2, "1".to_owned()));
        // The first of these keys ends the explanation only.
        assert_eq!(press(&mut state, "eq"), None);
        assert_eq!(press(&mut state, "q"), Some(PersonRequest::End));
    }
}
