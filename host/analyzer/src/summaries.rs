//! Summaries of a text's scripts by the script analyzer, cached because each script is needed in two places.

use std::cell::RefCell;
use std::rc::Rc;

use guard_script_summary::{Piece, Reader, Summary, Text};
use guard_sdk::syntax::{Part, Word};

use crate::limits;

/// The placeholder for a temporary path created by a script.
pub(crate) const OWN: &str = "/tmp/tmp.XXXXXXXXXX";

struct Summaries {
    reader: Reader,
    known: Vec<(&'static str, String, Rc<Summary>)>,
}

thread_local! {
    static SUMMARIES: RefCell<Summaries> = const { RefCell::new(Summaries { reader: |_, _| None, known: Vec::new() }) };
}

/// Clears the known summaries, and uses this script analyzer from now on.
pub(crate) fn begin(reader: Reader) {
    SUMMARIES.set(Summaries { reader, known: Vec::new() });
}

/// Languages with a script analyzer.
const READ: &[&str] = &["python", "javascript"];

/// Returns the script analyzer's name of a language, if it supports the language.
pub(crate) fn language(name: &str) -> Option<&'static str> {
    READ.iter().find(|known| **known == name).copied()
}

/// Returns the summary of a script in a supported language.
pub(crate) fn of(language: &'static str, code: &str) -> Rc<Summary> {
    SUMMARIES.with_borrow_mut(|summaries| {
        let is_this = |(of, known, _): &&(&str, String, _)| *of == language && known == code;
        if let Some((.., summary)) = summaries.known.iter().find(is_this) {
            return summary.clone();
        }
        if summaries.known.len() >= limits::SCRIPTS {
            limits::reached("there are too many scripts to read");
            return Rc::new(Summary::unread("there are too many scripts to read"));
        }
        let read = (summaries.reader)(language, code);
        let summary = Rc::new(read.unwrap_or_else(|| Summary::unread("the code could not be read")));
        summaries.known.push((language, code.to_owned(), summary.clone()));
        summary
    })
}

/// Returns a text of a script as a command's word. `arguments` are the script's, without its own name.
pub(crate) fn word(text: &Text, arguments: &[Word]) -> Word {
    let mut word = Word { text: String::new(), dynamic: false, quoted: true, glob: false, parts: Vec::new() };
    let variable = |word: &mut Word, name: &str| {
        word.text.push('$');
        word.text.push_str(name);
        word.dynamic = true;
        word.parts.push(Part { kind: "variable".to_owned(), text: name.to_owned(), quoted: true });
    };
    let (home, own) = ("~".to_owned(), OWN.to_owned());
    for piece in &text.pieces {
        let (kind, text) = match piece {
            Piece::Literal(text) => ("literal", text),
            Piece::Pattern(text) => ("glob", text),
            // In the form that a shell gives it in a command's word.
            Piece::Home if word.parts.is_empty() => ("tilde", &home),
            Piece::Home => {
                variable(&mut word, "HOME");
                continue;
            }
            Piece::Variable(name) => {
                variable(&mut word, name);
                continue;
            }
            Piece::Argument(at) => {
                match at.checked_sub(1).and_then(|at| arguments.get(at)) {
                    // `-` means the script itself or standard input, not a path.
                    Some(argument) if argument.text != "-" => {
                        word.text.push_str(&argument.text);
                        word.dynamic |= argument.dynamic;
                        word.glob |= argument.glob;
                        word.parts.extend(argument.parts.iter().cloned());
                    }
                    _ => variable(&mut word, "_"),
                }
                continue;
            }
            Piece::Own => ("literal", &own),
            Piece::Unknown => {
                variable(&mut word, "_");
                continue;
            }
        };
        word.text.push_str(text);
        word.glob |= kind == "glob";
        word.parts.push(Part { kind: kind.to_owned(), text: text.clone(), quoted: kind == "literal" });
    }
    word
}

/// Returns a text of a script that becomes shell, in which a home may be anywhere and in quotes.
pub(crate) fn shell(text: &Text, arguments: &[Word]) -> Word {
    let home = |piece| if piece == Piece::Home { Piece::Variable("HOME".to_owned()) } else { piece };
    word(&Text { pieces: text.pieces.iter().cloned().map(home).collect() }, arguments)
}

/// Returns whether the start of the text is unknown.
pub(crate) fn begins_unknown(text: &Text, arguments: &[Word]) -> bool {
    match text.pieces.first() {
        Some(Piece::Unknown) => true,
        Some(Piece::Argument(at)) => at.checked_sub(1).and_then(|at| arguments.get(at)).is_none(),
        _ => false,
    }
}
