//! Finds the files that a call downloads from another machine, or makes from such files.

use guard_sdk::paths::below;
use guard_sdk::syntax::{Analysis, Command, Effect, Index};
use guard_sdk::{Call, Event};

use crate::past::SessionHistory;
use crate::sends::addresses;
use guard_sdk::addresses::is_here;

/// Programs that download files, possibly to paths that the analysis doesn't know.
const FETCHERS: &[&str] = &[
    "aria2c",
    "aws",
    "axel",
    "az",
    "azcopy",
    "certutil",
    "crane",
    "croc",
    "fetch",
    "ftp",
    "gcloud",
    "gh",
    "glab",
    "gsutil",
    "hf",
    "http",
    "https",
    "huggingface-cli",
    "ipfs",
    "kubectl",
    "lftp",
    "mc",
    "oras",
    "rclone",
    "s3cmd",
    "sftp",
    "smbget",
    "svn",
    "tftp",
    "wget",
    "wormhole",
    "xh",
    "youtube-dl",
    "yt-dlp",
];

/// The maximum number of words that are examined.
const WORDS: usize = 64;

/// Returns the files that are noted for later calls, in the order of the text.
pub(crate) fn downloaded_files(call: &Call<'_>, past: &SessionHistory<'_>) -> Vec<String> {
    let analysis = call.analysis();
    let index = &past.index;
    let mut known: Option<Vec<Event>> = None;
    let mut found: Vec<String> = Vec::new();
    for command in &analysis.commands {
        let of = effects(command, index);
        let made: Vec<&Effect> = of.iter().filter(|effect| effect.kind == "write").copied().collect();
        found.extend(fetched_files(call, command, index));
        if made.is_empty() {
            continue;
        }
        let brings = writes_download(command, analysis, index);
        let mut sources: Vec<String> = of.iter().copied().filter_map(source).map(str::to_owned).collect();
        if matches!(command.program(), "ln" | "link") {
            sources.extend(operands(call, command));
        }
        let is_new = |path: &str| found.iter().any(|from| below(path, from).is_some());
        let is_taken = sources.iter().any(|path| is_new(path))
            || !brings && !sources.is_empty() && {
                let known = known.get_or_insert_with(|| past.events("download"));
                sources
                    .iter()
                    .any(|path| SessionHistory::download(known, path).is_some() || contains_download(known, path))
            };
        if brings || is_taken {
            found.extend(made.iter().map(|effect| effect.path.canonical.clone()));
        }
    }
    found.dedup();
    found
}

/// Returns the effects on this machine's files by a command, or by the pipeline that it ends.
fn effects<'a>(command: &'a Command, index: &Index<'a>) -> Vec<&'a Effect> {
    let is_last = command.position.index + 1 == command.position.length && command.position.length > 1;
    let commands = if is_last { index.pipeline(command).to_vec() } else { vec![command] };
    let of = commands.into_iter().flat_map(|command| index.effects(command).to_vec());
    of.filter(|effect| !effect.path.canonical.is_empty() && effect.tag("where").is_none()).collect()
}

/// Returns the resolved operands of a command.
fn operands(call: &Call<'_>, command: &Command) -> Vec<String> {
    let words = command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str());
    let paths = words.filter(|text| !text.starts_with('-')).map(|text| absolute(command, text));
    paths.map(|path| call.resolve(&path).canonical).collect()
}

fn absolute(command: &Command, text: &str) -> String {
    match text.starts_with(['/', '~']) || command.cwd.is_empty() {
        true => text.to_owned(),
        false => format!("{}/{text}", command.cwd),
    }
}

/// Returns the file that an effect copies from.
fn source(effect: &Effect) -> Option<&str> {
    match effect.kind.as_str() {
        "read" | "delete" => Some(&effect.path.canonical),
        "write" => effect.tag("link-to"),
        _ => None,
    }
}

/// Returns whether a folder that is used as a whole contains a downloaded file.
fn contains_download(known: &[Event], folder: &str) -> bool {
    known.iter().any(|event| below(&event.target, folder).is_some())
}

/// Returns whether the command's pipeline writes data from another machine. For plain requests, the host knows.
fn writes_download(command: &Command, analysis: &Analysis, index: &Index<'_>) -> bool {
    let near = index.pipeline(command);
    let connects = |effect: &&Effect| {
        effect.kind == "network" && matches!(effect.operation.as_str(), "network.connect" | "network.listen")
            || effect.kind == "read" && effect.tag("where") == Some("ssh")
    };
    let is_remote = |other: &&Command| {
        other.via.iter().any(|via| via.kind == "ssh")
            || other.program() == "ssh"
            || FETCHERS.contains(&other.program())
            || index.effects(other).iter().any(connects)
    };
    let of = analysis.scripts.iter().filter(|script| script.command_id == command.id);
    let is_code = of.flat_map(|script| addresses(&script.text)).any(|host| !is_here(&host));
    is_code || near.iter().any(is_remote)
}

/// Returns the files that a program may have written for the address that it got.
fn fetched_files(call: &Call<'_>, command: &Command, index: &Index<'_>) -> Vec<String> {
    let is_fetcher = FETCHERS.contains(&command.program()) && !matches!(command.program(), "gh" | "glab" | "kubectl");
    let is_unknown = index.effects(command).iter().any(|effect| effect.operation == "execute.unknown");
    let words = || command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str());
    let is_remote = |text: &&str| text.contains("://") && addresses(text).iter().any(|host| !is_here(host));
    if !(is_fetcher || is_unknown) || !words().any(|text| is_remote(&text)) {
        return Vec::new();
    }
    let name = |text: &str| {
        let path = text.split(['?', '#']).next().unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    // The name in the address, the values of options, and the words after the address.
    let first = words().position(|text| is_remote(&text)).unwrap_or_default();
    let before = |at: usize| at.checked_sub(1).and_then(|at| words().nth(at)).unwrap_or_default();
    let is_meant = |at: usize| at >= first || before(at).starts_with('-');
    let operands = words().enumerate().filter(|(at, text)| !text.starts_with('-') && is_meant(*at));
    let names = operands.map(|(_, text)| if is_remote(&text) { name(text) } else { text.to_owned() });
    let names = names.filter(|name| !name.is_empty() && name != "." && !name.contains([' ', '$', '*']));
    let here = |name: String| call.resolve(&absolute(command, &name)).canonical;
    names.map(here).filter(|path| !path.is_empty()).collect()
}
