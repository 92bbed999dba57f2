//! [`Entries`]: one list, as written and in the form for comparison.
//!
//! Nearly all entries are plain names, which [`Path`] compares directly. The others become globs.

use std::borrow::Cow;

use guard_sdk::globs::{Glob, is_below_folder, plain};
use serde::Deserialize;

use crate::pattern::{ListBytes, Path, PatternShape, Root};

/// A list, parsed from its entries' texts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Entries {
    list: Vec<Entry>,
    bytes: ListBytes,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The text as written, for messages.
    text: Cow<'static, str>,
    matter: Matcher,
    /// Whether it removes its paths from the list. Affects only the entries before it.
    takes_out: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Matcher {
    /// The text as written.
    Known(PatternShape),
    /// The spelling that [`Path`] compares.
    Plain(String, PatternShape),
    /// A glob over the components below a root.
    Glob(Root, Glob),
}

impl Entries {
    /// Creates one of this crate's lists.
    pub(crate) fn from_static(list: &[&'static str], shapes: &[PatternShape]) -> Self {
        let known = |(text, shape): (&&'static str, &PatternShape)| Entry {
            text: Cow::Borrowed(*text),
            matter: Matcher::Known(*shape),
            takes_out: false,
        };
        Entries::new(list.iter().zip(shapes).map(known).collect())
    }

    /// A list without entries.
    pub(crate) fn empty() -> Self {
        Entries::new(Vec::new())
    }

    fn new(list: Vec<Entry>) -> Self {
        let mut bytes = ListBytes::NONE;
        list.iter().filter(|entry| !entry.takes_out).for_each(|entry| bytes.add(entry.spelling()));
        Entries { list, bytes }
    }

    /// Appends another list, whose entries may remove paths of this one.
    pub(crate) fn extended(self, added: Option<Entries>) -> Self {
        match added {
            Some(added) => Entries::new(self.list.into_iter().chain(added.list).collect()),
            None => self,
        }
    }

    /// The entries as written, without those that remove paths.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|entry| !entry.takes_out).map(Entry::text)
    }

    /// The entries that settings add, without those that remove paths.
    pub(crate) fn added_entries(&self) -> impl Iterator<Item = &Entry> {
        self.list.iter().filter(|entry| !entry.takes_out && entry.is_added())
    }

    /// Returns the entries that cover the path and that no later entry removes.
    pub(crate) fn covering_entries<'a>(&'a self, path: &Path<'_>) -> impl Iterator<Item = &'a Entry> {
        let list = if path.may_be_covered(&self.bytes) { self.list.as_slice() } else { &[] };
        let start = list.iter().rposition(|entry| entry.takes_out && entry.excludes(path)).map_or(0, |last| last + 1);
        list.iter().skip(start).filter(|entry| !entry.takes_out && entry.covers(path))
    }
}

/// Returns whether the last component of a pattern has a wildcard.
fn ends_with_wildcard(text: &str) -> bool {
    text.rsplit('/').next().is_some_and(|last| last.contains(['*', '?', '[', '\\']))
}

impl TryFrom<Vec<String>> for Entries {
    type Error = String;

    fn try_from(list: Vec<String>) -> Result<Self, String> {
        let mut entries = Vec::new();
        for text in list {
            let entry = Entry::new(&text)?;
            // The entry may match a folder, so everything below it is included.
            // An entry that removes paths is included only as written, because a wide one would remove default entries.
            let is_wide = text.starts_with('!') && ends_with_wildcard(&text);
            if !entry.is_folder() && !is_below_folder(&text) && !is_wide {
                entries.push(Entry { text: text.clone().into(), ..Entry::new(&format!("{text}/"))? });
            }
            entries.push(entry);
        }
        Ok(Entries::new(entries))
    }
}

impl Entry {
    fn new(written: &str) -> Result<Self, String> {
        let (text, takes_out) = written.strip_prefix('!').map_or((written, false), |rest| (rest, true));
        if text.starts_with('!') {
            return Err(format!("the entry `{written}` begins with two `!`"));
        }
        let refuse = |error: guard_sdk::globs::Error| error.to_string();
        let plain = plain(text).map_err(refuse)?;
        let (root, mut rest) = match plain.strip_prefix("~/") {
            Some(rest) => (Root::Home, rest),
            None => plain.strip_prefix('/').map_or((Root::Anywhere, plain.as_str()), |rest| (Root::Top, rest)),
        };
        // Names match at any depth, and `x/` means everything below it.
        while let (Root::Anywhere, Some(below)) = (root, rest.strip_prefix("**/")) {
            rest = below;
        }
        let folder = rest.strip_suffix("**").filter(|folder| folder.ends_with('/'));
        let rest = match (root, rest) {
            (Root::Anywhere, "**") => "*",
            _ => folder.unwrap_or(rest),
        };
        if rest.is_empty() || text == "~" {
            return Err(format!("the entry `{text}` names no file"));
        }
        let is_plain = !rest.contains(['{', '[', '\\']) && !rest.contains("**");
        let matter = if is_plain {
            let prefix = match root {
                Root::Home => "~/",
                Root::Top => "/",
                Root::Anywhere => "",
            };
            let text = format!("{prefix}{rest}");
            let shape = PatternShape::parse(&text);
            Matcher::Plain(text, shape)
        } else {
            let before = if root == Root::Anywhere { "**/" } else { "" };
            let after = if rest.ends_with('/') { "**" } else { "" };
            Matcher::Glob(root, Glob::new(&format!("{before}{rest}{after}")).map_err(refuse)?)
        };
        Ok(Entry { text: Cow::Owned(written.to_owned()), matter, takes_out })
    }

    /// The text as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it covers what is below a folder only because its last component has a wildcard.
    pub(crate) fn is_widened(&self) -> bool {
        self.is_folder() && !is_below_folder(&self.text) && ends_with_wildcard(&self.text)
    }

    /// Returns whether settings add it to this crate's lists.
    pub(crate) fn is_added(&self) -> bool {
        !matches!(self.matter, Matcher::Known(_))
    }

    /// Returns the entry's start, and its pattern from there on, without a trailing slash.
    pub(crate) fn pattern(&self) -> (Root, &str) {
        let (root, pattern) = match &self.matter {
            Matcher::Known(_) => (PatternShape::parse(&self.text).root(), &*self.text),
            Matcher::Plain(plain, shape) => (shape.root(), plain.as_str()),
            Matcher::Glob(root, glob) => (*root, glob.text()),
        };
        let begin = match root {
            Root::Anywhere => "**/",
            Root::Top => "/",
            Root::Home => "~/",
        };
        let pattern = pattern.strip_prefix(begin).unwrap_or(pattern);
        (root, pattern.strip_suffix("/**").unwrap_or(pattern).trim_end_matches('/'))
    }

    /// Returns whether it means everything below a folder.
    pub(crate) fn is_folder(&self) -> bool {
        match &self.matter {
            Matcher::Known(_) => self.text.ends_with('/'),
            Matcher::Plain(plain, _) => plain.ends_with('/'),
            Matcher::Glob(_, glob) => glob.text().ends_with("/**"),
        }
    }

    /// Returns whether the path is removed. A path with wildcards may also match other files, so it is only removed if
    /// all of them are.
    fn excludes(&self, path: &Path<'_>) -> bool {
        matches!(&self.matter, Matcher::Plain(plain, _) if plain == "*") || !path.has_wildcards() && self.covers(path)
    }

    pub(crate) fn covers(&self, path: &Path<'_>) -> bool {
        match &self.matter {
            Matcher::Known(shape) => path.is_covered(&self.text, *shape),
            Matcher::Plain(plain, shape) => path.is_covered(plain, *shape),
            Matcher::Glob(root, glob) => path.matches_glob(*root, glob),
        }
    }

    /// Returns the spelling for comparison and its shape. `None` for a glob.
    fn spelling(&self) -> Option<(&str, PatternShape)> {
        match &self.matter {
            Matcher::Known(shape) => Some((&self.text, *shape)),
            Matcher::Plain(plain, shape) => Some((plain, *shape)),
            Matcher::Glob(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(entry: &str, hits: &[&str], misses: &[&str]) {
        let entries = Entries::try_from(vec![entry.to_owned()]).unwrap();
        let covers = |path: &str| entries.covering_entries(&Path::new(path)).next().is_some();
        for path in hits {
            assert!(covers(path), "{entry} must cover {path}");
        }
        for path in misses {
            assert!(!covers(path), "{entry} must not cover {path}");
        }
    }

    #[test]
    fn every_spelling_of_a_pattern_covers_what_it_means() {
        check("sub/**", &["sub/a", "/repo/sub/a/b", "SUB/x"], &["sub", "subs/a"]);
        check("./y.txt", &["y.txt", "/repo/y.txt", "a/y.txt"], &["y.txt.md"]);
        check("[ab].txt", &["a.txt", "/repo/B.TXT"], &["c.txt", "ab.txt"]);
        check("*.{tf,env}", &["main.tf", "/repo/a/x.env"], &["main.tfx", "tf"]);
        check("{a,b}/", &["a/x", "/repo/b/x/y"], &["a", "c/x"]);
        check("a/**/b", &["a/b", "x/a/y/z/b"], &["b", "a"]);
        check("**/x", &["x", "a/x"], &["xy"]);
        check("/srv/**/[kl]ey", &["/srv/key", "/srv/a/b/ley"], &["srv/key", "/x/srv/key"]);
        check("~/.{aws,gcp}/**", &["/home/u/.aws/x", "~/.gcp/y"], &["/repo/.aws/x", "/home/u/x/.aws/y"]);
        check("**", &["a", "/a/b"], &[]);
        check("a//b/./c", &["a/b/c"], &["a/c"]);
        check("?.pem", &["a.pem", "/repo/A.PEM"], &["ab.pem", "pem"]);
        check("?/x", &["a/x", "/repo/B/X"], &["ab/x", "x"]);
    }

    #[test]
    fn a_pattern_that_matches_a_folder_covers_what_is_below_it() {
        check("db/migrations", &["db/migrations", "/repo/db/migrations/1.sql", "a/db/migrations/x/y"], &["db", "db/x"]);
        check("./certs", &["certs", "certs/a.txt", "/repo/CERTS/b"], &["certs.md", "mycerts/a"]);
        check("**/vault", &["vault", "a/vault/b"], &["vaults/a"]);
        check("/srv/keys", &["/srv/keys", "/srv/keys/a/b"], &["/x/srv/keys", "srv/keys"]);
        check("~/notes", &["/home/u/notes/a", "~/notes"], &["/repo/notes/a"]);
        check("{a,b}", &["a", "a/x", "y/b/x"], &["c"]);
        check("*.d", &["x.d", "x.d/y", "/repo/a/X.D/y/z"], &["x.dd/y"]);
        check("k?y", &["key", "key/x"], &["keys/x"]);
        check("db/*", &["db/a", "db/a/b", "/repo/db/a/b/c"], &["db", "dbs/a/b"]);
        check("db/mig*", &["db/migrations/1.sql", "a/db/mig/x"], &["db/x/1.sql", "mig/x"]);
        check("{a*,b/[cd]}", &["ax/y", "b/c/y", "x/b/d"], &["b/e/y", "c/y"]);
    }

    #[test]
    fn an_exclamation_mark_takes_out_what_stands_before_it() {
        let entries = |list: &[&str]| Entries::try_from(list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
        let covers =
            |list: &[&str], path: &str| entries(list).unwrap().covering_entries(&Path::new(path)).next().is_some();
        let list = [".env*", "keys", "!.env.ci", "!keys/public/"];
        for (path, is_covered) in [
            (".env", true),
            ("a/.env.ci", false),
            ("keys/a", true),
            ("keys/public/a", false),
            ("keys/public", true),
            // A shell pattern may also match another file.
            (".env.c*", true),
        ] {
            assert_eq!(covers(&list, path), is_covered, "{path}");
        }
        assert!(!covers(&["a", "b/", "!*"], "b/x") && covers(&["a", "!*", "b/"], "b/x"));
        assert!(covers(&["!x", "x"], "x") && !covers(&["x", "!x"], "x/y"));
    }

    #[test]
    fn a_folder_that_goes_as_a_whole_is_covered_by_what_covers_its_files() {
        let entries = Entries::try_from(vec!["{prod,live}/**".to_owned()]).unwrap();
        assert!(entries.covering_entries(&Path::new("/repo/prod").into_folder()).next().is_some());
        assert!(entries.covering_entries(&Path::new("/repo/prod")).next().is_none());
    }

    #[test]
    fn what_covers_no_file_is_refused_by_name() {
        for entry in ["", "/", "~/", "~", ".", "./", "../up", "a/../b", "{a", "a}", "[x", "!!x", " x", "x\\"] {
            let error = Entries::try_from(vec![entry.to_owned()]).unwrap_err();
            assert!(error.contains(&format!("`{entry}`")), "{entry}: {error}");
        }
    }

    #[test]
    fn the_bytes_of_a_list_leave_out_no_path_that_an_entry_covers() {
        let lists = crate::Lists::default();
        let folders = ["", "/", "/repo/a/", "a/b/", "~/", "/home/u/", "/home/corp/u/", "/mnt/d/home/u/"];
        for list in [&lists.blocked, &lists.confirm, &lists.exempt] {
            for entry in &list.list {
                let name = entry.text.trim_start_matches('~').trim_start_matches('/').replace('*', "x");
                for path in folders.iter().flat_map(|folder| ["", "/y", "."].map(|end| format!("{folder}{name}{end}")))
                {
                    let path = [path.clone(), path.to_uppercase(), format!("{path}/z*")].map(|path| path.clone());
                    for path in path.iter().map(|path| Path::new(path)) {
                        assert!(
                            !entry.covers(&path) || path.may_be_covered(&list.bytes),
                            "{} {}",
                            entry.text,
                            path.last_component()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_lists_of_the_crate_are_such_entries_themselves() {
        for list in [crate::defaults::BLOCKED, crate::defaults::CONFIRM, crate::defaults::EXEMPT] {
            for text in list {
                let entry = Entry::new(text).unwrap();
                assert!(matches!(&entry.matter, Matcher::Plain(plain, _) if plain == text), "{text}: {entry:?}");
            }
        }
    }
}
