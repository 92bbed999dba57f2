//! The commands besides the hook: their exit codes, the shape of what they print for machines, and their help.

mod allow;
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
