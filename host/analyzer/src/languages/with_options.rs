//! The program of a `sed` or `awk` call: in options, in files, or in the first operand.

use crate::options::{Operand, Parsed};

/// The code that a call runs.
#[derive(Debug)]
pub(crate) struct ProgramText<'a> {
    pub(crate) text: String,
    /// Whether all of it is known.
    pub(crate) known: bool,
    /// The number of operands before the files.
    pub(crate) operands: usize,
    /// The files with the program.
    pub(crate) files: Vec<Operand<'a>>,
}

/// Joins the pieces of a program in order, separated by newlines. The first `skip` operands aren't pieces.
pub(super) fn given<'a>(
    parsed: &Parsed<'a>,
    texts: &[&str],
    files: &[&str],
    skip: usize,
    content: impl Fn(&Operand<'a>) -> Option<String>,
) -> ProgramText<'a> {
    let mut given = ProgramText { text: String::new(), known: true, operands: skip, files: Vec::new() };
    let mut any = false;
    for flag in &parsed.flags {
        let Some(value) = flag.operand() else { continue };
        let is_file = flag.is_any(files);
        if !is_file && !flag.is_any(texts) {
            continue;
        }
        any = true;
        given.known &= !value.dynamic || is_file;
        if is_file {
            let text = content(value);
            given.known &= text.is_some();
            given.text.push_str(&text.unwrap_or_default());
            given.files.push(value.clone());
        } else {
            given.text.push_str(&value.text);
        }
        given.text.push('\n');
    }
    if let Some(operand) = parsed.operands.get(skip).filter(|_| !any) {
        given.known = !operand.dynamic;
        given.text.push_str(&operand.text);
        given.operands = skip + 1;
    }
    given
}
