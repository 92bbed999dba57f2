//! Suites of test cases for policies: reads them and runs each case in its own world.
//!
//! A `.json` or `.toml` file is a suite. A `.jsonl` file has one case on each line. The SDK defines the format. Nothing
//! is printed, and nothing is read from the machine except case files and the component.

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
pub(crate) use subject::{ComponentLoader, find_entry};
pub use subject::{Subject, SubjectError, SubjectErrorKind};
