//! [`Call`]: matches a command line with its program's entry, and adds its effects.
//!
//! Only reads the words. The parent module looks up the program's entry.

use guard_sdk::syntax::Word;

use super::{Entry, Fact, Mark, Step, Target};
use crate::draft::Draft;
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// The number of operands that are searched for verbs.
const VERBS: usize = 10;

/// The number of operands that `**` can skip.
const DEEP: usize = 4;

/// A command line and its program's entry.
pub(super) struct Call<'p, 'a> {
    entry: &'static Entry,
    parsed: &'p Parsed<'a>,
    /// For each of the first operands, whether it may be the value of an option that the table doesn't list.
    doubtful: [bool; VERBS],
    /// The index of the first operand that may be a verb.
    start: usize,
    /// The index after the last operand that may be a verb.
    end: usize,
    /// Whether the input answers each prompt with yes, as an option would.
    is_confirmed: bool,
}

/// Options that answer a program's prompts in advance.
const CONFIRMING: &[&str] =
    &["yes", "assume-yes", "force", "confirm", "auto-approve", "accept-data-loss", "noinput", "no-input"];

impl<'p, 'a> Call<'p, 'a> {
    pub(super) fn new(
        entry: &'static Entry,
        words: &'a [Word],
        parsed: &'p Parsed<'a>,
        is_confirmed: bool,
    ) -> Call<'p, 'a> {
        let end = parsed.before_dashes.unwrap_or(parsed.operands.len());
        let mut call = Call { entry, parsed, doubtful: doubtful(words, parsed), start: 0, end, is_confirmed };
        while let Some(behind) = entry.through.iter().find_map(|steps| call.follow(steps, call.start)) {
            call.start = behind;
        }
        if call.start == call.end {
            call.end = parsed.operands.len();
        }
        call
    }

    /// Returns whether the call does nothing. A word such as `help` must be the first or last operand, because it may
    /// also be a name.
    pub(super) fn is_harmless(&self) -> bool {
        let operands = &self.parsed.operands;
        let says = |pattern| [operands.first(), operands.last()].iter().flatten().any(|word| fits(pattern, &word.text));
        let holds = |mark: &Mark| if mark.operand.is_empty() { self.holds(mark, 0) } else { says(mark.operand) };
        self.entry.harmless.iter().any(holds)
    }

    /// Returns the call's effects, each with the index of the operand after its verbs.
    pub(super) fn fitting(&self, name: &str) -> Vec<(&'static Fact, usize)> {
        let mut found = Vec::new();
        for fact in self.entry.effects {
            if !fact.of.is_empty() && !fact.of.contains(&name) {
                continue;
            }
            let behind = match fact.verbs {
                [] => Some(self.start),
                verbs => verbs.iter().find_map(|steps| self.follow(steps, self.start)),
            };
            let Some(behind) = behind else { continue };
            let one_of = |lists: &[&[&[Mark]]], is_effect: bool| {
                let confirmed = is_effect && self.is_confirmed;
                let holds = |mark: &Mark| {
                    self.holds(mark, behind)
                        || confirmed && CONFIRMING.contains(&mark.long)
                        || is_effect && self.is_begun(mark)
                };
                lists.iter().any(|all| all.iter().all(|any| any.iter().any(holds)))
            };
            if (fact.with.is_empty() || one_of(fact.with, true)) && !one_of(fact.without, false) {
                found.push((fact, behind));
                if !fact.also {
                    break;
                }
            }
        }
        found
    }

    /// Returns whether the table has an effect with the call's verbs, even if its other conditions don't match.
    pub(super) fn is_described(&self, name: &str) -> bool {
        let fits = |fact: &&Fact| fact.of.is_empty() || fact.of.contains(&name);
        let leads = |fact: &Fact| fact.verbs.iter().any(|steps| self.follow(steps, self.start).is_some());
        self.entry.effects.iter().filter(fits).any(leads)
    }

    /// Matches the steps with the operands from `at` on. Returns the index after them if they match.
    fn follow(&self, steps: &[Step], mut at: usize) -> Option<usize> {
        let mut deep = 0;
        for step in steps {
            let Step::Word(choices) = step else {
                deep = DEEP;
                continue;
            };
            loop {
                let operand = self.parsed.operands.get(at).filter(|_| at < self.end)?;
                let is_doubtful = self.doubtful.get(at).copied().unwrap_or_default();
                at += 1;
                if choices.iter().any(|pattern| fits(pattern, &operand.text)) {
                    break;
                }
                if !is_doubtful {
                    deep = usize::checked_sub(deep, 1)?;
                }
            }
            deep = 0;
        }
        Some(at)
    }

    /// Returns whether an abbreviated option is on that may also be another one. A program refuses an ambiguous one.
    fn is_begun(&self, mark: &Mark) -> bool {
        self.entry.abbreviates && !mark.long.is_empty() && mark.value.is_empty() && self.parsed.has("", mark.long)
    }

    fn holds(&self, mark: &Mark, behind: usize) -> bool {
        if !mark.operand.is_empty() {
            return self.parsed.from(behind).iter().any(|operand| fits(mark.operand, &operand.text));
        }
        if mark.value.is_empty() {
            return self.parsed.on(mark.letter, mark.long, self.entry.abbreviates);
        }
        let mut values = self.parsed.values(mark.letter, mark.long);
        // Fields such as `-f name=value` are all used. Of other options, the last value is used.
        if mark.value.contains('=') {
            return values.any(|value| fits(mark.value, &value.text));
        }
        values.last().is_some_and(|value| fits(mark.value, &value.text))
    }

    /// Returns whether an option makes the call a dry run. An operand `false` rules it out: some programs accept
    /// `--dry-run false`.
    pub(super) fn is_dry(&self, behind: usize) -> bool {
        self.entry.dry.iter().any(|mark| self.holds(mark, behind))
            && !self.parsed.operands.iter().any(|operand| operand.text == "false")
    }

    pub(super) fn state(&self, run: &mut Run<'a>, name: &str, fact: &'static Fact, behind: usize) {
        let rest = self.parsed.from(behind);
        for target in fact.target {
            match target {
                Target::Each if rest.is_empty() => {}
                Target::Each => {
                    return rest.iter().for_each(|operand| self.emit(run, name, fact, behind, Some(operand)));
                }
                Target::Rest if rest.is_empty() => {}
                Target::Rest => {
                    let text = rest.iter().map(|operand| operand.text.as_ref()).collect::<Vec<_>>().join(" ");
                    let all = rest.first().map(|operand| operand.renamed(text));
                    let dynamic = rest.iter().any(|operand| operand.dynamic);
                    let all = all.map(|operand| Operand { dynamic, ..operand });
                    return self.emit(run, name, fact, behind, all.as_ref());
                }
                Target::Lead => {
                    if let Some(operand) = self.parsed.operands.get(self.start) {
                        return self.emit(run, name, fact, behind, Some(operand));
                    }
                }
                Target::Nothing => return self.emit(run, name, fact, behind, None),
                Target::At(index) => {
                    if let Some(operand) = rest.get(*index) {
                        return self.emit(run, name, fact, behind, Some(operand));
                    }
                }
                Target::Last => {
                    if let Some(operand) = rest.last() {
                        return self.emit(run, name, fact, behind, Some(operand));
                    }
                }
                Target::Value(letter, long) => {
                    if let Some(value) = self.parsed.value(letter, long) {
                        return self.emit(run, name, fact, behind, Some(&value));
                    }
                }
            }
        }
        self.emit(run, name, fact, behind, None);
    }

    fn emit(&self, run: &mut Run<'a>, name: &str, fact: &'static Fact, behind: usize, target: Option<&Operand<'_>>) {
        let mut draft =
            Draft::notable(fact.kind, fact.operation).severe(fact.severity, true).tag(self.entry.named, name);
        let verbs = self.parsed.operands.get(self.start..behind).unwrap_or_default();
        if !verbs.is_empty() {
            let verbs = verbs.iter().map(|operand| operand.text.as_ref()).collect::<Vec<_>>().join(" ");
            draft = draft.tag("verb", &verbs);
        }
        for (tag, value) in fact.tags {
            draft = draft.tag(tag, value);
        }
        for (tag, marks) in fact.given {
            if let Some(value) = marks.iter().find_map(|mark| self.parsed.value(mark.letter, mark.long)) {
                draft = draft.tag(tag, &value.text);
            }
        }
        for (tag, marks) in fact.flags {
            draft = draft.flag(tag, marks.iter().any(|mark| self.holds(mark, behind)));
        }
        draft = draft.flag("dry-run", self.is_dry(behind));
        if !fact.loses.is_empty() {
            draft = draft.tag("loses", fact.loses);
        }
        let instead = self.entry.instead(name, fact);
        if !instead.is_empty() {
            draft = draft.tag("instead", &instead);
        }
        match target {
            Some(target) if fact.path => run.emit_on(draft.certain(!target.dynamic), target),
            Some(target) => run.emit(draft.target(&target.text).certain(!target.dynamic)),
            None => run.emit(draft),
        }
    }
}

/// Returns which of the first operands follow an option without `=`.
fn doubtful(words: &[Word], parsed: &Parsed<'_>) -> [bool; VERBS] {
    let mut doubtful = [false; VERBS];
    let mut operands = parsed.operands.iter().zip(&mut doubtful).peekable();
    let mut before: Option<&Word> = None;
    for word in words {
        if let Some((operand, is)) = operands.peek_mut()
            && std::ptr::eq(operand.word, word)
        {
            **is = before.is_some_and(|before| is_option(&before.text));
            operands.next();
        }
        before = Some(word);
    }
    doubtful
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && text != "--" && !text.contains('=')
}

/// Returns whether a word matches the pattern, ignoring case. The pattern can contain up to two `*`, each for any text.
pub(super) fn fits(pattern: &str, word: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(word) || is_shortened(pattern, word);
    };
    let (middle, end) = rest.split_once('*').unwrap_or(("", rest));
    let Some(between) = without_ends(word, start, end) else { return false };
    middle.is_empty() || between.as_bytes().windows(middle.len()).any(|w| w.eq_ignore_ascii_case(middle.as_bytes()))
}

/// Returns whether the word abbreviates the name part by part, as in `d:d:d` and `fC`. Parts start after colons and at
/// capital letters, and the name must have at least two.
fn is_shortened(name: &str, word: &str) -> bool {
    if !name.contains(':') && !name.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()) {
        return false;
    }
    let (name, word) = (parts(name), parts(word));
    let begins = |(part, given): (&&str, &&str)| {
        !given.is_empty() && part.get(..given.len()).is_some_and(|start| start.eq_ignore_ascii_case(given))
    };
    name.len() > 1 && name.len() == word.len() && name.iter().zip(&word).all(begins)
}

/// Splits a name after colons and before capital letters.
fn parts(name: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in name.split(':') {
        let mut from = 0;
        for (at, pair) in part.as_bytes().windows(2).enumerate() {
            if let [_, next] = pair
                && next.is_ascii_uppercase()
            {
                found.extend(part.get(from..at + 1));
                from = at + 1;
            }
        }
        found.extend(part.get(from..));
    }
    found
}

/// Returns the text between the start and the end of a word that has both.
fn without_ends<'t>(word: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (head, rest) = word.split_at_checked(start.len())?;
    let (between, tail) = rest.split_at_checked(rest.len().checked_sub(end.len())?)?;
    (head.eq_ignore_ascii_case(start) && tail.eq_ignore_ascii_case(end)).then_some(between)
}
