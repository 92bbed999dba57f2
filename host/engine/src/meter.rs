//! [`Meter`]: the time that a guest has used. [`Bounds`]: its memory limits and use.
//!
//! The epoch clock measures elapsed time. On a busy machine, a guest that needs a millisecond may wait for the
//! processor longer than its whole limit, so the limit applies to its thread's processor time. Elapsed time is limited
//! too, more loosely here and by the hook's deadline.

use std::time::{Duration, Instant};

use wasmtime::{ResourceLimiter, Result, StoreLimits, StoreLimitsBuilder};

use guard_contract::limits::{Limits, TICK};
use guard_facts::Used;
use guard_platform::process::thread_time;

/// Elapsed time is limited to this multiple of the limit of processor time.
const PATIENCE: u32 = 8;

/// Measures from its creation, on the thread that created it.
#[derive(Clone, Copy)]
pub(super) struct Meter {
    /// The thread's processor time at the start.
    start: Duration,
    started: Instant,
    limit: Duration,
}

impl Meter {
    pub(super) fn start(limits: Limits) -> Self {
        let limit = Duration::from_millis(u64::from(limits.time_ms));
        Meter { start: thread_time(), started: Instant::now(), limit }
    }

    /// The number of ticks until the first check.
    pub(super) fn first_check(&self) -> u64 {
        ticks(self.limit)
    }

    /// The number of ticks until the next check, or `None` if the guest has used up its time.
    pub(super) fn remaining_ticks(&self) -> Option<u64> {
        let used = thread_time().saturating_sub(self.start);
        let left = self.limit.checked_sub(used).filter(|left| !left.is_zero())?;
        (self.started.elapsed() < self.limit * PATIENCE).then(|| ticks(left))
    }

    /// Returns the resources that the guest has used so far.
    pub(super) fn usage(&self, bounds: &Bounds) -> Used {
        Used { processor: thread_time().saturating_sub(self.start), memory: bounds.memory }
    }
}

/// The memory limits of a store, and the memory used.
pub(super) struct Bounds {
    limits: StoreLimits,
    /// The size of the largest memory, in bytes.
    pub(super) memory: usize,
}

impl Bounds {
    pub(super) fn new(limits: Limits) -> Self {
        Bounds { limits: store_limits(limits), memory: 0 }
    }
}

fn store_limits(limits: Limits) -> StoreLimits {
    let memory = usize::try_from(limits.memory_mib).unwrap_or(usize::MAX).saturating_mul(1 << 20);
    StoreLimitsBuilder::new()
        .memory_size(memory)
        .table_elements(100_000)
        .instances(64)
        .tables(64)
        .memories(16)
        .trap_on_grow_failure(true)
        .build()
}

/// The error of a guest that requests more memory or longer tables than its limit.
#[derive(Debug, thiserror::Error)]
#[error("it wanted more than its limit")]
pub(super) struct OverLimit;

impl ResourceLimiter for Bounds {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        let granted = self.limits.memory_growing(current, desired, maximum).map_err(|_| OverLimit)?;
        if granted {
            self.memory = self.memory.max(desired);
        }
        Ok(granted)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        self.limits.memory_grow_failed(error)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        Ok(self.limits.table_growing(current, desired, maximum).map_err(|_| OverLimit)?)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> Result<()> {
        self.limits.table_grow_failed(error)
    }

    fn instances(&self) -> usize {
        self.limits.instances()
    }

    fn tables(&self) -> usize {
        self.limits.tables()
    }

    fn memories(&self) -> usize {
        self.limits.memories()
    }
}

/// At least one.
fn ticks(time: Duration) -> u64 {
    u64::try_from(time.as_millis().div_ceil(TICK.as_millis())).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(time_ms: u32) -> Meter {
        Meter::start(Limits { time_ms, memory_mib: 1 })
    }

    #[test]
    fn a_thread_that_waits_uses_nothing() {
        let meter = meter(50);
        std::thread::sleep(Duration::from_millis(100));
        assert!(meter.remaining_ticks().is_some_and(|ticks| (4..=5).contains(&ticks)), "{:?}", meter.remaining_ticks());
    }

    #[test]
    fn a_thread_that_works_uses_up_its_time() {
        let meter = meter(30);
        let before = thread_time();
        while thread_time() - before < Duration::from_millis(31) {}
        assert_eq!(meter.remaining_ticks(), None);
    }

    #[test]
    fn nobody_waits_for_ever() {
        let meter = meter(5);
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!(meter.remaining_ticks(), None);
    }
}
