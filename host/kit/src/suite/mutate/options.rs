//! Options of well-known programs: combined or separate, short or long, before or after the operands.

use super::shape::{Shape, Word};

/// A program's options without values, and its option syntax.
struct Program {
    /// The program, and the subcommands before the options.
    words: &'static [&'static str],
    /// Short options whose order doesn't matter.
    letters: &'static str,
    /// Short options that have a long form.
    long: &'static [(char, &'static str)],
    /// Whether `--` ends the options.
    ends: bool,
}

const PROGRAMS: &[Program] = &[
    Program {
        words: &["rm"],
        letters: "rRfvd",
        long: &[('r', "recursive"), ('R', "recursive"), ('f', "force"), ('v', "verbose"), ('d', "dir")],
        ends: true,
    },
    Program {
        words: &["chmod"],
        letters: "Rvcf",
        long: &[('R', "recursive"), ('v', "verbose"), ('c', "changes"), ('f', "silent")],
        ends: true,
    },
    Program { words: &["chown"], letters: "Rvc", long: &[('R', "recursive"), ('v', "verbose")], ends: true },
    Program {
        words: &["shred"],
        letters: "fuvz",
        long: &[('f', "force"), ('v', "verbose"), ('z', "zero")],
        ends: true,
    },
    Program {
        words: &["git", "push"],
        letters: "fdnuqv",
        long: &[('f', "force"), ('d', "delete"), ('n', "dry-run"), ('u', "set-upstream"), ('q', "quiet")],
        ends: false,
    },
    Program {
        words: &["git", "clean"],
        letters: "fdxnq",
        long: &[('f', "force"), ('n', "dry-run"), ('q', "quiet")],
        ends: true,
    },
    Program {
        words: &["git", "branch"],
        letters: "fdDq",
        long: &[('f', "force"), ('d', "delete"), ('q', "quiet")],
        ends: false,
    },
    Program {
        words: &["docker", "system", "prune"],
        letters: "af",
        long: &[('a', "all"), ('f', "force")],
        ends: false,
    },
    Program {
        words: &["docker", "volume", "prune"],
        letters: "af",
        long: &[('a', "all"), ('f', "force")],
        ends: false,
    },
    Program { words: &["docker", "volume", "rm"], letters: "f", long: &[('f', "force")], ends: false },
];

impl Program {
    fn find(shape: &Shape<'_>) -> Option<&'static Program> {
        let own: Vec<&Word<'_>> = shape.words.iter().skip(shape.program).collect();
        let fits = |program: &&Program| {
            let mut words = own.iter().zip(program.words);
            own.len() > program.words.len() && words.all(|(word, name)| word.text == *name)
        };
        PROGRAMS.iter().find(fits)
    }

    /// Returns the letters of a word of combined options, if all of them are known.
    fn cluster<'a>(&self, word: &Word<'a>) -> Option<&'a str> {
        let letters = word.raw.strip_prefix('-').filter(|_| word.is_bare())?;
        (!letters.is_empty() && letters.chars().all(|letter| self.letters.contains(letter))).then_some(letters)
    }

    fn long_name(&self, letter: char) -> Option<&'static str> {
        self.long.iter().find(|(known, _)| *known == letter).map(|(_, name)| *name)
    }

    fn short_letter(&self, word: &Word<'_>) -> Option<char> {
        let name = word.raw.strip_prefix("--").filter(|_| word.is_bare())?;
        self.long.iter().find(|(_, known)| *known == name).map(|(letter, _)| *letter)
    }
}

/// Returns the words between the subcommands and `--`.
fn options<'s, 'a>(shape: &'s Shape<'a>, program: &Program) -> impl Iterator<Item = &'s Word<'a>> {
    shape.words.iter().skip(shape.program + program.words.len()).take_while(|word| word.text != "--")
}

pub(super) fn split(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape)?;
    let (word, letters) = options(shape, program)
        .find_map(|word| Some((word, program.cluster(word).filter(|letters| letters.len() > 1)?)))?;
    let alone: Vec<String> = letters.chars().map(|letter| format!("-{letter}")).collect();
    shape.replace_word(word, &alone.join(" "))
}

pub(super) fn join_options(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape)?;
    let words: Vec<&Word<'_>> = options(shape, program).collect();
    let (one, other, letters) = words.windows(2).find_map(|pair| {
        let [one, other] = pair else { return None };
        Some((*one, *other, format!("-{}{}", program.cluster(one)?, program.cluster(other)?)))
    })?;
    let (before, after) = (shape.text.get(..one.start)?, shape.text.get(other.end()..)?);
    Some(format!("{before}{letters}{after}"))
}

pub(super) fn reverse_options(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape)?;
    let (word, letters) = options(shape, program)
        .find_map(|word| Some((word, program.cluster(word).filter(|letters| letters.len() > 1)?)))?;
    shape.replace_word(word, &format!("-{}", letters.chars().rev().collect::<String>()))
}

pub(super) fn move_options_last(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape)?;
    let from = shape.program + program.words.len();
    let words: Vec<&Word<'_>> = shape.words.iter().skip(from).collect();
    let is_option = |word: &&&Word<'_>| program.cluster(word).is_some() || program.short_letter(word).is_some();
    let first: Vec<&str> = words.iter().take_while(is_option).map(|word| word.raw).collect();
    let rest = words.get(first.len()..)?;
    // Another option may take a value, and there are no options after `--`.
    let operands = rest.iter().all(|word| !word.text.starts_with('-'));
    let fits = !first.is_empty() && !rest.is_empty() && operands;
    fits.then(|| shape.replace_tail(from, rest.iter().map(|word| word.raw).chain(first)))?
}

pub(super) fn spell_out_options(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape)?;
    options(shape, program).find_map(|word| {
        let letters = program.cluster(word)?;
        let (letter, name) = letters.chars().find_map(|letter| Some((letter, program.long_name(letter)?)))?;
        let rest: String = letters.chars().filter(|other| *other != letter).collect();
        let rest = if rest.is_empty() { rest } else { format!(" -{rest}") };
        shape.replace_word(word, &format!("--{name}{rest}"))
    })
}

pub(super) fn shorten_options(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape)?;
    options(shape, program).find_map(|word| shape.replace_word(word, &format!("-{}", program.short_letter(word)?)))
}

pub(super) fn end_options(shape: &Shape<'_>) -> Option<String> {
    let program = Program::find(shape).filter(|program| program.ends)?;
    let from = shape.program + program.words.len();
    let words: Vec<&Word<'_>> = shape.words.iter().skip(from).collect();
    let count = words.iter().take_while(|word| word.text.starts_with('-')).count();
    let (options, operands) = words.split_at_checked(count)?;
    let known = options.iter().all(|word| program.cluster(word).is_some() || program.short_letter(word).is_some());
    let fits = known && !operands.is_empty() && !operands.iter().any(|word| word.text.starts_with('-'));
    let words = options.iter().map(|word| word.raw).chain(["--"]).chain(operands.iter().map(|word| word.raw));
    fits.then(|| shape.replace_tail(from, words))?
}
