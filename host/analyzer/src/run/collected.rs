//! [`Collected`]: the effects, scripts and reasons of all commands, within limits.

use guard_sdk::syntax::{Effect, Script};

use super::linked::Overlay;
use crate::limits;

/// The maximum size of the text in effects and scripts, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// The collected results of all commands.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// The effects in the order of the commands.
    pub(crate) effects: Vec<Effect>,
    /// Texts in other languages.
    pub(crate) scripts: Vec<Script>,
    /// The reasons why the list may be incomplete.
    pub(crate) reasons: Vec<String>,
    /// The commands that print a secret, including to a variable or a file.
    pub(crate) printers: Vec<u32>,
    /// The links that the text creates.
    pub(crate) overlay: Overlay,
    spent: usize,
}

impl Collected {
    /// Adds an effect, unless the limits are reached.
    pub(crate) fn push(&mut self, effect: Effect) {
        let size = effect.target.len() + effect.path.raw.len() + tags_size(&effect);
        if self.effects.len() >= limits::EFFECTS {
            return self.reason("the commands do more than is listed");
        }
        if self.afford(size) {
            self.effects.push(effect);
        }
    }

    /// Adds a script, unless the limits are reached.
    pub(crate) fn push_script(&mut self, script: Script) {
        if self.afford(script.text.len()) {
            self.scripts.push(script);
        }
    }

    /// Adds a reason unless it is already present.
    pub(crate) fn reason(&mut self, reason: &str) {
        if !self.reasons.iter().any(|known| known == reason) {
            self.reasons.push(reason.to_owned());
        }
    }

    fn afford(&mut self, size: usize) -> bool {
        self.spent = self.spent.saturating_add(size).saturating_add(64);
        let fits = self.spent <= MAX_TEXT;
        if !fits {
            self.reason("the commands do more than is listed");
        }
        fits
    }
}

fn tags_size(effect: &Effect) -> usize {
    effect.tags.iter().map(|(name, value)| name.len() + value.len()).sum()
}
