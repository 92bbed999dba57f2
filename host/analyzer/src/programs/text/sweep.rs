//! Searches for values of secrets in the whole folder, including hidden files. They print those in `.env`.

use guard_sdk::secret_names::{Likelihood, likelihood};
use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Parsed};
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
    let takes_all = if recursive { takes_hidden(run, parsed) } else { supplied };
    // A search with filters is a search in the sources.
    let narrows = ["include", "exclude", "exclude-from", "exclude-dir", "glob", "iglob", "type", "ignore"];
    if !takes_all || narrows.iter().any(|name| parsed.is("", name)) || run.name == "rg" && parsed.is("gtT", "") {
        return;
    }
    let is_here =
        |operand: &Operand<'_>| matches!(operand.text.trim_end_matches('/'), "." | "./.") || operand.text == run.cwd();
    let roots = parsed.from(usize::from(!patterns_elsewhere));
    if !(roots.iter().any(is_here) || recursive && roots.is_empty()) {
        return;
    }
    // Programs that only search everything on request, such as `rg`, match names in any case.
    let any_case =
        parsed.is("iyS", "ignore-case") || run.name != "grep" && !run.name.ends_with("grep") && run.name != "git";
    let mut given = parsed.values("e", "regexp").map(|value| value.text.to_string()).take(NAMES);
    let asks = if patterns_elsewhere {
        given.any(|pattern| asks_for_values(&pattern, any_case))
    } else {
        asks_for_values(parsed.text(0), any_case)
    };
    if asks {
        reads_settings(run);
    }
}

/// Adds a read of `.env`, which is shown if it exists.
pub(in crate::programs) fn reads_settings(run: &mut Run<'_>) {
    let word = Word { text: ".env".to_owned(), ..here() };
    run.read_as(&Operand::of(&word), Draft::routine("read", "fs.read").certain(false).flag("swept", true));
}

/// Returns whether a recursive search includes hidden and ignored files.
fn takes_hidden(run: &Run<'_>, parsed: &Parsed<'_>) -> bool {
    let times = run.arguments().iter().map(|word| match word.text.as_str() {
        "--unrestricted" => 1,
        text if text.starts_with('-') && !text.starts_with("--") => text.matches('u').count(),
        _ => 0,
    });
    match run.name.as_str() {
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
