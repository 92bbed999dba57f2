//! Deletions that lose nothing which somebody would miss: the tag `disposable` of an effect.
//!
//! | value | what it says of every file that the effect may delete |
//! |---|---|
//! | `ignored` | the repository's own `.gitignore` files say that it is not kept |
//! | `made-here` | it did not exist before this text, which makes it |
//! | `scratch` | it lies in the folder that a harness makes for one session |
//!
//! Each is a proof, with one exception that [`is_ignored_by_name`] states. What is not certain, or not found out, has no
//! tag, and policies judge it as before.

mod rules;

use guard_contract::Presence;
use guard_contract::paths::{below, is_below};
use guard_contract::syntax::{Analysis, Command, Effect};

use crate::{Entry, Facts, Resolver};
pub use rules::Rules;

/// The tag's name.
const TAG: &str = "disposable";

/// The tag that gives the name of all that a search finds.
const EVERY: &str = "every";

/// The tag that gives the letter of the only kind that the search finds.
const KIND: &str = "type";

/// The tag that gives where the search starts, if that is not the path of the effect.
const BELOW: &str = "below";

/// The most folders between the repository's root and a target. Below that nothing is proved.
const DEPTH: usize = 32;

/// The most deletions of one call that are looked at; the rest is judged as before.
const DELETIONS: usize = 64;

/// Programs that bring into a folder what was somewhere else. With the folder it would be lost.
const BRING: [&str; 6] = ["ln", "link", "mount", "mv", "rename", "rsync"];

/// What lies in a repository's own folder, where a search finds it too.
const GIT: [&str; 20] = [
    "HEAD",
    "ORIG_HEAD",
    "config",
    "description",
    "heads",
    "hooks",
    "index",
    "info",
    "lfs",
    "logs",
    "modules",
    "objects",
    "pack",
    "pack-0.idx",
    "pack-0.pack",
    "packed-refs",
    "refs",
    "remotes",
    "tags",
    "worktrees",
];

/// How names end that a repository leaves out because they hold what is not made anew: copies, data, secrets. A search
/// takes all of them at once.
const ASIDE: [&str; 23] = [
    "~",
    ".backup",
    ".bak",
    ".crt",
    ".db",
    ".dump",
    ".env",
    ".jks",
    ".key",
    ".keystore",
    ".local",
    ".old",
    ".orig",
    ".p12",
    ".pem",
    ".pfx",
    ".save",
    ".sql",
    ".sqlite",
    ".sqlite3",
    ".tfstate",
    "credentials.json",
    "secrets.json",
];

/// Names that folders have, and no file.
const FOLDERS: [&str; 10] = [
    "__pycache__",
    "node_modules",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".next",
    ".nuxt",
    ".tox",
    ".venv",
    ".gradle",
];

/// Marks the deletions whose paths are filled in.
pub(crate) fn mark(analysis: &mut Analysis, facts: &dyn Facts, resolver: &Resolver) {
    let is_file_deletion = |effect: &Effect| effect.kind == "delete" && effect.operation.starts_with("fs.");
    let deletions: Vec<usize> = (analysis.effects.iter().enumerate())
        .filter(|(_, effect)| is_file_deletion(effect) && tag(effect, "where").is_none())
        .filter(|(_, effect)| is_known(effect, &analysis.commands) || tag(effect, EVERY).is_some())
        .map(|(index, _)| index)
        .take(DELETIONS)
        .collect();
    if deletions.is_empty() {
        return;
    }
    let changes_rules = |effect: &Effect| effect.kind != "read" && effect.path.lexical.ends_with("/.gitignore");
    let are_rules_kept = !analysis.effects.iter().any(changes_rules);
    for index in deletions {
        let Some((earlier, [effect, ..])) = analysis.effects.split_at_checked(index) else { continue };
        let mut effect = effect.clone();
        if let Some(start) = tag(&effect, BELOW).filter(|_| resolver.has_room()) {
            effect.path = resolver.resolve(facts, start);
        }
        if effect.path.canonical.is_empty() {
            continue;
        }
        let is_kept = || !are_rules_kept || is_brought(&effect, earlier);
        let why = if is_scratch(&effect) {
            "scratch"
        } else if is_made_here(&effect, earlier) {
            "made-here"
        } else if !is_kept() && (is_ignored(&effect, facts) || is_ignored_by_name(&effect, facts)) {
            "ignored"
        } else {
            continue;
        };
        if let Some(effect) = analysis.effects.get_mut(index) {
            effect.tags.push((TAG.to_owned(), why.to_owned()));
        }
    }
}

/// Whether the target is the one that is deleted, if the command runs at all: that of a function runs when it is called.
fn is_known(effect: &Effect, commands: &[Command]) -> bool {
    let is_late = || {
        let command = commands.iter().find(|command| command.id == effect.command_id);
        command.is_some_and(|command| command.position.within.iter().any(|place| place == "function"))
    };
    effect.certain || !effect.target.contains(['$', '`']) && tag(effect, "glob").is_none() && is_late()
}

fn tag<'a>(effect: &'a Effect, name: &str) -> Option<&'a str> {
    effect.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// `/tmp/claude-501/...`: the folder of one user's sessions, which Claude Code makes and clears away itself.
fn is_scratch(effect: &Effect) -> bool {
    let lies = |path: &str| {
        let rest = path.strip_prefix("/private").unwrap_or(path).strip_prefix("/tmp/claude-");
        let below = rest.and_then(|rest| rest.split_once('/'));
        below.is_some_and(|(user, below)| {
            !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_digit()) && !below.is_empty()
        })
    };
    lies(&effect.path.lexical) && lies(&effect.path.canonical)
}

/// An earlier effect of the text makes the target, or something in it, and nothing was there before.
fn is_made_here(effect: &Effect, earlier: &[Effect]) -> bool {
    if effect.path.exists != Presence::No || tag(effect, "glob").is_some() {
        return false;
    }
    let concerned = |made: &&Effect| made.kind == "write" && is_below(&made.path.lexical, &effect.path.lexical);
    let mut writes = earlier.iter().filter(concerned).peekable();
    let is_made = writes.peek().is_some();
    is_made && writes.all(|made| made.certain && tag(made, "by").is_none_or(|by| !BRING.contains(&by)))
}

/// An earlier effect of the text brings something from elsewhere into what is deleted.
fn is_brought(effect: &Effect, earlier: &[Effect]) -> bool {
    let from = effect.path.lexical.trim_end_matches(['*', '/']);
    let brings = |made: &Effect| tag(made, "by").is_none_or(|by| by == "git" || BRING.contains(&by));
    earlier.iter().any(|made| made.kind == "write" && is_below(&made.path.lexical, from) && brings(made))
}

/// The repository ignores every file that the effect may delete.
fn is_ignored(effect: &Effect, facts: &dyn Facts) -> bool {
    let (root, path) = (effect.path.git_root.as_str(), effect.path.canonical.as_str());
    let Some(relative) = below(path, root).filter(|relative| !root.is_empty() && *relative != ".") else {
        return false;
    };
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let is_pattern = tag(effect, "glob").is_some();
    // Of a link the deletion takes the link alone, and with a repository goes its history: neither is proved.
    if name(path) != name(&effect.path.lexical)
        || !is_pattern && !matches!(facts.entry(&format!("{path}/.git")), Entry::Absent)
    {
        return false;
    }
    let names: Vec<&str> = relative.split('/').collect();
    // A set or a pattern of another dialect may fit what its text does not show; and what a pattern fits may be a link,
    // behind which lies something else.
    let is_plain = |name: &&str| !name.contains(['[', '(', '|', '^', '~', '#']);
    let above = names.split_last().map_or(&[][..], |(_, above)| above);
    if names.len() > DEPTH || !names.iter().all(is_plain) || above.iter().any(|name| name.contains(['*', '?'])) {
        return false;
    }
    let mut rules = Rules::default();
    let mut folder = root.to_owned();
    for (depth, name) in names.iter().enumerate() {
        if !rules.read(&folder, facts) {
            return false;
        }
        let is_last = depth + 1 == names.len();
        if is_pattern && name.contains(['*', '?']) {
            return tag(effect, "filtered").is_none() && rules.ignore_all(&folder, name);
        }
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        if rules.ignoring(&path, !is_last || effect.path.kind != "file").is_some() {
            return true;
        }
        folder = path;
    }
    false
}

/// The repository ignores everything of the name that a search finds, wherever it lies. Of the `.gitignore` files further
/// down, which could take the name back, nobody asks.
fn is_ignored_by_name(effect: &Effect, facts: &dyn Facts) -> bool {
    let (root, start) = (effect.path.git_root.as_str(), effect.path.canonical.as_str());
    let (Some(name), Some(relative)) = (tag(effect, EVERY), below(start, root)) else { return false };
    let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let names: Vec<&str> = relative.split('/').filter(|name| *name != ".").collect();
    if root.is_empty() || names.len() > DEPTH || name.contains('/') || last(start) != last(&effect.path.lexical) {
        return false;
    }
    let mut rules = Rules::default();
    let mut folder = root.to_owned();
    for name in names {
        if !rules.read(&folder, facts) {
            return false;
        }
        folder = format!("{}/{name}", folder.trim_end_matches('/'));
    }
    // Git's own folder has such names, and those of branches.
    let is_branch = || !matches!(facts.entry(&format!("{root}/.git/refs/heads/{name}")), Entry::Absent);
    let is_of_git = GIT.iter().any(|own| may_fit(name, own)) || is_branch();
    let is_kept_aside = ASIDE.iter().any(|end| name.ends_with(end)) || name.starts_with(".env");
    let is_folder = match tag(effect, KIND) {
        Some("d") => true,
        Some("") | None => FOLDERS.contains(&name),
        Some(_) => false,
    };
    !is_of_git && !is_kept_aside && rules.read(&folder, facts) && rules.ignore_everywhere(&folder, name, is_folder)
}

/// Whether the pattern may fit the name, by what stands before its first and behind its last special character.
fn may_fit(pattern: &str, name: &str) -> bool {
    let special = |char: char| "*?[]\\".contains(char);
    match (pattern.find(special), pattern.rfind(special)) {
        (Some(first), Some(last)) => {
            let (before, behind) =
                (pattern.get(..first).unwrap_or_default(), pattern.get(last + 1..).unwrap_or_default());
            name.starts_with(before) && name.ends_with(behind)
        }
        _ => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{empty, fill_paths};
    use crate::fixed::FixedFacts;
    use guard_contract::syntax::{Coverage, Severity};
    use guard_contract::unresolved;

    /// A deletion, or another effect if the text begins with the name of a program and a colon.
    fn effect(text: &str) -> Effect {
        let (by, target) = text.split_once(": ").unwrap_or(("rm", text));
        let kind = if by == "rm" { "delete" } else { "write" };
        let glob = target.contains('*').then(|| ("glob".to_owned(), "yes".to_owned()));
        Effect {
            kind: kind.to_owned(),
            operation: if by == "rm" { "fs.delete.recursive" } else { "fs.write" }.to_owned(),
            severity: Severity::Destructive,
            target: target.to_owned(),
            path: unresolved(target),
            command_id: 1,
            certain: !target.contains('$'),
            tags: glob.into_iter().chain([("by".to_owned(), by.to_owned())]).collect(),
        }
    }

    const REPO: &str = r#"
        dirs = ["/repo/.git", "/repo/node_modules/x", "/repo/vendor/y/.git", "/repo/sub", "/repo/old", "/srv/all/.git"]
        [files]
        "/repo/.gitignore" = "node_modules/\n/dist\n*.o\n*.py[co]\n!keep.me\nvendor/\nlink-to-src"
        "/repo/sub/.gitignore" = "!dist\nlocal/\n!*.o"
        "/repo/src/a.rs" = ""
        "/srv/all/.gitignore" = "*\n!a.txt"
        [links]
        "/repo/link-to-src" = "src"
        "/repo/out" = "node_modules"
    "#;

    /// The tag of the last effect.
    fn tag_of(effects: &[&str]) -> Option<String> {
        let facts: FixedFacts = toml::from_str(REPO).unwrap();
        let effects = effects.iter().map(|text| effect(text)).collect();
        let mut analysis = Analysis { effects, ..empty(Coverage::Complete, None) };
        let resolver = Resolver::new("/repo", "/home/u", "/repo");
        fill_paths(&mut analysis, &facts, &resolver);
        mark(&mut analysis, &facts, &resolver);
        tag(analysis.effects.last().unwrap(), TAG).map(str::to_owned)
    }

    #[test]
    fn what_the_repository_ignores_is_disposable() {
        for path in [
            "node_modules",
            "node_modules/",
            "./node_modules/.vite",
            "node_modules/*",
            "dist",
            "dist/a/b",
            "dist/*.map",
            "src/a.o",
            "*.o",
            "src/*.o",
            "*.pyc",
            "/repo/packages/a/node_modules",
            "sub/node_modules",
            "sub/local",
        ] {
            assert_eq!(tag_of(&[path]).as_deref(), Some("ignored"), "{path}");
        }
    }

    #[test]
    fn what_is_not_proved_to_be_ignored_has_no_tag() {
        for path in [
            "src",
            "src/dist",
            "build",
            ".",
            "*",
            "*.pyd",
            "sub/dist",
            "sub/*.o",
            "sub/a.o",
            "*.me",
            "node_modules/..",
            "node_modules/../src",
            "$X/node_modules",
            "/elsewhere/node_modules",
            "link-to-src/a.rs",
            "vendor/y",
            "out",
            "/srv/all/data",
            "packages/*/node_modules",
            "keep.me",
            "link-to-src",
            "*[.o]",
            "[!a].o",
            "!(*.o)",
            "@(src|x.o)",
            "^*.o",
            "node_modules/*/src",
        ] {
            assert_eq!(tag_of(&[path]), None, "{path}");
        }
        // What is not disposable was moved there.
        assert_eq!(tag_of(&["mv: dist/src", "dist"]), None);
        assert_eq!(tag_of(&["mv: dist/src", "dist/*"]), None);
        assert_eq!(tag_of(&["cp: node_modules/q", "node_modules"]).as_deref(), Some("ignored"));
        assert_eq!(tag_of(&["mv: node_modules/q", "node_modules"]), None);
        // A text that changes the rules proves nothing by them.
        assert_eq!(tag_of(&["tee: .gitignore", "src"]), None);
        assert_eq!(tag_of(&["tee: .gitignore", "dist"]), None);
    }

    /// The tag of a deletion of everything of a name below a folder.
    fn tag_of_search(start: &str, name: &str, kind: &str) -> Option<String> {
        let facts: FixedFacts = toml::from_str(SEARCHED).unwrap();
        let mut found = Effect { path: unresolved(""), certain: false, ..effect(&format!("{start}/{name}")) };
        found.tags.push((BELOW.to_owned(), start.to_owned()));
        found.tags.push((KIND.to_owned(), kind.to_owned()));
        found
            .tags
            .extend([("glob", "yes"), ("filtered", "yes"), (EVERY, name)].map(|(a, b)| (a.to_owned(), b.to_owned())));
        let mut analysis = Analysis { effects: vec![found], ..empty(Coverage::Complete, None) };
        let resolver = Resolver::new("/repo", "/home/u", "/repo");
        fill_paths(&mut analysis, &facts, &resolver);
        mark(&mut analysis, &facts, &resolver);
        tag(analysis.effects.last().unwrap(), TAG).map(str::to_owned)
    }

    const SEARCHED: &str = r#"
        dirs = ["/repo/.git", "/repo/src/a", "/repo/kept", "/elsewhere"]
        [files]
        "/repo/.gitignore" = "__pycache__/\n/dist\n*.pyc\nlogs/\nbuild\ntarget\ndocs/page\n*.bak\n!/a/target\n*.sw[op]\nout/\n*.egg-info/\n.env.*\n*.sqlite3\n*.pack"
        "/repo/kept/.gitignore" = "!__pycache__/"
        "/repo/.git/refs/heads/build" = ""
        [links]
        "/repo/away" = "/elsewhere"
    "#;

    #[test]
    fn what_a_search_finds_by_an_ignored_name_is_disposable() {
        for (start, name, kind) in [
            (".", "__pycache__", ""),
            ("src", "__pycache__", "d"),
            (".", "*.pyc", ""),
            ("/repo/src/a", "*.pyc", "f"),
            (".", "*.swo", ""),
            (".", "out", "d"),
            (".", "*.egg-info", "d"),
        ] {
            assert_eq!(tag_of_search(start, name, kind).as_deref(), Some("ignored"), "{start} {name}");
        }
        // Ignored in one place only, taken back, of Git's own folder, a branch, outside, behind a link, not named, a file
        // of a name that is ignored of folders, what is kept aside.
        for (start, name, kind) in [
            (".", "dist", "d"),
            (".", "page", "d"),
            (".", "*.bak", ""),
            (".", "target", "d"),
            ("kept", "__pycache__", "d"),
            (".", "logs", "d"),
            (".", "build", "d"),
            ("/elsewhere", "*.pyc", ""),
            ("away", "*.pyc", ""),
            ("..", "*.pyc", ""),
            (".", "*.py", ""),
            (".", "*.py[c]", ""),
            (".", "*", ""),
            (".", "out", "f"),
            (".", "out", ""),
            (".", "__pycache__", "f"),
            (".", "*.egg-info", ""),
            (".", ".env.production", ""),
            (".", "*.sqlite3", ""),
            (".", "*.pack", ""),
        ] {
            assert_eq!(tag_of_search(start, name, kind), None, "{start} {name} {kind}");
        }
    }

    #[test]
    fn rules_that_git_reads_otherwise_prove_nothing() {
        let many = format!("*.o\n!{}.o", "*a".repeat(65));
        for rules in ["+/v8data/", "x\n!x\0y", "*.x\n!x\r", many.as_str(), "*.x\n!important.\\x"] {
            let facts = FixedFacts {
                dirs: ["/repo/.git".to_owned()].into(),
                files: [("/repo/.gitignore".to_owned(), rules.to_owned())].into(),
                ..FixedFacts::default()
            };
            for target in ["data", "x", "*.x", "a.o", "*.o"] {
                let mut analysis = Analysis { effects: vec![effect(target)], ..empty(Coverage::Complete, None) };
                let resolver = Resolver::new("/repo", "/home/u", "/repo");
                fill_paths(&mut analysis, &facts, &resolver);
                mark(&mut analysis, &facts, &resolver);
                assert_eq!(tag(analysis.effects.last().unwrap(), TAG), None, "{rules:?}: {target}");
            }
        }
    }

    #[test]
    fn what_the_text_makes_is_disposable_if_nothing_was_there() {
        for effects in [&["mkdir: x", "x"][..], &["mkdir: /var/q/a/b", "/var/q"], &["git: /tmp/r", "/tmp/r"]] {
            assert_eq!(tag_of(effects).as_deref(), Some("made-here"), "{effects:?}");
        }
        for effects in [
            &["mkdir: old", "old"][..],
            &["x"],
            &["x", "mkdir: x", "y"],
            &["mkdir: x", "x/*"],
            &["mkdir: x", "mv: x/y", "x"],
            &["mkdir: x/y", "ln: x/l", "x"],
            &["mkdir: $Y", "$Y"],
            &["mkdir: x", "."],
        ] {
            assert_eq!(tag_of(effects), None, "{effects:?}");
        }
    }

    #[test]
    fn the_folder_of_a_harness_for_one_session_is_scratch() {
        assert_eq!(tag_of(&["/tmp/claude-501/p/scratchpad/x"]).as_deref(), Some("scratch"));
        assert_eq!(tag_of(&["/private/tmp/claude-0/x"]).as_deref(), Some("scratch"));
        for path in ["/tmp/claude-501", "/tmp/claude-x/y", "/tmp/claude-501/../x", "/tmp/x", "/var/tmp/claude-1/x"] {
            assert_eq!(tag_of(&[path]), None, "{path}");
        }
    }
}
