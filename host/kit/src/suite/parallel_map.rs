//! Processes many items on all processors.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The stack size of a thread that runs guests: for the guest and the host.
const STACK_BYTES: usize = 8 << 20;

/// Returns the results of the items, in order. Items are also started in order.
pub(super) fn parallel_map<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let slots: Vec<(&T, OnceLock<R>)> = items.iter().map(|item| (item, OnceLock::new())).collect();
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some((item, slot)) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
            slot.get_or_init(|| work(item));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run).is_ok();
        // If no thread can be started, this one does the work.
        if (0..threads).map(spawn).filter(|spawned| *spawned).count() == 0 {
            run();
        }
    });
    slots.into_iter().filter_map(|(_, slot)| slot.into_inner()).collect()
}
