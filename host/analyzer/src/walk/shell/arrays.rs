//! A shell's arrays, and the subscripts of their elements.

use std::rc::Rc;

use guard_sdk::syntax::Word;

use super::{Shell, Value};
use crate::limits;
use crate::word::expand::{arithmetic, literal};
use crate::word::is_name;

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Sorts numbered elements by their subscripts.
fn sort(elements: &mut [(String, Word)]) {
    elements.sort_by_key(|(subscript, _)| subscript.parse::<usize>().unwrap_or_default());
}

impl Shell {
    /// Assigns `NAME=(...)`: subscripts, if any, and words.
    pub(crate) fn assign_array(&mut self, name: &str, words: Vec<(Option<String>, Word)>, append: bool) {
        let name = &*self.referred(name).to_owned();
        let mut elements = match self.variables.get(name) {
            Some(Value::Array(elements)) if append => elements.to_vec(),
            _ => Vec::new(),
        };
        let evaluated = |subscript: String| match arithmetic::evaluate(&subscript, self) {
            Some(value) if !is_name(&subscript) => value.to_string(),
            _ => subscript,
        };
        let words: Vec<(Option<String>, Word)> =
            words.into_iter().map(|(subscript, word)| (subscript.map(evaluated), word)).collect();
        let subscripts = words.iter().filter_map(|(subscript, _)| subscript.as_ref());
        let by_number = subscripts.clone().count() > 0
            && subscripts.chain(elements.iter().map(|(known, _)| known)).all(|known| is_number(known));
        for (subscript, word) in words {
            let next = elements.last().and_then(|(last, _): &(String, Word)| last.parse::<usize>().ok());
            let subscript = subscript.unwrap_or_else(|| next.map_or(elements.len(), |last| last + 1).to_string());
            // A home is resolved now, so later quotes around the array have no effect on it.
            let settled = self.plain(&word).filter(|_| !word.glob);
            let word = settled.map_or(word, |text| literal(&text));
            match elements.iter_mut().find(|(known, _)| *known == subscript).filter(|_| by_number) {
                Some((_, old)) => *old = word,
                None => elements.push((subscript, word)),
            }
        }
        if by_number {
            sort(&mut elements);
        }
        self.keep_array(name, elements);
    }

    /// Assigns one element of an array.
    pub(crate) fn assign_element(&mut self, name: &str, subscript: &str, word: &Word) {
        let name = &*self.referred(name).to_owned();
        let mut elements = match self.variables.get(name) {
            Some(Value::Array(elements)) => elements.to_vec(),
            _ => Vec::new(),
        };
        let evaluated = arithmetic::evaluate(subscript, self).map(|value| value.to_string());
        let subscript = evaluated.as_deref().unwrap_or(subscript);
        let plain = subscript.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain || word.dynamic {
            return self.forget(name);
        }
        match elements.iter_mut().find(|(known, _)| known == subscript) {
            Some((_, old)) => word.clone_into(old),
            None => elements.push((subscript.to_owned(), word.clone())),
        }
        if elements.iter().all(|(subscript, _)| is_number(subscript)) {
            sort(&mut elements);
        }
        self.keep_array(name, elements);
    }

    /// Applies `unset NAME[SUBSCRIPT]`.
    pub(crate) fn unset_element(&mut self, name: &str, subscript: &str) {
        let name = &*self.referred(name).to_owned();
        let Some(Value::Array(elements)) = self.variables.get(name) else { return self.forget(name) };
        let evaluated = arithmetic::evaluate(subscript, self).map(|value| value.to_string());
        let is_it = |known: &str| known == subscript || evaluated.as_deref() == Some(known);
        let left: Vec<(String, Word)> = elements.iter().filter(|(known, _)| !is_it(known)).cloned().collect();
        if left.len() == elements.len() { self.forget(name) } else { self.keep_array(name, left) }
    }

    fn keep_array(&mut self, name: &str, elements: Vec<(String, Word)>) {
        let size: usize = elements.iter().map(|(_, word)| word.text.len()).sum();
        if elements.len() <= limits::ELEMENTS && size <= limits::VALUE {
            self.set(name, Value::Array(Rc::new(elements)));
        } else {
            limits::reached("an array has too many elements to follow");
            self.forget(name);
        }
    }
}
