//! [`mistakes`]: everything that is known to be wrong with a configuration on this machine. `config check`, `doctor`, `ci`
//! and `statusline` are views of this one list.

use std::fs;
use std::path::Path;

use guard_config::{Config, trust};
use guard_contract::{Layer, Problem};
use guard_hook::cache::{BuildOptions, Prepared};
use guard_state::files::read_text;

use crate::check::{Depth, Mistake, Severity, check, registration_mistakes};
use crate::install::HookLocation;
use crate::oversights::oversights;
use crate::surroundings::survey;

/// The file in the cache that names the chains whose policies have read their settings. To have them do it again takes longer
/// than a status line has, and what it names is known by the digest of a chain.
const SETTINGS_READ: &str = "settings-read";

/// The most chains that it names, and that is read of it.
const CHAINS: usize = 16;
const BYTES: u64 = 4096;

/// Which of the mistakes are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Inspection {
    /// What the policies are asked.
    pub depth: Depth,
    /// Also those of this machine and of the hooks that are registered on it. A file that is named may be meant for
    /// another one.
    pub of_machine: bool,
    /// How policies of other registrations that aren't compiled yet are made; `None`: not at all.
    pub making: Option<BuildOptions>,
}

/// The mistakes, errors first. The first of the projects is that of the call.
#[must_use]
pub fn mistakes(
    prepared: Prepared,
    site: HookLocation<'_>,
    projects: &[String],
    inspection: Inspection,
) -> Vec<Mistake> {
    let Inspection { depth, of_machine, making } = inspection;
    let mut found = oversights(&prepared, projects, site.dirs);
    found.extend(trust::missing(site.dirs, projects).iter().map(|file| {
        let (text, hint) = trust::missing_file_problem(file);
        Mistake::new(Severity::Gap, Problem { layer: Layer::Project, place: String::new(), text, hint })
    }));
    if of_machine {
        let entries = prepared.members.iter().map(|member| member.entry.clone()).collect();
        found.extend(survey(&Config { entries, ..prepared.config.clone() }, site.dirs));
    }
    let (record, chain) = (site.dirs.cache.join(SETTINGS_READ), prepared.config.audit.policies.clone());
    let is_read = depth == Depth::Settings && has_read(&record, &chain);
    let depth = if is_read { Depth::Files } else { depth };
    let mut mistakes = check(prepared, site.environment, &site.project.to_string_lossy(), depth);
    if depth == Depth::Settings && !mistakes.iter().any(Mistake::is_fault) {
        remember(&record, &chain);
    }
    if of_machine {
        let beside = registration_mistakes(site, projects, making, depth).into_iter();
        found.extend(beside.filter(|mistake| !mistakes.contains(mistake)));
    }
    mistakes.extend(found);
    mistakes.sort_by_key(Mistake::is_warning);
    mistakes
}

/// The policies of the chain with this digest have read their settings.
fn has_read(record: &Path, chain: &str) -> bool {
    !chain.is_empty() && read_text(record, BYTES).is_ok_and(|known| known.lines().any(|known| known == chain))
}

/// Adds a chain to the record. Without it the next status line takes longer, and that is all.
fn remember(record: &Path, chain: &str) {
    let known = read_text(record, BYTES).unwrap_or_default();
    let lines: Vec<&str> = [chain].into_iter().chain(known.lines()).take(CHAINS).collect();
    let _ = fs::write(record, lines.join("\n"));
}
