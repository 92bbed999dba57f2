//! [`Pattern`]: a user's regular expression for the text of a command.
//!
//! Accepts the syntax of Python's `re`. `regex-lite` compiles nearly all expressions and runs them in linear time.
//! Expressions with look-around, backreferences or a literal `{` run in the backtracking [`Backtracker`].
//!
//! # Why not `fancy-regex`
//!
//! A WebAssembly library with this crate is 146 KB. With `fancy-regex` 0.17 it is 967 KB, or 611 KB without Unicode,
//! which disables case folding. The whole bundle is 4.2 MB. [`Backtracker`] counts each step and gives up after two
//! million, while `fancy-regex` only counts backtracks. With the same limit, `(?!x)(a+)+$b` in 20,000 letters took 0.1
//! s here and 3.2 s there. In 1 MB of commands, a look-around took 0.2 s here, where it gave up, and 0.4 s there.
//! Compiling an expression and matching `ls -la` took 0.04 ms here and 0.2 ms there.

mod looking;
mod parse;

use regex_lite::{Regex, RegexBuilder};

use looking::Backtracker;

/// The maximum size of a compiled expression in bytes.
const PROGRAM_BYTES: usize = 64 << 10;

/// An expression for the position before a match at a word's start: the start of the text, a non-word character, a `-`
/// outside of a word, or a word character if the match doesn't begin with one.
const WORD_STARTS: &str = r"(?:^|[^\w-]|(?:^|\W)-|\w\b|-\B)";

/// An expression for the position after a match at a word's end.
const WORD_ENDS: &str = r"(?:$|[^\w-]|-(?:\W|$)|\b\w|\B-)";

/// A regular expression.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    machine: Machine,
}

#[derive(Debug, Clone)]
enum Machine {
    Linear(Regex),
    Backtracker(Backtracker),
}

impl Pattern {
    /// Parses an expression. With `fold`, case is ignored.
    ///
    /// # Errors
    ///
    /// If the text isn't a valid expression.
    pub fn new(text: &str, fold: bool) -> Result<Self, String> {
        Self::compile(text, text, fold)
    }

    /// Parses an expression whose matches begin and end at word boundaries: `npm run x` matches neither `pnpm run x`
    /// nor `npm run x-y`. A word consists of letters, digits, `_`, and `-` between them. An end of the expression that
    /// isn't a word character needs no boundary.
    ///
    /// # Errors
    ///
    /// As in [`Pattern::new`].
    pub fn parse_words(text: &str, fold: bool) -> Result<Self, String> {
        Self::compile(text, text, fold)?;
        // An explicit `\b` overrides the word boundary.
        let starts = if text.starts_with(r"\b") { "" } else { WORD_STARTS };
        let ends = if text.ends_with(r"\b") { "" } else { WORD_ENDS };
        Self::compile(text, &format!("{starts}(?:{text}){ends}"), fold)
    }

    /// Compiles `expression`, which was made from the user's `text`.
    fn compile(text: &str, expression: &str, fold: bool) -> Result<Self, String> {
        let refuse = |why: &str| Err(format!("`{text}` is no regular expression: {why}"));
        if text.is_empty() {
            return refuse("it is empty");
        }
        let linear = RegexBuilder::new(expression).case_insensitive(fold).size_limit(PROGRAM_BYTES).build();
        let machine = match linear {
            Ok(regex) => Machine::Linear(regex),
            // The expression is valid, and backtracking would only be slower.
            Err(error) if error.to_string().contains("size limit") => return refuse("it is too large"),
            Err(error) => match Backtracker::new(expression, fold) {
                Ok(looking) => Machine::Backtracker(looking),
                // If both engines reject the expression, the more precise error is used.
                Err(parse::Error::Invalid) => return refuse(&error.to_string()),
                Err(parse::Error::Unknown(why)) => return refuse(why),
            },
        };
        Ok(Pattern { text: text.to_owned(), machine })
    }

    /// The expression as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether a part of the text matches. A search that exceeds the limits is a match, so that no unexamined
    /// text passes.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match &self.machine {
            Machine::Linear(regex) => regex.is_match(text),
            Machine::Backtracker(looking) => looking.matches(text).unwrap_or(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_pattern_of_words_matches_whole_words() {
        let hits = |pattern: &str, text: &str| Pattern::parse_words(pattern, true).unwrap().matches(text);
        for (pattern, text) in [
            ("npm run deploy", "npm run deploy"),
            ("npm run deploy", "x && npm run deploy; y"),
            ("npm run deploy", "npm run deploy:prod"),
            ("npm run deploy", "/usr/bin/npm run deploy -- -v"),
            ("force", "git push --force"),
            ("--force", "git push --force"),
            ("-rf", "rm -rf x"),
            ("rm -rf /", "rm -rf /tmp/test"),
            ("deploy|deploy-docs", "make deploy-docs"),
            ("^deploy .*--env[ =]prod\\b", "deploy web --env=prod-2"),
            ("make .*prod.*", "make x-production"),
            ("/etc", "/etc/hosts"),
            ("rm(?! -i)", "rm x"),
            ("(a)b\\1", "aba x"),
            ("sudo ", "sudo ls"),
            ("> ~/\\.bashrc", "echo x > ~/.bashrc"),
        ] {
            assert!(hits(pattern, text), "{pattern} must match {text}");
        }
        for (pattern, text) in [
            ("npm run deploy", "pnpm run deploy"),
            ("npm run deploy", "npm run deploy-docs"),
            ("npm run deploy", "npm run deployment"),
            ("npm install", "cnpm install"),
            ("drop", "dropdb x"),
            ("--force", "git push --force-with-lease"),
            ("web", "my-web x"),
            ("rm(?! -i)", "farm x"),
        ] {
            assert!(!hits(pattern, text), "{pattern} must not match {text}");
        }
    }

    #[track_caller]
    fn check(pattern: &str, hits: &[&str], misses: &[&str]) {
        let read = Pattern::new(pattern, false).unwrap();
        for text in hits {
            assert!(read.matches(text), "{pattern} must match {text:?}");
        }
        for text in misses {
            assert!(!read.matches(text), "{pattern} must not match {text:?}");
        }
    }

    #[test]
    fn look_around_is_what_python_makes_of_it() {
        check(r"rm (?!-i)", &["rm -rf x", "rm x"], &["rm -i x"]);
        check(r"rm (?=.*-f)(?=.*-r)", &["rm -r -f", "rm -fr -r"], &["rm -r", "rm -f"]);
        check(r"(?<!git )push", &["npm push", "push"], &["git push"]);
        check(r"(?<=sudo )rm", &["sudo rm"], &["rm", "sudo  rm"]);
        check(r"^(?!.*--dry-run).*terraform apply", &["terraform apply x"], &["terraform apply --dry-run"]);
        check(r"curl (?!https://(example|internal)\.org)\S+", &["curl http://x"], &["curl https://internal.org/"]);
        check(r"git push(?! origin (feature|fix)/)", &["git push origin main"], &["git push origin fix/a"]);
        check(r"(?!x)", &["", "x"], &[]);
        check(r"(?=ab)a(?=b)b$", &["ab", "xab"], &["abc"]);
        check(r"\b(?!foo\b)\w+\b", &["bar", "foobar"], &["foo"]);
    }

    #[test]
    fn what_stands_around_look_around_works_as_elsewhere() {
        check(r"(?!z)a{2,3}b", &["aab", "aaab", "xaaab"], &["ab"]);
        check(r"(?!z)[^a-c\]\d]x", &["dx", "-x"], &["ax", "]x", "1x"]);
        check(r"(?!z)(?:ab|cd)+?e", &["abcde"], &["abc"]);
        check(r"(?!z)^\s*\d+\.\D\Z", &["  12.x"], &["12.x\n"]);
        check(r"(?i)(?!z)RM\b", &["rm x", "Rm"], &["rmx"]);
        check(r"(?!z)(?i:a)b", &["Ab", "ab"], &["aB"]);
        check(r"(?m)(?!z)^b$", &["a\nb\nc"], &["ab"]);
        check(r"(?s)(?!z)a.b", &["a\nb"], &[]);
        check(r"(?!z)a.b", &["axb"], &["a\nb"]);
        check(r"(?!z)(?P<q>['\x22]).*(?P=q)", &["'a'", "\"a\""], &["'a\""]);
        check(r"(a)(b)?\1", &["aa", "aba"], &["ab"]);
        check(r"(?!z)é\u00e9?\t?", &["é"], &["e"]);
        check(r"(?#why)(?!z)[]x]", &["]", "x"], &["a"]);
        check(r"(?!z)(x*)*y", &["xxy", "y"], &["x"]);
        check(r"(?!z)(?:a|)+b", &["b", "ab"], &["a"]);
    }

    #[test]
    fn a_brace_that_counts_nothing_is_a_character() {
        check(r":(){ :|:& };:", &[":{ :", "x:& };:"], &[":"]);
        check(r"\$\{HOME}", &["${HOME}"], &["$HOME"]);
        check(r"a{,2}b{x}", &["b{x}", "aab{x}"], &["ab"]);
    }

    #[test]
    fn a_long_pattern_needs_no_more_of_the_stack() {
        let long = "ab".repeat(300);
        let cut = long.strip_prefix("a").unwrap_or_default();
        check(&format!("(?!x){long}$"), &[&long], &[cut, &"ab".repeat(299)]);
    }

    #[test]
    fn case_is_folded_on_request() {
        assert!(Pattern::new("(?!x)ÄB[c-d]", true).unwrap().matches("äbD"));
        assert!(!Pattern::new("(?!x)ab", false).unwrap().matches("AB"));
    }

    #[test]
    fn what_is_no_expression_is_an_error_that_names_it() {
        for text in ["", "(", "a)", "[a", "*a", "(?!", "(?<!", "a(?!b", "a**(?!b)", "(?!a)\\", "(?!x)[z-a]", "(?!x)\\q"]
        {
            let error = Pattern::new(text, false).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
        for text in ["(?!x)a{5,2}", "(?!x)\\2", "(?!x)(?P=no)", "(?z)(?!x)", "(?!x)a{9999}", "(?(1)a|b)", "(?!(x"] {
            assert!(Pattern::new(text, false).is_err(), "{text}");
        }
        let deep = format!("(?!x){}a{}", "(".repeat(5_000), ")".repeat(5_000));
        assert!(Pattern::new(&deep, false).is_err());
        let long = format!("(?!x){}", "a".repeat(100_000));
        assert!(Pattern::new(&long, false).is_err());
    }

    #[test]
    fn what_takes_too_long_counts_as_a_match() {
        let start = std::time::Instant::now();
        let text = "a".repeat(20_000);
        for pattern in [r"(?!x)(a+)+$b", r"(?!x)(a|aa)+c", r"(?!x)(?:a*)*b", r"(?!x)(.*)(.*)(.*)(.*)x\4"] {
            let _ = Pattern::new(pattern, false).unwrap().matches(&text);
        }
        assert!(Pattern::new(r"(?!x)(a+)+$b", false).unwrap().matches(&text));
        assert!(!Pattern::new(r"(?!x)b", false).unwrap().matches(&text));
        assert!(start.elapsed().as_secs() < 10);
    }
}
