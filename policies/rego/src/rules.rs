//! The rules: one, which carries those of the text.

pub(crate) mod policy;
