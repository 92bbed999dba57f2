//! What puts files back to what git holds without a subcommand that does so: `git show HEAD:x > x`, `git archive HEAD |
//! tar x`, `git diff | git apply -R`. Changes that no commit holds are lost, as by `git checkout -- x`.

use guard_sdk::syntax::{Command, Word};

use crate::draft::Draft;
use crate::run::Run;

/// At most this many commands are looked at for the next one of a pipeline.
const NEAR: usize = 8;

/// Adds `git.discard` if the output of the subcommand replaces files of the work tree.
pub(super) fn find(run: &mut Run<'_>, name: &str, words: &[Word]) {
    let target = match name {
        "show" | "cat-file" => replaced_file(run, words),
        "archive" => next(run).filter(|next| unpacks_here(next)).map(|_| ".".to_owned()),
        "diff" => next(run).filter(|next| is_of_work_tree(words) && takes_back(next)).map(|_| ".".to_owned()),
        _ => None,
    };
    if let Some(target) = target {
        run.emit(Draft::destructive("vcs", "git.discard").target(&target).certain(false));
    }
}

/// The file that a redirection replaces with what a commit has of it.
fn replaced_file(run: &Run<'_>, words: &[Word]) -> Option<String> {
    let replaces = run.command.redirections.iter().filter(|to| matches!(to.operator.as_str(), ">" | ">|"));
    let to = replaces.filter(|to| matches!(to.fd, 1 | -1)).map(|to| to.target.text.as_str()).next()?;
    let plain = |path: &str| path.trim_start_matches("./").to_owned();
    let names =
        |word: &&Word| word.text.split_once(':').is_some_and(|(_, path)| !path.is_empty() && plain(path) == plain(to));
    words.iter().find(names).map(|_| to.to_owned())
}

/// The command that reads what this one prints.
fn next<'a>(run: &Run<'a>) -> Option<&'a Command> {
    let position = &run.command.position;
    let id = usize::try_from(run.command.id).unwrap_or_default();
    let mut behind = run.commands.get(id..)?.iter().take(NEAR);
    behind.find(|next| next.position.pipeline == position.pipeline && next.position.index == position.index + 1)
}

/// Whether the command unpacks an archive into the folder that it runs in.
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

/// Whether a difference is one of the work tree, and not of two commits.
fn is_of_work_tree(words: &[Word]) -> bool {
    let mut operands = words.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--");
    operands
        .all(|word| word == "HEAD" || word.starts_with('-') && !matches!(word, "--cached" | "--staged" | "--no-index"))
}

/// Whether the command applies a difference the other way round.
fn takes_back(command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let is_reverse = words().any(|word| matches!(word, "-R" | "--reverse"));
    let looks = words().any(|word| matches!(word, "--check" | "--stat" | "--dry-run" | "--cached" | "--numstat"));
    let applies = command.program() == "patch" || command.program() == "git" && words().any(|word| word == "apply");
    applies && is_reverse && !looks
}
