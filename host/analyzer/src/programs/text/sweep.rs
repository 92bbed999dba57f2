//! Searches for values of secrets in the whole folder, including hidden files. They print those in `.env`.

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::{Command, Word};

use crate::draft::Draft;
use crate::options::{Operand, Parsed, parse};
use crate::run::{Run, here};

/// The maximum number of names that are examined in a pattern.
const NAMES: usize = 16;

/// Words in searches for values of secrets.
const WORDS: &[&str] =
    &["API_KEY", "AUTH", "CREDENTIAL", "CREDENTIALS", "DATABASE_URL", "KEY", "PASS", "PASSWD", "SECRET"];

/// Adds a read of `.env` if a search would print its lines with secrets. Only the file system knows whether the file
/// exists.
pub(in crate::programs) fn find<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>, patterns_elsewhere: bool, recursive: bool) {
    let supplied = run.is_via("find-exec") || run.is_via("xargs");
    let takes_all = if recursive { takes_hidden(&run.name, run.arguments(), parsed) } else { supplied };
    if takes_all && selects_secrets(&run.name, parsed, run.cwd(), patterns_elsewhere, recursive) {
        reads_settings(run);
    }
}

/// Returns whether a search lists `.env` among the files that contain a secret: `grep -rl API_KEY .`.
pub(crate) fn lists_settings(command: &Command) -> bool {
    let words = command.argv.get(1..).unwrap_or_default();
    let parsed = parse(words, super::GREP, false);
    let lists = parsed.is("l", "files-with-matches");
    let name = command.program();
    let recursive = parsed.has("rR", "recursive") || matches!(name, "rg" | "ag");
    let patterns_elsewhere = parsed.is("e", "regexp") || parsed.is("f", "file");
    lists
        && recursive
        && takes_hidden(name, words, &parsed)
        && selects_secrets(name, &parsed, ".", patterns_elsewhere, recursive)
}

/// Names of languages in options that limit a search to their files: `ack --rust`.
const LANGUAGES: &[&str] =
    &["--cc", "--cpp", "--css", "--go", "--html", "--java", "--js", "--php", "--python", "--ruby", "--rust", "--ts"];

/// Returns whether the command prints lines of files of any name below a folder: `grep -r PATTERN .`, `rg PATTERN`.
pub(crate) fn prints_tree(command: &Command) -> bool {
    let name = command.program();
    let at = if name == "git" { 2 } else { 1 };
    let is_search = match name {
        "git" => command.word(1) == "grep",
        _ => matches!(name, "ack" | "ag" | "egrep" | "fgrep" | "ggrep" | "grep" | "rg" | "ug" | "ugrep" | "zgrep"),
    };
    if !is_search {
        return false;
    }
    let words = command.argv.get(at..).unwrap_or_default();
    let options = match name {
        "rg" => super::RG,
        "ack" | "ag" | "ug" | "ugrep" => super::AG,
        _ => super::GREP,
    };
    let parsed = parse(words, options, false);
    let goes_below = matches!(name, "ack" | "ag" | "git" | "rg" | "ug") || parsed.has("rR", "recursive");
    let tells = ["count", "quiet", "silent", "files", "files-with-matches", "files-without-match", "version", "help"];
    let is_type = |word: &Word| LANGUAGES.contains(&word.text.as_str());
    // A glob that begins with `!` leaves files out.
    let mut globs = parsed.values("", "include").chain(parsed.values("g", "glob")).chain(parsed.values("", "iglob"));
    let is_limited = globs.any(|glob| !glob.text.starts_with('!'))
        || parsed.is("", "type")
        || name == "rg" && parsed.is("t", "")
        || matches!(name, "ag") && parsed.is("G", "file-search-regex")
        || words.iter().any(is_type);
    let roots = parsed.from(usize::from(!parsed.is("e", "regexp") && !parsed.is("f", "file")));
    let is_file = |root: &Operand<'_>| {
        let name = root.text.rsplit('/').next().unwrap_or_default();
        name.trim_start_matches('.').contains('.') && !root.text.ends_with('/')
    };
    goes_below
        && !is_limited
        && !parsed.is("qclL", "")
        && !tells.iter().any(|name| parsed.is("", name))
        && (roots.is_empty() || !roots.iter().all(is_file))
}

/// Returns whether a search in the working directory looks for values of secrets, in files of any name.
fn selects_secrets(name: &str, parsed: &Parsed<'_>, cwd: &str, patterns_elsewhere: bool, recursive: bool) -> bool {
    // A search with filters is a search in the sources.
    let narrows = ["include", "exclude", "exclude-from", "exclude-dir", "glob", "iglob", "type", "ignore"];
    if narrows.iter().any(|name| parsed.is("", name)) || name == "rg" && parsed.is("gtT", "") {
        return false;
    }
    let is_here =
        |operand: &Operand<'_>| matches!(operand.text.trim_end_matches('/'), "." | "./.") || operand.text == cwd;
    let roots = parsed.from(usize::from(!patterns_elsewhere));
    if !(roots.iter().any(is_here) || recursive && roots.is_empty()) {
        return false;
    }
    // Programs that only search everything on request, such as `rg`, match names in any case.
    let any_case = parsed.is("iyS", "ignore-case") || name != "grep" && !name.ends_with("grep") && name != "git";
    let mut given = parsed.values("e", "regexp").map(|value| value.text.to_string()).take(NAMES);
    if patterns_elsewhere {
        given.any(|pattern| asks_for_values(&pattern, any_case))
    } else {
        asks_for_values(parsed.text(0), any_case)
    }
}

/// Adds a read of `.env`, which is shown if it exists.
pub(in crate::programs) fn reads_settings(run: &mut Run<'_>) {
    let word = Word { text: ".env".to_owned(), ..here() };
    run.read_as(&Operand::of(&word), Draft::routine("read", "fs.read").certain(false).flag("swept", true));
}

/// Returns whether a recursive search includes hidden and ignored files.
fn takes_hidden(name: &str, words: &[Word], parsed: &Parsed<'_>) -> bool {
    let times = words.iter().map(|word| match word.text.as_str() {
        "--unrestricted" => 1,
        text if text.starts_with('-') && !text.starts_with("--") => text.matches('u').count(),
        _ => 0,
    });
    match name {
        "rg" => {
            let hidden = parsed.is(".", "hidden");
            times.sum::<usize>() >= 2 || hidden && (parsed.is("u", "no-ignore") || parsed.is("", "no-ignore-vcs"))
        }
        "ag" => times.sum::<usize>() >= 1 || parsed.is("", "hidden") && parsed.is("U", "skip-vcs-ignores"),
        "ack" => false,
        "ug" | "ugrep" => parsed.is(".", "hidden"),
        _ => true,
    }
}

/// Returns whether a pattern matches any line, or consists only of names of secrets. Variables have capital letters.
fn asks_for_values(pattern: &str, any_case: bool) -> bool {
    if matches!(pattern, "" | "." | ".*" | ".+" | "^" | "$" | "=") {
        return true;
    }
    let mut names = pattern.split('|').take(NAMES).map(|name| {
        name.trim_matches(|char: char| !char.is_ascii_alphanumeric() && char != '_').trim_end_matches(".*")
    });
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_secret = |name: &str| {
        let folded = name.to_ascii_uppercase();
        (any_case || folded == name)
            && (likelihood(name) == Some(Likelihood::Likely) || WORDS.contains(&folded.trim_matches('_')))
    };
    let all_names = names.clone().all(is_name);
    all_names && names.any(is_secret)
}

#[cfg(test)]
mod tests {
    use super::asks_for_values;

    #[test]
    fn a_pattern_of_names_asks_for_their_values() {
        for pattern in ["", ".", "API_KEY", "KEY", "SECRET_KEY=", "(SECRET|KEY)=", "PASSWORD|TOKEN", "^DB_PASSWORD=.*"]
        {
            assert!(asks_for_values(pattern, false), "{pattern}");
        }
        for pattern in ["api_key", "import token", "TODO", "fn main", "KEY_PATH", "getToken()", "a|b", "os.environ"] {
            assert!(!asks_for_values(pattern, false), "{pattern}");
        }
        assert!(asks_for_values("api_key", true));
    }
}
