//! The meaning of a path by its text: its location, whether it is a device, and how much is below it.
//!
//! It doesn't access the machine. The host resolves symbolic links and existing files.

use guard_sdk::paths::{DrivePlace, drive, drive_place, is_disk_of_windows, of_windows, without_dots, without_stream};
use guard_sdk::syntax::Word;

use crate::options::Operand;

/// A path operand made absolute as far as the text allows.
pub(crate) struct Place {
    /// The path joined to the working directory, with `~` and known variables at its start replaced. Empty if it is
    /// only known at run time.
    pub(crate) raw: String,
    /// Whether the target is completely known from the text.
    pub(crate) known: bool,
    /// Whether it is relative to the working directory.
    pub(crate) relative: bool,
}

/// Directories directly below `/` whose loss takes the system, or everyone's files, with it.
const SYSTEM: &[&str] = &[
    "etc",
    "usr",
    "var",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "boot",
    "home",
    "root",
    "opt",
    "dev",
    "proc",
    "sys",
    "srv",
    "Users",
    "System",
    "Library",
    "Applications",
    "private",
    "nix",
    "Windows",
    "Program Files",
    "Program Files (x86)",
    "ProgramData",
];

/// Resolves a path operand.
pub(crate) fn place(operand: &Operand<'_>, cwd: &str, home: &str) -> Place {
    let text = operand.text.as_ref();
    let word = operand.word;
    if let Some(rest) = behind_tilde(text, word) {
        return Place { raw: under(home, "~", rest), known: !operand.dynamic, relative: false };
    }
    if let Some(user) = text.strip_prefix('~').filter(|_| word.parts.iter().any(|part| part.kind == "tilde")) {
        // Another user's home. Its location is a guess, except for root's.
        let raw = if user.split('/').next() == Some("root") { format!("/{user}") } else { format!("/home/{user}") };
        return Place { raw, known: false, relative: false };
    }
    if let Some(rest) = behind_variable(text, word, "HOME") {
        return Place { raw: under(home, "~", rest), known: has_one_dynamic_part(word), relative: false };
    }
    if let Some(rest) = behind_variable(text, word, "PWD").or_else(|| text.strip_prefix("$(pwd)")) {
        let raw = if cwd.is_empty() { String::new() } else { under(cwd, cwd, rest) };
        return Place { known: has_one_dynamic_part(word) && !raw.is_empty(), raw, relative: true };
    }
    if let Some(raw) = spelled_for_windows(text) {
        return Place { raw, known: !operand.dynamic, relative: false };
    }
    if text.starts_with('/') {
        return Place { raw: text.to_owned(), known: !operand.dynamic, relative: false };
    }
    let text = without_stream(text);
    // An opening quote is a part without text.
    let mut parts = word.parts.iter().filter(|part| part.kind != "literal" || !part.text.is_empty());
    let starts_dynamic = operand.dynamic && parts.next().is_none_or(|part| is_dynamic(&part.kind));
    if cwd.is_empty() || starts_dynamic {
        return Place { raw: String::new(), known: false, relative: true };
    }
    let raw = format!("{}/{text}", cwd.trim_end_matches('/'));
    Place { raw, known: !operand.dynamic, relative: true }
}

/// Returns a path with Windows syntax: on a drive, after `\\?\`, or a drive's share. Elsewhere, `//server/x` is
/// `/server/x`.
fn spelled_for_windows(text: &str) -> Option<String> {
    let is_share = || text.starts_with("//") && (text.contains("$/") || text.ends_with('$'));
    let is_only_there =
        drive(text).is_some() || ["\\\\", "//?/", "//./", "/??/"].iter().any(|start| text.starts_with(start));
    if !is_only_there && !is_share() {
        return None;
    }
    of_windows(text).or_else(|| text.starts_with("\\\\").then(|| text.replace('\\', "/")))
}

fn under(folder: &str, unknown: &str, rest: &str) -> String {
    let folder = if folder.is_empty() { unknown } else { folder.trim_end_matches('/') };
    if folder.is_empty() && rest.is_empty() { "/".to_owned() } else { format!("{folder}{rest}") }
}

fn behind_tilde<'a>(text: &'a str, word: &Word) -> Option<&'a str> {
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    let expands = if word.parts.is_empty() { !word.quoted } else { word.parts.iter().any(|p| p.kind == "tilde") };
    expands.then_some(rest)
}

fn behind_variable<'a>(text: &'a str, word: &Word, name: &str) -> Option<&'a str> {
    let rest = text.strip_prefix('$')?;
    let rest = match rest.strip_prefix('{') {
        // With an operator after the name, as in `${HOME:?}`, it is the variable's value if there is one.
        Some(braced) => {
            let (operator, rest) = braced.strip_prefix(name)?.split_once('}')?;
            let keeps = operator.is_empty() || operator.starts_with([':', '-', '?', '%']);
            if !keeps {
                return None;
            }
            rest
        }
        None => rest.strip_prefix(name)?,
    };
    let ends = rest.is_empty() || rest.starts_with('/');
    (ends && word.dynamic).then_some(rest)
}

fn has_one_dynamic_part(word: &Word) -> bool {
    word.parts.iter().filter(|part| is_dynamic(&part.kind)).count() <= 1
}

/// Returns whether a part of this kind is only known at run time.
pub(crate) fn is_dynamic(kind: &str) -> bool {
    matches!(kind, "variable" | "command" | "arithmetic" | "process")
}

/// Resolves `.`, `..` and double slashes in an absolute path lexically. A leading `~` is the home.
pub(crate) fn lexical(path: &str) -> String {
    let joined = without_dots(path);
    if path.starts_with('~') { joined } else { format!("/{joined}") }
}

/// Returns whether a segment matches all entries, or all hidden ones, of its directory.
fn is_everything(segment: &str) -> bool {
    segment.contains('*') && segment.chars().all(|c| matches!(c, '*' | '?' | '.' | '{' | '}' | ',' | '[' | ']' | '!'))
}

/// Returns the directory that is lost completely when `path` is deleted recursively: itself, or the parent of `*`.
pub(crate) fn lost_directory(path: &str, glob: bool) -> String {
    let whole = lexical(path);
    match whole.rsplit_once('/') {
        Some((parent, last)) if glob && is_everything(last) => {
            if parent.is_empty() {
                "/".to_owned()
            } else {
                parent.to_owned()
            }
        }
        _ => whole,
    }
}

/// Returns whether deleting `raw` recursively loses the machine, a home or a system directory.
pub(crate) fn is_catastrophic(raw: &str, glob: bool, home: &str) -> bool {
    if raw.is_empty() {
        return false;
    }
    let lost = lost_directory(raw, glob);
    if lost == "/" || lost == "~" || lost.is_empty() || (!home.is_empty() && lost == lexical(home)) {
        return true;
    }
    if let Some(place) = drive_place(&lost) {
        return place != DrivePlace::Inside;
    }
    let Some(below) = lost.strip_prefix('/') else { return false };
    SYSTEM.contains(&below) || is_somebodys_home(below)
}

fn is_somebodys_home(below: &str) -> bool {
    let mut segments = below.split('/');
    matches!(segments.next(), Some("home" | "Users")) && segments.next().is_some() && segments.next().is_none()
}

/// Returns whether a relative operand is the working directory, all of its entries, or a parent directory.
pub(crate) fn is_whole_directory(text: &str, glob: bool, relative: bool) -> bool {
    if !relative {
        return false;
    }
    let text = ["${PWD}", "$PWD", "$(pwd)"].iter().find_map(|head| text.strip_prefix(head)).unwrap_or(text);
    text.split('/').all(|segment| matches!(segment, "" | "." | "..") || (glob && is_everything(segment)))
}

/// A path below `/dev`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    /// Contains data: a disk, a partition, memory.
    Storage,
    /// Reads or writes bytes without storing them: `/dev/null`, a terminal, a descriptor.
    Stream,
    /// A connection opened by bash: `/dev/tcp/host/port`.
    Socket,
}

const STORAGE: &[&str] = &[
    "sd", "nvme", "vd", "hd", "mmcblk", "xvd", "disk", "rdisk", "loop", "dm-", "mapper/", "md", "nbd", "rbd", "zd",
    "zvol/", "sg", "sr", "mtd", "pmem", "ram", "mem", "kmem", "block/",
];

const STREAM: &[&str] = &["null", "zero", "full", "stdin", "stdout", "stderr", "tty", "console", "random", "urandom"];

/// Returns the kind of device at an absolute path. `None` for an ordinary file.
pub(crate) fn device(path: &str) -> Option<Device> {
    if path.starts_with("//") && is_disk_of_windows(path) {
        return Some(Device::Storage);
    }
    if !path.contains("dev") || !path.starts_with('/') {
        return None;
    }
    let path = lexical(path);
    if path.starts_with("/proc/self/fd/") {
        return Some(Device::Stream);
    }
    let name = path.strip_prefix("/dev/")?;
    if STREAM.contains(&name) || name.starts_with("fd/") || name.starts_with("pts/") {
        return Some(Device::Stream);
    }
    if name.starts_with("tcp/") || name.starts_with("udp/") {
        return Some(Device::Socket);
    }
    STORAGE.iter().any(|start| name.starts_with(start)).then_some(Device::Storage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_lost_however_it_is_spelt() {
        for path in ["/", "//", "/.", "/tmp/..", "/*", "/.*", "//.//", "/home/u", "/home/u/", "/home/u/*", "/etc/*"] {
            assert!(is_catastrophic(path, true, "/home/u"), "{path}");
        }
        for path in ["/tmp", "/tmp/*", "/home/u/x", "/etc/nginx", "/home/u/*.log", ""] {
            assert!(!is_catastrophic(path, true, "/home/u"), "{path}");
        }
        assert!(!is_catastrophic("/*", false, "/home/u"));
    }

    #[test]
    fn a_drive_has_a_root_and_system_folders_in_any_spelling() {
        for path in [
            "/C:",
            "/c:/",
            "/D:/*",
            "/C:/windows",
            "/C:/WINDOWS/System32",
            "/C:/users/anna",
            "/C:/Program Files",
            "/UNC/server/C$",
            "/UNC/server/C$/Users",
            "/mnt/c",
            "/mnt/d/*",
            "/mnt/c/Users",
            "/cygdrive/c/Windows",
            "/c/Users",
            "/c/Program Files (x86)",
        ] {
            assert!(is_catastrophic(path, true, "/home/u"), "{path}");
        }
        for path in [
            "/C:/x",
            "/C:/Users/anna/x",
            "/C:/Windows/Temp",
            "/UNC/server/share",
            "/UNC/server/C$/x",
            "/mnt/data",
            "/mnt/c/x",
            "/mnt/c/Users/anna/x",
            "/c",
            "/d/*",
            "/c/x",
            "/cygdrive/c/x",
            "/c/Users/anna/x",
        ] {
            assert!(!is_catastrophic(path, true, "/home/u"), "{path}");
        }
    }

    #[test]
    fn the_working_directory_is_lost_as_a_whole() {
        for text in [".", "./", "*", "./*", ".*", "..", "$PWD", "$(pwd)/*"] {
            assert!(is_whole_directory(text, true, true), "{text}");
        }
        for text in ["*.log", "build/*", "x", "./x"] {
            assert!(!is_whole_directory(text, true, true), "{text}");
        }
    }

    #[test]
    fn devices_that_keep_data_are_told_from_streams() {
        assert_eq!(device("/dev/sda1"), Some(Device::Storage));
        assert_eq!(device("//dev/../dev/nvme0n1"), Some(Device::Storage));
        assert_eq!(device("//./PhysicalDrive0"), Some(Device::Storage));
        assert_eq!(device("//./pipe/x"), None);
        assert_eq!(device("/dev/null"), Some(Device::Stream));
        assert_eq!(device("/dev/fd/3"), Some(Device::Stream));
        assert_eq!(device("/dev/tcp/h/80"), Some(Device::Socket));
        assert_eq!(device("/dev/shm/x"), None);
        assert_eq!(device("/develop/sda"), None);
    }
}
