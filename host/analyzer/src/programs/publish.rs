//! Package managers that are also interpreters, and Python modules that publish.
//!
//! The other effects of package managers are in `programs/`.

use guard_sdk::syntax::Word;

use super::{migrations, table};
use crate::options::{Operand, Parsed};
use crate::run::Run;

/// Adds the effects of `bun` and `deno` as package managers, which are those of npm.
pub(super) fn package_manager<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let name = run.name.clone();
    table::find_as(run, "npm", &name, words);
}

/// Programs in a project's packages that deploy or publish, or that change a database.
const TOOLS: &[&str] = &[
    "amplify",
    "ampx",
    "appwrite",
    "cdk",
    "changeset",
    "drizzle-kit",
    "eas",
    "electron-builder",
    "expo",
    "firebase",
    "gh-pages",
    "knex",
    "lerna",
    "netlify",
    "np",
    "nx",
    "ovsx",
    "partykit",
    "pkg-pr-new",
    "prisma",
    "release-it",
    "sanity",
    "semantic-release",
    "sequelize",
    "serverless",
    "shopify",
    "sls",
    "sst",
    "supabase",
    "surge",
    "typeorm",
    "vc",
    "vercel",
    "vsce",
    "wrangler",
];

/// Adds the effects of `pnpm wrangler deploy`: a word that isn't a verb of the manager is a program of the project.
pub(super) fn runs_tool<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !matches!(run.name.as_str(), "pnpm" | "yarn" | "bun") {
        return;
    }
    let Some(tool) = parsed.operands.first().filter(|tool| TOOLS.contains(&tool.text.as_ref())) else { return };
    let name = tool.text.clone().into_owned();
    let mut words = run.arguments().iter().enumerate();
    let at = words.find(|(_, word)| std::ptr::eq(*word, tool.word)).map(|(at, _)| at + 1);
    if let Some(rest) = at.and_then(|at| run.arguments().get(at..)) {
        table::find(run, &name, rest);
    }
}

/// Adds the effects of `python -m twine upload` and similar modules.
pub(super) fn python_module<'a>(run: &mut Run<'a>, module: &Operand<'a>, parsed: &Parsed<'a>) {
    migrations::of_program(run, &module.text, parsed.rest);
}
