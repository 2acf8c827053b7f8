//! Which names are allowed, and which look alike.

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
        "नाम१२",
        "नाम12",
        "أحمد",
        "דוד-2",
        "二〇24",
        "aaaaaaaaaaaaaaaaaaaa",
    ];
    let wrong: Vec<_> = names.into_iter().filter(|name| Name::parse(name).is_none()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
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
        // Invisible: joiners, selectors, fillers, vowels, directions, tags.
        "a\u{200b}b",
        "a\u{200c}b",
        "a\u{2060}b",
        "a\u{feff}b",
        "a\u{34f}b",
        "a\u{115f}b",
        "a\u{1160}b",
        "a\u{3164}b",
        "a\u{ffa0}b",
        "이\u{3164}세",
        "ក\u{17b4}ខ",
        "ᠠ\u{180b}ᠠ",
        "a\u{2066}b",
        "a\u{61c}b",
        "a\u{e0061}b",
        "a\u{a0}b",
        "a\u{3000}b",
        // Scripts that do not go together, or that nobody writes today.
        "Ольгаa",
        "Νίκοςb",
        "한gб",
        "イグоб",
        "くん한",
        "ㄅひら",
        "אבab",
        "अabc",
        "ᎪᏴ",
        "𝔘𝔫ж",
        // Digits of two kinds.
        "नाम१2",
        "أحمد1٢",
        "أحمد٢۳",
        "１१",
        // The same mark twice.
        "a\u{301}\u{301}b",
        "e\u{323}\u{323}b",
        // Half a pair, private, unassigned.
        "a\u{e000}b",
        "a\u{378}b",
        "a\u{fffd}b",
    ];
    let wrong: Vec<_> = names.into_iter().filter(|name| Name::parse(name).is_some()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(Name::parse(&"a".repeat(1_000_000)).is_none());
    assert!(Name::parse(&"\u{fdfa}".repeat(100)).is_none());
}

#[test]
fn a_name_is_one_text_however_it_was_typed() {
    for (typed, shown) in [
        ("Jose\u{301}", "José"),
        ("ＡＢ１", "AB1"),
        ("①②", "12"),
        ("ﬁsh", "fish"),
        ("㍿ab", "株式会社ab"),
        ("ｱｲ", "アイ"),
        ("𝐛𝐨𝐛", "bob"),
    ] {
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
        ("istanbul", "İstanbul"),
        ("istanbul", "i\u{307}stanbul"),
        ("jan", "j\u{307}an"),
        ("νικος", "ΝΙΚΟΣ"),
        ("νικος", "νικοσ"),
        ("strasse", "straße"),
        ("エロ", "工口"),
        ("カニ", "力二"),
        ("ＢＯＢ", "bob"),
        ("o0o0", "OOOO"),
    ];
    for (one, other) in alike {
        let looks = |name| Name::parse(name).expect(name).looks();
        assert!(!looks(one).is_disjoint(&looks(other)), "{one} {other}");
    }
}

#[test]
fn names_that_differ_share_no_look() {
    let names = [
        "bob",
        "rob",
        "josé",
        "jose",
        "围棋",
        "囲碁",
        "paul",
        "paula",
        "a-b",
        "a_b",
        "नाम१",
        "नाम1",
        "이세돌",
        "李世乭",
    ];
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
