//! The versions of harnesses: the installed one, and the newest that this program was tested with.

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;

use crate::doctor::Finding;
use crate::install::HookLocation;
use crate::process::run_with_input;

/// Observations of real agents, written by `tests/live/run`.
const SEEN: &str = include_str!("../../../tests/live/seen.toml");

/// Major, minor and patch.
pub(crate) type Version = [u32; 3];

/// The observations of one harness. Only the versions are read here.
#[derive(Deserialize)]
struct LiveObservation {
    /// The versions, newest last. `None` if it wasn't driven.
    #[serde(default)]
    versions: Vec<String>,
}

/// Returns the version that `PROGRAM --version` prints, such as `2.1.330 (Claude Code)` or `codex-cli 0.169.0`, if the
/// program is on the user's `PATH`.
pub(crate) fn installed(program: &str, site: HookLocation<'_>) -> Option<Version> {
    let mut command = Command::new(program);
    command.arg("--version").env("PATH", site.environment.variables.get("PATH")?).current_dir("/");
    let printed = run_with_input(&mut command, String::new()).ok()?.stdout;
    printed.split_whitespace().find_map(parse)
}

/// Returns a note if the installed version is newer than every tested one.
pub(crate) fn newer(harness: &str, site: HookLocation<'_>) -> Option<Finding> {
    let seen = toml::from_str::<BTreeMap<String, LiveObservation>>(SEEN).ok()?.remove(harness)?;
    let newest = seen.versions.iter().filter_map(|version| parse(version)).max()?;
    let installed = installed(harness, site).filter(|installed| *installed > newest)?;
    let [installed, newest] = [installed, newest].map(|numbers| numbers.map(|it| it.to_string()).join("."));
    let text =
        format!("`{harness}` {installed} is newer than {newest}, the newest version that guard-host was tested with");
    Some(Finding::note("version", text, "no action needed if the checks above pass"))
}

fn parse(word: &str) -> Option<Version> {
    let numbers: Vec<u32> =
        word.trim_start_matches('v').split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_seen_harnesses_are_read() {
        let seen: BTreeMap<String, LiveObservation> = toml::from_str(SEEN).unwrap();
        let driven = seen.values().filter(|seen| !seen.versions.is_empty());
        for version in driven.flat_map(|seen| &seen.versions) {
            assert!(parse(version).is_some(), "{version}");
        }
        assert_eq!(parse("v1.20.3"), Some([1, 20, 3]));
        assert_eq!((parse("(Claude"), parse("1.2"), parse("1.2.3-rc1")), (None, None, None));
    }
}
