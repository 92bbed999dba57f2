//! Files and folders that programs generate, named by an option or an operand.
//!
//! All programs share two tables and one parser. For programs without a table, options are recognized by their names.

use std::collections::BTreeSet;

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

mod table;

use table::{ANY, BY_OPERAND, BY_OPTION, ENDS, NO_FILE, NO_OUTPUT, SHORT};

/// The maximum number of words that are examined in a command.
const WORDS: usize = 256;

/// Programs' options that write files.
struct ByOption {
    names: &'static [&'static str],
    /// The options, with their dashes. The value of a one-letter option can be attached.
    options: &'static [&'static str],
}

/// A program that writes a file named by an operand.
struct ByOperand {
    names: &'static [&'static str],
    /// Subcommands that write the file, with their words separated by spaces. Empty: every call.
    verbs: &'static [&'static str],
    /// Options of which one is required. Empty: none.
    with: &'static [&'static str],
    /// Options with which it doesn't write, or writes elsewhere.
    without: &'static [&'static str],
    options: Options,
    file: File,
}

/// The operands that are written, counted after the verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    /// The operand with this index.
    At(usize),
    /// The last operand, if there are others before it.
    Last,
    /// All operands from this index on.
    From(usize),
    /// The last word, even after options that the table doesn't list.
    LastWord,
}

/// Adds a write for each file that the command generates.
pub(super) fn find(run: &mut Run<'_>) {
    let name = run.name.strip_suffix(".exe").unwrap_or(&run.name).to_owned();
    let words = run.arguments();
    if words.iter().take(WORDS).any(|word| matches!(word.text.as_str(), "--help" | "--version")) {
        return;
    }
    let mut files: Vec<Operand<'_>> = Vec::new();
    for row in BY_OPTION.iter().filter(|row| row.names.contains(&name.as_str())) {
        files.extend(row.options.iter().flat_map(|option| values(words, option)));
    }
    if let Some(behind) = undescribed(run, &name) {
        let means_output = !NO_OUTPUT.contains(&name.as_str()) && !name.contains("mount");
        files.extend(named(words.get(behind..).unwrap_or_default(), means_output));
    }
    for row in BY_OPERAND.iter().filter(|row| row.names.contains(&name.as_str())) {
        let mut parsed = run.parse(words, row.options);
        super::placeholder_operands::fill(run, &mut parsed);
        files.extend(row.files(&parsed, words));
    }
    let mut written: BTreeSet<&str> = BTreeSet::new();
    for file in files.iter().filter(|file| !file.text.starts_with("/dev/") && written.insert(&file.text)) {
        let draft = Draft::notable("write", "fs.write").tag("by", &name).flag("output", true).certain(false);
        run.write_as(file, draft);
    }
}

impl ByOperand {
    fn files<'a>(&self, parsed: &Parsed<'a>, words: &'a [Word]) -> Vec<Operand<'a>> {
        let behind = match self.verbs {
            [] => Some(0),
            verbs => verbs.iter().find_map(|verb| super::trees::leads(verb, parsed)),
        };
        let Some(behind) = behind else { return Vec::new() };
        let gives = |options: &[&str]| parsed.flag(options).is_some();
        if !self.with.is_empty() && !gives(self.with) || gives(self.without) {
            return Vec::new();
        }
        let operands = parsed.from(behind);
        match self.file {
            File::At(index) => operands.get(index).cloned().into_iter().collect(),
            File::Last => operands.last().filter(|_| operands.len() > 1).cloned().into_iter().collect(),
            File::From(index) => operands.iter().skip(index).take(WORDS).cloned().collect(),
            File::LastWord => {
                let last = words.last().filter(|last| words.len() > 1 && !last.text.starts_with('-'));
                last.map(Operand::of).into_iter().collect()
            }
        }
    }
}

/// Returns the values of an option: in the next word, after `=` or `:`, or attached to a letter.
fn values<'a>(words: &'a [Word], option: &'a str) -> impl Iterator<Item = Operand<'a>> {
    words.iter().enumerate().take(WORDS).filter_map(move |(at, word)| {
        let rest = word.text.strip_prefix(option)?;
        if rest.is_empty() {
            return words.get(at + 1).filter(|next| !next.text.starts_with('-')).map(Operand::of);
        }
        let is_attached = option.len() == 2 && looks_like_file(rest);
        let value = rest.strip_prefix(['=', ':']).or(Some(rest).filter(|_| is_attached))?;
        (!value.is_empty()).then(|| Operand::tail(word, value))
    })
}

/// Returns the index of the first argument of a program or script without a description.
fn undescribed(run: &Run<'_>, name: &str) -> Option<usize> {
    if super::is_plain(name) || run.is_function() {
        return None;
    }
    if super::lookup(name).is_none() {
        return Some(0);
    }
    const SCRIPTS: [&str; 9] = [".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".jar"];
    let is_script = |word: &Word| SCRIPTS.iter().any(|ending| word.text.ends_with(ending));
    let is_interpreter = ["python", "node", "ruby", "perl", "php"].iter().any(|start| name.starts_with(start));
    let script = run.arguments().iter().take(WORDS).position(|word| is_script(word) || word.text == "-m");
    script.filter(|_| is_interpreter).map(|at| at + 1)
}

/// Returns the files in options with the usual names for outputs. Short options only count if the program uses them for
/// outputs.
fn named<'a>(words: &'a [Word], means_output: bool) -> Vec<Operand<'a>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().take(WORDS) {
        let (option, value) = match word.text.split_once(['=', ':']) {
            Some((option, value)) if option.starts_with('-') => (option, Operand::tail(word, value)),
            // Attached to the letter: `-o~/page.html`.
            _ if means_output && word.text.starts_with("-o") && word.text.get(2..).is_some_and(begins_like_path) => {
                ("-o", Operand::tail(word, word.text.get(2..).unwrap_or_default()))
            }
            _ => match words.get(at + 1) {
                Some(next) if !next.text.starts_with('-') => (word.text.as_str(), Operand::of(next)),
                _ => continue,
            },
        };
        // The same options also set formats and columns.
        let is_short = means_output && SHORT.contains(&option) && looks_like_file(&value.text);
        let is_long = option.starts_with("--") && ANY.iter().any(|name| name.eq_ignore_ascii_case(option));
        let is_by_end = word.text.contains('=') && ENDS.iter().any(|end| option.ends_with(end));
        // A generator's settings come before its folder: `--js_out=import_style=commonjs:DIR`.
        let behind = value.text.rsplit(':').next().unwrap_or_default().to_owned();
        let value = if is_by_end { value.renamed(behind) } else { value };
        if is_short || is_long || option == "-out" || is_by_end && looks_like_file(&value.text) {
            found.push(value);
        }
    }
    found
}

fn begins_like_path(text: &str) -> bool {
    text.starts_with(['~', '/', '.', '$'])
}

/// Returns whether an option's value may be a file, and not a format, column or setting.
fn looks_like_file(text: &str) -> bool {
    let braced = text.replace("${", "$");
    let is_setting = braced.contains(['=', ',', '{', '(', ' ']) || text.contains("://") || text.contains("::");
    let has_place = text.contains(['/', '.']) || text.starts_with(['~', '$']);
    !is_setting && !NO_FILE.contains(&text) && (has_place || text.starts_with(|first: char| first.is_ascii_uppercase()))
}
