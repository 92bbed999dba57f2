//! Programs that format, partition or wipe disks.

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(
        &["mkfs", "mke2fs", "mkswap", "mkdosfs", "mkntfs", "mkexfatfs", "newfs"],
        Options::new("tLUbimNIEOJTgGrMCFSRfnsv", &["type", "label", "uuid"]),
        make,
    ),
    Program::new(&["wipefs"], Options::new("ot", &["offset", "types"]), wipefs),
    Program::new(&["blkdiscard"], Options::new("olp", &["offset", "length", "step"]), last),
    Program::new(&["fdisk", "cfdisk", "sgdisk", "sfdisk"], Options::new("bCHSotn", &[]), partition),
    Program::new(&["gdisk", "cgdisk"], Options::NONE, partition),
    Program::new(&["parted"], Options::new("a", &["align"]), parted),
    Program::new(&["badblocks"], Options::new("bcodept", &[]), badblocks),
    Program::new(&["hdparm"], Options::new("", &["user-master", "security-erase"]), hdparm),
    Program::new(&["nvme"], Options::new("nlsp", &["namespace-id", "lbaf", "ses"]), nvme),
    Program::new(&["diskutil"], Options::NONE, diskutil),
    Program::new(&["pvcreate", "pvremove", "vgremove", "lvremove", "lvreduce"], VOLUME, last),
];

const VOLUME: Options = Options::new("Lls", &["size", "extents"]);

fn format(run: &mut Run<'_>, device: &Operand<'_>) {
    let by = run.name.clone();
    run.emit_on(Draft::catastrophic("device", "device.format").tag("by", &by), device);
}

fn only_asks(parsed: &Parsed<'_>) -> bool {
    parsed.is("hV", "help") || parsed.is("", "version")
}

/// The device is the operand below `/dev`, else the first one; a size may follow it.
fn make<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // Which options take a value differs by file system, so one whose value looks like a device gives it back.
    let named = run.arguments().iter().find(|word| word.text.contains("/dev/")).map(Operand::of);
    let device = named.or_else(|| parsed.operands.first().cloned());
    if let Some(device) = device.filter(|_| !parsed.is("V", "version") && !parsed.is("", "help")) {
        format(run, &device);
    }
}

fn last<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !only_asks(parsed) {
        parsed.operands.iter().for_each(|device| format(run, device));
    }
}

fn wipefs<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let wipes = parsed.has("a", "all") || parsed.has("o", "offset");
    if wipes && !parsed.is("n", "no-act") {
        parsed.operands.iter().for_each(|device| format(run, device));
    }
}

fn partition<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let asks = match run.name.as_str() {
        "gdisk" | "cgdisk" => parsed.is("l", ""),
        "sgdisk" => parsed.is("pivEFfDLP", "") && !parsed.has("Zzodn", "zap-all") && !parsed.has("", "clear"),
        _ => parsed.is("lsdxVFJ", "list") || parsed.is("", "dump") || parsed.is("", "verify"),
    };
    if !asks && !only_asks(parsed) && !parsed.is("", "print") {
        parsed.operands.iter().take(1).for_each(|device| format(run, device));
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

fn badblocks<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("w", "") {
        parsed.operands.iter().take(1).for_each(|device| format(run, device));
    }
}

fn hdparm<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("", "security-erase") || parsed.has("", "security-erase-enhanced") {
        parsed.operands.iter().for_each(|device| format(run, device));
    }
}

fn nvme<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if matches!(parsed.text(0), "format" | "sanitize" | "write-zeroes") {
        parsed.from(1).iter().take(1).for_each(|device| format(run, device));
    }
}

fn diskutil<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let verb = parsed.text(0).to_ascii_lowercase();
    let erases =
        verb.starts_with("erase") || matches!(verb.as_str(), "partitiondisk" | "zerodisk" | "secureerase" | "reformat");
    let erases = erases || (verb == "apfs" && parsed.text(1).to_ascii_lowercase().starts_with("delete"));
    if let Some(device) = parsed.operands.last().filter(|_| erases) {
        format(run, device);
    }
}
