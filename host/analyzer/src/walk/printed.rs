//! The output of a substitution, if its own words determine it: `$(echo rm)`.

use guard_sdk::syntax::{Redirection, Span, Word};

use super::content::Content;
use super::output::Input;
use super::{Origin, Unit, Walker};
use crate::limits;
use crate::parse;
use crate::parse::tree::{Item, Kind, Node, Range, Sequence};
use crate::wrappers;
use crate::wrappers::shells;

/// Programs whose output is determined by their words.
const PRINTERS: &[&str] =
    &["basename", "cat", "command", "dirname", "echo", "mktemp", "printf", "readlink", "realpath", "type", "which"];

/// The command that prints the root of the work tree.
const ROOT: &str = "git rev-parse --show-toplevel";

impl Walker {
    /// Returns the text of a process substitution or descriptor in place of a code file. The outer `None` means that
    /// no such part is in its place.
    pub(super) fn code_in_place(&mut self, argv: &[Word], redirections: &[Redirection]) -> Option<Option<String>> {
        let in_place = |file: &Word| {
            shells::descriptor(&file.text).is_some() || file.parts.iter().any(|part| part.kind == "process")
        };
        let file = wrappers::code_files(argv).into_iter().find(in_place)?;
        if let Some(number) = shells::descriptor(&file.text).filter(|number| *number != 0) {
            let input = self.opened(redirections, &Input::File).remove(&number);
            let input = input.or_else(|| self.descriptors.get(&number).cloned());
            return Some(input.and_then(|input| input.text().map(str::to_owned)));
        }
        let part = file.parts.iter().find(|part| part.kind == "process")?;
        Some(self.printed(&part.text))
    }

    /// Returns the output of a command or process substitution, given as written, if its words determine it.
    pub(super) fn printed(&mut self, source: &str) -> Option<String> {
        let (open, close) = if source.starts_with('`') { ("`", "`") } else { ("(", ")") };
        let body = source.trim_start_matches(['$', '<']).strip_prefix(open)?.strip_suffix(close)?.trim();
        let name = body.split([' ', '\t', '\n']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        if body == ROOT {
            let (config, _) = self.nearest(None, &[".git/config"])?;
            return config.strip_suffix("/.git/config").map(str::to_owned);
        }
        if matches!(name, "cd" | "pwd") {
            return self.printed_folder(body);
        }
        if let Some(path) = found_program(body) {
            return Some(path);
        }
        // Outside a file, they may hide a link's target.
        let is_followed = self.scope.file.is_some() || !matches!(name, "readlink" | "realpath");
        let prints = PRINTERS.contains(&name) && is_followed;
        let several = body.contains([';', '\n', '&', '{']);
        if !prints && !several || body.contains('`') {
            return None;
        }
        if self.budget.outputs_left == 0 || body.len() > limits::VALUE {
            self.partial("too many substitutions to work out");
            return None;
        }
        self.budget.outputs_left -= 1;
        let sequence = parse::parse(body, self.dialect).ok()?;
        let item = match sequence.items.as_slice() {
            [item] if prints => item,
            items if is_straight(items) && ends_with_printer(body, items) => items.last()?,
            _ => return None,
        };
        let mut probe = Walker::new(self.dialect, "", "");
        probe.shell = self.shell.clone();
        probe.echo_dialect = self.echo_dialect;
        probe.is_probe = true;
        probe.scope.file.clone_from(&self.scope.file);
        probe.budget.outputs_left = std::mem::take(&mut self.budget.outputs_left);
        probe.budget.depth = self.budget.depth + 1;
        probe.files = std::mem::take(&mut self.files);
        // The probe has its own command ids.
        let inside = std::mem::take(&mut probe.files.inside);
        let unit = Unit { text: body, origin: Origin::Inside(Span { start: 0, end: 0 }) };
        let output = if probe.budget.depth >= limits::WALK_DEPTH {
            Input::Pipe
        } else if sequence.items.len() == 1 {
            probe.pipeline(unit, item)
        } else {
            probe.collected(unit, &sequence)
        };
        self.budget.outputs_left = probe.budget.outputs_left;
        self.files = std::mem::take(&mut probe.files);
        self.files.inside = inside;
        self.echo_differs |= probe.echo_differs;
        // The fact that a text is decoded is more relevant than the text.
        let decoded = probe.found.commands.iter().any(|command| matches!(command.program(), "base64" | "rev"));
        match output {
            Input::Piped(word) if !word.dynamic && !decoded => Some(word.text.trim_end_matches('\n').to_owned()),
            _ => None,
        }
    }

    /// Returns the joined output of consecutive commands.
    fn collected(&mut self, unit: Unit<'_>, sequence: &Sequence) -> Input {
        self.sink = Some(Content::nothing());
        self.sequence(unit, sequence);
        let content = self.sink.take().filter(|content| content.complete);
        content.map_or(Input::Pipe, |content| Input::Piped(content.text))
    }

    /// Returns the output of `cd FOLDER && pwd`.
    fn printed_folder(&mut self, body: &str) -> Option<String> {
        if self.budget.outputs_left == 0 || self.budget.depth + 1 >= limits::WALK_DEPTH {
            return None;
        }
        self.budget.outputs_left -= 1;
        let sequence = parse::parse(body, self.dialect).ok()?;
        let program = |item: &Item| match item.elements.as_slice() {
            [Node { kind: Kind::Simple { words, .. }, .. }] => {
                words.first().and_then(|word| body.get(word.range.start..word.range.end)).map(str::to_owned)
            }
            _ => None,
        };
        let programs: Option<Vec<String>> = sequence.items.iter().map(program).collect();
        let programs = programs?;
        let (last, others) = programs.split_last()?;
        if last != "pwd" || others.iter().any(|name| name != "cd") {
            return None;
        }
        let mut probe = Walker::new(self.dialect, "", "");
        probe.shell = self.shell.clone();
        probe.is_probe = true;
        probe.scope.file.clone_from(&self.scope.file);
        probe.budget.outputs_left = std::mem::take(&mut self.budget.outputs_left);
        probe.budget.depth = self.budget.depth + 1;
        let unit = Unit { text: body, origin: Origin::Inside(Span { start: 0, end: 0 }) };
        probe.sequence(unit, &sequence);
        self.budget.outputs_left = probe.budget.outputs_left;
        Some(probe.shell.cwd).filter(|cwd| cwd.starts_with('/'))
    }
}

/// Returns whether the commands simply run in order, so that their output is one text.
fn is_straight(items: &[Item]) -> bool {
    let is_plain = |node: &Node| matches!(node.kind, Kind::Simple { .. } | Kind::Function { .. } | Kind::Group(_));
    items.iter().all(|item| !item.background && item.operator != "||" && item.elements.iter().all(is_plain))
}

/// Returns whether the output of the last command is determined by its words, or whether it is a function defined here.
fn ends_with_printer(body: &str, items: &[Item]) -> bool {
    let Some(Kind::Simple { words, .. }) = items.last().and_then(|item| item.elements.last()).map(|node| &node.kind)
    else {
        return false;
    };
    let word = |range: Range| body.get(range.start..range.end).unwrap_or_default();
    let last = words.first().map_or("", |first| word(first.range));
    let defines = |node: &Node| match &node.kind {
        Kind::Function { names, .. } => names.iter().any(|name| word(*name) == last),
        _ => false,
    };
    PRINTERS.contains(&last) || items.iter().flat_map(|item| &item.elements).any(defines)
}

/// Returns the output of a search for one program in any version: `which python3 || which python`.
fn found_program(body: &str) -> Option<String> {
    if body.len() > limits::VALUE || body.contains(['$', '`', '"', '\'', ';', '(']) {
        return None;
    }
    let mut names = body.split("||").map(searched).collect::<Option<Vec<_>>>()?.into_iter().flatten();
    let first = names.next()?;
    let family = |name: &str| match name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') {
        "nodejs" => "node".to_owned(),
        name => name.to_owned(),
    };
    // With different programs, it is unknown which one runs.
    names.all(|name| family(name) == family(first)).then(|| super::output::installed(first))
}

/// Returns the names that a command searches for: `command -v python3`, `which -a node nodejs | head -1`.
fn searched(text: &str) -> Option<Vec<&str>> {
    let (text, rest) = text.split_once('|').unwrap_or((text, "head"));
    if rest.split_whitespace().next() != Some("head") || rest.contains('|') {
        return None;
    }
    let mut words = text.split_whitespace().filter(|word| !matches!(*word, "2>/dev/null" | "2>&1"));
    let option = match words.next()? {
        "which" => None,
        "command" => Some("-v"),
        "type" => Some("-p").filter(|_| text.contains(" -p ")).or(Some("-P")),
        _ => return None,
    };
    if option.is_some_and(|option| words.next() != Some(option)) {
        return None;
    }
    let names: Vec<&str> = words.filter(|word| *word != "-a").collect();
    let is_plain = |name: &&str| {
        !name.starts_with('-') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
    };
    (!names.is_empty() && names.iter().all(is_plain)).then_some(names)
}
