//! The rules: one, which carries those of the settings.

pub(crate) mod policy;
