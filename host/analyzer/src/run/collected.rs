//! [`Collected`]: effects, scripts and reasons of all commands, within bounds.

use guard_sdk::syntax::{Effect, Script};

use super::linked::Overlay;
use crate::limits;

/// The most bytes of text that effects and scripts may hold together.
const MAX_TEXT: usize = 1 << 20;

/// The collected results of all commands.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// In the order of the commands.
    pub(crate) effects: Vec<Effect>,
    /// Texts in other languages.
    pub(crate) scripts: Vec<Script>,
    /// Why there may be more than is listed; empty if there is not.
    pub(crate) reasons: Vec<String>,
    /// The commands that print a secret, also into a variable or a file.
    pub(crate) printers: Vec<u32>,
    /// Links that the text makes.
    pub(crate) overlay: Overlay,
    spent: usize,
}

impl Collected {
    /// Adds an effect, unless the bounds are reached.
    pub(crate) fn push(&mut self, effect: Effect) {
        let size = effect.target.len() + effect.path.raw.len() + tags_size(&effect);
        if self.effects.len() >= limits::EFFECTS {
            return self.reason("the commands do more than is listed");
        }
        if self.afford(size) {
            self.effects.push(effect);
        }
    }

    /// Adds a script, unless the bounds are reached.
    pub(crate) fn push_script(&mut self, script: Script) {
        if self.afford(script.text.len()) {
            self.scripts.push(script);
        }
    }

    /// Adds a reason once.
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
