//! Clients of remote stores that have a table: the local files that a call uploads.
//!
//! The tables define losses, not reads. The verbs that the clients share show which operands are files.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Options};
use crate::run::Run;

/// Verbs that upload files, and verbs whose last word is the destination.
const VERBS: &[&str] = &["put", "send", "upload", "upload-file"];
const COPIES: &[&str] = &["cp", "copy", "mv", "move", "scp", "rsync", "sync"];

/// Options whose value is the file.
const FILES: &[&str] = &["-f", "--file", "--files", "--body", "--source", "--path", "--source-file"];

/// The maximum number of words that are examined.
const MOST: usize = 32;

/// Adds a read for each local file that the words upload.
pub(super) fn find<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let names = |verbs: &[&str], word: &Word| verbs.contains(&word.text.as_str());
    let verb = words.iter().take(MOST).position(|word| names(VERBS, word) || names(COPIES, word));
    let Some((at, verb)) = verb.and_then(|at| Some((at, words.get(at)?))) else { return };
    let last = if names(COPIES, verb) { words.len().saturating_sub(1) } else { words.len() };
    let behind = words.get(at..last).unwrap_or_default();
    for pair in behind.windows(2).take(MOST) {
        let [before, word] = pair else { continue };
        let option = before.text.starts_with('-') && !before.text.contains('=');
        if word.text.starts_with('-') || is_remote(&word.text) || option && !FILES.contains(&before.text.as_str()) {
            continue;
        }
        run.read_as(&Operand::of(word), Draft::routine("read", "fs.read").flag("sent", true));
    }
}

/// Adds the copy of a file into a pod: `kubectl cp FILE POD:PATH`.
pub(super) fn into_pod<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let parsed = run.parse(words, Options::new("cn", "container namespace context kubeconfig retries"));
    let [verb, from, to] = parsed.operands.as_slice() else { return };
    let is_in_pod =
        |text: &str| text.split_once(':').is_some_and(|(pod, _)| pod.len() > 1 && !pod.starts_with(['.', '/', '~']));
    let is_temporary = to.text.split_once(':').is_some_and(|(_, path)| path.starts_with("/tmp/"));
    if verb.text == "cp" && !is_in_pod(&from.text) && is_in_pod(&to.text) && !is_temporary {
        run.emit(Draft::notable("orchestration", "kubernetes.change").target(&to.text));
    }
}

/// Options whose value is a file that becomes the text of a message or a request.
const TEXTS: &[&str] = &["--body-file", "--notes-file", "--description-file", "--input"];

/// Adds a read for each file that an option sends: `--body-file FILE`, `-F NAME=@FILE`, `--zip-file fileb://FILE`.
pub(super) fn forms<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let hub = matches!(run.name.as_str(), "gh" | "glab" | "hub");
    let aws = run.name == "aws";
    let api = words.iter().any(|word| word.text == "api");
    // These services store secrets, so sending them one is their purpose.
    let keeps =
        words.iter().take(2).any(|word| matches!(word.text.as_str(), "secret" | "secretsmanager" | "ssm" | "kms"));
    if !(hub || aws) || keeps {
        return;
    }
    for (at, word) in words.iter().enumerate().take(FORMS) {
        let (option, value) = match word.text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Operand::tail(word, value)),
            _ => {
                let short = word.text.strip_prefix("-F").filter(|rest| hub && !rest.is_empty());
                match (short, words.get(at + 1)) {
                    (Some(value), _) => ("-F", Operand::tail(word, value)),
                    (None, Some(next)) => (word.text.as_str(), Operand::of(next)),
                    (None, None) => continue,
                }
            }
        };
        let text = value.text.as_ref();
        let file = match option {
            "-F" | "--field" if hub && api => text.split_once("=@").map(|(_, file)| file),
            "-F" if hub => Some(text),
            _ if hub && TEXTS.contains(&option) => Some(text),
            "--body" if aws => Some(text),
            _ if aws => text.strip_prefix("file://").or_else(|| text.strip_prefix("fileb://")),
            _ => None,
        };
        if let Some(file) = file.map(str::to_owned) {
            run.read_as(&value.renamed(file), Draft::routine("read", "fs.read").flag("sent", true));
        }
    }
}

/// The maximum number of words that are searched for such options.
const FORMS: usize = 256;

/// Returns whether the word is a URL, or a path in a store or on another machine.
fn is_remote(text: &str) -> bool {
    text.split_once(':').is_some_and(|(before, _)| !before.contains('/'))
}
