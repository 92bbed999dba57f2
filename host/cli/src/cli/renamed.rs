//! The former names of commands, which still work and print the new name.

use std::ffi::OsString;

use guard_hook::command_line::command_index;

/// A command's former name, and its replacement.
const RENAMED: [(&str, &[&str]); 8] = [
    ("conformance", &["policy", "conformance"]),
    ("rates", &["policy", "rates"]),
    ("report", &["audit", "report"]),
    ("resume", &["pause", "--end"]),
    ("service", &["policy", "bundle"]),
    ("untrust", &["trust", "--remove"]),
    ("watch", &["audit", "watch"]),
    ("wit", &["policy", "wit"]),
];

/// Returns the arguments with the command's current name, and a hint. `None` if they contain no former name.
pub(super) fn current(arguments: &[OsString]) -> Option<(Vec<OsString>, String)> {
    let at = command_index(arguments)?;
    let word = arguments.get(at)?.to_str()?;
    let (old, new) = RENAMED.iter().find(|(old, _)| *old == word)?;
    // `service` only had the subcommand `build`.
    let is_build = *old == "service" && arguments.get(at + 1).is_some_and(|word| word == "build");
    let end = at + 1 + usize::from(is_build);
    let mut renamed = arguments.get(..at)?.to_vec();
    renamed.extend(new.iter().map(OsString::from));
    renamed.extend(arguments.get(end..).unwrap_or_default().iter().cloned());
    Some((renamed, format!("hint: `guard-host {old}` is now `guard-host {}`", new.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_names_are_found_behind_options() {
        for (line, now) in [
            ("g resume", Some("g pause --end")),
            ("g --state /s watch --since 2h", Some("g --state /s audit watch --since 2h")),
            ("g -q --color never watch", Some("g -q --color never audit watch")),
            ("g --config=/c untrust x", Some("g --config=/c trust --remove x")),
            ("g service build -o x", Some("g policy bundle -o x")),
            ("g check watch", None),
            ("g --config watch check", None),
            ("g", None),
        ] {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let now: Option<Vec<OsString>> = now.map(|now| now.split(' ').map(OsString::from).collect());
            assert_eq!(current(&arguments).map(|(renamed, _)| renamed), now, "{line}");
        }
    }
}
