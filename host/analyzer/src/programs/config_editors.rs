//! Editors of configuration files: the file that they read, or change in place.
//!
//! All editors share one table and one parser.

use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

/// The syntax with which a program reads and changes configuration files.
struct Editor {
    names: &'static [&'static str],
    options: Options,
    /// Verbs that change a file. Empty: any first operand does.
    verbs: &'static [&'static str],
    /// Options of which it needs one to change a file. Empty: none.
    with: &'static [&'static str],
    /// Options with which it writes elsewhere.
    without: &'static [&'static str],
    file: File,
}

/// The position of the file in the command line.
enum File {
    /// The value of a letter or a long option.
    Value(&'static str, &'static str),
    /// The operand with this index.
    At(usize),
    Last,
    /// The operands from this index on.
    From(usize),
}

const EDITORS: &[Editor] = &[
    Editor {
        names: &["dasel"],
        options: Options::new("fosptvrwm", "file out selector parser type value read write"),
        verbs: &["put", "delete"],
        with: &[],
        without: &["o", "out"],
        file: File::Value("f", "file"),
    },
    Editor {
        names: &["json"],
        options: Options::new("fecDodj", ""),
        verbs: &[],
        with: &["I", "in-place"],
        without: &[],
        file: File::Value("f", ""),
    },
    Editor {
        names: &["crudini"],
        options: Options::new("", "format output list-sep"),
        verbs: &[],
        with: &["set", "del", "merge"],
        without: &["output"],
        file: File::At(0),
    },
    Editor {
        names: &["toml", "toml-cli"],
        options: Options::NONE,
        verbs: &["-"],
        with: &[],
        without: &[],
        file: File::At(1),
    },
    Editor {
        names: &["xmlstarlet", "xml"],
        options: Options::new("NduaiasvtnXx", ""),
        verbs: &["ed", "edit"],
        with: &["L", "inplace"],
        without: &[],
        file: File::Last,
    },
    Editor {
        names: &["tomlq", "xq"],
        options: Options::new("fL", "arg argjson indent width"),
        verbs: &[],
        with: &["i", "in-place"],
        without: &[],
        file: File::From(1),
    },
];

/// Adds a read or a write of each file of an editor in the table.
pub(super) fn find(run: &mut Run<'_>) {
    let name = run.name.clone();
    let Some(editor) = EDITORS.iter().find(|editor| editor.names.contains(&name.as_str())) else { return };
    let parsed = run.parse(run.arguments(), editor.options);
    if parsed.is("h", "help") || parsed.is("", "version") {
        return;
    }
    let changes = editor.changes(&parsed);
    for file in editor.files(&parsed) {
        if changes { run.write(&file) } else { run.read(&file) }
    }
}

impl Editor {
    fn changes(&self, parsed: &Parsed<'_>) -> bool {
        let gives = |options: &[&str]| parsed.flag(options).is_some();
        (self.verbs.is_empty() || self.verbs.contains(&parsed.text(0)))
            && (self.with.is_empty() || gives(self.with))
            && !gives(self.without)
    }

    fn files<'a>(&self, parsed: &Parsed<'a>) -> Vec<Operand<'a>> {
        match self.file {
            File::Value(letter, name) => parsed.values(letter, name).collect(),
            File::At(index) => parsed.operands.get(index).cloned().into_iter().collect(),
            File::Last => parsed.operands.last().cloned().into_iter().collect(),
            File::From(index) => parsed.from(index).to_vec(),
        }
    }
}
