//! Mutants of cases: another spelling of the same action, or the same text as data.
//!
//! A policy that judges effects gives a mutant the same verdict as its case. [`table::REWRITES`] lists the spellings,
//! and [`siblings::SIBLINGS`] equivalent programs and wrappers. `guest-sdk/docs/mutations.md` is generated from both.
//! Nothing is printed or read from the machine.

mod data;
mod doors;
mod options;
mod paths;
mod plan;
mod prefix;
mod run;
mod shape;
mod siblings;
mod table;
mod words;
mod wrap;

use std::fmt::Write as _;

pub use plan::MUTANTS;
pub use run::{Mutant, Mutation, Tally, mutate};
pub use siblings::SIBLINGS;
pub use table::REWRITES;

use paths::{PathForm, PathUse};
use shape::Shape;

use guard_engine::{Analyzer, SharedInstance};

/// A kind of rewrite.
#[derive(Debug)]
pub struct Rewrite {
    /// The name in reports.
    pub id: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// What it preserves.
    pub keeps: Preserved,
    /// An example before and after the rewrite.
    pub example: (&'static str, &'static str),
    how: Rewriter,
}

/// The part of a text's meaning, and so of its verdict, that a rewrite preserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preserved {
    /// The whole meaning: the verdict is the same.
    Meaning,
    /// The action, inside a layer with its own meaning: the verdict isn't weaker.
    Deed,
    /// Only the text, as data: the verdict isn't stricter than expected, or than that of the same form with a harmless
    /// text.
    Text,
}

/// The function that rewrites. `None` if the rewrite doesn't apply.
#[derive(Debug, Clone, Copy)]
enum Rewriter {
    Command(fn(&Shape<'_>) -> Option<String>),
    Data(fn(&str) -> Option<String>),
    Path(fn(&PathUse<'_>) -> Option<PathForm>),
}

impl Rewrite {
    /// Returns the rewritten command. `None` if the rewrite doesn't apply, or only rewrites paths.
    #[must_use]
    pub fn command(&self, text: &str, analyzer: &Analyzer, cwd: &str, home: &str) -> Option<String> {
        match self.how {
            Rewriter::Command(rewrite) => rewrite(&Shape::parse(
                text,
                &analyzer.analyze(&mut SharedInstance::default(), text, "bash", (cwd, home), None).ok()?,
            )?),
            Rewriter::Data(rewrite) => rewrite(text),
            Rewriter::Path(_) => None,
        }
    }

    /// Returns the rewritten path, relative to the working directory `/repo`. `None` if the rewrite is for commands.
    #[must_use]
    pub fn path(&self, path: &str) -> Option<String> {
        let Rewriter::Path(rewrite) = self.how else { return None };
        let world = super::WorldFacts { dirs: ["/repo/src".to_owned()].into(), ..Default::default() };
        Some(rewrite(&PathUse { path, cwd: "/repo", home: "/home/u", world: &world })?.path)
    }

    /// Returns whether it rewrites paths of file tools instead of commands.
    #[must_use]
    pub fn is_of_paths(&self) -> bool {
        matches!(self.how, Rewriter::Path(_))
    }
}

/// Returns the documentation of all rewrites in Markdown.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Mutations\n\n\
         Find out whether another spelling of a command bypasses your policy.\n\
         `guard-host test POLICY CASES --mutate` rewrites each test case and evaluates the policy again. If the policy \
         judges what a command does, and not how it is written, the verdict stays the same.\n\
         This page lists all rewrites. It is generated from `host/kit/src/suite/mutate/table.rs`.\n\n\
         A rewrite applies only if it preserves the meaning. The text must be Bash and must parse, and the analyzer \
         and the rewrite must agree on its words.\n\
         These aren't rewritten: texts larger than 8 KiB, payloads, and cases that accept both stopping and passing \
         outcomes.\n\
         No rewrite changes the case of letters, because paths in a test case are case-sensitive.\n\n\
         In the examples, `⏎` is a line break.\n",
    );
    for (title, about, rewrites, chosen) in SECTIONS {
        let _ = write!(page, "\n## {title}\n\n{about}\n\n");
        for rewrite in rewrites.iter().filter(|rewrite| chosen(rewrite)) {
            let (before, after) = rewrite.example;
            let is_deed = rewrite.keeps == Preserved::Deed && rewrites.len() == REWRITES.len();
            let deed = if is_deed { " The verdict may be more severe." } else { "" };
            let _ = writeln!(page, "- **{}**: {}.{deed}", rewrite.id, rewrite.about);
            let _ = writeln!(page, "  {} becomes {}", code(before), code(after));
        }
    }
    page
}

type Section = (&'static str, &'static str, &'static [Rewrite], fn(&Rewrite) -> bool);

const SECTIONS: [Section; 4] = [
    (
        "Commands that run",
        "These rewrites apply to each `Bash` case that expects ask or deny.\nThe verdict must not be milder than \
         the mildest expected outcome, or more severe than the most severe one.",
        REWRITES,
        |rewrite| rewrite.keeps != Preserved::Text && !rewrite.is_of_paths(),
    ),
    (
        "Commands as data",
        "These rewrites apply to each `Bash` case that expects abstain, allow or warn.\nThe verdict must not be more \
         severe than expected, or than the policy's verdict on the same form with harmless text.",
        REWRITES,
        |rewrite| rewrite.keeps == Preserved::Text,
    ),
    (
        "Paths of file tools",
        "These rewrites apply to each case of a tool whose input has `file_path`, `path` or `notebook_path`.\nThe \
         verdict must not be milder than expected. If the case expects abstain, allow or warn, the verdict must not be \
         more severe either.",
        REWRITES,
        Rewrite::is_of_paths,
    ),
    (
        "Siblings",
        "`--siblings` replaces the command with an equivalent one, or lets another program run it.\nThese rewrites apply \
         to each `Bash` case that expects ask or deny.\nThe verdict must not be milder than the mildest expected \
         outcome. It may be more severe.",
        SIBLINGS,
        |_| true,
    ),
];

/// Formats the text as inline code in Markdown.
fn code(text: &str) -> String {
    let fence = if text.contains('`') { "``" } else { "`" };
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{}{space}{fence}", text.replace('\n', "⏎").replace('\t', "→"))
}
