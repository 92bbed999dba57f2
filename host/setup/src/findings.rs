//! [`mistakes`]: everything that is known to be wrong with a configuration on this machine. `config check`, `doctor`, `ci`
//! and `statusline` are views of this one list.

use guard_config::{Config, trust};
use guard_contract::{Layer, Problem};
use guard_hook::cache::{BuildOptions, Prepared};

use crate::check::{Depth, Mistake, Severity, check, registration_mistakes};
use crate::install::HookLocation;
use crate::oversights::oversights;
use crate::surroundings::survey;

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
    let mut mistakes = check(prepared, site.environment, &site.project.to_string_lossy(), depth);
    if of_machine {
        let beside = registration_mistakes(site, projects, making, depth).into_iter();
        found.extend(beside.filter(|mistake| !mistakes.contains(mistake)));
    }
    mistakes.extend(found);
    mistakes.sort_by_key(Mistake::is_warning);
    mistakes
}
