//! The state of the screen: the decisions, the selected one, and its details.

use std::collections::VecDeque;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::cli::explain::Parts;
use guard_hook::audit::{Decision, Record};

/// The maximum number of decisions. The latest ones are kept.
const KEPT: usize = 2000;

/// The maximum number of decisions that are kept with all facts, which may take half a mebibyte each.
const KEPT_WHOLE: usize = 64;

/// The number of lines by which one key scrolls a long text.
const PAGE: u16 = 10;

/// A request that the screen can't handle itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PersonRequest {
    /// Quit.
    End,
    /// Allow the call of the ask with this id.
    Allow(String),
}

/// The details of a call that its line doesn't show.
pub(super) struct Detail {
    pub(super) id: String,
    /// The call's commands, and the reason for the decision. `None` if the line doesn't have enough information.
    pub(super) parts: Option<Parts>,
    /// Whether they depend on the recorded facts, instead of the machine's current state.
    pub(super) is_recorded: bool,
}

struct LoggedDecision {
    record: Record,
    decision: Option<Decision>,
}

#[derive(Default)]
pub(super) struct State {
    seen: VecDeque<LoggedDecision>,
    /// The index of the selected decision among the shown ones. `None` follows the latest one.
    chosen: Option<usize>,
    /// Whether only stopped calls are shown.
    pub(super) only_stopped: bool,
    /// Whether the details of the selected decision fill the screen.
    pub(super) is_explained: bool,
    /// The number of lines above the visible part.
    pub(super) above: u16,
    pub(super) detail: Option<Detail>,
    /// Why the last key had no effect.
    pub(super) note: &'static str,
}

impl State {
    /// Adds a new decision. `decision` returns its facts, if the log has them.
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

    fn all_decisions(&self) -> impl DoubleEndedIterator<Item = &LoggedDecision> {
        self.seen.iter().filter(|seen| !self.only_stopped || is_stopped(&seen.record))
    }

    /// Returns the records on the screen, oldest first.
    pub(super) fn records(&self) -> Vec<&Record> {
        self.all_decisions().map(|seen| &seen.record).collect()
    }

    /// Returns the index of the selected decision.
    pub(super) fn selected_index(&self) -> usize {
        self.chosen.unwrap_or_else(|| self.all_decisions().count().saturating_sub(1))
    }

    /// Returns whether the latest decision stays selected.
    pub(super) fn follows(&self) -> bool {
        self.chosen.is_none()
    }

    /// Returns the selected decision, if its details aren't known yet.
    pub(super) fn missing_details(&self) -> Option<(Record, Option<Decision>)> {
        let chosen = self.all_decisions().nth(self.selected_index())?;
        let is_known = self.detail.as_ref().is_some_and(|detail| detail.id == chosen.record.id);
        (!is_known).then(|| (chosen.record.clone(), chosen.decision.clone()))
    }

    fn choose(&mut self, place: usize) {
        let last = self.all_decisions().count().saturating_sub(1);
        self.chosen = (place < last).then_some(place);
        self.above = 0;
    }

    /// Handles a key. Returns a request that the screen can't handle itself.
    pub(super) fn press(&mut self, key: KeyEvent) -> Option<PersonRequest> {
        self.note = "";
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => return Some(PersonRequest::End),
            KeyCode::Esc | KeyCode::Char('q') if self.is_explained => (self.is_explained, self.above) = (false, 0),
            KeyCode::Esc | KeyCode::Char('q') => return Some(PersonRequest::End),
            KeyCode::Enter | KeyCode::Char('e') => (self.is_explained, self.above) = (!self.is_explained, 0),
            KeyCode::Up | KeyCode::Char('k') => self.choose(self.selected_index().saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.choose(self.selected_index() + 1),
            KeyCode::Home | KeyCode::Char('g') => self.choose(0),
            KeyCode::End | KeyCode::Char('G') => self.choose(usize::MAX),
            KeyCode::PageUp => self.above = self.above.saturating_sub(PAGE),
            KeyCode::PageDown => self.above = self.above.saturating_add(PAGE),
            KeyCode::Char('s') => {
                self.only_stopped = !self.only_stopped;
                self.choose(usize::MAX);
            }
            KeyCode::Char('a') => {
                let chosen = self.all_decisions().nth(self.selected_index()).map(|seen| &seen.record);
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

/// Returns whether the call was blocked or required approval.
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
        state.records().get(state.selected_index()).map(|record| record.id.clone()).unwrap_or_default()
    }

    fn press(state: &mut State, keys: &str) -> Option<PersonRequest> {
        keys.chars().filter_map(|key| state.press(KeyCode::Char(key).into())).last()
    }

    #[test]
    fn the_chosen_call_stays_while_others_come_and_go() {
        let mut state = State::default();
        assert_eq!((state.selected_index(), press(&mut state, "kjgGa"), shown(&state)), (0, None, String::new()));
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
        // The first `q` only closes the explanation.
        assert_eq!(press(&mut state, "eq"), None);
        assert_eq!(press(&mut state, "q"), Some(PersonRequest::End));
    }
}
