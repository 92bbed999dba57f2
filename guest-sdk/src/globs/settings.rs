//! Patterns in lists of settings: which of them can match a path, and what each of them covers.

use super::{Error, Glob, expand};

/// Folders of a machine in which projects usually are.
const HOMES: [&str; 4] = ["home", "Users", "root", "workspaces"];

/// Normalizes a pattern for paths below a folder: removes `./` and doubled slashes, and replaces `x/` with `x/**`.
///
/// # Errors
///
/// If no path below a folder can match: the pattern is absolute, leads out of the folder, or is invalid.
pub fn relative(text: &str) -> Result<String, Error> {
    if text.starts_with('/') {
        let relative = text.trim_start_matches('/');
        // The path of the project's root isn't known here.
        let is_of_home = relative.split('/').next().is_some_and(|first| HOMES.contains(&first));
        let hint = match is_of_home {
            true => "remove the path of the root".to_owned(),
            false => format!("did you mean `{relative}`?"),
        };
        let problem = format!("it is absolute, and patterns begin at the project's root: {hint}");
        return Err(Error::new(text, problem));
    }
    if text.starts_with('~') {
        return Err(Error::new(text, "it is in a home, and patterns begin at the project's root"));
    }
    let plain = plain(text)?;
    if plain.is_empty() {
        return Err(Error::new(text, "it names the folder itself"));
    }
    Ok(if plain.ends_with('/') { format!("{plain}**") } else { plain })
}

/// Returns the patterns for an entry of a list: itself, and everything below a folder that it matches.
///
/// # Errors
///
/// As in [`relative`].
pub fn covering(text: &str) -> Result<Vec<Glob>, Error> {
    let text = relative(text)?;
    let mut globs = vec![Glob::new(&text)?];
    if !is_below_folder(&text) {
        globs.push(Glob::new(&format!("{text}/**"))?);
    }
    Ok(globs)
}

/// Returns whether a pattern matches everything below a folder, as `x/` and `x/**` do.
#[must_use]
pub fn is_below_folder(text: &str) -> bool {
    text.ends_with('/') || text == "**" || text.ends_with("/**")
}

/// Returns the literal folder that contains all matching paths. Empty if they have no folder in common.
#[must_use]
pub fn spelled_folder(text: &str) -> &str {
    let end = text.find(['*', '?', '[', '{', '\\']).unwrap_or(text.len());
    let spelled = text.get(..end).unwrap_or_default();
    if end == text.len() { spelled } else { spelled.rsplit_once('/').map_or("", |(folder, _)| folder) }
}

/// Checks that a path may be spelled like the text.
///
/// # Errors
///
/// If the text begins with `!`, is surrounded by blanks, contains a control character, or is a spelling that only a
/// shell or a browser understands: `$HOME/x`, `~bob/x`, `file:///x`.
pub fn possible(text: &str) -> Result<(), Error> {
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}');
    let is_of_somebody = || {
        let name = text.strip_prefix('~').and_then(|rest| rest.split_once('/')).map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let is_variable = || text.starts_with("${") || text.starts_with('$') && text.contains('/');
    let problem = if text.starts_with('!') {
        "this list doesn't allow `!`: leave the pattern out"
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

/// Normalizes a pattern by removing components that no path has: `.` and empty ones.
///
/// # Errors
///
/// If the pattern contains `..`, isn't [`possible`], or is invalid.
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
    use super::{covering, relative, spelled_folder};

    #[test]
    fn a_pattern_that_names_a_folder_covers_what_is_below_it() {
        let covers = |text: &str, path: &str| covering(text).unwrap().iter().any(|glob| glob.matches(path));
        for (text, path) in [
            ("db/migrations", "db/migrations"),
            ("db/migrations", "db/migrations/a/b"),
            ("./db/migrations", "db/migrations/a"),
            ("**/migrations", "x/migrations/a"),
            ("{db,sql}", "sql/a"),
            ("src/*", "src/a/b"),
            ("db/mig*", "db/migrations/a/b"),
            ("k?ys", "keys/a"),
            ("{db/*,x}", "db/a/b"),
            ("[ab]x", "ax/y"),
            ("*.d", "conf.d/a"),
        ] {
            assert!(covers(text, path), "{text} {path}");
        }
        for (text, path) in
            [("*.md", "a.mdx/b"), ("src/*", "src"), ("db", "dbs/a"), ("a/db", "db/a"), ("db/mig*", "db/x/mig/a")]
        {
            assert!(!covers(text, path), "{text} {path}");
        }
    }

    #[test]
    fn the_spelled_folder_ends_before_the_first_wildcard() {
        for (text, folder) in [("a/b", "a/b"), ("a/b/**", "a/b"), ("a/b*", "a"), ("*.md", ""), ("a/{b,c}/d", "a")] {
            assert_eq!(spelled_folder(text), folder, "{text}");
        }
    }

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
