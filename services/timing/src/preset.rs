//! Named controls, as data.

use crate::control::{Control, MINUTE_MS};

/// A control with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What settings call it.
    pub name: &'static str,
    /// What it stands for.
    pub control: Control,
}

/// All presets, quickest first. The table in the crate's README shows what a side sees.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "blitz",
        control: Control::Japanese { main_ms: 5 * MINUTE_MS, periods: 3, period_ms: 20_000 },
    },
    Preset {
        name: "casual",
        control: Control::Japanese { main_ms: 20 * MINUTE_MS, periods: 5, period_ms: 30_000 },
    },
    Preset {
        name: "local",
        control: Control::Reserved { limit_ms: 60 * MINUTE_MS, reserved_minutes: 1 },
    },
    Preset {
        name: "national",
        control: Control::Reserved { limit_ms: 180 * MINUTE_MS, reserved_minutes: 5 },
    },
];

/// The preset of that name (rulebook C3.0).
pub fn preset(name: &str) -> Option<Control> {
    PRESETS.iter().find(|preset| preset.name == name).map(|preset| preset.control)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rulebook: C3.0
    #[test]
    fn presets_are_valid_and_found_by_name() {
        for known in PRESETS {
            assert_eq!(known.control.validate(), Ok(()), "{}", known.name);
            assert_eq!(preset(known.name), Some(known.control));
        }
        assert_eq!(preset("bullet"), None);
    }
}
