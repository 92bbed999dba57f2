//! PowerShell pipelines: the output of each command for the next one.

use super::Reader;
use super::cmdlets::Command;
use super::expression::item;
use super::values::{Piece, Text, Value};

/// One pipeline element in bash, with its output.
#[derive(Default)]
pub(super) struct Element {
    /// The commands. Empty for a plain value.
    pub(super) text: String,
    /// The output to the next element.
    pub(super) gives: ElementOutput,
    /// The value, if the text only prints it.
    pub(super) value: Option<Value>,
}

/// The output of an element.
#[derive(Default, Clone, PartialEq)]
pub(super) enum ElementOutput {
    /// The printed text.
    #[default]
    Output,
    /// All of these paths or texts.
    Words(Vec<Text>),
    /// The files that `find` finds with these arguments.
    Found(String),
    /// Some of its input, unchanged.
    Some,
}

/// Creates a loop that runs a body for each word.
pub(super) fn for_each(words: &[Text], body: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| word.as_path(false)).collect();
    format!("for {} in {}; do\n{}\n:\ndone", super::ITEM, words.join(" "), body)
}

/// Joins commands, one on each line.
pub(super) fn lines(code: &[String]) -> String {
    let mut result = String::new();
    for text in code.iter().filter(|text| !text.trim().is_empty()) {
        result.push_str(text.trim_end_matches('\n'));
        result.push('\n');
    }
    result
}

/// Cmdlets that return WMI objects.
const MANAGEMENT: &[&str] = &["gcim", "get-ciminstance", "get-wmiobject", "gwmi"];

impl Reader<'_> {
    /// Translates a pipeline. `first` is its first element.
    pub(super) fn pipeline(&mut self, first: Element) -> Element {
        // Commands that ran before, on their own lines.
        let mut before = String::new();
        // The bash pipeline so far.
        let mut piped = String::new();
        let mut last = first;
        loop {
            let at = self.cursor.at();
            self.cursor.lines();
            let goes_on = self.cursor.starts_with("|") && !self.cursor.starts_with("||");
            if !goes_on {
                self.cursor.back_to(at);
                break;
            }
            self.cursor.next();
            self.cursor.lines();
            if let Some(value) = last.value.take() {
                before.push_str(&lines(&value.code));
            }
            if !piped.is_empty() && !last.text.is_empty() {
                piped.push_str(" |\n");
            }
            piped.push_str(&last.text);
            last = self.fed(&last.gives, &mut before, &mut piped);
        }
        if piped.is_empty() && before.is_empty() {
            return last;
        }
        if !piped.is_empty() && !last.text.is_empty() {
            piped.push_str(" |\n");
        }
        piped.push_str(&last.text);
        Element { text: format!("{before}{piped}"), gives: last.gives, value: None }
    }

    /// Translates the element after a pipe.
    fn fed(&mut self, given: &ElementOutput, before: &mut String, piped: &mut String) -> Element {
        if self.starts_expression() {
            let value = self.expression(true);
            before.push_str(&lines(&value.code));
            return printed(value);
        }
        let command = self.command();
        let mut element = self.fed_command(&command, given, before, piped);
        if element.gives == ElementOutput::Some {
            // Which of them is unknown.
            element.gives = ElementOutput::Output;
        }
        element
    }

    fn fed_command(
        &mut self,
        command: &Command,
        given: &ElementOutput,
        before: &mut String,
        piped: &mut String,
    ) -> Element {
        let name = command.name();
        if name == "foreach-object" {
            return self.each(command, given, before, piped);
        }
        if super::cmdlets::passes_on(&name) {
            // A filter's blocks run for each item.
            let mut value = Value::default();
            command.arguments.iter().cloned().for_each(|argument| value.absorb(argument));
            before.push_str(&lines(&value.code));
            let all = matches!(name.as_str(), "sort-object" | "out-host" | "out-default" | "tee-object");
            let gives = if all { given.clone() } else { ElementOutput::Output };
            return Element { text: String::from("cat"), gives, value: None };
        }
        if super::cmdlets::takes_paths(&name)
            && let Some(mut taken) = self.with_paths(command, given)
        {
            // The commands that output the paths run first.
            if !matches!(given, ElementOutput::Found(find) if find == piped) {
                before.push_str(piped);
                before.push('\n');
            }
            piped.clear();
            taken.gives = ElementOutput::Output;
            return taken;
        }
        self.translated(command, true)
    }

    /// Translates a command whose own paths come from the pipe.
    fn with_paths(&mut self, command: &Command, given: &ElementOutput) -> Option<Element> {
        if command.has_path() {
            return None;
        }
        match given {
            ElementOutput::Words(words) => Some(self.translated(&command.with_path(words.clone()), false)),
            ElementOutput::Found(find) => {
                let element = self.translated(&command.with_path(vec![mark()]), false);
                Some(Element {
                    text: format!("{find} -exec {} {{}} +", element.text.replace(&mark().as_path(true), "").trim()),
                    ..element
                })
            }
            ElementOutput::Output | ElementOutput::Some => None,
        }
    }

    /// Translates `ForEach-Object { ... }`.
    fn each(&mut self, command: &Command, given: &ElementOutput, before: &mut String, piped: &mut String) -> Element {
        let mut body = String::new();
        let mut is_method = false;
        for argument in &command.arguments {
            before.push_str(&lines(&argument.code));
            if let Some(block) = &argument.block {
                body.push_str(block);
                body.push('\n');
            } else if let Some(name) = argument.literal().filter(|name| !name.starts_with('-') && !is_method) {
                is_method = true;
                body.push_str(&super::dotnet::method(&Value::of(item()), &name.to_lowercase(), &[]).code);
                body.push('\n');
            }
        }
        // These cmdlets pass on WMI objects, not files.
        if MANAGEMENT.iter().any(|name| piped.trim_start().to_lowercase().starts_with(name)) {
            body = body.replace(&format!("rm -f \"${{{}}}\"", super::ITEM), "Remove-CimInstance");
        }
        if body.trim().is_empty() {
            return Element { text: "cat".to_owned(), ..Element::default() };
        }
        if let ElementOutput::Words(words) = given {
            before.push_str(piped);
            before.push('\n');
            piped.clear();
            return Element { text: for_each(words, &body), ..Element::default() };
        }
        let text = format!("while IFS= read -r {}; do\n{body}\n:\ndone", super::ITEM);
        Element { text, ..Element::default() }
    }
}

/// Returns the placeholder for the position of a path until it is known.
fn mark() -> Text {
    Text::of(Piece::Quoted("ps_place_of_path".to_owned()))
}

/// Creates an element that prints a value.
pub(super) fn printed(value: Value) -> Element {
    let mut text = lines(&value.code);
    if !value.words.is_empty() {
        let words: Vec<String> = value.words.iter().map(Text::as_written).collect();
        text.push_str("echo ");
        text.push_str(&words.join(" "));
    }
    Element { text, gives: ElementOutput::Words(value.words.clone()), value: None }
}
