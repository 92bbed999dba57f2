//! Consoles of frameworks and of cloud programs. They take code or SQL as an operand, as an option, or on standard
//! input.
//!
//! The other effects of these programs are in their tables.

use guard_sdk::syntax::Word;

use super::database::generated;
use super::scripts;
use crate::options::Operand;
use crate::run::Run;

/// One way in which a console takes a text.
struct Console {
    names: &'static [&'static str],
    /// The leading words without a dash. Each list contains the alternatives for one word.
    verbs: &'static [&'static [&'static str]],
    /// The options with the text.
    options: &'static [&'static str],
    /// Whether a word after the verbs is the text.
    operand: bool,
    /// The options with a file that contains the text.
    files: &'static [&'static str],
    /// Whether the text may come from standard input.
    input: bool,
    language: &'static str,
}

const RAILS: &[&str] = &["rails"];
const MANAGE: &[&str] = &["manage.py", "django-admin"];

const CONSOLES: &[Console] = &[
    Console::new(RAILS, &[&["runner", "r"]], "ruby").by_operand(),
    Console::new(RAILS, &[&["console", "c"]], "ruby").by_input(),
    Console::new(RAILS, &[&["dbconsole", "db"]], "sql").by_input(),
    Console::new(MANAGE, &[&["shell", "shell_plus"]], "python").by_option(&["-c", "--command"]).by_input(),
    Console::new(MANAGE, &[&["dbshell"]], "sql").by_option(&["-c", "-e", "--command", "--execute"]).by_input(),
    Console::new(&["artisan"], &[&["tinker"]], "php").by_option(&["--execute"]).by_input(),
    Console::new(&["flask"], &[&["shell"]], "python").by_input(),
    Console::new(&["wp"], &[&["db"], &["query"]], "sql").by_operand().by_input(),
    Console::new(&["wp"], &[&["eval"]], "php").by_operand(),
    Console::new(&["drush"], &[&["sqlq", "sql:query", "sql-query"]], "sql").by_operand(),
    Console::new(&["drush"], &[&["sqlc", "sql:cli", "sql-cli"]], "sql").by_input(),
    Console::new(&["drush"], &[&["php:eval", "php-eval", "ev", "eval"]], "php").by_operand(),
    Console::new(&["wp"], &[&["shell"]], "php").by_input(),
    Console::new(&["prisma"], &[&["db"], &["execute"]], "sql").by_file(&["--file"]).by_input(),
    Console::new(&["supabase"], &[&["db"], &["execute", "query"]], "sql").by_file(&["-f", "--file"]).by_input(),
    Console::new(&["wrangler"], &[&["d1"], &["execute"]], "sql").by_file(&["--file"]),
    Console::new(&["cockroach"], &[&["sql"]], "sql").by_file(&["-f", "--file"]).by_input(),
    Console::new(&["pscale"], &[&["shell"]], "sql").by_input(),
    Console::new(&["render", "neonctl", "neon", "railway", "aiven", "avn"], &[&["psql", "connect"]], "sql")
        .by_option(&["-c", "--command"])
        .by_input(),
    Console::new(&["arangosh"], &[], "javascript").by_option(&["--javascript.execute-string"]).by_input(),
    Console::new(&["typeorm", "typeorm-ts-node-commonjs"], &[&["query"]], "sql").by_operand(),
    Console::new(&["turso"], &[&["db"], &["shell"]], "sql").by_operand().by_input(),
    Console::new(&["heroku"], &[&["pg:psql", "psql"]], "sql")
        .by_option(&["-c", "--command"])
        .by_file(&["-f", "--file"])
        .by_input(),
    Console::new(
        &["console", "doctrine"],
        &[&["doctrine:query:sql", "dbal:run-sql", "doctrine:query:dql", "orm:run-dql"]],
        "sql",
    )
    .by_operand(),
    Console::new(&["aws"], &[&["rds-data"], &["execute-statement", "execute-sql", "batch-execute-statement"]], "sql")
        .by_option(&["--sql", "--sql-statements"]),
    Console::new(&["aws"], &[&["redshift-data"], &["execute-statement"]], "sql").by_option(&["--sql"]),
    Console::new(&["gcloud"], &[&["spanner"], &["databases"], &["execute-sql"]], "sql").by_option(&["--sql"]),
    Console::new(&["bq"], &[&["query"]], "sql").by_input(),
    Console::new(&["bcp"], &[], "sql").by_operand(),
];

impl Console {
    const fn new(
        names: &'static [&'static str],
        verbs: &'static [&'static [&'static str]],
        language: &'static str,
    ) -> Console {
        Console { names, verbs, options: &[], operand: false, files: &[], input: false, language }
    }

    const fn by_option(mut self, options: &'static [&'static str]) -> Console {
        self.options = options;
        self
    }

    const fn by_operand(mut self) -> Console {
        self.operand = true;
        self
    }

    const fn by_file(mut self, options: &'static [&'static str]) -> Console {
        self.files = options;
        self
    }

    const fn by_input(mut self) -> Console {
        self.input = true;
        self
    }

    /// Returns whether commands and long options can be abbreviated, as in consoles of Symfony.
    fn abbreviates(&self) -> bool {
        self.names.iter().any(|name| matches!(*name, "artisan" | "console" | "doctrine"))
    }

    /// Returns whether the word is an option with the text.
    fn is_option(&self, word: &str) -> bool {
        let abbreviated = |option: &&str| self.abbreviates() && word.len() > 3 && option.starts_with(word);
        self.options.contains(&word) || self.options.iter().any(abbreviated)
    }

    /// Returns the words after the verbs, if the words without a dash start with these.
    fn behind<'w>(&self, words: &'w [Word]) -> Option<&'w [Word]> {
        let mut rest = words;
        for verb in self.verbs {
            let at = rest.iter().position(|word| !word.text.starts_with('-'))?;
            rest = rest.get(at + 1..)?;
            let word = words.get(words.len().checked_sub(rest.len() + 1)?)?;
            let abbreviated = || self.abbreviates() && verb.iter().any(|verb| is_short_for(&word.text, verb));
            if word.dynamic || !verb.contains(&word.text.as_str()) && !abbreviated() {
                return None;
            }
        }
        Some(rest)
    }
}

/// Adds the effects of the text that a console of that name takes.
pub(super) fn find(run: &mut Run<'_>, name: &str, words: &[Word]) {
    for console in CONSOLES.iter().filter(|console| console.names.contains(&name)) {
        let Some(behind) = console.behind(words) else { continue };
        let mut any = false;
        for (at, word) in behind.iter().enumerate() {
            let inline = word.text.split_once('=').filter(|(option, _)| console.is_option(option));
            let (text, dynamic) = match inline {
                Some((_, text)) => (text, word.dynamic),
                None if console.is_option(&word.text) => match behind.get(at + 1) {
                    Some(value) => (value.text.as_str(), value.dynamic),
                    None => continue,
                },
                None if console.operand && is_text(&word.text) => (word.text.as_str(), word.dynamic),
                None => continue,
            };
            any = true;
            state(run, console, text, !dynamic);
        }
        for file in file_words(console, behind) {
            if let Some(text) = run.text_of(&file) {
                state(run, console, &text, true);
            }
            any = true;
        }
        if any || !console.input {
            continue;
        }
        match run.input() {
            Some(input) => state(run, console, &input.text, input.certain),
            None if console.language == "sql" && run.redirected().is_some() => {
                let text = run.redirected().unwrap_or_default();
                state(run, console, &text, true);
            }
            None if console.language == "sql" => generated::find(run, name),
            None => {}
        }
    }
}

/// Returns the files whose text the console takes.
fn file_words<'w>(console: &Console, words: &'w [Word]) -> Vec<Operand<'w>> {
    let given = |(at, word): (usize, &'w Word)| match word.text.split_once('=') {
        Some((option, file)) if console.files.contains(&option) => Some(Operand::tail(word, file)),
        _ if console.files.contains(&word.text.as_str()) => words.get(at + 1).map(Operand::of),
        _ => None,
    };
    words.iter().enumerate().filter_map(given).collect()
}

/// Returns whether the word abbreviates the verb part by part: `d:q:s` for `doctrine:query:sql`. The abbreviation of a
/// verb of one part has at least four letters.
fn is_short_for(word: &str, verb: &str) -> bool {
    let parts = || word.split(':').zip(verb.split(':'));
    let is_long = verb.contains(':') || word.len() > 3;
    word.split(':').count() == verb.split(':').count()
        && is_long
        && parts().all(|(part, whole)| !part.is_empty() && whole.starts_with(part))
}

/// Returns whether a word is code or SQL, and not an option, a name, or a file of code.
fn is_text(word: &str) -> bool {
    let is_file = [".rb", ".php", ".sql"].iter().any(|end| word.ends_with(end)) && !word.contains(' ');
    !word.starts_with('-') && !is_file && word.contains([' ', '.', '('])
}

fn state(run: &mut Run<'_>, console: &Console, text: &str, certain: bool) {
    if console.language == "sql" {
        let client = run.name.clone();
        scripts::sql(run, &client, text, certain);
    } else {
        scripts::code(run, console.language, text, certain, &[]);
    }
}
