//! Programs that search, sort and transform text. They read the operands after a pattern, and some write in place.

mod script;
pub(crate) mod sweep;

use guard_sdk::syntax::{Command, Word};

use super::program::Program;
use super::readers::reads;
use crate::draft::Draft;
use crate::languages::{awk, sed};
use crate::options::{Operand, Options, Parsed};
use crate::run::input::Input;
use crate::run::{Run, here};

pub(super) const TABLE: &[Program] = &[
    Program::new(&["grep", "egrep", "fgrep", "ggrep", "zgrep", "zegrep", "zfgrep"], GREP, grep),
    Program::new(&["rg"], RG, grep),
    Program::new(&["ag", "ack", "ugrep"], AG, grep),
    Program::new(&["sed", "gsed"], sed::OPTIONS, script::sed),
    Program::new(&["awk", "gawk", "mawk", "nawk", "original-awk"], awk::OPTIONS, script::awk),
    Program::new(
        &["sort", "gsort"],
        Options::new("kotST", "key output field-separator buffer-size temporary-directory"),
        writes_output,
    ),
    Program::new(&["uniq", "guniq"], Options::new("fsw", "skip-fields skip-chars"), second_is_written),
    Program::new(&["xxd"], Options::new("clogsn", ""), second_is_written),
    Program::new(&["iconv"], Options::new("fto", "from-code to-code output"), writes_output),
    Program::new(&["base64", "gbase64"], Options::new("wio", "wrap input output"), writes_output),
    Program::new(&["jq", "gojq", "jaq"], Options::new("fL", "from-file indent"), jq),
    Program::new(&["yq"], Options::new("opI", "from-file input-format output-format"), yq),
    // Not a program: some agents intercept it in the command and apply it themselves.
    Program::new(&["apply_patch", "applypatch"], Options::new("", ""), apply_patch),
    Program::new(
        &["patch", "gpatch"],
        Options::new("bBdDFgioprVYz", "input output directory strip fuzz reject-file"),
        patch,
    ),
    Program::new(
        &[
            "prettier",
            "black",
            "gofmt",
            "rustfmt",
            "isort",
            "autopep8",
            "eslint",
            "stylelint",
            "clang-format",
            "shfmt",
            "yapf",
            "goimports",
            "stylua",
        ],
        Options::new("l", "edition config config-path line-length"),
        formats,
    ),
    Program::new(&["dasel"], Options::NONE, formats),
    Program::new(&["openssl"], Options::NONE, openssl),
    Program::new(&["gpg", "gpg2", "age"], Options::new("oru", "output recipient local-user"), writes_output),
    Program::new(&["ssh-keygen"], Options::new("bCfmNPRtV", ""), keygen),
];

pub(super) const GREP: Options = Options::new(
    "ABCDdefm",
    "regexp file include exclude exclude-from exclude-dir max-count after-context before-context context",
);

pub(super) const RG: Options = Options::new("ABCEMTdefgjmrt", "regexp file glob iglob type type-not replace max-count");

pub(super) const AG: Options = Options::new("ABCGm", "ignore ignore-dir type");

fn grep<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let patterns_elsewhere = parsed.is("e", "regexp") || parsed.is("f", "file") || parsed.is("", "files");
    parsed.values("f", "file").for_each(|operand| run.read(&operand));
    parsed.values("", "exclude-from").for_each(|operand| run.read(&operand));
    // A number, an exit code or file names don't show the content of the lines.
    let tells = ["count", "quiet", "silent", "files-with-matches", "files-without-match"];
    if parsed.is("qclL", "") && !run.name.starts_with('u') || tells.iter().any(|name| parsed.is("", name)) {
        return;
    }
    let recursive = parsed.has("rR", "recursive") || matches!(run.name.as_str(), "rg" | "ag" | "ack");
    if recursive {
        included(run, parsed);
    }
    sweep::find(run, parsed, patterns_elsewhere, recursive);
    for operand in parsed.from(usize::from(!patterns_elsewhere)) {
        run.read_as(operand, Draft::routine("read", "fs.read").flag("recursive", recursive));
    }
}

/// Adds reads of the names to which a search in folders is limited.
fn included<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let by_glob = if run.name == "rg" { "g" } else { "" };
    let globs = parsed.values("", "include").chain(parsed.values(by_glob, "glob")).chain(parsed.values("", "iglob"));
    for name in globs.filter(|name| !name.text.starts_with('!')) {
        let word = Word { text: name.text.to_string(), glob: name.text.contains(['*', '?', '[', '{']), ..here() };
        run.read_as(&Operand::of(&word), Draft::routine("read", "fs.read").certain(false).flag("searched", true));
    }
}

/// Adds reads of the operands and writes of the files in `-o`.
fn writes_output<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    reads(run, parsed);
    if matches!(run.name.as_str(), "base64" | "gbase64") {
        parsed.values("i", "input").for_each(|operand| run.read(&operand));
    }
    parsed.values("o", "output").for_each(|operand| run.write(&operand));
}

fn second_is_written<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|operand| run.read(operand));
    parsed.operands.iter().skip(1).take(1).for_each(|operand| run.write(operand));
}

fn jq<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let from_file = parsed.is("f", "from-file");
    parsed.values("f", "from-file").for_each(|operand| run.read(&operand));
    if parsed.is("", "args") || parsed.is("", "jsonargs") {
        return;
    }
    // `--arg name value` and similar options take two words, and only the last two of these options name a file.
    let mut skip = 0_usize;
    let mut filter_seen = from_file;
    let in_place = run.name == "jaq" && parsed.is("i", "in-place");
    let mut words = run.arguments().iter().peekable();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            _ if skip > 0 => skip -= 1,
            "--arg" | "--argjson" => skip = 2,
            "--slurpfile" | "--rawfile" => {
                words.next();
                if let Some(file) = words.next() {
                    run.read(&Operand::of(file));
                }
            }
            "-f" | "--from-file" | "-L" | "--indent" => skip = 1,
            text if text.starts_with('-') => {}
            _ if !filter_seen => filter_seen = true,
            _ if in_place => run.write(&Operand::of(word)),
            _ => run.read(&Operand::of(word)),
        }
    }
}

fn yq<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let in_place = parsed.has("i", "inplace") || parsed.has("", "in-place");
    let verb = matches!(parsed.text(0), "e" | "eval" | "ea" | "eval-all" | "put" | "select");
    // With an input format and a single operand, the operand is the file.
    let has_expression = !(parsed.operands.len() == 1 && parsed.is("p", "input-format"));
    for file in parsed.from(usize::from(verb) + usize::from(has_expression)) {
        if in_place {
            run.write(file);
        } else {
            run.read(file);
        }
    }
}

fn patch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some(folder) = parsed.value("d", "directory") {
        run.enter(&folder);
    }
    parsed.values("i", "input").for_each(|operand| run.read(&operand));
    parsed.values("o", "output").for_each(|operand| run.write(&operand));
    if parsed.on("", "dry-run", false) {
        return;
    }
    if parsed.is("R", "reverse") {
        undone(run);
    }
    let level = parsed.value("p", "strip").and_then(|level| level.text.parse().ok()).unwrap_or(0);
    if let Some(file) = parsed.operands.first() {
        run.write(file);
    } else {
        let named: Vec<Operand<'a>> = parsed.values("i", "input").collect();
        write_patched(run, &named, level, None);
    }
    parsed.operands.iter().skip(1).take(1).for_each(|operand| run.read(operand));
}

/// Adds the loss of uncommitted changes if the output of `git diff` is applied in reverse.
pub(super) fn undone(run: &mut Run<'_>) {
    let is_diff = |command: &Command| {
        let words = || command.argv.iter().skip(2).map(|word| word.text.as_str());
        let revisions = words().take_while(|word| *word != "--").filter(|word| !word.starts_with('-'));
        command.program() == "git"
            && command.word(1) == "diff"
            && !words().any(|word| matches!(word, "--cached" | "--staged") || word.contains(".."))
            && revisions.count() < 2
    };
    let read = run.command.argv.iter().skip(1).map(|word| word.text.as_str());
    let read: Vec<&str> = read.chain(run.command.redirections.iter().map(|from| from.target.text.as_str())).collect();
    let at = usize::try_from(run.command.id).unwrap_or_default().saturating_sub(1);
    let before = run.commands.get(..at).unwrap_or_default().iter().rev().take(FILES);
    let is_kept = |command: &Command| {
        command.redirections.iter().any(|to| to.operator == ">" && read.contains(&to.target.text.as_str()))
    };
    let is_written = before.into_iter().any(|command| is_diff(command) && is_kept(command));
    let is_substituted = run.pipelines.children(run.commands, run.command.id).take(FILES).any(is_diff);
    if is_written || is_substituted || run.before().is_some_and(is_diff) {
        run.emit(Draft::destructive("vcs", "git.discard").target(".").flag("whole-directory", true));
    }
}

/// The maximum number of files of a patch.
const FILES: usize = 256;

/// Adds the files that patches change, without the first `level` folders of their names. The patches come from the
/// named files, or from the input. A patch that can't be read may change any file here.
pub(super) fn write_patched<'a>(run: &mut Run<'a>, named: &[Operand<'a>], level: usize, folder: Option<&Operand<'a>>) {
    let mut texts: Vec<Option<String>> = named.iter().take(FILES).map(|file| run.text_of(file)).collect();
    if texts.is_empty() {
        texts.push(run.input().map(|input| input.text).or_else(|| run.redirected()));
    }
    folder.into_iter().for_each(|folder| run.enter(folder));
    let name_of = |line: &str| {
        let name = line
            .strip_prefix("+++ ")
            .or_else(|| line.strip_prefix("--- "))
            .or_else(|| line.strip_prefix("rename to "))
            .or_else(|| line.strip_prefix("rename from "))?;
        let name = name.split('\t').next().unwrap_or(name).trim().trim_matches('"');
        (!name.is_empty() && name != "/dev/null").then(|| name.to_owned())
    };
    for text in texts {
        let plain = |name: String| match name.starts_with('/') {
            true => name,
            false => name.splitn(level + 1, '/').nth(level).unwrap_or(&name).to_owned(),
        };
        let names = text.iter().flat_map(|text| text.lines()).filter_map(name_of).take(FILES);
        let mut files: Vec<String> = names.map(plain).collect();
        files.dedup();
        for name in &files {
            let file = Word { text: name.clone(), ..here() };
            run.write(&Operand::of(&file));
        }
        match files.is_empty() {
            true => run.write_unknown("patch"),
            false => run.write_here("patch"),
        }
    }
}

/// Adds the effects of a patch in the first operand or on standard input. A header names each file.
fn apply_patch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let given =
        parsed.operands.first().map(|operand| Input { text: operand.text.to_string(), certain: !operand.dynamic });
    let Some(Input { text, certain: true }) = given.or_else(|| run.input()) else { return run.write_unknown("patch") };
    let before = run.count();
    for line in text.lines() {
        let header = line.trim_start().strip_prefix("*** ").and_then(|header| header.split_once(':'));
        let Some((verb, path)) = header else { continue };
        let file = Word { text: path.trim().to_owned(), ..here() };
        match verb {
            "Delete File" => run.delete(&Operand::of(&file), false),
            _ => run.write(&Operand::of(&file)),
        }
    }
    if run.count() == before {
        run.write_here("patch");
    }
}

/// Formatters and configuration editors have their own tables.
fn formats<'a>(_: &mut Run<'a>, _: &Parsed<'a>) {}

fn openssl<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    for pair in run.arguments().windows(2) {
        let [option, file] = pair else { continue };
        match option.text.as_str() {
            "-in" | "-inkey" | "-kfile" => run.read(&Operand::of(file)),
            "-out" | "-keyout" | "-writerand" => run.write(&Operand::of(file)),
            _ => {}
        }
    }
}

/// Adds the reads and writes of key files and known hosts.
fn keygen<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // If a host is no longer known, its next key is accepted as new.
    if parsed.is("R", "") {
        let known = parsed.value("R", "").map(|host| host.renamed("~/.ssh/known_hosts".to_owned()));
        parsed.value("f", "").or(known).iter().for_each(|file| run.write(file));
        return;
    }
    let reads_only = parsed.has("lyFB", "");
    for file in parsed.values("f", "") {
        if reads_only {
            run.read(&file);
        } else {
            run.write(&file);
        }
    }
}
