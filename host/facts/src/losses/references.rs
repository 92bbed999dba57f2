//! The references that a git command moves or deletes, according to its arguments.

/// The prefix of all references, for commands whose references are only known at run time.
pub(super) const ALL: &str = "refs/";

/// The prefix of branches.
const HEADS: &str = "refs/heads/";

/// The prefix of remote-tracking branches.
pub(super) const REMOTES: &str = "refs/remotes/";

/// The prefix of tags.
pub(super) const TAGS: &str = "refs/tags/";

/// The arguments of a git command after its verb.
#[derive(Debug, Clone, Copy)]
pub(super) struct GitWords<'a>(pub(super) &'a [&'a str]);

impl<'a> GitWords<'a> {
    fn options(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied().take_while(|word| *word != "--")
    }

    /// Returns whether an option is given, by one of these letters or its name. Git accepts abbreviated names.
    pub(super) fn has(&self, letters: &str, name: &str) -> bool {
        self.options().any(|word| match word.strip_prefix("--") {
            Some(long) => {
                let long = long.split('=').next().unwrap_or_default();
                long.len() > 2 && name.starts_with(long)
            }
            None => word.strip_prefix('-').is_some_and(|used| used.contains(|letter: char| letters.contains(letter))),
        })
    }

    /// Returns the values of an option, given by its letter or its name.
    pub(super) fn option_values(&self, letter: char, name: &str) -> Vec<&'a str> {
        let mut words = self.options();
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            let value = match word.strip_prefix("--") {
                Some(long) if !name.is_empty() => {
                    let (long, value) = long.split_once('=').map_or((long, None), |(long, value)| (long, Some(value)));
                    (long == name).then_some(value)
                }
                _ => {
                    word.strip_prefix('-').and_then(|letters| letters.split_once(letter)).and_then(|(before, value)| {
                        let is_cluster = before.chars().all(|letter| letter.is_ascii_lowercase());
                        is_cluster.then_some(Some(value).filter(|value| !value.is_empty()))
                    })
                }
            };
            found.extend(value.and_then(|value| value.or_else(|| words.next())));
        }
        found
    }

    /// Returns the operands, and the values of options after an equals sign or a single letter.
    pub(super) fn values(&self) -> Vec<&'a str> {
        let mut is_path = false;
        let mut found = Vec::new();
        for word in self.0.iter().copied() {
            if is_path || !word.starts_with('-') || word == "-" {
                found.push(word);
            } else if word == "--" {
                is_path = true;
            } else if let Some((_, value)) = word.split_once('=') {
                found.push(value);
            } else if let Some(value) = word.strip_prefix("-s").filter(|value| !value.is_empty()) {
                found.push(value);
            }
        }
        found
    }

    /// Returns the operands.
    fn operands(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied().filter(|word| !word.starts_with('-'))
    }
}

/// Returns the references that a command moves or deletes, or prefixes that end with a slash if it doesn't name them. A
/// plain `git fetch` or `git merge` loses none, because the reflog keeps the old commit for weeks.
pub(super) fn moved_references(verb: &str, words: GitWords<'_>) -> Vec<String> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let first = || words.operands().next();
    match verb {
        "checkout" => owned(words.option_values('B', "")),
        "switch" => owned(words.option_values('C', "force-create")),
        "worktree" if first() == Some("add") => owned(words.option_values('B', "")),
        "branch" if words.has("dDmMcCf", "delete") || ["copy", "force", "move"].iter().any(|it| words.has("", it)) => {
            owned(words.operands().collect())
        }
        "fetch" | "pull" => fetched_references(words),
        "push" if first() == Some(".") => owned(words.operands().skip(1).map(destination).collect()),
        "rebase" if words.has("", "update-refs") => vec![HEADS.to_owned()],
        "rebase" => {
            let named = words.values();
            let is_branch = named.len() > 1 || words.has("", "root");
            named.last().filter(|_| is_branch).map(|name| format!("{HEADS}{name}")).into_iter().collect()
        }
        "remote" => match first() {
            Some("prune" | "remove" | "rm" | "rename" | "set-head") => vec![REMOTES.to_owned()],
            Some("update") if words.has("p", "prune") => vec![REMOTES.to_owned()],
            _ => Vec::new(),
        },
        "update-ref" if words.has("", "stdin") => vec![ALL.to_owned(), "HEAD".to_owned()],
        "update-ref" => {
            let messages = words.option_values('m', "");
            owned(words.operands().find(|word| !messages.contains(word)).into_iter().collect())
        }
        "symbolic-ref" if words.operands().nth(1).is_some() || words.has("d", "delete") => {
            let messages = words.option_values('m', "");
            owned(words.operands().find(|word| !messages.contains(word)).into_iter().collect())
        }
        "notes" if !words.operands().any(|word| matches!(word, "list" | "show" | "get-ref")) => {
            vec!["refs/notes/".to_owned()]
        }
        "replace" if !words.has("l", "list") && first().is_some() => vec!["refs/replace/".to_owned()],
        "tag" if words.has("d", "delete") => words.operands().map(|name| format!("{TAGS}{name}")).collect(),
        "tag" if words.has("f", "force") => {
            let valued_options = [('m', "message"), ('F', "file"), ('u', "local-user")];
            let valued_options: Vec<&str> =
                valued_options.iter().flat_map(|(letter, name)| words.option_values(*letter, name)).collect();
            words
                .operands()
                .filter(|word| !valued_options.contains(word))
                .take(1)
                .map(|name| format!("{TAGS}{name}"))
                .collect()
        }
        "filter-branch" | "filter-repo" | "fast-import" => vec![ALL.to_owned()],
        _ => Vec::new(),
    }
}

/// Returns the destination of a refspec.
fn destination(refspec: &str) -> &str {
    let refspec = refspec.trim_start_matches('+');
    refspec.split_once(':').map_or(refspec, |(_, name)| name)
}

/// Returns the references that `git fetch` may force to another commit, or prune.
fn fetched_references(words: GitWords<'_>) -> Vec<String> {
    let named = words.operands().skip(1).filter(|refspec| refspec.contains(':')).map(destination);
    // `refs/heads/*` becomes the prefix.
    let mut found: Vec<String> = named
        .map(|name| name.split('*').next().unwrap_or_default().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let (prunes, prunes_tags) =
        (words.has("p", "prune"), words.has("P", "") || words.options().any(|word| word.starts_with("--prune-t")));
    let forces = words.has("f", "force");
    // With a refspec, git also updates the remote-tracking branches.
    if prunes || prunes_tags || forces || !found.is_empty() {
        found.push(REMOTES.to_owned());
    }
    let names_tags = words.has("t", "tags") || words.operands().any(|word| word == "tag");
    if prunes_tags || forces && names_tags {
        found.push(TAGS.to_owned());
    }
    found
}
