//! Work spread over threads, with results in the order of the items.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of a worker: lang-c, the drop of its tree and lowering recurse as deep as the user's C nests.
const STACK: usize = 1 << 30;

/// `f` of every item, on up to `jobs` threads with a large stack (address space only: what is not used is not touched).
/// A panic in `f` is passed on.
pub fn map<T: Sync, R: Send>(items: &[T], jobs: usize, f: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(i) else { break };
                let result = f(i, item);
                *results[i].lock().expect("no worker panics while it holds the lock") = Some(result);
            }
        };
        let workers: Vec<_> = (0..jobs.clamp(1, items.len().max(1)))
            .map(|_| {
                std::thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, work)
                    .expect("the system gives a thread")
            })
            .collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    results
        .into_iter()
        .map(|r| r.into_inner().expect("no worker panicked").expect("every item was worked on"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        assert_eq!(map(&items, 4, |_, n| n * n), items.iter().map(|n| n * n).collect::<Vec<_>>());
        assert!(map(&[] as &[u8], 4, |_, _| ()).is_empty());
    }
}
