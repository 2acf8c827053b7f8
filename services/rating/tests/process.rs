//! The binary as it is: a wrong setting ends it before it does anything.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::process::Command;

#[test]
fn a_wrong_variable_ends_it_with_64_and_one_line() {
    for (variable, value, line) in [
        (
            "TENGEN_LISTEN",
            "here",
            "TENGEN_LISTEN is \"here\": invalid socket address syntax, expected: Where calls come in, as address:port",
        ),
        (
            "TENGEN_RATING_DATABASE_URL",
            "mysql://me:secret@here/db",
            "TENGEN_RATING_DATABASE_URL is hidden, expected sqlite://file or postgres://user:password@host/database",
        ),
        (
            "TENGEN_RATING_LADDER",
            "no/such/file",
            "TENGEN_RATING_LADDER: no/such/file cannot be read: No such file or directory (os error 2)",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_tengen-rating"))
            .env_clear()
            .env("TENGEN_SERVICE_SECRET", "01234567890123456789012345678901")
            .env("TENGEN_RATING_DATABASE_URL", "sqlite://no/such/folder/rating.db")
            .env("TENGEN_SESSION_URLS", "http://127.0.0.1:1")
            .env("TENGEN_GAME_URLS", "http://127.0.0.1:1")
            .env(variable, value)
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(64), "{variable}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said, format!("tengen-rating: {line}\n"));
        assert!(output.stdout.is_empty());
    }
}
