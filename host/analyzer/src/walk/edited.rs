//! The content of files that a command edits in place, creates from a patch, splits, or compiles.
//!
//! Edits are applied to every line, regardless of their address.

use guard_sdk::syntax::{Command, Word};

use super::Walker;
use super::content::{Content, given};
use super::output::Input;
use super::readers::by_ending;
use crate::languages::sed::{self, Edit};
use crate::options::parse;
use crate::word::expand::literal;

/// Compilers, and the program's name without `-o`. `None` for the source's name.
const COMPILERS: &[(&[&str], Option<&str>)] = &[
    (&["gcc", "cc", "clang", "g++", "c++", "clang++", "tcc", "icx", "zig"], Some("a.out")),
    (&["gfortran"], Some("a.out")),
    (
        &[
            "crystal", "csc", "dmd", "fpc", "ghc", "gnatmake", "go", "ldc2", "mcs", "nim", "rustc", "swiftc", "tinygo",
            "v", "valac",
        ],
        None,
    ),
];

/// The maximum number of files in one patch, or on one command line.
const MOST: usize = 64;

/// Returns whether a command creates files that are followed here.
pub(super) fn makes(command: &Command) -> bool {
    let name = command.program();
    matches!(name, "split" | "csplit" | "gsplit" | "gcsplit" | "perl" | "ruby" | "sd" | "patch" | "gpatch")
        || COMPILERS.iter().any(|(names, _)| names.contains(&name))
}

impl Walker {
    /// Records the files that such a command creates.
    pub(super) fn keep_made(&mut self, command: &Command, input: &Input) {
        match command.program() {
            "split" | "gsplit" | "csplit" | "gcsplit" => self.keep_split(command, input),
            "sed" | "gsed" | "perl" | "ruby" | "sd" => self.keep_edits(command),
            "patch" | "gpatch" => self.keep_patch(command, input),
            "git" if matches!(command.word(1), "apply" | "am") => self.keep_patch(command, input),
            _ => self.keep_program_of(command, input),
        }
    }

    /// Records the pieces of a split file. The first piece is assumed to contain everything.
    fn keep_split(&mut self, command: &Command, input: &Input) {
        let words = command.argv.get(1..).unwrap_or_default();
        let named = super::tasks::operands(words, &["-l", "-b", "-n", "-a", "-C", "-f", "-t"]);
        let files: Vec<&Word> = named.filter_map(|name| words.iter().find(|word| word.text == name)).collect();
        let files: Vec<&Word> = words.iter().filter(|word| word.text == "-").chain(files).collect();
        let by_context = command.program().ends_with("csplit");
        let from = files.first().filter(|file| file.text != "-").and_then(|file| self.path_of(file));
        let content = match from.and_then(|path| self.files.get(&path)) {
            Some(content) => content.clone(),
            None => given(input),
        };
        let own = match by_context {
            true => super::started::values(command.argv.get(1..).unwrap_or_default(), "-f").into_iter().next(),
            false => files.get(1).map(|prefix| (*prefix).clone()),
        };
        let own = own.filter(|prefix| !prefix.dynamic).map(|prefix| prefix.text);
        let prefix = own.unwrap_or_else(|| if by_context { "xx" } else { "x" }.to_owned());
        let ends: &[&str] = if by_context { &["00", "01"] } else { &["aa", "ab", "00", "01"] };
        for end in ends {
            self.keep_file(&literal(&format!("{prefix}{end}")), content.clone(), false);
        }
    }

    fn keep_edits(&mut self, command: &Command) {
        let words = command.argv.get(1..).unwrap_or_default();
        let (script, files) = match command.program() {
            "sed" | "gsed" => {
                let parsed = parse(words, sed::OPTIONS, false);
                if !parsed.has("i", "in-place") {
                    return;
                }
                let given = sed::given(&parsed, |_| None);
                let files = parsed.from(given.operands).iter().map(|operand| operand.word.clone()).collect();
                (given.text, files)
            }
            "sd" => {
                let mut operands = words.iter().filter(|word| !word.text.starts_with('-'));
                let (Some(from), Some(to)) = (operands.next(), operands.next()) else { return };
                (format!("s\u{1}{}\u{1}{}\u{1}g", from.text, to.text), operands.cloned().collect())
            }
            _ => {
                let Some(found) = in_place(words) else { return };
                found
            }
        };
        let edits = sed::edits(&script);
        if edits.is_empty() {
            return;
        }
        let files: Vec<Word> = files;
        for file in files.into_iter().take(MOST) {
            let written = self.path_of(&file).and_then(|path| Some((self.before_edit(&path)?, path)));
            match written {
                Some((content, path)) if content.complete && !content.text.dynamic => {
                    let text = literal(&sed::edited(&content.text.text, &edits));
                    self.keep_at(&path, Content { appends: content.appends, ..Content::known(text) }, false);
                }
                Some(_) => {}
                None => {
                    let lines: Vec<&str> = edits.iter().filter_map(Edit::line).collect();
                    if !lines.is_empty() {
                        self.keep_file(&file, Content::known(literal(&format!("{}\n", lines.join("\n")))), true);
                    }
                }
            }
        }
    }

    /// Returns the content of a file that is edited: what this text wrote, or what was there before.
    fn before_edit(&self, path: &str) -> Option<Content> {
        self.files.get(path).cloned().or_else(|| self.text_before(path).map(|text| Content::known(literal(&text))))
    }

    /// Records the lines that a patch adds to its files.
    fn keep_patch(&mut self, command: &Command, input: &Input) {
        let words = command.argv.get(1..).unwrap_or_default();
        let is_git = words.first().is_some_and(|word| matches!(word.text.as_str(), "apply" | "am"));
        let is_plain = |word: &&Word| !word.text.starts_with('-') && word.text != "apply" && word.text != "am";
        let named = super::started::values(words, "-i").into_iter().chain(super::started::values(words, "--input"));
        let named: Vec<Word> = named.chain(words.iter().filter(is_plain).cloned()).collect();
        let fed = command.redirections.iter().find(|from| from.operator == "<").map(|from| from.target.clone());
        let known = |file: &Word| self.before_edit(&self.path_of(file)?).map(|content| content.text.text);
        let text = named.iter().chain(&fed).find_map(known).or_else(|| input.text().map(str::to_owned));
        let Some(text) = text else { return };
        let strip = words.iter().find_map(|word| word.text.strip_prefix("-p")?.parse().ok());
        let strip = strip.unwrap_or(usize::from(is_git));
        for (path, added, is_new) in patched(&text, strip) {
            self.keep_file(&literal(&path), Content::known(literal(&added)), !is_new);
        }
    }

    /// Records a program compiled from code written by this text. Its first line is the code's interpreter.
    fn keep_program_of(&mut self, command: &Command, input: &Input) {
        let name = command.program();
        let Some((_, own)) = COMPILERS.iter().find(|(names, _)| names.contains(&name)) else { return };
        let words = command.argv.get(1..).unwrap_or_default();
        let sources = words.iter().filter(|word| !word.text.starts_with('-') || word.text == "-");
        let mut code = String::new();
        let mut reader = None;
        let mut first = None;
        for source in sources.take(MOST) {
            let (by, content) = match source.text.as_str() {
                "-" => (Some("crun"), Some(given(input))),
                path => (by_ending(path), self.path_of(source).and_then(|path| self.files.get(&path)).cloned()),
            };
            let (Some(by), Some(content)) = (by, content) else { continue };
            reader.get_or_insert(by);
            first.get_or_insert(source.text.as_str());
            code.push_str(&content.text.text);
            code.push('\n');
        }
        let (Some(reader), Some(first)) = (reader, first) else { return };
        let target = words.iter().enumerate().find_map(|(at, word)| match word.text.strip_prefix("-o")? {
            "" => words.get(at + 1).cloned(),
            attached => Some(literal(attached)),
        });
        let stem = first.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("a.out", |(stem, _)| stem);
        // `zig` compiles Zig and C.
        let own = own.filter(|_| !first.ends_with(".zig"));
        let target = target.unwrap_or_else(|| literal(own.unwrap_or(stem)));
        self.keep_file(&target, Content::known(literal(&format!("#!{reader}\n{code}"))), false);
    }
}

/// Returns the script of a language's `-i` mode, whose replacements are like those of `sed`, and the edited files.
fn in_place(words: &[Word]) -> Option<(String, Vec<Word>)> {
    let is_short = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--");
    let has = |letter: char| words.iter().any(|word| is_short(word) && word.text.contains(letter));
    let at = words.iter().position(|word| is_short(word) && word.text.ends_with(['e', 'E']))? + 1;
    let script = words.get(at).filter(|_| has('i') && has('p'))?;
    let files = words.iter().skip(at + 1).filter(|word| !word.text.starts_with('-')).cloned().collect();
    Some((script.text.clone(), files))
}

/// Returns the files in a patch, with the lines added to each and whether the file is new. `strip`: the number of
/// folders to remove from a name.
fn patched(text: &str, strip: usize) -> Vec<(String, String, bool)> {
    let mut found: Vec<(String, String, bool)> = Vec::new();
    let mut is_new = false;
    for line in text.lines() {
        if let Some(before) = line.strip_prefix("--- ") {
            is_new = before.trim() == "/dev/null";
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = name.split('\t').next().unwrap_or(name).trim();
            let path = name.split('/').skip(strip).collect::<Vec<_>>().join("/");
            if found.len() >= MOST {
                break;
            }
            found.push((path, String::new(), is_new));
        } else if let (Some(added), Some((_, lines, _))) = (line.strip_prefix('+'), found.last_mut()) {
            lines.push_str(added);
            lines.push('\n');
        }
    }
    found.retain(|(path, lines, _)| !path.is_empty() && !lines.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_files_and_the_lines_that_it_adds() {
        let text = "--- a/x/y\n+++ b/x/y\n@@ -1 +1,2 @@\n a\n+b\n-c\n--- /dev/null\n+++ z\t2026\n@@ -0,0 +1 @@\n+d\n";
        let expected = [("x/y".to_owned(), "b\n".to_owned(), false)];
        assert_eq!(patched(text, 1), expected);
        let names: Vec<String> = patched(text, 0).into_iter().map(|(path, ..)| path).collect();
        assert_eq!(names, ["b/x/y", "z"]);
        assert!(patched(&"+++ a\n+b\n".repeat(5_000), 0).len() <= MOST);
    }
}
