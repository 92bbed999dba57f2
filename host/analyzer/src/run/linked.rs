//! Effects on the targets of links that the text created before.

use guard_sdk::syntax::{Effect, Severity};

use super::path;
use crate::links::Links;
use crate::options::Operand;
use crate::run::Run;

/// The links of a text, and those that the current command changes.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    links: Links,
    /// Links made by the current command.
    fresh: Vec<(String, String)>,
    /// The command that made them.
    maker: u32,
    /// A command that moves or copies a link itself, and the link's target.
    carried: Option<(u32, String)>,
}

impl Run<'_> {
    /// Adds an effect and, if its path goes through a link created by the text, one on the target. `path` is the
    /// effect's path, or the one in its container.
    pub(super) fn push(&mut self, effect: Effect, path: &str) {
        let room = self.out.overlay.settle(effect.command_id);
        let behind = self.behind(&effect, path);
        self.out.overlay.learn(&effect, path);
        self.out.push(effect);
        if let Some(behind) = behind {
            self.out.push(behind);
        }
        if !room {
            self.reason("too many links are made to follow them");
        }
    }

    /// Makes the files below `target` refer to those below `source` from the next command on.
    pub(crate) fn bind(&mut self, source: &Operand<'_>, target: &Operand<'_>) {
        let host = |operand| self.host(&path::place(operand, self.cwd(), self.home).raw, true).unwrap_or_default();
        let (source, target) = (host(source), host(target));
        if !self.out.overlay.settle(self.command.id) {
            self.reason("too many links are made to follow them");
        }
        self.out.overlay.maker = self.command.id;
        self.out.overlay.fresh.push((target, source));
    }

    /// Applies the links that the current command has made to its own later paths. A script makes them in order.
    pub(crate) fn follow_links(&mut self) {
        self.out.overlay.maker = 0;
        if !self.out.overlay.settle(self.command.id) {
            self.reason("too many links are made to follow them");
        }
    }

    fn behind(&self, effect: &Effect, raw: &str) -> Option<Effect> {
        let by = effect.tag("by").unwrap_or_default();
        // These actions affect the link itself.
        let itself = match effect.kind.as_str() {
            "delete" => by != "shred",
            "write" => matches!(by, "mv" | "ln" | "install") || effect.tag("link-to").is_some(),
            _ => false,
        };
        let place = self.out.overlay.links.follow(raw, !itself)?;
        let mut behind = effect.clone();
        if behind.operation == "fs.delete.recursive"
            && path::is_catastrophic(&place, effect.tag("glob").is_some(), self.host_home)
        {
            behind.severity = Severity::Catastrophic;
        }
        behind.tags.retain(|(name, _)| name != "where");
        behind.tags.push(("through".to_owned(), effect.target.clone()));
        behind.target.clone_from(&place);
        behind.path.raw = place;
        Some(behind)
    }
}

impl Overlay {
    /// Applies the links of earlier commands to the paths. Returns false if the limit is reached.
    fn settle(&mut self, id: u32) -> bool {
        if self.maker == id || self.fresh.is_empty() {
            return true;
        }
        let fresh = std::mem::take(&mut self.fresh);
        fresh.iter().all(|(link, leads_to)| self.links.insert(link, leads_to))
    }

    /// Records a link that is created, moved or copied.
    fn learn(&mut self, effect: &Effect, raw: &str) {
        let by = effect.tag("by").unwrap_or_default();
        if raw.is_empty() {
            return;
        }
        let takes = match effect.kind.as_str() {
            "delete" => by == "mv",
            "read" => effect.tag("recursive").is_some(),
            _ => false,
        };
        if takes && let Some(leads_to) = self.links.at(raw) {
            self.carried = Some((effect.command_id, leads_to.to_owned()));
        }
        let carried = match &self.carried {
            Some((id, leads_to)) if *id == effect.command_id && effect.kind == "write" => Some(leads_to.as_str()),
            _ => None,
        };
        if let Some(leads_to) = effect.tag("leads-to").or(carried) {
            self.maker = effect.command_id;
            self.fresh.push((raw.to_owned(), leads_to.to_owned()));
        }
    }
}
