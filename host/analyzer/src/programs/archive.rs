//! Archives and compression: compressed files are read, and extracted ones are written below a directory.

mod clouds;
mod releases;

use guard_sdk::syntax::Word;

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::path::{self, Device};
use crate::run::{Run, here};

pub(super) const TABLE: &[Program] = &[
    Program::new(&["tar", "gtar", "bsdtar"], TAR, tar),
    Program::new(&["unzip"], Options::new("dPx", ""), unzip),
    Program::new(&["zip"], Options::new("bnPtix", "password"), zip),
    Program::new(&["7z", "7za", "7zr", "7zz", "rar", "unrar"], Options::NONE.with_attached("o"), seven),
    Program::new(
        &["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "compress", "uncompress"],
        Options::new("So", "suffix"),
        compress,
    ),
    Program::new(&["rclone"], Options::new("", "config filter include exclude transfers"), clouds::rclone),
    Program::new(&["dump", "xfsdump"], Options::new("BDFILQTbdefhs", ""), dump),
    Program::new(&["cpio"], Options::new("FOEHDICRM", "file directory"), cpio),
];

const TAR: Options = Options::new(
    "fCTXbgKNVI",
    "file directory files-from exclude-from exclude transform strip-components use-compress-program owner \
     group mode info-script new-volume-script to-command checkpoint-action \
     listed-incremental",
);

/// Adds the reads of an archive's files that are printed.
fn shown(run: &mut Run<'_>, members: &[Operand<'_>]) {
    for member in members {
        run.read_as(member, Draft::routine("read", "fs.read").flag("revision", true));
    }
}

/// Adds the write of files below `folder`. Only the archive determines which files.
fn unpack(run: &mut Run<'_>, folder: Option<&Operand<'_>>, is_whole: bool) {
    let by = run.name.clone();
    let replaces = is_whole && replaces(run);
    let draft = Draft::notable("write", "fs.write").flag("archive", true).flag("replaces", replaces).tag("by", &by);
    let draft = draft.flag("own-folder", is_whole && releases::has_folder(run));
    match folder {
        Some(folder) => run.write_as(folder, draft),
        None => run.write_as(&Operand::of(&here()), draft),
    }
}

/// Returns whether an option replaces files of the same names without a prompt.
fn replaces(run: &Run<'_>) -> bool {
    let mut words = run.arguments().iter().map(|word| word.text.as_str()).filter(|word| word.starts_with('-'));
    match run.name.as_str() {
        "unzip" => words.any(|word| !word.starts_with("--") && !word.starts_with("-d") && word.contains('o')),
        "tar" | "gtar" | "bsdtar" => {
            words.any(|word| matches!(word, "--overwrite" | "--recursive-unlink" | "--unlink-first"))
        }
        "7z" | "7za" | "7zr" | "7zz" => words.any(|word| matches!(word, "-y" | "-aoa")),
        "rar" | "unrar" => words.any(|word| matches!(word, "-y" | "-o+")),
        _ => false,
    }
}

/// Adds the writes of an archive's named files and folders below `folder`, or of all its content if none is named.
fn unpack_named(run: &mut Run<'_>, folder: Option<&Operand<'_>>, members: &[Operand<'_>]) {
    // The program's patterns can match across folders, so nothing is known after the name in which one starts.
    let fixed = |member: &Operand<'_>| {
        let plain = member.text.split(['*', '?', '[']).next().unwrap_or_default();
        let end = if plain.len() == member.text.len() { plain.len() } else { plain.rfind('/').unwrap_or(0) };
        plain.get(..end).unwrap_or_default().to_owned()
    };
    if members.is_empty() || members.iter().any(|member| member.dynamic || fixed(member).is_empty()) {
        return unpack(run, folder, true);
    }
    for member in members {
        let text = fixed(member);
        let text = match folder {
            Some(folder) => format!("{}/{}", folder.text.trim_end_matches('/'), text.trim_start_matches('/')),
            None => text,
        };
        unpack(run, Some(&folder.unwrap_or(member).renamed(text)), false);
    }
}

/// Adds the write of files at paths that the archive determines, which may be anywhere.
fn unpack_anywhere(run: &mut Run<'_>) {
    let here = here();
    let root = Operand::of(&here).renamed("/".to_owned());
    let by = run.name.clone();
    let draft = Draft::notable("write", "fs.write").flag("archive", true).tag("by", &by);
    run.write_as(&root, draft.certain(false));
}

/// Adds the write of a file system's dump. The device isn't changed.
fn dump<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.value("f", "file") {
        Some(remote) if remote.text.contains(':') => {
            run.emit(Draft::notable("network", "network.upload").target(&remote.text));
        }
        file => file.iter().filter(|file| file.text != "-").for_each(|file| run.write(file)),
    }
}

fn tar<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for action in parsed.values("", "checkpoint-action") {
        if let Some(program) = action.text.strip_prefix("exec=") {
            run.starts_helper(program);
        }
    }
    // The old syntax: the first word is a cluster without a dash, and the next words are its values.
    let bundle = run.arguments().first().filter(|word| !word.text.starts_with('-') && is_bundle(word));
    let (letters, file, folder, rest) = match bundle {
        Some(word) => old_style(parsed, word),
        None => (String::new(), parsed.value("f", "file"), parsed.value("C", "directory"), parsed.operands.clone()),
    };
    let mode = |letter: &str, long: &str| letters.contains(letter) || parsed.has(letter, long);
    if mode("x", "extract") || parsed.has("", "get") {
        file.iter().for_each(|file| run.read(file));
        if mode("O", "to-stdout") {
            shown(run, &rest);
        } else {
            let folder = parsed.value("", "one-top-level").or_else(|| folder.clone());
            // Then the written names differ from those in the archive.
            let renames = parsed.has("", "transform") || parsed.has("", "strip-components") || parsed.has("s", "");
            unpack_named(run, folder.as_ref(), if renames { &[] } else { &rest });
            if parsed.is("P", "absolute-names") || letters.contains('P') {
                unpack_anywhere(run);
            }
        }
    } else if mode("t", "list") {
        file.iter().for_each(|file| run.read(file));
    } else if parsed.has("", "delete") || mode("A", "concatenate") {
        file.iter().for_each(|file| run.write(file));
    } else if mode("c", "create") || mode("r", "append") || mode("u", "update") {
        match file.iter().find(|file| file.text.contains(':') && !parsed.is("", "force-local")) {
            Some(remote) => run.emit(Draft::notable("network", "network.upload").target(&remote.text)),
            None => file.iter().for_each(|file| run.write(file)),
        }
        let lost = parsed.has("", "remove-files");
        let nowhere = file.as_ref().is_some_and(|file| path::device(&file.text) == Some(Device::Stream));
        parsed.values("g", "listed-incremental").for_each(|file| run.write(&file));
        for list in ["files-from", "exclude-from"] {
            parsed.values("", list).for_each(|file| run.read(&file));
        }
        parsed.values("TX", "").for_each(|file| run.read(&file));
        if let Some(folder) = &folder {
            run.enter(folder);
        }
        for source in &rest {
            run.read(source);
            if lost {
                run.delete_tree(source, nowhere, "tar");
            }
        }
    }
}

fn is_bundle(word: &Word) -> bool {
    !word.text.is_empty() && word.text.len() < 16 && word.text.bytes().all(|b| b.is_ascii_alphabetic())
}

type Tar<'a> = (String, Option<Operand<'a>>, Option<Operand<'a>>, Vec<Operand<'a>>);

fn old_style<'a>(parsed: &Parsed<'a>, bundle: &Word) -> Tar<'a> {
    let mut values = parsed.from(1).iter().cloned();
    let mut file = None;
    let mut folder = parsed.value("C", "directory");
    for letter in bundle.text.chars() {
        match letter {
            'f' => file = values.next(),
            'C' => folder = values.next(),
            'b' | 'T' | 'X' | 'I' | 'F' => drop(values.next()),
            _ => {}
        }
    }
    (bundle.text.clone(), file, folder, values.collect())
}

fn unzip<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|file| run.read(file));
    let members = parsed.from(1);
    if parsed.is("pc", "") {
        shown(run, members);
    } else if !parsed.is("lvtzZ", "") {
        // `-j` removes the folders of members.
        unpack_named(run, parsed.value("d", "").as_ref(), if parsed.is("j", "") { &[] } else { members });
        // Members may have `..` in their paths.
        if parsed.is(":", "") {
            unpack_anywhere(run);
        }
    }
}

fn zip<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((archive, sources)) = parsed.operands.split_first() else { return };
    run.write(archive);
    for source in sources {
        run.read(source);
        let takes_folders = parsed.has("rR", "recurse-paths");
        match parsed.has("m", "move") {
            true if takes_folders => run.delete_tree(source, false, "zip"),
            true => run.delete(source, false),
            false => {}
        }
    }
}

fn seven<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.text(0) {
        "x" | "e" => {
            let (file, mut members) = (parsed.from(1).first(), parsed.from(2));
            file.iter().for_each(|file| run.read(file));
            if run.arguments().iter().any(|word| word.text == "-so") {
                return shown(run, members);
            }
            // The folder follows `-o` without a separator. `-aoa` and `-o+` set what happens to existing files.
            let given = run.arguments().iter().find_map(|word| Some((word, word.text.strip_prefix("-o")?)));
            let given = given.filter(|(_, folder)| !matches!(*folder, "" | "+" | "-"));
            let mut folder = given.map(|(word, folder)| Operand::tail(word, folder));
            // `unrar x FILE MEMBERS FOLDER/`
            if let Some((last, others)) = members.split_last().filter(|(last, _)| last.text.ends_with('/')) {
                (folder, members) = (Some(last.clone()), others);
            }
            unpack_named(run, folder.as_ref(), if parsed.text(0) == "e" { &[] } else { members });
        }
        // Members are deleted or renamed in the archive.
        "d" | "rn" => parsed.from(1).iter().take(1).for_each(|file| run.write(file)),
        mode @ ("a" | "u" | "m" | "mf") => {
            parsed.from(1).iter().take(1).for_each(|file| run.write(file));
            let lost = mode.starts_with('m') || run.arguments().iter().any(|word| word.text == "-sdel");
            let by = run.name.clone();
            for source in parsed.from(2) {
                run.read(source);
                if lost {
                    run.delete_tree(source, false, &by);
                }
            }
        }
        _ => {}
    }
}

/// Adds the effects of replacing a file by the compressed one, or the other way around.
fn compress<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let keeps = parsed.has("kctl", "keep") || parsed.is("", "stdout") || parsed.is("", "test");
    let keeps = keeps || run.name.contains("zstd") && !parsed.is("", "rm");
    let (long, suffix) = match run.name.as_str() {
        "gzip" | "gunzip" => ("gunzip", ".gz"),
        "bzip2" | "bunzip2" => ("bunzip2", ".bz2"),
        "xz" | "unxz" => ("unxz", ".xz"),
        "zstd" | "unzstd" => ("unzstd", ".zst"),
        "lz4" => ("", ".lz4"),
        _ => ("uncompress", ".Z"),
    };
    let unpacks = run.name == long || parsed.has("d", "decompress");
    let prints = parsed.has("c", "stdout") || parsed.has("t", "test") || parsed.has("l", "list");
    for file in &parsed.operands {
        run.read(file);
        if prints {
            continue;
        }
        let other = if unpacks {
            file.text.strip_suffix(suffix).unwrap_or(&file.text).to_owned()
        } else {
            format!("{}{suffix}", file.text)
        };
        run.write(&file.renamed(other));
        if !keeps {
            run.delete(file, false);
        }
    }
    parsed.values("o", "").for_each(|file| run.write(&file));
}

fn cpio<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("i", "extract") {
        if parsed.has("t", "list") {
            return;
        }
        unpack_named(run, parsed.value("D", "directory").as_ref(), &parsed.operands);
    } else {
        parsed.values("FO", "file").for_each(|file| run.write(&file));
    }
}
