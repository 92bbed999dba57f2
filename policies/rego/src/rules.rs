//! The rules: a single one, which reports the rules of the text.

pub(crate) mod policy;
