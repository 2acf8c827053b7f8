//! Rust source with its comments, strings or tests blanked out.
//!
//! Every view keeps the line numbers of the text that it was made from.

/// Blanks comments and the contents of strings and characters, so that a word found in what
/// is left is a word of the program.
pub(crate) fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = opaque(rest, out.chars().next_back());
        if length == 0 {
            out.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        } else {
            let (hidden, after) = rest.split_at(length);
            out.extend(hidden.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = after;
        }
    }
    out
}

/// Like [`code`], with items under `#[cfg(test)]` blanked too.
pub(crate) fn code_without_tests(text: &str) -> String {
    let mut code = code(text);
    while let Some(start) = code.find("#[cfg(test)]") {
        let end = start + item_length(code.get(start..).unwrap_or_default());
        let blank: String =
            code[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        code.replace_range(start..end, &blank);
    }
    code
}

/// Lines, from 1, on which `word` stands and is not part of a longer name.
pub(crate) fn lines_with(code: &str, word: &str) -> Vec<usize> {
    let mut lines: Vec<_> = positions(code, word).map(|at| line_at(code, at)).collect();
    lines.dedup();
    lines
}

/// Modules of the standard library named by path, `std::{a, b::c}` included: (line, module).
pub(crate) fn std_modules(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in positions(code, "std::") {
        let after = code.get(at + "std::".len()..).unwrap_or_default();
        for (offset, module) in first_segments(after) {
            found.push((line_at(code, at + "std::".len() + offset), module));
        }
    }
    found
}

/// Whether a file holds tests, benchmarks or examples only.
pub(crate) fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_folder =
        folders.split('/').skip(2).any(|f| ["tests", "benches", "examples"].contains(&f));
    in_folder || name == "tests.rs" || name.ends_with("_tests.rs")
}

/// Length of the comment, string or character literal at the start of `rest`; 0 for none.
fn opaque(rest: &str, before: Option<char>) -> usize {
    let in_name = before.is_some_and(is_name);
    if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        block_comment(rest)
    } else if let Some(body) = rest.strip_prefix('"') {
        1 + until_quote(body, '"')
    } else if rest.starts_with('r') && !in_name {
        raw_string(rest)
    } else if let Some(body) = rest.strip_prefix('\'') {
        // `'a'` and `'\n'` are characters, `'a` is a lifetime.
        let closed = body.starts_with('\\') || body.chars().nth(1) == Some('\'');
        if closed { 1 + until_quote(body, '\'') } else { 0 }
    } else {
        0
    }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(c) = rest.get(at..).and_then(|tail| tail.chars().next()) {
        let tail = rest.get(at..).unwrap_or_default();
        if tail.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if tail.starts_with("*/") {
            (depth, at) = (depth.saturating_sub(1), at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += c.len_utf8();
        }
    }
    rest.len()
}

/// Length of `body` up to and with the next quote that no backslash precedes.
fn until_quote(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    body.len()
}

/// Length of `r"…"` or `r#"…"#`; 0 where `r` begins something else.
fn raw_string(rest: &str) -> usize {
    let hashes = rest.bytes().skip(1).take_while(|&b| b == b'#').count();
    let open = 1 + hashes + 1;
    if rest.as_bytes().get(open - 1) != Some(&b'"') {
        return 0;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let body = rest.get(open..).unwrap_or_default();
    body.find(&close).map_or(rest.len(), |at| open + at + close.len())
}

/// Length of the item at the start of `code`: up to its `;`, or to the end of its braces.
fn item_length(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

fn positions<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let ends_in_name = word.chars().next_back().is_some_and(is_name);
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = code.get(..at).and_then(|head| head.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|tail| tail.chars().next());
        !(before.is_some_and(is_name) || ends_in_name && after.is_some_and(is_name))
    })
}

fn line_at(code: &str, at: usize) -> usize {
    1 + code.bytes().take(at).filter(|&b| b == b'\n').count()
}

/// First path segments of what follows `std::`: one name, or those of a braced group.
fn first_segments(after: &str) -> Vec<(usize, String)> {
    let name = |at: usize| -> (usize, String) {
        let tail = after.get(at..).unwrap_or_default();
        (at, tail.chars().take_while(|&c| is_name(c)).collect())
    };
    if !after.starts_with('{') {
        return vec![name(0)];
    }
    let (mut depth, mut fresh, mut found) = (0_usize, false, Vec::new());
    for (at, c) in after.char_indices() {
        match c {
            '{' => (depth, fresh) = (depth + 1, depth == 0),
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' => fresh = depth == 1,
            c if is_name(c) && fresh => {
                found.push(name(at));
                fresh = false;
            }
            _ => {}
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blank() {
        let text =
            "let a = \"f64 \\\" x\"; // f64\n/* f64 /* f64 */\n f64 */ r#\"f64\"# 'f' b\"f64\" y";
        let view = code(text);
        assert!(!view.contains("f64"), "{view}");
        assert_eq!(view.lines().count(), text.lines().count());
        assert!(view.starts_with("let a = ") && view.ends_with(" y"), "{view}");
    }

    #[test]
    fn lifetimes_and_names_in_r_are_code() {
        let text = "fn for<'a>(x: &'a f64, r: r#type, c: '\\'') -> 'b'";
        assert_eq!(lines_with(&code(text), "f64"), [1]);
        assert!(code(text).contains("r#type"));
    }

    #[test]
    fn tests_are_left_out() {
        let text =
            "f64\n#[cfg(test)]\nmod tests {\n fn a() { f64 }\n}\nf32\n#[cfg(test)]\nmod b;\nf64";
        let view = code_without_tests(text);
        assert_eq!(lines_with(&view, "f64"), [1, 9]);
        assert_eq!(lines_with(&view, "f32"), [6]);
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(lines_with("xf64 f64x\nf64_\n(f64)", "f64"), [3]);
    }

    #[test]
    fn grouped_imports_are_seen() {
        let text = "use std::{\n fmt,\n time::{Duration, Instant},\n};\nstd::fs::read";
        let found: Vec<_> = std_modules(text);
        let expected = [(2, "fmt"), (3, "time"), (5, "fs")].map(|(l, m)| (l, m.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn test_files() {
        for path in
            ["services/a/tests/x.rs", "services/a/src/b/tests.rs", "services/a/benches/c.rs"]
        {
            assert!(is_test_file(path), "{path}");
        }
        for path in ["services/a/src/lib.rs", "tests/tidy/src/lib.rs", "services/tests/src/lib.rs"]
        {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
