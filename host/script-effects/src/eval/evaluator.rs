//! [`Evaluator`]: what is followed, what was found, and how much work is left.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::Language;
use super::calls::Args;
use super::functions::Function;
use super::sites::Sites;
use super::state::State;
use super::value::{Names, Value};
use crate::ir::{Block, RESULT, Script, Statement};
use crate::{Action, ActionKind, Summary, Unknown};

/// The longest text that is lowered, in bytes.
const LONGEST: usize = 128 * 1024;
/// Units of work in one summary: each step costs one, and each byte of a value that is copied a part of one.
const WORK: usize = 200_000;
/// Statements, expressions and calls inside each other.
const DEEP: usize = 80;
/// Code inside code, as of `exec`.
const CODE_DEEP: usize = 3;
/// The maximum number of actions and of reasons.
const ACTIONS: usize = 1024;
const REASONS: usize = 8;
/// The maximum number of texts that are read as code.
const CODES: usize = 128;

/// Texts that were lowered, each behind the one before.
#[derive(Debug, Default)]
pub(super) struct Codes {
    held: OnceCell<(String, Option<Block>)>,
    next: OnceCell<Box<Codes>>,
}

impl Codes {
    /// The statements of a text; none inside if it has none, and none at all if there are too many.
    fn block(&self, code: &str, lower: impl FnOnce() -> Option<Block>) -> Option<Option<&Block>> {
        let mut codes = self;
        for _ in 0..CODES {
            match codes.held.get() {
                Some((known, block)) if known == code => return Some(block.as_ref()),
                Some(_) => codes = codes.next.get_or_init(Box::default),
                None => {
                    let (_, block) = codes.held.get_or_init(|| (code.to_owned(), lower()));
                    return Some(block.as_ref());
                }
            }
        }
        None
    }
}

#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    pub(super) language: Language,
    parse: fn(&str) -> Script,
    summary: Summary,
    codes: &'a Codes,
    /// The state that branches may change.
    pub(super) state: State,
    /// The expression or the statement that is followed.
    pub(super) site: usize,
    /// Where the loop around puts what it makes.
    pub(super) sites: Option<Sites>,
    /// In how many branches the body of the loop stands that is followed, if it runs over a row that is not known.
    pub(super) turn_branches: Option<usize>,
    /// Places that stand for what several turns of a loop made.
    pub(super) shared: BTreeSet<usize>,
    /// How many states were told apart.
    pub(super) versions: usize,
    /// How many calls were not followed as they are, for the function was being followed.
    pub(super) cuts: usize,
    /// How many calls around are of a function that was being followed.
    pub(super) repeats: usize,
    /// How many calls around are of a method of something that is not known.
    pub(super) guesses: usize,
    /// The scope that is followed.
    pub(super) current: usize,
    pub(super) functions: Vec<Function<'a>>,
    /// The values that the followed functions return and yield.
    pub(super) returned: Vec<Vec<Value>>,
    pub(super) yielded: Vec<Vec<Value>>,
    /// Where the functions and the loops that are followed may end early.
    pub(super) exits: Vec<Vec<State>>,
    pub(super) breaks: Vec<Vec<State>>,
    /// The states at points where code may fail.
    pub(super) points: Vec<Vec<State>>,
    /// Values that members of unknown objects are set to, by name.
    pub(super) members: Names,
    /// Functions of classes, by their names, and the classes.
    pub(super) methods: BTreeMap<&'a str, Vec<(usize, usize)>>,
    /// Calls that may be done again when the rest of the code has run.
    pub(super) later: Vec<(Value, Args)>,
    /// Modules all of whose names were imported.
    pub(super) stars: Vec<String>,
    /// Whether the code may change the folder.
    pub(super) moves: bool,
    /// How many branches are around.
    pub(super) branches: usize,
    /// Effects that the code may have, judged by its words, and the texts that were not searched for them yet: most
    /// never need it.
    may: Unknown,
    unsearched: Vec<String>,
    work: usize,
    depth: usize,
    code_depth: usize,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(language: Language, parse: fn(&str) -> Script, codes: &'a Codes) -> Evaluator<'a> {
        Evaluator {
            language,
            parse,
            summary: Summary::default(),
            codes,
            state: State::new(),
            shared: BTreeSet::new(),
            site: 0,
            sites: None,
            turn_branches: None,
            versions: 0,
            cuts: 0,
            repeats: 0,
            guesses: 0,
            current: 0,
            functions: Vec::new(),
            returned: Vec::new(),
            yielded: Vec::new(),
            exits: Vec::new(),
            breaks: Vec::new(),
            points: Vec::new(),
            members: Names::new(),
            methods: BTreeMap::new(),
            later: Vec::new(),
            stars: Vec::new(),
            moves: false,
            may: Unknown::default(),
            unsearched: Vec::new(),
            branches: 0,
            work: WORK,
            depth: 0,
            code_depth: 0,
        }
    }

    pub(super) fn finish(self) -> Summary {
        self.summary
    }

    /// Follows code that the code holds as a text; the value of an expression, if it is one.
    pub(super) fn code(&mut self, code: &str) -> Value {
        if self.code_depth >= CODE_DEEP || self.depth > DEEP / 2 {
            self.spend(code.len() / 64);
            self.may(code);
            self.add_reason("code inside code is nested too deeply", Unknown::ALL);
            return Value::Unknown;
        }
        self.code_depth += 1;
        let value = self.run(code);
        self.code_depth -= 1;
        value
    }

    /// Follows a text as code.
    pub(super) fn run(&mut self, code: &str) -> Value {
        self.moves |= code.contains("chdir");
        let codes = self.codes;
        let Some(block) = codes.block(code, || self.lower(code)) else {
            self.add_reason("the code holds too much code", Unknown::ALL);
            return Value::Unknown;
        };
        self.spend(code.len() / 64);
        match (self.language, block.map(Vec::as_slice)) {
            (Language::Python, Some([Statement::Expression(only)])) => self.evaluate(only),
            (Language::Python, Some(body)) => {
                self.block(body);
                Value::None
            }
            (Language::JavaScript, Some(body)) => {
                self.block(body);
                self.get(RESULT)
            }
            (_, None) => Value::Unknown,
        }
    }

    /// The statements of a text.
    fn lower(&mut self, code: &str) -> Option<Block> {
        self.may(code);
        if code.len() > LONGEST {
            self.add_reason("the code is too long", Unknown::ALL);
            return None;
        }
        let script = (self.parse)(code);
        if !script.unescaped.is_empty() {
            self.moves |= script.unescaped.contains("chdir");
            self.may(&script.unescaped);
        }
        if let Some(reason) = script.reason {
            self.add_reason(reason, Unknown::ALL);
        }
        script.body
    }

    /// Follows what nobody runs as far as it is seen: a target that is not known is no reason.
    pub(super) fn quietly(&mut self, work: impl FnOnce(&mut Self)) {
        let (reasons, unknown) = (self.summary.reasons.clone(), self.summary.unknown);
        work(self);
        let new = self.summary.reasons.iter().skip(reasons.len());
        if new.clone().all(|reason| reason.ends_with("is known only at run time")) && reasons.len() < REASONS {
            self.summary.reasons = reasons;
            self.summary.unknown = unknown;
        }
    }

    /// Goes one deeper; false if that is too deep, or too much.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= DEEP {
            self.add_reason("the code is nested too deeply", Unknown::ALL);
            return false;
        }
        if !self.spend(1) {
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns whether what is called here had better be followed at the end.
    pub(super) fn is_deep(&self) -> bool {
        self.depth > DEEP * 5 / 8 || self.returned.len() > 1 && self.work < WORK / 2
    }

    /// Uses up some of the work; false if none is left.
    pub(super) fn spend(&mut self, units: usize) -> bool {
        let Some(left) = self.work.checked_sub(units) else {
            self.work = 0;
            self.add_reason("the code is too long to follow", Unknown::ALL);
            return false;
        };
        self.work = left;
        true
    }

    /// Notes a text, which may do what its words say.
    pub(super) fn may(&mut self, code: &str) {
        self.unsearched.push(code.to_owned());
    }

    /// Notes a reason, and what may be done that is not listed: anything is what the words of the code say.
    pub(super) fn add_reason(&mut self, reason: &str, unknown: Unknown) {
        if unknown == Unknown::ALL {
            for code in std::mem::take(&mut self.unsearched) {
                self.may |= crate::words::may(&code);
            }
            self.summary.unknown |= self.may;
        } else {
            self.summary.unknown |= unknown;
        }
        let reasons = &mut self.summary.reasons;
        if reasons.len() < REASONS && !reasons.iter().any(|known| known == reason) {
            reasons.push(reason.to_owned());
        }
    }

    /// Notes an action.
    pub(super) fn act(&mut self, what: ActionKind, certain: bool) {
        let certain = certain && self.branches == 0;
        if self.summary.actions.len() >= ACTIONS {
            return self.add_reason("the code does too much", Unknown::ALL);
        }
        if let Some(action) = self.summary.actions.iter_mut().find(|action| action.what == what) {
            action.certain |= certain;
            return;
        }
        self.summary.actions.push(Action { what, certain });
    }
}
