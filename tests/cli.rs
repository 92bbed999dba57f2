//! The commands besides the hook: their exit codes, their machine-readable output, and their help.

mod allow;
mod allow_git;
mod allow_tool;
mod audit;
mod batch;
mod cached;
mod check;
mod disposable;
mod man;
mod pause;
mod policy;
mod rates;
mod replay;
mod replay_sides;
mod report;
mod run;
mod sandbox;
mod settings;
mod show;
mod starter;
mod statusline;
mod suggest;
mod usage;
mod verify;
mod version;
mod watch;
