//! `mktemp`: a file or folder that is new, under a name that it prints.

use guard_sdk::syntax::Word;

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::word::expand;

pub(super) const TABLE: &[Program] = &[Program::new(&["mktemp", "gmktemp"], Options::new("p", "suffix"), makes)];

fn makes<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let Some(name) = name(run.command.argv.get(1..).unwrap_or_default()) else { return };
    let by = run.name.clone();
    let draft = Draft::notable("write", "fs.write").flag("directory", true).tag("by", &by);
    run.emit_on(draft, &Operand::of(&expand::literal(&name)));
}

/// The path that it prints, with the letters `X` for what it picks. None if its words could make it fail, for then it
/// prints nothing, or if it makes nothing.
pub(crate) fn name(words: &[Word]) -> Option<String> {
    let (mut template, mut in_folder) = (None, false);
    for word in words {
        match word.text.as_str() {
            "-d" | "-q" | "-dq" | "-qd" | "--directory" | "--quiet" => {}
            "-t" | "-dt" | "-td" | "--tmpdir" => in_folder = true,
            text if text.starts_with('-') || template.is_some() => return None,
            text => template = Some(text),
        }
    }
    let (name, is_below) = match template {
        None => ("tmp.XXXXXXXXXX", true),
        Some(text) => text.strip_prefix("/tmp/").map_or((text, in_folder), |name| (name, !in_folder)),
    };
    (is_below && name.ends_with("XXX") && !name.contains('/')).then(|| format!("/tmp/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_known_unless_it_may_fail_or_lie_elsewhere() {
        let name = |text: &str| name(&text.split_whitespace().map(expand::literal).collect::<Vec<_>>());
        for text in ["", "-d", "-q -d", "--directory"] {
            assert_eq!(name(text).as_deref(), Some("/tmp/tmp.XXXXXXXXXX"), "{text}");
        }
        for text in ["-d /tmp/build.XXXXXX", "-dt build.XXXXXX", "-t build.XXXXXX -d"] {
            assert_eq!(name(text).as_deref(), Some("/tmp/build.XXXXXX"), "{text}");
        }
        for text in [
            "-u",
            "build.XXXXXX",
            "-d /nowhere/x.XXXXXX",
            "-p /nowhere",
            "/tmp/x",
            "-t x",
            "a.XXX b.XXX",
            "/tmp/../x.XXX",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
