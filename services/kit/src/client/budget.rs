//! How many tries a channel may add to its calls: one to ten calls, so that clients do not drown
//! a service that is in trouble already.

use std::sync::atomic::{AtomicU32, Ordering};

const CALLS_A_TRY: u32 = 10;
/// What quiet times may save up: 100 tries.
const MOST: u32 = 100 * CALLS_A_TRY;

/// The calls that no try was spent on.
#[derive(Debug, Default)]
pub(super) struct Budget(AtomicU32);

impl Budget {
    /// A call is made.
    pub(super) fn earn(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |calls| {
            (calls < MOST).then(|| calls + 1)
        });
    }

    /// Whether one more try may be made.
    pub(super) fn spend(&self) -> bool {
        let spend = |calls: u32| calls.checked_sub(CALLS_A_TRY);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    // fault: F24
    #[test]
    fn ten_calls_pay_for_one_try() {
        let budget = Budget::default();
        let mut tries = 0;
        for call in 1..=1_000 {
            budget.earn();
            while budget.spend() {
                tries += 1;
            }
            assert_eq!(tries, call / 10);
        }
    }

    // fault: F24
    #[test]
    fn what_is_saved_up_has_an_end() {
        let budget = Budget::default();
        (0..100_000).for_each(|_| budget.earn());
        assert_eq!((0..1_000).filter(|_| budget.spend()).count(), 100);
    }
}
