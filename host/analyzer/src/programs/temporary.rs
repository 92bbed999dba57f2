//! `mktemp`: creates a new file or folder and prints its name.

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

/// Folders for temporary files, which every system has.
const FOLDERS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Returns the path that it prints, with `X` for the random characters. `None` if it creates nothing, or if its words
/// could make it fail, because then it prints nothing. A missing folder makes it fail. The working directory always
/// exists.
pub(crate) fn name(words: &[Word]) -> Option<String> {
    let (mut template, mut folder) = (None, None);
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-d" | "-q" | "-dq" | "-qd" | "--directory" | "--quiet" => {}
            "-t" | "-dt" | "-td" | "--tmpdir" => folder = Some("/tmp"),
            "-p" | "-dp" | "-qp" => folder = Some(words.next()?),
            text if text.starts_with("--tmpdir=") => folder = text.strip_prefix("--tmpdir="),
            text if text.starts_with('-') || template.is_some() => return None,
            text => template = Some(text),
        }
    }
    let (above, name) = match (template, folder) {
        (None, folder) => (folder.unwrap_or("/tmp"), "tmp.XXXXXXXXXX"),
        (Some(name), Some(folder)) => (folder, name),
        (Some(path), None) => path.rsplit_once('/').unwrap_or((".", path)),
    };
    let above = if above.len() > 1 { above.trim_end_matches('/') } else { above };
    let is_there = above == "." || FOLDERS.contains(&above);
    let prefix =
        if template.is_some() && folder.is_none() && above == "." { String::new() } else { format!("{above}/") };
    (is_there && name.ends_with("XXX") && !name.contains('/')).then(|| format!("{prefix}{name}"))
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
        for text in [
            "-d /tmp/build.XXXXXX",
            "-dt build.XXXXXX",
            "-t build.XXXXXX -d",
            "-d -p /tmp build.XXXXXX",
            "--tmpdir=/tmp/ -d build.XXXXXX",
        ] {
            assert_eq!(name(text).as_deref(), Some("/tmp/build.XXXXXX"), "{text}");
        }
        assert_eq!(name("-dp /var/tmp").as_deref(), Some("/var/tmp/tmp.XXXXXXXXXX"));
        assert_eq!(name("-d --tmpdir=/dev/shm a.XXXX").as_deref(), Some("/dev/shm/a.XXXX"));
        assert_eq!(name("-d -p .").as_deref(), Some("./tmp.XXXXXXXXXX"));
        assert_eq!(name("-d build.XXXXXX").as_deref(), Some("build.XXXXXX"));
        for text in [
            "-u",
            "-p",
            "-d --tmpdir=/nowhere",
            "-d -p ../x",
            "-d sub/x.XXXXXX",
            "--tmpdir= x.XXXXXX",
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
