//! Translates PowerShell and `cmd` to equivalent bash, which is walked like any other text.
//!
//! The program tables, wrappers and effects then apply to both languages. A cmdlet with an equivalent program becomes
//! that program, for example `Remove-Item -Recurse` becomes `rm -r`. Others keep their names. Unsupported syntax
//! becomes a reason, and code in an argument that no cmdlet takes is listed separately.

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

/// A bash text, and the reasons why it may be incomplete.
pub(crate) struct Translation {
    pub(crate) text: String,
    pub(crate) reasons: BTreeSet<&'static str>,
}

/// Translates a text in another language to bash.
pub(crate) type Translate = fn(&str) -> Translation;

/// Returns the translator for the texts of a Windows shell, by name.
pub(crate) fn of_shell(name: &str) -> Option<Translate> {
    match name.strip_suffix(".exe").unwrap_or(name) {
        "powershell" | "pwsh" => Some(translate),
        "cmd" => Some(cmd::translate),
        _ => None,
    }
}

/// The maximum nesting of brackets, blocks and strings.
const DEPTH: usize = 20;

/// The maximum nesting of blocks for other machines. Each one quotes its inner blocks again.
const REMOTE_DEPTH: usize = 2;

/// The variable for unknown values.
const UNKNOWN: &str = "ps_value";
/// The variable for a pipeline's item, `$_`.
const ITEM: &str = "ps_item";

/// Translates PowerShell.
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

/// Reads a text once, from start to end.
struct Reader<'t> {
    cursor: Cursor<'t>,
    reasons: BTreeSet<&'static str>,
    depth: usize,
    remote: usize,
    /// Aliases defined by `Set-Alias`.
    aliases: BTreeMap<String, String>,
    /// The parameters of functions defined by the text.
    functions: BTreeMap<String, Vec<String>>,
    /// Variables with a hash table.
    tables: BTreeMap<String, Vec<(String, Value)>>,
    /// Variables with a script block.
    blocks: BTreeSet<String>,
    /// Variables with several values.
    lists: BTreeSet<String>,
    /// Loop variables.
    items: BTreeSet<String>,
    /// Folders created by the text.
    folders: BTreeSet<String>,
}

impl Reader<'_> {
    fn partial(&mut self, reason: &'static str) {
        self.reasons.insert(reason);
    }

    /// Reads one level deeper, or skips a bracket that is too deep.
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
