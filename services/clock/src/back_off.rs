//! How long to wait before what failed is tried again.

/// The first wait after a failure.
const FIRST_MS: i64 = 50;

/// Waits that double, up to a limit.
#[derive(Debug)]
pub struct BackOff {
    next_ms: i64,
    most_ms: i64,
}

impl BackOff {
    /// No failure yet; no wait is longer than `most_ms`.
    pub fn new(most_ms: i64) -> Self {
        Self { next_ms: FIRST_MS.min(most_ms), most_ms }
    }

    /// It worked: the next failure is a first one.
    pub fn reset(&mut self) {
        *self = Self::new(self.most_ms);
    }

    /// How long to wait after one more failure.
    pub fn wait_ms(&mut self) -> i64 {
        let wait_ms = self.next_ms;
        self.next_ms = wait_ms.saturating_mul(2).min(self.most_ms);
        wait_ms
    }
}

#[cfg(test)]
mod tests {
    use super::BackOff;

    #[test]
    fn waits_double_up_to_the_limit_until_it_works() {
        let mut back_off = BackOff::new(180);
        let waits = [(); 5].map(|()| back_off.wait_ms());
        assert_eq!(waits, [50, 100, 180, 180, 180]);
        back_off.reset();
        assert_eq!(back_off.wait_ms(), 50);
    }
}
