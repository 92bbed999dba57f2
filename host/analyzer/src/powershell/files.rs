//! Translates cmdlets for files, processes and the network to bash.

use std::collections::BTreeSet;

use super::bind::Bound;
use super::dotnet;
use super::pipeline::{Element, ElementOutput};
use super::stores::{self, store};
use super::values::{Piece, Text};
use super::{REMOTE_DEPTH, Reader};
use crate::wrappers::layer::quoted;

pub(super) const PATHS: &[&str] = &["literalpath", "path", "filepath", "uri"];

fn text(text: String) -> Element {
    Element { text, ..Element::default() }
}

fn given(text: String, words: Vec<Text>) -> Element {
    Element { text, gives: ElementOutput::Words(words), value: None }
}

/// Returns the paths in a cmdlet's arguments, in bash syntax.
fn paths(bound: &Bound) -> Vec<String> {
    let is_literal = bound.value("literalpath").is_some();
    bound.words(PATHS).iter().map(|word| word.as_path(is_literal)).collect()
}

fn joined(bound: &Bound) -> String {
    paths(bound).join(" ")
}

/// Returns the selection of files in `-Filter`, `-Include` or `-Exclude`.
fn selection(bound: &Bound) -> Option<String> {
    let selects =
        ["filter", "include", "exclude"].iter().find_map(|name| bound.value(name).map(|value| (*name, value)))?;
    let pattern = selects.1.words.first().map(|word| word.as_written()).unwrap_or_else(|| "'*'".to_owned());
    Some(if selects.0 == "exclude" { format!("! -name {pattern}") } else { format!("-name {pattern}") })
}

impl Reader<'_> {
    pub(super) fn cmdlet(&mut self, name: &str, bound: &Bound, is_fed: bool) -> Element {
        if bound.is_on("whatif") {
            return text(":".to_owned());
        }
        match name {
            "remove-item" => removed(bound, is_fed),
            "clear-content" | "clear-item" => fed_to(format!("truncate -s 0 {}", joined(bound)), bound, is_fed),
            "move-item" | "copy-item" | "rename-item" => moved(name, bound, is_fed, (&self.folders, &self.items)),
            "new-item" | "mkdir" => {
                self.folders.extend(bound.words(PATHS).iter().filter_map(|word| word.with_slashes().literal()));
                made(name, bound)
            }
            "get-content" => shown(bound, is_fed),
            "set-content" | "add-content" | "out-file" | "tee-object" | "export-csv" | "export-clixml" => {
                stored(name, bound, is_fed)
            }
            "get-childitem" => listed(bound),
            "get-item" if store(bound).is_some_and(|(drive, _)| drive == "env") => listed(bound),
            "get-item" | "resolve-path" => given(format!("ls -d {}", joined(bound)), bound.words(PATHS)),
            "test-path" if store(bound).is_some() => text("true".to_owned()),
            "test-path" => text(format!("test -e {}", joined(bound))),
            "get-command" => {
                let names: Vec<String> = bound.words(&["name"]).iter().map(Text::as_written).collect();
                given(format!("echo {}", names.join(" ")), bound.words(&["name"]))
            }
            "join-path" => joined_path(bound),
            "split-path" => text(format!("dirname {}", joined(bound))),
            "select-string" => searched(bound, is_fed),
            "set-location" => text(format!("cd {}", joined(bound))),
            "push-location" => text(format!("pushd {}", joined(bound))),
            "invoke-expression" => self.evaluated(bound, is_fed),
            "invoke-command" => self.invoked(bound),
            "start-process" => started(bound),
            "stop-process" => stopped(bound, is_fed),
            "get-process" => {
                let names = bound.words(&["name", "id"]);
                let (listed, gives) = match names.is_empty() {
                    true => ("ps -e", ElementOutput::Output),
                    false => ("ps", ElementOutput::Words(names)),
                };
                Element { text: listed.to_owned(), gives, value: None }
            }
            "invoke-webrequest" | "invoke-restmethod" => requested(bound),
            "set-alias" | "new-alias" => {
                if let (Some(name), Some(value)) = (bound.literal("name"), bound.literal("value")) {
                    self.aliases.insert(name.to_lowercase(), value.to_lowercase());
                }
                text(":".to_owned())
            }
            "set-variable" | "new-variable" => {
                let name = bound.literal("name").map(|name| super::strings::variable(&name));
                let value = bound.text("value").unwrap_or_else(|| "''".to_owned());
                match name {
                    Some(Piece::Variable(name)) => text(format!("{name}={value}")),
                    _ => text(":".to_owned()),
                }
            }
            "compress-archive" => {
                let target =
                    bound.words(&["destinationpath"]).first().map(|word| word.as_path(true)).unwrap_or_default();
                text(format!("zip -r {target} {}", joined(bound)))
            }
            "expand-archive" => {
                let target = bound.words(&["destinationpath"]).first().map(|word| word.as_path(true));
                text(format!("unzip {} -d {}", joined(bound), target.unwrap_or_else(|| ".".to_owned())))
            }
            "new-object" => self.object(bound),
            "invoke-sqlcmd" => text(format!("sqlcmd -Q {}", bound.text("query").unwrap_or_else(|| "''".to_owned()))),
            "set-item" | "set-itemproperty" | "new-itemproperty" => text(stores::written(bound)),
            "start-bitstransfer" => text(transferred(bound)),
            _ => text(":".to_owned()),
        }
    }

    /// Translates `Invoke-Expression TEXT`.
    fn evaluated(&mut self, bound: &Bound, is_fed: bool) -> Element {
        match bound.value("command").and_then(|value| value.words.first()) {
            Some(word) if word.pieces.iter().any(|piece| matches!(piece, Piece::Output(_))) => {
                text(format!("iex {}", word.as_written()))
            }
            Some(word) => text(format!("pwsh -Command {}", word.as_written())),
            None if is_fed => text("iex".to_owned()),
            None => text(":".to_owned()),
        }
    }

    /// Translates `Invoke-Command { ... }`, here or on another machine.
    fn invoked(&mut self, bound: &Bound) -> Element {
        let mut rest = bound.rest.iter();
        let mut host = ["computername", "hostname", "session", "vmname", "containerid", "sshconnection"]
            .iter()
            .find_map(|name| bound.text(name));
        let mut block = bound.value("scriptblock").and_then(|value| value.block.clone());
        for value in rest.by_ref() {
            match (&value.block, value.words.first()) {
                (Some(code), _) => block = Some(code.clone()),
                (None, Some(word)) if host.is_none() => host = Some(word.as_written()),
                _ => {}
            }
        }
        let Some(block) = block else {
            let file = joined(bound);
            return text(if file.is_empty() { ":".to_owned() } else { format!("pwsh -File {file}") });
        };
        let Some(host) = host else { return text(format!("{{\n{block}\n:\n}}")) };
        if self.remote >= REMOTE_DEPTH || block.matches('\'').count() > 256 {
            self.partial("PowerShell for other machines is nested too deeply to follow");
            return text(format!("{{\n{block}\n:\n}}"));
        }
        text(format!("ssh {host} {}", quoted(&block)))
    }

    /// Translates `New-Object Type arguments`.
    fn object(&mut self, bound: &Bound) -> Element {
        if bound.value("comobject").is_some() {
            return given(":".to_owned(), vec![Text::unknown()]);
        }
        let type_name = bound.literal("typename").unwrap_or_default();
        let words = bound.words(&["argumentlist"]);
        if super::types::is_file(&type_name) {
            return given("ls ".to_owned(), words);
        }
        given(":".to_owned(), vec![Text::unknown()])
    }
}

/// Returns the command itself, or a loop over the names from a pipe.
fn fed_to(command: String, bound: &Bound, is_fed: bool) -> Element {
    let has_path = !paths(bound).is_empty();
    text(if is_fed && !has_path { format!("xargs -I{{}} {} {{}}", command.trim()) } else { command })
}

fn removed(bound: &Bound, is_fed: bool) -> Element {
    if let Some((drive, rest)) = store(bound) {
        return match drive.as_str() {
            "env" => text(format!("unset {}", quoted(&rest))),
            "variable" | "function" | "alias" => text(":".to_owned()),
            drive if stores::is_registry(drive) => text(format!("reg delete {}", stores::key(drive, &rest))),
            _ => text(format!("Remove-Item {}", quoted(&format!("{drive}:\\{rest}")))),
        };
    }
    let (recursive, force) = (bound.is_on("recurse"), bound.is_on("force"));
    let mut flags = String::new();
    flags.push_str(if recursive { " -r" } else { "" });
    flags.push_str(if force { " -f" } else { "" });
    let mut targets = paths(bound);
    targets.extend(bound.rest.iter().flat_map(|value| value.words.iter().map(|word| word.as_path(false))));
    if let Some(selects) = selection(bound) {
        let depth = if recursive { "" } else { " -maxdepth 1" };
        return text(format!("find {}{depth} {selects} -exec rm{flags} {{}} +", targets.join(" ")));
    }
    fed_to(format!("rm{flags} {}", targets.join(" ")), bound, is_fed)
}

fn moved(name: &str, bound: &Bound, is_fed: bool, (folders, items): (&BTreeSet<String>, &BTreeSet<String>)) -> Element {
    if let Some((drive, rest)) = store(bound).filter(|(drive, _)| stores::is_registry(drive)) {
        return text(format!("reg copy {}", stores::key(&drive, &rest)));
    }
    let program = if name == "copy-item" { "cp" } else { "mv" };
    let flags = if name == "copy-item" && bound.is_on("recurse") { " -r" } else { "" };
    let mut sources = bound.words(&["literalpath", "path"]);
    let mut target = bound.words(&[if name == "rename-item" { "newname" } else { "destination" }]);
    if target.is_empty() && is_fed {
        target = std::mem::take(&mut sources);
    }
    let block = bound.value("newname").is_some_and(|value| value.block.is_some());
    let is_item = |word: &Text| matches!(word.pieces.as_slice(), [Piece::Variable(name)] if items.contains(name));
    let is_several = sources.len() > 1
        || sources.iter().any(is_item)
        || sources.iter().any(Text::is_pattern)
        || sources.is_empty() && is_fed;
    let mut place = target.first().map(|word| word.as_path(true));
    if name == "rename-item"
        && let (Some(to), Some(from)) = (place.as_deref(), sources.first())
        && !to.contains('/')
        && let Some(folder) =
            from.with_slashes().literal().and_then(|from| from.rsplit_once('/').map(|(folder, _)| folder.to_owned()))
        && !is_several
    {
        place = Some(format!("{}/{to}", quoted(&folder)));
    }
    let sources: Vec<String> = sources.iter().map(|word| word.as_path(false)).collect();
    let place = place.unwrap_or_else(|| if block { "\"${ps_value}\"".to_owned() } else { ".".to_owned() });
    let fixed = !block
        && target
            .first()
            .is_some_and(|word| word.pieces.iter().all(|piece| matches!(piece, Piece::Bare(_) | Piece::Quoted(_))));
    let made =
        target.first().and_then(|word| word.with_slashes().literal()).is_some_and(|place| folders.contains(&place));
    if name != "copy-item" && is_several && fixed && !made && !is_folder(target.first()) {
        let from = if sources.is_empty() { "{}".to_owned() } else { sources.join(" ") };
        return text(format!("Move-Item {from} -Destination {place}"));
    }
    if sources.is_empty() && is_fed {
        return text(format!("xargs -I{{}} {program}{flags} {{}} {place}"));
    }
    text(format!("{program}{flags} {} {place}", sources.join(" ")))
}

/// Returns whether the text shows that the target is a folder.
pub(super) fn is_folder(target: Option<&Text>) -> bool {
    let text = target.and_then(Text::literal).unwrap_or_default();
    text.ends_with(['\\', '/']) || text.rsplit(['\\', '/']).next().is_some_and(|name| matches!(name, "." | ".." | "~"))
}

fn made(name: &str, bound: &Bound) -> Element {
    let kind = bound.literal("itemtype").unwrap_or_default().to_lowercase();
    let mut place = paths(bound);
    if let Some(name) = bound.words(&["name"]).first() {
        let name = name.as_path(true);
        place = vec![place.first().map_or(name.clone(), |folder| format!("{folder}/{name}"))];
    }
    let places = place.join(" ");
    if store(bound).is_some() {
        return text(stores::written(bound));
    }
    if name == "mkdir" || kind.starts_with('d') {
        return given(format!("mkdir -p {places}"), bound.words(PATHS));
    }
    if kind.contains("link") || kind == "junction" {
        let target = bound.words(&["target", "value"]).first().map(|word| word.as_path(true)).unwrap_or_default();
        return text(format!("ln -s {target} {places}"));
    }
    match bound.text("value") {
        Some(value) => text(format!("echo {value} > {places}")),
        None if bound.is_on("force") => given(format!("truncate -s 0 {places}"), bound.words(PATHS)),
        None => given(format!("touch {places}"), bound.words(PATHS)),
    }
}

fn shown(bound: &Bound, is_fed: bool) -> Element {
    if let Some((drive, rest)) = store(bound) {
        return text(if drive == "env" { format!("printenv {}", quoted(&rest)) } else { ":".to_owned() });
    }
    let count = ["totalcount", "first", "head"]
        .iter()
        .find_map(|name| bound.text(name))
        .map(|count| format!("head -n {count}"));
    let tail = ["tail", "last"].iter().find_map(|name| bound.text(name)).map(|count| format!("tail -n {count}"));
    let program = count.or(tail).unwrap_or_else(|| "cat".to_owned());
    fed_to(format!("{program} {}", joined(bound)), bound, is_fed)
}

fn stored(name: &str, bound: &Bound, is_fed: bool) -> Element {
    let place = joined(bound);
    if place.is_empty() {
        return text(if is_fed { "cat".to_owned() } else { ":".to_owned() });
    }
    let appends = name == "add-content" || bound.is_on("append");
    let operator = if appends { ">>" } else { ">" };
    if name == "tee-object" {
        return text(format!("tee {}{place}", if appends { "-a " } else { "" }));
    }
    let value: Vec<String> = bound.words(&["value", "inputobject"]).iter().map(Text::as_written).collect();
    if is_fed && value.is_empty() {
        return text(format!("cat {operator} {place}"));
    }
    text(format!("echo {} {operator} {place}", value.join(" ")))
}

fn listed(bound: &Bound) -> Element {
    let words = bound.words(PATHS);
    if let Some((drive, rest)) = store(bound) {
        return text(if drive == "env" { variables(&rest) } else { ":".to_owned() });
    }
    let places = if words.is_empty() { ".".to_owned() } else { joined(bound) };
    let kind = if bound.is_on("file") {
        " -type f"
    } else if bound.is_on("directory") {
        " -type d"
    } else {
        ""
    };
    let selects = selection(bound);
    if bound.is_on("recurse") && (selects.is_some() || !kind.is_empty()) {
        let find = format!("find {places}{kind} {}", selects.unwrap_or_default());
        return Element { text: find.clone(), gives: ElementOutput::Found(find), value: None };
    }
    let below: Vec<Text> = if words.is_empty() {
        vec![Text::of(Piece::Bare(selected(bound)))]
    } else {
        words
            .into_iter()
            .map(|mut word| {
                let ends = word.literal().unwrap_or_default();
                let name = ends.rsplit(['/', '\\']).next().unwrap_or_default();
                // A name with an extension is rather a file than a folder.
                if !word.is_pattern() && (name.is_empty() || name == "." || name == ".." || !name.contains('.')) {
                    let slash = if ends.ends_with(['/', '\\']) { "" } else { "/" };
                    word.pieces.push(Piece::Bare(format!("{slash}{}", selected(bound))));
                }
                word
            })
            .collect()
    };
    given(format!("ls {places}"), below)
}

/// Returns the command that prints environment variables, sorted by name.
fn variables(name: &str) -> String {
    match name.trim_matches('*') {
        "" => "env | sort".to_owned(),
        part if part.len() < name.len() => format!("env | grep {}", quoted(part)),
        name => format!("printenv {}", quoted(name)),
    }
}

/// Returns the pattern of the listed names.
fn selected(bound: &Bound) -> String {
    bound.literal("filter").or_else(|| bound.literal("include")).unwrap_or_else(|| "*".to_owned())
}

fn joined_path(bound: &Bound) -> Element {
    let mut pieces: Vec<Piece> = Vec::new();
    for word in bound
        .words(&["path"])
        .into_iter()
        .take(1)
        .chain(bound.words(&["childpath"]))
        .chain(bound.rest.iter().flat_map(|value| value.words.clone()))
    {
        if !pieces.is_empty() {
            pieces.push(Piece::Quoted("/".to_owned()));
        }
        pieces.extend(word.pieces);
    }
    given("echo ".to_owned(), vec![Text { pieces }])
}

fn searched(bound: &Bound, is_fed: bool) -> Element {
    let pattern = bound.text("pattern").unwrap_or_else(|| "''".to_owned());
    let quiet = if bound.is_on("quiet") { "-q " } else { "" };
    let files = joined(bound);
    text(if files.is_empty() && !is_fed { ":".to_owned() } else { format!("grep {quiet}-e {pattern} {files}") })
}

fn started(bound: &Bound) -> Element {
    let program = bound.words(&["filepath"]).first().map(|word| word.as_path(true)).unwrap_or_default();
    if program.is_empty() {
        return text(":".to_owned());
    }
    let words = bound.value("argumentlist").map(dotnet::split).unwrap_or_default();
    let program = if program.to_lowercase().ends_with(".ps1") { format!("pwsh -File {program}") } else { program };
    let rises = bound.literal("verb").is_some_and(|verb| verb.eq_ignore_ascii_case("runas"));
    text(format!("{}{program} {words}", if rises { "sudo " } else { "" }))
}

fn stopped(bound: &Bound, is_fed: bool) -> Element {
    if let Some(name) = bound.value("name").or_else(|| bound.value("inputobject")) {
        let names: Vec<String> = name.words.iter().map(Text::as_written).collect();
        return text(format!("pkill {}", names.join(" ")));
    }
    let mut given: Vec<Text> = bound.words(&["id"]);
    given.extend(bound.rest.iter().flat_map(|value| value.words.clone()));
    if given.is_empty() {
        return text(if is_fed { "xargs kill".to_owned() } else { ":".to_owned() });
    }
    let is_name = given.iter().filter_map(Text::literal).any(|text| text.contains(char::is_alphabetic));
    let words: Vec<String> = given.iter().map(Text::as_written).collect();
    text(format!("{} {}", if is_name { "pkill" } else { "kill" }, words.join(" ")))
}

/// Translates `Start-BitsTransfer`, in either direction.
fn transferred(bound: &Bound) -> String {
    let place = |name: &str| bound.words(&[name]).first().map(|word| word.as_path(true)).unwrap_or_default();
    let (source, target) = (place("source"), place("destination"));
    match bound.literal("transfertype").is_some_and(|kind| kind.to_lowercase().starts_with("upload")) {
        true => format!("curl -T {source} {target}"),
        false => format!("curl -o {target} {source}"),
    }
}

fn requested(bound: &Bound) -> Element {
    let mut command = "curl".to_owned();
    let method = ["custommethod", "method"].iter().find_map(|name| bound.text(name));
    if let Some(method) = method {
        command.push_str(&format!(" -X {}", method.to_uppercase()));
    }
    for (name, option) in [("body", "-d"), ("infile", "-T"), ("outfile", "-o")] {
        let Some(value) = bound.value(name) else { continue };
        let text = match (name, value.words.first()) {
            ("body", Some(word)) => word.as_written(),
            (_, Some(word)) => word.as_path(true),
            _ => continue,
        };
        command.push_str(&format!(" {option} {text}"));
    }
    command.push_str(&format!(" {}", bound.text("uri").unwrap_or_else(|| "\"${ps_value}\"".to_owned())));
    text(command)
}
