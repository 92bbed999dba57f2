//! The resource limits of guests, and the reasons for the numbers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The time between two ticks of the epoch clock.
pub const TICK: Duration = Duration::from_millis(10);

/// The maximum stack of a guest in bytes. Host and guest share the thread's stack, which is 8 MiB for a main thread.
pub const STACK_BYTES: usize = 1 << 20;

/// The maximum size of a component in bytes. The largest known toolchain output is 18 MB.
pub const COMPONENT_BYTES: usize = 64 << 20;

/// The maximum length of a message, remedy or tag, in bytes.
pub const TEXT_BYTES: usize = 64 << 10;

/// The maximum number of bytes copied out of a guest in one call. The memory limit isn't enough, because the strings of
/// an answer may overlap in the guest's memory. The largest analysis has a few megabytes.
pub const COPY_BYTES: usize = 64 << 20;

/// The maximum number of findings, and of tags of one finding.
pub const ITEMS: usize = 256;

/// The maximum number of journal or log lines in one call.
pub const LINES: usize = 64;

/// The maximum length of a journal line in bytes.
pub const JOURNAL_LINE_BYTES: usize = 16 << 10;

/// The maximum length of a log line in bytes. Longer lines are cut.
pub const LOG_LINE_BYTES: usize = 4 << 10;

/// The maximum size of a file that is passed to a policy, in bytes.
pub const FILE_BYTES: usize = 1 << 20;

/// The maximum number of git questions of a policy in one call.
pub const GIT_QUESTIONS: usize = 64;

/// The resource limits of one guest in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The processor time of `configure` and `decide` together, with a tolerance of two ticks.
    pub time_ms: u32,
    /// The linear memory.
    pub memory_mib: u32,
}

impl Limits {
    /// The default. 200 ms is over a thousand times as long as a built-in policy takes and a tenth of the hook's
    /// deadline. 64 MiB is enough for a guest with its own language runtime.
    pub const DEFAULT: Limits = Limits { time_ms: 200, memory_mib: 64 };

    /// The limits of the analyzer. The slowest text of 128 KiB in tests took a quarter of a second for the whole call.
    pub const ANALYZER: Limits = Limits { time_ms: 500, memory_mib: 128 };

    /// The limits for preparing a policy, when no call waits for it. An interpreter may start slowly.
    pub const PREPARE: Limits = Limits { time_ms: 2000, memory_mib: 256 };
}
