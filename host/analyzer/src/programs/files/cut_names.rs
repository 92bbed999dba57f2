//! Names of which only a piece is kept, so that those of several files may become the same.

use guard_sdk::syntax::Part;

/// Returns whether the part is a piece of a name: the result of an expansion, or of programs in a substitution.
pub(super) fn is_piece(part: &Part) -> bool {
    match part.kind.as_str() {
        "variable" => is_cut(part.text.trim_start_matches("${").trim_end_matches('}')),
        "command" => is_cut_by_programs(&part.text),
        _ => false,
    }
}

/// `BASH_REMATCH[1]`, `name%%-*`, `name:0:3`
fn is_cut(expansion: &str) -> bool {
    let end = expansion.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(expansion.len());
    let (name, rest) = expansion.split_at_checked(end).unwrap_or_default();
    if name == "BASH_REMATCH" {
        return rest.starts_with('[');
    }
    if let Some(pattern) = rest.strip_prefix("%%") {
        return drops_the_rest(pattern);
    }
    // With a length, unlike `name:4`.
    rest.strip_prefix(':').is_some_and(|range| {
        let mut numbers = range.split(':');
        let is_number = |text: Option<&str>| text.is_some_and(|text| text.trim().bytes().all(|b| b.is_ascii_digit()));
        is_number(numbers.next()) && is_number(numbers.next().filter(|length| !length.is_empty()))
    })
}

/// Returns whether a pattern matches the rest of the name from a character other than a dot. Without its extension, a
/// name is still distinct.
fn drops_the_rest(pattern: &str) -> bool {
    let start = pattern.trim_start_matches(['\\', '[', '"', '\'']);
    pattern.ends_with('*') && pattern.len() > 1 && !start.starts_with('.')
}

/// `$(echo "$name" | cut -d_ -f1)`
fn is_cut_by_programs(text: &str) -> bool {
    let inner = text.trim_start_matches("$(").trim_matches(['`', ')']);
    let Some(last) = inner.rsplit(" | ").next().filter(|_| inner.contains('$')).map(str::trim) else { return false };
    let mut words = last.split_whitespace();
    match words.next() {
        Some("cut" | "gcut") => keeps_a_field(words),
        Some("grep" | "egrep") => words.any(|word| word.starts_with('-') && word.contains('o')),
        Some("head") => words.any(|word| word.starts_with("-c")),
        Some("awk" | "gawk" | "mawk") => {
            last.contains("print $1}")
                && !["-F.", "-F '.'", "-F'.'", "-F\".\"", "-F\\."].iter().any(|dot| last.contains(dot))
        }
        Some("sed" | "gsed") => replaces_the_rest(last),
        _ => false,
    }
}

/// Returns whether `cut` keeps one field, or characters up to a position. Removing only the extension doesn't count.
fn keeps_a_field<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let mut words = words.map(|word| word.trim_matches(['"', '\'']));
    let (mut kept, mut by_dots) = ("", false);
    while let Some(word) = words.next() {
        let value = |rest: &'a str| if rest.is_empty() { None } else { Some(rest) };
        if let Some(rest) = ["-f", "-c", "-b"].iter().find_map(|option| word.strip_prefix(option)) {
            kept = value(rest).or_else(|| words.next()).unwrap_or_default();
        } else if let Some(rest) = word.strip_prefix("-d") {
            by_dots = value(rest.trim_matches(['"', '\''])).or_else(|| words.next()) == Some(".");
        }
    }
    !kept.is_empty() && !kept.ends_with('-') && !kept.contains(',') && !by_dots
}

/// Returns whether `sed` replaces the rest of the name by a text without parts of it.
fn replaces_the_rest(script: &str) -> bool {
    let start = script.find([' ', '\'', '"']).and_then(|at| script.get(at..)).unwrap_or(script);
    let Some(rest) = start.find("s").and_then(|at| start.get(at + 1..)) else { return false };
    let Some(delimiter) = rest.chars().next().filter(|sign| sign.is_ascii_punctuation()) else { return false };
    let mut parts = rest.split(delimiter).skip(1);
    let (Some(pattern), Some(text)) = (parts.next(), parts.next()) else { return false };
    let pattern = pattern.trim_end_matches('$');
    let is_extension = ["\\.", "[.]"].iter().any(|dot| pattern.starts_with(dot));
    pattern.ends_with(".*") && !is_extension && !text.contains(['&', '\\', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_piece_of(kind: &str, text: &str) -> bool {
        is_piece(&Part { kind: kind.to_owned(), text: text.to_owned(), quoted: true })
    }

    #[test]
    fn expansions_that_keep_a_piece_are_told_from_those_that_drop_an_extension() {
        for text in ["${BASH_REMATCH[1]}", "BASH_REMATCH[2]", "${f%%-*}", "f%%_*", "${f:0:4}", "${f%% *}"] {
            assert!(is_piece_of("variable", text), "{text}");
        }
        for text in [
            "f",
            "${f%.*}",
            "${f%%.*}",
            "${f%%[.]*}",
            "${f##*/}",
            "${f#x-}",
            "${f:4}",
            "${f/a/b}",
            "${f%%-x}",
            "${f,,}",
        ] {
            assert!(!is_piece_of("variable", text), "{text}");
        }
    }

    #[test]
    fn programs_that_keep_a_piece_are_told_from_those_that_change_one() {
        for text in [
            "$(echo $f | sed 's/ at .*//')",
            "$(echo \"$f\" | cut -d_ -f1)",
            "$(echo \"$f\" | cut -c1-4)",
            "$(basename \"$f\" | grep -oE '[0-9]+')",
            "$(echo $f | awk -F- '{print $1}')",
            "`echo $f | head -c 3`",
        ] {
            assert!(is_piece_of("command", text), "{text}");
        }
        for text in [
            "$(echo $f | sed 's/ /_/g')",
            "$(echo $f | sed 's/\\..*//')",
            "$(echo $f | sed 's/.*-\\(.*\\)/\\1/')",
            "$(echo \"$f\" | cut -d. -f1)",
            "$(echo \"$f\" | cut -c5-)",
            "$(echo \"$f\" | cut -d_ -f2-)",
            "$(basename $f .txt)",
            "$(echo $f | tr A-Z a-z)",
            "$(date | cut -c1-3)",
        ] {
            assert!(!is_piece_of("command", text), "{text}");
        }
    }
}
