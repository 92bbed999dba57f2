//! A command's use of a secret file: whether it shows a value, and whether it copies a template to the file.

use guard_sdk::Presence;
use guard_sdk::syntax::{Command, Effect};

use crate::call_view::CallView;
use crate::secret_loading;

/// The maximum number of commands of a text that are examined.
pub(crate) const MOST: usize = 64;

/// Returns whether no value of the file is revealed: only names or counts are printed, or the shell loads the variables
/// and prints none.
pub(crate) fn shows_no_value(effect: &Effect, view: &CallView<'_>) -> bool {
    const OTHERWISE: &[&str] = &["sent", "kept", "link-to", "searched", "swept"];
    if OTHERWISE.iter().any(|tag| effect.tag(tag).is_some()) {
        return false;
    }
    let Some(reader) = view.command(effect) else { return false };
    let name = effect.target.rsplit('/').next().unwrap_or_default();
    let has_names = name.starts_with(".env");
    shows_names_only(reader, has_names, view)
        || has_names && secret_loading::is_read_for_names(reader, view)
        || secret_loading::is_loaded(reader, view)
}

/// Returns the commands of a pipeline from this one on.
pub(crate) fn pipeline_from<'a>(command: &'a Command, view: &'a CallView<'_>) -> impl Iterator<Item = &'a Command> {
    let (pipeline, index) = (command.position.pipeline, command.position.index);
    let commands = view.analysis.commands.iter().filter(move |other| other.position.pipeline == pipeline);
    commands.filter(move |other| other.position.index >= index).take(MOST)
}

/// Returns whether a command of the pipeline keeps only names or counts, and all before it only select lines. Only in
/// files of variables, the name is before the sign: elsewhere a line without the sign would be shown.
fn shows_names_only(reader: &Command, has_names: bool, view: &CallView<'_>) -> bool {
    for stage in pipeline_from(reader, view) {
        if prints_only_counts(stage) || has_names && prints_only_names(stage) {
            return true;
        }
        if !chooses_lines(stage) || !passes_on(stage, view) {
            return false;
        }
    }
    false
}

/// Returns whether the command prints whole lines of its input.
pub(crate) fn chooses_lines(command: &Command) -> bool {
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    match command.program() {
        "cat" | "sort" | "uniq" => words.all(|word| !word.starts_with("--")),
        "grep" | "egrep" | "fgrep" => {
            words.all(|word| !(word.starts_with("--") || word.starts_with('-') && word.contains(['o', 'b'])))
        }
        _ => false,
    }
}

/// Returns whether the command prints lines of its input, and writes them nowhere else.
pub(crate) fn passes_on(command: &Command, view: &CallView<'_>) -> bool {
    const FILTERS: &[&str] =
        &["cat", "cut", "egrep", "fgrep", "grep", "head", "sed", "sort", "tail", "tr", "uniq", "xargs"];
    let writes = |effect: &Effect| effect.command_id == command.id && effect.kind == "write";
    let is_filter = match command.program() {
        // Without a program it prints the words.
        "xargs" => prints_words(command),
        program => FILTERS.contains(&program) || program.is_empty() && !command.redirections.is_empty(),
    };
    let leads_away =
        command.redirections.iter().any(|found| found.operator.contains('>') && matches!(found.fd, 1 | -1));
    is_filter && !leads_away && !view.analysis.effects.iter().any(writes)
}

/// Returns whether `xargs` has no program, and shows none of its input otherwise.
fn prints_words(xargs: &Command) -> bool {
    let mut words = xargs.argv.iter().skip(1).map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-d" | "-n" | "-L" | "-s" => drop(words.next()),
            "-t" | "-p" | "--verbose" | "--interactive" => return false,
            _ if !word.starts_with('-') => return false,
            _ => {}
        }
    }
    true
}

/// Returns whether the command prints at most counts of its input, or whether inputs are equal.
fn prints_only_counts(command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let has = |names: &[&str]| words().any(|word| names.contains(&word));
    match command.program() {
        // A digest doesn't reveal the value.
        program if DIGESTS.contains(&program) => {
            !has(&["-c", "--check", "-p", "-x"]) && words().all(|word| !word.starts_with("--c"))
        }
        "awk" | "gawk" | "mawk" => {
            let mut rest = words().peekable();
            while let Some(option) = rest.next_if(|word| word.starts_with("-F")) {
                let _separator = if option == "-F" { rest.next() } else { None };
            }
            rest.next().is_some_and(prints_no_line) && rest.all(|word| !word.starts_with('-') && !word.contains('='))
        }
        // A fingerprint, or the public part.
        "ssh-keygen" => {
            let is_short = |word: &str| word.starts_with('-') && word.contains(['l', 'B', 'y']);
            words().any(is_short) && !has(&["-p", "-c"])
        }
        "wc" | "gwc" => words().all(|word| !word.starts_with("--files0")),
        "cmp" => has(&["-s", "--silent", "--quiet"]),
        "diff" | "colordiff" => has(&["-q", "--brief", "-rq", "-qr"]),
        "grep" | "egrep" | "fgrep" | "rg" => {
            has(&["--count", "--quiet", "--silent", "--files-with-matches", "--files-without-match"])
                || words().any(|word| is_letters(command, word) && word.contains(['c', 'q', 'l']))
        }
        "jq" | "gojq" => {
            let mut rest = words().skip_while(|word| matches!(*word, "-r" | "-c" | "-S" | "-M" | "-C"));
            rest.next().is_some_and(|filter| matches!(filter, "keys" | "keys[]" | "keys_unsorted" | "length" | "type"))
                && rest.all(|word| !word.starts_with('-'))
        }
        _ => false,
    }
}

/// Programs that print a digest of a file.
pub(crate) const DIGESTS: &[&str] = &[
    "b2sum",
    "b3sum",
    "cksum",
    "gmd5sum",
    "gsha256sum",
    "md5",
    "md5sum",
    "sha1",
    "sha1sum",
    "sha224sum",
    "sha256",
    "sha256sum",
    "sha384sum",
    "sha512",
    "sha512sum",
    "shasum",
    "sum",
];

/// Returns whether the letters of a `grep` option take no value, so that none of them is part of a pattern.
fn is_letters(command: &Command, word: &str) -> bool {
    let known = if command.program() == "rg" { "cilnoqvwx" } else { "EFGHPchilnoqrsvwx" };
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|letter| known.contains(letter))
}

/// Returns whether the command prints only the names of variables.
fn prints_only_names(command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let value = |short: &str, long: &str| option_value(command, short, long);
    // If an option is repeated, the last one applies.
    let once =
        |short: &str, long: &str| words().filter(|word| word.starts_with(short) || word.starts_with(long)).count() == 1;
    match command.program() {
        "cut" | "gcut" => {
            value("-d", "--delimiter") == Some("=")
                && value("-f", "--fields") == Some("1")
                && once("-d", "--d")
                && once("-f", "--f")
                && words().all(|word| !word.starts_with("--c"))
        }
        "grep" | "egrep" | "fgrep" => {
            let only = |word: &str| word == "--only-matching" || is_letters(command, word) && word.contains('o');
            let options = || words().filter(|word| word.starts_with('-'));
            words().any(only)
                && options().all(|word| only(word) || is_letters(command, word))
                && words().find(|word| !word.starts_with('-')).is_some_and(is_pattern_of_names)
        }
        "sed" | "gsed" => {
            let mut rest = words().skip_while(|word| matches!(*word, "-E" | "-r" | "-u" | "-s")).peekable();
            rest.next_if_eq(&"-e");
            rest.next().is_some_and(cuts_values) && rest.all(|word| !word.starts_with('-'))
        }
        "awk" | "gawk" | "mawk" => {
            let mut rest = words().skip_while(|word| word.starts_with("-F") || *word == "=");
            value("-F", "--field-separator") == Some("=")
                && once("-F", "--field")
                && rest.next().is_some_and(prints_first_field)
                && rest.all(|word| !word.starts_with('-') && !word.contains('='))
        }
        _ => false,
    }
}

/// Returns the value of an option, from the next word, from the same one, or after `=`.
fn option_value<'a>(command: &'a Command, short: &str, long: &str) -> Option<&'a str> {
    let mut words = command.argv.iter().skip(1).map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        if word == short || word == long {
            return words.next();
        }
        if let Some(value) = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
        if let Some(value) = word.strip_prefix(short).filter(|_| !word.starts_with("--")) {
            return Some(value);
        }
    }
    None
}

/// Returns whether a pattern matches only names, such as `^[A-Z_]+=`.
fn is_pattern_of_names(pattern: &str) -> bool {
    let rest = pattern.strip_prefix('^').unwrap_or_default().trim_end_matches('=').trim_end_matches(['*', '+', '\\']);
    let set = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or_default();
    matches!(rest, "[^=]" | r"\w")
        || !set.is_empty() && set.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Returns whether a script such as `s/=.*//` replaces everything from the sign on.
fn cuts_values(script: &str) -> bool {
    let Some(delimiter) = script.strip_prefix('s').and_then(|rest| rest.chars().next()) else { return false };
    let mut parts = script.get(1..).unwrap_or_default().split(delimiter).skip(1);
    let (Some(pattern), Some(text), Some(flags), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let pattern = pattern.trim_end_matches('$');
    !delimiter.is_alphanumeric()
        && matches!(pattern, "=.*" | "=.+" | " *=.*" | r"\s*=.*" | "[[:space:]]*=.*")
        && !text.contains(['&', '\\'])
        && matches!(flags, "" | "g")
}

/// Returns whether a program is `{print $1}`, for all lines or for those that a regular expression selects.
fn prints_first_field(program: &str) -> bool {
    let Some((lines, action)) = program.split_once('{') else { return false };
    let lines = lines.trim().trim_start_matches('!');
    let expression = lines.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let chooses = matches!(lines, "" | "NF") || expression.is_some_and(|text| !text.contains('/'));
    let action: String = action.chars().filter(|char| !char.is_whitespace()).collect();
    chooses && matches!(action.as_str(), "print$1}" | "print($1)}" | "print$1;}")
}

/// Returns whether an `awk` program consists of actions, and prints neither fields nor lines: `END { print NR }`.
fn prints_no_line(program: &str) -> bool {
    const SHOWING: &[&str] = &["$", "getline", "system", "|", "ENVIRON", "sub("];
    let mut rest = program.trim();
    while let Some((lines, behind)) = rest.split_once('{') {
        let Some((action, after)) = behind.split_once('}') else { return false };
        let prints = |(at, _): (usize, &str)| action.get(at + "print".len()..).unwrap_or_default();
        let is_bare = |after: &str| after.trim_start().is_empty() || after.trim_start().starts_with([';', '\n', '>']);
        if lines.contains([';', '\n']) || action.contains('{') || action.match_indices("print").map(prints).any(is_bare)
        {
            return false;
        }
        rest = after.trim();
    }
    rest.is_empty() && program.contains('{') && !SHOWING.iter().any(|word| program.contains(word))
}

/// Returns whether a template is copied to the file without replacing an existing one.
pub(crate) fn is_template_copy(effect: &Effect, view: &CallView<'_>) -> bool {
    const COPIERS: &[&str] = &["cp", "gcp", "install", "ginstall", "rsync"];
    const FILTERS: &[&str] = &["cat", "dd", "egrep", "envsubst", "gawk", "grep", "gsed", "head", "sed", "tee", "tr"];
    let Some(command) = view.command(effect) else { return false };
    let copies = COPIERS.contains(&command.program());
    if !copies && !FILTERS.contains(&command.program()) {
        return false;
    }
    let of_command = |other: &&Effect| other.command_id == command.id && other.kind == "read";
    let mut sources = view.analysis.effects.iter().filter(of_command).peekable();
    sources.peek().is_some()
        && sources.all(|source| is_template(&source.target, view))
        && (effect.path.exists == Presence::No
            || copies && preserves_existing(command)
            || is_missing(&effect.target, command, view))
}

/// Returns whether the name is that of a template.
fn is_template(path: &str, view: &CallView<'_>) -> bool {
    const WORDS: &[&str] = &["example", "sample", "template", "tmpl", "tpl", "dist", "default", "defaults", "skeleton"];
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut words = name.split(|char: char| !char.is_ascii_alphanumeric());
    view.settings.files.is_exempt(path) || words.any(|word| WORDS.contains(&word))
}

/// Returns whether the copy doesn't overwrite an existing file.
fn preserves_existing(command: &Command) -> bool {
    command.argv.iter().skip(1).any(|word| match word.text.as_str() {
        "--no-clobber" | "--ignore-existing" | "--update=none" => true,
        text => {
            matches!(command.program(), "cp" | "gcp")
                && !text.starts_with("--")
                && text.starts_with('-')
                && text.contains('n')
        }
    })
}

/// Returns whether the command runs only if the file doesn't exist: `[ -f x ] || ...`, `[ ! -f x ] && ...`, `if [ ! -f
/// x ]`.
fn is_missing(path: &str, command: &Command, view: &CallView<'_>) -> bool {
    if let Some(tested) = double_bracket_operand(command, view) {
        let (negated, tested) = tested.strip_prefix("! ").map_or((false, tested), |tested| (true, tested));
        let is_path = ["-f ", "-e ", "-s "].iter().any(|test| tested.strip_prefix(test) == Some(path));
        return is_path && command.position.operator == if negated { "&&" } else { "||" };
    }
    let Some(test) = command.id.checked_sub(1).and_then(|id| view.command_by_id(id)) else { return false };
    let words: Vec<&str> = test.argv.iter().map(|word| word.text.as_str()).collect();
    let (negated, words) = match words.as_slice() {
        ["test" | "[" | "[[", "!", rest @ ..] => (true, rest),
        ["test" | "[" | "[[", rest @ ..] => (false, rest),
        _ => return false,
    };
    let is_test = matches!(words, ["-f" | "-e" | "-s" | "-r", tested] | ["-f" | "-e" | "-s" | "-r", tested, "]" | "]]"] if *tested == path);
    let in_condition = test.position.within.last().is_some_and(|place| place == "condition");
    is_test
        && match command.position.operator.as_str() {
            "||" => !negated,
            "&&" => negated,
            _ => negated && in_condition,
        }
}

/// Returns the operand that `[[ ... ]]` tests right before the command's operator. The analysis lists no command for
/// it.
fn double_bracket_operand<'a>(command: &Command, view: &'a CallView<'_>) -> Option<&'a str> {
    let start = usize::try_from(command.span.start).ok()?;
    let before = view.raw_text().get(..start)?.trim_end();
    let test = before.strip_suffix(command.position.operator.as_str())?.trim_end().strip_suffix("]]")?;
    test.rsplit_once("[[").map(|(_, test)| test.trim())
}
