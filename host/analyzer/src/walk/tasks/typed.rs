//! Files whose lines tmux runs as its commands, and texts that it types.

use guard_sdk::syntax::Word;

use crate::walk::Walker;
use crate::walk::content::{Content, given};
use crate::walk::output::Input;
use crate::walk::started::{Started, values};
use crate::word::expand::literal;

/// The maximum number of lines in a command file.
const MOST: usize = 256;

impl Walker {
    /// Returns the code that tmux reads from files: its own commands, and pasted text.
    pub(in crate::walk) fn tmux_files(&mut self, program: &str, words: &[Word], input: &Input) -> Vec<Started> {
        if program != "tmux" {
            return Vec::new();
        }
        let behind = |verbs: &[&str]| {
            let at = words.iter().position(|word| verbs.contains(&word.text.as_str()))? + 1;
            let is_end = |word: &&Word| matches!(word.text.as_str(), ";" | "\\;");
            let own = words.get(at..)?.iter().take_while(|word| !is_end(word));
            own.filter(|word| !word.text.starts_with('-') || word.text == "-").last().cloned()
        };
        let mut found = Vec::new();
        let sourced = behind(&["source-file", "source"]).into_iter().chain(values(words, "-f").into_iter().take(1));
        for file in sourced {
            let Some((name, content)) = self.running_file(&file) else { continue };
            let lines =
                content.text.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            let text = lines.take(MOST).map(|line| format!("tmux {line}\n")).collect::<String>();
            let content = Content { text: literal(&text), is_excerpt: true, ..content };
            found.push(Started { name, argv: Vec::new(), content, sure: false, is_given: false, folder: None });
        }
        if let Some(file) = behind(&["load-buffer", "loadb"]) {
            // Text that the script didn't write isn't treated as commands.
            let content = match file.text.as_str() {
                "-" => Some(given(input)),
                _ => self.path_of(&file).and_then(|path| self.files.get(&path).cloned()),
            };
            let name = "buffer of tmux".to_owned();
            let content = content.filter(|content| content.complete && !content.text.text.is_empty());
            found.extend(content.map(|content| Started {
                name,
                argv: Vec::new(),
                content,
                sure: false,
                is_given: false,
                folder: None,
            }));
        }
        found
    }
}
