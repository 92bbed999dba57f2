//! From commands to what they do to the world.
//!
//! Walks the flat list of commands once: redirections first, then the program's own effects from the table in
//! [`crate::programs`], then what only a whole pipeline shows. It parses no shell text and asks no machine.

pub(crate) mod code;
pub(crate) mod draft;
mod fork;
pub(crate) mod input;
mod remediation;
pub(crate) mod path;
mod pipeline;
mod redirect;
mod non_production;
pub(crate) mod run;
mod reverse_shell;

use guard_sdk::syntax::{Command, Effect, Script};

use crate::programs;
use draft::Draft;
use pipeline::Pipelines;
use run::Run;

/// The most bytes of text that effects and scripts may hold together.
const MAX_TEXT: usize = 1 << 20;

/// The most effects.
const MAX_EFFECTS: usize = 16_384;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// In the order of the commands.
    pub(crate) effects: Vec<Effect>,
    /// Texts in other languages.
    pub(crate) scripts: Vec<Script>,
    /// Why there may be more than is listed; empty if there is not.
    pub(crate) reasons: Vec<String>,
    spent: usize,
}

impl Collected {
    /// Adds an effect, unless the bounds are reached.
    pub(crate) fn push(&mut self, effect: Effect) {
        let size = effect.target.len() + effect.path.raw.len() + tags_size(&effect);
        if self.effects.len() < MAX_EFFECTS && self.afford(size) {
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

/// Finds the effects of `commands`. `home` is the home directory, or empty.
pub(crate) fn collect(commands: &[Command], home: &str) -> Collected {
    let mut collected = Collected::default();
    let pipelines = Pipelines::of(commands);
    fork::find(commands, &pipelines, &mut collected);
    reverse_shell::find(commands, &pipelines, &mut collected);
    for command in commands {
        let mut run = Run::new(command, commands, &pipelines, home, &mut collected);
        privilege(&mut run);
        redirect::find(&mut run);
        pipeline::find(&mut run);
        programs::find(&mut run);
    }
    collected
}

/// The command runs as another user, who may do more.
fn privilege(run: &mut Run<'_>) {
    let via = run.command.via.iter().find(|via| {
        matches!(via.kind.as_str(), "sudo" | "doas" | "su" | "pkexec" | "run0" | "sudo-rs" | "gosu" | "su-exec")
    });
    if let Some(via) = via {
        let user = if via.detail.is_empty() { "root" } else { via.detail.as_str() };
        run.emit(Draft::notable("privilege", "privilege.raise").target(user).tag("by", &via.kind));
    }
}
