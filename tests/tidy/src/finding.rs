//! What a rule reports: where, what was found, what was expected.

use std::fmt;

/// One breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Path from the root of the tree, with `/` between its parts.
    pub path: String,
    /// Line, from 1; 0 where the finding is about the file as a whole.
    pub line: usize,
    /// What stands there.
    pub found: String,
    /// What should stand there instead.
    pub expected: String,
}

impl Finding {
    pub(crate) fn new(
        path: &str,
        line: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self { path: path.to_owned(), line, found: found.into(), expected: expected.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, found, expected } = self;
        match line {
            0 => write!(f, "{path}: found {found}; expected {expected}"),
            line => write!(f, "{path}:{line}: found {found}; expected {expected}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_reads_like_a_compiler_message() {
        let at_line = Finding::new("proto/src/lib.rs", 3, "`x`", "`y`");
        assert_eq!(at_line.to_string(), "proto/src/lib.rs:3: found `x`; expected `y`");
        let whole_file = Finding::new("LICENSE", 0, "nothing", "the licence");
        assert_eq!(whole_file.to_string(), "LICENSE: found nothing; expected the licence");
    }
}
