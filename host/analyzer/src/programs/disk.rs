//! Programs that format or partition disks, whose options differ too much for a table.
//!
//! Programs that wipe disks are in `programs/disks.toml`, and those for volumes in `programs/volumes.toml`.

use guard_sdk::syntax::Word;

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(
        &["mkfs", "mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkexfatfs", "newfs"],
        Options::new("tLUbimNIEOJTgGrMCFSRfnsv", "type label uuid"),
        make,
    ),
    Program::new(&["fdisk", "cfdisk", "gdisk", "cgdisk", "sgdisk", "sfdisk"], Options::new("bCHSotn", ""), partition),
    Program::new(&["parted"], Options::new("a", "align"), parted),
];

fn format(run: &mut Run<'_>, device: &Operand<'_>) {
    let by = run.name.clone();
    // A file system image is an ordinary file. An expansion may be a device.
    if !device.dynamic && !device.word.glob && !run.names_a_device(device) {
        return run.write(device);
    }
    run.emit_on(Draft::catastrophic("device", "device.format").tag("by", &by), device);
}

fn only_asks(parsed: &Parsed<'_>) -> bool {
    parsed.is("hV", "help") || parsed.is("", "version")
}

/// Returns the device: the operand below `/dev`, or else the first operand. A size may follow it.
fn device<'a>(run: &Run<'a>, parsed: &Parsed<'a>) -> Option<Operand<'a>> {
    // The options with a value differ by program, so the value of any option that looks like a device counts.
    let named = run.arguments().iter().find(|word| word.text.contains("/dev/")).map(Operand::of);
    named.or_else(|| parsed.operands.first().cloned())
}

/// Returns whether an option makes this a dry run. The letters differ by program, and in some of them the same letter
/// takes a value.
fn rehearses(run: &Run<'_>) -> bool {
    let names: &[&str] = match run.name.as_str() {
        "mke2fs" | "mkfs.ext2" | "mkfs.ext3" | "mkfs.ext4" => &["-n"],
        "mkfs.xfs" => &["-N"],
        "sfdisk" => &["-n", "--no-act"],
        "sgdisk" => &["-P", "--pretend"],
        _ => &[],
    };
    run.arguments().iter().any(|word| names.contains(&word.text.as_str()))
}

fn make<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if rehearses(run) {
        return;
    }
    if let Some(device) = device(run, parsed).filter(|_| !parsed.is("V", "version") && !parsed.is("", "help")) {
        format(run, &device);
    }
}

fn partition<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let asks = match run.name.as_str() {
        "gdisk" | "cgdisk" => parsed.is("l", ""),
        "sgdisk" => parsed.is("pivEFfDLP", "") && !parsed.has("Zzodn", "zap-all") && !parsed.has("", "clear"),
        _ => parsed.is("lsdxVFJ", "list") || parsed.is("", "dump") || parsed.is("", "verify"),
    };
    let is_backup = |words: &[Word]| match words {
        [option, _, _] => matches!(option.text.as_str(), "-b" | "--backup"),
        [option, _] => option.text.starts_with("--backup="),
        _ => false,
    };
    let saves = run.name == "sgdisk" && is_backup(run.arguments());
    let asks = asks || saves || rehearses(run) || only_asks(parsed) || parsed.is("", "print");
    if let Some(device) = device(run, parsed).filter(|_| !asks) {
        format(run, &device);
    }
}

fn parted<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let reads = parsed.is("l", "list") || only_asks(parsed);
    let prints = parsed.operands.len() > 1
        && parsed.from(1).iter().all(|word| {
            matches!(
                word.text.as_ref(),
                "print" | "p" | "free" | "unit" | "s" | "B" | "MiB" | "GiB" | "GB" | "MB" | "all"
            )
        });
    if !reads && !prints {
        parsed.operands.iter().take(1).for_each(|device| format(run, device));
    }
}
