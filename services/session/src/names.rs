//! What an account may be called, and which names look alike.
//!
//! 1. A name is brought into the form NFKC first, so that it is one text however it was typed.
//! 2. It has 2 to 20 characters: letters, digits and marks that Unicode recommends for identifiers
//!    (UTS 39, "allowed"), `-` and `_`.
//!    Nothing invisible is among them: no joiner, selector, filler or direction.
//! 3. It begins with no mark, and no character carries more than two, or the same twice: marks may
//!    neither spill over the lines above and below nor cover each other (UTS 39, 5.4).
//! 4. Its scripts go together (UTS 39, "highly restrictive"): one script, or Latin beside Chinese,
//!    Japanese or Korean. `раypal` in Latin and Cyrillic is none.
//! 5. Its digits are of one kind (UTS 39, 5.3): `१2` is none.
//! 6. Nobody may take a name that looks like one that is taken. The looks of a name are its
//!    skeletons (UTS 39) in small and in capital letters, as two names may differ in the one and
//!    look alike in the other: `Ian` and `lan`, `вов` and `bob`. A look ignores case, and a dot above
//!    a letter that has one.
//!
//! The looks are stored. A release of Unicode with new look-alikes needs a migration that makes
//! them anew.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{
    GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection, skeleton,
};

/// How many characters a name has.
const LENGTH: RangeInclusive<usize> = 2..=20;
const MOST_MARKS: usize = 2;
/// It does not show above a letter that has a dot.
const DOT_ABOVE: char = '\u{307}';
/// The zero of Chinese numbers: a letter among Chinese ones, though Unicode calls it a number.
const CHINESE_ZERO: char = '〇';

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
            && digits_are_of_one_kind(&shown)
            && shown.as_str().check_restriction_level(level);
        good.then_some(Self { shown })
    }

    /// Its looks; two names with a look in common look alike.
    pub(crate) fn looks(&self) -> BTreeSet<String> {
        BTreeSet::from([look(&self.shown), skeleton_of(&self.shown.to_uppercase())])
    }
}

/// Names for somebody who did not choose one: what he is called elsewhere, as far as that can be a
/// name, then with numbers behind it, which `seed` chooses in the end.
pub(crate) fn candidates(texts: &[String], seed: &str) -> impl Iterator<Item = Name> {
    let number =
        Sha256::digest(seed).iter().take(5).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let (six, twelve) = (number % 1_000_000, number);
    let bases = texts.iter().filter_map(|text| base(text)).chain(["player".to_owned()]);
    let base = bases.into_iter().next().unwrap_or_default();
    let numbered = (2..=5).map(|number| format!("-{number}")).chain([format!("-{six:06}")]);
    let mut texts = vec![base.clone()];
    texts.extend(numbered.map(|end| {
        let room = LENGTH.end().saturating_sub(end.len());
        base.chars().take(room).chain(end.chars()).collect()
    }));
    texts.push(format!("player-{twelve}"));
    texts.into_iter().filter_map(|text| Name::parse(&text))
}

/// What of a text from elsewhere can be a name: what stands before an `@`, with `-` for whatever no
/// name has.
fn base(text: &str) -> Option<String> {
    let text: String = text.chars().take(256).collect::<String>().nfkc().collect();
    let text = text.split('@').next()?;
    let good = text.chars().map(|one| if is_allowed(one) { one } else { '-' });
    let mut name = String::new();
    for character in good.skip_while(|one| *one == '-').take(*LENGTH.end()) {
        if character != '-' || !name.ends_with('-') {
            name.push(character);
        }
    }
    Name::parse(name.trim_end_matches('-')).map(|name| name.shown)
}

/// The look by which an account is found at sign-in, also for a text that may be no name.
pub(crate) fn look(text: &str) -> String {
    skeleton_of(&text.nfkc().collect::<String>().to_lowercase())
}

fn skeleton_of(text: &str) -> String {
    let mut dotted = false;
    let looks = skeleton(text).filter(|&character| {
        let hidden = dotted && character == DOT_ABOVE;
        dotted = matches!(character, 'i' | 'j');
        !hidden
    });
    looks.collect::<String>().to_lowercase()
}

fn is_allowed(character: char) -> bool {
    let in_word = character.is_alphanumeric() || is_combining_mark(character);
    matches!(character, '-' | '_') || in_word && character.identifier_allowed()
}

fn marks_are_few(text: &str) -> bool {
    // As if the name stood behind as many marks as a character may carry.
    let (mut marks, mut last) = (MOST_MARKS, None);
    text.nfd().all(|character| {
        let mark = is_combining_mark(character);
        let twice = mark && last == Some(character);
        last = Some(character);
        marks = if mark { marks + 1 } else { 0 };
        marks <= MOST_MARKS && !twice
    })
}

/// The ten digits of a kind stand side by side, and no two kinds do.
fn digits_are_of_one_kind(text: &str) -> bool {
    let digits = text.chars().filter(|&one| one.is_numeric() && one != CHINESE_ZERO);
    let (least, most) = digits
        .map(u32::from)
        .fold((u32::MAX, 0), |(least, most), digit| (least.min(digit), most.max(digit)));
    most.saturating_sub(least) < 10
}

#[cfg(test)]
mod tests;
