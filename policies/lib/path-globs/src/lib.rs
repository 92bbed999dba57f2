//! Globs over paths: the patterns that users of several policies write.
//!
//! `*` is any text within a component and `?` one character of it, `[a-z]` and `[!a-z]` are sets, `{a,b}` is either
//! text, `\*` is a star. `**` alone between slashes is any number of components: none or more at the start and in the
//! middle, at least one at the end. Case counts unless [`Glob::folded`] is asked. A pattern also matches its own text.
//!
//! Looks at no file system and never fails: what is no pattern is literal text. A small part of what `globset`
//! does: without its automata a guest stays small.
//!
//! ```
//! use policy_path_globs::Glob;
//!
//! let glob = Glob::new("src/**/*.{rs,toml}");
//! assert!(glob.matches("src/a/b/lib.rs"));
//! assert!(!glob.matches("tests/src/lib.rs"));
//! ```

mod segment;

use segment::Segment;

/// The longest pattern that is read as one. A longer one is literal text.
const LONGEST: usize = 1024;

/// The most patterns that the braces of one pattern may stand for.
const ALTERNATIVES: usize = 64;

/// A pattern over a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    text: String,
    alternatives: Vec<Vec<Step>>,
    problem: Option<&'static str>,
}

/// What stands between two slashes of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    One(Segment),
    /// `**`
    Any,
}

impl Glob {
    /// Reads a pattern. One that cannot be read matches its own text alone; [`Glob::problem`] says why.
    #[must_use]
    pub fn new(text: &str) -> Self {
        match alternatives(text) {
            Ok(alternatives) => Glob { text: text.to_owned(), alternatives, problem: None },
            Err(problem) => Glob { text: text.to_owned(), alternatives: Vec::new(), problem: Some(problem) },
        }
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the pattern is literal text.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        self.problem
    }

    /// Whether the pattern matches the whole path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.text == path || self.any(path, false, false)
    }

    /// Whether the pattern matches the path or a folder that holds it.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        let folder = self.text.trim_end_matches('/');
        let below = path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        below && !self.text.is_empty() || self.any(path, false, true)
    }

    /// [`Glob::matches`] with upper and lower case of ASCII letters as one.
    #[must_use]
    pub fn folded(&self, path: &str) -> bool {
        self.text.eq_ignore_ascii_case(path) || self.any(path, true, false)
    }

    fn any(&self, path: &str, fold: bool, prefix: bool) -> bool {
        let components: Vec<&str> = path.split('/').collect();
        self.alternatives.iter().any(|steps| steps_match(steps, &components, fold, prefix))
    }
}

/// Matches from the left; after a mismatch the last `**` takes one component more. With `prefix`, what follows a match
/// of the whole pattern is not looked at.
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

fn alternatives(text: &str) -> Result<Vec<Vec<Step>>, &'static str> {
    if text.is_empty() {
        return Err("it is empty");
    }
    if text.len() > LONGEST {
        return Err("it is longer than 1,024 bytes");
    }
    expand(text)?.iter().map(|pattern| pattern.split('/').map(step).collect()).collect()
}

fn step(text: &str) -> Result<Step, &'static str> {
    if text == "**" { Ok(Step::Any) } else { Segment::new(text).map(Step::One) }
}

/// The patterns that the braces of one stand for. Braces do not nest.
fn expand(text: &str) -> Result<Vec<String>, &'static str> {
    let mut patterns = vec![String::new()];
    let mut rest = text;
    while let Some(open) = find(rest, b'{') {
        let (before, after) = rest.split_at(open);
        let inside = after.get(1..).unwrap_or_default();
        let close = find(inside, b'}').ok_or("a `{` is not closed")?;
        let (choices, tail) = inside.split_at(close);
        if find(choices, b'{').is_some() {
            return Err("braces stand in braces");
        }
        let mut expanded = Vec::new();
        for pattern in &patterns {
            expanded.extend(choices.split(',').map(|choice| format!("{pattern}{before}{choice}")));
        }
        if expanded.len() > ALTERNATIVES {
            return Err("its braces stand for more than 64 patterns");
        }
        patterns = expanded;
        rest = tail.get(1..).unwrap_or_default();
    }
    Ok(patterns.into_iter().map(|pattern| pattern + rest).collect())
}

/// Where `wanted` stands outside of a backslash.
fn find(text: &str, wanted: u8) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let found = byte == wanted && !escaped;
        escaped = byte == b'\\' && !escaped;
        found
    })
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[track_caller]
    fn check(pattern: &str, hits: &[&str], misses: &[&str]) {
        let glob = Glob::new(pattern);
        assert_eq!(glob.problem(), None, "{pattern}");
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
        check(r"\*.md", &["*.md"], &["a.md"]);
        check("?", &["a", "é"], &["", "ab"]);
    }

    #[test]
    fn a_pattern_matches_its_own_text() {
        check("src/[id]/page.tsx", &["src/[id]/page.tsx", "src/i/page.tsx"], &["src/x/page.tsx"]);
    }

    #[test]
    fn what_is_no_pattern_is_literal_text() {
        let long = "a".repeat(2000);
        for text in ["[a", "{a", "{a,{b}}", "a\\", "x[", &long, &"{a,b}".repeat(9)] {
            let glob = Glob::new(text);
            assert!(glob.problem().is_some(), "{text}");
            assert!(glob.matches(text) && !glob.matches("a") && !glob.matches("x"), "{text}");
        }
    }

    #[test]
    fn a_folder_covers_what_is_below_it() {
        assert!(Glob::new("/home/u/projects").covers("/home/u/projects/a/b"));
        assert!(!Glob::new("/home/u/projects").covers("/home/u/projects2"));
        let below = Glob::new("/home/u/projects/*");
        assert!(below.covers("/home/u/projects/a/b.txt") && !below.covers("/home/u/projects"));
        assert!(Glob::new("/a/**/z").covers("/a/b/c/z/d"));
        assert!(Glob::new("/").covers("/a") && Glob::new("/a/").covers("/a/b"));
        assert!(!Glob::new("").covers("/a"));
    }

    #[test]
    fn case_is_folded_on_request_only() {
        let glob = Glob::new("*.[k]ey");
        assert!(glob.folded("Server.KEY") && !glob.matches("Server.KEY"));
        assert!(Glob::new(".git/**").folded(".GIT/config"));
    }

    #[test]
    fn hostile_lengths_end_soon() {
        let start = std::time::Instant::now();
        let glob = Glob::new(&format!("{}b", "**/a*a*a/".repeat(100)));
        assert!(!glob.matches(&"aaaa/".repeat(20_000)));
        assert!(!Glob::new(&"*a".repeat(500)).matches(&format!("{}b", "a".repeat(4_000))));
        assert!(start.elapsed().as_secs() < 5);
    }
}
