//! Files that code mentions by absolute path, in languages without a script analyzer.
//!
//! The individual calls of these languages aren't known. A statement with one of a few words writes, and any other one
//! reads.

use super::super::Found;
use crate::draft::Draft;
use crate::wrappers::code::languages::ANY;

/// Languages with only a few known calls.
const LANGUAGES: &[&str] = &[
    ANY,
    "clisp",
    "clj",
    "clojure",
    "crystal",
    "elixir",
    "expect",
    "ghc",
    "groovy",
    "guile",
    "jjs",
    "jrunscript",
    "julia",
    "kotlin",
    "nim",
    "ocaml",
    "octave",
    "octave-cli",
    "r",
    "racket",
    "raku",
    "rscript",
    "sbcl",
    "scala",
    "slsh",
    "swift",
    "tclsh",
    "wish",
];

/// Words of a statement that writes a file.
const WRITES: &[&str] = &[
    "write", "Write", "\"w", "'w", "\"a\"", "'a'", "fputs", "fprintf", "spit", "append", "sink(", "save", "dump",
    " w]", " a]", "file=", "file =", "output",
];

/// The maximum number of examined statements and paths.
const MOST: usize = 64;

/// Adds the files that the text mentions.
pub(super) fn find(found: &mut Vec<Found>, program: &str, language: &str, text: &str) {
    if !LANGUAGES.contains(&language) {
        return;
    }
    // A name that a statement gives to an open file is used in the next one.
    let writes = WRITES.iter().any(|word| text.contains(word));
    for path in text.split(['"', '\'', ' ', '(', '[', ',', '\n']).filter(|part| is_path(part)).take(MOST) {
        let path = path.trim_end_matches([')', ']', ';', '}']).to_owned();
        let is_known = found.iter().any(|known| {
            matches!(known, Found::Read(other) | Found::Write(other) | Found::Delete(other) | Found::DeleteTree(other) if *other == path)
                || matches!(known, Found::WriteAs(other, _) if *other == path)
        });
        if is_known || path.contains("://") {
            continue;
        }
        found.push(match writes {
            true => {
                let draft = Draft::notable("write", "fs.write").tag("by", program).certain(false);
                Found::WriteAs(path, draft)
            }
            false => Found::Read(path),
        });
    }
}

/// Returns whether a piece of code is an absolute path, and not a comment or operator.
fn is_path(part: &str) -> bool {
    let rest = part.strip_prefix('/').or_else(|| part.strip_prefix("~/")).unwrap_or_default();
    rest.contains('/') && rest.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        find(&mut found, language, language, text);
        let show = |found| match found {
            Found::Read(path) => format!("reads {path}"),
            Found::Write(path) | Found::WriteAs(path, _) => format!("writes {path}"),
            other => format!("{other:?}"),
        };
        found.into_iter().map(show).collect()
    }

    #[test]
    fn absolute_paths_of_code_are_read_or_written() {
        for (language, text, expected) in [
            ("ghc", "readFile \"/a/b\" >>= putStr", "reads /a/b"),
            ("jjs", "print(readFully('/a/b'))", "reads /a/b"),
            ("octave", "f=fopen('/a/b'); disp(fread(f))", "reads /a/b"),
            ("r", "writeLines('x', '/a/b')", "writes /a/b"),
            ("tclsh", "set f [open /a/b w]; puts $f x", "writes /a/b"),
            ("scala", "new java.io.FileWriter(\"/a/b\")", "writes /a/b"),
        ] {
            assert_eq!(shown(language, text), [expected], "{text}");
        }
    }

    #[test]
    fn other_slashes_and_languages_are_no_paths() {
        for (language, text) in [
            ("ghc", "print (a / b)"),
            ("r", "x <- 1 // 2"),
            ("julia", "x = \"a/b\""),
            ("python", "open('/a/b')"),
            ("scala", "get(\"https://a/b\")"),
        ] {
            assert!(shown(language, text).is_empty(), "{text}");
        }
        let many = "\"/a/b\" ".repeat(5_000);
        assert_eq!(shown("r", &many).len(), 1);
    }
}
