//! Commands that restore files to git's content without a subcommand for it: `git archive HEAD | tar x`, `git diff |
//! git apply -R`. Changes that aren't in a commit are lost, as with `git checkout .`. A single file, as in `git show
//! HEAD:x > x`, is handled as an overwrite.

use guard_sdk::syntax::{Command, Word};

use crate::draft::Draft;
use crate::run::Run;

/// The maximum number of commands that are searched for the next stage of a pipeline.
const NEAR: usize = 8;

/// Adds `git.discard` if the output of the subcommand replaces the files of the work tree.
pub(super) fn find(run: &mut Run<'_>, name: &str, words: &[Word]) {
    // Files of another repository may not exist here yet.
    let is_other =
        |word: &Word| word.text == "-C" || ["--git-dir", "--remote"].iter().any(|name| word.text.starts_with(name));
    let replaces = match name {
        "archive" => next(run).is_some_and(unpacks_here) && !run.arguments().iter().any(is_other),
        "diff" => is_of_work_tree(words) && next(run).is_some_and(takes_back),
        _ => false,
    };
    if replaces {
        run.emit(Draft::destructive("vcs", "git.discard").target(".").certain(false));
    }
}

/// Returns the command that reads this command's output.
fn next<'a>(run: &Run<'a>) -> Option<&'a Command> {
    let position = &run.command.position;
    let id = usize::try_from(run.command.id).unwrap_or_default();
    let mut behind = run.commands.get(id..)?.iter().take(NEAR);
    behind.find(|next| next.position.pipeline == position.pipeline && next.position.index == position.index + 1)
}

/// Returns whether the command unpacks an archive into its working directory.
fn unpacks_here(command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let is_short = |word: &str| !word.starts_with("--") && word.trim_start_matches('-').contains('x');
    let first = words().next().unwrap_or_default();
    let extracts = is_short(first)
        || words().any(|word| matches!(word, "--extract" | "--get") || word.starts_with('-') && is_short(word));
    const KEEPING: &[&str] = &["-k", "--keep-old-files", "--skip-old-files", "--keep-newer-files"];
    let keeps = words().any(|word| KEEPING.contains(&word)) || is_short(first) && first.contains('k');
    let apart = words().zip(words().skip(1)).filter(|(option, _)| matches!(*option, "-C" | "--directory"));
    let folders = apart.map(|(_, folder)| folder).chain(words().filter_map(|word| word.strip_prefix("--directory=")));
    let is_tar = matches!(command.program(), "tar" | "gtar" | "bsdtar");
    is_tar && extracts && !keeps && folders.into_iter().all(|folder| matches!(folder, "." | "./"))
}

/// Returns whether a diff is of the work tree, and not of two commits.
fn is_of_work_tree(words: &[Word]) -> bool {
    let mut operands = words.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--");
    operands
        .all(|word| word == "HEAD" || word.starts_with('-') && !matches!(word, "--cached" | "--staged" | "--no-index"))
}

/// Returns whether the command applies a diff in reverse.
fn takes_back(command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('R');
    let is_reverse = words().any(|word| word == "--reverse" || is_short(word));
    let looks = words().any(|word| matches!(word, "--check" | "--stat" | "--dry-run" | "--cached" | "--numstat"));
    let applies = command.program() == "patch" || command.program() == "git" && words().any(|word| word == "apply");
    applies && is_reverse && !looks
}
