//! Patterns in place of a command's name: any matching program may run.
//!
//! The pattern itself is also listed, because not all programs are known. The known matching programs follow it in the
//! list as uncertain: those that would lose something, and a few others.

use guard_sdk::syntax::{Via, Word};

use super::Walker;
use crate::programs;
use crate::word::expand::{literal, parameter};
use crate::wrappers::layer::{Layer, Place, Run, Runnable, program};

/// Programs that aren't in a table under these names: those that run others, and other spellings of known ones.
const MORE: &[&str] = &[
    "sudo",
    "doas",
    "su",
    "env",
    "xargs",
    "eval",
    "exec",
    "command",
    "nohup",
    "time",
    "busybox",
    "python3",
    "pip3",
    "mkfs.ext2",
    "mkfs.ext3",
    "mkfs.ext4",
    "mkfs.xfs",
    "mkfs.btrfs",
    "mkfs.vfat",
    "mkfs.fat",
    "mkfs.ntfs",
    "mkfs.f2fs",
    "mkfs.exfat",
    "newfs_apfs",
    "newfs_hfs",
    "newfs_msdos",
    "newfs_exfat",
];

/// The maximum number of examined matching programs.
const MOST: usize = 160;
/// The maximum number of listed programs, both of those that lose something and of others.
const LISTED: usize = 8;

impl Walker {
    /// Returns the programs that a command with a pattern as its name may run.
    pub(super) fn fitting(&mut self, argv: &[Word]) -> Option<Layer> {
        let (name, words) = argv.split_first().filter(|(name, _)| name.glob && !name.dynamic)?;
        let pattern = program(argv)?;
        let spells = pattern.contains(|char: char| char.is_ascii_alphanumeric());
        if !pattern.contains(['*', '?', '[']) || !spells || name.text.contains('{') {
            return None;
        }
        let folder = name.text.strip_suffix(pattern)?;
        let of_system = folder.is_empty() || folder.ends_with("bin/") || folder.contains(['*', '?', '[']);
        if !of_system {
            return None;
        }
        if self.budget.unknown_left == 0 {
            self.partial("too many names of commands are patterns");
            return None;
        }
        self.budget.unknown_left -= 1;
        self.partial("the name of a command is a pattern");
        let fits = |known: &&str| parameter::matches(pattern, known);
        let mut found: Vec<&str> = MORE.iter().copied().chain(programs::names()).filter(fits).collect();
        if found.len() > MOST {
            self.partial("too many programs fit the name of a command");
            found.truncate(MOST);
        }
        let run = |program: &str| {
            let first = literal(&format!("{folder}{program}"));
            let words = std::iter::once(first).chain(words.iter().cloned()).collect();
            Run {
                via: Via { kind: "unknown".to_owned(), detail: pattern.to_owned() },
                what: Runnable::Words { assignments: Vec::new(), words },
                place: Place::Apart,
                certain: false,
                mark: None,
            }
        };
        let (mut losing, mut others) = (Vec::new(), Vec::new());
        for program in found {
            let run = run(program);
            let to = if losing.len() < LISTED && self.loses(&run.what) { &mut losing } else { &mut others };
            if to.len() < LISTED {
                to.push(run);
            }
        }
        losing.append(&mut others);
        (!losing.is_empty()).then(|| Layer { outer: Some(argv.to_vec()), runs: losing })
    }
}
