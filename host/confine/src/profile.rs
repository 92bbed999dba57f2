//! [`Profile`]: what a command may do, as a file that people read and edit.

use serde::Deserialize;

/// The permissions of a command beyond reading unguarded files.
///
/// A path is absolute, starts at the home with `~/`, or is relative to the working directory. A path that ends with `/`
/// is a folder with everything in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// Guarded files that it may read.
    pub read: Vec<String>,
    /// Files and folders that it may create, change, rename and delete.
    pub write: Vec<String>,
    /// Patterns of files and folders that it may create, change, rename and delete. `*` matches any text.
    pub patterns: Vec<String>,
    /// Whether it may use the network.
    pub net: bool,
    /// Whether it may use Unix sockets, through which services act on its behalf.
    pub unix_sockets: bool,
    /// Symbolic links that it may replace and delete. They aren't followed.
    #[serde(skip)]
    pub links: Vec<String>,
    /// Paths in the analysis that are omitted because they lead through these links.
    #[serde(skip)]
    pub through: Vec<String>,
}

/// The error for an invalid profile.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProfileError(String);

impl Profile {
    /// Parses a profile from TOML.
    ///
    /// # Errors
    ///
    /// The text isn't TOML, or has an unknown key.
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        toml::from_str(text).map_err(|error| ProfileError(error.to_string().trim_end().to_owned()))
    }

    /// Formats the profile as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let patterns = match self.patterns.as_slice() {
            [] => String::new(),
            patterns => {
                format!("# What it may write as well: `*` is any text in a name.\n{}\n", list("patterns", patterns))
            }
        };
        format!(
            "# Guarded files that it may read. Everything that is not guarded can be read.\n{}\n\
             # What it may write. `x/` is a folder and everything in it.\n{}\n{patterns}\
             # The network, and Unix sockets, through which services act for it.\nnet = {}\nunix-sockets = {}\n",
            list("read", &self.read),
            list("write", &self.write),
            self.net,
            self.unix_sockets
        )
    }

    /// Adds everything that another profile allows, without duplicates.
    pub fn add(&mut self, other: Profile) {
        for (list, more) in [
            (&mut self.read, other.read),
            (&mut self.write, other.write),
            (&mut self.patterns, other.patterns),
            (&mut self.links, other.links),
            (&mut self.through, other.through),
        ] {
            for path in more {
                if !list.contains(&path) {
                    list.push(path);
                }
            }
        }
        self.net |= other.net;
        self.unix_sockets |= other.unix_sockets;
    }
}

fn list(key: &str, paths: &[String]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| toml::Value::String(path.clone()).to_string()).collect();
    match paths.as_slice() {
        [] => format!("{key} = []"),
        [path] => format!("{key} = [{path}]"),
        paths => format!("{key} = [\n  {},\n]", paths.join(",\n  ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_profile_reads_as_itself() {
        let profile = Profile {
            read: vec!["~/.npmrc".into()],
            write: vec!["target/".into(), "a \"b\".txt".into(), "line\nbreak".into()],
            patterns: vec!["out/*.o".into()],
            net: true,
            ..Profile::default()
        };
        assert_eq!(Profile::from_toml(&profile.to_toml()).unwrap(), profile);
        assert_eq!(Profile::from_toml(&Profile::default().to_toml()).unwrap(), Profile::default());
    }

    #[test]
    fn a_key_that_no_profile_has_is_an_error() {
        let error = Profile::from_toml("writes = []").unwrap_err();
        assert!(error.to_string().contains("writes"), "{error}");
    }

    #[test]
    fn a_path_is_added_once() {
        let mut profile = Profile { write: vec!["a".into()], ..Profile::default() };
        profile.add(Profile { write: vec!["a".into(), "b".into()], net: true, ..Profile::default() });
        assert_eq!(profile, Profile { write: vec!["a".into(), "b".into()], net: true, ..Profile::default() });
    }
}
