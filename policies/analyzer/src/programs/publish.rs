//! Package managers that are also interpreters, and modules of Python that publish.
//!
//! What package managers do stands in `programs/`.

use guard_sdk::syntax::Word;

use super::{migrations, table};
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// What `bun` and `deno` do as package managers, which is what npm does.
pub(super) fn package_manager<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let name = run.name.clone();
    table::find_as(run, "npm", &name, words);
}

/// `python -m twine upload` and its kin.
pub(super) fn python_module<'a>(run: &mut Run<'a>, module: &Operand<'a>, parsed: &Parsed<'a>) {
    migrations::of_program(run, &module.text, parsed.rest);
}
