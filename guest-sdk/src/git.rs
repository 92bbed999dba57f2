//! Parses git command lines, and lists the files and variables of git that both the host and policies use.

/// Git's own options that take the next word as their value.
pub const VALUE_OPTIONS: [&str; 8] =
    ["-C", "-c", "--attr-source", "--config-env", "--git-dir", "--namespace", "--super-prefix", "--work-tree"];

/// Subcommands that change neither files nor the repository.
pub const READING: [&str; 30] = [
    "annotate",
    "blame",
    "cat-file",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "for-each-ref",
    "fsck",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "var",
    "verify-commit",
    "verify-tag",
    "version",
    "whatchanged",
];

/// Files in the folder of a repository during a merge, rebase, cherry-pick or revert.
pub const UNDER_WAY: [&str; 5] = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

/// Variables that name a program for git to start.
pub const PROGRAM_VARIABLES: [&str; 8] = [
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
];

/// Returns the subcommand after git's own options, and the words after it. `None` without a subcommand.
pub fn subcommand<'w, I: Iterator<Item = &'w str>>(mut words: I) -> Option<(&'w str, I)> {
    loop {
        let word = words.next()?;
        if VALUE_OPTIONS.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some((word, words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subcommand_follows_the_options_and_their_values() {
        let of = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            let found = subcommand(words.into_iter());
            found.map(|(verb, rest)| (verb.to_owned(), rest.map(str::to_owned).collect::<Vec<_>>().join(" ")))
        };
        let is = |verb: &str, rest: &str| Some((verb.to_owned(), rest.to_owned()));
        assert_eq!(of("status -sb"), is("status", "-sb"));
        assert_eq!(of("-C a -c b=c --no-pager log x"), is("log", "x"));
        assert_eq!(of("--git-dir=a --work-tree b branch -D x"), is("branch", "-D x"));
        assert_eq!((of("--version"), of("-C status")), (None, None));
    }
}
