//! Stands for the crate `unicode_names2`, whose tables take a megabyte, in the parser of Python: no character has a name.
//!
//! A text with `\N{…}` does not parse then, and the reader of scripts says so.

/// The character of a name; none is known.
#[must_use]
pub fn character(_name: &str) -> Option<char> {
    None
}
