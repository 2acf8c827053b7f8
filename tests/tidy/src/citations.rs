//! Each clause of the rulebook, case from the field and fault that is cited exists.

use std::collections::BTreeSet;

use crate::{Finding, Tree};

/// How a page is cited, and where it stands.
const PAGES: [(&str, &str); 3] = [
    ("rulebook", "services/table/RULEBOOK.md"),
    ("case", "tests/CASES.md"),
    ("fault", "tests/FAULTS.md"),
];

/// Every id after `rulebook:`, `case:` or `fault:` stands on its page.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (keyword, page) in PAGES {
        let Some(text) = tree.text(page) else {
            findings.push(Finding::new(page, 0, "no such file", "the page that tests cite"));
            continue;
        };
        let known = ids(text);
        let files = tree.written(&["rs", "ts", "tsx", "py", "sh", "proto", "sql", "lua", "md"]);
        for (path, text) in files.filter(|(path, _)| PAGES.iter().all(|(_, page)| page != path)) {
            for (line, id) in cited(text, keyword, &known) {
                if !stands(&known, &id) {
                    let found = format!("`{keyword}: {id}`");
                    findings.push(Finding::new(path, line, found, format!("an id of {page}")));
                }
            }
        }
    }
    findings
}

/// Ids that a page defines: in the first cell of a table's row, or in bold.
fn ids(page: &str) -> BTreeSet<String> {
    let first_cells =
        page.lines().filter_map(|line| line.trim_start().strip_prefix('|')?.split('|').next());
    let bold = page.lines().flat_map(|line| line.split("**").skip(1).step_by(2));
    first_cells
        .chain(bold)
        .flat_map(|text| text.split([',', ' ', '*', '`']))
        .filter(|word| id_length(word) == word.len() && !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a page has this id, or parts of it: `C12` stands where `C12.1` does.
fn stands(known: &BTreeSet<String>, id: &str) -> bool {
    let part = format!("{id}.");
    known.contains(id) || known.iter().any(|known| known.starts_with(&part))
}

/// Citations of one page in `text`: (line, id), or what stands where an id should.
fn cited(text: &str, keyword: &str, known: &BTreeSet<String>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for (start, _) in line.match_indices(keyword) {
            let before = line.get(..start).unwrap_or_default();
            let after = line.get(start + keyword.len()..).unwrap_or_default();
            let listed = list(before, after, keyword, known);
            found.extend(listed.into_iter().map(|id| (at + 1, id)));
        }
    }
    found
}

/// The ids after one keyword. In prose the rulebook is also cited without a colon.
fn list(before: &str, after: &str, keyword: &str, known: &BTreeSet<String>) -> Vec<String> {
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return Vec::new();
    }
    let (mut rest, colon) = match after.strip_prefix(':') {
        Some(rest) => (rest.trim_start(), true),
        None if keyword == "rulebook" => (after.trim_start(), false),
        None => return Vec::new(),
    };
    let mut ids = Vec::new();
    loop {
        let (id, after) = rest.split_at(id_length(rest));
        // After the first one a word of the text may look like an id: a point of the board does.
        let ours = ids.is_empty() || known.iter().any(|known| known.get(..1) == id.get(..1));
        if id.is_empty() || !ours {
            break;
        }
        ids.push(id.to_owned());
        rest = after.trim_start_matches([',', '/', '–', ' ']).trim_start_matches("and ");
    }
    let comment = before.trim_end().ends_with(['/', '#', '!']) || before.trim_end().ends_with("--");
    if ids.is_empty() && colon && comment {
        ids.push(rest.split_whitespace().next().unwrap_or_default().to_owned());
    }
    ids
}

/// Length of the id at the start of `text` (`G1`, `C12.1`, `C3.2a`); 0 for none.
fn id_length(text: &str) -> usize {
    let digits = |from: usize| text.bytes().skip(from).take_while(u8::is_ascii_digit).count();
    let number = digits(1);
    if !text.starts_with(|c: char| c.is_ascii_uppercase()) || number == 0 {
        return 0;
    }
    let mut length = 1 + number;
    let part = digits(length + 1);
    if text.as_bytes().get(length) == Some(&b'.') && part > 0 {
        length += 1 + part;
    }
    if text.as_bytes().get(length).is_some_and(u8::is_ascii_lowercase) {
        length += 1;
    }
    let more = text.get(length..).and_then(|rest| rest.chars().next());
    if more.is_some_and(|c| c.is_alphanumeric() || c == '_') { 0 } else { length }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULEBOOK: &str =
        "| id | rule |\n|---|---|\n| G1 | x |\n| C12.1 | Q16 |\n| C3.2a | y |\n| C7.5, C7.7 | z |";

    /// Findings for one comment; `@` stands for the rulebook's keyword, so that this file, which
    /// the rule reads too, cites nothing wrong.
    fn found(comment: &str) -> Vec<String> {
        let comment = comment.replace('@', PAGES[0].0);
        let tree = Tree::of(&[
            (PAGES[0].1, RULEBOOK),
            (PAGES[1].1, "- **C5** somebody/something#1 - wrong."),
            (PAGES[2].1, "| F3 | crash |"),
            ("services/rules/src/a.rs", &format!("\n{comment}")),
        ]);
        check(&tree).iter().map(|finding| format!("{}: {}", finding.line, finding.found)).collect()
    }

    #[test]
    fn what_exists_may_be_cited() {
        for comment in [
            "// @: C12.1",
            "// @: C12, C3.2a and C7.7. Then Q16.",
            "/// quarter stones (@ G1)",
            "// @: C12.1, Q16 is taken",
            "// see the @: it says so",
            "// case: C5",
            "// fault: F3; @: G1",
            "match x { case: C5 }",
        ] {
            assert_eq!(found(comment), [""; 0], "{comment}");
        }
    }

    #[test]
    fn what_does_not_exist_is_found() {
        let wrong = |keyword: &str, id: &str| vec![format!("2: `{keyword}: {id}`")];
        assert_eq!(found("// @: C13"), wrong(PAGES[0].0, "C13"));
        assert_eq!(found("// @: G1, G9"), wrong(PAGES[0].0, "G9"));
        assert_eq!(found("/// komi (@ C2)."), wrong(PAGES[0].0, "C2"));
        assert_eq!(found("    // @: see there"), wrong(PAGES[0].0, "see"));
        let case = PAGES[1].0;
        assert_eq!(found(&format!("// {case}: C6")), wrong(case, "C6"));
        let fault = PAGES[2].0;
        assert_eq!(found(&format!("x(); // {fault}: F33")), wrong(fault, "F33"));
    }

    #[test]
    fn a_missing_page_is_found() {
        assert_eq!(check(&Tree::default()).len(), 3);
    }

    #[test]
    fn ids_of_cells_and_of_bold_words() {
        let ids: Vec<_> =
            ids("| **C1** | D4 |\n| G1, G2 |\n**Z9** and Q16 **bold words**").into_iter().collect();
        assert_eq!(ids, ["C1", "G1", "G2", "Z9"]);
    }
}
