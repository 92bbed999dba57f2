//! Paths as text: no file system is asked, so links are not seen.

/// The components of `path` without `.`, `..` and empty ones, joined by slashes; no slash at either end.
///
/// `..` at the start stays there, as in the kernel at the root.
#[must_use]
pub fn without_dots(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()),
            name => components.push(name),
        }
    }
    components.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_by_text() {
        for (path, expected) in
            [("/a//b/./c/", "a/b/c"), ("../a", "a"), ("a/../../b", "b"), ("", ""), ("~/x/..", "~"), ("...", "...")]
        {
            assert_eq!(without_dots(path), expected, "{path}");
        }
    }
}
