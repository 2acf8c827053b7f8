//! Checks the fields of a request and names every one that is wrong.

use std::fmt;
use std::ops::RangeInclusive;

use tonic::Code;

use crate::status::Refusal;

/// A value longer than this is cut when it is told back.
const ECHOED_CHARACTERS: usize = 64;

/// Collects what is wrong with a request.
///
/// ```
/// use tengen_kit::fields::Fields;
///
/// let mut fields = Fields::new();
/// fields.request_id("7");
/// fields.range("point.row", 19, 0..=18);
/// assert!(fields.finish().is_err());
/// ```
#[derive(Debug, Default)]
#[must_use = "what was found is told by `finish`"]
pub struct Fields(Option<Refusal>);

impl Fields {
    /// Nothing is wrong yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A text of as many characters, none of them a control character.
    pub fn text(&mut self, field: &str, value: &str, characters: RangeInclusive<usize>) {
        if !is_text(value, &characters) {
            self.refuse(field, value, &text_expected(&characters));
        }
    }

    /// As [`Fields::text`], but the value is never told back: a password or a token.
    pub fn secret(&mut self, field: &str, value: &str, characters: RangeInclusive<usize>) {
        if !is_text(value, &characters) {
            self.refuse(field, "(hidden)", &text_expected(&characters));
        }
    }

    /// An id: 1 to 64 characters of A-Z a-z 0-9 _ and -.
    pub fn id(&mut self, field: &str, value: &str) {
        self.token(field, value, 1..=64);
    }

    /// A `request_id`: 8 to 64 characters of A-Z a-z 0-9 _ and -.
    pub fn request_id(&mut self, value: &str) {
        self.token("request_id", value, 8..=64);
    }

    /// A number within a range.
    pub fn range(&mut self, field: &str, value: i64, range: RangeInclusive<i64>) {
        if !range.contains(&value) {
            self.refuse(field, value, &format!("{} to {}", range.start(), range.end()));
        }
    }

    /// A message that must be there.
    pub fn require<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.refuse(field, "", "to be set");
        }
        value
    }

    /// Refuses a field for what only the caller knows; `expected` completes "… is expected".
    pub fn refuse(&mut self, field: &str, value: impl fmt::Display, expected: &str) {
        let refusal = self.0.take().unwrap_or_else(|| first(field, value, expected));
        self.0 = Some(refusal.field(field, format!("expected {expected}")));
    }

    /// Whether nothing is wrong so far.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the request may go on.
    ///
    /// # Errors
    /// INVALID_ARGUMENT, reason INVALID_FIELD: the metadata tell the first field that is wrong, the
    /// BadRequest names all.
    pub fn finish(self) -> Result<(), Refusal> {
        self.0.map_or(Ok(()), Err)
    }

    /// What was parsed, if nothing is wrong. A parser that gives nothing has refused a field.
    ///
    /// # Errors
    /// As [`Fields::finish`].
    pub fn complete<T>(self, parsed: Option<T>) -> Result<T, Refusal> {
        self.finish()?;
        parsed.ok_or_else(|| first("request", "", "to be complete"))
    }

    fn token(&mut self, field: &str, value: &str, length: RangeInclusive<usize>) {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if !length.contains(&value.len()) || !value.bytes().all(allowed) {
            let (least, most) = (length.start(), length.end());
            let expected = format!("{least} to {most} characters of A-Z a-z 0-9 _ and -");
            self.refuse(field, value, &expected);
        }
    }
}

fn first(field: &str, value: impl fmt::Display, expected: &str) -> Refusal {
    let value: String = value.to_string().chars().take(ECHOED_CHARACTERS).collect();
    let message = format!("{field}: expected {expected}");
    Refusal::new(Code::InvalidArgument, "INVALID_FIELD", message)
        .meta("field", field)
        .meta("value", value)
        .meta("expected", expected)
}

fn is_text(value: &str, characters: &RangeInclusive<usize>) -> bool {
    characters.contains(&value.chars().count()) && !value.chars().any(char::is_control)
}

fn text_expected(characters: &RangeInclusive<usize>) -> String {
    format!("{} to {} characters, none of them a control", characters.start(), characters.end())
}
