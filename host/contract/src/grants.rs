//! [`Grants`]: what the configuration permits one policy to read and write.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::paths::{is_below, lexical};

/// The `[policy.grants]` of a configuration, unresolved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GrantSpec {
    /// Names of variables.
    pub env: Vec<String>,
    /// Files and folders. `~` and `${NAME}` are expanded for each call. `./` is the project of the file with the grant,
    /// or else the call's project.
    pub read: Vec<String>,
    /// Files by the names of their streams.
    pub journal: BTreeMap<String, String>,
}

impl GrantSpec {
    /// Adds a grant written as one word: `env:NAME`, `read:PATH` or `journal:STREAM=FILE`. Returns false if it has
    /// another form or could never apply.
    pub fn add(&mut self, grant: &str) -> bool {
        // Any valid value. The actual one is only known at the time of the call.
        let is_sound = |path: &str| expand(path, "/home", "/project", &|_| Some("/value".to_owned())).is_some();
        match grant.split_once(':') {
            Some(("env", name)) if is_variable(name) => self.env.push(name.to_owned()),
            Some(("read", path)) if is_sound(path) => self.read.push(path.to_owned()),
            Some(("journal", stream)) => match stream.split_once('=') {
                Some((name, path)) if !name.is_empty() && is_sound(path) => {
                    self.journal.insert(name.to_owned(), path.to_owned());
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// Creates grants for everything that a manifest requests. Streams get a placeholder file that isn't written to.
    #[must_use]
    pub fn from_wishes(wishes: &[String]) -> Self {
        let mut granted = GrantSpec::default();
        for wish in wishes {
            if let Some(stream) = wish.strip_prefix("journal:") {
                granted.journal.insert(stream.to_owned(), "/dev/null".to_owned());
            } else {
                granted.add(wish);
            }
        }
        granted
    }

    /// Returns the first grant that can never apply, as one word.
    #[must_use]
    pub fn void(&self) -> Option<String> {
        self.words().into_iter().find(|word| !GrantSpec::default().add(word))
    }

    /// Returns each grant as one word, in the form of [`GrantSpec::add`].
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let env = self.env.iter().map(|name| format!("env:{name}"));
        let read = self.read.iter().map(|path| format!("read:{path}"));
        let journal = self.journal.iter().map(|(name, path)| format!("journal:{name}={path}"));
        env.chain(read).chain(journal).collect()
    }

    /// Returns whether a manifest's request, `env:NAME`, `read:PATH` or `journal:STREAM`, is granted.
    #[must_use]
    pub fn covers(&self, wish: &str) -> bool {
        match wish.split_once(':') {
            Some(("env", name)) => self.env.iter().any(|granted| granted == name),
            Some(("read", path)) => self.read.iter().any(|granted| is_below(path, folder(granted))),
            Some(("journal", stream)) => self.journal.contains_key(stream),
            _ => false,
        }
    }

    /// Resolves the grants on this machine, in a project. Skips those that can't apply, and reads outside the project
    /// if the policy is limited to it.
    #[must_use]
    pub fn resolve(
        &self,
        home: &str,
        project: &str,
        limited: bool,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Grants {
        let inside = |path: &String| !limited || project != "/" && is_below(path, project);
        let expand = |path: &str| expand(path, home, project, variable);
        let read = self.read.iter().filter_map(|path| expand(path)).filter(inside).collect();
        let journal = self.journal.iter().filter_map(|(name, path)| Some((name.clone(), expand(path)?)));
        Grants { env: self.env.clone(), read, journal: journal.collect(), all: false }
    }
}

/// The resolved grants of a policy. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    /// Names of variables.
    pub env: Vec<String>,
    /// Files, and folders with everything below them.
    pub read: Vec<String>,
    /// Files by the names of their streams.
    pub journal: BTreeMap<String, String>,
    /// Whether everything is granted. For tests, whose world only contains what the policy may see.
    pub all: bool,
}

impl Grants {
    /// Creates the grants of a test.
    #[must_use]
    pub fn everything() -> Self {
        Grants { all: true, ..Grants::default() }
    }

    /// Returns the granted path that equals or contains `path`.
    #[must_use]
    pub fn read_root<'a>(&'a self, path: &'a str) -> Option<&'a str> {
        if self.all {
            return Some(path);
        }
        self.read.iter().map(String::as_str).find(|root| is_below(path, root))
    }

    /// Returns whether the variable may be read.
    #[must_use]
    pub fn allows_env(&self, name: &str) -> bool {
        self.all || self.env.iter().any(|granted| granted == name)
    }

    /// Returns whether the stream may be written to.
    #[must_use]
    pub fn allows_journal(&self, stream: &str) -> bool {
        self.all || self.journal.contains_key(stream)
    }
}

/// Returns whether a variable can have this name.
fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !name.contains(char::is_whitespace)
}

/// Removes a trailing `/**`: a folder is granted with everything below it anyway.
fn folder(path: &str) -> &str {
    path.strip_suffix("/**").unwrap_or(path)
}

/// Expands `${NAME}` and a leading `~` or `.`, and returns an absolute path.
///
/// `None` if the grant doesn't apply: a variable is unset or empty, its value or the whole path is relative, a segment
/// is `..`, or it is a pattern.
#[must_use]
pub fn expand(path: &str, home: &str, project: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let path = folder(path);
    if path.contains('*') {
        return None;
    }
    let mut text = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, tail) = after.split_once('}')?;
        let value = variable(name).filter(|value| value.starts_with('/'))?;
        text.push_str(before);
        text.push_str(&value);
        rest = tail;
    }
    text.push_str(rest);
    let text = match (text.strip_prefix("~/"), text.strip_prefix('.')) {
        (Some(below), _) if home.starts_with('/') => format!("{home}/{below}"),
        (_, Some(below)) if project.starts_with('/') && (below.is_empty() || below.starts_with('/')) => {
            format!("{project}/{below}")
        }
        _ => text,
    };
    let sound = text.starts_with('/') && !text.split('/').any(|segment| segment == "..") && !text.contains('\0');
    sound.then(|| lexical(&text, "/", home))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: Option<&str>) {
        let variable = |name: &str| match name {
            "DIR" => Some("/data/run".to_owned()),
            "EMPTY" => Some(String::new()),
            "RELATIVE" => Some("run".to_owned()),
            "UP" => Some("/data/../etc".to_owned()),
            _ => None,
        };
        assert_eq!(expand(path, "/home/u", "/repo", &variable).as_deref(), expected, "{path}");
    }

    #[test]
    fn a_grant_is_absolute_or_void() {
        check("/a/b", Some("/a/b"));
        check("~/x", Some("/home/u/x"));
        check("${DIR}/plan.yaml", Some("/data/run/plan.yaml"));
        check("${UNSET}/plan.yaml", None);
        check("${EMPTY}/plan.yaml", None);
        check("${RELATIVE}/plan.yaml", None);
        check("${UP}/plan.yaml", None);
        check("/a/../b", None);
        check("a/b", None);
        check("./policies", Some("/repo/policies"));
        check("./policies/**", Some("/repo/policies"));
        check("./", Some("/repo"));
        check(".", Some("/repo"));
        check(".guard", None);
        check("./../x", None);
        check("../x", None);
        check("./a/*.txt", None);
        check("~/x/**", Some("/home/u/x"));
        check("${DIR", None);
    }

    #[test]
    fn a_limited_policy_reads_in_its_project_alone() {
        let spec = GrantSpec {
            read: ["./a", "/repo/b", "/repository", "~/c"].map(str::to_owned).into(),
            ..GrantSpec::default()
        };
        let resolve = |project: &str, limited| spec.resolve("/home/u", project, limited, &|_| None).read;
        assert_eq!(resolve("/repo", true), ["/repo/a", "/repo/b"]);
        assert_eq!(resolve("/repo", false), ["/repo/a", "/repo/b", "/repository", "/home/u/c"]);
        assert_eq!(resolve("/", true), [""; 0]);
        assert_eq!(resolve("", false), ["/repo/b", "/repository", "/home/u/c"]);
        assert!(spec.covers("read:./a/x") && !spec.covers("read:./b"));
    }

    #[test]
    fn what_can_never_hold_is_found() {
        let spec = |read: &str| GrantSpec { read: vec![read.to_owned()], ..GrantSpec::default() };
        assert_eq!(spec("a/b").void().as_deref(), Some("read:a/b"));
        assert_eq!(spec("./a/*.txt").void().as_deref(), Some("read:./a/*.txt"));
        for sound in ["./a", "${X}/y", "~/a/**", "/a"] {
            assert_eq!(spec(sound).void(), None);
        }
    }

    #[test]
    fn a_folder_grants_what_is_below_it_and_nothing_beside_it() {
        let grants = Grants { read: vec!["/data".to_owned()], ..Grants::default() };
        assert!(grants.read_root("/data").is_some());
        assert!(grants.read_root("/data/x/y").is_some());
        assert!(grants.read_root("/database").is_none());
    }
}
