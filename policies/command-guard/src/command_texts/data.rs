//! Words of a command that are text: messages, patterns, titles, and code that the analysis reads separately.

use guard_sdk::syntax::{Analysis, Command, Coverage};

use super::MOST;
use super::names::{asks_for_help, first_name};

/// The data of a command.
#[derive(Debug, Default)]
pub(super) struct Data<'c> {
    /// Indexes into the command's words.
    pub(super) words: Vec<usize>,
    /// The texts of its here-documents and here-strings.
    pub(super) documents: Vec<&'c str>,
}

/// Programs whose words are all text for people, or names to look up.
const PRINTERS: &[&str] = &[
    "apropos",
    "banner",
    "cheat",
    "cowsay",
    "echo",
    "espeak",
    "figlet",
    "info",
    "logger",
    "man",
    "notify-send",
    "osd_cat",
    "printf",
    "say",
    "spd-say",
    "tldr",
    "toilet",
    "type",
    "wall",
    "whatis",
    "where",
    "whereis",
    "which",
];

/// Programs whose arguments with blanks are text: patterns, filters, names of files and tests.
pub(super) const READERS: &[&str] = &[
    "ack",
    "ag",
    "basename",
    "bat",
    "batcat",
    "cat",
    "cmp",
    "colordiff",
    "comm",
    "cp",
    "cut",
    "dasel",
    "diff",
    "dirname",
    "egrep",
    "export",
    "fd",
    "fgrep",
    "file",
    "find",
    "fx",
    "gh",
    "git-grep",
    "glab",
    "glow",
    "grep",
    "gron",
    "head",
    "jq",
    "less",
    "local",
    "ls",
    "md5sum",
    "mkdir",
    "more",
    "nl",
    "pcregrep",
    "readonly",
    "rg",
    "ripgrep",
    "sed",
    "sha256sum",
    "shellcheck",
    "shfmt",
    "sort",
    "stat",
    "tail",
    "tee",
    "test",
    "touch",
    "tr",
    "tree",
    "ugrep",
    "uniq",
    "wc",
    "xmllint",
    "xq",
    "yq",
    "zgrep",
    "declare",
    "typeset",
];

/// Test runners, whose arguments with blanks are names of tests.
pub(super) const TESTERS: &[&str] = &[
    "ava",
    "bats",
    "behave",
    "cargo",
    "ctest",
    "cucumber",
    "cypress",
    "dotnet",
    "go",
    "jest",
    "mocha",
    "mvn",
    "phpunit",
    "playwright",
    "py.test",
    "pytest",
    "rspec",
    "vitest",
    "bun",
    "npm",
    "pnpm",
    "yarn",
];

/// Programs whose code the analysis reads, including the commands that the code runs.
const CODE: &[&str] = &["awk", "gawk", "mawk", "nawk", "node", "perl", "php", "python", "python3", "ruby", "deno"];

/// Programs that treat standard input as text.
const KEEPERS: &[&str] = &["git", "hg", "jj", "pbcopy", "wl-copy", "xclip", "xsel"];

/// The maximum nesting of wrappers.
const WRAPPERS: usize = 4;

/// Returns the data of one of the commands of `analysis`. A wrapper has the words of the command that it starts.
pub(super) fn command_data<'c>(command: &'c Command, analysis: &'c Analysis) -> Data<'c> {
    let mut data = own_data(command, analysis);
    let mut started = command;
    for _ in 0..WRAPPERS {
        let at = usize::try_from(started.id).unwrap_or(usize::MAX);
        let next =
            analysis.commands.get(at).filter(|next| next.parent == started.id && next.via.len() > started.via.len());
        let Some(next) = next else { break };
        let texts: Vec<&str> = own_data(next, analysis).words.iter().map(|at| next.word(*at)).collect();
        let words = command.argv.iter().enumerate().skip(1).take(MOST);
        data.words.extend(words.filter(|(_, word)| texts.contains(&word.text.as_str())).map(|(at, _)| at));
        started = next;
    }
    data
}

/// Returns the data among the command's own words.
fn own_data<'c>(command: &'c Command, analysis: &'c Analysis) -> Data<'c> {
    let program = command.program();
    if asks_for_help(command) {
        return Data { words: (0..command.argv.len().min(MOST)).collect(), documents: Vec::new() };
    }
    let is_kept = is_kept(command, analysis);
    let prints = PRINTERS.contains(&program) && is_kept;
    let is_read = READERS.contains(&program)
        || TESTERS.contains(&program)
        || first_name(command).is_some()
        || CODE.contains(&program) && matches!(analysis.coverage, Coverage::Complete);
    let is_read = is_read && !runs_option_value(command);
    // The output of a substitution may be run, or become a part of a command.
    let is_alone = !command.position.within.iter().any(|place| place == "substitution");
    let mut data = Data::default();
    for (at, word) in command.argv.iter().enumerate().skip(1).take(MOST) {
        let before = command.word(at - 1);
        let is_text = word.text.trim().contains(char::is_whitespace);
        if prints && (is_alone || is_text) || is_text && (is_read || is_message(before, &word.text, program)) {
            data.words.push(at);
        }
    }
    let reads_code = CODE.contains(&program) && is_read;
    if is_kept
        && (reads_code || READERS.contains(&program) || PRINTERS.contains(&program) || KEEPERS.contains(&program))
    {
        let texts = command.redirections.iter().filter(|redirection| redirection.operator.starts_with("<<")).take(MOST);
        let texts = texts.map(|redirection| {
            if redirection.operator == "<<<" { redirection.target.text.as_str() } else { redirection.body.as_str() }
        });
        data.documents.extend(texts.filter(|text| !text.trim().is_empty()));
    }
    data
}

/// Returns whether the rest of the pipeline only reads the text.
fn is_kept(command: &Command, analysis: &Analysis) -> bool {
    let position = &command.position;
    let at = usize::try_from(command.id).unwrap_or(usize::MAX);
    let after = analysis.commands.get(at..).unwrap_or_default().iter().take(MOST);
    let behind = after.filter(|other| {
        other.via.len() == command.via.len()
            && other.position.pipeline == position.pipeline
            && other.position.index > position.index
    });
    let rest = usize::try_from(position.length.saturating_sub(position.index + 1)).unwrap_or(usize::MAX);
    rest == 0 || {
        let behind: Vec<&Command> = behind.collect();
        behind.len() == rest
            && behind.iter().all(|other| READERS.contains(&other.program()) || KEEPERS.contains(&other.program()))
    }
}

/// Returns whether an option of a reader names a program to start.
pub(super) fn runs_option_value(command: &Command) -> bool {
    let starts = ["--pre", "--open", "-O", "--pager", "--exec", "-exec", "-x", "-X", "-ok"];
    let is_searcher = !matches!(command.program(), "bash" | "cargo" | "sed" | "curl");
    is_searcher
        && command.argv.iter().take(MOST).any(|word| match word.text.as_str() {
            "-O" | "-x" | "-X" => matches!(command.program(), "fd" | "find" | "git" | "rg"),
            "-toolexec" | "-vettool" => true,
            text => starts.iter().any(|start| start.len() > 2 && text.starts_with(start)),
        })
}

/// Returns whether a word, or the value of an option in it, is text for people.
fn is_message(before: &str, word: &str, program: &str) -> bool {
    let glued =
        word.split_once('=').is_some_and(|(option, _)| option.starts_with('-') && takes_message(option, program));
    // `-mTEXT`: the value follows the letter.
    let cluster = word.split(char::is_whitespace).next().unwrap_or_default();
    let letters = cluster.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let attached = HISTORIES.contains(&program)
        && letters.is_some_and(|letters| {
            letters.starts_with(['S', 'G'])
                || letters.get(..3.min(letters.len())).is_some_and(|start| start.contains('m'))
        });
    takes_message(before, program) || glued || attached
}

const HISTORIES: &[&str] = &["bzr", "fossil", "git", "hg", "jj", "svn"];

/// Returns whether the value of an option is text for people.
fn takes_message(option: &str, program: &str) -> bool {
    const LONG: &[&str] = &[
        "--author",
        "--body",
        "--comment",
        "--description",
        "--desc",
        "--grep",
        "--message",
        "--notes",
        "--subject",
        "--summary",
        "--title",
        "--testNamePattern",
        "--test-name-pattern",
    ];
    const SENT: &[&str] =
        &["-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form"];
    let is_short = option.starts_with('-') && !option.starts_with("--") && option.ends_with('m');
    LONG.contains(&option)
        || HISTORIES.contains(&program) && (is_short || matches!(option, "-S" | "-G"))
        || program == "curl" && SENT.contains(&option)
}
