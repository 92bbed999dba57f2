//! Keys of the user's file that would loosen a policy of the managed file. They don't apply, and each is reported.
//!
//! This is the only place where single keys of the two files meet, so the rule is the same for each of them: the managed
//! file's value applies, and without one, the user's value applies unless it is milder than the default.

use std::path::Path;

use super::builtin::preset_entries;
use super::layer::{LayerChain, in_file};
use super::options::{Mode, Names, OnMalformed, Options, Preset, ToolOptions};
use guard_contract::allow::Allow;
use guard_contract::policy::{Entry, may_loosen};
use guard_contract::scripts::Scripts;
use guard_contract::verdict::BypassAsk;
use guard_contract::{Layer, Problem};

/// The default time limit of a call in milliseconds, which is also the maximum.
pub(super) const DEADLINE_MS: u32 = 2000;

/// Returns whether the managed file configures or locks a policy. The user's file must not loosen it.
pub(super) fn governs(managed: &LayerChain) -> bool {
    let has_preset = managed.options.preset.is_some_and(|preset| preset != Preset::None);
    has_preset || !managed.entries.is_empty() || managed.options.lock.as_ref().is_some_and(|names| !names.is_empty())
}

/// Drops the keys of the user's file that the managed file sets or that would loosen its policies, and reports each.
pub(super) fn drop_loosening(managed: &LayerChain, user: &mut LayerChain, files: (&Path, &Path)) -> Vec<Problem> {
    let (managed_file, user_file) = files;
    let mut keys = Keys { governs: governs(managed), managed_file, user_file, dropped: Vec::new() };
    let (of_managed, of_user) = (&managed.options, &mut user.options);
    // `report` is milder than the default with a harness that lets a call pass after exit code 1.
    let is_mild = |value| matches!(value, OnMalformed::Allow | OnMalformed::Report);
    keys.check("on-malformed", of_managed.on_malformed, &mut of_user.on_malformed, is_mild);
    keys.check("bypass-ask", of_managed.bypass_ask, &mut of_user.bypass_ask, |value| value == BypassAsk::Skip);
    keys.check("scripts", of_managed.scripts, &mut of_user.scripts, |value| value < Scripts::Changed);
    // A policy without enough time doesn't answer, so its deny would become an ask.
    keys.check("deadline-ms", of_managed.deadline_ms, &mut of_user.deadline_ms, |value| value < DEADLINE_MS);
    keys.preset(of_managed, of_user);
    keys.unaffected(of_managed, of_user);
    keys.tables(of_managed, of_user);
    keys.tools(&of_user.tool);
    keys.dropped
}

/// The keys so far.
struct Keys<'a> {
    governs: bool,
    managed_file: &'a Path,
    user_file: &'a Path,
    dropped: Vec<Problem>,
}

impl Keys<'_> {
    /// Drops the user's value of a key if it doesn't apply.
    fn check<T: Copy + PartialEq>(
        &mut self,
        key: &str,
        managed: Option<T>,
        user: &mut Option<T>,
        is_milder: impl Fn(T) -> bool,
    ) {
        let Some(value) = *user else { return };
        let file = self.managed_file.display();
        let (why, hint) = match managed {
            Some(own) if own != value => (format!("`{file}` sets it"), "remove it"),
            None if self.governs && is_milder(value) => {
                (format!("it would loosen the policies of `{file}`"), "remove it: only that file can set this value")
            }
            _ => return,
        };
        *user = None;
        self.report(format!("`{key}` has no effect: {why}"), hint);
    }

    /// Reports a preset that removes nothing.
    fn preset(&mut self, managed: &Options, user: &Options) {
        if managed.preset.is_some_and(|preset| preset != Preset::None) && user.preset == Some(Preset::None) {
            let text = format!("`preset` has no effect: the preset of `{}` applies", self.managed_file.display());
            self.report(text, "remove it");
        }
    }

    /// Reports keys that only loosen the user's own policies.
    fn unaffected(&mut self, managed: &Options, user: &Options) {
        let watches = |options: &Options| options.mode.is_some_and(|mode| mode != Mode::Enforce);
        let copies = |options: &Options| options.undo.as_ref().and_then(|undo| undo.instead_of_ask);
        let mode = (watches(user) && !watches(managed)).then_some("`mode`");
        let undo = (copies(user) == Some(true) && copies(managed).is_none()).then_some("`instead-of-ask` in `[undo]`");
        let governs = self.governs;
        for key in mode.into_iter().chain(undo).filter(|_| governs) {
            let text = format!("{key} has no effect on the policies of `{}`", self.managed_file.display());
            self.report(text, "remove it, unless it is for policies of your own");
        }
    }

    /// Reports keys of tables that the managed file sets otherwise.
    fn tables(&mut self, managed: &Options, user: &Options) {
        fn differ<T: PartialEq>(managed: Option<&T>, user: Option<&T>) -> bool {
            managed.is_some_and(|managed| user.is_some_and(|user| managed != user))
        }
        let audit = (managed.audit.clone().unwrap_or_default(), user.audit.clone().unwrap_or_default());
        let undo = (managed.undo.clone().unwrap_or_default(), user.undo.clone().unwrap_or_default());
        let cache = [managed, user].map(|options| options.cache.as_ref()?.max_bytes);
        let session = [managed, user].map(|options| options.session.as_ref()?.file.as_ref());
        let is_void = [
            ("audit", "level", differ(audit.0.level.as_ref(), audit.1.level.as_ref())),
            ("audit", "path", differ(audit.0.path.as_ref(), audit.1.path.as_ref())),
            ("audit", "max-bytes", differ(audit.0.max_bytes.as_ref(), audit.1.max_bytes.as_ref())),
            ("audit", "on-error", differ(audit.0.on_error.as_ref(), audit.1.on_error.as_ref())),
            ("audit", "journal", differ(audit.0.journal.as_ref(), audit.1.journal.as_ref())),
            ("cache", "max-bytes", differ(cache[0].as_ref(), cache[1].as_ref())),
            ("session", "file", differ(session[0], session[1])),
            ("undo", "enabled", differ(undo.0.enabled.as_ref(), undo.1.enabled.as_ref())),
            ("undo", "max-bytes", differ(undo.0.max_bytes.as_ref(), undo.1.max_bytes.as_ref())),
            ("undo", "max-ms", differ(undo.0.max_ms.as_ref(), undo.1.max_ms.as_ref())),
            ("undo", "instead-of-ask", differ(undo.0.instead_of_ask.as_ref(), undo.1.instead_of_ask.as_ref())),
            ("remote", "url", managed.remote.is_some() && user.remote.is_some()),
        ];
        for (table, key, _) in is_void.into_iter().filter(|(.., is_void)| *is_void) {
            let file = self.managed_file.display();
            self.report(format!("`{key}` in `[{table}]` has no effect: `{file}` sets it"), "remove it");
        }
    }

    /// Reports entries that would replace a guess. One that only has shell text can't loosen anything.
    fn tools(&mut self, entries: &[ToolOptions]) {
        let replaces = |entry: &&ToolOptions| {
            [&entry.path, &entry.content, &entry.sql, &entry.url]
                .into_iter()
                .any(|names: &Names| !names.list().is_empty())
        };
        for entry in entries.iter().filter(replaces).filter(|_| self.governs).collect::<Vec<_>>() {
            let (tool, file) = (&entry.r#match, self.managed_file.display());
            let text = format!(
                "the `[[tool]]` with the `match` `{tool}` doesn't replace the guess: it would loosen the policies of `{file}`"
            );
            self.report(text, "the entry only adds to the guess; to replace it, move the entry to that file");
        }
    }

    fn report(&mut self, text: String, hint: &str) {
        self.dropped.push(in_file((Layer::User, self.user_file), text, hint));
    }
}

/// Reports the switches of a user's or project's file for policies that a file with more weight has. They apply regardless.
pub(super) fn switches(
    chain: &[Entry],
    disabled: &[String],
    (layer, file): (Layer, &Path),
    files: (&Path, &Path),
) -> Vec<Problem> {
    let problem = |name: &String| {
        let other = chain.iter().find(|entry| entry.layer < layer && entry.name == *name)?;
        let owner = if other.layer == Layer::Managed { files.0 } else { files.1 };
        let why = match owner.exists() {
            true => format!("`{}` has the policy", owner.display()),
            false => "the user's preset has the policy".to_owned(),
        };
        let text = format!("`{name}`: `enabled = false` has no effect: {why}");
        Some(in_file((layer, file), text, "remove the entry"))
    };
    disabled.iter().filter_map(problem).collect()
}

/// Reports the user's allows that lift no ask, because the managed file configures or locks each policy that they name.
pub(super) fn allows(allows: &[Allow], chain: &[Entry], locked: &[String], files: (&Path, &Path)) -> Vec<Problem> {
    let (managed_file, user_file) = files;
    let mut problems: Vec<Problem> = Vec::new();
    for allow in allows.iter().filter(|allow| is_void_allow(allow, chain.iter(), locked)) {
        let (command, file) = (allow.subject(), managed_file.display());
        let text = format!("the `[[allow]]` for `{command}` has no effect: `{file}` configures or locks the policies");
        let problem = in_file((Layer::User, user_file), text, "remove it, or move it to that file");
        // Two allows may have the same words.
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

/// Returns whether the managed file configures or locks each policy that an allow of the user's file names.
#[must_use]
pub fn is_void_allow<'a>(allow: &Allow, chain: impl Iterator<Item = &'a Entry>, locked: &[String]) -> bool {
    let names = |entry: &&Entry| {
        let of_entry = |rule: &String| rule.split_once(':').is_some_and(|(policy, _)| policy == entry.name);
        allow.rules.is_empty() || allow.rules.iter().any(of_entry)
    };
    let named: Vec<&Entry> = chain.filter(names).collect();
    let is_managed = |entry: &&Entry| entry.layer == Layer::Managed || locked.contains(&entry.name);
    allow.layer == Layer::User
        && named.iter().any(is_managed)
        && !named.iter().any(|entry| may_loosen(locked, Layer::User, entry))
}

/// Reports the switches and the mode of a managed file without a preset that apply to no policy: each user's default
/// preset has its own.
pub(super) fn without_preset(managed: &LayerChain, user: &LayerChain, file: &Path) -> Vec<Problem> {
    if managed.options.preset.is_some() {
        return Vec::new();
    }
    let of = (Layer::Managed, file);
    let has_own = |name: &String| user.entries.iter().any(|entry| entry.name == *name) || user.disabled.contains(name);
    let of_preset = preset_entries(Preset::Standard, Layer::User, false);
    let is_added = |name: &&String| {
        user.options.preset.is_none() && !has_own(name) && of_preset.iter().any(|entry| entry.name == **name)
    };
    let switch = |name: &String| {
        let text = format!("`{name}`: `enabled = false` has no effect: {OWN_PRESETS}");
        in_file(of, text, "add a `preset` to this file, or remove the entry")
    };
    let mut found: Vec<Problem> = managed.disabled.iter().filter(is_added).map(switch).collect();
    let is_empty = managed.entries.is_empty() && managed.options.lock.as_ref().is_none_or(Vec::is_empty);
    if managed.options.mode == Some(Mode::Watch) && is_empty {
        let text = "`mode` has no effect: this file has no policies".to_owned();
        found.push(in_file(of, text, "add a `preset`; or watch all policies with `mode = \"watch-all\"`"));
    }
    found
}

/// Why a managed file without a preset doesn't loosen the policies of presets.
pub const OWN_PRESETS: &str = "without `preset` in this file, each user's preset adds the policy with its own settings";

#[cfg(test)]
mod tests;
