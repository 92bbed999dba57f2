//! Word syntax that only zsh supports. A harness's shell may be zsh, and bash gives this syntax no other meaning.

use super::is_name;

/// Returns the name in `${=NAME}`, `${(z)NAME}` and similar, whose value is split into words even in double quotes.
pub(super) fn split_name(inner: &str) -> Option<&str> {
    let rest = match flags(inner) {
        Some((flags, rest)) if flags.chars().all(|flag| "zfA@kvwQ=".contains(flag)) => rest,
        Some(_) => return None,
        None => inner,
    };
    let name = rest.trim_start_matches(['=', '~', '^']);
    (name.len() < inner.len() && is_name(name)).then_some(name)
}

/// Returns whether a name follows the marks in `$=NAME`, `$==NAME`, `$~NAME`.
pub(super) fn is_marked_name(text: &str) -> bool {
    let name = text.trim_start_matches(['=', '~', '^']);
    text.len() - name.len() <= 2 && name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
}

/// Returns whether `${...}` hides a part of the result: it expands the value again, uses it as a name, or splits and
/// joins it.
pub(crate) fn hides(source: &str) -> bool {
    let inner = source.strip_prefix("${").unwrap_or(source);
    let slice = |(name, rest): (&str, &str)| is_name(name) && rest.trim_end_matches("]}").contains(',');
    flags(inner).is_some_and(|(flags, _)| flags.contains(['e', 'P', 's', 'j', 'p', 'g', '%']))
        || inner.ends_with("]}") && inner.split_once('[').is_some_and(slice)
}

/// Splits `(FLAGS)REST`.
fn flags(inner: &str) -> Option<(&str, &str)> {
    inner.strip_prefix('(')?.split_once(')')
}

/// Returns the code that a pattern's qualifiers run for each file: `*(e:'CODE':)`, `*(+NAME)`.
pub(crate) fn code_of_qualifiers(inner: &str) -> Option<String> {
    let qualifier = |char: char| char.is_ascii_alphanumeric() || "./@=%*^-,#".contains(char);
    // A delimiter that is also a letter of other qualifiers: `e,'CODE',`.
    let quote = inner.find(['\'', '"']).filter(|at| {
        let before: Vec<char> = inner.chars().take(*at).collect();
        matches!(before.as_slice(), [.., 'e', '/' | ',' | '.' | '=' | '@' | '%' | '^' | '-' | '#'])
    });
    if let Some((_, code)) = quote.and_then(|at| inner.split_at_checked(at)) {
        let (_, open) = code.split_at_checked(1)?;
        return open.split_once(['\'', '"']).map(|(code, _)| code.to_owned());
    }
    let at = inner.find(|char: char| !qualifier(char))?;
    let (before, rest) = inner.split_at_checked(at)?;
    if let Some(name) = rest.strip_prefix('+') {
        let end = name.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(name.len());
        return name.get(..end).filter(|name| is_name(name)).map(str::to_owned);
    }
    let open = rest.chars().next().filter(|_| before.ends_with('e'))?;
    let close = match open {
        '{' => '}',
        '[' => ']',
        '(' => ')',
        '<' => '>',
        other => other,
    };
    let (code, _) = rest.get(open.len_utf8()..)?.rsplit_once(close)?;
    let code = code.trim_matches(['\'', '"']);
    (!code.is_empty() && open != '|').then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_in_qualifiers() {
        for (inner, expected) in [
            ("e:'rm a':", Some("rm a")),
            (".e{date}", Some("date")),
            ("e'date'", Some("date")),
            ("+task", Some("task")),
            ("e,'date',", Some("date")),
            ("e|f", None),
            ("a|b", None),
            ("cache:*", None),
            ("om[1]", None),
        ] {
            assert_eq!(code_of_qualifiers(inner).as_deref(), expected, "{inner}");
        }
    }

    #[test]
    fn names_stand_behind_flags() {
        for (inner, expected) in [
            ("=x", Some("x")),
            ("(z)x", Some("x")),
            ("(f)=x", Some("x")),
            ("(s:,:)x", None),
            ("x", None),
            ("x=y", None),
        ] {
            assert_eq!(split_name(inner), expected, "{inner}");
        }
        assert!(hides("${(e)x}") && hides("${(s:,:)x}") && !hides("${(z)x}") && !hides("${x:-(e)}"));
    }
}
