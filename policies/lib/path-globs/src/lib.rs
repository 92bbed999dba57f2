//! Patterns in the settings of the policies and of the host: the globs of the SDK, and which of them can match a path.
//! `PATTERNS.md` in `policies/` is the page for users.

pub use guard_sdk::globs::{Error, Glob, expand};

/// A pattern for paths below a folder, in the one spelling that paths have: without `./` and doubled slashes, and with
/// `x/**` for all that is in the folder `x/`.
///
/// # Errors
///
/// No path below a folder is like that: it is absolute, leads out of the folder, or is no pattern.
pub fn relative(text: &str) -> Result<String, Error> {
    let refuse = |problem| Err(Error::new(text, problem));
    if text.starts_with('/') || text.starts_with('~') {
        return refuse("it is absolute, and paths are compared from the folder on");
    }
    let plain = plain(text)?;
    if plain.is_empty() {
        return refuse("it names the folder itself");
    }
    Ok(if plain.ends_with('/') { format!("{plain}**") } else { plain })
}

/// Whether a path may be spelled as the text is.
///
/// # Errors
///
/// It begins with `!`, stands between blanks, holds a control character, or is a spelling that only a shell or a browser
/// knows: `$HOME/x`, `~bob/x`, `file:///x`.
pub fn possible(text: &str) -> Result<(), Error> {
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}');
    let is_of_somebody = || {
        let name = text.strip_prefix('~').and_then(|rest| rest.split_once('/')).map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let is_variable = || text.starts_with("${") || text.starts_with('$') && text.contains('/');
    let problem = if text.starts_with('!') {
        "a `!` does not turn a pattern round; a list of exceptions does"
    } else if text.starts_with(is_blank) || text.ends_with(is_blank) {
        "blanks stand around it, and no path has them"
    } else if text.contains(char::is_control) {
        "it holds a control character"
    } else if text.contains("://") {
        "it is an address: name the path alone"
    } else if is_of_somebody() {
        "only `~/` is a home: name the other one from the root"
    } else if is_variable() {
        "variables are not filled in: name the path from the root or with `~/`"
    } else {
        return Ok(());
    };
    Err(Error::new(text, problem))
}

/// A pattern without components that no path has: `.`, and those between two slashes.
///
/// # Errors
///
/// It has `..`, is not [`possible`], or is no pattern.
pub fn plain(text: &str) -> Result<String, Error> {
    let refuse = |problem| Err(Error::new(text, problem));
    possible(text)?;
    Glob::new(text)?;
    for pattern in expand(text)? {
        if pattern.split('/').any(|component| component == "..") {
            return refuse("it leads upwards with `..`: name the path from the root or the home instead");
        }
    }
    let is_component = |component: &&str| !component.is_empty() && *component != ".";
    let mut plain = if text.starts_with('/') { "/".to_owned() } else { String::new() };
    plain.push_str(&text.split('/').filter(is_component).collect::<Vec<_>>().join("/"));
    if !plain.is_empty() && !plain.ends_with('/') && (text.ends_with('/') || text.ends_with("/.")) {
        plain.push('/');
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn a_pattern_below_a_folder_has_one_spelling() {
        for (text, plain) in [
            ("a", "a"),
            ("./a/./b//c", "a/b/c"),
            ("a/", "a/**"),
            ("a/.", "a/**"),
            ("**/", "**/**"),
            ("a/**", "a/**"),
            (".env*", ".env*"),
        ] {
            assert_eq!(relative(text).as_deref(), Ok(plain), "{text}");
        }
        for text in ["", ".", "./", "/a", "~/a", "~", "../a", "a/../b", "{a,../b}/c", " a", "a ", "!a", "{a"] {
            assert!(relative(text).is_err(), "{text}");
        }
    }
}
