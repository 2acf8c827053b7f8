//! What an account may be called, and which names look alike.
//!
//! 1. A name is brought into the form NFKC first, so that it is one text however it was typed.
//! 2. It has 2 to 20 characters: letters, digits and marks that Unicode recommends for identifiers
//!    (UTS 39, "allowed"), `-` and `_`.
//! 3. It begins with no mark, and no character carries more than two: marks may not spill over the
//!    lines above and below.
//! 4. Its scripts go together (UTS 39, "highly restrictive"): one script, or Latin beside Chinese,
//!    Japanese or Korean. `раypal` in Latin and Cyrillic is none.
//! 5. Nobody may take a name that looks like one that is taken. The looks of a name are its
//!    skeletons (UTS 39) in small and in capital letters, as two names may differ in the one and
//!    look alike in the other: `Ian` and `lan`, `вов` and `bob`. A look ignores case.
//!
//! The looks are stored. A release of Unicode with new look-alikes needs a migration that makes
//! them anew.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{
    GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection, skeleton,
};

/// How many characters a name has.
const LENGTH: RangeInclusive<usize> = 2..=20;
const MOST_MARKS: usize = 2;

/// What is expected of a name, for whoever sent another.
pub(crate) const EXPECTED: &str =
    "2 to 20 letters, digits, \"-\" or \"_\", of one script or of scripts that go together";

/// A name that an account may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// In the form NFKC, otherwise as it was sent.
    pub(crate) shown: String,
}

impl Name {
    /// The name, if the rules allow it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // Before the text is normalised, which may make it three times as long or more.
        if text.len() > 4 * 4 * LENGTH.end() {
            return None;
        }
        let shown: String = text.nfkc().collect();
        let level = RestrictionLevel::HighlyRestrictive;
        let good = LENGTH.contains(&shown.chars().count())
            && shown.chars().all(is_allowed)
            && marks_are_few(&shown)
            && shown.as_str().check_restriction_level(level);
        good.then_some(Self { shown })
    }

    /// Its looks; two names with a look in common look alike.
    pub(crate) fn looks(&self) -> BTreeSet<String> {
        BTreeSet::from([look(&self.shown), skeleton_of(&self.shown.to_uppercase())])
    }
}

/// The look by which an account is found at sign-in, also for a text that may be no name.
pub(crate) fn look(text: &str) -> String {
    skeleton_of(&text.nfkc().collect::<String>().to_lowercase())
}

fn skeleton_of(text: &str) -> String {
    skeleton(text).collect::<String>().to_lowercase()
}

fn is_allowed(character: char) -> bool {
    let in_word = character.is_alphanumeric() || is_combining_mark(character);
    matches!(character, '-' | '_') || in_word && character.identifier_allowed()
}

fn marks_are_few(text: &str) -> bool {
    // As if the name stood behind as many marks as a character may carry.
    let mut marks = MOST_MARKS;
    text.nfd().all(|character| {
        marks = if is_combining_mark(character) { marks + 1 } else { 0 };
        marks <= MOST_MARKS
    })
}

#[cfg(test)]
mod tests {
    use super::{Name, look};

    #[test]
    fn names_of_any_script_are_allowed() {
        let names = [
            "ab",
            "Lee-Sedol",
            "_a_",
            "--",
            "a1",
            "19x19",
            "围棋",
            "柯洁",
            "囲碁くん",
            "이세돌",
            "Shusaku秀策",
            "Ольга",
            "Νίκος",
            "José",
            "Đỗ-Thị",
            "हिन्दी",
            "ภาษาไทย",
            "aaaaaaaaaaaaaaaaaaaa",
        ];
        for name in names {
            assert!(Name::parse(name).is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let names = [
            "",
            "a",
            "aaaaaaaaaaaaaaaaaaaaa",
            " a",
            "a b",
            "ab ",
            "a.b",
            "a@b",
            "a/b",
            "a'b",
            "<b>",
            "a\0b",
            "a\nb",
            "a\u{200d}b",
            "a\u{202e}b",
            "ab\u{fe0f}",
            "\u{301}ab",
            "a\u{ad}b",
            "⚫⚪",
            "😀😀",
            "ab½",
            "раypal",
            "Ρaul",
            "a\u{301}\u{302}\u{303}b",
            "ᚠᚢᚦ",
            "\u{fdfa}",
        ];
        for name in names {
            assert!(Name::parse(name).is_none(), "{name:?}");
        }
        assert!(Name::parse(&"a".repeat(1_000_000)).is_none());
        assert!(Name::parse(&"\u{fdfa}".repeat(100)).is_none());
    }

    #[test]
    fn a_name_is_one_text_however_it_was_typed() {
        for (typed, shown) in
            [("Jose\u{301}", "José"), ("ＡＢ１", "AB1"), ("①②", "12"), ("ﬁsh", "fish")]
        {
            assert_eq!(Name::parse(typed).expect("a name").shown, shown);
        }
    }

    #[test]
    fn names_that_look_alike_share_a_look() {
        let alike = [
            ("bob", "BOB"),
            ("bob", "b0b"),
            ("bob", "вов"),
            ("paul", "pau1"),
            ("paul", "PAUI"),
            ("lan", "Ian"),
            ("modern", "modem"),
            ("José", "JOSÉ"),
            ("scope", "ѕсоре"),
            ("ольга", "ОЛЬГА"),
        ];
        for (one, other) in alike {
            let looks = |name| Name::parse(name).expect(name).looks();
            assert!(!looks(one).is_disjoint(&looks(other)), "{one} {other}");
        }
    }

    #[test]
    fn names_that_differ_share_no_look() {
        let names = ["bob", "rob", "josé", "jose", "围棋", "囲碁", "paul", "paula", "a-b", "a_b"];
        for (index, one) in names.iter().enumerate() {
            for other in &names[..index] {
                let looks = |name| Name::parse(name).expect("a name").looks();
                assert!(looks(one).is_disjoint(&looks(other)), "{one} {other}");
            }
        }
    }

    #[test]
    fn an_account_is_found_by_its_name_in_any_case() {
        for name in ["Shusaku秀策", "PAUI", "Ольга", "Đỗ-Thị", "İstanbul"] {
            let looks = Name::parse(name).expect(name).looks();
            for typed in [name.to_owned(), name.to_lowercase()] {
                assert!(looks.contains(&look(&typed)), "{name} {typed}");
            }
        }
    }
}
