//! The rules: a single one, which reports the rules of the settings.

pub(crate) mod policy;
