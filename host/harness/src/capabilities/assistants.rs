//! Harnesses that people also reach through a messenger.

use super::{Capabilities, Confidence, Fail, FileScope, Format, OnUnknownKey, Surface, file};
use Confidence::{High, Medium};
use FileScope::User;
use Format::Yaml;

/// The capabilities of `hermes`.
pub static HERMES: Capabilities = Capabilities {
    name: "hermes",
    title: "Hermes Agent",
    surfaces: &[Surface { keys: &["action", "message"], ..Surface::for_event("pre_tool_call") }],
    modes: &[],
    project_variables: &[],
    runs_in_cwd: false,
    on_crash: Fail::Open,
    on_exit_one: Fail::Open,
    on_timeout: Fail::Open,
    timeout_ms: Some(60_000),
    files: &[file("~/.hermes/config.yaml", Yaml, User, High)],
    on_unknown_key: OnUnknownKey::Ignored,
    confidence: Medium,
    unverified: &[
        "whether the option `--ignore-user-config` leaves out the hooks",
        "the folder of a command. The payload has that of the agent's process, but its terminal may be in another folder, in a container or on another machine",
        "`fail_closed`, which shell hooks don't have in 0.19.0, but may have in a later version",
        "the event at the end of a session. `on_session_end` comes after every turn",
        "whether text that `process` types into a program goes to a shell. It is judged as a command",
        "whether the gateway and the scheduler run the same hooks in every setup, as the source suggests",
    ],
    sources: &["the source of 0.19.0", "its hook runner and runs of 0.19.0"],
};
