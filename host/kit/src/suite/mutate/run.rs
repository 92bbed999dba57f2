//! Creates the mutants, evaluates the chain for each, and reports which verdicts changed.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value};

use super::super::parallel_map::parallel_map;
use super::super::run::run;
use super::super::world::world_context;
use super::super::{Case, Filter, OneOrMore, Subject, Suite, SuiteOnChain, WorldFacts, is_chosen};
use super::paths::PathUse;
use super::plan::{self, SplitMix};
use super::shape::Shape;
use super::{Preserved, Rewrite, Rewriter};
use guard_contract::call::PATH_KEYS;
use guard_contract::verdict::FAULT;
use guard_contract::{Outcome, outcome_name, outcome_named, rank};
use guard_engine::{Analyzer, SharedInstance};
use guard_hook::chain::Chain;

/// The tools whose path argument is known to be a file.
const FILE_TOOLS: &[&str] = &["Edit", "Glob", "Grep", "MultiEdit", "NotebookEdit", "Read", "Write"];

/// A harmless text, to find out how a policy judges a form itself.
const HARMLESS: &str = "x";

/// The options of a run.
#[derive(Clone, Copy)]
pub struct Mutation<'a> {
    /// The rewrites: [`REWRITES`](super::REWRITES) or [`SIBLINGS`](super::SIBLINGS).
    pub rewrites: &'static [Rewrite],
    /// The maximum number of rewrites for each mutant: 1 or 2.
    pub depth: u8,
    /// The seed for sampling.
    pub seed: u64,
    /// The maximum number of mutants.
    pub max: usize,
    /// Only cases that one of these filters selects. Empty for all.
    pub filters: &'a [Filter],
    /// Called with the number of finished mutants, and their total.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

impl fmt::Debug for Mutation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutation").field("depth", &self.depth).field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// A mutant and its result.
#[derive(Debug)]
pub struct Mutant<'a> {
    /// The file of the case.
    pub file: &'a Path,
    /// The case.
    pub case: &'a Case,
    /// The rewrites, in the order in which they were applied.
    pub rewrites: Vec<&'static Rewrite>,
    /// The rewritten command or path.
    pub text: String,
    /// The correct answer, in words.
    pub expected: String,
    /// The answer.
    pub got: String,
    /// Whether the answer is correct.
    pub kept: bool,
}

/// The results of all mutants.
#[derive(Debug)]
pub struct Tally<'a> {
    /// The rewrites that were tried.
    pub rewrites: &'static [Rewrite],
    /// The mutants that were run, in the order of the cases.
    pub mutants: Vec<Mutant<'a>>,
    /// The number of possible mutants.
    pub possible: usize,
}

impl Tally<'_> {
    /// Returns the mutants whose verdict changed.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant<'_>> {
        self.mutants.iter().filter(|mutant| !mutant.kept)
    }

    /// Returns the number of mutants that kept their verdict.
    #[must_use]
    pub fn unchanged_count(&self) -> usize {
        self.mutants.iter().filter(|mutant| mutant.kept).count()
    }

    /// Returns whether less than this percentage of the mutants kept their verdict.
    #[must_use]
    pub fn is_below(&self, percent: u8) -> bool {
        self.unchanged_count() * 100 < self.mutants.len() * usize::from(percent)
    }

    /// Returns each rewrite that was tried, with the number of mutants, and of those that kept their verdict.
    #[must_use]
    pub fn counts_by_rewrite(&self) -> Vec<(&'static Rewrite, usize, usize)> {
        let mut tallies: Vec<_> = self.rewrites.iter().map(|rewrite| (rewrite, 0, 0)).collect();
        for mutant in &self.mutants {
            for rewrite in &mutant.rewrites {
                if let Some((_, tried, kept)) = tallies.iter_mut().find(|tally| tally.0.id == rewrite.id) {
                    *tried += 1;
                    *kept += usize::from(mutant.kept);
                }
            }
        }
        tallies.retain(|(_, tried, _)| *tried > 0);
        tallies
    }
}

/// A case that can be rewritten.
struct Seed<'a> {
    file: &'a Path,
    suite: &'a Suite,
    chain: &'a Chain,
    case: &'a Case,
    world: WorldFacts,
    input: Map<String, Value>,
    /// The key of the input that is rewritten.
    key: &'static str,
    /// The text under that key.
    text: String,
    /// The mildest and the strictest expected outcome.
    expected: (Outcome, Outcome),
}

/// A text after one or two rewrites.
struct RewrittenText {
    text: String,
    links: Vec<(String, String)>,
    rewrites: Vec<&'static Rewrite>,
}

/// Rewrites the cases and evaluates each mutant. The cases themselves are assumed to pass.
#[must_use]
pub fn mutate<'a>(subject: &Subject, suites: &[SuiteOnChain<'a>], how: Mutation<'_>) -> Tally<'a> {
    let analyzer = subject.analyzer();
    let mut seeds = Vec::new();
    for (file, suite, chain) in suites {
        let chosen = suite.cases.iter().filter(|case| is_chosen(file, case, how.filters));
        seeds.extend(chosen.filter_map(|case| seed(file, suite, chain, case)));
    }
    let places: Vec<usize> = (0..seeds.len()).collect();
    let pairs = parallel_map(&places, |at| applicable_rewrites(&seeds, *at, how.rewrites, analyzer));
    let mut pairs: Vec<(usize, usize)> = pairs.into_iter().flatten().collect();
    let possible = pairs.len();
    if how.depth > 1 {
        // Numbers in the upper half mean a second rewrite after the first one.
        let twice: Vec<(usize, usize)> =
            pairs.iter().map(|(case, first)| (*case, first + how.rewrites.len())).collect();
        pairs.extend(twice);
    }
    let possible = if how.depth > 1 { possible * 2 } else { possible };
    let chosen = plan::sample(pairs, how.max, how.seed);
    let (done, total) = (AtomicUsize::new(0), chosen.len());
    let mutants = parallel_map(&chosen, |(case, rewrite)| {
        let mutant = seeds.get(*case).and_then(|seed| {
            let draw = SplitMix::new(how.seed, (*case as u64) << 16 | *rewrite as u64);
            Some(judge(seed, rewrite_seed(seed, how.rewrites, *rewrite, draw, analyzer)?))
        });
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = how.progress {
            progress(done, total);
        }
        mutant
    });
    Tally { rewrites: how.rewrites, mutants: mutants.into_iter().flatten().collect(), possible }
}

/// Returns the parts of a case that can be rewritten. `None` if no part can.
fn seed<'a>(file: &'a Path, suite: &'a Suite, chain: &'a Chain, case: &'a Case) -> Option<Seed<'a>> {
    if case.needs_harness() || case.rule.as_deref() == Some(FAULT) {
        return None;
    }
    let outcomes = || case.expect.0.iter().filter_map(|name| outcome_named(name));
    let expected = (outcomes().min_by_key(|one| rank(*one))?, outcomes().max_by_key(|one| rank(*one))?);
    let input = case.input()?;
    let key = match case.tool() {
        "Bash" => "command",
        // With several paths, any of them may cause the verdict.
        tool if !FILE_TOOLS.contains(&tool) => return None,
        _ => {
            let mut keys = PATH_KEYS.iter().copied().filter(|key| input.contains_key(*key));
            let (Some(key), None) = (keys.next(), keys.next()) else { return None };
            key
        }
    };
    let text = input.get(key)?.as_str()?.to_owned();
    let is_mixed = is_stopped(expected.1) && !is_stopped(expected.0);
    let world = suite.facts.with(&case.facts);
    (!is_mixed).then_some(Seed { file, suite, chain, case, world, input, key, text, expected })
}

/// Returns whether the verdict keeps the call from running without a person's approval.
fn is_stopped(outcome: Outcome) -> bool {
    rank(outcome) >= rank(Outcome::Ask)
}

impl Seed<'_> {
    /// Returns whether the rewrite is meant for such a case.
    fn suits(&self, rewrite: &Rewrite) -> bool {
        let stopped = is_stopped(self.expected.0);
        match rewrite.how {
            Rewriter::Command(_) => self.key == "command" && stopped,
            Rewriter::Data(_) => self.key == "command" && !stopped,
            Rewriter::Path(_) => self.key != "command" && (stopped || rewrite.keeps == Preserved::Meaning),
        }
    }

    /// Applies a rewrite to `text`. `None` if it doesn't apply.
    fn rewrite_text(
        &self,
        text: &str,
        rewrite: &'static Rewrite,
        shape: Option<&Shape<'_>>,
        world: &WorldFacts,
    ) -> Option<RewrittenText> {
        let (text, link) = match rewrite.how {
            Rewriter::Command(how) => (how(shape?)?, None),
            Rewriter::Data(how) => (how(text)?, None),
            Rewriter::Path(how) => {
                let at = world_context(world);
                let moved = how(&PathUse { path: text, cwd: &at.cwd, home: &at.home, world })?;
                (moved.path, moved.link)
            }
        };
        Some(RewrittenText { text, links: link.into_iter().collect(), rewrites: vec![rewrite] })
    }
}

/// Calls `then` with the shape of a text in a case's world. `None` if the text isn't a command or has no shape.
fn with_shape<R>(seed: &Seed<'_>, text: &str, analyzer: &Analyzer, then: impl FnOnce(Option<&Shape<'_>>) -> R) -> R {
    if seed.key != "command" || !is_stopped(seed.expected.0) {
        return then(None);
    }
    let at = world_context(&seed.world);
    let analysis = analyzer.analyze(&mut SharedInstance::default(), text, "bash", (&at.cwd, &at.home), None).ok();
    let shape = analysis.as_ref().and_then(|analysis| Shape::parse(text, analysis));
    then(shape.as_ref())
}

/// Returns every rewrite that applies to the case with this index.
fn applicable_rewrites(
    seeds: &[Seed<'_>],
    at: usize,
    rewrites: &'static [Rewrite],
    analyzer: &Analyzer,
) -> Vec<(usize, usize)> {
    let Some(seed) = seeds.get(at) else { return Vec::new() };
    with_shape(seed, &seed.text, analyzer, |shape| {
        let applies = |(_, rewrite): &(usize, &'static Rewrite)| {
            seed.suits(rewrite)
                && seed.rewrite_text(&seed.text, rewrite, shape, &seed.world).is_some_and(|made| made.text != seed.text)
        };
        rewrites.iter().enumerate().filter(applies).map(|(number, _)| (at, number)).collect()
    })
}

/// Applies the rewrite with this number. A number beyond the table means a second rewrite.
fn rewrite_seed(
    seed: &Seed<'_>,
    rewrites: &'static [Rewrite],
    number: usize,
    mut draw: SplitMix,
    analyzer: &Analyzer,
) -> Option<RewrittenText> {
    let rewrite = rewrites.get(number % rewrites.len())?;
    let first =
        with_shape(seed, &seed.text, analyzer, |shape| seed.rewrite_text(&seed.text, rewrite, shape, &seed.world))?;
    if number < rewrites.len() {
        return Some(first);
    }
    let mut others: Vec<&'static Rewrite> = rewrites.iter().filter(|other| seed.suits(other)).collect();
    draw.shuffle(&mut others);
    let mut world = seed.world.clone();
    world.links.extend(first.links.iter().cloned());
    with_shape(seed, &first.text, analyzer, |shape| {
        let second = |other: &&'static Rewrite| {
            let made = seed.rewrite_text(&first.text, other, shape, &world)?;
            let fits = made.text != first.text && made.text != seed.text;
            fits.then_some(made)
        };
        let made = others.iter().find_map(second)?;
        let links = [first.links.clone(), made.links].concat();
        Some(RewrittenText { text: made.text, links, rewrites: [first.rewrites.clone(), made.rewrites].concat() })
    })
}

/// Evaluates the chain with the text in place of the case's own. The error describes why there is no answer.
fn ask(seed: &Seed<'_>, text: &str, links: &[(String, String)]) -> Result<Outcome, String> {
    let mut input = seed.input.clone();
    input.insert(seed.key.to_owned(), text.into());
    let mut facts = seed.case.facts.clone();
    facts.links.extend(links.iter().cloned());
    let case = Case {
        tool: seed.case.tool.clone(),
        input: Value::Object(input),
        facts,
        expect: OneOrMore::default(),
        ..Case::default()
    };
    let report = run(seed.chain, seed.suite, &case);
    match report.differences.first() {
        Some(difference) => Err(difference.got.clone()),
        None => Ok(report.verdict.outcome),
    }
}

fn judge<'a>(seed: &Seed<'a>, made: RewrittenText) -> Mutant<'a> {
    let answer = ask(seed, &made.text, &made.links);
    let (least, most) = seed.expected;
    let (least_name, most_name) = (outcome_name(least), outcome_name(most));
    let all_mean = made.rewrites.iter().all(|rewrite| rewrite.keeps == Preserved::Meaning);
    let stopped = is_stopped(least);
    let (expected, kept) = match &answer {
        Err(_) => ("an answer".to_owned(), false),
        Ok(got) if !stopped => {
            let kept = rank(*got) <= rank(most) || is_due_to_form(seed, &made, *got);
            (format!("{most_name} or less"), kept)
        }
        Ok(got) if all_mean => {
            let expected = if least == most { least_name.to_owned() } else { format!("{least_name} to {most_name}") };
            (expected, (rank(least)..=rank(most)).contains(&rank(*got)))
        }
        Ok(got) => (format!("{least_name} or more"), rank(*got) >= rank(least)),
    };
    let got = answer.map_or_else(|fault| fault, |outcome| outcome_name(outcome).to_owned());
    Mutant { file: seed.file, case: seed.case, rewrites: made.rewrites, text: made.text, expected, got, kept }
}

/// Returns whether the policy judges the same form with a harmless text at least as strictly.
fn is_due_to_form(seed: &Seed<'_>, made: &RewrittenText, got: Outcome) -> bool {
    let form = made.rewrites.iter().try_fold(HARMLESS.to_owned(), |text, rewrite| match rewrite.how {
        Rewriter::Data(how) => how(&text),
        Rewriter::Command(_) | Rewriter::Path(_) => None,
    });
    form.is_some_and(|form| ask(seed, &form, &[]).is_ok_and(|outcome| rank(outcome) >= rank(got)))
}
