//! [`Entries`]: one list, as it is written and as it is compared.
//!
//! Nearly all entries are plain names, which [`Path`] compares without a pattern being read; the others become globs.

use std::borrow::Cow;

use policy_path_globs::{Glob, plain};
use serde::Deserialize;

use crate::pattern::{Path, Root};

/// A list, read from the texts of its entries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Entries(Vec<Entry>);

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As it was written, for messages.
    text: Cow<'static, str>,
    matter: Matter,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Matter {
    /// As it is written.
    Known,
    /// In the spelling that [`Path`] compares.
    Plain(String),
    /// A pattern over the components from a root on.
    Glob(Root, Glob),
}

impl Entries {
    /// A list of this crate's own.
    pub(crate) fn known(list: &[&'static str]) -> Self {
        Entries(list.iter().map(|text| Entry { text: Cow::Borrowed(text), matter: Matter::Known }).collect())
    }

    /// The entries that cover the path.
    pub(crate) fn covering<'a>(&'a self, path: &Path<'_>) -> impl Iterator<Item = &'a Entry> {
        self.0.iter().filter(|entry| entry.covers(path))
    }
}

impl TryFrom<Vec<String>> for Entries {
    type Error = String;

    fn try_from(list: Vec<String>) -> Result<Self, String> {
        list.into_iter().map(Entry::new).collect::<Result<_, _>>().map(Entries)
    }
}

impl Entry {
    fn new(text: String) -> Result<Self, String> {
        let refuse = |error: policy_path_globs::Error| error.to_string();
        let plain = plain(&text).map_err(refuse)?;
        let (root, mut rest) = match plain.strip_prefix("~/") {
            Some(rest) => (Root::Home, rest),
            None => plain.strip_prefix('/').map_or((Root::Anywhere, plain.as_str()), |rest| (Root::Top, rest)),
        };
        // Names are looked for at any depth, and `x/` is all that is below it.
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
            Matter::Plain(format!("{prefix}{rest}"))
        } else {
            let before = if root == Root::Anywhere { "**/" } else { "" };
            let after = if rest.ends_with('/') { "**" } else { "" };
            Matter::Glob(root, Glob::new(&format!("{before}{rest}{after}")).map_err(refuse)?)
        };
        Ok(Entry { text: Cow::Owned(text), matter })
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// It means all that is below a folder.
    pub(crate) fn is_folder(&self) -> bool {
        match &self.matter {
            Matter::Known => self.text.ends_with('/'),
            Matter::Plain(plain) => plain.ends_with('/'),
            Matter::Glob(_, glob) => glob.text().ends_with("/**"),
        }
    }

    fn covers(&self, path: &Path<'_>) -> bool {
        match &self.matter {
            Matter::Known => path.is_covered_by(&self.text),
            Matter::Plain(plain) => path.is_covered_by(plain),
            Matter::Glob(root, glob) => path.fits_glob(*root, glob),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(entry: &str, hits: &[&str], misses: &[&str]) {
        let entries = Entries::try_from(vec![entry.to_owned()]).unwrap();
        let covers = |path: &str| entries.covering(&Path::new(path)).next().is_some();
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
    fn a_folder_that_goes_as_a_whole_is_covered_by_what_covers_its_files() {
        let entries = Entries::try_from(vec!["{prod,live}/**".to_owned()]).unwrap();
        assert!(entries.covering(&Path::new("/repo/prod").into_folder()).next().is_some());
        assert!(entries.covering(&Path::new("/repo/prod")).next().is_none());
    }

    #[test]
    fn what_covers_no_file_is_refused_by_name() {
        for entry in ["", "/", "~/", "~", ".", "./", "../up", "a/../b", "{a", "a}", "[x", "!x", " x", "x\\"] {
            let error = Entries::try_from(vec![entry.to_owned()]).unwrap_err();
            assert!(error.contains(&format!("`{entry}`")), "{entry}: {error}");
        }
    }

    #[test]
    fn the_lists_of_the_crate_are_such_entries_themselves() {
        for list in [crate::defaults::BLOCKED, crate::defaults::CONFIRM, crate::defaults::EXEMPT] {
            for text in list {
                let entry = Entry::new((*text).to_owned()).unwrap();
                assert!(matches!(&entry.matter, Matter::Plain(plain) if plain == text), "{text}: {entry:?}");
            }
        }
    }
}
