//! Names of the contract, as other languages spell them.

/// `projectRelative` for `project-relative`.
pub fn camel(name: &str) -> String {
    let mut after_hyphen = false;
    let letters = name.chars().filter_map(|c| {
        let letter = if after_hyphen { c.to_ascii_uppercase() } else { c };
        after_hyphen = c == '-';
        (c != '-').then_some(letter)
    });
    letters.collect()
}

/// `ResolvedPath` for `resolved-path`.
pub fn pascal(name: &str) -> String {
    camel(&format!("-{name}"))
}
