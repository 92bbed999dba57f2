//! The reach of a change of a path: one directory, the working directory, a home, or the system.
//!
//! Combines the text, the analysis and the host's facts. The farthest reach applies. Knows no rules and outcomes. This
//! is a library, not a policy.

use guard_sdk::Facts;
use guard_sdk::paths::{DrivePlace, drive_place};
use guard_sdk::syntax::{Command, Effect, Severity};

/// The reach of a change, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlastRadius {
    /// Some file or directory.
    Part,
    /// The working directory, its whole content, or a directory above it.
    WorkingDirectory,
    /// A home directory, or its whole content.
    Home,
    /// An essential directory of the system.
    System,
    /// The root of the file system.
    Root,
}

/// Top-level directories that are essential for the machine or its data.
const SYSTEM: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "nix",
    "opt",
    "private",
    "proc",
    "Program Files",
    "Program Files (x86)",
    "ProgramData",
    "Windows",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
];

/// Directories one level below that are as essential.
const SYSTEM_BELOW: &[(&str, &[&str])] =
    &[("usr", &["bin", "lib", "lib32", "lib64", "libexec", "sbin", "share"]), ("var", &["lib"])];

/// Spellings of the working directory that the shell expands.
const HERE: &[&str] = &["$PWD", "${PWD}", "$(pwd)", "`pwd`"];

/// Returns whether the effect deletes its whole target. Excludes searches with tests, deletions of empty directories,
/// and directories that the program refuses to delete.
#[must_use]
pub fn deletes_whole(effect: &Effect) -> bool {
    effect.kind == "delete"
        && effect.tag("filtered").is_none()
        && effect.tag("by") != Some("rmdir")
        && !refuses_folders(effect)
}

/// Returns whether the program refuses to delete directories, as `rm` does without `-r`. For paths that a search
/// supplies, the name is the one in the search.
#[must_use]
pub fn refuses_folders(effect: &Effect) -> bool {
    let is_everything = |name: &str| name.chars().all(|char| "*?.[]!".contains(char));
    let is_searched =
        ["every", "every-ignore-case"].iter().any(|tag| effect.tag(tag).is_some_and(|name| !is_everything(name)));
    let is_plain = effect.operation == "fs.delete" && (effect.tag("glob").is_none() || is_searched);
    is_plain && matches!(effect.tag("by"), Some("rm" | "grm" | "unlink"))
}

/// Returns the reach of an effect of `command`. Calls `facts` only if they matter.
#[must_use]
pub fn blast_radius<'a>(effect: &Effect, command: Option<&Command>, facts: &dyn Fn() -> &'a Facts) -> BlastRadius {
    // A quoted `*` is a literal name.
    if effect.target.contains('*')
        && effect.tag("glob").is_none()
        && !HERE.iter().any(|here| effect.target.starts_with(here))
    {
        return BlastRadius::Part;
    }
    let mut farthest = if effect.tag("whole-directory").is_some() || is_working_directory(&effect.target) {
        BlastRadius::WorkingDirectory
    } else {
        BlastRadius::Part
    };
    if effect.severity == Severity::Catastrophic {
        // The host knows homes that the text doesn't reveal.
        farthest = farthest.max(BlastRadius::Home);
    }
    if effect.tag("where").is_some() {
        // In a container or on another host, only the text is meaningful.
        return farthest.max(absolute_radius(&effect.target)).max(home_radius(&effect.target));
    }
    let path = &effect.path;
    if path.raw.starts_with('/') {
        for text in [&path.raw, &path.lexical, &path.canonical] {
            farthest = farthest.max(absolute_radius(text)).max(machine_radius(text, command, facts));
        }
        let tilde = |command: &Command| command.argv.iter().any(|word| !word.quoted && word.text == effect.target);
        if effect.target.starts_with('~') && command.is_some_and(tilde) {
            farthest = farthest.max(home_radius(&effect.target));
        }
        farthest
    } else {
        let target = effect.target.as_str();
        let bare = !target.is_empty() && !target.starts_with('/') && components(target).is_empty();
        let bare = if bare { BlastRadius::WorkingDirectory } else { BlastRadius::Part };
        farthest
            .max(bare)
            .max(absolute_radius(target))
            .max(machine_radius(target, command, facts))
            .max(home_radius(target))
    }
}

/// Returns whether the host has proved that the deletion loses nothing of value.
#[must_use]
pub fn is_disposable(effect: &Effect) -> bool {
    effect.tag("disposable").is_some()
}

/// Folders for temporary files.
const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/", "/private/tmp/"];

/// Spellings of this user's folder for temporary files that the shell expands.
const OF_USER: &[&str] = &[
    "$TMPDIR/",
    "${TMPDIR}/",
    "${TMPDIR:-/tmp}/",
    "${TMPDIR-/tmp}/",
    "${TMPDIR:?}/",
    "${TMP:-/tmp}/",
    "${TEMP:-/tmp}/",
    "$RUNNER_TEMP/",
    "${RUNNER_TEMP}/",
    "${RUNNER_TEMP:-/tmp}/",
    "$BATS_TEST_TMPDIR/",
    "${BATS_TEST_TMPDIR}/",
];

/// Returns whether all names of the effect's target are in a folder for temporary files, and outside the project and
/// the homes.
#[must_use]
pub fn is_temporary<'a>(effect: &Effect, facts: &dyn Fn() -> &'a Facts) -> bool {
    let path = &effect.path;
    if path.raw.is_empty() {
        return OF_USER.iter().any(|folder| effect.target.starts_with(folder)) && !effect.target.contains("..");
    }
    let names = || [&path.raw, &path.lexical, &path.canonical].into_iter().filter(|name| !name.is_empty());
    let below = |name: &String| TEMPORARY.iter().any(|folder| name.starts_with(folder)) && !name.contains("/..");
    let facts = facts();
    let inside = |folder: &String| !folder.is_empty() && names().any(|name| is_inside(name, folder));
    names().all(below) && ![&facts.cwd, &facts.project_root, &facts.home].into_iter().any(inside)
}

/// Returns whether the name is the folder or below it. Compares text only.
#[must_use]
pub fn is_inside(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a text is a spelling of the working directory that the shell expands.
fn is_working_directory(text: &str) -> bool {
    let rest = HERE.iter().find_map(|here| text.strip_prefix(here));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') && components(rest).is_empty())
}

/// Returns the reach of an absolute path on any machine.
fn absolute_radius(text: &str) -> BlastRadius {
    if !text.starts_with('/') {
        return BlastRadius::Part;
    }
    let names = components(text);
    // Each Windows drive has its own root.
    match drive_place(&format!("/{}", names.join("/"))) {
        Some(DrivePlace::Root) => return BlastRadius::Root,
        Some(DrivePlace::System) => return BlastRadius::System,
        Some(DrivePlace::Home) => return BlastRadius::Home,
        Some(DrivePlace::Inside) => return BlastRadius::Part,
        None => {}
    }
    match names.as_slice() {
        [] => BlastRadius::Root,
        ["root"] | ["home" | "Users", _] => BlastRadius::Home,
        [top] if SYSTEM.iter().any(|name| guard_sensitive_paths::matches(top, name)) => BlastRadius::System,
        [top, below] if SYSTEM_BELOW.iter().any(|(name, all)| name == top && all.contains(below)) => {
            BlastRadius::System
        }
        _ => BlastRadius::Part,
    }
}

/// Returns the reach of an absolute path on this machine.
fn machine_radius<'a>(text: &str, command: Option<&Command>, facts: &dyn Fn() -> &'a Facts) -> BlastRadius {
    if !text.starts_with('/') {
        return BlastRadius::Part;
    }
    let (names, facts) = (components(text), facts());
    if facts.home.starts_with('/') && names == components(&facts.home) {
        return BlastRadius::Home;
    }
    let above = |directory: &str| directory.starts_with('/') && components(directory).starts_with(&names);
    let here = above(&facts.cwd) || command.is_some_and(|command| above(&command.cwd));
    if here { BlastRadius::WorkingDirectory } else { BlastRadius::Part }
}

/// Returns the reach of a text that begins with a home directory.
fn home_radius(text: &str) -> BlastRadius {
    match strip_home(text) {
        None => BlastRadius::Part,
        // A path that leaves the home is at least the directory of all homes.
        Some(below) if below.split('/').find(|name| !matches!(*name, "" | ".")) == Some("..") => BlastRadius::System,
        Some(below) if components(below).is_empty() => BlastRadius::Home,
        Some(_) => BlastRadius::Part,
    }
}

/// Returns the rest of a text that begins with a home directory.
fn strip_home(text: &str) -> Option<&str> {
    let rest = ["$HOME", "${HOME}"].iter().find_map(|home| text.strip_prefix(home));
    let rest = rest.or_else(|| {
        let user = text.strip_prefix('~')?;
        Some(user.find('/').and_then(|slash| user.get(slash..)).unwrap_or(""))
    })?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Returns the components of a path without `.` and trailing patterns for everything.
fn components(text: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." if !names.is_empty() => drop(names.pop()),
            name => names.push(name),
        }
    }
    while names.last().is_some_and(|name| matches!(*name, "*" | ".*" | "**" | "?*" | "*?" | ".[!.]*" | ".??*" | "..?*"))
    {
        names.pop();
    }
    if text.starts_with('/') {
        names.retain(|name| *name != "..");
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_for_everything_do_not_narrow_a_path() {
        for text in ["/", "//", "/.", "/*", "/.*", "/tmp/..", "/./*/", "/**", "/.."] {
            assert_eq!(absolute_radius(text), BlastRadius::Root, "{text}");
        }
    }

    #[test]
    fn each_drive_has_a_root_folders_of_the_system_and_homes() {
        for (text, radius) in [
            ("/C:/*", BlastRadius::Root),
            ("/mnt/c/.", BlastRadius::Root),
            ("/C:/WINDOWS/*", BlastRadius::System),
            ("/UNC/nas/C$/Users", BlastRadius::System),
            ("/C:/users/anna/*", BlastRadius::Home),
            ("/c/Users/anna", BlastRadius::Home),
            ("/C:/Users/anna/x", BlastRadius::Part),
            ("/mnt/data", BlastRadius::Part),
        ] {
            assert_eq!(absolute_radius(text), radius, "{text}");
        }
    }

    #[test]
    fn directories_of_the_system_are_told_from_those_inside() {
        for text in ["/usr", "/usr/", "/etc/*", "//bin", "/u*r", "/home", "/Users/*", "/usr/lib", "/var/lib/*"] {
            assert_eq!(absolute_radius(text), BlastRadius::System, "{text}");
        }
        for text in ["/usr/local", "/tmp/*", "/usr2", "usr", "/opt/a/b", "/usr/share/x", "/usr/src"] {
            assert_eq!(absolute_radius(text), BlastRadius::Part, "{text}");
        }
    }

    #[test]
    fn homes_are_told_from_what_is_inside() {
        for text in ["~", "~/", "~/*", "$HOME", "${HOME}/.", "~other", "~/x/.."] {
            assert_eq!(home_radius(text), BlastRadius::Home, "{text}");
        }
        for text in ["~/a", "$HOMEDIR", "$HOME/a/*", "a~", "x/~"] {
            assert_eq!(home_radius(text), BlastRadius::Part, "{text}");
        }
        assert_eq!(home_radius("~/.."), BlastRadius::System);
        assert_eq!(absolute_radius("/home/u"), BlastRadius::Home);
    }

    #[test]
    fn the_working_directory_is_known_by_its_spellings() {
        assert!(["$PWD", "$(pwd)/", "${PWD}/*", "`pwd`"].into_iter().all(is_working_directory));
        assert!(!["$PWD/build", "$PWDX", "pwd"].into_iter().any(is_working_directory));
    }
}
