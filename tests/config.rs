//! The configuration: what each layer may say, what becomes of a broken one, and that a project can only tighten.
//!
//! Mostly through the library, because no command line moves the managed file.

mod allow;
mod broken;
mod broken_table;
mod entries;
mod ordinary_work;
mod managed;
mod nested;
mod oversights;
mod presets;
mod project;
mod settings;
mod tighten;
mod watch;
