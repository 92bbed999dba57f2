//! The text of a command's standard input, if the source contains it.

use guard_sdk::syntax::{Command, Word};

use crate::options::Operand;
use crate::run::{Run, path};
use crate::sources::{self, Source};
use crate::walk::echo;

/// The maximum number of earlier commands that are searched for one that writes a file.
const BEFORE: usize = 256;

/// Text, and whether it is completely known.
pub(crate) struct Input {
    pub(crate) text: String,
    pub(crate) certain: bool,
}

impl<'a> Run<'a> {
    /// Returns the here-document, here-string or literal `echo` that is the command's input.
    pub(crate) fn input(&self) -> Option<Input> {
        own(self.command).or_else(|| self.piped())
    }

    /// Returns the input that a process substitution provides, if a literal `echo` prints it.
    pub(crate) fn substituted(&self, operand: &Operand<'_>) -> Option<Input> {
        let is_one = operand.word.parts.first().is_some_and(|part| part.kind == "process");
        let mut inside = self.pipelines.children(self.commands, self.command.id).filter(|_| is_one);
        inside.find_map(|command| match command.program() {
            "echo" | "printf" => Some(printed(command)),
            "cat" => own(command),
            _ => None,
        })
    }

    /// Returns the previous command in the same pipeline.
    pub(crate) fn before(&self) -> Option<&'a Command> {
        let position = &self.command.position;
        if position.index == 0 || position.length < 2 {
            return None;
        }
        self.pipelines.stages(self.commands, position.pipeline, position.index).next_back()
    }

    /// Returns whether the input confirms the program's prompts: `yes |`, `echo y |`, `<<< y`.
    pub(crate) fn is_confirmed(&self) -> bool {
        let is_yes = |text: &str| text.is_empty() || text.eq_ignore_ascii_case("y") || text.eq_ignore_ascii_case("yes");
        if let Some(yes) = self.before().filter(|before| before.program() == "yes") {
            let says_no = |text: &str| text.get(..1).is_some_and(|first| first.eq_ignore_ascii_case("n"));
            return !says_no(yes.word(1));
        }
        self.input()
            .is_some_and(|input| !input.text.trim().is_empty() && input.text.lines().all(|line| is_yes(line.trim())))
    }

    /// Returns the text of a file that the command reads: one that the text wrote before, or one on this machine.
    pub(crate) fn text_of(&self, file: &Operand<'_>) -> Option<String> {
        if file.dynamic || file.text == "-" {
            return self.input().filter(|_| file.text == "-").map(|input| input.text);
        }
        if let Some(writer) = self.writer(&file.text) {
            return written_by(writer);
        }
        let path = path::place(file, self.cwd(), self.home).raw;
        match sources::read(&path::lexical(&path)) {
            Source::Text(text) if self.inside().is_none() && !path.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns the text that an earlier command writes to a file.
    pub(crate) fn written(&self, file: &Word) -> Option<String> {
        written_by(self.writer(&file.text)?)
    }

    /// Returns the earlier command that last writes a file.
    fn writer(&self, file: &str) -> Option<&'a Command> {
        let place = usize::try_from(self.command.id).ok()?.checked_sub(1)?;
        let before = self.commands.get(..place)?.iter().rev().take(BEFORE);
        let writes = |command: &&Command| {
            let mut targets = command.redirections.iter().filter(|to| matches!(to.operator.as_str(), ">" | ">|"));
            targets.any(|to| to.target.text == file)
        };
        before.into_iter().find(writes)
    }

    /// Returns the text of the file that is the command's standard input.
    pub(crate) fn redirected(&self) -> Option<String> {
        let from = self.command.redirections.iter().rev().find(|from| from.operator == "<")?;
        self.text_of(&Operand::of(&from.target))
    }

    fn piped(&self) -> Option<Input> {
        let before = self.before()?;
        match before.program() {
            "echo" | "printf" => Some(printed(before)),
            "cat" => own(before),
            _ => None,
        }
    }
}

/// Returns the text that a command prints, if the source contains it.
fn written_by(writer: &Command) -> Option<String> {
    match writer.program() {
        "echo" | "printf" => Some(printed(writer).text),
        "cat" => own(writer).map(|input| input.text),
        _ => None,
    }
}

/// Returns the input in the command's own redirections.
fn own(command: &Command) -> Option<Input> {
    let redirection = command.redirections.iter().rev().find(|r| r.operator.starts_with("<<"))?;
    if redirection.operator == "<<<" {
        return Some(Input { text: redirection.target.text.clone(), certain: !redirection.target.dynamic });
    }
    let certain = redirection.body_quoted || !redirection.body.contains(['$', '`']);
    Some(Input { text: redirection.body.clone(), certain })
}

/// Returns the approximate output of `echo` or `printf`: the joined words, with line breaks for escapes.
fn printed(command: &Command) -> Input {
    let is_printf = command.program() == "printf";
    let words = command.argv.get(1..).filter(|words| is_printf && !words.iter().any(|word| word.dynamic || word.glob));
    if let Some(text) = words.and_then(|words| echo::printf(words, echo::EchoDialect::Bash)) {
        return Input { text, certain: true };
    }
    let mut text = String::new();
    let mut certain = true;
    let mut expands = is_printf;
    let mut is_option = !is_printf;
    for word in command.argv.iter().skip(1) {
        is_option = is_option && matches!(word.text.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en");
        if is_option {
            expands |= word.text.contains('e');
            continue;
        }
        certain &= !word.dynamic;
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    if expands {
        text = text.replace("\\n", "\n").replace("\\t", "\t");
    }
    if is_printf {
        text = text.replace("%s", " ");
    }
    Input { text, certain }
}
