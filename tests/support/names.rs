//! Names of the contract in other languages' spellings.

/// Converts `project-relative` to `projectRelative`.
pub fn camel(name: &str) -> String {
    let mut after_hyphen = false;
    let letters = name.chars().filter_map(|c| {
        let letter = if after_hyphen { c.to_ascii_uppercase() } else { c };
        after_hyphen = c == '-';
        (c != '-').then_some(letter)
    });
    letters.collect()
}

/// Converts `resolved-path` to `ResolvedPath`.
pub fn pascal(name: &str) -> String {
    camel(&format!("-{name}"))
}
