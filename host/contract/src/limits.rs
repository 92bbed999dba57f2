//! The resource limits of a guest, and the numbers behind them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The time between two ticks of the epoch clock.
pub const TICK: Duration = Duration::from_millis(10);

/// The stack of a guest. Host and guest share the thread's stack, of which a main thread has 8 MiB.
pub const STACK_BYTES: usize = 1 << 20;

/// The largest component that is taken. The largest toolchain output that was seen is 18 MB.
pub const COMPONENT_BYTES: usize = 64 << 20;

/// The longest message, remedy or tag of an answer.
pub const TEXT_BYTES: usize = 64 << 10;

/// The most that one call may copy out of a guest. Texts of an answer may overlap in the guest's memory, so its limit
/// alone bounds nothing. The largest analysis is some megabytes.
pub const COPY_BYTES: usize = 64 << 20;

/// The most findings, and the most tags of one.
pub const ITEMS: usize = 256;

/// The most journal or log lines of one call.
pub const LINES: usize = 64;

/// The longest journal line.
pub const JOURNAL_LINE_BYTES: usize = 16 << 10;

/// The longest log line that is kept.
pub const LOG_LINE_BYTES: usize = 4 << 10;

/// The largest file that a policy is given.
pub const FILE_BYTES: usize = 1 << 20;

/// How often a policy may ask git in one call.
pub const GIT_QUESTIONS: usize = 64;

/// The resource limits of one guest in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of configure and decide together, to within two ticks.
    pub time_ms: u32,
    /// Linear memory.
    pub memory_mib: u32,
}

impl Limits {
    /// 200 ms is over a thousand times what a built-in policy takes and a tenth of the hook's deadline; 64 MiB leaves room
    /// for a guest with a language runtime of its own.
    pub const DEFAULT: Limits = Limits { time_ms: 200, memory_mib: 64 };

    /// For the analyzer: the slowest text of 128 KiB that was tried took a quarter of a second for the whole call.
    pub const ANALYZER: Limits = Limits { time_ms: 500, memory_mib: 128 };

    /// For describing a policy when it is prepared, when nobody waits: an interpreter may start slowly.
    pub const PREPARE: Limits = Limits { time_ms: 2000, memory_mib: 256 };
}
