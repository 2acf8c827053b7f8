//! Points as text: GTP's `Q16` and SGF's `pd` (rulebook G1).

use std::{error, fmt};

use crate::Size;

/// Text that is not a point of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextError {
    /// Not the form of a GTP point.
    NotGtp {
        /// The text as given.
        text: String,
    },
    /// Not the form of an SGF point.
    NotSgf {
        /// The text as given.
        text: String,
    },
    /// A point, but not of this board.
    OffBoard {
        /// The text as given.
        text: String,
        /// The size of the board.
        size: Size,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotGtp { text } => {
                write!(f, "point {text:?}: expected a letter without I and a line, as Q16")
            }
            Self::NotSgf { text } => write!(f, "point {text:?}: expected two letters, as pd"),
            Self::OffBoard { text, size } => write!(f, "point {text:?}: the board is {size}"),
        }
    }
}

impl error::Error for TextError {}

/// GTP: the column as a letter, `I` left out, and the row as a number from the bottom.
pub mod gtp {
    use super::TextError;
    use crate::{Point, Size};

    const LETTERS: &[u8; 25] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

    /// `Q16` for row 3, column 15 of 19×19; `?` stands for what is not on the board.
    pub fn format(point: Point, size: Size) -> String {
        let letter = LETTERS.get(usize::from(point.column)).map_or('?', |&letter| letter.into());
        match size.rows().checked_sub(point.row) {
            Some(line @ 1..) => format!("{letter}{line}"),
            _ => format!("{letter}?"),
        }
    }

    /// Reads a point in either case.
    ///
    /// # Errors
    ///
    /// When the text is not a letter without `I` and a number, or not on the board.
    pub fn parse(text: &str, size: Size) -> Result<Point, TextError> {
        let not_gtp = || TextError::NotGtp { text: text.into() };
        let (letter, line) = text.split_at_checked(1).ok_or_else(not_gtp)?;
        let letter = letter.as_bytes().first().map(u8::to_ascii_uppercase);
        let column = LETTERS.iter().position(|&known| Some(known) == letter);
        let column = column.ok_or_else(not_gtp)?;
        if line.is_empty() || !line.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(not_gtp());
        }
        let row = line.parse().ok().filter(|&line: &u8| line > 0);
        row.and_then(|line| size.rows().checked_sub(line))
            .map(|row| Point { row, column: column as u8 })
            .filter(|&point| size.contains(point))
            .ok_or_else(|| TextError::OffBoard { text: text.into(), size })
    }
}

/// SGF: column and row as small letters from the top left.
pub mod sgf {
    use super::TextError;
    use crate::{Point, Size};

    /// `pd` for row 3, column 15; `?` stands for what is not on any board.
    pub fn format(point: Point) -> String {
        [point.column, point.row]
            .map(|line| if line < 25 { char::from(b'a' + line) } else { '?' })
            .into_iter()
            .collect()
    }

    /// Reads a point. What SGF writes for a pass is none: the empty text, and `tt` on boards of up
    /// to 19 lines, which lies off them.
    ///
    /// # Errors
    ///
    /// When the text is not two letters `a` to `z`, or not on the board.
    pub fn parse(text: &str, size: Size) -> Result<Point, TextError> {
        match text.as_bytes() {
            [column @ b'a'..=b'z', row @ b'a'..=b'z'] => {
                let point = Point { row: row - b'a', column: column - b'a' };
                if size.contains(point) {
                    Ok(point)
                } else {
                    Err(TextError::OffBoard { text: text.into(), size })
                }
            }
            _ => Err(TextError::NotSgf { text: text.into() }),
        }
    }
}
