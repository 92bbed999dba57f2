//! Which files a call brings from another machine, or makes of such files.

use guard_sdk::paths::below;
use guard_sdk::syntax::{Analysis, Command, Effect};
use guard_sdk::{Call, Event};

use crate::past::Past;
use crate::sends::addresses;
use guard_sdk::addresses::is_here;

/// Programs that bring files from elsewhere, and of which the analysis may not say where they put them.
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

/// Words that are looked at, at most.
const WORDS: usize = 64;

/// The files that later calls should know of, in the order of the text.
pub(crate) fn of_call(call: &Call<'_>, past: &Past<'_>) -> Vec<String> {
    let analysis = call.analysis();
    let mut known: Option<Vec<Event>> = None;
    let mut found: Vec<String> = Vec::new();
    for command in &analysis.commands {
        let of = |effect: &&Effect| is_of(effect, command, analysis) && is_here_on_disk(effect);
        let made: Vec<&Effect> = analysis.effects.iter().filter(of).filter(|effect| effect.kind == "write").collect();
        found.extend(fetched(call, command, analysis));
        if made.is_empty() {
            continue;
        }
        let brings = brings(command, analysis);
        let mut sources: Vec<String> =
            analysis.effects.iter().filter(of).filter_map(source).map(str::to_owned).collect();
        if matches!(command.program(), "ln" | "link") {
            sources.extend(operands(call, command));
        }
        let is_new = |path: &str| found.iter().any(|from| below(path, from).is_some());
        let is_taken = sources.iter().any(|path| is_new(path))
            || !brings && !sources.is_empty() && {
                let known = known.get_or_insert_with(|| past.events("download"));
                sources.iter().any(|path| Past::download(known, path).is_some() || holds(known, path))
            };
        if brings || is_taken {
            found.extend(made.iter().map(|effect| effect.path.canonical.clone()));
        }
    }
    found.dedup();
    found
}

/// Whether the effect belongs to the command, or to the pipeline that it ends.
fn is_of(effect: &Effect, command: &Command, analysis: &Analysis) -> bool {
    if effect.command_id == command.id {
        return true;
    }
    let is_last = command.position.index + 1 == command.position.length && command.position.length > 1;
    is_last
        && analysis
            .commands
            .iter()
            .any(|other| other.id == effect.command_id && other.position.pipeline == command.position.pipeline)
}

fn is_here_on_disk(effect: &&Effect) -> bool {
    !effect.path.canonical.is_empty() && effect.tag("where").is_none()
}

/// Where the operands of a command lead.
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

/// The file that an effect takes something from.
fn source(effect: &Effect) -> Option<&str> {
    match effect.kind.as_str() {
        "read" | "delete" => Some(&effect.path.canonical),
        "write" => effect.tag("link-to"),
        _ => None,
    }
}

/// A folder that is taken as a whole holds a downloaded file.
fn holds(known: &[Event], folder: &str) -> bool {
    known.iter().any(|event| below(&event.target, folder).is_some())
}

/// Whether the pipeline of the command takes what it writes from another machine. Of plain requests the host knows it.
fn brings(command: &Command, analysis: &Analysis) -> bool {
    let near = |id: u32| {
        id == command.id
            || analysis
                .commands
                .iter()
                .any(|other| other.id == id && other.position.pipeline == command.position.pipeline)
    };
    let connects = |effect: &Effect| {
        effect.kind == "network" && matches!(effect.operation.as_str(), "network.connect" | "network.listen")
            || effect.kind == "read" && effect.tag("where") == Some("ssh")
    };
    let is_remote = |other: &&Command| near(other.id) && other.via.iter().any(|via| via.kind == "ssh");
    let is_code = analysis
        .scripts
        .iter()
        .any(|script| script.command_id == command.id && addresses(&script.text).iter().any(|host| !is_here(host)));
    is_code
        || analysis.effects.iter().any(|effect| near(effect.command_id) && connects(effect))
        || analysis.commands.iter().any(|other| is_remote(&other) || near(other.id) && other.program() == "ssh")
        || analysis.commands.iter().any(|other| near(other.id) && FETCHERS.contains(&other.program()))
}

/// The files that a program may have put beside the address that it was given.
fn fetched(call: &Call<'_>, command: &Command, analysis: &Analysis) -> Vec<String> {
    let is_fetcher = FETCHERS.contains(&command.program()) && !matches!(command.program(), "gh" | "glab" | "kubectl");
    let mut of = analysis.effects.iter().filter(|effect| effect.command_id == command.id);
    let is_unknown = of.any(|effect| effect.operation == "execute.unknown");
    let words = || command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str());
    let is_remote = |text: &&str| text.contains("://") && addresses(text).iter().any(|host| !is_here(host));
    if !(is_fetcher || is_unknown) || !words().any(|text| is_remote(&text)) {
        return Vec::new();
    }
    let name = |text: &str| {
        let path = text.split(['?', '#']).next().unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default().to_owned()
    };
    // The name in the address, the values of options, and what stands behind the address.
    let first = words().position(|text| is_remote(&text)).unwrap_or_default();
    let before = |at: usize| at.checked_sub(1).and_then(|at| words().nth(at)).unwrap_or_default();
    let is_meant = |at: usize| at >= first || before(at).starts_with('-');
    let operands = words().enumerate().filter(|(at, text)| !text.starts_with('-') && is_meant(*at));
    let names = operands.map(|(_, text)| if is_remote(&text) { name(text) } else { text.to_owned() });
    let names = names.filter(|name| !name.is_empty() && name != "." && !name.contains([' ', '$', '*']));
    let here = |name: String| call.resolve(&absolute(command, &name)).canonical;
    names.map(here).filter(|path| !path.is_empty()).collect()
}
