//! Programs that change the permissions of a file: modes, owners, attributes, access control lists.

use guard_sdk::syntax::{Severity, Word};

use super::super::placeholder_operands;
use crate::draft::Draft;
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// Returns whether a word is a mode with a leading dash, such as `-w`, which looks like an option.
fn is_mode(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word.chars().skip(1).all(|c| "rwxXstugoa=+-,".contains(c))
}

pub(super) fn chmod<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let recursive = parsed.has("R", "recursive") || (run.shouted && parsed.has("r", ""));
    let before_dashes = run.arguments().iter().take_while(|word| word.text != "--");
    let dashed = before_dashes.map(|word| word.text.as_str()).find(|word| is_mode(word));
    let named = dashed.is_some() || parsed.has("", "reference");
    let mode = dashed.unwrap_or_else(|| if named { "" } else { parsed.text(0) });
    // Without a mode, the command fails. The word in the mode's position still shows the intended file.
    let lacks_mode = !named && parsed.operands.len() == 1 && recursive && parsed.text(0).contains(['/', '.', '~']);
    let mode = if lacks_mode { "" } else { mode };
    let open = lets_all_write(mode) && !finder_has(run, |words| words.iter().any(|word| is_selective(&word.text)));
    // Separate modes for files and for folders are the usual way to set the modes of a tree.
    let typed = finder_has(run, |words| words.iter().any(|word| word.text == "-type"));
    let files = parsed.from(usize::from(!named && !lacks_mode)).iter();
    let here = &crate::run::here();
    let started = files.flat_map(|operand| {
        let starts = if open { placeholder_operands::starts(run, operand) } else { Vec::new() };
        if starts.is_empty() {
            if open && !recursive && run.is_anything_here(operand) {
                return vec![(Operand::of(here), true)];
            }
            let all = placeholder_operands::is_start(operand) && (open || !typed || run.is_catastrophic(operand));
            vec![(operand.clone(), recursive || all)]
        } else {
            starts.into_iter().map(|start| (start, true)).collect()
        }
    });
    let started: Vec<_> = started.collect();
    for (operand, recursive) in &started {
        let recursive = *recursive;
        if stops_hook(mode, &operand.text) {
            run.emit(Draft::destructive("vcs", "git.hooks.remove").target(&operand.text));
        }
        let much = recursive && run.is_catastrophic(operand);
        let draft = Draft::notable("metadata", "fs.mode").severe(Severity::Destructive, much);
        let draft = draft.flag("recursive", recursive).tag("mode", mode).certain(!lacks_mode);
        // On a folder, the set-group-ID bit only determines the group of the files in it.
        let of_folders = !recursive && by_group(mode) && (operand.text.ends_with('/') || only_folders(run));
        run.emit_on(draft.flag("raises", raises(mode) && !of_folders), operand);
    }
}

/// Returns whether a path is in a folder that is emptied at boot.
pub(super) fn is_cleaned(path: &str) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"]
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Returns whether the mode prevents git from starting a hook. A hook's name has no extension.
fn stops_hook(mode: &str, path: &str) -> bool {
    let mut folders = path.rsplit('/');
    let is_named = folders.next().is_some_and(|name| !name.contains('.'));
    let above = folders.next().unwrap_or_default();
    let is_hook = above == "hooks" && folders.next() == Some(".git") || matches!(above, ".husky" | ".githooks");
    let octal = !mode.is_empty() && mode.bytes().all(|digit| digit.is_ascii_digit());
    let removes = |clause: &str| {
        clause
            .split_once('-')
            .is_some_and(|(who, what)| what.contains('x') && (who.is_empty() || who.contains(['u', 'a'])))
    };
    is_named && is_hook && if octal { !mode.contains(['1', '3', '5', '7']) } else { mode.split(',').any(removes) }
}

/// Returns whether the mode makes a program run as the file's owner or group.
fn raises(mode: &str) -> bool {
    let symbolic = mode.split(',').any(|clause| {
        let (who, what) = clause.split_at_checked(clause.find(['+', '=']).unwrap_or(clause.len())).unwrap_or_default();
        what.contains('s') && (who.is_empty() || who.contains(['u', 'g', 'a']))
    });
    let digits = mode.trim_start_matches('0');
    let octal = digits.len() == 4 && matches!(digits.bytes().next(), Some(b'2' | b'4'..=b'7'));
    symbolic || octal && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns whether the mode only makes a program run as the file's group.
fn by_group(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    let octal = digits.len() == 4 && digits.starts_with('2') && digits.bytes().all(|digit| digit.is_ascii_digit());
    let clause = |clause: &str| !clause.contains('s') || clause.starts_with("g+") || clause.starts_with("g=");
    octal || mode.contains('s') && mode.split(',').all(clause)
}

/// Returns whether the mode lets everyone write to the file, or nobody use it.
fn lets_all_write(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    let octal = mode.bytes().all(|digit| digit.is_ascii_digit()) && !mode.is_empty();
    let others = digits.bytes().next_back().unwrap_or(b'0');
    let symbolic = |clause: &str| {
        clause.split_once(['+', '=']).is_some_and(|(who, what)| what.contains('w') && who.contains(['o', 'a']))
    };
    if octal { digits.is_empty() || matches!(others, b'2' | b'3' | b'6' | b'7') } else { mode.split(',').any(symbolic) }
}

/// Returns whether a test of `find` selects files by more than their type.
fn is_selective(word: &str) -> bool {
    ["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-perm", "-newer", "-size"]
        .contains(&word)
}

/// Returns whether a `find` supplies the operands and only finds folders.
fn only_folders(run: &Run<'_>) -> bool {
    finder_has(run, |words| {
        words.windows(2).any(|pair| matches!(pair, [test, kind] if test.text == "-type" && kind.text == "d"))
    })
}

/// Returns whether a `find` supplies the operands and its words match the condition.
fn finder_has(run: &Run<'_>, are: impl Fn(&[Word]) -> bool) -> bool {
    let place = usize::try_from(run.command.parent).ok().and_then(|id| id.checked_sub(1));
    let parent = place.and_then(|place| run.commands.get(place)).filter(|_| run.is_via("find-exec"));
    let finder = parent.or_else(|| run.before().filter(|_| run.is_via("xargs")));
    finder.is_some_and(|command| command.program().ends_with("find") && are(&command.argv))
}

/// Adds the changes of attributes that deny access even to root, or restore it.
pub(super) fn chattr<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let marks = |text: &str| text.starts_with(['+', '=', '-']);
    let skip = usize::from(run.name == "chflags");
    let recursive = parsed.has("R", "");
    for operand in parsed.from(skip).iter().filter(|operand| !marks(&operand.text)) {
        run.emit_on(Draft::destructive("metadata", "fs.attributes").flag("recursive", recursive), operand);
    }
}

/// Adds the changes of access control lists. The tag `grants` contains the permissions for single users and groups.
pub(super) fn marks<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let recursive = parsed.has("R", "recursive");
    let given = parsed.value("m", "modify").or_else(|| parsed.value("", "set"));
    let given = given.map(|entries| granted(&entries.text)).unwrap_or_default();
    let is_selected = finder_has(run, |words| words.iter().any(|word| is_selective(&word.text)));
    let started = parsed.operands.iter().flat_map(|operand| {
        let starts = if is_selected { Vec::new() } else { placeholder_operands::starts(run, operand) };
        if starts.is_empty() {
            vec![(operand.clone(), recursive || placeholder_operands::is_start(operand) && !is_selected)]
        } else {
            starts.into_iter().map(|start| (start, true)).collect()
        }
    });
    let started: Vec<_> = started.collect();
    for (operand, recursive) in &started {
        let draft = Draft::notable("metadata", "fs.mode").flag("recursive", *recursive);
        let draft = if given.is_empty() { draft } else { draft.tag("grants", &given) };
        run.emit_on(draft, operand);
    }
}

/// Returns the permissions in entries such as `u:bob:rw,g:dev:r` that aren't those of the owner.
fn granted(entries: &str) -> String {
    let of_others = entries.split(',').filter_map(|entry| {
        let (who, what) = entry.rsplit_once(':')?;
        let is_owner = matches!(who, "u:" | "user:" | "u" | "user" | "m:" | "mask:" | "m" | "mask");
        (!is_owner).then_some(what)
    });
    let given: String = of_others.collect();
    ['r', 'w', 'x']
        .into_iter()
        .filter(|one| given.contains(*one) || *one != 'x' && given.contains(['6', '7']))
        .collect()
}

pub(super) fn chown<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let recursive = parsed.has("R", "recursive") || (run.shouted && parsed.has("r", ""));
    let skip = usize::from(!parsed.has("", "reference"));
    let owner = if skip == 1 { parsed.text(0) } else { "" };
    // The results of a search are below its start path.
    let started = parsed.from(skip).iter().flat_map(|operand| {
        let starts = placeholder_operands::starts(run, operand);
        if starts.is_empty() {
            vec![(operand.clone(), recursive || placeholder_operands::is_start(operand))]
        } else {
            starts.into_iter().map(|start| (start, true)).collect()
        }
    });
    let started: Vec<_> = started.collect();
    for (operand, recursive) in &started {
        let recursive = *recursive;
        let much = recursive && run.is_catastrophic(operand);
        let draft = Draft::notable("metadata", "fs.owner").severe(Severity::Destructive, much);
        run.emit_on(draft.flag("recursive", recursive).tag("owner", owner), operand);
    }
}
