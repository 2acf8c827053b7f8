//! Which values of fields are refused, and how they are told back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use tengen_kit::fields::Fields;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Runs a check and tells which field it refused, if any.
fn refused(check: impl FnOnce(&mut Fields)) -> Option<String> {
    let mut fields = Fields::new();
    check(&mut fields);
    let ok = fields.is_ok();
    let status = Status::from(fields.finish().err().or_else(|| {
        assert!(ok);
        None
    })?);
    assert!(!ok);
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = status.get_error_details();
    let info = details.error_info().unwrap();
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("INVALID_FIELD", "tengen"));
    let violations = &details.bad_request().unwrap().field_violations;
    assert_eq!(violations[0].field, info.metadata["field"]);
    Some(info.metadata["field"].clone())
}

#[test]
fn ids_and_request_ids_are_of_one_alphabet() {
    let longest = "x".repeat(64);
    let too_long = "x".repeat(65);
    let cases: [(&str, bool, bool); 11] = [
        ("", false, false),
        ("a", true, false),
        ("1234567", true, false),
        ("12345678", true, true),
        ("a-Z_09bc", true, true),
        (&longest, true, true),
        (&too_long, false, false),
        ("white space", false, false),
        ("a/../../b", false, false),
        ("黑黑黑黑黑黑黑黑", false, false),
        ("nul\0nul\0nul", false, false),
    ];
    for (value, id, request_id) in cases {
        assert_eq!(refused(|f| f.id("game_id", value)).is_none(), id, "id {value:?}");
        let answer = refused(|f| f.request_id(value));
        assert_eq!(answer.is_none(), request_id, "request_id {value:?}");
        assert!(answer.is_none_or(|field| field == "request_id"));
    }
}

#[test]
fn texts_are_counted_in_characters_and_hold_no_controls() {
    let cases = [
        ("a", false),
        ("围棋", true),
        ("four", true),
        ("fiveX", false),
        ("a\nb", false),
        ("a\u{7f}b", false),
        ("a\u{85}b", false),
    ];
    for (value, good) in cases {
        assert_eq!(refused(|f| f.text("name", value, 2..=4)).is_none(), good, "{value:?}");
        assert_eq!(refused(|f| f.secret("name", value, 2..=4)).is_none(), good, "{value:?}");
    }
}

#[test]
fn ranges_hold_both_ends() {
    for (value, good) in [(i64::MIN, false), (-1, false), (0, true), (18, true), (19, false)] {
        assert_eq!(refused(|f| f.range("row", value, 0..=18)).is_none(), good, "{value}");
    }
}

#[test]
fn a_required_message_is_handed_over() {
    let mut fields = Fields::new();
    assert_eq!(fields.require("settings", Some(7)), Some(7));
    assert_eq!(fields.require::<i64>("point", None), None);
    assert!(!fields.is_ok());
    assert_eq!(fields.complete(Some(7)).unwrap_err().reason(), "INVALID_FIELD");
    assert_eq!(Fields::new().complete(Some(7)).unwrap(), 7);
    assert_eq!(Fields::new().complete::<i64>(None).unwrap_err().reason(), "INVALID_FIELD");
}

#[test]
fn all_that_is_wrong_is_named_and_the_first_is_told_in_full() {
    let mut fields = Fields::new();
    fields.range("point.row", 19, 0..=18);
    fields.request_id("short");
    fields.refuse("komi_quarters", 7, "a multiple of 2");
    let status = Status::from(fields.finish().unwrap_err());

    let details = status.get_error_details();
    let metadata = &details.error_info().unwrap().metadata;
    assert_eq!(metadata["field"], "point.row");
    assert_eq!(metadata["value"], "19");
    assert_eq!(metadata["expected"], "0 to 18");
    let violations = &details.bad_request().unwrap().field_violations;
    let named: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
    assert_eq!(named, ["point.row", "request_id", "komi_quarters"]);
    assert_eq!(violations[2].description, "expected a multiple of 2");
}

#[test]
fn secrets_are_never_told_back_and_long_values_are_cut() {
    let mut fields = Fields::new();
    fields.secret("password", "hunter2", 8..=128);
    let status = Status::from(fields.finish().unwrap_err());
    assert!(!String::from_utf8_lossy(status.details()).contains("hunter2"));

    let mut fields = Fields::new();
    fields.text("name", &"é".repeat(50_000), 2..=20);
    let status = Status::from(fields.finish().unwrap_err());
    assert!(status.details().len() < 1_024, "{} bytes", status.details().len());
}
