//! Runs a command under a profile: `confined PROFILE COMMAND...`. Measures how long the start takes, with `TIMES`.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use guard_confine::{CommandDirs, Job, Lists, Profile, run, secrets};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let file = arguments.next().unwrap_or_default();
    let command: Vec<OsString> = arguments.collect();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let profile = Profile::from_toml(&text).unwrap_or_default();
    let variable = |name: &str| std::env::var(name).ok();
    let cwd = std::env::current_dir().unwrap_or_default();
    let home = std::env::home_dir().unwrap_or_default();
    let places = CommandDirs { cwd: cwd.clone(), project: cwd, home, variable: &variable };
    let start = Instant::now();
    let hidden = secrets::find(&places, &Lists::default());
    let searched = start.elapsed();
    let times = variable("TIMES").and_then(|times| times.parse().ok()).unwrap_or(1);
    let mut code = 70;
    let start = Instant::now();
    for _ in 0..times {
        match run(&Job { command: &command, places: &places, profile: &profile, hidden: &hidden, learn: false }) {
            Ok(ended) => code = ended.code,
            Err(error) => eprintln!("{error}"),
        }
    }
    if times > 1 {
        eprintln!("search {searched:?}, {} hidden, run {:?}", hidden.len(), start.elapsed() / times);
    }
    ExitCode::from(code)
}
