//! Suites of cases for policies: read them, run them in a world of their own.
//!
//! A `.json` or `.toml` file is a suite, a `.jsonl` file holds one case a line; the form itself is the SDK's. Nothing here
//! prints, and nothing of the machine but the files of cases and the component is read.

pub mod mutate;

mod all;
mod filter;
mod parallel_map;
mod read;
pub mod rego;
mod repeat;
mod report;
mod run;
mod subject;
mod world;

pub use guard_sdk::testing::cases::{Case, OneOrMore, Suite, WorldFacts};

pub use all::{Coverage, FinishedCase, Options, Run, SuiteOnChain, run_all};
pub use filter::{Filter, FilterError, is_chosen};
pub use read::{SuiteError, check_tools, find, find_tests, line_of_settings, read};
pub use report::{Difference, LimitUsage, Logged, Report};
pub use run::{run, scenes};
pub(crate) use subject::{ComponentLoader, entry_of};
pub use subject::{Subject, SubjectError, SubjectErrorKind};
