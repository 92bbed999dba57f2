//! [`Program`]: a program whose effects a family states, and how its names are written.

use crate::options::{Options, Parsed};
use crate::run::Run;

/// States the effects of a command.
pub(super) type EffectFn = for<'a> fn(&mut Run<'a>, &Parsed<'a>);

/// One program.
pub(crate) struct Program {
    /// Its names, in lower case.
    pub(super) names: &'static [&'static str],
    /// Which of its options take a value.
    pub(super) options: Options,
    pub(super) act: EffectFn,
}

impl Program {
    pub(super) const fn new(names: &'static [&'static str], options: Options, act: EffectFn) -> Program {
        Program { names, options, act }
    }
}

/// `python` for `python3.12`.
pub(crate) fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-')
}
