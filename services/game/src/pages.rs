//! Pages of lists that are in the order of an instant and an id.

use tengen_kit::fields::Fields;

/// Where a page ended, and the next one goes on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// The instant, Unix milliseconds.
    pub at_ms: i64,
    /// The id.
    pub id: String,
}

impl Cursor {
    /// The token of the next page.
    pub fn token(&self) -> String {
        format!("{}.{}", self.at_ms, self.id)
    }

    fn parse(token: &str) -> Option<Self> {
        let (at_ms, id) = token.split_once('.')?;
        tengen_live::partition(id).filter(|_| id.len() <= 64)?;
        Some(Self { at_ms: at_ms.parse().ok()?, id: id.to_owned() })
    }
}

/// How many are on a page: as many as are asked for, at most `most`; `usual` where that is left open.
pub fn size(fields: &mut Fields, page_size: i32, usual: u8, most: u8) -> usize {
    fields.range("page_size", page_size.into(), 0..=most.into());
    match usize::try_from(page_size) {
        Ok(0) | Err(_) => usual.into(),
        Ok(size) => size,
    }
}

/// Where the page before ended; `None` before the first page.
pub fn cursor(fields: &mut Fields, page_token: &str) -> Option<Cursor> {
    let cursor = Cursor::parse(page_token);
    if cursor.is_none() && !page_token.is_empty() {
        fields.refuse("page_token", page_token, "one that a page before gave");
    }
    cursor
}
