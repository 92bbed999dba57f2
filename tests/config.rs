//! The configuration: the keys of each layer, the effect of broken files, and that a project can only tighten.
//!
//! Mostly through the library, because no command-line option relocates the managed file.

mod allow;
mod broken;
mod broken_table;
mod entries;
mod idle_rules;
mod ineffective;
mod ordinary_work;
mod managed;
mod misspelt;
mod nested;
mod oversights;
mod presets;
mod project;
mod self_protect;
mod settings;
mod tighten;
mod void;
mod watch;
