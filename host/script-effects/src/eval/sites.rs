//! Where loops put what they make: what is made in this turn has a place, and what other turns made has another one.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::evaluator::Evaluator;
use super::state::join_places;
use super::value::Value;

/// How often one expression makes something in one turn of a loop that is told apart.
const TIMES: usize = 4;

/// Where the expressions of a loop put what they make.
#[derive(Debug, Default)]
pub(super) struct Sites {
    places: BTreeMap<(usize, usize), usize>,
    /// How often each made something in this turn.
    pub(super) seen: BTreeMap<usize, usize>,
    /// The places for what other turns made.
    older: BTreeMap<usize, usize>,
    /// The objects made in this turn.
    pub(super) made: BTreeSet<usize>,
}

impl Evaluator<'_> {
    /// The place for what is made here, and whether nothing that is still used lies there.
    pub(super) fn place_at_site(&mut self) -> (usize, bool) {
        let next = self.state.next;
        let Some(sites) = &mut self.sites else { return (next, false) };
        let count = sites.seen.entry(self.site).or_default();
        *count = TIMES.min(*count + 1);
        let place = *sites.places.entry((self.site, *count)).or_insert(next);
        (place, sites.made.insert(place))
    }

    /// Ends a turn of a loop: what it made is from now on what another turn made.
    pub(super) fn end_turn(&mut self) {
        let Some(sites) = &mut self.sites else { return };
        let made = std::mem::take(&mut sites.made);
        let mut moved = BTreeMap::new();
        for place in made {
            let Some(value) = self.state.places.get(place).map(Rc::clone) else { continue };
            let older = *sites.older.entry(place).or_insert(self.state.next);
            self.state.next = self.state.next.max(older + 1);
            self.shared.insert(older);
            let places = Rc::make_mut(&mut self.state.places);
            match places.get_mut(older) {
                Some(held) => *held = Rc::new(join_places(held, &value)),
                None => {
                    places.resize_with(older, Rc::default);
                    places.push(value);
                }
            }
            moved.insert(place, older);
        }
        if moved.is_empty() {
            return;
        }
        self.touch();
        self.spend((self.state.places.len() + self.state.scopes.len()) / 8);
        let to = |place: usize| moved.get(&place).copied();
        for value in Rc::make_mut(&mut self.state.places) {
            if value.needs_relocation(&to) {
                Rc::make_mut(value).relocate(&to);
            }
        }
        for scope in Rc::make_mut(&mut self.state.scopes) {
            if scope.names.values().any(|value| value.needs_relocation(&to)) {
                Rc::make_mut(scope).names.values_mut().for_each(|value| value.relocate(&to));
            }
        }
    }
}

impl Value {
    /// Returns whether it leads to a place that has another one.
    fn needs_relocation(&self, to: &dyn Fn(usize) -> Option<usize>) -> bool {
        match self {
            Value::Ref(place) => to(*place).is_some(),
            value => value.parts().into_iter().any(|part| part.needs_relocation(to)),
        }
    }

    /// Leads to the other places.
    fn relocate(&mut self, to: &dyn Fn(usize) -> Option<usize>) {
        match self {
            Value::Ref(place) => *place = to(*place).unwrap_or(*place),
            Value::OneOf(values) => {
                values.iter_mut().for_each(|value| value.relocate(to));
                *self = Value::join(std::mem::take(values));
            }
            Value::List(values) => values.iter_mut().for_each(|value| value.relocate(to)),
            Value::Dict(items) => items.iter_mut().for_each(|(key, value)| {
                key.relocate(to);
                value.relocate(to);
            }),
            Value::Many(value) | Value::Guess(value) | Value::Method(value, _) | Value::Super(value, _) => {
                value.relocate(to)
            }
            Value::Partial(callee, args) => {
                callee.relocate(to);
                args.values.iter_mut().for_each(|value| value.relocate(to));
                args.named.iter_mut().for_each(|(_, value)| value.relocate(to));
            }
            Value::Object(object) => {
                object.fields.values_mut().for_each(|value| value.relocate(to));
                object.bases.iter_mut().for_each(|value| value.relocate(to));
            }
            _ => {}
        }
    }
}
