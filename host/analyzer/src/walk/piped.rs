//! The text that one pipeline stage passes to the next: the output of all commands of a group, a loop or a function.

use std::collections::BTreeMap;
use std::rc::Rc;

use guard_sdk::syntax::{Redirection, Word};

use super::content::Content;
use super::output::Input;
use super::{Place, Walker};
use crate::wrappers;
use crate::wrappers::shells;

/// Texts by pipeline and the index in it of their reader.
pub(super) type PipedTexts = BTreeMap<(u32, u32), Rc<Word>>;

/// Programs that print most of their input.
const PASSING: &[&str] =
    &["dos2unix", "envsubst", "gsed", "head", "iconv", "pv", "sed", "sort", "tail", "tr", "unbuffer", "uniq"];

impl Walker {
    /// Returns the input of the stage after `place`, which printed this collected text.
    pub(super) fn handed_on(&mut self, printed: Option<Content>, input: &Input, place: Place<'_>) -> Input {
        let key = (place.pipeline, place.index + 1);
        let printed = printed.filter(|content| !content.text.text.is_empty());
        let text = match (printed, input) {
            (Some(content), _) if content.complete && !content.includes_files => {
                self.piped_texts.insert(key, Rc::new(content.text.clone()));
                return Input::Piped(content.text);
            }
            (Some(content), _) => Some(Rc::new(unsure(content.text))),
            (None, input) if self.passes_on(place) => match input {
                Input::Piped(word) | Input::Here(word) => Some(Rc::new(unsure(word.clone()))),
                Input::Stage(pipeline, index) => self.piped_texts.get(&(*pipeline, *index)).cloned(),
                _ => None,
            },
            _ => None,
        };
        if let Some(text) = text {
            self.piped_texts.insert(key, text);
        }
        Input::Stage(key.0, key.1)
    }

    /// Returns whether the last listed command at this place prints most of its input.
    fn passes_on(&self, place: Place<'_>) -> bool {
        self.found.commands.last().is_some_and(|command| {
            let position = &command.position;
            (position.pipeline, position.index) == (place.pipeline, place.index) && PASSING.contains(&command.program())
        })
    }

    /// The input that a wrapper, a group or a function passes to a command. The words of earlier commands don't show
    /// it, so rules that look only at this command would miss it.
    pub(super) fn inherited(
        &self,
        argv: &[Word],
        redirections: &[Redirection],
        input: &Input,
        place: Place<'_>,
    ) -> Option<Redirection> {
        let own = redirections.iter().any(|redirection| redirection.fd == 0 && redirection.operator.starts_with("<<"));
        if own || shells::reads_input(argv) {
            return None;
        }
        let target = match input {
            Input::Stage(pipeline, index) => {
                // Partly known code runs unknown code.
                let is_data = !wrappers::layer::program(argv).is_some_and(wrappers::reads_code)
                    && ((*pipeline, *index) == (place.pipeline, place.index) || wrappers::reads_program(argv));
                (**self.piped_texts.get(&(*pipeline, *index)).filter(|_| is_data)?).clone()
            }
            Input::Here(text) | Input::Piped(text) => {
                // No listed command contains the text that `cat` prints from written files.
                let by_cat =
                    self.found.commands.last().is_some_and(|command| matches!(command.program(), "cat" | "tee"));
                let is_hidden = (place.index == 0 || by_cat) && wrappers::reads_program(argv);
                let is_told = self.piped_texts.contains_key(&(place.pipeline, place.index));
                Some(text).filter(|_| is_hidden || is_told)?.clone()
            }
            Input::Outer | Input::Pipe | Input::File => return None,
        };
        Some(Redirection { fd: 0, operator: "<<<".to_owned(), target, body: String::new(), body_quoted: false })
    }
}

/// Marks a text as incomplete or optional.
fn unsure(mut text: Word) -> Word {
    text.dynamic = true;
    text
}
