//! Commands of a database client itself: the files that they read and write.

use crate::draft::Draft;
use crate::options::Operand;
use crate::run::{Run, here};

/// Adds the effects of a client command on files.
pub(super) fn find(run: &mut Run<'_>, line: &str) {
    let mut words = line.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let command = words.next().unwrap_or_default();
    let (first, last) = (words.next().unwrap_or_default(), line.split_whitespace().next_back().unwrap_or_default());
    let here = here();
    let file = |text: &str| Operand::of(&here).renamed(text.trim_matches(['\'', '"']).to_owned());
    let pipe = line
        .split_once(char::is_whitespace)
        .is_some_and(|(_, rest)| rest.trim_start_matches(['"', '\'', ' ']).starts_with('|'));
    match command {
        // The started program is listed as a command of its own.
        _ if pipe => {}
        ".archive" | ".ar" => unpacked(run, &line.split_whitespace().skip(1).collect::<Vec<_>>()),
        ".restore" => run.emit(Draft::destructive("database", "sql.restore").target(first)),
        ".load" => run.starts_helper(first),
        ".read" | ".import" | "\\i" | "\\ir" | "\\include" => run.read(&file(first)),
        ".output" | ".once" | ".log" | ".trace" | "\\o" | "\\w" | "\\s" => run.write(&file(first)),
        ".backup" | ".save" | ".clone" => run.write(&file(last)),
        "\\copy" => copy(run, line),
        _ => {}
    }
}

/// Adds the files that unpacking an SQLite archive writes, below the folder of `-C`.
pub(super) fn unpacked(run: &mut Run<'_>, words: &[&str]) {
    let cluster = |word: &str| word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-')) && word.contains('x');
    let first = words.first().is_some_and(|first| !first.starts_with('-') && first.contains('x'));
    let extracts = first || words.iter().any(|word| *word == "--extract" || cluster(word));
    let behind =
        |option: &str| words.windows(2).find(|pair| pair.first() == Some(&option)).and_then(|pair| pair.get(1));
    let joined = words.iter().find_map(|word| word.strip_prefix("--directory="));
    let folder = behind("-C").or_else(|| behind("--directory")).copied().or(joined).unwrap_or(".");
    if extracts {
        let here = here();
        let folder = Operand::of(&here).renamed(folder.trim_matches(['\'', '"']).to_owned());
        run.write_as(&folder, Draft::notable("write", "fs.write").flag("archive", true).tag("by", "sqlite3"));
    }
}

/// Adds the writes of SQLite statements to files besides the database: `vacuum into 'FILE'`, `attach 'FILE' as NAME`.
pub(super) fn attached(run: &mut Run<'_>, text: &str) {
    for statement in text.split(';').take(STATEMENTS) {
        let mut words = statement.split_whitespace();
        let verb = words.next().unwrap_or_default();
        let is = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
        let mut rest = words.skip_while(|word| ["main", "temp", "into", "database"].iter().any(|name| is(word, name)));
        let named = || statement.split_once(['\'', '"']).and_then(|(_, rest)| rest.split(['\'', '"']).next());
        let quoted =
            (is(verb, "vacuum") || is(verb, "attach")) && rest.next().is_some_and(|word| word.starts_with(['\'', '"']));
        if let Some(file) = named().filter(|_| quoted) {
            let here = here();
            run.write(&Operand::of(&here).renamed(file.to_owned()));
        }
    }
}

/// The maximum number of statements that are examined.
const STATEMENTS: usize = 256;

/// Adds the effects of `\copy ... to FILE`, which the client runs, not the server.
fn copy(run: &mut Run<'_>, line: &str) {
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        let is_to = word.eq_ignore_ascii_case("to");
        if !is_to && !word.eq_ignore_ascii_case("from") {
            continue;
        }
        let target = words.next().unwrap_or_default();
        let here = here();
        let file = Operand::of(&here).renamed(target.trim_matches(['\'', '"']).to_owned());
        if target.eq_ignore_ascii_case("program") {
            let program: Vec<&str> = words.by_ref().collect();
            run.starts_helper(program.join(" ").trim_matches(['\'', '"']));
        } else if ["stdout", "stdin", "pstdout", "pstdin"].iter().any(|name| target.eq_ignore_ascii_case(name)) {
            return;
        } else if is_to {
            run.write(&file);
        } else {
            run.read(&file);
        }
        return;
    }
}
