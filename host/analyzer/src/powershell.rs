//! Text of PowerShell and of `cmd` as text of bash that does the same, which the walk reads like any other.
//!
//! The tables of programs, the wrappers and the effects then serve both languages. A cmdlet that has a program of the same
//! meaning becomes this program, `Remove-Item -Recurse` for example `rm -r`; all others keep their names. What is not
//! understood becomes a reason, never silence: code in an argument that no cmdlet takes runs beside it.

mod arguments;
mod bind;
mod cmd;
mod cmdlets;
mod cursor;
mod dotnet;
mod expression;
mod files;
mod keywords;
mod pipeline;
mod statement;
mod stores;
mod strings;
mod types;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use cursor::Cursor;
use values::Value;

/// A text in bash, and why it may say less than the original.
pub(crate) struct Translation {
    pub(crate) text: String,
    pub(crate) reasons: BTreeSet<&'static str>,
}

/// Makes text of bash of a text of another language.
pub(crate) type Translate = fn(&str) -> Translation;

/// How to read the texts of a shell of Windows, by its name.
pub(crate) fn of_shell(name: &str) -> Option<Translate> {
    match name.strip_suffix(".exe").unwrap_or(name) {
        "powershell" | "pwsh" => Some(translate),
        "cmd" => Some(cmd::translate),
        _ => None,
    }
}

/// Brackets, blocks and strings inside each other.
const DEPTH: usize = 20;

/// Blocks for other machines inside each other: each of them quotes the ones in it once more.
const REMOTE_DEPTH: usize = 2;

/// The variable that stands for what no one can know.
const UNKNOWN: &str = "ps_value";
/// The variable that stands for the item of a pipeline, `$_`.
const ITEM: &str = "ps_item";

/// Reads PowerShell.
pub(crate) fn translate(text: &str) -> Translation {
    let mut reader = Reader {
        cursor: Cursor::new(text),
        reasons: BTreeSet::new(),
        depth: 0,
        remote: 0,
        aliases: BTreeMap::new(),
        functions: BTreeMap::new(),
        tables: BTreeMap::new(),
        blocks: BTreeSet::new(),
        lists: BTreeSet::new(),
        items: BTreeSet::from([ITEM.to_owned()]),
        folders: BTreeSet::new(),
    };
    let mut text = String::new();
    loop {
        text.push_str(&reader.statements(None));
        if reader.cursor.next().is_none() {
            break;
        }
        reader.partial("a bracket of PowerShell has no beginning");
    }
    if reader.cursor.is_torn() {
        reader.partial("a comment or a bracket of PowerShell has no end");
    }
    Translation { text, reasons: reader.reasons }
}

/// Reads a text once, from its start to its end.
struct Reader<'t> {
    cursor: Cursor<'t>,
    reasons: BTreeSet<&'static str>,
    depth: usize,
    remote: usize,
    /// Aliases that `Set-Alias` defines.
    aliases: BTreeMap<String, String>,
    /// The parameters of the functions that the text defines.
    functions: BTreeMap<String, Vec<String>>,
    /// Variables that hold a hash table.
    tables: BTreeMap<String, Vec<(String, Value)>>,
    /// Variables that hold a block.
    blocks: BTreeSet<String>,
    /// Variables that hold several values.
    lists: BTreeSet<String>,
    /// Variables that stand for one item after the other.
    items: BTreeSet<String>,
    /// Folders that the text makes.
    folders: BTreeSet<String>,
}

impl Reader<'_> {
    fn partial(&mut self, reason: &'static str) {
        self.reasons.insert(reason);
    }

    /// Reads one level deeper, or passes over a bracket that is too deep.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH {
            self.partial("PowerShell is nested too deeply to follow");
            self.cursor.skip_balanced();
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}
