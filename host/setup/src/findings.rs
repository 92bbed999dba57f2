//! [`mistakes`]: all known mistakes of a configuration on this machine, for `config check`, `doctor`, `ci` and
//! `statusline`.

use std::path::Path;

use guard_config::{Config, trust};
use guard_contract::{Layer, Problem};
use guard_hook::cache::{BuildOptions, Prepared};
use guard_state::files::read_text;
use guard_state::write_new;

use crate::check::{Depth, Mistake, Severity, check, registration_mistakes};
use crate::install::HookLocation;
use crate::oversights::oversights;
use crate::surroundings::survey;

/// The cache file with the digests of the chains whose policies have accepted their settings. Configuring them again
/// would take too long for a status line.
const SETTINGS_READ: &str = "settings-read";

/// The maximum number of chains in that file, and its maximum size in bytes.
const CHAINS: usize = 16;
const BYTES: u64 = 4096;

/// The mistakes to look for.
#[derive(Debug, Clone, Copy)]
pub struct Inspection {
    /// What the policies are asked to do.
    pub depth: Depth,
    /// Whether to check this machine and its registered hooks. A given file may be meant for another machine.
    pub of_machine: bool,
    /// How to build missing artifacts for policies of other registrations. `None` to skip them.
    pub making: Option<BuildOptions>,
}

/// Returns the mistakes, errors first. The first project is that of the call.
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

/// Returns whether the policies of the chain with this digest have accepted their settings.
fn has_read(record: &Path, chain: &str) -> bool {
    !chain.is_empty() && read_text(record, BYTES).is_ok_and(|known| known.lines().any(|known| known == chain))
}

/// Adds a chain to the record. If that fails, the next status line only takes longer.
fn remember(record: &Path, chain: &str) {
    let known = read_text(record, BYTES).unwrap_or_default();
    let lines: Vec<&str> = [chain].into_iter().chain(known.lines()).take(CHAINS).collect();
    let _ = write_new(record, lines.join("\n").as_bytes(), 0o600);
}
