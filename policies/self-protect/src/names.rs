//! Compares a path with a protected one, component by component, and returns their relation.
//!
//! Uses text alone. A component of the path may be a shell pattern. ASCII case is folded, because some file systems
//! ignore case.

use guard_sensitive_paths::ByteSet;

/// The maximum number of components that are compared. Only the end of a deeper path is compared.
const DEEPEST: usize = 256;

/// The relation of a path to a protected file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// A folder above the protected one.
    Above,
    /// The protected folder.
    Whole,
    /// The protected file, or something in the protected folder.
    Inside,
}

/// The relation of a path to a protected one, and the index of the component where that one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Match {
    pub(crate) relation: Relation,
    start: usize,
    /// Whether a shell pattern matches a part of the protected name.
    pub(crate) guessed: bool,
}

/// The start of a protected path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    rooted: bool,
    /// Whether its first name begins with a dot.
    dotted: bool,
    /// The first byte of its first name.
    begins: ByteSet,
}

impl Start {
    pub(crate) fn parse(entry: &str) -> Self {
        let first = entry.trim_start_matches('/');
        Start {
            rooted: entry.starts_with('/'),
            dotted: first.starts_with('.'),
            begins: ByteSet::from_first_byte(first),
        }
    }
}

/// A component of a path.
#[derive(Clone, Copy)]
struct Name<'a> {
    text: &'a str,
    /// Whether it contains a shell pattern.
    is_pattern: bool,
}

/// A parsed path, without `.`, `..` and empty components.
pub(crate) struct Names<'a> {
    names: Vec<Name<'a>>,
    absolute: bool,
    /// Whether a component begins with a dot. A pattern only matches such a name if it has the dot.
    dotted: bool,
    /// First bytes of the components. Any byte if one is a shell pattern.
    begins: ByteSet,
}

impl<'a> Names<'a> {
    pub(crate) fn new(path: &'a str) -> Self {
        let mut names = Vec::new();
        for name in path.split('/') {
            match name {
                "" | "." => {}
                ".." => drop(names.pop()),
                // Some file systems drop trailing dots and spaces.
                name => names.push(Name::new(name.trim_end_matches(['.', ' ']))),
            }
        }
        let deep = names.len() > DEEPEST;
        names.drain(..names.len().saturating_sub(DEEPEST));
        let is_pattern = names.iter().any(|name| name.is_pattern);
        let begins = if is_pattern { ByteSet::ANY } else { ByteSet::from_names(names.iter().map(|name| name.text)) };
        let dotted = names.iter().any(|name| name.text.as_bytes().first() == Some(&b'.'));
        Names { names, absolute: path.starts_with('/') && !deep, dotted, begins }
    }

    /// The last component, or empty.
    pub(crate) fn last_component(&self) -> &'a str {
        self.names.last().map(|name| name.text).unwrap_or_default()
    }

    /// Returns whether this path may be related to an entry with this start. If not, [`Names::relation`] returns
    /// `None`.
    #[inline]
    pub(crate) fn may_relate(&self, start: Start) -> bool {
        if start.dotted && !self.dotted {
            return false;
        }
        let is_first = || self.names.first().is_some_and(|name| start.begins.may_fit(name.text) || name.is_pattern);
        start.begins == ByteSet::ANY
            || self.begins.intersects(start.begins) && (!start.rooted || self.absolute && is_first())
    }

    /// Returns whether this is `other` or a folder above it. Both are absolute.
    pub(crate) fn contains(&self, other: &Names<'_>) -> bool {
        let begins = self.names.iter().zip(&other.names).all(|(name, other)| name.matches(other.text));
        self.absolute && other.absolute && self.names.len() <= other.names.len() && begins
    }

    /// Returns the relation of this path to `entry`: `folder/name` at any depth, or `/folder/name` from the root. With
    /// a trailing slash, the entry is a folder with everything in it.
    pub(crate) fn relation(&self, entry: &str) -> Option<Match> {
        let rooted = entry.starts_with('/');
        let unrooted = if rooted { entry.trim_start_matches('/') } else { entry };
        if (rooted && !self.absolute) || !self.begins.may_fit(unrooted) {
            return None;
        }
        let first = unrooted.split('/').next().filter(|name| !name.is_empty());
        let begins =
            |start: &usize| first.is_none_or(|first| self.names.get(*start).is_some_and(|name| name.matches(first)));
        let starts = if rooted { 0..=0 } else { 0..=self.names.len() };
        starts.filter(begins).filter_map(|start| self.relation_at(start, entry)).max()
    }

    fn relation_at(&self, start: usize, entry: &str) -> Option<Match> {
        let mut wanted = entry.split('/').filter(|name| !name.is_empty());
        let mut here = self.names.iter().skip(start);
        let (mut matched, mut guessed) = (0, false);
        let relation = loop {
            match (wanted.next(), here.next()) {
                (Some(wanted), Some(name)) if name.matches(wanted) => {
                    matched += 1;
                    guessed |= name.is_pattern;
                }
                (Some(_), Some(_)) => return None,
                // The path ends within the entry.
                (Some(_), None) if matched > 0 => break Relation::Above,
                (Some(_), None) => return None,
                (None, Some(_)) if entry.ends_with('/') => break Relation::Inside,
                (None, Some(_)) => return None,
                (None, None) if entry.ends_with('/') => break Relation::Whole,
                (None, None) => break Relation::Inside,
            }
        };
        Some(Match { relation, start, guessed })
    }

    /// Returns the path of the protected file in a match. `None` if it is unknown.
    pub(crate) fn guarded_path(&self, found: Match, entry: &str) -> Option<String> {
        let before = self.names.get(..found.start)?;
        if !self.absolute || before.iter().any(|name| name.is_pattern) {
            return None;
        }
        let wanted = entry.split('/').filter(|name| !name.is_empty()).take_while(|name| !name.starts_with('*'));
        Some(format!("/{}", before.iter().map(|name| name.text).chain(wanted).collect::<Vec<_>>().join("/")))
    }
}

impl<'a> Name<'a> {
    fn new(text: &'a str) -> Self {
        Name { text, is_pattern: is_pattern(text) }
    }

    /// Returns whether the component is or can be the protected one.
    fn matches(self, wanted: &str) -> bool {
        let Name { text, is_pattern } = self;
        if wanted.eq_ignore_ascii_case(text) {
            return true;
        }
        match wanted.strip_prefix('*') {
            Some(end) => !text.starts_with('.') && (is_pattern || ends_with(text, end)),
            // A shell pattern only matches a name with a leading dot if it has the dot.
            None if is_pattern => {
                wanted.starts_with('.') == text.starts_with('.')
                    && guard_sensitive_paths::matches(&sets_to_wildcards(text), wanted)
            }
            None => false,
        }
    }
}

/// Returns whether a component of a path, which may be a shell pattern, is or can be the protected one.
pub(crate) fn component_matches(wanted: &str, name: &str) -> bool {
    Name::new(name).matches(wanted)
}

/// Returns whether a component contains a shell pattern.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Returns the last component of a path or of a pattern for paths.
pub(crate) fn last_component(path: &str) -> &str {
    guard_sdk::paths::last_name(path)
}

/// Returns whether a pattern matches a whole text. `*` also matches slashes and leading dots.
pub(crate) fn pattern_fits(pattern: &str, text: &str) -> bool {
    guard_sensitive_paths::matches(&sets_to_wildcards(&pattern.replace('\\', "")), text)
}

/// Returns whether a pattern contains a letter.
pub(crate) fn spells_letters(pattern: &str) -> bool {
    sets_to_wildcards(pattern).contains(|c: char| c.is_ascii_alphanumeric())
}

fn ends_with(name: &str, end: &str) -> bool {
    let tail = name.len().checked_sub(end.len()).and_then(|at| name.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// Returns the pattern with each `[...]` replaced by `?`.
fn sets_to_wildcards(pattern: &str) -> String {
    let mut simple = String::with_capacity(pattern.len());
    let mut inside = false;
    for c in pattern.chars() {
        match (inside, c) {
            (false, '[') => {
                inside = true;
                simple.push('?');
            }
            (true, ']') => inside = false,
            (true, _) => {}
            (false, c) => simple.push(c),
        }
    }
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, entry: &str, expected: Option<Relation>) {
        assert_eq!(Names::new(path).relation(entry).map(|found| found.relation), expected, "{path} {entry}");
    }

    #[test]
    fn a_file_is_found_at_any_depth_and_in_any_case() {
        let entry = ".claude/settings.json";
        for path in [
            "/home/u/.claude/settings.json",
            ".claude//settings.json",
            "a/.claude/x/../settings.json",
            ".Claude/SETTINGS.json",
            "~/.claude/*.json",
            "~/.claude/*",
            ".cl*/sett*",
            ".claude/setting[s].json",
            ".claude/settings.json.",
        ] {
            check(path, entry, Some(Relation::Inside));
        }
        for path in ["settings.json", ".claude/settings.json.bak", ".claude/x/settings.json", "x.claude/settings.json"]
        {
            check(path, entry, None);
        }
    }

    #[test]
    fn a_folder_counts_with_what_is_in_it_and_above_it() {
        let entry = ".config/guard-host/";
        check("/home/u/.config/guard-host/guard.toml", entry, Some(Relation::Inside));
        check("/home/u/.config/guard-host/a/b", entry, Some(Relation::Inside));
        check("/home/u/.config/guard-host/", entry, Some(Relation::Whole));
        check("/home/u/.config", entry, Some(Relation::Above));
        check("/home/u/.con*", entry, Some(Relation::Above));
        check("/home/u", entry, None);
        check("/home/u/*", entry, None);
        check("/home/u/.config/other", entry, None);
    }

    #[test]
    fn an_entry_from_the_root_is_only_there() {
        check("/etc/guard-host/guard.toml", "/etc/guard-host/", Some(Relation::Inside));
        check("/etc", "/etc/guard-host/", Some(Relation::Above));
        check("/repo/etc/guard-host/guard.toml", "/etc/guard-host/", None);
        check("etc/guard-host/guard.toml", "/etc/guard-host/", None);
    }

    #[test]
    fn a_path_that_lies_to_an_entry_may_relate_to_it() {
        let paths = [
            "/",
            "/a/.b",
            "/a/.?/c",
            "*b/c",
            ".*",
            ".b/c",
            "B",
            "/etc",
            "/e*",
            "x/*/y",
            "/x/etc/z",
            "[.]b/c",
            "bin/guard-host.",
        ];
        for entry in ["/", "//", "/etc/x/", ".b/c", "b", "bin/guard-host", "*.json", "/a/.b/c"] {
            for path in paths {
                let names = Names::new(path);
                assert!(names.relation(entry).is_none() || names.may_relate(Start::parse(entry)), "{path} {entry}");
            }
        }
    }

    #[test]
    fn hostile_lengths_stay_cheap() {
        let path = "a*/".repeat(60_000) + &"*".repeat(60_000);
        check(&path, ".claude/settings.json", None);
    }
}
