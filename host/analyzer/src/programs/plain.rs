//! Known programs and builtins without effects: they print, query, wait, or only change the shell that runs them.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::run::Run;
use crate::run::path::{Device, device};

/// Sorted for a binary search. A test checks the order.
const NAMES: &[&str] = &[
    ":",
    "[",
    "[[",
    "alias",
    "apropos",
    "arch",
    "basename",
    "bc",
    "bg",
    "bind",
    "break",
    "builtin",
    "cal",
    "caller",
    "case",
    "cd",
    "clear",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "dc",
    "declare",
    "df",
    "dig",
    "dirname",
    "dirs",
    "disown",
    "du",
    "echo",
    "enable",
    "eval",
    "exa",
    "exec",
    "exit",
    "export",
    "expr",
    "eza",
    "factor",
    "false",
    "fc",
    "fd",
    "fdfind",
    "fg",
    "figlet",
    "file",
    "free",
    "getconf",
    "getopts",
    "groups",
    "hash",
    "help",
    "history",
    "host",
    "hostname",
    "id",
    "ifne",
    "info",
    "iostat",
    "jobs",
    "last",
    "lastlog",
    "let",
    "local",
    "locale",
    "locate",
    "logname",
    "logout",
    "ls",
    "lsattr",
    "lsb_release",
    "lsblk",
    "lscpu",
    "lsd",
    "lsmod",
    "lsof",
    "lspci",
    "lsusb",
    "man",
    "mapfile",
    "mdfind",
    "mlocate",
    "netstat",
    "nproc",
    "nslookup",
    "numfmt",
    "pathchk",
    "pgrep",
    "ping",
    "ping6",
    "plocate",
    "popd",
    "printf",
    "ps",
    "pstree",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readlink",
    "readonly",
    "realpath",
    "return",
    "select",
    "seq",
    "set",
    "shift",
    "shopt",
    "sleep",
    "ss",
    "stat",
    "suspend",
    "sw_vers",
    "test",
    "tldr",
    "top",
    "traceroute",
    "tree",
    "true",
    "tsort",
    "tty",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "uname",
    "unset",
    "uptime",
    "usleep",
    "vmstat",
    "wait",
    "whatis",
    "whereis",
    "which",
    "who",
    "whoami",
    "yes",
];

pub(super) fn is_plain(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// Adds the effect `execute.unknown` of an unknown program, and the effects that its words suggest.
pub(super) fn note_unknown(run: &mut Run<'_>) {
    let name = run.command.program();
    if !is_plain(&run.name) && !run.is_function() {
        let draft = Draft::routine("execute", "execute.unknown").target(name);
        let draft = run.mounted_operands().iter().fold(draft, |draft, path| draft.tag("given", path));
        run.emit(draft);
        devices(run);
        super::outward_verbs::find(run);
        super::opened_access::find(run);
        super::unknown_losses::find(run);
    }
}

/// Programs that only inspect, attach or detach a device.
const LOOKING: &[&str] = &[
    "blkid",
    "blockdev",
    "cgdisk",
    "dislocker",
    "dumpe2fs",
    "e2image",
    "e4defrag",
    "extundelete",
    "fls",
    "handbrakecli",
    "hd-idle",
    "linux-boot-prober",
    "photorec",
    "pvck",
    "e2label",
    "eject",
    "f3read",
    "findfs",
    "hdsentinel",
    "ioping",
    "iotop",
    "isoinfo",
    "kpartx",
    "losetup",
    "lsblk",
    "mdevctl",
    "mount",
    "ntfsinfo",
    "partprobe",
    "partx",
    "sdparm",
    "sg_inq",
    "sg_readcap",
    "sg_scan",
    "smartctl",
    "udevadm",
    "udisksctl",
    "umount",
    "vgimport",
    "xfs_info",
    "zramctl",
];

/// Adds the write of a storage device in the words of a program without a description, because a write is the most
/// likely effect.
fn devices(run: &mut Run<'_>) {
    let named = |word: &&Word| {
        let value = word.text.rsplit('=').next().unwrap_or_default();
        device(value) == Some(Device::Storage)
    };
    let read = |text: &str| text.starts_with("if=") || text == "--help";
    let words = run.arguments();
    let tells = ["mount", "probe", "display", "scan", "dump", "stat"].iter().any(|part| run.name.contains(part));
    if tells || LOOKING.contains(&run.name.as_str()) || words.iter().any(|word| read(&word.text) && device_of(word)) {
        return;
    }
    if let Some(word) = words.iter().find(named) {
        let target = word.text.rsplit('=').next().unwrap_or_default().to_owned();
        run.emit(Draft::destructive("device", "device.unknown").target(&target).certain(false));
    }
}

/// Returns whether the word names a device that is only read.
fn device_of(word: &Word) -> bool {
    let file = word.text.strip_prefix("if=").unwrap_or_default();
    word.text == "--help" || device(file) == Some(Device::Storage)
}

/// Programs whose words are a text, a pattern, or the name of a test.
const OF_TEXT: &[&str] = &[
    "ava",
    "behave",
    "cheat",
    "cowsay",
    "ctest",
    "cucumber",
    "cypress",
    "ddgr",
    "dict",
    "eg",
    "espeak",
    "fzy",
    "googler",
    "howdoi",
    "jest",
    "karma",
    "kdialog",
    "lolcat",
    "look",
    "mocha",
    "navi",
    "notify-send",
    "osqueryi",
    "pest",
    "phpunit",
    "playwright",
    "pytest",
    "rspec",
    "say",
    "sk",
    "spd-say",
    "tap",
    "task",
    "td",
    "timew",
    "todo",
    "todo.sh",
    "toilet",
    "trans",
    "vitest",
    "wn",
    "wtr",
    "zenity",
];

/// Returns whether the program's words may be any text, or the name of a target in a file.
pub(super) fn takes_text(name: &str) -> bool {
    OF_TEXT.contains(&name) || super::named_tasks::RUNNERS.contains(&name)
}

/// Options with which a program does nothing.
pub(super) const REHEARSES: &[&str] = &["--dry-run", "--dryrun", "--help", "-h", "--check"];

/// Returns whether the program is started by a path outside of the folders in which the system and package managers
/// install programs.
pub(super) fn is_of_project(run: &Run<'_>) -> bool {
    const INSTALLED: &[&str] = &["/bin/", "/opt/", "/usr/", "node_modules/.bin/", "./node_modules/.bin/"];
    let path = run.command.word(0);
    path.contains('/') && !INSTALLED.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_names_are_sorted_and_stand_in_no_table() {
        assert!(NAMES.is_sorted());
        let elsewhere =
            |name: &&&str| super::super::lookup(name).is_some() || super::super::table::entry(name).is_some();
        assert_eq!(NAMES.iter().filter(elsewhere).collect::<Vec<_>>(), [&""; 0]);
    }
}
