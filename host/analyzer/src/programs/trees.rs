//! Programs that write a tree of files into a folder. Only the source determines which files.
//!
//! All programs share one table and one parser. Their other effects are defined elsewhere.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::{Run, here};

/// The syntax with which a program fills a folder.
struct TreeWriter {
    names: &'static [&'static str],
    /// Verbs that fill a folder, with their words separated by spaces. The operands must start with one of these.
    /// Empty: any call.
    verbs: &'static [&'static str],
    /// A letter and a long option of which one is required. Empty: no condition.
    with: (&'static str, &'static str),
    options: Options,
    folder: Folder,
    default_folder: DefaultFolder,
}

/// The position of the filled folder in the command line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folder {
    /// The operand with this index after the verb.
    At(usize),
    /// The last operand, if it is a path on this machine.
    Last,
    /// The last operand, unless it is `.`, `~` or the like. A file that is copied there keeps its name.
    Copy,
    /// The value of a letter or a long option.
    Value(&'static str, &'static str),
    /// The value that an operand assigns to one of these variables.
    Variable(&'static [&'static str]),
}

/// The folder if none is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DefaultFolder {
    Nowhere,
    Here,
    /// A folder named after the first operand.
    Source,
}

const NONE: TreeWriter = TreeWriter {
    names: &[],
    verbs: &[],
    with: ("", ""),
    options: Options::NONE,
    folder: Folder::Last,
    default_folder: DefaultFolder::Nowhere,
};

/// Clients of object stores, which copy in both directions.
const STORES: &[&str] = &["gsutil", "gcloud", "azcopy", "s3cmd", "s5cmd", "mc", "mcli", "ossutil", "b2"];

const TREE_WRITERS: &[TreeWriter] = &[
    TreeWriter {
        names: &["gh", "glab"],
        verbs: &["repo clone"],
        options: Options::new("ugp", "upstream-remote-name group paginate"),
        folder: Folder::At(1),
        default_folder: DefaultFolder::Source,
        ..NONE
    },
    TreeWriter {
        names: &["gh", "glab"],
        verbs: &["release download", "run download"],
        options: Options::new("DpnRA", "dir pattern name repo archive"),
        folder: Folder::Value("D", "dir"),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["svn", "hg", "jj", "bzr", "brz", "sl", "yadm", "vcsh", "dolt"],
        verbs: &["checkout", "co", "export", "clone", "git clone"],
        options: Options::new("rub", "revision rev depth username password branch colocate remote"),
        folder: Folder::At(1),
        default_folder: DefaultFolder::Source,
        ..NONE
    },
    TreeWriter {
        names: &["degit", "tiged", "giget", "gitpick"],
        options: Options::new("m", "mode"),
        folder: Folder::At(1),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["unar"],
        options: Options { single: true, ..Options::new("", "o output-directory e encoding p password k") },
        folder: Folder::Value("", "o"),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["unar"],
        with: ("", "output-directory"),
        options: Options { single: true, ..Options::new("", "o output-directory e encoding p password k") },
        folder: Folder::Value("", "output-directory"),
        ..NONE
    },
    TreeWriter {
        names: &["ar", "gar", "llvm-ar"],
        options: Options::new("", "output plugin target"),
        folder: Folder::Value("", "output"),
        ..NONE
    },
    TreeWriter {
        names: &["cabextract"],
        options: Options::new("dFe", "directory filter encoding"),
        folder: Folder::Value("d", "directory"),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["unsquashfs", "rdsquashfs"],
        options: Options { single: true, ..Options::new("", "d dest p processors ef e") },
        folder: Folder::Value("", "d"),
        ..NONE
    },
    TreeWriter { names: &["dpkg", "dpkg-deb"], with: ("xXR", "extract"), folder: Folder::At(1), ..NONE },
    TreeWriter { names: &["dpkg", "dpkg-deb"], with: ("", "vextract"), folder: Folder::At(1), ..NONE },
    TreeWriter {
        names: &["pax", "spax"],
        with: ("r", ""),
        options: Options::new("fosx", ""),
        folder: Folder::Last,
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["restic", "rustic", "kopia"],
        verbs: &["restore", "snapshot restore"],
        options: Options::new("tripeH", "target include exclude host path tag repo password-file"),
        folder: Folder::Value("t", "target"),
        ..NONE
    },
    TreeWriter {
        names: &["borg", "borgmatic"],
        verbs: &["extract"],
        options: Options::new("e", "exclude pattern patterns-from exclude-from strip-components repo archive"),
        folder: Folder::Value("", "destination"),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["ouch", "atool", "aunpack"],
        options: Options::new("dX", "dir extract-to"),
        folder: Folder::Value("dX", "dir"),
        ..NONE
    },
    TreeWriter {
        names: &["pip", "pip3", "uv", "pipx"],
        verbs: &["install", "pip install", "download", "wheel", "pip sync"],
        options: Options::new("trcdwei", "target requirement constraint dest wheel-dir prefix root editable index-url"),
        folder: Folder::Value("tdw", "target"),
        ..NONE
    },
    TreeWriter {
        names: &["make", "gmake", "bmake", "ninja"],
        verbs: &["install"],
        options: Options::new("fCjIo", "file directory jobs"),
        folder: Folder::Variable(&["DESTDIR", "PREFIX", "prefix", "INSTALL_ROOT"]),
        ..NONE
    },
    TreeWriter {
        names: &["cmake"],
        with: ("", "install"),
        options: Options::new("", "install prefix component config"),
        folder: Folder::Value("", "prefix"),
        ..NONE
    },
    TreeWriter {
        names: STORES,
        verbs: &["storage cp", "storage mv", "cp", "mv", "copy", "get"],
        with: ("rR", "recursive"),
        options: Options::new("", "include exclude profile region project account"),
        ..NONE
    },
    TreeWriter {
        names: STORES,
        verbs: &["storage rsync", "rsync", "sync", "mirror"],
        options: Options::new("", "include exclude profile region project account"),
        ..NONE
    },
    TreeWriter {
        names: STORES,
        verbs: &["storage cp", "storage mv", "cp", "mv", "copy", "get"],
        options: Options::new("", "include exclude profile region project account"),
        folder: Folder::Copy,
        ..NONE
    },
    TreeWriter {
        names: &["kubectl", "oc", "lxc", "incus"],
        verbs: &["cp", "rsync", "file pull"],
        options: Options::new("cn", "container namespace context kubeconfig"),
        ..NONE
    },
    TreeWriter {
        names: &["kubectl", "oc"],
        verbs: &["cluster-info dump"],
        options: Options::new("n", "output-directory namespace"),
        folder: Folder::Value("", "output-directory"),
        ..NONE
    },
    TreeWriter {
        names: &["oras", "helm", "cosign", "skopeo"],
        verbs: &["pull", "copy"],
        options: Options::new("od", "output destination untardir version"),
        folder: Folder::Value("od", "output"),
        ..NONE
    },
    TreeWriter { names: &["sftp"], options: Options::new("BbcDFiJloPRSsX", ""), folder: Folder::At(1), ..NONE },
    TreeWriter {
        names: &["wget", "wget2"],
        with: ("rm", "recursive"),
        options: Options::new("nOPoaeitTwQUBDlARX", "directory-prefix output-document"),
        folder: Folder::Value("P", "directory-prefix"),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["wget", "wget2"],
        with: ("", "mirror"),
        options: Options::new("nOPoaeitTwQUBDlARX", "directory-prefix output-document"),
        folder: Folder::Value("P", "directory-prefix"),
        default_folder: DefaultFolder::Here,
        ..NONE
    },
    TreeWriter {
        names: &["stow", "xstow"],
        options: Options::new("td", "target dir ignore defer override"),
        folder: Folder::Value("t", "target"),
        ..NONE
    },
];

/// Options of any program that set its output folder.
const OUTPUTS: &[&str] = &[
    "outdir",
    "out-dir",
    "output-dir",
    "output-directory",
    "destdir",
    "dest-dir",
    "install-dir",
    "extract-to",
    "extract-dir",
    "pack-destination",
    "untardir",
    "directory-prefix",
    "one-top-level",
    "artifact-dir",
];

/// The maximum number of words that are examined in a command.
const WORDS: usize = 256;

/// Adds a write for each folder that the command fills.
pub(super) fn find(run: &mut Run<'_>) {
    let name = run.name.clone();
    for filler in TREE_WRITERS.iter().filter(|filler| filler.names.contains(&name.as_str())) {
        let parsed = run.parse(run.arguments(), filler.options);
        if filler.fill(run, &parsed) {
            return;
        }
    }
    if name.starts_with("python")
        && let Some(rest) = unpacked_by_module(run)
    {
        let here = here();
        let folder = rest.first().filter(|word| !word.text.starts_with('-')).unwrap_or(&here);
        let folder = Operand::of(folder);
        let draft = Draft::notable("write", "fs.write").tag("by", &name).flag("tree", true).flag("archive", true);
        return run.write_as(&folder, draft);
    }
    if name == "jar" && run.command.word(1).trim_start_matches('-').starts_with('x') {
        return run.write_tree(&Operand::of(&here()));
    }
    if name == "sftp" {
        return fetched_by_lines(run);
    }
    // The description of a known program determines what it writes.
    if super::lookup(&name).is_none() {
        let folders: Vec<Operand<'_>> = outputs(run).collect();
        folders.iter().for_each(|folder| run.write_tree(folder));
    }
}

impl TreeWriter {
    /// Adds the write if the call fills a folder. Returns whether it does.
    fn fill<'a>(&self, run: &mut Run<'a>, parsed: &Parsed<'a>) -> bool {
        let (letters, long) = self.with;
        let has_option = (letters.is_empty() && long.is_empty()) || parsed.has(letters, long);
        let behind = match self.verbs {
            [] => Some(0),
            verbs => verbs.iter().find_map(|verb| leads(verb, parsed)),
        };
        let is_dry = ["help", "dry-run", "dryrun"].iter().any(|name| parsed.is("", name))
            || !self.options.short.contains('n') && parsed.is("n", "");
        let Some(behind) = behind.filter(|_| has_option && !is_dry) else { return false };
        let operands = parsed.from(behind);
        let named = match self.folder {
            Folder::At(index) => operands.get(index).cloned(),
            Folder::Last | Folder::Copy => {
                let kept = self.folder == Folder::Copy && operands.last().is_some_and(|last| keeps_names(&last.text));
                let place = operands.last().filter(|last| !kept && operands.len() > 1 && is_local(&last.text, run));
                place.cloned()
            }
            Folder::Value(letters, long) => parsed.value(letters, long),
            Folder::Variable(names) => variable(names, run, parsed),
        };
        match (named, self.default_folder) {
            (Some(folder), _) => run.write_tree(&folder),
            (None, DefaultFolder::Here) => run.write_tree(&Operand::of(&here())),
            (None, DefaultFolder::Source) => {
                operands.iter().take(1).for_each(|source| run.write_tree(&folder_of(source)))
            }
            (None, DefaultFolder::Nowhere) => return false,
        }
        true
    }
}

/// Returns the number of the verb's words if the operands start with them.
pub(super) fn leads(verb: &str, parsed: &Parsed<'_>) -> Option<usize> {
    let words = verb.split(' ');
    let count = words.clone().count();
    words.zip(0..).all(|(word, index)| parsed.text(index) == word).then_some(count)
}

/// Returns whether a single file that is copied to this folder keeps its name.
pub(super) fn keeps_names(place: &str) -> bool {
    matches!(place, "." | "./" | "~" | "~/")
}

/// Returns whether a text names a path on this machine, and not in a store or on another machine.
fn is_local(text: &str, run: &Run<'_>) -> bool {
    // The paths of `mc` start with the name of a store.
    text.starts_with(['/', '~', '.', '$']) || !run.name.starts_with("mc") && !text.contains(':')
}

/// Returns the value assigned to one of the variables, by an operand or before the command.
fn variable<'a>(names: &[&str], run: &Run<'a>, parsed: &Parsed<'a>) -> Option<Operand<'a>> {
    let by_operand = parsed.operands.iter().find_map(|operand| {
        let (name, value) = operand.word.text.split_once('=')?;
        names.contains(&name).then(|| Operand::tail(operand.word, value))
    });
    let before = &run.command.assignments;
    let assigned = || before.iter().find(|one| names.contains(&one.name.as_str())).map(|one| Operand::of(&one.value));
    by_operand.or_else(assigned)
}

/// Returns the folder that is named after a source: the last component of its URL.
pub(super) fn folder_of<'a>(source: &Operand<'a>) -> Operand<'a> {
    let name = source.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    source.renamed(name.strip_suffix(".git").unwrap_or(name).to_owned())
}

/// Adds writes for the commands `get FILE FOLDER` in the input of `sftp`.
fn fetched_by_lines(run: &mut Run<'_>) {
    let Some(input) = run.input() else { return };
    for line in input.text.lines().take(WORDS) {
        let mut words = line.split_whitespace();
        let fetches = words.next().is_some_and(|verb| matches!(verb, "get" | "mget" | "reget"));
        if let Some(folder) = words.filter(|word| !word.starts_with('-')).nth(1).filter(|_| fetches) {
            let word = Word { text: folder.to_owned(), ..here() };
            run.write_tree(&Operand::of(&word));
        }
    }
}

/// Returns the words after the archive in `python -m zipfile -e FILE FOLDER`, or after that of `tarfile`, whose folder
/// is optional.
fn unpacked_by_module<'a>(run: &Run<'a>) -> Option<&'a [Word]> {
    let words = run.arguments();
    let module = words.iter().take(WORDS).position(|word| matches!(word.text.as_str(), "zipfile" | "tarfile"))?;
    let rest = words.get(module.checked_add(1)?..)?;
    if module == 0 || !words.get(module - 1).is_some_and(|word| word.text.starts_with('-') && word.text.ends_with('m'))
    {
        return None;
    }
    let extracts = rest.iter().position(|word| word.text == "-e" || word.text.starts_with("--e"))?;
    rest.get(extracts + 2..)
}

/// Returns the values of options that set an output folder.
fn outputs<'a>(run: &Run<'a>) -> impl Iterator<Item = Operand<'a>> + use<'a> {
    let words: &'a [Word] = run.arguments();
    words.iter().enumerate().take(WORDS).filter_map(|(at, word)| {
        let option = word.text.strip_prefix('-')?.trim_start_matches('-');
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Operand::tail(word, value)),
            None => (option, Operand::of(words.get(at + 1).filter(|next| !next.text.starts_with('-'))?)),
        };
        OUTPUTS.iter().any(|output| output.eq_ignore_ascii_case(name)).then_some(value)
    })
}
