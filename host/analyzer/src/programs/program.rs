//! [`Program`]: a program in the table of a family.

use crate::options::{Options, Parsed};
use crate::run::Run;

/// Adds the effects of a command.
pub(super) type EffectFn = for<'a> fn(&mut Run<'a>, &Parsed<'a>);

pub(crate) struct Program {
    /// The program's names, in lower case.
    pub(super) names: &'static [&'static str],
    /// The options that take a value.
    pub(super) options: Options,
    pub(super) act: EffectFn,
}

impl Program {
    pub(super) const fn new(names: &'static [&'static str], options: Options, act: EffectFn) -> Program {
        Program { names, options, act }
    }
}

/// Removes the version from a name: `python` for `python3.12`.
pub(crate) fn unversioned(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-')
}
