//! Work on many items on all processors, with results in the order of the items.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The stack of a thread that runs guests: theirs, and the host's on top.
const STACK_BYTES: usize = 8 << 20;

/// What comes of one item, and whether none after it is to be begun.
pub(super) type Step<R> = (R, bool);

/// The results of the items, in order, up to the first one that was not begun.
pub(super) fn side_by_side<T: Sync, R: Send + Sync>(items: &[T], work: impl Fn(&T) -> Step<R> + Sync) -> Vec<R> {
    let slots: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || {
        // Items are begun in order, so before one that stops the others there is no gap.
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(slot)) = (items.get(at), slots.get(at)) else { return };
            let (result, ends) = work(item);
            if ends {
                stop.store(true, Ordering::Relaxed);
            }
            let _ = slot.set(result);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run).is_ok();
        // Without room for a thread this one does the work.
        if (0..threads).map(spawn).filter(|spawned| *spawned).count() == 0 {
            run();
        }
    });
    slots.into_iter().map_while(OnceLock::into_inner).collect()
}
