//! Commands started by code in a language with a script analyzer: on the command line, from the input or through a
//! module.

use guard_script_summary as summary;
use guard_sdk::syntax::Word;

use super::super::layer::{Place, Run, Runnable, joined, spelled};
use super::run;
use crate::options::Parsed;
use crate::summaries;
use crate::word::expand::literal;

/// Returns everything that an interpreter with these words, code texts and standard input runs.
pub(super) fn runs(
    name: &str,
    read: &'static str,
    words: &[Word],
    options: &Parsed<'_>,
    codes: &[&str],
    input: Option<&str>,
) -> Vec<Run> {
    if let Some(module) = options.flag(&["m"]).filter(|_| read == "python") {
        let at = words.iter().position(|word| word.text.ends_with(module.text())).map_or(words.len(), |at| at + 1);
        let behind = words.get(at..).unwrap_or_default();
        // A debugger reads statements.
        let debugs = matches!(module.text(), "pdb" | "ipdb" | "bdb");
        let typed = input.filter(|_| debugs).into_iter().flat_map(|code| started(name, read, code, behind, true));
        return by_module(name, module.text(), behind).into_iter().chain(typed).collect();
    }
    let arguments = options.rest.get(usize::from(options.flag(&["c"]).is_none())..).unwrap_or_default();
    // If the code comes from the input, no input is left.
    let is_read = |code: &str| input.is_some_and(|input| input == code);
    codes.iter().flat_map(|code| started(name, read, code, arguments, is_read(code))).collect()
}

/// Returns everything that a module runs whose arguments are code: `-m timeit CODE`, `-m IPython -c CODE`.
fn by_module(name: &str, module: &str, words: &[Word]) -> Vec<Run> {
    let program = |words: Vec<Word>| run(name, Runnable::Words { assignments: Vec::new(), words });
    match module {
        "IPython" => vec![program(std::iter::once(literal("ipython")).chain(words.iter().cloned()).collect())],
        "timeit" => {
            let code = words.iter().filter(|word| !word.text.starts_with('-'));
            code.map(|code| program(vec![literal("python3"), literal("-c"), code.clone()])).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the commands that a script starts.
pub(super) fn started(name: &str, read: &'static str, code: &str, arguments: &[Word], is_input: bool) -> Vec<Run> {
    let word = |text: &summary::Text| summaries::word(text, arguments);
    let run_of = |action: &summary::Action| {
        let (mut what, folder, input) = match &action.what {
            summary::ActionKind::Shell { text, folder, input } => {
                (Runnable::Text { text: summaries::shell(text, arguments), parameters: None }, folder, input)
            }
            summary::ActionKind::Program { words, folder, input } => {
                (Runnable::Words { assignments: Vec::new(), words: words.iter().map(word).collect() }, folder, input)
            }
            _ => return None,
        };
        if let Some(input) = input {
            what = fed(what, &word(input));
        } else if is_input {
            what = without_input(what);
        }
        let place = folder.as_ref().map_or(Place::Apart, |folder| Place::Directory(word(folder)));
        Some(Run { place, ..run(name, what) })
    };
    let own: Vec<Run> = summaries::of(read, code).actions.iter().filter_map(run_of).collect();
    own.into_iter().chain(super::of_libraries(name, read, code)).collect()
}

/// Returns the command with empty input.
fn without_input(what: Runnable) -> Runnable {
    let mut words = match what {
        Runnable::Text { text, .. } => vec![literal("{"), text, literal("\n}")],
        Runnable::Words { words, .. } => words.iter().map(spelled).collect(),
    };
    words.push(literal("</dev/null"));
    Runnable::Text { text: joined(&words), parameters: None }
}

/// Returns the command after a pipe with this input.
fn fed(what: Runnable, input: &Word) -> Runnable {
    let mut words = vec![literal("printf"), literal("%s"), spelled(input), literal("|")];
    match what {
        Runnable::Text { text, .. } => words.extend([literal("{"), text, literal("\n}")]),
        Runnable::Words { words: program, .. } => words.extend(program.iter().map(spelled)),
    }
    Runnable::Text { text: joined(&words), parameters: None }
}
