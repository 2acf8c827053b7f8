//! What comes after main time, in the words other programs know.

use std::{error, fmt, str};

use crate::text::{ms, seconds};

/// What comes after main time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// Periods that cost nothing unless they are used up; reserved minutes are such (rulebook C3.2).
    /// `5x60 byo-yomi`.
    Periods {
        /// How many.
        number: u32,
        /// Their length.
        ms: i64,
    },
    /// Periods with a number of stones. `25/600 Canadian`.
    Canadian {
        /// To be played in each.
        stones: u32,
        /// Their length.
        ms: i64,
    },
    /// What a turn adds to main time. `10 Fischer`.
    Fischer {
        /// How much.
        ms: i64,
    },
}

/// Text that says nothing of overtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOvertime(String);

impl fmt::Display for Overtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Periods { number, ms } => write!(f, "{number}x{} byo-yomi", seconds(ms)),
            Self::Canadian { stones, ms } => write!(f, "{stones}/{} Canadian", seconds(ms)),
            Self::Fischer { ms } => write!(f, "{} Fischer", seconds(ms)),
        }
    }
}

impl str::FromStr for Overtime {
    type Err = NotOvertime;

    fn from_str(text: &str) -> Result<Self, NotOvertime> {
        let read = || {
            let (numbers, kind) = text.split_once(' ')?;
            let two = |by| {
                let (number, length) = numbers.split_once(by)?;
                Some((number.parse().ok()?, ms(length)?))
            };
            match kind {
                "byo-yomi" => two('x').map(|(number, ms)| Self::Periods { number, ms }),
                "Canadian" => two('/').map(|(stones, ms)| Self::Canadian { stones, ms }),
                "Fischer" => ms(numbers).map(|ms| Self::Fischer { ms }),
                _ => None,
            }
        };
        read().ok_or_else(|| NotOvertime(text.to_owned()))
    }
}

impl fmt::Display for NotOvertime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = "as 5x60 byo-yomi, 25/600 Canadian or 10 Fischer";
        write!(f, "overtime is {:?}, expected {expected}", self.0)
    }
}

impl error::Error for NotOvertime {}
