//! The targets of copies, moves and links. A target that is or may be a folder gets a file for each source.

use super::backups::{copy_suffix, write_backup};
use crate::draft::Draft;
use crate::options::{Operand, Parsed};
use crate::run::{Run, path};

/// The target of a copy.
pub(super) struct Target<'a, 'p> {
    pub(super) sources: &'p [Operand<'a>],
    pub(super) place: Operand<'a>,
    folder: Folder,
    /// Whether whole trees may be written over existing ones.
    tree: bool,
    /// Whether sources keep their folders: `cp --parents a/b DIR`.
    keeps_folders: bool,
    /// Whether several files get the target's name, one after the other.
    pub(super) each: bool,
    /// Whether files in a tree replace files of the same names.
    replaces: bool,
    /// The suffix of the backups of replaced files, if any.
    suffix: Option<String>,
}

/// Whether the target is a folder, according to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folder {
    Surely,
    /// The file system decides.
    Perhaps,
    Never,
}

/// Returns the target of a copy or move, and its sources.
pub(super) fn of<'a, 'p>(run: &Run<'a>, parsed: &'p Parsed<'a>) -> Option<Target<'a, 'p>> {
    let keeps_folders = parsed.is("", "parents") || run.name == "rsync" && parsed.has("R", "relative");
    let tree = match run.name.as_str() {
        "mv" | "gmv" | "ditto" => true,
        "cp" | "gcp" => parsed.has("rRa", "recursive") || parsed.has("", "archive"),
        "rsync" => parsed.has("ra", "recursive") || parsed.has("", "archive"),
        "scp" => parsed.is("r", ""),
        _ => false,
    };
    let replaces = tree && run.name != "mv" && run.name != "gmv" && !keeps_files(run, parsed);
    if let Some(place) = parsed.value("t", "target-directory") {
        return Some(Target {
            sources: &parsed.operands,
            place,
            folder: Folder::Surely,
            tree,
            keeps_folders,
            each: false,
            replaces,
            suffix: copy_suffix(parsed),
        });
    }
    let (last, sources) = parsed.operands.split_last()?;
    let (first, others) = sources.split_first()?;
    let several = !others.is_empty() || first.word.glob;
    let folder = if parsed.is("T", "no-target-directory") {
        Folder::Never
    } else if is_folder(&last.text) || several || keeps_folders {
        Folder::Surely
    } else {
        Folder::Perhaps
    };
    let suffix = copy_suffix(parsed);
    Some(Target { sources, place: last.clone(), folder, tree, keeps_folders, each: false, replaces, suffix })
}

/// Returns whether an option keeps existing files, or prompts before replacing them.
pub(super) fn keeps_files(run: &Run<'_>, parsed: &Parsed<'_>) -> bool {
    let letters = if run.name == "rsync" { "ub" } else { "niub" };
    parsed.has(letters, "no-clobber")
        || ["backup", "existing", "ignore-existing", "interactive", "update"].iter().any(|name| parsed.has("", name))
}

/// Returns the target of one source that is copied to a path, or into it if it is a folder.
pub(super) fn perhaps_in<'a, 'p>(source: &'p Operand<'a>, place: Operand<'a>) -> Target<'a, 'p> {
    let folder = if is_folder(&place.text) { Folder::Surely } else { Folder::Perhaps };
    let sources = std::slice::from_ref(source);
    Target { sources, place, folder, tree: true, keeps_folders: false, each: false, replaces: false, suffix: None }
}

/// Returns whether this text can only name a folder.
fn is_folder(text: &str) -> bool {
    matches!(text, "." | ".." | "~") || ["/", "/.", "/.."].iter().any(|end| text.ends_with(end))
}

impl<'a> Target<'a, '_> {
    pub(super) fn is_folder_by_its_text(&self) -> bool {
        is_folder(&self.place.text)
    }

    /// Adds the writes of the target, and of the files that the sources become in it. `draft` returns the write of a
    /// source in a folder.
    pub(super) fn write(&self, run: &mut Run<'_>, draft: impl Fn(&Operand<'a>, &str) -> Draft) {
        let Some(first) = self.sources.first() else { return };
        let by_rsync = run.name == "rsync";
        let contents = self.tree && self.sources.iter().any(|source| self.merges(source, by_rsync));
        let place = path::place(&self.place, run.cwd(), run.home).raw;
        let parent = place.rsplit_once('/').map_or("", |(parent, _)| parent);
        let mut whole = draft(first, parent).flag("tree", contents);
        // The content of such a folder goes directly into the target.
        let mut opened =
            self.sources.iter().filter(|source| self.merges(source, by_rsync) || source.text.ends_with("/*"));
        if let Some(from) = opened.next().and_then(|source| self.origin(run, source)) {
            whole = whole.tag("merged-from", &from);
        }
        self.write_backup(run, &self.place);
        run.write_as(&self.place, whole);
        if self.each {
            run.emit_on(Draft::many_to_one(), &self.place);
        }
        // Without a known path, nothing is known about the target's content.
        let perhaps = self.folder == Folder::Perhaps && !place.is_empty() && path::device(&place).is_none();
        if self.folder != Folder::Surely && !perhaps {
            return;
        }
        for source in self.sources {
            if perhaps && (self.merges(source, by_rsync) || is_other_name(&source.text, &self.place.text)) {
                continue;
            }
            let inner = if self.keeps_folders {
                self.place.renamed(format!("{}/{}", self.place.text.trim_end_matches('/'), source.text))
            } else {
                // From `host:path`, the name is that of the path.
                let there = if super::is_remote(source) { source.text.split_once(':') } else { None };
                self.place.joined(&there.map_or_else(|| source.clone(), |(_, path)| source.renamed(path.to_owned())))
            };
            let mut draft = draft(source, &place).flag("tree", self.tree);
            if let Some(from) = self.origin(run, source).filter(|_| !source.word.glob) {
                draft = draft.tag("merged-from", &from);
            }
            self.write_backup(run, &inner);
            let unsure = perhaps && !self.place.word.glob;
            run.write_as(&inner, if unsure { draft.tag("into", &self.place.text) } else { draft });
        }
    }

    /// Adds the write of the backup of a file that the command replaces.
    fn write_backup(&self, run: &mut Run<'_>, file: &Operand<'_>) {
        if let Some(suffix) = self.suffix.as_ref().filter(|_| !is_folder(&file.text)) {
            write_backup(run, file, suffix);
        }
    }

    /// Returns the folder of a copied tree whose files replace existing ones.
    fn origin(&self, run: &Run<'_>, source: &Operand<'a>) -> Option<String> {
        let is_remote = super::is_remote(source);
        let folder = source.text.trim_end_matches(['*', '.']).trim_end_matches('/');
        if !self.replaces || is_remote || folder.is_empty() {
            return None;
        }
        let place = path::place(&source.renamed(folder.to_owned()), run.cwd(), run.home);
        Some(path::lexical(&place.raw)).filter(|path| path.starts_with('/'))
    }

    /// Returns whether the source's content goes directly into the target: with `-T`, or for `x/.`.
    fn merges(&self, source: &Operand<'a>, by_rsync: bool) -> bool {
        self.folder == Folder::Never || by_rsync && source.text.ends_with('/') || is_dots(&source.text)
    }
}

fn is_dots(source: &str) -> bool {
    matches!(source.rsplit('/').next(), Some("." | ".."))
}

/// Returns whether the target is the source's name with a suffix, as of a backup. Such a target isn't a folder.
fn is_other_name(source: &str, target: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let (source, target) = (name(source), name(target));
    target.len() > source.len() && target.starts_with(source.as_str())
}
