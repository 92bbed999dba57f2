//! Globs over paths: the one dialect of every pattern that users of guard-host write for paths and branches. It is that of
//! the crate `globset`, with `*` kept within a component.
//!
//! `*` matches any text within a component and `?` one character of it, `[a-z]` and `[!a-z]` are sets, `{a,b}` matches
//! either text and may nest, and `\*` is a literal star. `**` alone between slashes matches any number of components:
//! zero or more at the start and in the middle, at least one at the end. Case matters, except in [`Glob::folded`]. A
//! pattern also matches its own text.
//!
//! Doesn't access the file system. An invalid pattern is an [`Error`], so that it can't be mistaken for one that
//! protects something. Doesn't use the automata of `globset`, which would add 750 KB of WebAssembly to a guest.
//!
//! ```
//! use guard_sdk::globs::{Glob, glob};
//!
//! let sources = Glob::new("src/**/*.{rs,toml}").unwrap();
//! assert!(sources.matches("src/a/b/lib.rs"));
//! assert!(!sources.matches("tests/src/lib.rs"));
//! assert!(glob("*.key", "server.key").unwrap());
//! assert!(glob("src/{a,b", "src/a").is_err());
//! ```

mod overlap;
mod segment;
mod settings;

use std::borrow::Cow;
use std::fmt;

use segment::Segment;
pub use settings::{covering, is_below_folder, plain, possible, relative, spelled_folder};

/// The longest pattern in bytes.
const LONGEST: usize = 1024;

/// The maximum number of patterns that braces may expand to.
const ALTERNATIVES: usize = 64;

/// Represents a slash in a name that isn't a path.
const NO_SLASH: &str = "\u{1}";

/// The reason why a pattern is invalid, or can't match anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pattern: String,
    problem: Cow<'static, str>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pattern `{}`: {}", self.pattern, self.problem)
    }
}

impl std::error::Error for Error {}

impl From<Error> for crate::Error {
    fn from(error: Error) -> Self {
        crate::Error::from(error.to_string())
    }
}

impl Error {
    /// Creates the error of a caller that accepts fewer patterns.
    #[must_use]
    pub fn new(pattern: &str, problem: impl Into<Cow<'static, str>>) -> Self {
        Error { pattern: pattern.to_owned(), problem: problem.into() }
    }
}

/// A compiled pattern for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    text: String,
    alternatives: Vec<Vec<Step>>,
}

/// Returns whether a pattern matches a whole path. For several paths, parse the pattern once with [`Glob::new`].
///
/// # Errors
///
/// If the pattern is invalid.
pub fn glob(pattern: &str, path: &str) -> Result<bool, Error> {
    Ok(Glob::new(pattern)?.matches(path))
}

/// The part of a pattern between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    One(Segment),
    /// `**`
    Any,
}

impl Glob {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern is invalid.
    pub fn new(text: &str) -> Result<Self, Error> {
        let of = |pattern: &String| pattern.split('/').map(step).collect::<Result<_, _>>();
        let alternatives = expand(text)?.iter().map(of).collect::<Result<_, _>>();
        let alternatives = alternatives.map_err(|problem| Error::new(text, problem))?;
        Ok(Glob { text: text.to_owned(), alternatives })
    }

    /// Returns a pattern that only matches this path, for use in a larger pattern.
    #[must_use]
    pub fn escaped(path: &str) -> String {
        let mut text = String::with_capacity(path.len());
        for c in path.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | ',' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
        text
    }

    /// Parses a pattern for a name that isn't a path, such as a branch: `*` matches any text, including slashes.
    ///
    /// # Errors
    ///
    /// If the pattern is invalid.
    pub fn of_name(text: &str) -> Result<Self, Error> {
        let glob = Glob::new(&text.replace('/', NO_SLASH));
        glob.map_err(|error| Error::new(text, error.problem))
    }

    /// Creates a pattern that only matches this text.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Glob { text: text.to_owned(), alternatives: Vec::new() }
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether a pattern of [`Glob::of_name`] matches the whole name.
    #[must_use]
    pub fn matches_name(&self, name: &str) -> bool {
        self.folded(&name.replace('/', NO_SLASH))
    }

    /// Like [`Glob::folded`], for the components of a path.
    #[must_use]
    pub fn fits(&self, components: &[&str]) -> bool {
        self.alternatives.iter().any(|steps| steps_match(steps, components, true, false))
    }

    /// Returns whether the pattern matches the whole path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.text == path || self.any(path, false, false)
    }

    /// Returns whether the pattern matches the path or a folder that contains it.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        let folder = self.text.trim_end_matches('/');
        let below = path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        below && !self.text.is_empty() || self.any(path, false, true)
    }

    /// Like [`Glob::matches`], but ignores the case of ASCII letters.
    #[must_use]
    pub fn folded(&self, path: &str) -> bool {
        self.text.eq_ignore_ascii_case(path) || self.any(path, true, false)
    }

    fn any(&self, path: &str, fold: bool, prefix: bool) -> bool {
        let components: Vec<&str> = path.split('/').collect();
        self.alternatives.iter().any(|steps| steps_match(steps, &components, fold, prefix))
    }
}

/// Matches from the left. After a mismatch, the last `**` takes one more component. With `prefix`, the components after
/// a match of the whole pattern are ignored.
fn steps_match(steps: &[Step], components: &[&str], fold: bool, prefix: bool) -> bool {
    let (mut step, mut at) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let fits = match (steps.get(step), components.get(at)) {
            (Some(Step::Any), component) => {
                if step + 1 == steps.len() {
                    return component.is_some();
                }
                retry = Some((step + 1, at));
                step += 1;
                continue;
            }
            (Some(Step::One(segment)), Some(component)) => segment.matches(component, fold),
            (None, Some(_)) => prefix,
            (None, None) => return true,
            (Some(Step::One(_)), None) => return false,
        };
        if fits && step == steps.len() {
            return true;
        }
        if fits {
            (step, at) = (step + 1, at + 1);
        } else if let Some((after, from)) = retry {
            retry = Some((after, from + 1));
            (step, at) = (after, from + 1);
        } else {
            return false;
        }
    }
}

fn step(text: &str) -> Result<Step, &'static str> {
    if text == "**" { Ok(Step::Any) } else { Segment::new(text).map(Step::One) }
}

/// Expands the braces of a pattern, in order. A brace in a set or after a backslash is literal.
///
/// # Errors
///
/// If a brace isn't closed, or if there are too many.
pub fn expand(text: &str) -> Result<Vec<String>, Error> {
    let problem = match text.len() {
        0 => Some("it is empty"),
        LONGEST.. => Some("it is longer than 1,024 bytes"),
        _ => None,
    };
    let expanded = problem.map_or_else(|| braces(text), Err);
    expanded.map_err(|problem| Error::new(text, problem))
}

fn braces(text: &str) -> Result<Vec<String>, &'static str> {
    let mut done = Vec::new();
    // Inner braces are opened last, so the first ones are expanded and the result is expanded again.
    let mut open = vec![text.to_owned()];
    while let Some(pattern) = open.pop() {
        match first_braces(&pattern)? {
            None => done.push(pattern),
            Some((before, choices, after)) => {
                open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
        }
        if done.len() + open.len() > ALTERNATIVES {
            return Err("its braces stand for more than 64 patterns");
        }
    }
    Ok(done)
}

/// The text before the first braces, their alternatives, and the text after them.
type Braces<'a> = (&'a str, Vec<&'a str>, &'a str);

fn first_braces(text: &str) -> Result<Option<Braces<'_>>, &'static str> {
    let (mut escaped, mut in_set, mut depth) = (false, None, 0_usize);
    // The indexes of the opening brace and of its own commas.
    let mut cuts: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        let was_escaped = std::mem::take(&mut escaped);
        match (c, in_set) {
            _ if was_escaped => {}
            ('\\', None) => escaped = true,
            // A `]` at the start of a set is literal.
            (']', Some(start)) if at > start => in_set = None,
            (_, Some(_)) => {}
            ('[', None) => {
                let negated = text.get(at + 1..).is_some_and(|rest| rest.starts_with(['!', '^']));
                in_set = Some(at + 1 + usize::from(negated));
            }
            ('{', None) => {
                depth += 1;
                if depth == 1 {
                    cuts.push(at);
                }
            }
            (',', None) if depth == 1 => cuts.push(at),
            ('}', None) if depth == 0 => return Err("a `}` has no `{` before it"),
            ('}', None) => {
                depth -= 1;
                if depth == 0 {
                    cuts.push(at);
                    let choices = cuts.windows(2).filter_map(|pair| text.get(pair.first()? + 1..*pair.last()?));
                    let before = cuts.first().and_then(|first| text.get(..*first)).unwrap_or_default();
                    return Ok(Some((before, choices.collect(), text.get(at + 1..).unwrap_or_default())));
                }
            }
            _ => {}
        }
    }
    if depth > 0 { Err("a `{` is not closed") } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[track_caller]
    fn check(pattern: &str, hits: &[&str], misses: &[&str]) {
        let glob = Glob::new(pattern).unwrap();
        for path in hits {
            assert!(glob.matches(path), "{pattern} must match {path}");
        }
        for path in misses {
            assert!(!glob.matches(path), "{pattern} must not match {path}");
        }
    }

    #[test]
    fn a_star_stays_within_a_component() {
        check("*.key", &["server.key", "api.key", ".key"], &["keys/server.key", "server.key.md", "server.KEY"]);
        check("*", &["a"], &["a/b"]);
        check("a/*/c", &["a/b/c"], &["a/c", "a/b/b/c"]);
        check(".env*", &[".env", ".env.local", ".envrc"], &["config/.env", "a.env"]);
    }

    #[test]
    fn two_stars_are_any_number_of_components() {
        check(".git/**", &[".git/config", ".git/hooks/pre-commit"], &[".github/workflows", ".gitignore", ".git"]);
        check("src/**", &["src/index.ts", "src/lib/util.ts"], &["test/src/mock.ts", "src", "SRC/x"]);
        let agents = ["plugins/iflow/agents/foo.md", "plugins/agents/x.md", "plugins/a/b/agents/x.md"];
        check("plugins/**/agents/*.md", &agents, &["plugins/iflow/skills/foo.md", "plugins/a/agents/sub/x.md"]);
        check("**/*.rs", &["a.rs", "a/b/c.rs"], &["a.rs/b"]);
        check("**", &["a", "a/b"], &[]);
        check("a/**/b/**/c", &["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], &["a/c", "a/b/x"]);
        check("a**b", &["ab", "axxb"], &["a/b"]);
    }

    #[test]
    fn sets_braces_and_escapes() {
        check("*.[ch]", &["a.c", "a.h"], &["a.x", "a."]);
        check("[!a-c]x", &["dx", "éx"], &["ax", "x"]);
        check("[]]", &["]"], &["["]);
        check("*.{js,ts}", &["a.js", "a.ts"], &["a.jsx", "a.{js,ts"]);
        check("{src,lib}/{a,b}*", &["src/a", "lib/bc"], &["src/c"]);
        check("{a/**,{b,c}/{d,}}x", &["a/x", "b/x", "c/dx"], &["bx", "b/c/x"]);
        check("[{,]x", &["{x", ",x"], &["x"]);
        check("{}a", &["a"], &["{a"]);
        check(r"\*.md", &["*.md"], &["a.md"]);
        check("?", &["a", "é"], &["", "ab"]);
    }

    #[test]
    fn a_pattern_matches_its_own_text() {
        check("src/[id]/page.tsx", &["src/[id]/page.tsx", "src/i/page.tsx"], &["src/x/page.tsx"]);
    }

    #[test]
    fn what_is_no_pattern_is_an_error_that_names_it() {
        let long = "a".repeat(2000);
        for text in ["", "[a", "{a", "a}", "{a,{b}", "a\\", "x[", "{a,[}", "[z-a]", &long, &"{a,b}".repeat(9)] {
            let error = Glob::new(text).unwrap_err();
            assert!(error.to_string().contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn in_a_name_a_star_is_any_text() {
        let glob = Glob::of_name("release/*").unwrap();
        assert!(glob.matches_name("release/1/x") && glob.matches_name("RELEASE/1") && !glob.matches_name("release"));
        assert!(Glob::of_name("{main,master}").unwrap().matches_name("main"));
        assert!(Glob::of_name("{main").unwrap_err().to_string().contains("`{main`"));
    }

    #[test]
    fn a_folder_covers_what_is_below_it() {
        assert!(Glob::new("/home/u/projects").unwrap().covers("/home/u/projects/a/b"));
        assert!(!Glob::new("/home/u/projects").unwrap().covers("/home/u/projects2"));
        let below = Glob::new("/home/u/projects/*").unwrap();
        assert!(below.covers("/home/u/projects/a/b.txt") && !below.covers("/home/u/projects"));
        assert!(Glob::new("/a/**/z").unwrap().covers("/a/b/c/z/d"));
        assert!(Glob::new("/").unwrap().covers("/a") && Glob::new("/a/").unwrap().covers("/a/b"));
    }

    #[test]
    fn case_is_folded_on_request_only() {
        let glob = Glob::new("*.[k]ey").unwrap();
        assert!(glob.folded("Server.KEY") && !glob.matches("Server.KEY"));
        assert!(Glob::new(".git/**").unwrap().folded(".GIT/config"));
    }

    #[test]
    fn hostile_lengths_end_soon() {
        let start = std::time::Instant::now();
        let glob = Glob::new(&format!("{}b", "**/a*a*a/".repeat(100))).unwrap();
        assert!(!glob.matches(&"aaaa/".repeat(20_000)));
        assert!(!Glob::new(&"*a".repeat(500)).unwrap().matches(&format!("{}b", "a".repeat(4_000))));
        assert!(start.elapsed().as_secs() < 5);
    }
}
