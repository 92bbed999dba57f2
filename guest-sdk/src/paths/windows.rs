//! Windows paths in any spelling, and their normalized form: `/C:/Users/u`.

use std::borrow::Cow;

use super::drive;

/// The folder for other machines' shares: `\\server\share` becomes `/UNC/server/share`.
const SHARES: &str = "UNC";

/// Names for a machine's own drives as shares: `\\localhost\C$` is `C:`.
const OWN: [&str; 4] = ["localhost", "127.0.0.1", "[::1]", "--1.ipv6-literal.net"];

/// Normalizes an absolute Windows path. `None` for other paths.
///
/// All spellings of a file have the same form: with slashes of either kind, after `\\?\` and `\\.\`, by the share of a
/// drive, with trailing dots and blanks, and with the name of a stream. The case of letters is preserved, except for
/// the drive's letter.
#[must_use]
pub fn of_windows(text: &str) -> Option<String> {
    let slashed = text.replace('\\', "/");
    let device = ["//?/", "//./", "/??/"].iter().find_map(|prefix| slashed.strip_prefix(prefix));
    let rest = device.unwrap_or(&slashed);
    match (device, drive(rest)) {
        // The volume itself, as a disk.
        (Some(_), Some("")) if !rest.ends_with('/') => return None,
        (_, Some(_)) => return drive_path(rest.get(..1)?, rest.get(2..)?),
        _ => {}
    }
    let share = match device {
        Some(rest) => rest.split_at_checked(4).filter(|(start, _)| start.eq_ignore_ascii_case("UNC/"))?.1,
        None => slashed.strip_prefix("//").filter(|rest| !rest.starts_with('/'))?,
    };
    let mut names = share.splitn(3, '/');
    let (server, name, below) = (names.next()?, names.next().filter(|name| !name.is_empty())?, names.next());
    let below = below.unwrap_or_default();
    let letter = name.strip_suffix('$').filter(|name| name.len() == 1 && name.as_bytes().is_ascii());
    match letter.filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic())) {
        Some(letter) if OWN.iter().any(|own| own.eq_ignore_ascii_case(server)) => drive_path(letter, below),
        _ => Some(join_path(&format!("/{SHARES}/{server}/{name}"), below)),
    }
}

fn drive_path(letter: &str, below: &str) -> Option<String> {
    Some(join_path(&format!("/{}:", letter.to_ascii_uppercase()), below))
}

fn join_path(start: &str, below: &str) -> String {
    let mut path = start.to_owned();
    for name in below.split('/').map(file_name).filter(|name| !name.is_empty()) {
        path.push('/');
        path.push_str(name);
    }
    if below.len() > 1 && below.ends_with('/') {
        path.push('/');
    }
    path
}

/// Returns the name that Windows uses for a component: without a stream, and without trailing dots and blanks.
fn file_name(name: &str) -> &str {
    if matches!(name, "." | "..") {
        return name;
    }
    name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' '])
}

/// Removes the name of the default stream: `x::$DATA` becomes `x`. A shell that expands `$DATA` as a variable leaves
/// the colons.
#[must_use]
pub fn without_stream(path: &str) -> &str {
    const STREAM: &str = "::$data";
    let at = path.len().saturating_sub(STREAM.len());
    match path.split_at_checked(at) {
        Some((file, stream)) if stream.eq_ignore_ascii_case(STREAM) && !file.is_empty() => file,
        _ => path.strip_suffix("::").filter(|file| !file.is_empty()).unwrap_or(path),
    }
}

/// Returns whether the path is a Windows disk or volume: `//./PhysicalDrive0`, `\\.\C:`.
#[must_use]
pub fn is_disk_of_windows(path: &str) -> bool {
    let slashed = path.replace('\\', "/");
    let Some(name) = ["//./", "//?/"].iter().find_map(|prefix| slashed.strip_prefix(prefix)) else { return false };
    let name = name.to_ascii_lowercase();
    let is_numbered =
        |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_volume = name.starts_with("volume{") && !name.trim_end_matches('/').contains('/') && !name.ends_with('/');
    is_volume
        || drive(&name) == Some("") && !name.ends_with('/')
        || ["physicaldrive", "harddiskvolume", "harddisk", "cdrom"].iter().any(|start| is_numbered(start))
}

/// The part of a drive that a folder covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrivePlace {
    /// The whole drive.
    Root,
    /// A system folder, or the folder of all homes.
    System,
    /// A user's home.
    Home,
    /// Any other folder.
    Inside,
}

/// Returns the part of its drive that an absolute path covers, without trailing patterns. `None` if it isn't on a
/// Windows drive.
///
/// Drives are recognized in the form of [`of_windows`], as shares of another machine, and as in the shells of WSL,
/// Cygwin and Git. Git's shell mounts them as a letter below the root, where Linux may have a folder, so there only
/// Windows's own folders are recognized.
#[must_use]
pub fn drive_place(path: &str) -> Option<DrivePlace> {
    let rest = path.strip_prefix('/')?;
    if let Some(below) = drive(rest) {
        return Some(classify_below(below));
    }
    if let Some(share) = rest.strip_prefix("UNC/") {
        let (letter, below) = share.split_once('/')?.1.split_at_checked(2)?;
        let is_drive = letter.ends_with('$') && (below.is_empty() || below.starts_with('/'));
        return is_drive.then(|| classify_below(below));
    }
    let mounted = ["mnt/", "cygdrive/"].iter().find_map(|folder| rest.strip_prefix(folder));
    let (letter, below) = mounted.unwrap_or(rest).split_at_checked(1)?;
    if !letter.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    let place = (below.is_empty() || below.starts_with('/')).then(|| classify_below(below))?;
    let is_known = mounted.is_some() || matches!(place, DrivePlace::System | DrivePlace::Home);
    is_known.then_some(place)
}

/// Names are compared without case.
fn classify_below(below: &str) -> DrivePlace {
    const SYSTEM: [&str; 8] = [
        "program files",
        "program files (x86)",
        "programdata",
        "system volume information",
        "users",
        "windows",
        "windows/system32",
        "windows/syswow64",
    ];
    let below = below.trim_matches('/').to_ascii_lowercase();
    let is_home = |user: &str| !user.is_empty() && !user.contains('/');
    match below.as_str() {
        "" => DrivePlace::Root,
        folder if SYSTEM.contains(&folder) => DrivePlace::System,
        folder if folder.strip_prefix("users/").is_some_and(is_home) => DrivePlace::Home,
        _ => DrivePlace::Inside,
    }
}

/// Returns whether the name is that of a device in every Windows folder: `NUL`, `con.txt`, `COM1`.
#[must_use]
pub fn is_device_of_windows(name: &str) -> bool {
    const NAMES: [&str; 6] = ["nul", "con", "prn", "aux", "conin$", "conout$"];
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    let is_port = || {
        let (start, number) = stem.split_at_checked(3)?;
        let is_kind = ["com", "lpt"].iter().any(|kind| kind.eq_ignore_ascii_case(start));
        Some(is_kind && matches!(number, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
    };
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(stem)) || is_port() == Some(true)
}

/// Converts the form of [`of_windows`] to a path for Windows. Other paths are unchanged.
#[must_use]
pub fn native_of_windows(path: &str) -> Cow<'_, str> {
    let rest = path.strip_prefix('/').unwrap_or_default();
    if let Some(below) = drive(rest) {
        let root = if below.is_empty() { "\\" } else { "" };
        return Cow::Owned(format!("{}{root}", rest.trim_end_matches('/').replace('/', "\\")));
    }
    match rest.strip_prefix(SHARES).and_then(|rest| rest.strip_prefix('/')) {
        Some(share) if !share.is_empty() => Cow::Owned(format!("\\\\{}", share.replace('/', "\\"))),
        _ => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_form() {
        for spelling in [
            "C:\\Users\\u\\.env",
            "c:/Users/u/.env",
            "C:\\Users\\\\u/.env",
            "\\\\?\\C:\\Users\\u\\.env",
            "\\\\.\\C:\\Users\\u\\.env",
            "//?/c:/Users/u/.env",
            "\\??\\C:\\Users\\u\\.env",
            "C:\\Users\\u\\.env::$DATA",
            "C:\\Users\\u\\.env.",
            "C:\\Users\\u\\.env. .",
            "C:\\Users.\\u \\.env ",
            "\\\\localhost\\C$\\Users\\u\\.env",
            "\\\\127.0.0.1\\c$\\Users\\u\\.env",
            "\\\\?\\UNC\\localhost\\C$\\Users\\u\\.env",
        ] {
            assert_eq!(of_windows(spelling).as_deref(), Some("/C:/Users/u/.env"), "{spelling}");
        }
        for (path, form) in [
            ("C:", "/C:"),
            ("c:\\", "/C:"),
            ("\\\\server\\share", "/UNC/server/share"),
            ("\\\\server\\share\\a.\\b:s", "/UNC/server/share/a/b"),
            ("\\\\?\\unc\\server\\C$\\a", "/UNC/server/C$/a"),
            ("C:\\a\\..\\.\\b", "/C:/a/.././b"),
            ("c:/a/", "/C:/a/"),
        ] {
            assert_eq!(of_windows(path).as_deref(), Some(form), "{path}");
        }
    }

    #[test]
    fn other_paths_have_no_form() {
        for path in [
            "",
            "/",
            "//",
            "/etc",
            "a\\b",
            "C:a",
            "ü:\\a",
            "\\a",
            "///a/b",
            "\\\\server",
            "\\\\.\\PhysicalDrive0",
            "\\\\.\\C:",
        ] {
            assert_eq!(of_windows(path), None, "{path}");
        }
    }

    #[test]
    fn the_usual_stream_is_the_file() {
        for path in [".env::$DATA", ".env::$data", ".env::"] {
            assert_eq!(without_stream(path), ".env", "{path}");
        }
        for path in ["", "::", "::$DATA", ".env", "a:b", "user@host::module", "é::$DAT"] {
            assert_eq!(without_stream(path), path, "{path}");
        }
    }

    #[test]
    fn disks_are_told_from_files_on_them() {
        for path in ["//./PhysicalDrive0", "\\\\.\\C:", "\\\\?\\Volume{1-2}", "//?/HarddiskVolume3", "\\\\.\\cdrom0"] {
            assert!(is_disk_of_windows(path), "{path}");
        }
        for path in ["C:", "\\\\?\\C:\\", "\\\\?\\C:\\x", "//./pipe/x", "/PhysicalDrive0", "\\\\?\\Volume{1-2}\\x", ""]
        {
            assert!(!is_disk_of_windows(path), "{path}");
        }
    }

    #[test]
    fn devices_are_known_in_any_case_and_with_any_end() {
        for name in ["NUL", "nul", "Con.txt", "COM1", "lpt9.log", "nul:", "aux .x", "CONIN$"] {
            assert!(is_device_of_windows(name), "{name}");
        }
        for name in ["null", "console", "COM", "COM0", "com10", "lptx", "a.nul", ""] {
            assert!(!is_device_of_windows(name), "{name}");
        }
    }

    #[test]
    fn the_system_gets_its_own_form_back() {
        for (path, native) in [
            ("/C:/Users/u", "C:\\Users\\u"),
            ("/C:", "C:\\"),
            ("/C:/", "C:\\"),
            ("/UNC/server/share/a", "\\\\server\\share\\a"),
            ("/etc/x", "/etc/x"),
            ("/UNC", "/UNC"),
            ("a/b", "a/b"),
            ("", ""),
        ] {
            assert_eq!(native_of_windows(path), native, "{path}");
        }
    }
}
